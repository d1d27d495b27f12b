/* Any bytes as a recorded tuning space: T4, Kernel Tuner's cache or KTT's results, told by content. What is read has a
 * test for every point. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "tune/recorded/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    qn_record *record;
    char text[256];
    if (qn_record_read_memory("in", (const char *)data, size, &record) != QN_OK) return 0;
    for (qn_point point = 0; point < qn_space_size(record->space); point++) {
        qn_space_format(record->space, point, text, sizeof text);
        if (record->tests[point].outcome == QN_TEST_CORRECT && !(record->tests[point].objective > 0)) abort();
    }
    for (int format = QN_RECORD_T4; format <= QN_RECORD_KTT; format++)
        if (qn_record_write(record, (qn_record_format)format, "/dev/shm/quern-fuzz-record") != QN_OK) abort();
    unlink("/dev/shm/quern-fuzz-record");
    qn_record_destroy(&record);
    return 0;
}

/* Any bytes as a recorded tuning space: T4, Kernel Tuner's cache or KTT's results, detected by content. In an
 * accepted space, every correct test has a positive objective, and the space can be written in each format. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "tune/recorded/recorded_space.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    qn_recorded_space *record;
    char text[256];
    if (qn_recorded_space_read_memory("in", (const char *)data, size, &record) != QN_OK) return 0;
    for (qn_point point = 0; point < qn_space_size(record->space); point++) {
        qn_space_format(record->space, point, text, sizeof text);
        if (record->tests[point].outcome == QN_TEST_CORRECT && !(record->tests[point].objective > 0)) abort();
    }
    for (int format = QN_RECORDED_T4; format <= QN_RECORDED_KTT; format++)
        if (qn_recorded_space_write(record, (qn_recorded_space_format)format, "/dev/shm/quern-fuzz-record") != QN_OK)
            abort();
    unlink("/dev/shm/quern-fuzz-record");
    qn_recorded_space_destroy(&record);
    return 0;
}

/* Any bytes as a DM3 or DM4 file: one image whose values lie in the file, or an error. */
#define _GNU_SOURCE
#include <quern/status.h>

#include "base/memory.h"
#include "format/movie/dm.h"
#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int width, height;
    float *values;
    const qn_status status = qn_dm_parse("bytes", data, size, &width, &height, &values);
    demand(status == QN_OK ? values != NULL : values == NULL && qn_error_message()[0]);
    if (status == QN_OK) {
        demand(width > 0 && height > 0 && (size_t)width * (size_t)height <= size && qn_dm_is(data, size));
        volatile float last = values[(size_t)width * (size_t)height - 1];
        (void)last;
    }
    qn_release(&values);
    return 0;
}

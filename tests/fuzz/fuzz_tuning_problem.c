/* Any bytes as a T1 tuning problem. Its kernel file never exists; that is the reader's last check. */
#include <stdint.h>

#include "tune/exchange/t1.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    qn_t1 *problem;
    if (qn_t1_read_memory("in", (const char *)data, size, &problem) == QN_OK) qn_t1_destroy(&problem);
    return 0;
}

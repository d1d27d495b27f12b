/* Any bytes as an array of NumPy's format: they are refused with the file's name, or all values are within the file. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    qn_npy_array array;
    volatile double sum = 0; /* all values are read */
    if (qn_npy_parse("f.npy", (const char *)data, size, &array) != QN_OK) {
        demand(strncmp(qn_error_message(), "f.npy:", 6) == 0);
        return 0;
    }
    demand(array.dimensions <= 2 && array.count <= size);
    for (uint64_t i = 0; i < array.count; i++) sum += qn_npy_value(&array, i);
    return 0;
}

#include "cluster/matrix/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void qn_npy_header(qn_npy_type type, uint64_t rows, uint64_t columns, char header[QN_NPY_HEADER_BYTES])
{
    enum { DICTIONARY_AT = 10, DICTIONARY_BYTES = QN_NPY_HEADER_BYTES - DICTIONARY_AT };
    static const char mark[DICTIONARY_AT] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, DICTIONARY_BYTES, 0};
    static const char *const types[] = {[QN_NPY_FLOAT32] = "<f4", [QN_NPY_UINT16] = "<u2"};
    char shape[48], dictionary[DICTIONARY_BYTES + 1];
    if (columns > 0)
        snprintf(shape, sizeof shape, "%" PRIu64 ", %" PRIu64, rows, columns);
    else
        snprintf(shape, sizeof shape, "%" PRIu64 ",", rows);
    const int length = snprintf(dictionary, sizeof dictionary,
                                "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", types[type], shape);
    memcpy(header, mark, sizeof mark);
    memset(header + DICTIONARY_AT, ' ', DICTIONARY_BYTES);
    memcpy(header + DICTIONARY_AT, dictionary, (size_t)length);
    header[QN_NPY_HEADER_BYTES - 1] = '\n';
}

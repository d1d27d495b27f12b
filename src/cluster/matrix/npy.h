/* The header of arrays in NumPy's format, version 1.0 (numpy.lib.format): a mark, the length of a dictionary, and the
 * dictionary, padded with blanks. All headers of ours have one length, so that values begin at a fixed offset. */
#ifndef QN_CLUSTER_MATRIX_NPY_H
#define QN_CLUSTER_MATRIX_NPY_H

#include <stdint.h>

enum { QN_NPY_HEADER_BYTES = 128 };

typedef enum qn_npy_type { QN_NPY_FLOAT32, QN_NPY_UINT16 } qn_npy_type;

/* Make the header of an array of `rows` values, or of `rows` × `columns` values in C order if columns > 0. Values are
 * little-endian. */
void qn_npy_header(qn_npy_type type, uint64_t rows, uint64_t columns, char header[QN_NPY_HEADER_BYTES]);

#endif

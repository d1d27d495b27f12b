/* Arrays in NumPy's format (numpy.lib.format): a mark, the length of a dictionary, the dictionary, padded with blanks,
 * and the values. All headers of ours are of version 1.0 and have one length, so that values begin at a fixed offset.
 */
#ifndef QN_FORMAT_NPY_H
#define QN_FORMAT_NPY_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { QN_NPY_HEADER_BYTES = 128 };

typedef enum qn_npy_type { QN_NPY_FLOAT32, QN_NPY_UINT16 } qn_npy_type;

/* Make the header of an array of `rows` values, or of `rows` × `columns` values in C order if columns > 0. Values are
 * little-endian. */
void qn_npy_header(qn_npy_type type, uint64_t rows, uint64_t columns, char header[QN_NPY_HEADER_BYTES]);

/* An array that is read. */
typedef struct qn_npy_array {
    char type;       /* 'f', 'i' or 'u' */
    int value_bytes; /* 2, 4 or 8; values are little-endian */
    bool by_columns; /* 'fortran_order': the first index changes fastest */
    int dimensions;  /* 0, 1 or 2 */
    uint64_t shape[2];
    uint64_t count;     /* of values */
    const char *values; /* in the file's bytes, without any alignment */
} qn_npy_array;

/* Read the header of a file of `size` bytes. QN_BAD_FORMAT: it is no array, it is cut short, or it has values or a
 * shape that are not read here; the message begins with `name`. */
QN_MUST_CHECK qn_status qn_npy_parse(const char *name, const char *data, size_t size, qn_npy_array *array);

/* Value number `index` in the order of the file, as a number. */
double qn_npy_value(const qn_npy_array *array, uint64_t index);

#endif

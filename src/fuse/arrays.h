/* Arrays of NumPy's format for the values of a sequence. */
#ifndef QN_FUSE_ARRAYS_H
#define QN_FUSE_ARRAYS_H

#include "format/npy.h"
#include "fuse/program/inputs.h"
#include "fuse/sequence.h"

/* The meaning of a user's array: a value, or a part of a csr matrix. */
typedef enum qn_array_part { QN_ARRAY_NUMBERS, QN_ARRAY_STARTS, QN_ARRAY_COLUMNS } qn_array_part;

typedef struct qn_array_file {
    const char *path;
    char *data; /* the file's bytes */
    qn_npy_array array;
    int value;
    qn_array_part part;
} qn_array_file;

typedef struct qn_array_files {
    qn_array_file *files;
    size_t count;
} qn_array_files;

/* Read "NAME=file.npy" of `count` texts, where NAME is a given value, or "A_starts" and "A_columns" of a csr matrix A.
 * Sizes that are not known are set from the arrays' shapes, the elements of csr matrices always. Release with
 * qn_arrays_close, also after a failure. Errors: QN_INVALID_ARGUMENT (names), QN_BAD_FORMAT (arrays that do not fit),
 * those of reading. */
QN_MUST_CHECK qn_status qn_arrays_open(const char *const *texts, size_t count, qn_sequence *sequence,
                                       qn_array_files *files);
void qn_arrays_close(qn_array_files *files);

/* Put the arrays in the place of made values. */
QN_MUST_CHECK qn_status qn_arrays_give(const qn_array_files *files, const qn_sequence *sequence, qn_inputs *inputs);

/* Check "NAME=file.npy" of results, before a run: a file is no input and no other result's, and exists only with
 * `overwrite`. */
QN_MUST_CHECK qn_status qn_arrays_check_outputs(const qn_fuse_options *options, const qn_sequence *sequence,
                                                const qn_array_files *files);

/* Write them. */
QN_MUST_CHECK qn_status qn_arrays_write(const char *const *texts, size_t count, const qn_sequence *sequence,
                                        qn_program *program);

#endif

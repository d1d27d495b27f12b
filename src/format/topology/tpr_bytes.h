/* Reading the numbers of a GROMACS run input file (TPR), all big-endian. Up to 2019, and in the headers of all
 * versions, everything is XDR and takes a multiple of four bytes. Later bodies are packed: a boolean is one byte, a
 * short two, the length of a string eight.
 *
 * Every function checks that the bytes exist; `what` names the part in the message otherwise. */
#ifndef QN_FORMAT_TOPOLOGY_TPR_BYTES_H
#define QN_FORMAT_TOPOLOGY_TPR_BYTES_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qn_tpr_bytes {
    const char *path;
    const char *data;
    size_t size, at;
    bool packed, is_double;
    int version;
} qn_tpr_bytes;

QN_MUST_CHECK qn_status qn_tpr_whole(qn_tpr_bytes *bytes, const char *what, int *value);
QN_MUST_CHECK qn_status qn_tpr_whole64(qn_tpr_bytes *bytes, const char *what, int64_t *value);
QN_MUST_CHECK qn_status qn_tpr_real(qn_tpr_bytes *bytes, const char *what, double *value);

/* Read a number (length in nm, mass, charge), which must be finite and at most 1e6 in size. */
QN_MUST_CHECK qn_status qn_tpr_length(qn_tpr_bytes *bytes, const char *what, double *value);

/* A text in the file's bytes. */
typedef struct qn_tpr_text {
    const char *text;
    size_t length;
} qn_tpr_text;
QN_MUST_CHECK qn_status qn_tpr_string(qn_tpr_bytes *bytes, const char *what, qn_tpr_text *text);

/* Read a count of items of `unit` bytes each, which follow later in the file. Check that the count is not negative and
 * that the file is large enough. */
QN_MUST_CHECK qn_status qn_tpr_count(qn_tpr_bytes *bytes, const char *what, size_t unit, size_t *count);

/* Skip `count` items of `unit` bytes. */
QN_MUST_CHECK qn_status qn_tpr_skip(qn_tpr_bytes *bytes, const char *what, size_t count, size_t unit);

/* Bytes of a real number in this file. */
size_t qn_tpr_real_size(const qn_tpr_bytes *bytes);
size_t qn_tpr_short_size(const qn_tpr_bytes *bytes);
size_t qn_tpr_byte_size(const qn_tpr_bytes *bytes); /* of letters and booleans */

#endif

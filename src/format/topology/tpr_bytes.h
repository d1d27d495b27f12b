/* The numbers of a GROMACS run input file (TPR), one after the other. Everything is big-endian. Up to 2019 (and in the
 * headers of all) by XDR, where everything fills four bytes; since then bodies are packed: a truth value is one byte, a
 * short two, the length of a string eight.
 *
 * Every function checks that the bytes are there; `what` stands in the message where they are not. */
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

/* A finite number of a size that simulations have. */
QN_MUST_CHECK qn_status qn_tpr_length(qn_tpr_bytes *bytes, const char *what, double *value);

/* Text inside of the file. */
typedef struct qn_tpr_text {
    const char *text;
    size_t length;
} qn_tpr_text;
QN_MUST_CHECK qn_status qn_tpr_string(qn_tpr_bytes *bytes, const char *what, qn_tpr_text *text);

/* How many things of `unit` bytes each follow (not necessarily at once): not negative, and the file is large enough. */
QN_MUST_CHECK qn_status qn_tpr_count(qn_tpr_bytes *bytes, const char *what, size_t unit, size_t *count);

/* Get past `count` things of `unit` bytes. */
QN_MUST_CHECK qn_status qn_tpr_skip(qn_tpr_bytes *bytes, const char *what, size_t count, size_t unit);

/* Bytes that a number takes here. */
size_t qn_tpr_real_size(const qn_tpr_bytes *bytes);
size_t qn_tpr_short_size(const qn_tpr_bytes *bytes);
size_t qn_tpr_byte_size(const qn_tpr_bytes *bytes); /* of letters and truth values */

#endif

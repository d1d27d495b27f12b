/* Unpacking gzip data in memory. */
#ifndef QN_BASE_GZIP_H
#define QN_BASE_GZIP_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>

bool qn_is_gzip(const char *data, size_t size);

/* Unpack all members of `data`, one after the other, to at most `most_bytes` (a guard against data that unpacks to far
 * more than any real input file). `plain` is released with qn_release. QN_BAD_FORMAT: damaged, cut off or too large. */
QN_MUST_CHECK qn_status qn_gzip_unpack(const char *name, const char *data, size_t size, size_t most_bytes, char **plain,
                                       size_t *plain_size);

#endif

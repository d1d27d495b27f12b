/* A growing text, for messages, JSON and reports. Zero-initialise; release with qn_text_clear.
 *
 *     qn_text text = {0};
 *     QN_TRY(qn_text_append(&text, "%d rotations", count));
 */
#ifndef QN_BASE_TEXT_H
#define QN_BASE_TEXT_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct qn_text {
    char *data;    /* always terminated by a zero byte once something was appended; NULL before */
    size_t length; /* without that byte */
    size_t capacity;
} qn_text;

QN_MUST_CHECK qn_status qn_text_append(qn_text *text, const char *format, ...) QN_PRINTF_LIKE(2, 3);
QN_MUST_CHECK qn_status qn_text_append_bytes(qn_text *text, const void *bytes, size_t length);
void qn_text_clear(qn_text *text);

/* The word that goes with a count: `one` for 1, `many` for all other counts. */
static inline const char *qn_plural(size_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

/* Whether a text ends in `ending` and has something before it, as "map.mrc" has before ".mrc". */
bool qn_text_ends_in(const char *text, const char *ending);

/* A copy of `string` that lives until qn_release. */
QN_MUST_CHECK qn_status qn_text_copy(const char *string, char **copy);

/* A count and its word for messages: "1 atom", "2 atoms". The plural of `one` has an s. */
typedef struct qn_counted {
    char text[64];
} qn_counted;
qn_counted qn_count_of(unsigned long long count, const char *one);

#endif

/* Memory of trees and lists that live and die together. Zero-initialise; release with qn_arena_clear. */
#ifndef QN_FUSE_LANGUAGE_ARENA_H
#define QN_FUSE_LANGUAGE_ARENA_H

#include <quern/status.h>
#include <stddef.h>

typedef struct qn_arena {
    struct qn_arena_block *blocks; /* the newest first */
} qn_arena;

/* `bytes` zeroed bytes that live until the arena is cleared. */
QN_MUST_CHECK qn_status qn_arena_take(qn_arena *arena, size_t bytes, void **memory);

/* A copy of `length` characters of `text`, and a zero byte. */
QN_MUST_CHECK qn_status qn_arena_copy_text(qn_arena *arena, const char *text, size_t length, const char **copy);

/* A text made by a format. */
QN_MUST_CHECK qn_status qn_arena_format(qn_arena *arena, const char **text, const char *format, ...)
    QN_PRINTF_LIKE(3, 4);

void qn_arena_clear(qn_arena *arena);

#endif

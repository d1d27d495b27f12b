#include "fuse/language/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { BLOCK_BYTES = 1 << 14, ALIGNMENT = 16 };

struct qn_arena_block {
    struct qn_arena_block *next;
    size_t used, capacity;
};

enum { HEADER_BYTES = (sizeof(struct qn_arena_block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT };

qn_status qn_arena_take(qn_arena *arena, size_t bytes, void **memory)
{
    struct qn_arena_block *block = arena->blocks;
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!block || block->capacity - block->used < bytes) {
        const size_t capacity = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        void *fresh;
        QN_TRY(qn_allocate(HEADER_BYTES + capacity, 1, &fresh));
        block = fresh;
        *block = (struct qn_arena_block){.next = arena->blocks, .capacity = capacity};
        arena->blocks = block;
    }
    *memory = (char *)block + HEADER_BYTES + block->used;
    block->used += bytes;
    return QN_OK;
}

qn_status qn_arena_copy_text(qn_arena *arena, const char *text, size_t length, const char **copy)
{
    void *memory;
    QN_TRY(qn_arena_take(arena, length + 1, &memory));
    if (length > 0) memcpy(memory, text, length);
    *copy = memory;
    return QN_OK;
}

qn_status qn_arena_format(qn_arena *arena, const char **text, const char *format, ...)
{
    char buffer[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    return qn_arena_copy_text(arena, buffer, strlen(buffer), text);
}

void qn_arena_clear(qn_arena *arena)
{
    while (arena->blocks) {
        struct qn_arena_block *block = arena->blocks;
        arena->blocks = block->next;
        qn_release(&block);
    }
}

/* Memory for the files in C: a queue is a number of threads. */
#ifndef BRIDGE_H
#define BRIDGE_H

#include "common.h"

typedef float *array;
typedef int queue_type;

static inline queue_type open_queue(void)
{
    return 2;
}

/* Memory that is aligned to four bytes and to no more. */
static inline void *put_bytes(const void *from, size_t bytes)
{
    char *to = malloc(bytes + 4);
    for (size_t i = 0; to && i < bytes; i++) to[i + 4] = ((const char *)from)[i];
    return to + 4;
}
#define put(from, count) ((array)put_bytes((from), (count) * sizeof(float)))
#define put_integers(from, count) ((int32_t *)put_bytes((from), (count) * sizeof(int32_t)))

static inline void get(array from, float *to, size_t count)
{
    for (size_t i = 0; i < count; i++) to[i] = from[i];
}

#endif

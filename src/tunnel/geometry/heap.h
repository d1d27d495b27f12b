/* A binary heap of numbered items: the smallest key first, of equal keys the smallest item. Zero-initialise; release
 * with qn_heap_clear. */
#ifndef QN_TUNNEL_GEOMETRY_HEAP_H
#define QN_TUNNEL_GEOMETRY_HEAP_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qn_heap_entry {
    double key;
    uint32_t item;
} qn_heap_entry;

typedef struct qn_heap {
    qn_heap_entry *entries;
    size_t count, capacity;
} qn_heap;

QN_MUST_CHECK qn_status qn_heap_push(qn_heap *heap, double key, uint32_t item);
bool qn_heap_pop(qn_heap *heap, qn_heap_entry *entry); /* false: the heap is empty */
void qn_heap_clear(qn_heap *heap);

#endif

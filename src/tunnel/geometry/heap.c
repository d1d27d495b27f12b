#include "tunnel/geometry/heap.h"

#include "base/error.h"
#include "base/memory.h"

static bool is_before(const qn_heap_entry *one, const qn_heap_entry *other)
{
    return one->key < other->key || (one->key == other->key && one->item < other->item);
}

static void exchange(qn_heap_entry *one, qn_heap_entry *other)
{
    const qn_heap_entry kept = *one;
    *one = *other;
    *other = kept;
}

qn_status qn_heap_push(qn_heap *heap, double key, uint32_t item)
{
    void *memory = heap->entries;
    const qn_status status = qn_grow(&memory, &heap->capacity, heap->count + 1, sizeof *heap->entries);
    heap->entries = memory;
    QN_TRY(status);
    size_t place = heap->count++;
    heap->entries[place] = (qn_heap_entry){key, item};
    for (; place > 0 && is_before(&heap->entries[place], &heap->entries[(place - 1) / 2]); place = (place - 1) / 2)
        exchange(&heap->entries[place], &heap->entries[(place - 1) / 2]);
    return QN_OK;
}

bool qn_heap_pop(qn_heap *heap, qn_heap_entry *entry)
{
    if (heap->count == 0) return false;
    qn_heap_entry *entries = heap->entries;
    *entry = entries[0];
    entries[0] = entries[--heap->count];
    for (size_t place = 0;;) {
        size_t least = place;
        for (size_t child = 2 * place + 1; child <= 2 * place + 2 && child < heap->count; child++)
            if (is_before(&entries[child], &entries[least])) least = child;
        if (least == place) return true;
        exchange(&entries[place], &entries[least]);
        place = least;
    }
}

void qn_heap_clear(qn_heap *heap)
{
    qn_release(&heap->entries);
    *heap = (qn_heap){0};
}

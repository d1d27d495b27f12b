#include "cluster/method/labels.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct rank {
    size_t size, lowest; /* item */
    uint32_t label;
} rank;

static int larger_first(const void *a, const void *b)
{
    const rank *one = a, *other = b;
    if (one->size != other->size) return one->size > other->size ? -1 : 1;
    return (one->lowest > other->lowest) - (one->lowest < other->lowest);
}

static void count_members(const uint32_t *labels, size_t count, rank *ranks)
{
    for (size_t i = count; i-- > 0;) {
        if (labels[i] == QN_LABEL_NONE) continue;
        ranks[labels[i]].size++;
        ranks[labels[i]].lowest = i;
    }
}

qn_status qn_labels_order(uint32_t *labels, size_t count, size_t cluster_count, size_t *used)
{
    void *memory = NULL, *number_memory = NULL;
    qn_status status = qn_allocate(cluster_count, sizeof(rank), &memory);
    if (status == QN_OK) status = qn_allocate(cluster_count, sizeof(uint32_t), &number_memory);
    if (status == QN_OK) {
        rank *ranks = memory;
        uint32_t *number = number_memory;
        for (size_t c = 0; c < cluster_count; c++) ranks[c].label = (uint32_t)c;
        count_members(labels, count, ranks);
        if (cluster_count > 0) qsort(ranks, cluster_count, sizeof *ranks, larger_first);
        *used = 0;
        for (size_t c = 0; c < cluster_count && ranks[c].size > 0; c++) number[ranks[c].label] = (uint32_t)(*used)++;
        for (size_t i = 0; i < count; i++)
            if (labels[i] != QN_LABEL_NONE) labels[i] = number[labels[i]];
    }
    qn_release(&memory);
    qn_release(&number_memory);
    return status;
}

qn_status qn_members_list(const uint32_t *labels, size_t count, size_t cluster_count, qn_members *members)
{
    *members = (qn_members){.cluster_count = cluster_count};
    void *first = NULL, *items = NULL;
    QN_TRY(qn_allocate(cluster_count + 1, sizeof(size_t), &first));
    members->first = first;
    qn_status status = qn_allocate(count, sizeof(uint32_t), &items);
    if (status != QN_OK) {
        qn_members_clear(members);
        return status;
    }
    members->items = items;
    for (size_t i = 0; i < count; i++)
        if (labels[i] != QN_LABEL_NONE) members->first[labels[i] + 1]++;
    for (size_t c = 0; c < cluster_count; c++) members->first[c + 1] += members->first[c];
    /* Fill each cluster from its end, so that `first` is right again when all items are placed. */
    for (size_t i = count; i-- > 0;)
        if (labels[i] != QN_LABEL_NONE) members->items[--members->first[labels[i] + 1]] = (uint32_t)i;
    for (size_t c = 0; c < cluster_count; c++) members->first[c] = members->first[c + 1];
    size_t placed = 0;
    for (size_t i = 0; i < count; i++) placed += labels[i] != QN_LABEL_NONE;
    members->first[cluster_count] = placed;
    return QN_OK;
}

void qn_members_clear(qn_members *members)
{
    qn_release(&members->first);
    qn_release(&members->items);
    *members = (qn_members){0};
}

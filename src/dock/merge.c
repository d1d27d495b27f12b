#include "dock/merge.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static int by_rank(const void *left, const void *right)
{
    const qn_dock_set_cluster *a = *(const qn_dock_set_cluster *const *)left,
                              *b = *(const qn_dock_set_cluster *const *)right;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    if (a->size != b->size) return a->size > b->size ? -1 : 1;
    return strcmp(a->set, b->set);
}

/* Merge the clusters one after the other, in their `order`. founders[i] gets the index of the cluster that became the
 * merged cluster i; distances are measured from the founder's centre. */
static size_t place_clusters(const qn_dock_set_cluster *clusters, const qn_dock_set_cluster *const *order, size_t count,
                             const float *distances, float radius_angstrom, size_t most, qn_cluster *merged,
                             size_t *founders, size_t *place)
{
    size_t merged_count = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t index = (size_t)(order[i] - clusters);
        size_t joined = 0;
        while (joined < merged_count && !(distances[index * count + founders[joined]] <= radius_angstrom)) joined++;
        if (joined == merged_count && merged_count < most) {
            merged[merged_count] = (qn_cluster){.centre = clusters[index].centre};
            founders[merged_count++] = index;
        }
        place[index] = joined < merged_count ? joined : SIZE_MAX;
        if (joined < merged_count) merged[joined].size += clusters[index].size;
    }
    return merged_count;
}

qn_status qn_dock_merge_clusters(const qn_dock_set_cluster *clusters, size_t count, const float *distances,
                                 float radius_angstrom, size_t most, qn_cluster *merged, size_t *merged_count,
                                 size_t *place)
{
    void *order = NULL, *founders = NULL;
    *merged_count = 0;
    qn_status status = qn_allocate(count, sizeof(qn_dock_set_cluster *), &order);
    if (status == QN_OK) status = qn_allocate(most < count ? most : count, sizeof(size_t), &founders);
    if (status == QN_OK && count > 0) {
        const qn_dock_set_cluster **sorted = order;
        for (size_t i = 0; i < count; i++) sorted[i] = &clusters[i];
        qsort(sorted, count, sizeof *sorted, by_rank);
        *merged_count =
            place_clusters(clusters, sorted, count, distances, radius_angstrom, most, merged, founders, place);
    }
    qn_release(&order);
    qn_release(&founders);
    return status;
}

#include "compare/cluster.h"

#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

/* Count for each item the other items within the radius. The counts are updated when items are assigned, so that the
 * clustering reads each row of the matrix at most three times. */
static void count_neighbours(const float *distance, size_t count, float radius, size_t *neighbours)
{
    for (size_t i = 0; i < count; i++) {
        const float *row = distance + i * count;
        size_t found = 0;
        for (size_t j = 0; j < count; j++) found += j != i && row[j] <= radius;
        neighbours[i] = found;
    }
}

static size_t most_neighbours(const size_t *neighbours, const size_t *assignment, size_t count)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        if (assignment[i] == SIZE_MAX && (best == SIZE_MAX || neighbours[i] > neighbours[best])) best = i;
    return best;
}

static void leave(const float *distance, size_t count, float radius, size_t item, size_t *neighbours)
{
    const float *row = distance + item * count;
    for (size_t j = 0; j < count; j++)
        if (j != item && row[j] <= radius) neighbours[j]--;
}

qn_status qn_cluster_greedy(const float *distance, size_t count, float radius, size_t capacity, qn_cluster *clusters,
                            size_t *cluster_count, size_t *assignment)
{
    *cluster_count = 0;
    if (!(radius >= 0)) return QN_FAIL(QN_INVALID_ARGUMENT, "cluster radius %g is not zero or more", (double)radius);
    void *neighbours = NULL;
    QN_TRY(qn_allocate(count, sizeof(size_t), &neighbours));
    for (size_t i = 0; i < count; i++) assignment[i] = SIZE_MAX;
    count_neighbours(distance, count, radius, neighbours);
    while (*cluster_count < capacity) {
        size_t centre = most_neighbours(neighbours, assignment, count);
        if (centre == SIZE_MAX) break;
        const float *row = distance + centre * count;
        qn_cluster *cluster = &clusters[*cluster_count];
        *cluster = (qn_cluster){.centre = centre};
        for (size_t j = 0; j < count; j++)
            if (assignment[j] == SIZE_MAX && (j == centre || row[j] <= radius)) {
                assignment[j] = *cluster_count;
                cluster->size++;
                leave(distance, count, radius, j, neighbours);
            }
        ++*cluster_count;
    }
    qn_release(&neighbours);
    return QN_OK;
}

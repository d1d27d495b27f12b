#include "compare/cluster.h"

#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

/* State of a clustering. `counts` has for each item the unassigned other items within the radius. They are updated when
 * items are assigned, so that each row is needed at most three times. */
typedef struct greedy {
    size_t count;
    qn_neighbour_row row;
    void *user;
    size_t *counts;
    bool *near, *leaving; /* rows */
} greedy;

static void count_neighbours(greedy *work)
{
    for (size_t i = 0; i < work->count; i++) {
        size_t found = 0;
        work->row(i, work->near, work->user);
        for (size_t j = 0; j < work->count; j++) found += j != i && work->near[j];
        work->counts[i] = found;
    }
}

static size_t most_neighbours(const size_t *neighbours, const size_t *assignment, size_t count)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        if (assignment[i] == SIZE_MAX && (best == SIZE_MAX || neighbours[i] > neighbours[best])) best = i;
    return best;
}

static void leave(greedy *work, size_t item)
{
    work->row(item, work->leaving, work->user);
    for (size_t j = 0; j < work->count; j++)
        if (j != item && work->leaving[j]) work->counts[j]--;
}

static void find_clusters(greedy *work, size_t capacity, qn_cluster *clusters, size_t *cluster_count,
                          size_t *assignment)
{
    for (size_t i = 0; i < work->count; i++) assignment[i] = SIZE_MAX;
    count_neighbours(work);
    while (*cluster_count < capacity) {
        const size_t centre = most_neighbours(work->counts, assignment, work->count);
        if (centre == SIZE_MAX) break;
        qn_cluster *cluster = &clusters[*cluster_count];
        *cluster = (qn_cluster){.centre = centre};
        work->row(centre, work->near, work->user);
        for (size_t j = 0; j < work->count; j++)
            if (assignment[j] == SIZE_MAX && (j == centre || work->near[j])) {
                assignment[j] = *cluster_count;
                cluster->size++;
                leave(work, j);
            }
        ++*cluster_count;
    }
}

qn_status qn_cluster_greedy_rows(qn_neighbour_row row, void *user, size_t count, size_t capacity, qn_cluster *clusters,
                                 size_t *cluster_count, size_t *assignment)
{
    greedy work = {.count = count, .row = row, .user = user};
    void *counts = NULL, *rows = NULL;
    *cluster_count = 0;
    qn_status status = qn_allocate(count, sizeof(size_t), &counts);
    if (status == QN_OK) status = qn_allocate(2 * count, sizeof(bool), &rows);
    if (status == QN_OK && count > 0) {
        work.counts = counts, work.near = rows, work.leaving = work.near + count;
        find_clusters(&work, capacity, clusters, cluster_count, assignment);
    }
    qn_release(&counts);
    qn_release(&rows);
    return status;
}

typedef struct square {
    const float *distance;
    size_t count;
    float radius;
} square;

static void row_of_square(size_t item, bool *near, void *user)
{
    const square *of = user;
    for (size_t j = 0; j < of->count; j++) near[j] = of->distance[item * of->count + j] <= of->radius;
}

qn_status qn_cluster_greedy(const float *distance, size_t count, float radius, size_t capacity, qn_cluster *clusters,
                            size_t *cluster_count, size_t *assignment)
{
    square of = {distance, count, radius};
    *cluster_count = 0;
    if (!(radius >= 0)) return QN_FAIL(QN_INVALID_ARGUMENT, "cluster radius %g is not zero or more", (double)radius);
    return qn_cluster_greedy_rows(row_of_square, &of, count, capacity, clusters, cluster_count, assignment);
}

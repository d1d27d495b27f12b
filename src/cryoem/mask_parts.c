#include "cryoem/mask_parts.h"

#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"

/* A run of consecutive voxels of a row above the threshold. Runs of neighbouring rows that touch are joined into trees
 * (Galler and Fischer 1964). Memory grows with the number of runs, not of voxels. */
typedef struct run {
    int first, end;
    size_t parent;
    size_t voxels; /* of a root: voxels of the whole part */
    float highest;
} run;

typedef struct run_list {
    run *runs;
    size_t count, capacity;
    size_t *row_start; /* [rows + 1]: the first run of a row */
} run_list;

static size_t root_of(run *runs, size_t i)
{
    while (runs[i].parent != i) {
        runs[i].parent = runs[runs[i].parent].parent;
        i = runs[i].parent;
    }
    return i;
}

/* Join two trees. The earlier root stays the root, so that the result does not depend on the order of joining. */
static void join(run *runs, size_t a, size_t b)
{
    size_t low = root_of(runs, a), high = root_of(runs, b);
    if (low == high) return;
    if (low > high) {
        const size_t swapped = low;
        low = high;
        high = swapped;
    }
    runs[high].parent = low;
    runs[low].voxels += runs[high].voxels;
    runs[low].highest = fmaxf(runs[low].highest, runs[high].highest);
}

static qn_status add_run(run_list *list, int first, int end, float highest)
{
    void *memory = list->runs;
    qn_status status = qn_grow(&memory, &list->capacity, list->count + 1, sizeof(run));
    list->runs = memory;
    QN_TRY(status);
    list->runs[list->count] =
        (run){.first = first, .end = end, .parent = list->count, .voxels = (size_t)(end - first), .highest = highest};
    list->count++;
    return QN_OK;
}

static qn_status find_runs(const qn_volume *map, double threshold, run_list *list)
{
    const int across = map->counts[0];
    const size_t rows = (size_t)map->counts[1] * (size_t)map->counts[2];
    for (size_t row = 0; row < rows; row++) {
        const float *values = map->values + row * (size_t)across;
        list->row_start[row] = list->count;
        for (int x = 0; x < across; x++) {
            if (!((double)values[x] > threshold)) continue;
            const int first = x;
            float highest = values[x];
            for (; x < across && (double)values[x] > threshold; x++) highest = fmaxf(highest, values[x]);
            QN_TRY(add_run(list, first, x, highest));
        }
    }
    list->row_start[rows] = list->count;
    return QN_OK;
}

/* Join the touching runs of two neighbouring rows. */
static void join_rows(run_list *list, size_t row, size_t other)
{
    run *runs = list->runs;
    size_t a = list->row_start[row], b = list->row_start[other];
    while (a < list->row_start[row + 1] && b < list->row_start[other + 1]) {
        if (runs[a].first < runs[b].end && runs[b].first < runs[a].end) join(runs, a, b);
        if (runs[a].end < runs[b].end)
            a++;
        else
            b++;
    }
}

static void join_all(const qn_volume *map, run_list *list)
{
    const size_t down = (size_t)map->counts[1], deep = (size_t)map->counts[2];
    for (size_t z = 0; z < deep; z++)
        for (size_t y = 0; y < down; y++) {
            const size_t row = z * down + y;
            if (y > 0) join_rows(list, row, row - 1);
            if (z > 0) join_rows(list, row, row - down);
        }
}

/* Drop the runs of parts that are not kept, by setting their ends to their starts. */
static void keep_largest(run_list *list, double peak, double least_share, qn_mask_parts *parts)
{
    size_t largest = 0;
    *parts = (qn_mask_parts){.highest_value = -INFINITY};
    for (size_t i = 0; i < list->count; i++) {
        const run *r = &list->runs[i];
        parts->highest_value = fmaxf(parts->highest_value, r->highest);
        if (r->parent != i) continue;
        parts->found++;
        if ((double)r->highest >= peak && r->voxels > largest) largest = r->voxels;
    }
    for (size_t i = 0; i < list->count; i++) {
        const size_t root = root_of(list->runs, i);
        const run *part = &list->runs[root];
        const bool kept =
            largest > 0 && (double)part->highest >= peak && (double)part->voxels >= least_share * (double)largest;
        if (!kept)
            list->runs[i].end = list->runs[i].first;
        else if (root == i) {
            parts->kept++;
            parts->voxels += part->voxels;
        }
    }
}

typedef struct marking {
    const qn_volume *map;
    const run_list *list;
    float *distance;
} marking;

static qn_status mark_plane(size_t z, int worker, void *user)
{
    (void)worker;
    const marking *work = user;
    const size_t across = (size_t)work->map->counts[0], down = (size_t)work->map->counts[1];
    for (size_t row = z * down; row < (z + 1) * down; row++) {
        float *distance = work->distance + row * across;
        for (size_t x = 0; x < across; x++) distance[x] = 1;
        for (size_t i = work->list->row_start[row]; i < work->list->row_start[row + 1]; i++)
            for (int x = work->list->runs[i].first; x < work->list->runs[i].end; x++) distance[x] = 0;
    }
    return QN_OK;
}

qn_status qn_mask_find_parts(qn_pool *pool, const qn_volume *map, double threshold, double peak, double least_share,
                             float *distance, qn_mask_parts *parts)
{
    run_list list = {0};
    void *memory;
    QN_TRY(qn_allocate((size_t)map->counts[1] * (size_t)map->counts[2] + 1, sizeof *list.row_start, &memory));
    list.row_start = memory;
    qn_status status = find_runs(map, threshold, &list);
    if (status == QN_OK) {
        join_all(map, &list);
        keep_largest(&list, peak, least_share, parts);
        status = qn_pool_run(pool, (size_t)map->counts[2], mark_plane, &(marking){map, &list, distance});
    }
    qn_release(&list.runs);
    qn_release(&list.row_start);
    return status;
}

/* Host kernels of best_cells. */
#include "base/thread_pool.h"
#include "dock/search/kernels/best_cells.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "dock/search/kernels/best_cells.dev.h"

enum {
    BLOCK = 64, /* cells of a block; single cells are examined only if the minimum of their block is good enough */
    PIECES = 16 /* pieces of a rotation's scores; divides every number of groups. Few, because each has an own list */
};

typedef struct cell_list {
    float energies[QN_BEST_CELLS_MAX];
    int32_t cells[QN_BEST_CELLS_MAX];
    int keep;
} cell_list;

typedef struct scan_job {
    const float *scores;
    float *energies;
    int32_t *cells;
    scan_scalars s;
    int groups;
} scan_job;

static void clear_list(cell_list *list, int keep)
{
    list->keep = keep;
    clear_cells(list->energies, list->cells, keep);
}

static void consider(const scan_scalars *s, const float *scores, int32_t cell, cell_list *list)
{
    const float energy = scores[cell];
    const int worst = list->keep - 1, x = cell % s->nx, y = cell / s->nx % s->ny, z = cell / (s->nx * s->ny);
    if (!comes_before(energy, cell, list->energies[worst], list->cells[worst])) return;
    if (!is_searched(x, s->nx, s->first[0], s->last[0]) || !is_searched(y, s->ny, s->first[1], s->last[1]) ||
        !is_searched(z, s->nz, s->first[2], s->last[2]))
        return;
    if (s->radius > 0 && !is_cube_minimum(scores, energy, cell, x, y, z, s->nx, s->ny, s->nz, s->radius)) return;
    insert_cell(list->energies, list->cells, list->keep, energy, cell);
}

static float block_minimum(const float *scores)
{
    float lowest = scores[0];
#pragma omp simd reduction(min : lowest)
    for (int i = 0; i < BLOCK; i++) lowest = scores[i] < lowest ? scores[i] : lowest;
    return lowest;
}

/* Write a piece's list as that of the first of its groups; the other groups' lists are empty. */
static void store_list(const scan_job *job, size_t first_group, size_t groups, const cell_list *list)
{
    const size_t keep = (size_t)job->s.keep;
    for (size_t i = 0; i < groups * keep; i++) {
        job->energies[first_group * keep + i] = i < keep ? list->energies[i] : FLOAT_MAXIMUM;
        job->cells[first_group * keep + i] = i < keep ? list->cells[i] : -1;
    }
}

static qn_status scan_piece(size_t index, int worker, void *user)
{
    const scan_job *job = user;
    size_t rotation = index / PIECES, piece = index % PIECES, groups = (size_t)job->groups / PIECES;
    int32_t volume = job->s.nx * job->s.ny * job->s.nz;
    int64_t length = (volume + PIECES - 1) / PIECES, begin = (int64_t)piece * length;
    int64_t end = MIN(begin + length, volume);
    const float *scores = job->scores + rotation * (size_t)volume;
    cell_list list;
    (void)worker;
    clear_list(&list, job->s.keep);
    int64_t cell = begin;
    for (; cell + BLOCK <= end; cell += BLOCK) {
        /* ">=" is right: a cell of equal energy would come first only if it were lower, and cells are in rising order
         */
        if (block_minimum(scores + cell) >= list.energies[job->s.keep - 1]) continue;
        for (int i = 0; i < BLOCK; i++) consider(&job->s, scores, (int32_t)(cell + i), &list);
    }
    for (; cell < end; cell++) consider(&job->s, scores, (int32_t)cell, &list);
    store_list(job, (rotation * PIECES + piece) * groups, groups, &list);
    return QN_OK;
}

static qn_status scan(const qn_host_launch *launch)
{
    scan_job job = {.scores = launch->arguments[SCAN_SCORES],
                    .energies = launch->arguments[SCAN_PARTIAL_ENERGIES],
                    .cells = launch->arguments[SCAN_PARTIAL_CELLS],
                    .s = *(const scan_scalars *)launch->arguments[SCAN_SCALARS],
                    .groups = (int)(launch->geometry.items[0] / launch->geometry.group[0])};
    return qn_pool_run(launch->pool, launch->geometry.items[1] * PIECES, scan_piece, &job);
}

static qn_status merge(const qn_host_launch *launch)
{
    const float *partial_energies = launch->arguments[MERGE_PARTIAL_ENERGIES];
    const int32_t *partial_cells = launch->arguments[MERGE_PARTIAL_CELLS];
    float *energies = launch->arguments[MERGE_ENERGIES];
    int32_t *cells = launch->arguments[MERGE_CELLS];
    int keep = *(const int32_t *)launch->arguments[MERGE_KEEP];
    int entries = launch->configuration->value[QN_BEST_CELLS_GROUPS] * keep;
    for (size_t rotation = 0; rotation < launch->geometry.items[1]; rotation++) {
        cell_list list;
        clear_list(&list, keep);
        for (int i = 0; i < entries; i++) {
            size_t at = rotation * (size_t)entries + (size_t)i;
            if (partial_cells[at] >= 0)
                insert_cell(list.energies, list.cells, keep, partial_energies[at], partial_cells[at]);
        }
        for (int i = 0; i < keep; i++) {
            energies[rotation * (size_t)keep + (size_t)i] = list.energies[i];
            cells[rotation * (size_t)keep + (size_t)i] = list.cells[i];
        }
    }
    return QN_OK;
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_dock_best_cells_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_dock_best_cells_host)[] = {scan, merge};

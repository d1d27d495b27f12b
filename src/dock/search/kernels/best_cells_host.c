/* Host kernels of best_cells. */
#include "base/thread_pool.h"
#include "dock/search/kernels/best_cells.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

enum {
    BLOCK = 64, /* cells looked at together; only blocks that hold a good one are looked at one by one */
    PIECES = 16 /* of a rotation's scores; divides every number of groups. Few: each begins with an empty list */
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
    int size[3], first[3], last[3];
    int radius, groups, keep;
} scan_job;

static int value(const qn_host_launch *launch, int argument)
{
    return *(const int32_t *)launch->arguments[argument];
}

static bool comes_before(float energy, int32_t cell, float other_energy, int32_t other_cell)
{
    return energy < other_energy || (energy == other_energy && (uint32_t)cell < (uint32_t)other_cell);
}

static void clear_list(cell_list *list, int keep)
{
    list->keep = keep;
    for (int i = 0; i < keep; i++) {
        list->energies[i] = FLOAT_MAXIMUM;
        list->cells[i] = -1;
    }
}

static void insert_cell(cell_list *list, float energy, int32_t cell)
{
    int at = list->keep - 1;
    for (; at > 0 && comes_before(energy, cell, list->energies[at - 1], list->cells[at - 1]); at--) {
        list->energies[at] = list->energies[at - 1];
        list->cells[at] = list->cells[at - 1];
    }
    list->energies[at] = energy;
    list->cells[at] = cell;
}

static bool is_cube_minimum(const scan_job *job, const float *scores, float energy, int32_t cell, const int at[3])
{
    const int r = job->radius, nx = job->size[0], ny = job->size[1], nz = job->size[2];
    for (int dz = -r; dz <= r; dz++)
        for (int dy = -r; dy <= r; dy++)
            for (int dx = -r; dx <= r; dx++) {
                int i = (at[0] + dx + nx) % nx, j = (at[1] + dy + ny) % ny, k = (at[2] + dz + nz) % nz;
                int32_t other = i + nx * (j + ny * k);
                if (other != cell && comes_before(scores[other], other, energy, cell)) return false;
            }
    return true;
}

static void consider(const scan_job *job, const float *scores, int32_t cell, cell_list *list)
{
    float energy = scores[cell];
    int worst = list->keep - 1;
    if (!comes_before(energy, cell, list->energies[worst], list->cells[worst])) return;
    int at[3] = {cell % job->size[0], cell / job->size[0] % job->size[1], cell / (job->size[0] * job->size[1])};
    for (int axis = 0; axis < 3; axis++)
        if (at[axis] > job->last[axis] && at[axis] < job->size[axis] + job->first[axis]) return;
    if (job->radius > 0 && !is_cube_minimum(job, scores, energy, cell, at)) return;
    insert_cell(list, energy, cell);
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
    const size_t keep = (size_t)job->keep;
    for (size_t i = 0; i < groups * keep; i++) {
        job->energies[first_group * keep + i] = i < keep ? list->energies[i] : FLOAT_MAXIMUM;
        job->cells[first_group * keep + i] = i < keep ? list->cells[i] : -1;
    }
}

static qn_status scan_piece(size_t index, int worker, void *user)
{
    const scan_job *job = user;
    size_t rotation = index / PIECES, piece = index % PIECES, groups = (size_t)job->groups / PIECES;
    int32_t volume = job->size[0] * job->size[1] * job->size[2];
    int64_t length = (volume + PIECES - 1) / PIECES, begin = (int64_t)piece * length;
    int64_t end = MIN(begin + length, volume);
    const float *scores = job->scores + rotation * (size_t)volume;
    cell_list list;
    (void)worker;
    clear_list(&list, job->keep);
    int64_t cell = begin;
    for (; cell + BLOCK <= end; cell += BLOCK) {
        /* Not "<": an equal energy at a lower cell comes first, but cells only grow here. */
        if (block_minimum(scores + cell) >= list.energies[job->keep - 1]) continue;
        for (int i = 0; i < BLOCK; i++) consider(job, scores, (int32_t)(cell + i), &list);
    }
    for (; cell < end; cell++) consider(job, scores, (int32_t)cell, &list);
    store_list(job, (rotation * PIECES + piece) * groups, groups, &list);
    return QN_OK;
}

static qn_status scan(const qn_host_launch *launch)
{
    scan_job job = {launch->arguments[0], launch->arguments[1], launch->arguments[2], {0}, {0}, {0}, 0, 0, 0};
    for (int axis = 0; axis < 3; axis++) {
        job.size[axis] = value(launch, 3 + axis);
        job.first[axis] = value(launch, 6 + 2 * axis);
        job.last[axis] = value(launch, 7 + 2 * axis);
    }
    job.radius = value(launch, 12);
    job.keep = value(launch, 13);
    job.groups = (int)(launch->geometry.items[0] / launch->geometry.group[0]);
    return qn_pool_run(launch->pool, launch->geometry.items[1] * PIECES, scan_piece, &job);
}

static qn_status merge(const qn_host_launch *launch)
{
    const float *partial_energies = launch->arguments[0];
    const int32_t *partial_cells = launch->arguments[1];
    float *energies = launch->arguments[2];
    int32_t *cells = launch->arguments[3];
    int keep = value(launch, 4), entries = launch->configuration->value[QN_BEST_CELLS_GROUPS] * keep;
    for (size_t rotation = 0; rotation < launch->geometry.items[1]; rotation++) {
        cell_list list;
        clear_list(&list, keep);
        for (int i = 0; i < entries; i++) {
            size_t at = rotation * (size_t)entries + (size_t)i;
            if (partial_cells[at] >= 0 &&
                comes_before(partial_energies[at], partial_cells[at], list.energies[keep - 1], list.cells[keep - 1]))
                insert_cell(&list, partial_energies[at], partial_cells[at]);
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

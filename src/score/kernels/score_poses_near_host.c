/* Host kernel of score_poses_near. A task is some blocks of poses for one thread, which for each type computes the
 * positions of ligand atoms, sorts them by cell and scores the atoms of a cell together in vector registers. */
#include "score/kernels/score_poses_near_host.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "score/kernels/score_poses_lanes.h"

#include "score/kernels/score_poses_near.dev.h"

/* TASK_ITEMS: large enough for several items in a cell, small enough for a cache. */
enum { BLOCK = QN_SCORE_POSES_STEP, TASK_ITEMS = 1 << 17, PART_ROW = QN_NEAR_PART + BLOCK };

typedef struct near_launch {
    const qn_near_call *call;
    const qn_float4 *places, *pairs;
    const qn_score_poses_job *jobs;
    const qn_score_poses_atom *atoms;
    const float *transforms;
    float *energies;
    size_t row; /* distance of the twelve numbers of a pose */
    size_t blocks, tasks;
} near_launch;

/* Items of one type that are scored together. */
typedef struct near_part {
    const near_launch *launch;
    int type;
    size_t count;                           /* number of items; a multiple of BLOCK */
    size_t energy_at[QN_NEAR_PART / BLOCK]; /* position of the energies of each BLOCK items in the result */
    float *x, *y, *z, *sorted_x, *sorted_y, *sorted_z, *sorted_energy;
    int32_t *cell, *item, *items_of_cell, *used, *end_of_used;
    float *energies;
} near_part;

/* A list and its ramps. */
typedef struct near_row {
    const qn_float4 *places, *pairs;
    const int32_t *list;
    size_t count;
    bool exact;
} near_row;

#ifdef QN_LANES

enum { VECTORS_MAX = 4, STEP = VECTORS_MAX * QN_LANES };

static inline __attribute__((always_inline)) void add_vectors_exactly(const near_row *row, const float *x,
                                                                      const float *y, const float *z, float *energy,
                                                                      const int vectors)
{
    const qn_float4 *places = row->places, *pairs = row->pairs;
    lanes at_x[VECTORS_MAX], at_y[VECTORS_MAX], at_z[VECTORS_MAX], total[VECTORS_MAX], r[VECTORS_MAX];
    const int32_t *list = row->list;
    for (int v = 0; v < vectors; v++) {
        at_x[v] = LANES_WORD(loadu_ps)(x + QN_LANES * v);
        at_y[v] = LANES_WORD(loadu_ps)(y + QN_LANES * v);
        at_z[v] = LANES_WORD(loadu_ps)(z + QN_LANES * v);
        total[v] = LANES_WORD(loadu_ps)(energy + QN_LANES * v);
        r[v] = LANES_WORD(sqrt_ps)(squared_distance(&places[list[0]], at_x[v], at_y[v], at_z[v]));
    }
    for (size_t j = 0; j < row->count; j++) {
        const qn_float4 *pair = &pairs[list[j]], *next = &places[list[j + 1 < row->count ? j + 1 : 0]];
        for (int v = 0; v < vectors; v++) {
            const lanes this_r = r[v];
            r[v] = LANES_WORD(sqrt_ps)(squared_distance(next, at_x[v], at_y[v], at_z[v]));
            total[v] = add_ramps(total[v], this_r, pair);
        }
    }
    for (int v = 0; v < vectors; v++) LANES_WORD(storeu_ps)(energy + QN_LANES * v, total[v]);
}

#ifdef QN_MIXED_ROOTS
/* Add the pairs of a list in which even and odd receptor atoms alternate. */
static inline __attribute__((always_inline)) void add_vectors_fast(const near_row *row, const float *x, const float *y,
                                                                   const float *z, float *energy, const int vectors)
{
    const qn_float4 *places = row->places, *pairs = row->pairs;
    lanes at_x[VECTORS_MAX], at_y[VECTORS_MAX], at_z[VECTORS_MAX], total[VECTORS_MAX];
    lanes r[VECTORS_MAX], odd_square[VECTORS_MAX];
    const int32_t *list = row->list;
    for (int v = 0; v < vectors; v++) {
        at_x[v] = LANES_WORD(loadu_ps)(x + QN_LANES * v);
        at_y[v] = LANES_WORD(loadu_ps)(y + QN_LANES * v);
        at_z[v] = LANES_WORD(loadu_ps)(z + QN_LANES * v);
        total[v] = LANES_WORD(loadu_ps)(energy + QN_LANES * v);
        r[v] = LANES_WORD(sqrt_ps)(squared_distance(&places[list[0]], at_x[v], at_y[v], at_z[v]));
        odd_square[v] = squared_distance(&places[list[1]], at_x[v], at_y[v], at_z[v]);
    }
    for (size_t j = 0; j < row->count; j += 2) {
        const size_t after = j + 2 < row->count ? j + 2 : 0;
        const qn_float4 *next = &places[list[after]], *next_odd = &places[list[after + 1]];
        const qn_float4 *pair = &pairs[list[j]], *odd_pair = &pairs[list[j + 1]];
        for (int v = 0; v < vectors; v++) {
            const lanes even_r = r[v], odd_r = root_minus_two(odd_square[v]);
            r[v] = LANES_WORD(sqrt_ps)(squared_distance(next, at_x[v], at_y[v], at_z[v]));
            odd_square[v] = squared_distance(next_odd, at_x[v], at_y[v], at_z[v]);
            total[v] = add_ramps(total[v], even_r, pair);
            total[v] = add_turned_ramps(total[v], odd_r, odd_pair);
        }
    }
    for (int v = 0; v < vectors; v++) LANES_WORD(storeu_ps)(energy + QN_LANES * v, total[v]);
}
#else
#define add_vectors_fast add_vectors_exactly
#endif

/* Add the pairs of `vectors` vectors, a constant in all callers, so that all vectors are in registers. */
static inline __attribute__((always_inline)) void add_vectors(const near_row *row, const float *x, const float *y,
                                                              const float *z, float *energy, const int vectors)
{
    if (row->exact)
        add_vectors_exactly(row, x, y, z, energy, vectors);
    else
        add_vectors_fast(row, x, y, z, energy, vectors);
}

/* Add the pairs of a row to up to STEP items. Energies change up to the end of the last vector. */
static void add_row(const near_row *row, const float *x, const float *y, const float *z, float *energy, size_t items)
{
    switch ((items + QN_LANES - 1) / QN_LANES) {
    case 1: add_vectors(row, x, y, z, energy, 1); break;
    case 2: add_vectors(row, x, y, z, energy, 2); break;
    case 3: add_vectors(row, x, y, z, energy, 3); break;
    default: add_vectors(row, x, y, z, energy, VECTORS_MAX); break;
    }
}

#else

enum { STEP = 16 };

static inline void add_items(const near_row *row, const float *RESTRICT x, const float *RESTRICT y,
                             const float *RESTRICT z, float *RESTRICT energy, const bool exact)
{
    for (size_t j = 0; j < row->count; j++) {
        const qn_float4 place = row->places[row->list[j]], pair = row->pairs[row->list[j]];
#pragma omp simd
        for (int i = 0; i < STEP; i++) energy[i] = add_pair(energy[i], x[i], y[i], z[i], &place, &pair, exact);
    }
}

/* Add the pairs of a row to up to STEP items. Energies of all STEP items change. */
static void add_row(const near_row *row, const float *x, const float *y, const float *z, float *energy, size_t items)
{
    (void)items;
    if (row->exact)
        add_items(row, x, y, z, energy, true);
    else
        add_items(row, x, y, z, energy, false);
}

#endif

/* Compute the position and the cell of a ligand atom in each pose of a block. */
static void place_atom(const near_launch *launch, size_t pose, const qn_score_poses_atom *atom, float *x, float *y,
                       float *z, int32_t *RESTRICT cell)
{
    const qn_score_cells *cells = &launch->call->lists->cells;
    const float ax = atom->x, ay = atom->y, az = atom->z;
    float *const axes[3] = {x, y, z};
    for (size_t axis = 0; axis < 3; axis++) {
        const size_t row = launch->row;
        const float *m = launch->transforms + 4 * axis * row + pose;
        float *RESTRICT moved = axes[axis];
#pragma omp simd
        for (int i = 0; i < BLOCK; i++)
            moved[i] = moved_coordinate(m[i], m[row + i], m[2 * row + i], m[3 * row + i], ax, ay, az);
    }
#pragma omp simd
    for (int i = 0; i < BLOCK; i++)
        cell[i] = cell_of(cell_along(x[i], cells->first[0], cells->cells_per_angstrom, cells->count[0]),
                          cell_along(y[i], cells->first[1], cells->cells_per_angstrom, cells->count[1]),
                          cell_along(z[i], cells->first[2], cells->cells_per_angstrom, cells->count[2]),
                          cells->count[0], cells->count[1]);
}

/* Find the list of a row of `pairs` for a cell; false: no atom is within reach. */
static bool find_row(const near_launch *launch, int32_t row, int32_t cell, near_row *found)
{
    const qn_score_lists *lists = launch->call->lists;
    if (row < 0) return false;
    const size_t list = (size_t)lists->class_of_row[row] * (size_t)lists->cell_count + (size_t)cell;
    *found =
        (near_row){launch->places, launch->pairs + (size_t)row * (size_t)launch->call->stride,
                   lists->atoms + lists->ranges[2 * list], (size_t)lists->ranges[2 * list + 1], launch->call->exact};
    return found->count > 0;
}

/* Sort items by cell; returns the number of used cells. */
static size_t sort_items(near_part *part)
{
    size_t used = 0;
    for (size_t i = 0; i < part->count; i++)
        if (part->cell[i] >= 0 && part->items_of_cell[part->cell[i]]++ == 0) part->used[used++] = part->cell[i];
    int32_t end = 0;
    for (size_t u = 0; u < used; u++) {
        int32_t *items = &part->items_of_cell[part->used[u]];
        const int32_t first = end;
        end += *items;
        part->end_of_used[u] = end;
        *items = first; /* place of the next item */
    }
    for (size_t i = 0; i < part->count; i++) {
        if (part->cell[i] < 0) continue;
        const int32_t to = part->items_of_cell[part->cell[i]]++;
        part->sorted_x[to] = part->x[i];
        part->sorted_y[to] = part->y[i];
        part->sorted_z[to] = part->z[i];
        part->item[to] = (int32_t)i;
    }
    for (size_t u = 0; u < used; u++) part->items_of_cell[part->used[u]] = 0;
    return used;
}

/* Score the items of one cell. Energies of the items after them may be overwritten. */
static void score_cell(near_part *part, int32_t cell, size_t first, size_t end)
{
    near_row rows[2] = {{0}};
    const bool has_first = find_row(part->launch, part->type, cell, &rows[0]);
    const bool has_second = find_row(part->launch, part->launch->call->second_rows[part->type], cell, &rows[1]);
    for (size_t at = first; at < end; at += STEP) {
        const float *x = part->sorted_x + at, *y = part->sorted_y + at, *z = part->sorted_z + at;
        float *energy = part->sorted_energy + at;
        const size_t items = end - at < STEP ? end - at : STEP;
        memset(energy, 0, STEP * sizeof *energy);
        if (has_first) add_row(&rows[0], x, y, z, energy, items);
        if (has_second) add_row(&rows[1], x, y, z, energy, items);
    }
}

static void score_part(near_part *part)
{
    const size_t used = sort_items(part);
    size_t end = 0;
    for (size_t u = 0; u < used; u++) {
        const size_t first = end;
        end = (size_t)part->end_of_used[u];
        score_cell(part, part->used[u], first, end);
    }
    for (size_t piece = 0; piece < part->count / BLOCK; piece++)
        memset(part->energies + part->energy_at[piece], 0, BLOCK * sizeof(float));
    for (size_t i = 0; i < end; i++) {
        const size_t item = (size_t)part->item[i];
        part->energies[part->energy_at[item / BLOCK] + item % BLOCK] = part->sorted_energy[i];
    }
    part->count = 0;
}

static const qn_score_poses_job *job_of(const near_launch *launch, size_t block)
{
    return &launch->jobs[block / ((size_t)launch->call->poses / BLOCK)];
}

/* Compute the energies of all ligand atoms of one type in blocks of poses. */
static void score_type(near_part *part, size_t first, size_t end)
{
    const near_launch *launch = part->launch;
    size_t energy_at = 0;
    for (size_t block = first; block < end; block++) {
        const qn_score_poses_job *job = job_of(launch, block);
        for (int32_t k = 0; k < job->atom_count; k++, energy_at += BLOCK) {
            const qn_score_poses_atom *atom = &launch->atoms[job->first_atom + k];
            const size_t at = part->count;
            if (atom->type != part->type) continue;
            place_atom(launch, block * BLOCK, atom, part->x + at, part->y + at, part->z + at, part->cell + at);
            part->energy_at[at / BLOCK] = energy_at;
            part->count += BLOCK;
            if (part->count == QN_NEAR_PART) score_part(part);
        }
    }
    if (part->count > 0) score_part(part);
}

static void add_up(const near_launch *launch, size_t first, size_t end, const float *energies)
{
    for (size_t block = first; block < end; block++) {
        const int32_t atoms = job_of(launch, block)->atom_count;
        float total[BLOCK] = {0};
        for (int32_t k = 0; k < atoms; k++, energies += BLOCK)
            for (int i = 0; i < BLOCK; i++) total[i] += energies[i];
        memcpy(launch->energies + block * BLOCK, total, sizeof total);
    }
}

/* Allocate the memory of a thread at its first task. */
static qn_status make_room(const near_launch *launch, qn_near_worker *worker, size_t items)
{
    const size_t cells = (size_t)launch->call->lists->cell_count;
    if (!worker->numbers) QN_TRY(qn_allocate(7 * (size_t)PART_ROW, sizeof(float), (void **)&worker->numbers));
    if (!worker->indices) QN_TRY(qn_allocate(2 * (size_t)PART_ROW, sizeof(int32_t), (void **)&worker->indices));
    if (!worker->cells) QN_TRY(qn_allocate(3 * cells, sizeof(int32_t), (void **)&worker->cells));
    return qn_grow((void **)&worker->energies, &worker->energy_room, items, sizeof(float));
}

static near_part empty_part(const near_launch *launch, const qn_near_worker *worker)
{
    const size_t cells = (size_t)launch->call->lists->cell_count;
    return (near_part){.launch = launch,
                       .x = worker->numbers,
                       .y = worker->numbers + PART_ROW,
                       .z = worker->numbers + 2 * PART_ROW,
                       .sorted_x = worker->numbers + 3 * PART_ROW,
                       .sorted_y = worker->numbers + 4 * PART_ROW,
                       .sorted_z = worker->numbers + 5 * PART_ROW,
                       .sorted_energy = worker->numbers + 6 * PART_ROW,
                       .cell = worker->indices,
                       .item = worker->indices + PART_ROW,
                       .items_of_cell = worker->cells,
                       .used = worker->cells + cells,
                       .end_of_used = worker->cells + 2 * cells,
                       .energies = worker->energies};
}

static qn_status score_task(size_t index, int worker_index, void *user)
{
    const near_launch *launch = user;
    qn_near_worker *worker = &launch->call->workers[worker_index];
    const size_t first = index * launch->blocks / launch->tasks, end = (index + 1) * launch->blocks / launch->tasks;
    size_t items = 0;
    for (size_t block = first; block < end; block++) items += (size_t)job_of(launch, block)->atom_count * BLOCK;
    QN_TRY(make_room(launch, worker, items));
    near_part part = empty_part(launch, worker);
    for (part.type = 0; part.type < launch->call->type_count; part.type++) score_type(&part, first, end);
    add_up(launch, first, end, worker->energies);
    return QN_OK;
}

/* Divide the poses into tasks of at most about TASK_ITEMS items, the same number for each thread. */
static qn_status score(void *const *addresses, qn_pool *pool, void *user)
{
    const qn_near_call *call = user;
    const size_t threads = pool ? (size_t)qn_pool_threads(pool) : 1, step = threads * TASK_ITEMS;
    near_launch launch = {
        call, addresses[0], addresses[1], addresses[2], addresses[3], addresses[4], addresses[5], 0, 0, 0};
    launch.row = (size_t)call->poses * (size_t)call->job_count;
    launch.blocks = launch.row / BLOCK;
    launch.tasks = threads * (((size_t)call->ligand_atoms * (size_t)call->poses + step - 1) / step);
    if (launch.tasks > launch.blocks) launch.tasks = launch.blocks;
    return qn_pool_run(pool, launch.tasks, score_task, &launch);
}

extern const qn_host_function QN_HOST_VARIANT(qn_score_score_poses_near_host)[];
const qn_host_function QN_HOST_VARIANT(qn_score_score_poses_near_host)[] = {score};

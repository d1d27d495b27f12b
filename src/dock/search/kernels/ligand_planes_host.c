/* Host kernels of ligand_planes: a thread makes a plane of one rotation, as integers. The spectrum of a row is summed
 * directly over its few cells that are not 0: a row has hardly more atoms than a transform has passes. */
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "dock/search/kernels/ligand_grids.h"
#include "dock/search/kernels/ligand_planes.h"
#include "fft/lines.h"
#include "runtime/prelude/prelude_host.h"

#include "dock/search/kernels/ligand_grids.dev.h"
#include "dock/search/kernels/ligand_planes.dev.h"

typedef struct place_job {
    const int32_t *atoms, *rotations;
    int32_t *positions;
    place_scalars s;
} place_job;

static qn_status place_rotation(size_t index, int worker, void *user)
{
    const place_job *job = user;
    const int32_t *m =
        job->rotations + QN_ROTATION_INTS * MIN(job->s.first_rotation + (int)index, job->s.rotation_count - 1);
    int32_t *positions = job->positions + index * 3 * (size_t)job->s.atom_count;
    (void)worker;
    for (int atom = 0; atom < job->s.atom_count; atom++) {
        const int32_t *a = job->atoms + QN_LIGAND_ATOM_INTS * atom;
        for (int axis = 0; axis < 3; axis++)
            positions[axis * job->s.atom_count + atom] = box_coordinate(
                m[3 * axis], m[3 * axis + 1], m[3 * axis + 2], a[0], a[1], a[2], job->s.scale, job->s.box_centre);
    }
    return QN_OK;
}

static qn_status place(const qn_host_launch *launch)
{
    place_job job = {.atoms = launch->arguments[PLACE_ATOMS],
                     .rotations = launch->arguments[PLACE_ROTATIONS],
                     .positions = launch->arguments[PLACE_POSITIONS],
                     .s = *(const place_scalars *)launch->arguments[PLACE_SCALARS]};
    return qn_pool_run(launch->pool, launch->geometry.items[1], place_rotation, &job);
}

typedef struct planes_job {
    const int32_t *positions, *weights;
    float *planes;
    int atoms, grids, trilinear_grid, box, ny, width;
    size_t columns;
    const qn_line_functions *lines;
    qn_line_plan plan; /* of y */
    float *turns;      /* [x < box][plane_step] exp(−2πi·kx·x / nx), padded with 0 */
    int plane_step;    /* distance between rows in floats */
    char *scratch;     /* [workers][scratch_bytes] */
    size_t scratch_bytes;
} planes_job;

/* Memory of one worker. */
typedef struct plane_room {
    float *rows;     /* [box][plane_step] */
    float *scratch;  /* scratch memory of the lines */
    int32_t *cells;  /* [box][box]; 0 before and after each grid */
    int32_t *listed; /* atoms of this plane */
    char *is_filled; /* [box] rows with an atom */
    int atom_count;
} plane_room;

static plane_room room_of(const planes_job *job, int worker)
{
    plane_room room;
    room.rows = (float *)(void *)(job->scratch + (size_t)worker * job->scratch_bytes);
    room.scratch = room.rows + job->box * job->plane_step;
    room.cells = (int32_t *)(room.scratch + qn_line_scratch_floats(&job->plan, job->lines->lanes));
    room.listed = room.cells + job->box * job->box;
    room.is_filled = (char *)(room.listed + job->atoms);
    room.atom_count = 0;
    return room;
}

static size_t room_bytes(const planes_job *job)
{
    const size_t box = (size_t)job->box;
    const size_t floats = box * (size_t)job->plane_step + qn_line_scratch_floats(&job->plan, job->lines->lanes);
    return (4 * (floats + box * box + (size_t)job->atoms) + box + 63) / 64 * 64;
}

/* List the atoms that contribute to plane z in any grid: those between plane z and one of its neighbours. */
static void list_atoms(const planes_job *job, const int32_t *z_of, int z, plane_room *room)
{
    int count = 0;
    for (int atom = 0; atom < job->atoms; atom++) {
        const int below = z_of[atom] >> 12;
        room->listed[count] = atom;
        count += below == z || below == z - 1;
    }
    room->atom_count = count;
}

static void add_to_cell(const planes_job *job, plane_room *room, int x, int y, int32_t weight)
{
    room->cells[x + job->box * y] += weight;
    room->is_filled[y] = 1;
}

static void add_atoms(const planes_job *job, const int32_t *positions, int grid, int z, plane_room *room)
{
    const int32_t *weights = job->weights + (ptrdiff_t)grid * job->atoms;
    for (int i = 0; i < room->atom_count; i++) {
        const int atom = room->listed[i], weight = weights[atom];
        const int x = positions[atom], y = positions[job->atoms + atom], at = positions[2 * job->atoms + atom];
        if (weight == 0) continue;
        if (grid != job->trilinear_grid) {
            if (nearest_voxel(at) == z) add_to_cell(job, room, nearest_voxel(x), nearest_voxel(y), weight);
            continue;
        }
        for (int side = 0; side < 4; side++) {
            const int share = corner_share(side + 4 * (z - (at >> 12)), x, y, at, weight);
            if (share != 0) add_to_cell(job, room, (x >> 12) + (side & 1), (y >> 12) + (side >> 1), share);
        }
    }
}

/* Compute the spectrum of a row of cells, and set the cells to 0. */
static void transform_row(const planes_job *job, int32_t *cells, float *restrict row)
{
    const int floats = job->plane_step;
    memset(row, 0, (size_t)floats * sizeof *row);
    for (int x = 0; x < job->box; x++) {
        if (cells[x] == 0) continue;
        const float weight = (float)cells[x] * (float)(1 / QN_LIGAND_WEIGHT_UNITS);
        const float *restrict turns = job->turns + x * floats;
        cells[x] = 0;
#pragma omp simd
        for (int k = 0; k < floats; k++) row[k] += weight * turns[k];
    }
}

/* Transform the rows of a grid, then the columns, into `plane`. */
static void transform_grid(const planes_job *job, plane_room *room, float *plane)
{
    const int lanes = job->lines->lanes;
    const size_t used = 2 * (size_t)job->width * (size_t)job->ny;
    int filled = 0;
    for (int y = 0; y < job->box; y++)
        if (room->is_filled[y]) filled = y + 1;
    if (filled == 0) {
        memset(plane, 0, 2 * job->columns * sizeof *plane);
        return;
    }
    for (int y = 0; y < filled; y++) {
        transform_row(job, room->cells + job->box * y, room->rows + job->plane_step * y);
        room->is_filled[y] = 0;
    }
    qn_line_columns(job->lines, &job->plan, room->rows, job->plane_step, filled, plane, 2 * (ptrdiff_t)job->width, 0,
                    (job->width + lanes - 1) / lanes * lanes, job->width, room->scratch);
    memset(plane + used, 0, (2 * job->columns - used) * sizeof *plane);
}

static qn_status make_plane(size_t index, int worker, void *user)
{
    const planes_job *job = user;
    const size_t box = (size_t)job->box, rotation = index / box, grids = (size_t)job->grids;
    const int z = (int)(index % box);
    const int32_t *positions = job->positions + rotation * 3 * (size_t)job->atoms;
    plane_room room = room_of(job, worker);
    list_atoms(job, positions + 2 * job->atoms, z, &room);
    for (size_t grid = 0; grid < grids; grid++) {
        const size_t first = 2 * job->columns * ((rotation * grids + grid) * box + (size_t)z);
        add_atoms(job, positions, (int)grid, z, &room);
        transform_grid(job, &room, job->planes + first);
    }
    return QN_OK;
}

/* `roots`: exp(−2πi·t / nx), t < nx. */
static void fill_turns(const planes_job *job, const float *roots, int nx)
{
    for (int x = 0; x < job->box; x++)
        for (int k = 0; k < job->width; k++) {
            const int t = (int)((int64_t)x * k % nx);
            job->turns[x * job->plane_step + 2 * k] = roots[2 * t];
            job->turns[x * job->plane_step + 2 * k + 1] = roots[2 * t + 1];
        }
}

static qn_status run_planes(planes_job *job, const float *roots, int nx, int batch, qn_pool *pool)
{
    void *turns = NULL, *scratch = NULL;
    job->scratch_bytes = room_bytes(job);
    qn_status status = qn_allocate((size_t)job->box * (size_t)job->plane_step, sizeof(float), &turns);
    if (status == QN_OK) status = qn_allocate((size_t)qn_pool_threads(pool), job->scratch_bytes, &scratch);
    if (status == QN_OK) {
        job->turns = turns;
        job->scratch = scratch;
        fill_turns(job, roots, nx);
        status = qn_pool_run(pool, (size_t)batch * (size_t)job->box, make_plane, job);
    }
    qn_release(&turns);
    qn_release(&scratch);
    return status;
}

static qn_status planes(const qn_host_launch *launch)
{
    const planes_scalars *s = launch->arguments[PLANES_SCALARS];
    const int width = s->nx / 2 + 1;
    planes_job job = {.positions = launch->arguments[PLANES_POSITIONS],
                      .weights = launch->arguments[PLANES_WEIGHTS],
                      .planes = launch->arguments[PLANES_PLANES],
                      .atoms = s->atoms,
                      .grids = s->grids,
                      .trilinear_grid = s->trilinear_grid,
                      .box = s->box,
                      .ny = s->ny,
                      .width = width,
                      .lines = QN_HOST_VARIANT(qn_fft_lines_host),
                      .plane_step = qn_line_plane_step(width)};
    const size_t columns = (size_t)job.width * (size_t)job.ny, multiple = QN_ROTATION_COLUMNS_MULTIPLE;
    job.columns = (columns + multiple - 1) / multiple * multiple;
    QN_TRY(qn_line_plan_create(job.ny, false, &job.plan));
    qn_status status = run_planes(&job, launch->arguments[PLANES_ROOTS], s->nx, s->batch, launch->pool);
    qn_line_plan_clear(&job.plan);
    return status;
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_dock_ligand_planes_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_dock_ligand_planes_host)[] = {place, planes};

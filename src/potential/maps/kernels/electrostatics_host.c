/* Host kernels of electrostatics. `points` computes bricks of points: the atoms near a brick are listed once, and each
 * meets rows of 8 points, which fill a vector. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "potential/maps/kernels/electrostatics.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "potential/maps/kernels/electrostatics.dev.h"

enum { LANES = 8, SIDE = 4, NODE_LANES = 16 };

/* ---- nodes ---- */

typedef struct nodes_job {
    const qn_float4 *atoms;
    float *values;
    const nodes_scalars *scalars;
} nodes_job;

/* Neighbouring nodes along x. */
typedef struct node_row {
    _Alignas(64) float px[NODE_LANES];
    float part[NODE_LANES], sum[NODE_LANES], error[NODE_LANES];
    float py, pz;
} node_row;

/* Squared distance along y and z, from which the atom's distance to every node can be told. */
static float squared_yz(const node_row *row, qn_float4 atom)
{
    const float dy = atom.y - row->py, dz = atom.z - row->pz;
    return FMA(dz, dz, dy * dy);
}

static bool is_remote(const node_row *row, qn_float4 atom)
{
    const float margin = 1.0001f, gap = FMAX(FMAX(row->px[0] - atom.x, atom.x - row->px[NODE_LANES - 1]), 0.0f);
    return FMA(gap, gap, squared_yz(row, atom)) > margin * ELECTROSTATICS_FAR * ELECTROSTATICS_FAR;
}

static void add_remote(const electrostatics_model *shared, const qn_float4 *atoms, int count, node_row *row)
{
    const electrostatics_model model = *shared;
    for (int a = 0; a < count; a++) {
        const float dy = atoms[a].y - row->py, dz = atoms[a].z - row->pz, square_y = dy * dy;
#pragma omp simd
        for (int i = 0; i < NODE_LANES; i++) {
            const float dx = atoms[a].x - row->px[i], squared = FMA(dz, dz, FMA(dx, dx, square_y));
            row->part[i] = FMA(atoms[a].w, electrostatics_smooth_outer(&model, squared), row->part[i]);
        }
    }
}

static void add_any(const electrostatics_model *shared, const qn_float4 *atoms, int count, node_row *row)
{
    const float far = ELECTROSTATICS_FAR * ELECTROSTATICS_FAR;
    const electrostatics_model model = *shared;
    for (int a = 0; a < count; a++) {
        const float dy = atoms[a].y - row->py, dz = atoms[a].z - row->pz, square_y = dy * dy;
#pragma omp simd
        for (int i = 0; i < NODE_LANES; i++) {
            const float dx = atoms[a].x - row->px[i], squared = FMA(dz, dz, FMA(dx, dx, square_y));
            const float inner = electrostatics_smooth_inner(&model, squared);
            const float outer = electrostatics_smooth_outer(&model, squared);
            row->part[i] = FMA(atoms[a].w, squared < far ? inner : outer, row->part[i]);
        }
    }
}

/* Add the atoms from `first` on, in runs that are all remote or not. */
static void add_block(const nodes_job *job, int first, int end, node_row *row)
{
    const electrostatics_model *model = &job->scalars->model;
    memset(row->part, 0, sizeof row->part);
    while (first < end) {
        const bool remote = is_remote(row, job->atoms[first]);
        int next = first + 1;
        while (next < end && is_remote(row, job->atoms[next]) == remote) next++;
        (remote ? add_remote : add_any)(model, job->atoms + first, next - first, row);
        first = next;
    }
    for (int i = 0; i < NODE_LANES; i++) electrostatics_add(&row->sum[i], &row->error[i], row->part[i]);
}

static void sum_nodes(const nodes_job *job, int x, float py, float pz, float *values)
{
    const nodes_scalars *s = job->scalars;
    node_row row = {.py = py, .pz = pz};
    for (int i = 0; i < NODE_LANES; i++) row.px[i] = FMA((float)(x + i), ELECTROSTATICS_NODE, s->x);
    for (int first = 0; first < s->atom_count; first += ELECTROSTATICS_BLOCK)
        add_block(job, first, MIN(first + ELECTROSTATICS_BLOCK, s->atom_count), &row);
    for (int i = 0; i < NODE_LANES && x + i < s->nx; i++) values[x + i] = row.sum[i] + row.error[i];
}

static qn_status nodes_row(size_t row, int worker, void *user)
{
    const nodes_job *job = user;
    const nodes_scalars *s = job->scalars;
    const float py = FMA((float)(row % (size_t)s->ny), ELECTROSTATICS_NODE, s->y);
    const size_t z = (size_t)s->first_node + row / (size_t)s->ny, plane = (size_t)s->nx * (size_t)s->ny;
    const float pz = FMA((float)z, ELECTROSTATICS_NODE, s->z);
    float *values = job->values + z * plane + row % (size_t)s->ny * (size_t)s->nx;
    (void)worker;
    for (int x = 0; x < s->nx; x += NODE_LANES) sum_nodes(job, x, py, pz, values);
    return QN_OK;
}

static qn_status nodes(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments;
    nodes_job job = {arguments[NODES_ATOMS], arguments[NODES_VALUES], arguments[NODES_SCALARS]};
    return qn_pool_run(launch->pool, (size_t)job.scalars->ny * launch->geometry.items[2], nodes_row, &job);
}

/* ---- expand ---- */

typedef struct expand_job {
    const float *nodes, *weights;
    const int *first;
    float *values;
    const expand_scalars *scalars;
} expand_job;

static qn_status expand_outer(size_t outer, int worker, void *user)
{
    const expand_job *job = user;
    const expand_scalars *s = job->scalars;
    const size_t inner = (size_t)s->inner;
    (void)worker;
    for (int point = 0; point < s->points; point++) {
        const size_t place = (size_t)(s->first_place + point);
        const float *weights = job->weights + place * ELECTROSTATICS_ORDER;
        const float *from =
            job->nodes + (((size_t)s->first_outer + outer) * (size_t)s->nodes + (size_t)job->first[place]) * inner;
        float *to = job->values + (outer * (size_t)s->points + (size_t)point) * inner;
#pragma omp simd
        for (size_t i = 0; i < inner; i++) {
            float sum = 0;
            for (size_t j = 0; j < ELECTROSTATICS_ORDER; j++) sum = FMA(weights[j], from[j * inner + i], sum);
            to[i] = sum;
        }
    }
    return QN_OK;
}

static qn_status expand(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments;
    expand_job job = {arguments[EXPAND_NODES], arguments[EXPAND_WEIGHTS], arguments[EXPAND_FIRST],
                      arguments[EXPAND_VALUES], arguments[EXPAND_SCALARS]};
    return qn_pool_run(launch->pool, (size_t)job.scalars->outer, expand_outer, &job);
}

/* ---- points ---- */

typedef struct points_job {
    const qn_float4 *atoms;
    const double *exact, *places_exact, *limits; /* limits: squared */
    const int *starts, *first;
    const float *table, *places, *columns, *weights;
    float *potential;
    const points_scalars *scalars;
    size_t most; /* atoms in a list */
    int *lists; /* of each worker: `most` atoms of the middle list, −1 − atom for those near the brick; then as many of
                   the near list */
} points_job;

/* A brick of points, and its sums. Points outside the grid repeat its last ones. */
typedef struct brick {
    _Alignas(64) float middle[SIDE * SIDE * LANES]; /* sums: z, y, x */
    float sum[SIDE * SIDE * LANES], error[SIDE * SIDE * LANES];
    float px[LANES], py[SIDE], pz[SIDE];
    double exact_x[LANES], exact_y[SIDE], exact_z[SIDE];
    int x, y, z; /* first point */
    float low[3], high[3];
    int middle_count, near_count;
} brick;

static void start_axis(const points_job *job, int first_place, int first, int count, int size, float *places,
                       double *exact)
{
    for (int i = 0; i < size; i++) {
        const int place = first_place + MIN(first + i, count - 1);
        places[i] = job->places[place];
        exact[i] = job->places_exact[place];
    }
}

static void start_brick(const points_job *job, int x, int y, int z, brick *b)
{
    const points_scalars *s = job->scalars;
    b->x = x;
    b->y = y;
    b->z = z;
    start_axis(job, 0, x, s->nx, LANES, b->px, b->exact_x);
    start_axis(job, s->place_y, y, s->ny, SIDE, b->py, b->exact_y);
    start_axis(job, s->place_z, z, s->nz, SIDE, b->pz, b->exact_z);
    b->low[0] = b->px[0];
    b->low[1] = b->py[0];
    b->low[2] = b->pz[0];
    b->high[0] = b->px[LANES - 1];
    b->high[1] = b->py[SIDE - 1];
    b->high[2] = b->pz[SIDE - 1];
    b->middle_count = b->near_count = 0;
    memset(b->sum, 0, sizeof b->sum);
    memset(b->error, 0, sizeof b->error);
    memset(b->middle, 0, sizeof b->middle);
}

static float squared_gap(const brick *b, qn_float4 atom)
{
    const float at[3] = {atom.x, atom.y, atom.z};
    float squared = 0;
    for (int axis = 0; axis < 3; axis++) {
        const float gap = FMAX(FMAX(b->low[axis] - at[axis], at[axis] - b->high[axis]), 0.0f);
        squared += gap * gap;
    }
    return squared;
}

/* List the atoms that can be nearer than FAR, and than NEAR, to a point of the brick, in their order. */
static void list_atoms(const points_job *job, int *lists, brick *b)
{
    const float margin = 1.0001f, near = margin * ELECTROSTATICS_NEAR * ELECTROSTATICS_NEAR;
    const float far = margin * ELECTROSTATICS_FAR * ELECTROSTATICS_FAR;
    const electrostatics_cells *cells = &job->scalars->cells;
    int first_y, end_y, first_z, end_z, first, end;
    electrostatics_cell_range(b->low[1], b->high[1], ELECTROSTATICS_FAR, cells->y, cells->edge, cells->ny, &first_y,
                              &end_y);
    electrostatics_cell_range(b->low[2], b->high[2], ELECTROSTATICS_FAR, cells->z, cells->edge, cells->nz, &first_z,
                              &end_z);
    for (int z = first_z; z < end_z; z++)
        for (int y = first_y; y < end_y; y++) {
            electrostatics_cell_row(*cells, job->starts, b->low, b->high, y, z, &first, &end);
            for (int a = first; a < end; a++) {
                const float squared = squared_gap(b, job->atoms[a]);
                lists[b->middle_count] = squared < near ? -1 - a : a;
                b->middle_count += squared < far;
                lists[job->most + (size_t)b->near_count] = a;
                b->near_count += squared < near;
            }
        }
}

/* Squared distances along x and y of an atom from a brick's points. */
static inline void squared_distances(const brick *b, qn_float4 atom, float *flat)
{
    for (int y = 0; y < SIDE; y++) {
        const float dy = atom.y - b->py[y], square_y = dy * dy;
        for (int x = 0; x < LANES; x++) {
            const float dx = atom.x - b->px[x];
            flat[y * LANES + x] = FMA(dx, dx, square_y);
        }
    }
}

/* Add the pairs of an atom that no point of the brick is near to. */
static inline void add_middle(const electrostatics_model *model, qn_float4 atom, brick *b)
{
    _Alignas(64) float flat[SIDE * LANES];
    squared_distances(b, atom, flat);
    for (int z = 0; z < SIDE; z++) {
        const float dz = atom.z - b->pz[z];
        float *sums = b->middle + z * SIDE * LANES;
#pragma omp simd
        for (int i = 0; i < SIDE * LANES; i++)
            sums[i] = FMA(atom.w, electrostatics_middle(model, FMA(dz, dz, flat[i])), sums[i]);
    }
}

/* The same for an atom with near points, whose pairs add_near adds. */
static inline void add_middle_of_near(const electrostatics_model *model, qn_float4 atom, brick *b)
{
    const float near = ELECTROSTATICS_NEAR * ELECTROSTATICS_NEAR;
    _Alignas(64) float flat[SIDE * LANES];
    squared_distances(b, atom, flat);
    for (int z = 0; z < SIDE; z++) {
        const float dz = atom.z - b->pz[z];
        float *sums = b->middle + z * SIDE * LANES;
#pragma omp simd
        for (int i = 0; i < SIDE * LANES; i++) {
            const float squared = FMA(dz, dz, flat[i]), value = electrostatics_middle(model, squared);
            sums[i] = FMA(atom.w, squared < near ? 0.0f : value, sums[i]);
        }
    }
}

static void add_middle_list(const points_job *job, const int *list, brick *b)
{
    const electrostatics_model model = job->scalars->model;
    for (int i = 0; i < b->middle_count; i++) {
        if (list[i] >= 0)
            add_middle(&model, job->atoms[list[i]], b);
        else
            add_middle_of_near(&model, job->atoms[-1 - list[i]], b);
    }
}

/* Entry of the table for point (x, y, z) of the brick, where single precision cannot tell it. */
static int find_exact_entry(const points_job *job, const brick *b, int a, int x, int y, int z, float scaled)
{
    const double *atom = job->exact + 3 * (size_t)a;
    const double dx = b->exact_x[x] - atom[0], dy = b->exact_y[y] - atom[1], dz = b->exact_z[z] - atom[2];
    const int nearest = (int)(scaled + 0.5f); /* the entry that begins here, or the one before */
    return dx * dx + dy * dy + dz * dz < job->limits[nearest] ? nearest - 1 : nearest;
}

/* Add the near pairs of an atom and a row of points. */
static void add_near_row(const points_job *job, const electrostatics_model *model, int a, int y, int z, brick *b)
{
    const float near = ELECTROSTATICS_NEAR * ELECTROSTATICS_NEAR, guard = job->scalars->guard;
    const qn_float4 atom = job->atoms[a];
    const float dy = atom.y - b->py[y], dz = atom.z - b->pz[z];
    float *sums = b->sum + (z * SIDE + y) * LANES, *errors = b->error + (z * SIDE + y) * LANES;
    float squared[LANES], roots[LANES];
    int entries[LANES], doubtful[LANES], any = 0; /* of points that are not near, they have no meaning */
#pragma omp simd reduction(| : any)
    for (int x = 0; x < LANES; x++) {
        const float dx = atom.x - b->px[x];
        squared[x] = FMA(dz, dz, FMA(dx, dx, dy * dy));
        roots[x] = NORMAL_SQRT(FMAX(squared[x], ELECTROSTATICS_TINY));
        const int entry = (int)(roots[x] * 0.1f);
        entries[x] = MIN(entry, ELECTROSTATICS_ENTRIES - 1);
        doubtful[x] = electrostatics_is_doubtful(roots[x] * 0.1f, guard);
        any |= doubtful[x];
    }
    for (int x = 0; x < LANES && any; x++)
        if (doubtful[x] && squared[x] < near) entries[x] = find_exact_entry(job, b, a, x, y, z, roots[x] * 0.1f);
#pragma omp simd
    for (int x = 0; x < LANES; x++) {
        const float value = electrostatics_close(model, job->table[entries[x]], squared[x], roots[x]);
        float sum = sums[x], error = errors[x];
        electrostatics_add(&sum, &error, squared[x] < near ? atom.w * value : 0.0f);
        sums[x] = sum;
        errors[x] = error;
    }
}

static void add_near(const points_job *job, int a, brick *b)
{
    const float margin = 1.0001f, near = margin * ELECTROSTATICS_NEAR * ELECTROSTATICS_NEAR;
    const electrostatics_model model = job->scalars->model;
    const qn_float4 atom = job->atoms[a];
    const float gap = FMAX(FMAX(b->px[0] - atom.x, atom.x - b->px[LANES - 1]), 0.0f);
    for (int y = 0; y < SIDE; y++)
        for (int z = 0; z < SIDE; z++) {
            const float dy = atom.y - b->py[y], dz = atom.z - b->pz[z];
            if (FMA(dz, dz, FMA(dy, dy, gap * gap)) <= near) add_near_row(job, &model, a, y, z, b);
        }
}

/* Interpolate along z, and write the potential of the brick's points. */
static void finish_brick(const points_job *job, const brick *b)
{
    const points_scalars *s = job->scalars;
    const size_t nx = (size_t)s->nx, plane = nx * (size_t)s->ny, count = MIN((size_t)LANES, nx - (size_t)b->x);
    for (int z = 0; z < SIDE && b->z + z < s->nz; z++) {
        const size_t place = (size_t)(s->place_z + b->z + z);
        const float *weights = job->weights + place * ELECTROSTATICS_ORDER;
        for (int y = 0; y < SIDE && b->y + y < s->ny; y++) {
            const size_t column = (size_t)(b->y + y) * nx + (size_t)b->x;
            const float *from = job->columns + (size_t)(job->first[place] - s->first_node) * plane + column;
            float *to = job->potential + (size_t)(b->z + z) * plane + column;
            const size_t row = (size_t)(z * SIDE + y) * LANES;
            for (size_t x = 0; x < count; x++) {
                float smooth = 0;
                for (size_t j = 0; j < ELECTROSTATICS_ORDER; j++) smooth = FMA(weights[j], from[j * plane + x], smooth);
                to[x] = b->sum[row + x] + (b->error[row + x] + b->middle[row + x] + smooth);
            }
        }
    }
}

static size_t bricks_along(int points)
{
    return ((size_t)points + SIDE - 1) / SIDE;
}

/* Compute a row of bricks along x. */
static qn_status brick_row(size_t index, int worker, void *user)
{
    const points_job *job = user;
    const size_t rows = bricks_along(job->scalars->ny);
    int *lists = job->lists + 2 * job->most * (size_t)worker;
    brick b;
    for (int x = 0; x < job->scalars->nx; x += LANES) {
        start_brick(job, x, SIDE * (int)(index % rows), SIDE * (int)(index / rows), &b);
        list_atoms(job, lists, &b);
        add_middle_list(job, lists, &b);
        for (int i = 0; i < b.near_count; i++) add_near(job, lists[job->most + (size_t)i], &b);
        finish_brick(job, &b);
    }
    return QN_OK;
}

static qn_status points(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments, *memory;
    points_job job = {.atoms = arguments[POINTS_ATOMS],
                      .exact = arguments[POINTS_EXACT],
                      .starts = arguments[POINTS_STARTS],
                      .places_exact = arguments[POINTS_PLACES_EXACT],
                      .limits = arguments[POINTS_LIMITS],
                      .first = arguments[POINTS_FIRST],
                      .table = arguments[POINTS_TABLE],
                      .places = arguments[POINTS_PLACES],
                      .columns = arguments[POINTS_COLUMNS],
                      .weights = arguments[POINTS_WEIGHTS],
                      .potential = arguments[POINTS_POTENTIAL],
                      .scalars = arguments[POINTS_SCALARS],
                      .most = launch->argument_bytes[POINTS_ATOMS] / sizeof(qn_float4) + 1};
    QN_TRY(qn_allocate(2 * job.most * (size_t)qn_host_workers(launch), sizeof(int), &memory));
    job.lists = memory;
    const size_t rows = bricks_along(job.scalars->ny) * bricks_along(job.scalars->nz);
    qn_status status = qn_pool_run(launch->pool, rows, brick_row, &job);
    qn_release(&job.lists);
    return status;
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_potential_electrostatics_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_potential_electrostatics_host)[] = {nodes, expand, points};

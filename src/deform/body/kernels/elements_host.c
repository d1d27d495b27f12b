/* The kernels on processor cores. A vector's lanes are states; an element's part is formed once for all its nodes and
 * added where it belongs, element by element, which is the order of a device's owners: results have the same bits.
 *
 * A task has some vectors of states and a range of nodes (residual), blocks (tangent) or elements (points). With few
 * states the ranges are many: an element whose nodes lie in several is formed in each. A stride that is no multiple of
 * a vector's lanes is made one in copies, because partial vectors would wait for stores to neighbouring entries. */
#include "base/error.h"
#include "base/memory.h"
#include "deform/body/kernels/elements_arguments.h"
#include "runtime/host_variant.h"

#include "deform/body/kernels/elements_lanes.h"
#include <quern/family.h>

/* Forced, so that order, form and material of each kind of body are constants. */
#define INLINE static inline __attribute__((always_inline))

enum { NODES_MAX = 10, PAIRS_MAX = 55, PARTS = 16 };
enum { VECTORS = 4 }; /* of a task: they share rows of memory, each of which is far from the next */

typedef struct host_job host_job;

/* The states of a vector: the first, and how many of the lanes are states. */
typedef struct host_vector {
    size_t column;
    int used;
} host_vector;

/* Work of a task: a range of nodes, blocks or elements for some vectors. */
typedef struct host_task {
    const host_job *job;
    host_vector vectors[VECTORS];
    int count, begin, end;
} host_task;

typedef void (*host_part)(const host_task *task);

struct host_job {
    elements_numbers n;
    const int32_t *nodes, *first;
    const float *gradients, *weights, *x;
    const int32_t *block_start;
    int32_t *pair_blocks; /* [element][pair][2]: block, row << 4 | column */
    float *out, *measures;
    int owners, ranges;
    host_part part;
};

/* An element for the states of a task. */
typedef struct host_element {
    const int32_t *nodes;
    const float *gradients, *weights;
    lanes u[NODES_MAX][3], p[4];
} host_element;

INLINE void load_element(const host_job *job, int element, const host_vector *vector, const int order, const int mixed,
                         host_element *e)
{
    const int nodes = order == 1 ? 4 : 10, points = order == 1 ? 1 : 4;
    e->nodes = job->nodes + (ptrdiff_t)element * nodes;
    e->gradients = job->gradients + (ptrdiff_t)3 * element * points * nodes;
    e->weights = job->weights + (ptrdiff_t)element * points;
    for (int a = 0; a < nodes; a++) {
        const float *from = job->x + (size_t)job->first[e->nodes[a]] * (size_t)job->n.stride + vector->column;
        for (int i = 0; i < 3; i++) e->u[a][i] = lanes_load(from + (ptrdiff_t)i * job->n.stride);
        if (mixed && a < 4) e->p[a] = lanes_load(from + (ptrdiff_t)3 * job->n.stride);
    }
}

INLINE void form_gradient(const host_element *e, int point, const int order, const int mixed, lanes *g, lanes *pressure)
{
    const int nodes = order == 1 ? 4 : 10;
    for (int k = 0; k < 9; k++) g[k] = lanes_splat(0.0f);
    *pressure = lanes_splat(0.0f);
    for (int a = 0; a < nodes; a++) {
        elements_add_gradient(e->u[a], e->gradients + (ptrdiff_t)3 * (point * nodes + a), g);
        if (mixed && a < 4)
            *pressure = lanes_fma(lanes_splat(order == 1 ? 0.25f : elements_shape(point, a)), e->p[a], *pressure);
    }
}

/* ---- Points ---- */

INLINE lanes find_energy(const elements_numbers *n, const host_element *e, const lanes *g, lanes pressure,
                         const int order, const int mixed, const int mooney, lanes *change)
{
    if (!mooney) {
        *change = elements_volume_change(g);
        return elements_svk_energy(n, g);
    }
    elements_mooney m;
    elements_mooney_make(n, g, &m);
    *change = m.change;
    const lanes energy = elements_mooney_energy(n, &m);
    if (!mixed) return lanes_fma(0.5f * n->kappa * m.change, m.change, energy);
    const lanes density = lanes_fma(pressure, m.change, energy);
    if (order == 2) return density + -0.5f * n->inverse_kappa * pressure * pressure;
    const lanes sum = 4.0f * pressure;
    lanes square = lanes_splat(0.0f);
    for (int a = 0; a < 4; a++) square = lanes_fma(e->p[a], e->p[a], square);
    return density + -0.5f * lanes_fma(n->each * sum, sum, n->same * square);
}

INLINE void measure_element(const host_job *job, int element, const host_vector *vector, const int order,
                            const int mixed, const int mooney)
{
    const size_t stride = (size_t)job->n.stride, stored = mixed ? 10 : 9, column = vector->column;
    const int points = order == 1 ? 1 : 4, used = vector->used;
    host_element e;
    lanes energy = lanes_splat(0.0f), least = lanes_splat(0.0f);
    load_element(job, element, vector, order, mixed, &e);
    for (int q = 0; q < points; q++) {
        float *to = job->out + (size_t)(element * points + q) * stored * stride + column;
        lanes g[9], pressure, change;
        form_gradient(&e, q, order, mixed, g, &pressure);
        const lanes density = find_energy(&job->n, &e, g, pressure, order, mixed, mooney, &change);
        energy = lanes_fma(lanes_splat(e.weights[q]), density, energy);
        const lanes volume = 1.0f + change;
        for (int k = 0; k < LANES; k++) least[k] = q == 0 || volume[k] < least[k] ? volume[k] : least[k];
        for (size_t k = 0; k < 9; k++) lanes_store(to + k * stride, lanes_keep(g[k], used));
        if (mixed) lanes_store(to + 9 * stride, lanes_keep(pressure, used));
    }
    lanes_store(job->measures + (size_t)element * stride + column, lanes_keep(energy, used));
    lanes_store(job->measures + (size_t)(job->n.elements + element) * stride + column, lanes_keep(least, used));
}

INLINE void measure_elements(const host_task *task, const int order, const int mixed, const int mooney)
{
    for (int element = task->begin; element < task->end; element++)
        for (int v = 0; v < task->count; v++)
            measure_element(task->job, element, &task->vectors[v], order, mixed, mooney);
}

/* Add to the lanes that are states. */
INLINE void add_lanes(float *to, const host_vector *vector, lanes part)
{
    lanes_store(to, lanes_load(to) + lanes_keep(part, vector->used));
}

/* ---- Residual ---- */

INLINE void add_forces(const elements_numbers *n, const host_element *e, const int order, const int mixed,
                       const int mooney, lanes part[NODES_MAX][4])
{
    const int nodes = order == 1 ? 4 : 10, points = order == 1 ? 1 : 4;
    for (int q = 0; q < points; q++) {
        const float *gradients = e->gradients + (ptrdiff_t)3 * q * nodes, weight = e->weights[q];
        lanes g[9], s[6], cofactor[9], force[3], pressure;
        elements_mooney m;
        form_gradient(e, q, order, mixed, g, &pressure);
        if (mooney) {
            elements_mooney_make(n, g, &m);
            elements_mooney_stress(&m, mixed ? pressure : n->kappa * m.change, s);
            elements_cofactor(g, cofactor);
        } else {
            elements_svk_stress(n, g, s);
        }
        for (int a = 0; a < nodes; a++) {
            if (mooney) {
                lanes h[3];
                elements_times_shared(cofactor, gradients + (ptrdiff_t)3 * a, h);
                elements_symmetric_times(s, h, force);
            } else {
                elements_svk_force(g, s, gradients + (ptrdiff_t)3 * a, force);
            }
            for (int i = 0; i < 3; i++) part[a][i] = lanes_fma(lanes_splat(weight), force[i], part[a][i]);
        }
        for (int a = 0; mixed && a < 4; a++) {
            lanes sum;
            if (order == 1) {
                const lanes matrix = lanes_fma(lanes_splat(n->each), 4.0f * pressure, n->same * e->p[a]);
                sum = lanes_fma(lanes_splat(weight), lanes_fma(lanes_splat(0.25f), m.change, -matrix), part[a][3]);
            } else {
                const lanes inner = lanes_fma(lanes_splat(-n->inverse_kappa), pressure, m.change);
                sum = lanes_fma(lanes_splat(weight * elements_shape(q, a)), inner, part[a][3]);
            }
            part[a][3] = sum;
        }
    }
}

/* Add an element's part of r to the nodes of a task's range. */
INLINE void add_residual(const host_task *task, int element, const host_vector *vector, const int order,
                         const int mixed, const int mooney)
{
    const host_job *job = task->job;
    const size_t stride = (size_t)job->n.stride;
    const int nodes = order == 1 ? 4 : 10;
    host_element e;
    lanes part[NODES_MAX][4];
    load_element(job, element, vector, order, mixed, &e);
    for (int a = 0; a < nodes; a++)
        for (int i = 0; i < 4; i++) part[a][i] = lanes_splat(0.0f);
    add_forces(&job->n, &e, order, mixed, mooney, part);
    for (int a = 0; a < nodes; a++) {
        if (e.nodes[a] < task->begin || e.nodes[a] >= task->end) continue;
        float *to = job->out + (size_t)job->first[e.nodes[a]] * stride + vector->column;
        for (size_t i = 0; i < (mixed && a < 4 ? 4u : 3u); i++) add_lanes(to + i * stride, vector, part[a][i]);
    }
}

INLINE void add_residuals(const host_task *task, const int order, const int mixed, const int mooney)
{
    const int nodes = order == 1 ? 4 : 10;
    for (int element = 0; element < task->job->n.elements; element++) {
        const int32_t *corners = task->job->nodes + (ptrdiff_t)element * nodes;
        bool any = false;
        for (int a = 0; a < nodes; a++) any = any || (corners[a] >= task->begin && corners[a] < task->end);
        for (int v = 0; any && v < task->count; v++)
            add_residual(task, element, &task->vectors[v], order, mixed, mooney);
    }
}

/* ---- Tangent ---- */

/* All that an element's blocks need at a point. */
typedef struct host_point {
    lanes volume, left[6], stress[NODES_MAX][3];
    elements_tangent tangent;
    elements_node nodes[NODES_MAX];
} host_point;

INLINE void make_point(const elements_numbers *n, const host_element *e, int q, const int order, const int mixed,
                       const int mooney, host_point *p)
{
    const int nodes = order == 1 ? 4 : 10;
    const float *gradients = e->gradients + (ptrdiff_t)3 * q * nodes;
    lanes g[9], s[6], cofactor[9], pressure;
    form_gradient(e, q, order, mixed, g, &pressure);
    if (!mooney) {
        elements_svk_stress(n, g, s);
        elements_left_strain(g, p->left);
        for (int k = 0; k < 3; k++) p->left[k] = p->left[k] + 1.0f;
        for (int a = 0; a < nodes; a++) {
            elements_deform(g, gradients + (ptrdiff_t)3 * a, p->nodes[a].a);
            elements_symmetric_times_shared(s, gradients + (ptrdiff_t)3 * a, p->stress[a]);
        }
        return;
    }
    elements_mooney m;
    elements_mooney_make(n, g, &m);
    p->volume = 1.0f + m.change;
    elements_tangent_make(&m, e->weights[q], mixed ? pressure : n->kappa * m.change, n->kappa * p->volume, &p->tangent);
    elements_cofactor(g, cofactor);
    for (int a = 0; a < nodes; a++)
        elements_node_make(g, cofactor, m.inverse, p->tangent.x, gradients + (ptrdiff_t)3 * a, &p->nodes[a]);
}

/* The parts of a block with pressures; see elements.cl. */
INLINE void add_pressures(const elements_numbers *n, float weight, int q, const int order, int row, int column,
                          const host_point *p, lanes *part)
{
    const lanes scale = weight * p->volume;
    const float row_shape = order == 1 ? 0.25f : elements_shape(q, row);
    const float column_shape = order == 1 ? 0.25f : elements_shape(q, column);
    for (int i = 0; i < 3; i++) {
        part[9 + i] = lanes_fma(scale * column_shape, p->nodes[row].y[i], part[9 + i]);
        part[12 + i] = lanes_fma(scale * row_shape, p->nodes[column].y[i], part[12 + i]);
    }
    const float entry =
        order == 1 ? n->each + (row == column ? n->same : 0.0f) : n->inverse_kappa * row_shape * column_shape;
    part[15] = lanes_fma(lanes_splat(-weight), lanes_splat(entry), part[15]);
}

INLINE void add_block(const elements_numbers *n, const host_element *e, int q, const int order, const int mixed,
                      const int mooney, int row, int column, const host_point *p, lanes *part)
{
    const int nodes = order == 1 ? 4 : 10;
    const float *row_gradient = e->gradients + (ptrdiff_t)3 * (q * nodes + row);
    const float *column_gradient = e->gradients + (ptrdiff_t)3 * (q * nodes + column);
    if (mooney)
        elements_mooney_block(&p->tangent, row_gradient, column_gradient, &p->nodes[row], &p->nodes[column], part);
    else
        elements_svk_block(n, e->weights[q], p->left, row_gradient, column_gradient, p->nodes[row].a,
                           p->nodes[column].a, p->stress[column], part);
    if (mixed) add_pressures(n, e->weights[q], q, order, row, column, p, part);
}

INLINE void scatter(float *to, size_t stride, const host_vector *vector, const int mixed, int row, int column,
                    const lanes *part)
{
    const bool row_corner = mixed && row < 4, column_corner = mixed && column < 4;
    const size_t width = column_corner ? 4 : 3;
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++) add_lanes(to + (i * width + j) * stride, vector, part[3 * i + j]);
        if (column_corner) add_lanes(to + (i * width + 3) * stride, vector, part[9 + i]);
        if (row_corner) add_lanes(to + (3 * width + i) * stride, vector, part[12 + i]);
    }
    if (row_corner && column_corner) add_lanes(to + (3 * width + 3) * stride, vector, part[15]);
}

/* Add an element's part of K to the blocks of a task's range. `blocks`: of the element. */
INLINE void add_tangent(const host_task *task, int element, const int32_t *blocks, const host_vector *vector,
                        const int order, const int mixed, const int mooney)
{
    const host_job *job = task->job;
    const size_t stride = (size_t)job->n.stride;
    const int points = order == 1 ? 1 : 4, pairs = order == 1 ? 10 : 55, parts = mixed ? 16 : 9;
    lanes part[PAIRS_MAX][PARTS];
    host_element e;
    host_point p;
    load_element(job, element, vector, order, mixed, &e);
    for (int q = 0; q < points; q++) {
        make_point(&job->n, &e, q, order, mixed, mooney, &p);
        for (int k = 0; k < pairs; k++) {
            if (blocks[2 * k] < task->begin || blocks[2 * k] >= task->end) continue;
            for (int i = 0; q == 0 && i < parts; i++) part[k][i] = lanes_splat(0.0f);
            add_block(&job->n, &e, q, order, mixed, mooney, blocks[2 * k + 1] >> 4, blocks[2 * k + 1] & 15, &p,
                      part[k]);
        }
    }
    for (int k = 0; k < pairs; k++)
        if (blocks[2 * k] >= task->begin && blocks[2 * k] < task->end)
            scatter(job->out + (size_t)job->block_start[blocks[2 * k]] * stride + vector->column, stride, vector, mixed,
                    blocks[2 * k + 1] >> 4, blocks[2 * k + 1] & 15, part[k]);
}

INLINE void add_tangents(const host_task *task, const int order, const int mixed, const int mooney)
{
    const int pairs = order == 1 ? 10 : 55;
    for (int element = 0; element < task->job->n.elements; element++) {
        const int32_t *blocks = task->job->pair_blocks + (ptrdiff_t)2 * element * pairs;
        bool any = false;
        for (int k = 0; k < pairs; k++) any = any || (blocks[2 * k] >= task->begin && blocks[2 * k] < task->end);
        for (int v = 0; any && v < task->count; v++)
            add_tangent(task, element, blocks, &task->vectors[v], order, mixed, mooney);
    }
}

/* ---- Tasks ---- */

/* A function for each kind of body, in which order, form and material are constants. */
#define EACH_KIND(function, task)                                                             \
    do {                                                                                      \
        const elements_numbers *numbers_ = &(task)->job->n;                                   \
        const int kind_ = 4 * (numbers_->order - 1) + 2 * numbers_->mixed + numbers_->mooney; \
        if (kind_ == 0) function(task, 1, 0, 0);                                              \
        if (kind_ == 1) function(task, 1, 0, 1);                                              \
        if (kind_ == 3) function(task, 1, 1, 1);                                              \
        if (kind_ == 4) function(task, 2, 0, 0);                                              \
        if (kind_ == 5) function(task, 2, 0, 1);                                              \
        if (kind_ == 7) function(task, 2, 1, 1);                                              \
    } while (0)

/* Zero rows of an output in the columns of a vector. */
static void clear_vector(const host_job *job, float *rows, size_t begin, size_t end, const host_vector *vector)
{
    for (size_t row = begin; row < end; row++)
        memset(rows + row * (size_t)job->n.stride + vector->column, 0, LANES * sizeof *rows);
}

static void points_part(const host_task *task)
{
    EACH_KIND(measure_elements, task);
}

static void residual_part(const host_task *task)
{
    const host_job *job = task->job;
    for (int v = 0; v < task->count; v++)
        clear_vector(job, job->out, (size_t)job->first[task->begin], (size_t)job->first[task->end], &task->vectors[v]);
    EACH_KIND(add_residuals, task);
}

static void tangent_part(const host_task *task)
{
    const host_job *job = task->job;
    for (int v = 0; v < task->count; v++)
        clear_vector(job, job->out, (size_t)job->block_start[task->begin], (size_t)job->block_start[task->end],
                     &task->vectors[v]);
    EACH_KIND(add_tangents, task);
}

static size_t vectors_of(const host_job *job)
{
    return (size_t)job->n.stride / LANES;
}

static qn_status run_task(size_t index, int worker, void *user)
{
    const host_job *job = user;
    const size_t ranges = (size_t)job->ranges, range = index % ranges, owners = (size_t)job->owners;
    const size_t first = index / ranges * VECTORS, all = vectors_of(job);
    host_task task = {.job = job,
                      .count = (int)(all - first < VECTORS ? all - first : VECTORS),
                      .begin = (int)(owners * range / ranges),
                      .end = (int)(owners * (range + 1) / ranges)};
    (void)worker;
    for (int v = 0; v < task.count; v++) {
        const int column = (int)(first + (size_t)v) * LANES;
        const int used = job->n.count - column;
        task.vectors[v] = (host_vector){.column = (size_t)column, .used = CLAMP(used, 0, LANES)};
    }
    job->part(&task);
    return QN_OK;
}

static host_job job_of(const qn_host_launch *launch, int owners, host_part part)
{
    void *const *arguments = launch->arguments;
    const elements_numbers *n = arguments[ELEMENTS_NUMBERS];
    const int tasks = (n->stride + VECTORS * LANES - 1) / (VECTORS * LANES), workers = qn_host_workers(launch);
    const int ranges = tasks >= workers ? 1 : (workers + tasks - 1) / tasks;
    return (host_job){.n = *n,
                      .nodes = arguments[ELEMENTS_NODES],
                      .first = arguments[ELEMENTS_FIRST],
                      .gradients = arguments[ELEMENTS_GRADIENTS],
                      .weights = arguments[ELEMENTS_WEIGHTS],
                      .x = arguments[ELEMENTS_X],
                      .owners = owners,
                      .ranges = ranges < owners ? ranges : owners,
                      .part = part};
}

/* Copy rows of `columns` numbers from one stride to another; further numbers stay. */
static void copy_rows(const float *from, size_t from_stride, float *to, size_t to_stride, size_t rows, size_t columns)
{
    for (size_t row = 0; row < rows; row++)
        memcpy(to + row * to_stride, from + row * from_stride, columns * sizeof *to);
}

static qn_status run_tasks(const qn_host_launch *launch, host_job *job)
{
    const size_t tasks = (vectors_of(job) + VECTORS - 1) / VECTORS;
    return qn_host_parallel(launch, tasks * (size_t)job->ranges, run_task, job);
}

/* Run on copies whose stride is a multiple of LANES. */
static qn_status run_copies(const qn_host_launch *launch, const host_job *job, size_t out_rows, size_t measure_rows)
{
    const size_t stride = (size_t)job->n.stride, wide = (stride + LANES - 1) / LANES * LANES;
    const size_t rows = (size_t)job->first[job->n.nodes];
    host_job copy = *job;
    void *memory;
    QN_TRY(qn_allocate((rows + out_rows + measure_rows) * wide, sizeof(float), &memory));
    float *x = memory;
    copy_rows(job->x, stride, x, wide, rows, stride);
    copy.n.stride = (int)wide;
    copy.x = x;
    copy.out = x + rows * wide;
    copy.measures = copy.out + out_rows * wide;
    const qn_status status = run_tasks(launch, &copy);
    copy_rows(copy.out, wide, job->out, stride, out_rows, stride);
    copy_rows(copy.measures, wide, job->measures, stride, measure_rows, stride);
    qn_release(&memory);
    return status;
}

/* `out_rows`, `measure_rows`: entries of the two outputs. */
static qn_status run_job(const qn_host_launch *launch, host_job *job, size_t out_rows, size_t measure_rows)
{
    if (job->n.stride % LANES != 0) return run_copies(launch, job, out_rows, measure_rows);
    return run_tasks(launch, job);
}

static qn_status run_points(const qn_host_launch *launch)
{
    const elements_numbers *n = launch->arguments[ELEMENTS_NUMBERS];
    const size_t elements = (size_t)n->elements, points = n->order == 1 ? 1 : 4, stored = n->mixed ? 10 : 9;
    host_job job = job_of(launch, n->elements, points_part);
    job.out = launch->arguments[POINTS_STORED];
    job.measures = launch->arguments[POINTS_MEASURES];
    return run_job(launch, &job, elements * points * stored, 2 * elements);
}

static qn_status run_residual(const qn_host_launch *launch)
{
    const elements_numbers *n = launch->arguments[ELEMENTS_NUMBERS];
    host_job job = job_of(launch, n->nodes, residual_part);
    job.out = launch->arguments[RESIDUAL_R];
    return run_job(launch, &job, (size_t)job.first[n->nodes], 0);
}

/* The blocks of each element, of the elements of each block: [element][pair] block, row << 4 | column. */
static void find_blocks(const host_job *job, const int32_t *pair_start, const int32_t *pairs, int32_t *filled)
{
    const int places = job->n.order == 1 ? 10 : 55;
    for (int block = 0; block < job->n.blocks; block++)
        for (int k = pair_start[block]; k < pair_start[block + 1]; k++) {
            const int element = pairs[k] >> ELEMENTS_PAIR_BITS;
            int32_t *to = job->pair_blocks + (ptrdiff_t)2 * (element * places + filled[element]++);
            to[0] = block;
            to[1] = pairs[k] & 255;
        }
}

static qn_status run_tangent(const qn_host_launch *launch)
{
    const elements_numbers *n = launch->arguments[ELEMENTS_NUMBERS];
    const size_t elements = (size_t)n->elements, places = n->order == 1 ? 10 : 55;
    host_job job = job_of(launch, n->blocks, tangent_part);
    void *memory;
    QN_TRY(qn_allocate(elements * (2 * places + 1), sizeof(int32_t), &memory));
    job.pair_blocks = memory;
    job.block_start = launch->arguments[TANGENT_BLOCK_START];
    job.out = launch->arguments[TANGENT_VALUES];
    find_blocks(&job, launch->arguments[TANGENT_PAIR_START], launch->arguments[TANGENT_PAIRS],
                job.pair_blocks + 2 * elements * places);
    const qn_status status = run_job(launch, &job, (size_t)job.block_start[n->blocks], 0);
    qn_release(&memory);
    return status;
}

/* ---- Measures of states ---- */

typedef struct measure_job {
    elements_numbers n;
    const float *measures;
    float *result;
} measure_job;

/* Measures of one state: chunks of elements, then the chunks. */
static qn_status measure_state(size_t state, int worker, void *user)
{
    const measure_job *job = user;
    const size_t stride = (size_t)job->n.stride, elements = (size_t)job->n.elements, chunk = (size_t)job->n.chunk;
    float energy = 0.0f, least = FLOAT_MAXIMUM;
    (void)worker;
    for (size_t c = 0; c < ELEMENTS_CHUNKS; c++) {
        const size_t end = (c + 1) * chunk < elements ? (c + 1) * chunk : elements;
        float part = 0.0f;
        for (size_t element = c * chunk; element < end; element++) {
            part += job->measures[element * stride + state];
            least = FMIN(least, job->measures[(elements + element) * stride + state]);
        }
        energy += part;
    }
    job->result[state] = energy;
    job->result[stride + state] = least;
    return QN_OK;
}

static qn_status run_measure(const qn_host_launch *launch)
{
    measure_job job = {.n = *(const elements_numbers *)launch->arguments[ELEMENTS_NUMBERS],
                       .measures = launch->arguments[MEASURE_MEASURES],
                       .result = launch->arguments[MEASURE_RESULT]};
    return qn_host_parallel(launch, (size_t)job.n.stride, measure_state, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_deform_elements_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_deform_elements_host)[] = {run_points, run_measure, run_residual, run_tangent};

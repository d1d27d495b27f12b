#include <math.h>
#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "deform/body/kernels/elements.h"
#include "tune/workload_inputs.h"

enum { CUBES, STATES, ORDER, FORM, KERNELS = QN_ELEMENTS_TANGENT + 1, ROWS = 4096, BUFFERS = 6 };

#define NAME "deform/elements"
static const double SIDE = 0.01; /* m, of a cube */
/* Of the largest entry of its kind of a state. */
static const double TOLERANCE = 1e-5;

typedef struct elements_workload {
    qn_elements_problem problem;
    qn_mesh mesh;
    qn_body *body;
    qn_elements *elements;
    qn_elements_batch batch;
    float *x;
} elements_workload;

static void list_buffers(elements_workload *state, qn_buffer **buffers[BUFFERS])
{
    qn_elements_batch *batch = &state->batch;
    qn_buffer **all[BUFFERS] = {&batch->x, &batch->stored, &batch->measures, &batch->result, &batch->r, &batch->values};
    for (int k = 0; k < BUFFERS; k++) buffers[k] = all[k];
}

static void destroy(void **pointer)
{
    elements_workload *state = *pointer;
    qn_buffer **buffers[BUFFERS];
    if (!state) return;
    list_buffers(state, buffers);
    for (int k = 0; k < BUFFERS; k++) qn_buffer_release(buffers[k]);
    qn_elements_destroy(&state->elements);
    qn_body_destroy(&state->body);
    qn_release(&state->mesh.positions);
    qn_release(&state->mesh.elements);
    qn_release(&state->x);
    qn_release(pointer);
}

/* Nodes of the six tetrahedra about the diagonal of a cube. `steps`: from one corner to the next along each axis; the
 * middle of an edge is half-way between its ends in a lattice of half the spacing. */
static void split_cube(uint32_t corner, const uint32_t steps[3], int width, uint32_t *elements)
{
    static const int axes[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
    static const int edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
    for (int t = 0; t < 6; t++, elements += width) {
        uint32_t at[4] = {corner};
        for (int c = 0; c < 3; c++) at[c + 1] = at[c] + steps[axes[t][c]];
        elements[0] = at[0];
        elements[1] = t < 3 ? at[1] : at[2]; /* odd orders of the axes turn the other way round */
        elements[2] = t < 3 ? at[2] : at[1];
        elements[3] = at[3];
        for (int k = 4; k < width; k++) elements[k] = (elements[edges[k - 4][0]] + elements[edges[k - 4][1]]) / 2;
    }
}

static qn_status make_mesh(elements_workload *state, int cubes, int order)
{
    const int steps = order * cubes + 1, width = order == 2 ? 10 : 4;
    const size_t nodes = (size_t)steps * (size_t)steps * (size_t)steps;
    const size_t elements = 6 * (size_t)cubes * (size_t)cubes * (size_t)cubes;
    const uint32_t row = (uint32_t)steps,
                   next[3] = {(uint32_t)order, (uint32_t)order * row, (uint32_t)order * row * row};
    void *memory;
    QN_TRY(qn_allocate(3 * nodes, sizeof(double), &memory));
    state->mesh = (qn_mesh){.order = order, .positions = memory, .node_count = nodes, .element_count = elements};
    QN_TRY(qn_allocate(elements * (size_t)width, sizeof(uint32_t), &memory));
    state->mesh.elements = memory;
    for (size_t k = 0; k < nodes; k++) {
        const size_t at[3] = {k % row, k / row % row, k / row / row};
        for (size_t i = 0; i < 3; i++) state->mesh.positions[3 * k + i] = SIDE / order * (double)at[i];
    }
    size_t cube = 0;
    for (uint32_t z = 0; z + 1 < row; z += (uint32_t)order)
        for (uint32_t y = 0; y + 1 < row; y += (uint32_t)order)
            for (uint32_t x = 0; x + 1 < row; x += (uint32_t)order, cube++)
                split_cube(x + row * (y + row * z), next, width, state->mesh.elements + cube * 6 * (size_t)width);
    return QN_OK;
}

/* Displacements up to a twentieth of the distance of nodes, and pressures up to 500 Pa. */
static qn_status make_states(elements_workload *state, qn_queue *queue, uint64_t seed)
{
    const qn_body *body = state->body;
    const size_t stride = (size_t)state->batch.stride;
    const float size = (float)(0.05 * SIDE / body->mesh->order);
    void *memory;
    QN_TRY(qn_allocate(body->freedom_count * stride, sizeof(float), &memory));
    state->x = memory;
    for (size_t k = 0; k < body->freedom_count; k++)
        for (size_t s = 0; s < stride; s++)
            state->x[k * stride + s] = (body->sign[k] > 0 ? size : 500.0f) * qn_workload_input(seed, k * stride + s);
    return qn_workload_make_buffer(queue, state->x, body->freedom_count * stride * sizeof(float), &state->batch.x);
}

static qn_status make_all(elements_workload *state, qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed)
{
    qn_device *device = qn_queue_device(queue);
    qn_elements_batch *batch = &state->batch;
    qn_material material;
    QN_TRY(make_mesh(state, sizes[CUBES], sizes[ORDER]));
    QN_TRY(qn_material_parse(sizes[FORM] == 2 ? "mooney-rivlin:1400,280,20000" : "svk:10000,0.45", &material));
    QN_TRY(qn_body_create(&state->mesh, &material, sizes[FORM] == 2, &state->body));
    QN_TRY(qn_elements_create(queue, state->body, &state->elements));
    batch->count = batch->stride = sizes[STATES];
    state->problem = qn_elements_problem_of(state->body, batch->count, batch->stride);
    const qn_elements_bytes bytes = qn_elements_batch_bytes(state->body, batch->stride);
    QN_TRY(qn_buffer_create(device, bytes.stored, &batch->stored));
    QN_TRY(qn_buffer_create(device, bytes.measures, &batch->measures));
    QN_TRY(qn_buffer_create(device, bytes.result, &batch->result));
    QN_TRY(qn_buffer_create(device, bytes.x, &batch->r));
    QN_TRY(qn_buffer_create(device, bytes.values, &batch->values));
    return make_states(state, queue, seed);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    void *memory;
    QN_TRY(qn_workload_check_size(NAME, "cubes", sizes[CUBES], 1, 64, 1));
    QN_TRY(qn_workload_check_size(NAME, "states", sizes[STATES], 1, 4096, 1));
    QN_TRY(qn_workload_check_size(NAME, "order", sizes[ORDER], 1, 2, 1));
    QN_TRY(qn_workload_check_size(NAME, "form", sizes[FORM], 1, 2, 1));
    QN_TRY(qn_allocate(1, sizeof(elements_workload), &memory));
    *out = memory;
    const qn_status status = make_all(memory, queue, sizes, seed);
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    elements_workload *state = pointer;
    qn_buffer **buffers[BUFFERS];
    list_buffers(state, buffers);
    for (int k = 1; k < BUFFERS; k++) QN_TRY(qn_workload_fill(queue, *buffers[k], 0xff));
    return QN_OK;
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    elements_workload *state = pointer;
    qn_event *events[KERNELS] = {NULL};
    qn_status status = QN_OK;
    if (seconds) *seconds = 0;
    for (int k = 0; k < KERNELS && status == QN_OK; k++)
        status = qn_elements_run(queue, k, configuration, state->elements, &state->batch, &events[k]);
    return qn_workload_take_seconds(status, events, KERNELS, seconds);
}

/* Exact entries of one state and their kinds: how many pressures an entry belongs to. */
typedef struct exact_entries {
    size_t count;
    double *exact, scales[3];
    unsigned char *kinds;
} exact_entries;

static qn_status make_entries(size_t count, exact_entries *entries)
{
    void *memory;
    *entries = (exact_entries){.count = count};
    QN_TRY(qn_allocate(count, sizeof(double), &memory));
    entries->exact = memory;
    QN_TRY(qn_allocate(count, 1, &memory));
    entries->kinds = memory;
    return QN_OK;
}

static void clear_entries(exact_entries *entries)
{
    qn_release(&entries->exact);
    qn_release(&entries->kinds);
}

static void find_kinds(const qn_body *body, exact_entries *r, exact_entries *values)
{
    const qn_block_pattern *pattern = &body->pattern;
    for (size_t k = 0; k < r->count; k++) r->kinds[k] = body->sign[k] < 0;
    for (size_t i = 0; i < pattern->node_count; i++)
        for (uint32_t k = pattern->row_start[i]; k < pattern->row_start[i + 1]; k++) {
            const size_t columns = pattern->size[pattern->column[k]], size = pattern->size[i] * columns;
            for (size_t at = 0; at < size; at++)
                values->kinds[pattern->block_start[k] + at] =
                    (unsigned char)((at / columns == 3) + (at % columns == 3));
        }
}

/* Errors over the largest entry of a kind; rows of a buffer are read some at a time. */
static qn_status compare(qn_queue *queue, qn_buffer *buffer, size_t stride, size_t place, exact_entries *entries,
                         double *largest_error)
{
    void *memory;
    for (size_t k = 0; k < entries->count; k++)
        entries->scales[entries->kinds[k]] = fmax(entries->scales[entries->kinds[k]], fabs(entries->exact[k]));
    QN_TRY(qn_allocate(ROWS * stride, sizeof(float), &memory));
    const float *found = memory;
    qn_status status = QN_OK;
    for (size_t first = 0; first < entries->count && status == QN_OK; first += ROWS) {
        const size_t rows = entries->count - first < ROWS ? entries->count - first : ROWS;
        status = qn_workload_read(queue, buffer, first * stride * sizeof(float), memory, rows * stride * sizeof(float));
        for (size_t k = 0; k < rows && status == QN_OK; k++) {
            const double error = fabs((double)found[k * stride + place] - entries->exact[first + k]);
            *largest_error = qn_workload_larger_error(*largest_error,
                                                      error / (TOLERANCE * entries->scales[entries->kinds[first + k]]));
        }
    }
    qn_release(&memory);
    return status;
}

static qn_status compare_measures(const elements_workload *state, qn_queue *queue, size_t place,
                                  const qn_body_measures *measures, double *largest_error)
{
    const size_t stride = (size_t)state->batch.stride;
    float energy, least;
    QN_TRY(qn_workload_read(queue, state->batch.result, place * sizeof energy, &energy, sizeof energy));
    QN_TRY(qn_workload_read(queue, state->batch.result, (stride + place) * sizeof least, &least, sizeof least));
    *largest_error = qn_workload_larger_error(*largest_error, fabs((double)energy / measures->energy - 1) / TOLERANCE);
    *largest_error = qn_workload_larger_error(*largest_error, fabs((double)least - measures->least_volume) / TOLERANCE);
    return QN_OK;
}

static qn_status check_state(const elements_workload *state, qn_queue *queue, size_t place, exact_entries *r,
                             exact_entries *values, double *largest_error)
{
    const size_t stride = (size_t)state->batch.stride;
    qn_body_measures measures;
    QN_TRY(make_entries(state->body->freedom_count, r));
    QN_TRY(make_entries((size_t)state->problem.value_count, values));
    find_kinds(state->body, r, values);
    QN_TRY(qn_elements_reference(state->body, state->x, (int)stride, (int)place, r->exact, values->exact, &measures));
    QN_TRY(compare(queue, state->batch.r, stride, place, r, largest_error));
    QN_TRY(compare(queue, state->batch.values, stride, place, values, largest_error));
    return compare_measures(state, queue, place, &measures, largest_error);
}

/* The first and the last state. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const elements_workload *state = pointer;
    const size_t count = (size_t)state->batch.count;
    *largest_error = 0;
    for (size_t k = 0; k < 2; k++) {
        exact_entries r = {0}, values = {0};
        const qn_status status = check_state(state, queue, k == 0 ? 0 : count - 1, &r, &values, largest_error);
        clear_entries(&r);
        clear_entries(&values);
        QN_TRY(status);
    }
    return QN_OK;
}

static const void *problem_of(const void *pointer)
{
    return &((const elements_workload *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    *least = (qn_work){0};
    for (int k = 0; k < KERNELS; k++) {
        qn_work part;
        qn_deform_elements_family.kernels[k].work(problem_of(pointer), &part);
        least->bytes_read += part.bytes_read;
        least->bytes_written += part.bytes_written;
        least->multiply_adds += part.multiply_adds;
    }
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    const bool mixed = sizes[FORM] == 2;
    qn_elements_class(
        &(qn_elements_problem){.order = sizes[ORDER], .mooney = mixed, .mixed = mixed, .count = sizes[STATES]}, text);
}

extern const qn_workload qn_deform_elements_workload;
const qn_workload qn_deform_elements_workload = {
    .name = NAME,
    .summary = "residual and tangent of many states of a body; form 1: svk, 2: Mooney-Rivlin with pressures",
    .family = &qn_deform_elements_family,
    .size_names = {"cubes", "states", "order", "form"},
    .gpu_sizes = {12, 256, 1, 1},
    .cpu_sizes = {6, 32, 1, 1},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};

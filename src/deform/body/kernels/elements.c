#include "deform/body/kernels/elements.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "deform/body/kernels/elements_arguments.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "deform/body/kernels/elements.dev.h"

extern const char qn_deform_elements_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_deform_elements_host);

enum { KERNELS = QN_ELEMENTS_TANGENT + 1, TUNABLES = QN_ELEMENTS_FUSED + 1 };

static const qn_tunable tunables[TUNABLES] = {
    [QN_ELEMENTS_STATES] = {"STATES", {4, 8, 16, 32}, 4, 32, "states of a group"},
    [QN_ELEMENTS_OWNERS] = {"OWNERS", {1, 2, 4, 8, 16, 32}, 6, 4, "elements, nodes or blocks of a group"},
    [QN_ELEMENTS_FUSED] = {"FUSED", {0, 1}, 2, 1, "1: owners form displacement gradients; 0: they read stored ones"},
};

static const char *const constraints[] = {
    "STATES * OWNERS <= device.largest_group", "STATES * OWNERS >= device.subgroup_size",
    "256 <= device.largest_group",                                    /* of `measure` */
    "!device.is_host || (STATES == 32 && OWNERS == 4 && FUSED == 1)", /* the host's kernels use none of them */
};

/* ---- Geometry and least work ---- */

static qn_geometry geometry(const qn_configuration *configuration, int stride, int owners)
{
    const size_t states = (size_t)configuration->value[QN_ELEMENTS_STATES];
    const size_t rows = (size_t)configuration->value[QN_ELEMENTS_OWNERS];
    return (qn_geometry){
        {((size_t)stride + states - 1) / states * states, ((size_t)owners + rows - 1) / rows * rows, 1},
        {states, rows, 1}};
}

static qn_geometry points_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_elements_problem *problem = user;
    return geometry(configuration, problem->stride, problem->element_count);
}

/* The same for every configuration: enough work-items for the chunks of few states. */
static qn_geometry measure_geometry(const qn_configuration *configuration, const void *user)
{
    const size_t stride = (size_t)((const qn_elements_problem *)user)->stride;
    (void)configuration;
    return (qn_geometry){{(stride + ELEMENTS_MEASURED - 1) / ELEMENTS_MEASURED * ELEMENTS_MEASURED, ELEMENTS_CHUNKS, 1},
                         {ELEMENTS_MEASURED, ELEMENTS_CHUNKS, 1}};
}

static qn_geometry residual_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_elements_problem *problem = user;
    return geometry(configuration, problem->stride, problem->node_count);
}

static qn_geometry tangent_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_elements_problem *problem = user;
    return geometry(configuration, problem->stride, problem->block_count);
}

static int nodes_of(const qn_elements_problem *problem)
{
    return problem->order == 2 ? 10 : 4;
}

static double points_of(const qn_elements_problem *problem)
{
    return (double)problem->element_count * (problem->order == 2 ? 4 : 1);
}

/* Bytes of what all states share: gradients, weights, indices. */
static double shared_bytes(const qn_elements_problem *problem)
{
    return points_of(problem) * (12 * nodes_of(problem) + 4) + 4.0 * problem->element_count * nodes_of(problem);
}

/* Slots at a point: 9 a node for G, then strain, stress, energy. */
static void points_work(const void *user, qn_work *work)
{
    const qn_elements_problem *problem = user;
    const double points = points_of(problem) * problem->count;
    *work = (qn_work){.bytes_read = 4 * problem->freedom_count * problem->count + shared_bytes(problem),
                      .bytes_written =
                          points * 4 * (problem->mixed ? 10 : 9) + 8.0 * problem->element_count * problem->count,
                      .multiply_adds = points * (9 * nodes_of(problem) + (problem->mooney ? 90 : 45))};
}

static void measure_work(const void *user, qn_work *work)
{
    const qn_elements_problem *problem = user;
    const double elements = (double)problem->element_count * problem->count;
    *work = (qn_work){.bytes_read = 8 * elements, .bytes_written = 8.0 * problem->count, .multiply_adds = 2 * elements};
}

/* Slots at a point where an element's nodes share it: G 9 a node; svk: strain and stress 28, then 21 a node;
 * Mooney-Rivlin: 100 for strain, stress and cofactors, then 21 a node. */
static void residual_work(const void *user, qn_work *work)
{
    const qn_elements_problem *problem = user;
    const double points = points_of(problem) * problem->count;
    *work = (qn_work){.bytes_read = 4 * problem->freedom_count * problem->count + shared_bytes(problem),
                      .bytes_written = 4 * problem->freedom_count * problem->count,
                      .multiply_adds = points * ((problem->mooney ? 100 : 28) + 30 * nodes_of(problem))};
}

/* Likewise: a node takes 18 slots more (svk) or 27, a pair of nodes 36 or 66, and in the mixed form 7. */
static void tangent_work(const void *user, qn_work *work)
{
    const qn_elements_problem *problem = user;
    const double points = points_of(problem) * problem->count, nodes = nodes_of(problem);
    const double pair = problem->mooney ? (problem->mixed ? 73 : 66) : 36;
    const double node = 9 + (problem->mooney ? 27 : 18), own = problem->mooney ? 130 : 46;
    *work = (qn_work){.bytes_read = 4 * problem->freedom_count * problem->count + shared_bytes(problem),
                      .bytes_written = 4 * problem->value_count * problem->count,
                      .multiply_adds = points * (own + node * nodes + pair * nodes * (nodes + 1) / 2)};
}

/* ---- Declarations ---- */

static qn_status host_points(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_deform_elements_host)[QN_ELEMENTS_POINTS](launch);
}

static qn_status host_measure(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_deform_elements_host)[QN_ELEMENTS_MEASURE](launch);
}

static qn_status host_residual(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_deform_elements_host)[QN_ELEMENTS_RESIDUAL](launch);
}

static qn_status host_tangent(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_deform_elements_host)[QN_ELEMENTS_TANGENT](launch);
}

/* The first arguments of all kernels but `measure`. */
#define SHARED_ARGUMENTS                                                                                          \
    [ELEMENTS_NUMBERS] = {"n", QN_VALUE, QN_BYTES, sizeof(elements_numbers)},                                     \
    [ELEMENTS_NODES] = {"nodes", QN_IN, QN_INT32}, [ELEMENTS_FIRST] = {"first", QN_IN, QN_INT32},                 \
    [ELEMENTS_GRADIENTS] = {"gradients", QN_IN, QN_FLOAT32}, [ELEMENTS_WEIGHTS] = {"weights", QN_IN, QN_FLOAT32}, \
    [ELEMENTS_X] = {"x", QN_IN, QN_FLOAT32}

static const qn_argument_declaration points_arguments[POINTS_ARGUMENTS] = {
    SHARED_ARGUMENTS,
    [POINTS_STORED] = {"stored", QN_OUT, QN_FLOAT32},
    [POINTS_MEASURES] = {"measures", QN_OUT, QN_FLOAT32},
};
static const qn_argument_declaration measure_arguments[MEASURE_ARGUMENTS] = {
    [ELEMENTS_NUMBERS] = {"n", QN_VALUE, QN_BYTES, sizeof(elements_numbers)},
    [MEASURE_MEASURES] = {"measures", QN_IN, QN_FLOAT32},
    [MEASURE_RESULT] = {"result", QN_OUT, QN_FLOAT32},
};
static const qn_argument_declaration residual_arguments[RESIDUAL_ARGUMENTS] = {
    SHARED_ARGUMENTS,
    [RESIDUAL_STORED] = {"stored", QN_IN, QN_FLOAT32},
    [RESIDUAL_INCIDENT_START] = {"incident_start", QN_IN, QN_INT32},
    [RESIDUAL_INCIDENT] = {"incident", QN_IN, QN_INT32},
    [RESIDUAL_R] = {"r", QN_OUT, QN_FLOAT32},
};
static const qn_argument_declaration tangent_arguments[TANGENT_ARGUMENTS] = {
    SHARED_ARGUMENTS,
    [TANGENT_STORED] = {"stored", QN_IN, QN_FLOAT32},
    [TANGENT_PAIR_START] = {"pair_start", QN_IN, QN_INT32},
    [TANGENT_PAIRS] = {"pairs", QN_IN, QN_INT32},
    [TANGENT_BLOCK_START] = {"block_start", QN_IN, QN_INT32},
    [TANGENT_VALUES] = {"values", QN_OUT, QN_FLOAT32},
};

static const qn_kernel_declaration kernels[KERNELS] = {
    [QN_ELEMENTS_POINTS] = {"points", points_arguments, POINTS_ARGUMENTS, points_geometry, host_points, points_work},
    [QN_ELEMENTS_MEASURE] = {"measure", measure_arguments, MEASURE_ARGUMENTS, measure_geometry, host_measure,
                             measure_work},
    [QN_ELEMENTS_RESIDUAL] = {"residual", residual_arguments, RESIDUAL_ARGUMENTS, residual_geometry, host_residual,
                              residual_work},
    [QN_ELEMENTS_TANGENT] = {"tangent", tangent_arguments, TANGENT_ARGUMENTS, tangent_geometry, host_tangent,
                             tangent_work},
};

const qn_family qn_deform_elements_family = {
    .name = "deform/elements",
    .source = qn_deform_elements_source,
    .source_path = "deform/body/kernels/elements.cl",
    .kernels = kernels,
    .kernel_count = KERNELS,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
    .check_definitions = "ORDER=2 MIXED=1 MOONEY=1",
};

/* ---- Launch ---- */

static elements_numbers numbers_of(const qn_body *body, int count, int stride)
{
    const qn_material *material = &body->material;
    const int elements = (int)body->mesh->element_count, nodes = (int)body->mesh->node_count;
    elements_numbers n = {.lambda = (float)material->lambda,
                          .mu = (float)material->mu,
                          .c10 = (float)material->c10,
                          .c01 = (float)material->c01,
                          .elements = elements,
                          .nodes = nodes,
                          .blocks = (int)body->pattern.row_start[nodes],
                          .count = count,
                          .stride = stride,
                          .chunk = (elements + ELEMENTS_CHUNKS - 1) / ELEMENTS_CHUNKS,
                          .order = body->mesh->order,
                          .mixed = body->mixed,
                          .mooney = material->kind == QN_MATERIAL_MOONEY_RIVLIN};
    if (n.mooney && !body->mixed) n.kappa = (float)material->kappa;
    if (!body->mixed) return n;
    const double inverse = 1 / material->kappa;
    n.inverse_kappa = (float)inverse;
    n.each = (float)(0.05 * inverse + (0.05 - 0.0625) / material->mu);
    n.same = (float)(0.05 * (inverse + 1 / material->mu));
    return n;
}

qn_elements_bytes qn_elements_batch_bytes(const qn_body *body, int stride)
{
    const size_t elements = body->mesh->element_count, points = elements * (size_t)body->point_count;
    const size_t state = (size_t)stride * sizeof(float);
    return (qn_elements_bytes){.x = body->freedom_count * state,
                               .stored = points * (body->mixed ? 10 : 9) * state,
                               .measures = 2 * elements * state,
                               .result = 2 * state,
                               .values =
                                   body->pattern.block_start[body->pattern.row_start[body->mesh->node_count]] * state};
}

static qn_status check_buffer(const char *name, const qn_buffer *buffer, size_t bytes)
{
    if (qn_buffer_bytes(buffer) < bytes)
        return QN_FAIL(QN_INVALID_ARGUMENT, "deform/elements: %s: %zu bytes; expected %zu", name,
                       qn_buffer_bytes(buffer), bytes);
    return QN_OK;
}

static qn_status check_batch(const qn_body *body, int kernel, const qn_elements_batch *batch)
{
    const qn_elements_bytes bytes = qn_elements_batch_bytes(body, batch->stride);
    if (kernel != QN_ELEMENTS_MEASURE) QN_TRY(check_buffer("x", batch->x, bytes.x));
    if (kernel != QN_ELEMENTS_MEASURE) QN_TRY(check_buffer("stored", batch->stored, bytes.stored));
    if (kernel == QN_ELEMENTS_MEASURE) QN_TRY(check_buffer("result", batch->result, bytes.result));
    if (kernel == QN_ELEMENTS_MEASURE || kernel == QN_ELEMENTS_POINTS)
        QN_TRY(check_buffer("measures", batch->measures, bytes.measures));
    if (kernel == QN_ELEMENTS_RESIDUAL) QN_TRY(check_buffer("r", batch->r, bytes.x));
    if (kernel == QN_ELEMENTS_TANGENT) QN_TRY(check_buffer("values", batch->values, bytes.values));
    return QN_OK;
}

/* Fill the arguments of a kernel; unused ones stay empty. */
static void fill_arguments(int kernel, const qn_elements *e, const qn_elements_batch *batch,
                           const elements_numbers *numbers, qn_argument arguments[])
{
    const qn_elements_bytes bytes = qn_elements_batch_bytes(e->body, batch->stride);
    arguments[ELEMENTS_NUMBERS] = qn_argument_struct(numbers, sizeof *numbers);
    if (kernel == QN_ELEMENTS_MEASURE) {
        arguments[MEASURE_MEASURES] = qn_argument_range(batch->measures, 0, bytes.measures);
        arguments[MEASURE_RESULT] = qn_argument_range(batch->result, 0, bytes.result);
        return;
    }
    arguments[ELEMENTS_NODES] = qn_argument_buffer(e->nodes);
    arguments[ELEMENTS_FIRST] = qn_argument_buffer(e->first_freedom);
    arguments[ELEMENTS_GRADIENTS] = qn_argument_buffer(e->gradients);
    arguments[ELEMENTS_WEIGHTS] = qn_argument_buffer(e->weights);
    arguments[ELEMENTS_X] = qn_argument_range(batch->x, 0, bytes.x);
    arguments[POINTS_STORED] = qn_argument_range(batch->stored, 0, bytes.stored);
    if (kernel == QN_ELEMENTS_POINTS) {
        arguments[POINTS_MEASURES] = qn_argument_range(batch->measures, 0, bytes.measures);
    } else if (kernel == QN_ELEMENTS_RESIDUAL) {
        arguments[RESIDUAL_INCIDENT_START] = qn_argument_buffer(e->incident_start);
        arguments[RESIDUAL_INCIDENT] = qn_argument_buffer(e->incident);
        arguments[RESIDUAL_R] = qn_argument_range(batch->r, 0, bytes.x);
    } else {
        arguments[TANGENT_PAIR_START] = qn_argument_buffer(e->pair_start);
        arguments[TANGENT_PAIRS] = qn_argument_buffer(e->pairs);
        arguments[TANGENT_BLOCK_START] = qn_argument_buffer(e->block_start);
        arguments[TANGENT_VALUES] = qn_argument_range(batch->values, 0, bytes.values);
    }
}

/* The class of a problem: number of states and kind of elements. */
void qn_elements_class(const qn_elements_problem *problem, char text[64])
{
    int states = 4;
    while (states < problem->count && states < 1024) states *= 4;
    snprintf(text, 64, "order=%d %s%s states<=%d", problem->order, problem->mooney ? "mooney" : "svk",
             problem->mixed ? " mixed" : "", states);
}

qn_elements_problem qn_elements_problem_of(const qn_body *body, int count, int stride)
{
    const qn_block_pattern *pattern = &body->pattern;
    const uint32_t blocks = pattern->row_start[pattern->node_count];
    return (qn_elements_problem){
        .order = body->mesh->order,
        .element_count = (int)body->mesh->element_count,
        .node_count = (int)body->mesh->node_count,
        .block_count = (int)blocks,
        .mooney = body->material.kind == QN_MATERIAL_MOONEY_RIVLIN,
        .mixed = body->mixed,
        .count = count,
        .stride = stride,
        .freedom_count = (double)body->freedom_count,
        .value_count = pattern->block_start[blocks],
    };
}

qn_status qn_elements_run(qn_queue *queue, int kernel, const qn_configuration *configuration,
                          const qn_elements *elements, const qn_elements_batch *batch, qn_event **event)
{
    const qn_body *body = elements->body;
    qn_argument arguments[TANGENT_ARGUMENTS];
    char problem_class[64], definitions[64];
    if (event) *event = NULL;
    if (batch->count < 1 || batch->count > QN_ELEMENTS_STATES_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "deform/elements: %d states; expected 1 to %d", batch->count,
                       QN_ELEMENTS_STATES_MAX);
    if (batch->stride < batch->count || batch->stride > QN_ELEMENTS_STATES_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "deform/elements: a stride of %d for %d states; expected %d to %d",
                       batch->stride, batch->count, batch->count, QN_ELEMENTS_STATES_MAX);
    QN_TRY(check_batch(body, kernel, batch));
    const elements_numbers numbers = numbers_of(body, batch->count, batch->stride);
    const qn_elements_problem problem = qn_elements_problem_of(body, batch->count, batch->stride);
    fill_arguments(kernel, elements, batch, &numbers, arguments);
    qn_elements_class(&problem, problem_class);
    snprintf(definitions, sizeof definitions, "ORDER=%d MIXED=%d MOONEY=%d", problem.order, problem.mixed,
             problem.mooney);
    const qn_family_call call = {.kernel = kernel,
                                 .arguments = arguments,
                                 .argument_count = kernels[kernel].argument_count,
                                 .problem = &problem,
                                 .problem_class = problem_class,
                                 .definitions = definitions,
                                 .configuration = configuration};
    return qn_family_run(&qn_deform_elements_family, queue, &call, event);
}

#include "deform/batch/kernels/balance.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "deform/batch/kernels/balance_arguments.h"
#include "runtime/filled_buffer.h"
#include "runtime/host_variant.h"

#include "deform/batch/kernels/balance.dev.h"

extern const char qn_deform_balance_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_deform_balance_host);

enum { KERNELS = QN_BALANCE_STIFFNESS + 1, TUNABLES = QN_BALANCE_ROWS + 1, BUFFERS_MAX = 5 };

static const qn_tunable tunables[TUNABLES] = {
    [QN_BALANCE_STATES] = {"STATES", {4, 8, 16, 32}, 4, 8, "states of a group"},
    [QN_BALANCE_ROWS] = {"ROWS", {1, 2, 4, 8, 16, 32}, 6, 32, "freedoms, or parts of a sum, of a group at once"},
};

static const char *const constraints[] = {
    "STATES * ROWS <= device.largest_group", "STATES * ROWS >= device.subgroup_size",
    "9 * 32 * 4 * STATES <= device.local_memory_bytes",
    "!device.is_host || (STATES == 8 && ROWS == 32)", /* the host's kernels use none of them */
};

/* The family's problem. */
typedef struct balance_problem {
    balance_numbers n;
    int sides, term_count;
} balance_problem;

/* ---- Geometry and least work ---- */

static size_t rounded(size_t count, size_t group)
{
    return (count + group - 1) / group * group;
}

static qn_geometry rows_geometry(const qn_configuration *configuration, const void *user)
{
    const balance_problem *problem = user;
    const size_t states = (size_t)configuration->value[QN_BALANCE_STATES];
    const size_t rows = (size_t)configuration->value[QN_BALANCE_ROWS];
    return (qn_geometry){{rounded((size_t)problem->n.stride, states), rounded((size_t)problem->n.rows, rows), 1},
                         {states, rows, 1}};
}

static qn_geometry sums_geometry(const qn_configuration *configuration, const void *user)
{
    const balance_problem *problem = user;
    const size_t states = (size_t)configuration->value[QN_BALANCE_STATES];
    const size_t rows = (size_t)configuration->value[QN_BALANCE_ROWS];
    return (qn_geometry){{rounded((size_t)problem->n.stride, states), rows, 1}, {states, rows, 1}};
}

/* Work of a kernel that reads and writes some numbers for each row and state. */
static void set_work(const void *user, double reads, double writes, double operations, qn_work *work)
{
    const balance_problem *problem = user;
    const double numbers = (double)problem->n.rows * problem->n.stride;
    *work = (qn_work){.bytes_read = 4 * reads * numbers,
                      .bytes_written = 4 * writes * numbers,
                      .multiply_adds = operations * numbers};
}

static void start_work(const void *user, qn_work *work)
{
    set_work(user, 4, 1, 3, work);
}

static void negate_work(const void *user, qn_work *work)
{
    set_work(user, 1, 1, 1, work);
}

static void advance_work(const void *user, qn_work *work)
{
    set_work(user, 2, 1, 1, work);
}

static void norms_work(const void *user, qn_work *work)
{
    set_work(user, 1, 0, 2, work);
}

static void columns_work(const void *user, qn_work *work)
{
    const balance_problem *problem = user;
    set_work(user, (double)problem->term_count / problem->n.freedoms, 3,
             (double)problem->term_count / problem->n.freedoms, work);
}

static void stiffness_work(const void *user, qn_work *work)
{
    set_work(user, 6, 0, 9, work);
}

/* ---- Declarations ---- */

#define HOST(name, kernel)                                             \
    static qn_status name(const qn_host_launch *launch)                \
    {                                                                  \
        return QN_HOST_SELECT(qn_deform_balance_host)[kernel](launch); \
    }
HOST(host_start, QN_BALANCE_START)
HOST(host_negate, QN_BALANCE_NEGATE)
HOST(host_advance, QN_BALANCE_ADVANCE)
HOST(host_norms, QN_BALANCE_NORMS)
HOST(host_columns, QN_BALANCE_COLUMNS)
HOST(host_stiffness, QN_BALANCE_STIFFNESS)

#define NUMBERS [BALANCE_NUMBERS] = {"n", QN_VALUE, QN_BYTES, sizeof(balance_numbers)}
#define KINDS [BALANCE_KINDS] = {"kinds", QN_IN, QN_INT32}

static const qn_argument_declaration start_arguments[START_ARGUMENTS] = {
    NUMBERS,
    KINDS,
    [START_PARENT] = {"parent", QN_IN, QN_FLOAT32},
    [START_CHANGE] = {"change", QN_IN, QN_FLOAT32},
    [START_PLACES] = {"places", QN_IN, QN_FLOAT32},
    [START_X] = {"x", QN_OUT, QN_FLOAT32},
};
static const qn_argument_declaration negate_arguments[NEGATE_ARGUMENTS] = {
    NUMBERS,
    KINDS,
    [NEGATE_VALUES] = {"values", QN_IN, QN_FLOAT32},
    [NEGATE_RESULT] = {"result", QN_OUT, QN_FLOAT32},
};
static const qn_argument_declaration advance_arguments[ADVANCE_ARGUMENTS] = {
    NUMBERS,
    [ADVANCE_X] = {"x", QN_IN, QN_FLOAT32},
    [ADVANCE_STEP] = {"step", QN_IN, QN_FLOAT32},
    [ADVANCE_LENGTHS] = {"lengths", QN_IN, QN_FLOAT32},
    [ADVANCE_RESULT] = {"result", QN_OUT, QN_FLOAT32},
};
static const qn_argument_declaration norms_arguments[NORMS_ARGUMENTS] = {
    NUMBERS,
    KINDS,
    [NORMS_SCALES] = {"scales", QN_IN, QN_FLOAT32},
    [NORMS_R] = {"r", QN_IN, QN_FLOAT32},
    [NORMS_RESULT] = {"result", QN_OUT, QN_FLOAT32},
};
static const qn_argument_declaration columns_arguments[COLUMNS_ARGUMENTS] = {
    NUMBERS,
    [COLUMNS_STARTS] = {"starts", QN_IN, QN_INT32},
    [COLUMNS_TERMS] = {"terms", QN_IN, QN_INT32},
    [COLUMNS_VALUES] = {"values", QN_IN, QN_FLOAT32},
    [COLUMNS_RESULT] = {"result", QN_OUT, QN_FLOAT32},
};
static const qn_argument_declaration stiffness_arguments[STIFFNESS_ARGUMENTS] = {
    NUMBERS,
    KINDS,
    [STIFFNESS_COLUMNS] = {"of_held", QN_IN, QN_FLOAT32},
    [STIFFNESS_CHANGE] = {"change", QN_IN, QN_FLOAT32},
    [STIFFNESS_RESULT] = {"result", QN_OUT, QN_FLOAT32},
};

static const qn_kernel_declaration kernels[KERNELS] = {
    [QN_BALANCE_START] = {"start", start_arguments, START_ARGUMENTS, rows_geometry, host_start, start_work},
    [QN_BALANCE_NEGATE] = {"negate", negate_arguments, NEGATE_ARGUMENTS, rows_geometry, host_negate, negate_work},
    [QN_BALANCE_ADVANCE] = {"advance", advance_arguments, ADVANCE_ARGUMENTS, rows_geometry, host_advance, advance_work},
    [QN_BALANCE_NORMS] = {"norms", norms_arguments, NORMS_ARGUMENTS, sums_geometry, host_norms, norms_work},
    [QN_BALANCE_COLUMNS] = {"columns", columns_arguments, COLUMNS_ARGUMENTS, rows_geometry, host_columns, columns_work},
    [QN_BALANCE_STIFFNESS] = {"stiffness", stiffness_arguments, STIFFNESS_ARGUMENTS, sums_geometry, host_stiffness,
                              stiffness_work},
};

const qn_family qn_deform_balance_family = {
    .name = "deform/balance",
    .source = qn_deform_balance_source,
    .source_path = "deform/batch/kernels/balance.cl",
    .kernels = kernels,
    .kernel_count = KERNELS,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

/* ---- A problem on a device ---- */

static void describe_freedoms(const qn_problem *problem, int32_t *kinds, float *scales)
{
    const qn_body *body = problem->body;
    for (size_t i = 0; i < body->freedom_count; i++) {
        kinds[i] = problem->is_free[i] ? BALANCE_FREE : BALANCE_FIXED;
        scales[i] = body->sign[i] > 0 ? 1.0f : (float)problem->pressure_scale;
    }
    for (size_t i = 0; i < problem->held_count; i++)
        for (unsigned axis = 0; axis < 3; axis++)
            kinds[body->pattern.first_freedom[problem->held[i]] + axis] = BALANCE_HELD + (int32_t)axis;
}

/* Call for each value of K in a column of a held freedom: its row, the axis, its place. Where `next` is NULL, terms are
 * counted in starts; else they are put where next says. Rows of terms: 3 · row + axis. */
static void visit_terms(const qn_problem *problem, int32_t *starts, int32_t *next, int32_t *terms)
{
    const qn_block_pattern *pattern = &problem->body->pattern;
    for (size_t i = 0; i < pattern->node_count; i++)
        for (uint32_t k = pattern->row_start[i]; k < pattern->row_start[i + 1]; k++) {
            const uint32_t j = pattern->column[k], rows = pattern->size[i], columns = pattern->size[j];
            const uint32_t row = pattern->first_freedom[i], column = pattern->first_freedom[j];
            for (uint32_t axis = 0; axis < 3; axis++) {
                for (uint32_t a = 0; problem->is_held[column + axis] && a < rows; a++) {
                    const uint32_t at = 3 * (row + a) + axis;
                    if (next)
                        terms[next[at]++] = (int32_t)(pattern->block_start[k] + a * columns + axis);
                    else
                        starts[at + 1]++;
                }
                for (uint32_t a = 0; j != i && problem->is_held[row + axis] && a < columns; a++) {
                    const uint32_t at = 3 * (column + a) + axis;
                    if (next)
                        terms[next[at]++] = (int32_t)(pattern->block_start[k] + axis * columns + a);
                    else
                        starts[at + 1]++;
                }
            }
        }
}

static qn_status upload_terms(qn_queue *queue, const qn_problem *problem, qn_balance *balance)
{
    const size_t rows = 3 * problem->body->freedom_count;
    int32_t *starts, *next = NULL, *terms = NULL;
    QN_TRY(qn_allocate(rows + 1, sizeof *starts, (void **)&starts));
    visit_terms(problem, starts, NULL, NULL);
    for (size_t i = 0; i < rows; i++) starts[i + 1] += starts[i];
    balance->term_count = starts[rows];
    qn_status status = qn_allocate(rows, sizeof *next, (void **)&next);
    if (status == QN_OK) status = qn_allocate((size_t)balance->term_count, sizeof *terms, (void **)&terms);
    if (status == QN_OK) {
        memcpy(next, starts, rows * sizeof *next);
        visit_terms(problem, starts, next, terms);
        status = qn_buffer_create_filled(queue, starts, (rows + 1) * sizeof *starts, &balance->starts);
    }
    if (status == QN_OK)
        status = qn_buffer_create_filled(queue, terms, (size_t)balance->term_count * sizeof *terms, &balance->terms);
    if (status == QN_OK) status = qn_queue_finish(queue); /* before the lists are released */
    qn_release(&terms);
    qn_release(&next);
    qn_release(&starts);
    return status;
}

static qn_status upload_kinds(qn_queue *queue, const qn_problem *problem, qn_balance *balance)
{
    const size_t count = problem->body->freedom_count;
    void *memory;
    QN_TRY(qn_allocate(2 * count, 4, &memory));
    int32_t *kinds = memory;
    float *scales = (float *)memory + count;
    describe_freedoms(problem, kinds, scales);
    qn_status status = qn_buffer_create_filled(queue, kinds, count * sizeof *kinds, &balance->kinds);
    if (status == QN_OK) status = qn_buffer_create_filled(queue, scales, count * sizeof *scales, &balance->scales);
    if (status == QN_OK) status = qn_queue_finish(queue);
    qn_release(&memory);
    return status;
}

qn_status qn_balance_create(qn_queue *queue, const qn_problem *problem, qn_balance **balance)
{
    *balance = NULL;
    if (problem->mean)
        return QN_FAIL(
            QN_UNSUPPORTED,
            "the contact is the mean of a set, which devices do not solve; expected a set without mean:, or the host");
    QN_TRY(qn_allocate(1, sizeof **balance, (void **)balance));
    (*balance)->problem = problem;
    qn_status status = upload_kinds(queue, problem, *balance);
    if (status == QN_OK) status = upload_terms(queue, problem, *balance);
    if (status != QN_OK) qn_balance_destroy(balance);
    return status;
}

void qn_balance_destroy(qn_balance **balance)
{
    if (!*balance) return;
    qn_buffer_release(&(*balance)->kinds);
    qn_buffer_release(&(*balance)->scales);
    qn_buffer_release(&(*balance)->starts);
    qn_buffer_release(&(*balance)->terms);
    qn_release(balance);
}

/* ---- Launch ---- */

/* Fill the arguments that the problem has: kinds, scales, starts and terms. Returns their number. */
static int fill_own(int kernel, const qn_balance *balance, qn_argument arguments[])
{
    int count = 1;
    if (kernel == QN_BALANCE_COLUMNS) {
        arguments[count++] = qn_argument_buffer(balance->starts);
        arguments[count++] = qn_argument_buffer(balance->terms);
    } else if (kernel != QN_BALANCE_ADVANCE) {
        arguments[count++] = qn_argument_buffer(balance->kinds);
        if (kernel == QN_BALANCE_NORMS) arguments[count++] = qn_argument_buffer(balance->scales);
    }
    return count;
}

qn_status qn_balance_run(qn_queue *queue, int kernel, const qn_configuration *configuration, const qn_balance *balance,
                         int stride, int sides, qn_buffer *const buffers[], qn_event **event)
{
    const int freedoms = (int)balance->problem->body->freedom_count, total = kernels[kernel].argument_count;
    qn_argument arguments[BUFFERS_MAX + START_ARGUMENTS];
    char problem_class[64];
    const balance_problem problem = {.n = {.freedoms = freedoms,
                                           .rows = freedoms * sides,
                                           .stride = stride,
                                           .part = (freedoms + BALANCE_PARTS - 1) / BALANCE_PARTS},
                                     .sides = sides,
                                     .term_count = balance->term_count};
    int states = 4, count = fill_own(kernel, balance, arguments);
    arguments[BALANCE_NUMBERS] = qn_argument_struct(&problem.n, sizeof problem.n);
    for (int i = 0; count < total; i++) arguments[count++] = qn_argument_buffer(buffers[i]);
    while (states < stride && states < 1024) states *= 4;
    snprintf(problem_class, sizeof problem_class, "states<=%d", states);
    const qn_family_call call = {.kernel = kernel,
                                 .arguments = arguments,
                                 .argument_count = total,
                                 .problem = &problem,
                                 .problem_class = problem_class,
                                 .configuration = configuration};
    return qn_family_run(&qn_deform_balance_family, queue, &call, event);
}

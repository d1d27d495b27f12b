#include "fuse/blas/runner.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

struct qn_blas_runner {
    const qn_graph *graph;
    const qn_blas_library *library;
    void *state; /* of the library */
    qn_device *device;
    qn_queue *queue;
    qn_blas_way way;
    bool is_recorded;
    qn_blas_steps *steps;
    qn_sizes sizes;
    double stored[QN_GRAPH_VALUES_MAX];
    qn_buffer *data[QN_GRAPH_VALUES_MAX], *starts[QN_GRAPH_VALUES_MAX], *columns[QN_GRAPH_VALUES_MAX];
    float scalars[QN_GRAPH_VALUES_MAX]; /* by root, on the host */
};

static bool is_scalar(const qn_blas_runner *runner, int value)
{
    return runner->graph->values[value].kind == QN_SCALAR;
}

/* ---- memory ---- */

static qn_status make_value(qn_blas_runner *runner, int value)
{
    const qn_value *of = &runner->graph->values[value];
    const size_t count = qn_value_elements(runner->graph, value, &runner->sizes, (size_t)runner->stored[value]);
    const size_t bytes = (count > 0 ? count : 1) * sizeof(float);
    QN_TRY(qn_buffer_create(runner->device, bytes, &runner->data[value]));
    QN_TRY(qn_queue_fill(runner->queue, runner->data[value], 0, bytes, 0, NULL)); /* CLBlast multiplies it by 0 */
    if (of->kind != QN_CSR) return QN_OK;
    const size_t rows = (size_t)runner->sizes.of[of->extents[0]] + 1;
    QN_TRY(qn_buffer_create(runner->device, rows * sizeof(int32_t), &runner->starts[value]));
    return qn_buffer_create(runner->device, count * sizeof(int32_t), &runner->columns[value]);
}

static qn_status write_value(qn_blas_runner *runner, const qn_blas_given *given, int value)
{
    const qn_value *of = &runner->graph->values[value];
    const int root = runner->steps->memory[value];
    const size_t count = qn_value_elements(runner->graph, value, &runner->sizes, (size_t)runner->stored[value]);
    if (of->kind == QN_SCALAR) {
        runner->scalars[root] = given->floats[value][0];
        return QN_OK;
    }
    QN_TRY(qn_queue_write(runner->queue, runner->data[root], 0, given->floats[value], count * sizeof(float), NULL));
    if (of->kind == QN_CSR) {
        const size_t rows = (size_t)runner->sizes.of[of->extents[0]] + 1;
        QN_TRY(
            qn_queue_write(runner->queue, runner->starts[root], 0, given->starts[value], rows * sizeof(int32_t), NULL));
        QN_TRY(qn_queue_write(runner->queue, runner->columns[root], 0, given->columns[value], count * sizeof(int32_t),
                              NULL));
    }
    return qn_queue_finish(runner->queue);
}

static qn_status write_given(qn_blas_runner *runner, const qn_blas_given *given, bool with_constants)
{
    for (int value = 0; value < runner->graph->value_count; value++)
        if (runner->graph->values[value].is_given && (with_constants || !qn_value_is_constant(runner->graph, value)))
            QN_TRY(write_value(runner, given, value));
    return QN_OK;
}

qn_status qn_blas_runner_restore(qn_blas_runner *runner, const qn_blas_given *given)
{
    return write_given(runner, given, false);
}

/* ---- what a library can do ---- */

/* A recorded sequence must not wait for a number: no factor may be made by a call, and there are no loops. */
static qn_status check_recorded(const qn_blas_runner *runner)
{
    const qn_graph *graph = runner->graph;
    if (!runner->library->record) return QN_FAIL(QN_UNSUPPORTED, "%s has no graphs of commands", runner->library->name);
    for (int section = 0; section < graph->section_count; section++)
        if (graph->sections[section].is_loop)
            return QN_FAIL(QN_UNSUPPORTED, "%s: a CUDA graph of the calls cannot wait for scalars of a loop",
                           graph->name);
    for (int i = 0; i < runner->steps->count; i++)
        if (runner->steps->steps[i].kind == QN_BLAS_HOST)
            return QN_FAIL(QN_UNSUPPORTED, "%s: a CUDA graph of the calls cannot wait for \"%s\"", graph->name,
                           graph->calls[runner->steps->steps[i].call].text);
    return QN_OK;
}

/* Whether the best sequence has calls that the legacy one has not. */
static qn_status check_gain(const qn_blas_runner *runner)
{
    for (int i = 0; i < runner->steps->count; i++)
        if (runner->library->more >> runner->steps->steps[i].kind & 1) return QN_OK;
    return QN_FAIL(QN_UNSUPPORTED, "%s: no other calls of %s are better than the legacy ones", runner->graph->name,
                   runner->library->name);
}

static qn_status make_steps(qn_blas_runner *runner)
{
    const qn_blas_library *library = runner->library;
    const qn_blas_kinds kinds = library->legacy | (runner->way == QN_BLAS_BY_LEGACY ? 0 : library->more);
    QN_TRY(qn_allocate(1, sizeof *runner->steps, (void **)&runner->steps));
    QN_TRY(qn_blas_steps_make(runner->graph, kinds, runner->steps));
    if (runner->steps->refused >= 0)
        return QN_FAIL(QN_UNSUPPORTED, "%s: \"%s\" has no call in %s", runner->graph->name,
                       runner->graph->calls[runner->steps->refused].text, library->name);
    if (runner->way == QN_BLAS_BY_BEST) QN_TRY(check_gain(runner));
    return runner->way == QN_BLAS_BY_GRAPH ? check_recorded(runner) : QN_OK;
}

static qn_status fill(qn_blas_runner *runner, const qn_blas_given *given)
{
    QN_TRY(make_steps(runner));
    QN_TRY(qn_queue_create(runner->device, &runner->queue));
    QN_TRY(runner->library->open(runner->device, runner->queue, &runner->state));
    for (int value = 0; value < runner->graph->value_count; value++)
        if (runner->steps->in_memory[value] && !is_scalar(runner, value)) QN_TRY(make_value(runner, value));
    return write_given(runner, given, true);
}

qn_status qn_blas_runner_create(const qn_graph *graph, qn_device *device, qn_blas_way way, const qn_sizes *sizes,
                                const double *stored, const qn_blas_given *given, qn_blas_runner **out)
{
    QN_TRY(qn_allocate(1, sizeof **out, (void **)out));
    qn_blas_runner *runner = *out;
    runner->graph = graph;
    runner->library = qn_blas_library_of(device);
    runner->device = qn_device_retain(device);
    runner->way = way;
    runner->sizes = *sizes;
    memcpy(runner->stored, stored, (size_t)graph->value_count * sizeof *stored);
    const qn_status status = fill(runner, given);
    if (status != QN_OK) qn_blas_runner_destroy(out);
    return status;
}

void qn_blas_runner_destroy(qn_blas_runner **pointer)
{
    qn_blas_runner *runner = *pointer;
    if (!runner) return;
    if (runner->state) runner->library->close(&runner->state);
    for (int value = 0; value < QN_GRAPH_VALUES_MAX; value++) {
        qn_buffer_release(&runner->data[value]);
        qn_buffer_release(&runner->starts[value]);
        qn_buffer_release(&runner->columns[value]);
    }
    qn_queue_destroy(&runner->queue);
    qn_release(&runner->steps);
    qn_device_release(&runner->device);
    qn_release(pointer);
}

/* ---- steps ---- */

static double factor(const qn_blas_runner *runner, const qn_blas_step *step, const qn_point *point)
{
    const qn_call *call = &runner->graph->calls[step->call];
    double inputs[QN_CALL_INPUTS_MAX] = {0};
    if (!point) return 1;
    for (int i = 0; i < call->input_count; i++)
        if (is_scalar(runner, call->inputs[i].value))
            inputs[i] = runner->scalars[runner->steps->memory[call->inputs[i].value]];
    return qn_point_evaluate(point, inputs, NULL, NULL);
}

static qn_buffer *memory_of(const qn_blas_runner *runner, int value)
{
    return value >= 0 ? runner->data[runner->steps->memory[value]] : NULL;
}

/* The lines of a matrix in memory, and how long they are. */
static void measure_matrix(const qn_blas_runner *runner, int value, qn_blas_command *command)
{
    const qn_value *of = &runner->graph->values[value];
    command->rows = runner->sizes.of[of->extents[of->column ? 1 : 0]];
    command->columns = runner->sizes.of[of->extents[of->column ? 0 : 1]];
    command->stored = (int64_t)runner->stored[value];
}

static qn_status run_step(qn_blas_runner *runner, const qn_blas_step *step)
{
    const qn_blas_steps *steps = runner->steps;
    float *scalar = is_scalar(runner, step->into) ? &runner->scalars[steps->memory[step->into]] : NULL;
    qn_blas_command command = {.kind = step->kind,
                               .alpha = (float)factor(runner, step, step->alpha),
                               .beta = (float)factor(runner, step, step->beta),
                               .transposed = step->transposed,
                               .matrix = memory_of(runner, step->matrix),
                               .x = memory_of(runner, step->x),
                               .y = memory_of(runner, step->y),
                               .into = scalar ? NULL : memory_of(runner, step->into)};
    if (step->kind == QN_BLAS_HOST) {
        *scalar = command.alpha;
        return QN_OK;
    }
    command.count = (int64_t)qn_value_elements(runner->graph, scalar ? step->x : step->into, &runner->sizes, 0);
    if (step->kind == QN_BLAS_GEMV || step->kind == QN_BLAS_SPMV) {
        measure_matrix(runner, step->matrix, &command);
        command.beta = step->is_added ? 1 : 0;
        command.starts = runner->starts[steps->memory[step->matrix]];
        command.columns_of = runner->columns[steps->memory[step->matrix]];
    }
    const bool is_outer = step->kind == QN_BLAS_GER || step->kind == QN_BLAS_GER2;
    if (is_outer) measure_matrix(runner, step->into, &command);
    if (step->kind == QN_BLAS_GER2) command.x2 = memory_of(runner, step->x2), command.y2 = memory_of(runner, step->y2);
    if (is_outer && runner->graph->values[step->into].column) { /* by columns it is y x' */
        qn_buffer *x = command.x, *x2 = command.x2;
        command.x = command.y, command.x2 = command.y2;
        command.y = x, command.y2 = x2;
    }
    return runner->library->run(runner->state, &command, scalar);
}

/* ---- sections ---- */

/* At the end of a round next x becomes x. */
static void exchange_carried(qn_blas_runner *runner, int section)
{
    const qn_graph *graph = runner->graph;
    for (int value = 0; value < graph->value_count; value++) {
        const int old = graph->values[value].old, producer = graph->values[value].producer;
        if (old < 0 || producer < 0 || !qn_section_has(&graph->sections[section], producer)) continue;
        const int one = runner->steps->memory[old], other = runner->steps->memory[value];
        qn_buffer *kept = runner->data[one];
        if (is_scalar(runner, value)) runner->scalars[one] = runner->scalars[other];
        runner->data[one] = runner->data[other];
        runner->data[other] = kept;
    }
}

static bool holds(const qn_blas_runner *runner, const qn_condition *condition)
{
    double values[QN_CALL_INPUTS_MAX];
    for (int i = 0; i < condition->use_count; i++)
        values[i] = runner->scalars[runner->steps->memory[condition->uses[i].value]];
    return qn_condition_holds(condition, values);
}

static qn_status run_steps(qn_blas_runner *runner, int section)
{
    for (int i = runner->steps->first[section]; i < runner->steps->first[section + 1]; i++)
        QN_TRY(run_step(runner, &runner->steps->steps[i]));
    return QN_OK;
}

static qn_status run_section(qn_blas_runner *runner, int number, int64_t most_rounds, int64_t *rounds)
{
    const qn_section *section = &runner->graph->sections[number];
    if (!section->is_loop) return run_steps(runner, number);
    int64_t most = runner->sizes.of[section->rounds];
    if (most_rounds > 0 && most > most_rounds) most = most_rounds;
    for (int64_t round = 1; round <= most; round++) {
        QN_TRY(run_steps(runner, number));
        exchange_carried(runner, number);
        ++*rounds;
        if (section->has_until && round % section->every == 0 && holds(runner, &section->until)) break;
    }
    return QN_OK;
}

static qn_status run_sections(qn_blas_runner *runner, int64_t most_rounds, int64_t *rounds)
{
    for (int section = 0; section < runner->graph->section_count; section++)
        QN_TRY(run_section(runner, section, most_rounds, rounds));
    return QN_OK;
}

static qn_status replay(qn_blas_runner *runner, int64_t *rounds)
{
    if (!runner->is_recorded) {
        QN_TRY(runner->library->record(runner->state, true));
        const qn_status status = run_sections(runner, 0, rounds);
        const qn_status ended = runner->library->record(runner->state, false);
        QN_TRY(status);
        QN_TRY(ended);
        runner->is_recorded = true;
    }
    return runner->library->replay(runner->state);
}

qn_status qn_blas_runner_run(qn_blas_runner *runner, int64_t most_rounds, int64_t *rounds)
{
    *rounds = 0;
    QN_TRY(runner->way == QN_BLAS_BY_GRAPH ? replay(runner, rounds) : run_sections(runner, most_rounds, rounds));
    return runner->library->finish(runner->state);
}

qn_status qn_blas_runner_read(qn_blas_runner *runner, int value, float *numbers)
{
    const size_t count = qn_value_elements(runner->graph, value, &runner->sizes, 0);
    if (!is_scalar(runner, value)) {
        QN_TRY(qn_queue_read(runner->queue, memory_of(runner, value), 0, numbers, count * sizeof *numbers, NULL));
        return qn_queue_finish(runner->queue);
    }
    if (runner->way == QN_BLAS_BY_GRAPH)
        return QN_FAIL(QN_UNSUPPORTED, "%s stays on the device", runner->graph->values[value].name);
    *numbers = runner->scalars[runner->steps->memory[value]];
    return QN_OK;
}

void qn_blas_runner_count(const qn_blas_runner *runner, int64_t rounds, int64_t *calls, double *bytes)
{
    const qn_blas_steps *steps = runner->steps;
    *calls = 0, *bytes = 0;
    for (int section = 0; section < runner->graph->section_count; section++) {
        const int64_t runs = runner->graph->sections[section].is_loop ? rounds : 1;
        for (int i = steps->first[section]; i < steps->first[section + 1]; i++) {
            *calls += steps->steps[i].kind != QN_BLAS_HOST ? runs : 0;
            *bytes += 4 * (double)runs * qn_blas_step_words(steps, &steps->steps[i], &runner->sizes, runner->stored);
        }
    }
}

#include "fuse/program/program.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "fuse/program/parts.h"

/* ---- memory ---- */

static qn_status create_value(qn_program *program, int value)
{
    const qn_graph *graph = program->plan->graph;
    const qn_value *of = &graph->values[value];
    const size_t count = program->counts[value];
    if (program->other && qn_value_is_constant(graph, value)) {
        program->data[value] = qn_buffer_retain(program->other->data[value]);
        if (of->kind != QN_CSR) return QN_OK;
        program->starts[value] = qn_buffer_retain(program->other->starts[value]);
        program->columns[value] = qn_buffer_retain(program->other->columns[value]);
        return QN_OK;
    }
    QN_TRY(qn_buffer_create(program->device, (count > 0 ? count : 1) * sizeof(float), &program->data[value]));
    if (of->kind != QN_CSR) return QN_OK;
    const size_t rows = (size_t)program->sizes.of[of->extents[0]] + 1;
    QN_TRY(qn_buffer_create(program->device, rows * sizeof(int32_t), &program->starts[value]));
    return qn_buffer_create(program->device, (count > 0 ? count : 1) * sizeof(int32_t), &program->columns[value]);
}

/* Values in memory, and room for the partial sums of each kernel. */
static qn_status create_memory(qn_program *program)
{
    const qn_plan *plan = program->plan;
    bool in_memory[QN_GRAPH_VALUES_MAX];
    size_t sums[QN_GRAPH_VALUES_MAX] = {0};
    qn_exchange exchanges[QN_EXCHANGES_MAX];
    qn_program_find_values(plan, in_memory);
    for (int k = 0; k < plan->kernel_count; k++)
        for (int value = 0; value < plan->graph->value_count; value++) {
            if (!plan->kernels[k].partial[value]) continue;
            const size_t count = (size_t)qn_program_most_groups(program, k) * program->counts[value];
            size_t *most = &sums[qn_plan_sums(plan, value)];
            *most = count > *most ? count : *most;
        }
    /* sums that are exchanged are as large as each other */
    for (int section = 0; section < 2 * plan->graph->section_count; section++) {
        const int exchanged = qn_plan_exchanges(plan, section / 2, section % 2 == 0, exchanges);
        for (int i = 0; i < exchanged; i++) {
            const int one = exchanges[i].one, other = exchanges[i].other;
            if (exchanges[i].are_sums) sums[one] = sums[other] = sums[one] > sums[other] ? sums[one] : sums[other];
        }
    }
    for (int value = 0; value < plan->graph->value_count; value++) {
        if (in_memory[value]) QN_TRY(create_value(program, value));
        if (sums[value] > 0)
            QN_TRY(qn_buffer_create(program->device, sums[value] * sizeof(float), &program->sums[value]));
    }
    return QN_OK;
}

static void measure_launches(qn_program *program)
{
    const qn_plan *plan = program->plan;
    for (int k = 0; k < plan->kernel_count; k++) {
        const qn_kernel_plan *kernel = &plan->kernels[k];
        qn_launch_sizes *launch = &program->launches[k];
        qn_words reads = {.count = 0}, writes = {.count = 0};
        launch->note = &program->notes[k];
        launch->is_single = kernel->is_single;
        launch->is_spread = qn_emit_is_spread(plan, k, qn_program_form(qn_device_get_info(program->device)));
        launch->joined = k + 1 < plan->kernel_count && plan->kernels[k + 1].joins ? &program->launches[k + 1] : NULL;
        launch->dimensions = kernel->layout.dimensions;
        launch->lines = launch->dimensions > 0 ? program->sizes.of[kernel->layout.extents[0]] : 1;
        for (int value = 0; value < plan->graph->value_count; value++) {
            if (kernel->reads[value]) qn_words_add_value(plan->graph, value, 1, &reads);
            if (kernel->writes[value]) qn_words_add_value(plan->graph, value, 1, &writes);
        }
        launch->work = (qn_work){.bytes_read = 4 * qn_words_count(&reads, &program->sizes, program->stored),
                                 .bytes_written = 4 * qn_words_count(&writes, &program->sizes, program->stored)};
    }
}

static qn_status fill(qn_program *program)
{
    const qn_graph *graph = program->plan->graph;
    for (int value = 0; value < graph->value_count; value++)
        program->counts[value] = qn_value_elements(graph, value, &program->sizes, (size_t)program->stored[value]);
    measure_launches(program);
    QN_TRY(qn_queue_create(program->device, &program->queue));
    QN_TRY(qn_program_make_families(program));
    return create_memory(program);
}

/* `from` has plan, device, sizes, stored elements and the other program. */
static qn_status create(const qn_program *from, const qn_shape *shape, qn_program **out)
{
    QN_TRY(qn_allocate(1, sizeof **out, (void **)out));
    qn_program *program = *out;
    program->plan = from->plan;
    program->other = from->other;
    program->sizes = from->sizes;
    memcpy(program->stored, from->stored, sizeof from->stored);
    program->device = qn_device_retain(from->device);
    program->shape =
        shape ? *shape
              : qn_program_fitted_shape(from->plan, qn_device_get_info(from->device), &from->sizes, from->stored);
    program->is_tunable = !shape;
    const qn_status status = fill(program);
    program->other = NULL;
    if (status != QN_OK) qn_program_destroy(out);
    return status;
}

qn_status qn_program_create(const qn_plan *plan, qn_device *device, const qn_shape *shape, const qn_sizes *sizes,
                            const double *stored, qn_program **out)
{
    qn_program *from;
    QN_TRY(qn_allocate(1, sizeof *from, (void **)&from));
    from->plan = plan, from->device = device, from->sizes = *sizes;
    memcpy(from->stored, stored, (size_t)plan->graph->value_count * sizeof *stored);
    const qn_status status = create(from, shape, out);
    qn_release(&from);
    return status;
}

qn_status qn_program_create_beside(const qn_program *other, const qn_plan *plan, const qn_shape *shape,
                                   qn_program **out)
{
    qn_program *from;
    QN_TRY(qn_allocate(1, sizeof *from, (void **)&from));
    from->plan = plan, from->other = other, from->device = other->device, from->sizes = other->sizes;
    memcpy(from->stored, other->stored, sizeof other->stored);
    const qn_status status = create(from, shape, out);
    qn_release(&from);
    return status;
}

void qn_program_destroy(qn_program **pointer)
{
    qn_program *program = *pointer;
    if (!program) return;
    qn_queue_destroy(&program->queue);
    qn_program_clear_families(program);
    for (int value = 0; value < QN_GRAPH_VALUES_MAX; value++) {
        qn_buffer_release(&program->data[value]), qn_buffer_release(&program->starts[value]);
        qn_buffer_release(&program->columns[value]), qn_buffer_release(&program->sums[value]);
    }
    qn_device_release(&program->device);
    qn_text_clear(&program->text);
    qn_release(pointer);
}

const char *qn_program_text(const qn_program *program)
{
    return program->text.data;
}

/* ---- values ---- */

qn_status qn_program_write(qn_program *program, int value, const float *numbers, const int32_t *starts,
                           const int32_t *columns)
{
    const int root = qn_plan_root(program->plan, value);
    const size_t count = program->counts[value];
    QN_TRY(qn_queue_write(program->queue, program->data[root], 0, numbers, count * sizeof *numbers, NULL));
    if (starts) {
        const size_t rows = (size_t)program->sizes.of[program->plan->graph->values[value].extents[0]] + 1;
        QN_TRY(qn_queue_write(program->queue, program->starts[root], 0, starts, rows * sizeof *starts, NULL));
        QN_TRY(qn_queue_write(program->queue, program->columns[root], 0, columns, count * sizeof *columns, NULL));
    }
    return qn_queue_finish(program->queue);
}

qn_status qn_program_read(qn_program *program, int value, float *numbers)
{
    const int root = qn_plan_root(program->plan, value);
    if (!program->data[root])
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s is not kept in memory", program->plan->graph->values[value].name);
    QN_TRY(
        qn_queue_read(program->queue, program->data[root], 0, numbers, program->counts[value] * sizeof *numbers, NULL));
    return qn_queue_finish(program->queue);
}

/* ---- running ---- */

static qn_argument argument_of(const qn_program *program, const qn_emitted_argument *emitted)
{
    const qn_value *value = &program->plan->graph->values[emitted->of];
    switch (emitted->kind) {
    case QN_EMITTED_DATA: return qn_argument_buffer(program->data[emitted->of]);
    case QN_EMITTED_STARTS: return qn_argument_buffer(program->starts[emitted->of]);
    case QN_EMITTED_COLUMNS: return qn_argument_buffer(program->columns[emitted->of]);
    case QN_EMITTED_SUMS: return qn_argument_buffer(program->sums[emitted->of]);
    case QN_EMITTED_PARTS: return qn_argument_int32(program->parts[emitted->of]);
    case QN_EMITTED_STEP: return qn_argument_int64(program->sizes.of[value->extents[value->column ? 0 : 1]]);
    case QN_EMITTED_SIZE: break;
    }
    return qn_argument_int32((int32_t)program->sizes.of[emitted->of]);
}

/* Parts of the sums that a launch left. */
static void note_parts(qn_program *program, int kernel)
{
    const qn_plan *plan = program->plan;
    for (int k = kernel; k == kernel || (k < plan->kernel_count && plan->kernels[k].joins); k++)
        for (int value = 0; value < plan->graph->value_count; value++)
            if (plan->kernels[k].partial[value])
                program->parts[qn_plan_sums(plan, value)] = (int32_t)program->notes[k].groups;
}

/* Launch a kernel; *seconds, if it is wanted, grows by its time, for which this waits. */
static qn_status launch(qn_program *program, int kernel, double *seconds)
{
    const qn_emitted_kernel *emitted = &program->emitted[kernel];
    qn_argument arguments[QN_ARGUMENT_MAX];
    qn_event *event = NULL;
    double own_s = 0;
    for (int i = 0; i < emitted->argument_count; i++) arguments[i] = argument_of(program, &emitted->arguments[i]);
    const qn_family_call call = {.kernel = kernel % QN_KERNEL_MAX,
                                 .arguments = arguments,
                                 .argument_count = emitted->argument_count,
                                 .problem = &program->launches[kernel]};
    qn_status status = qn_family_run(&program->families[kernel / QN_KERNEL_MAX].family, program->queue, &call,
                                     seconds ? &event : NULL);
    const qn_status noted = qn_program_note_configuration(program, kernel);
    if (status == QN_OK) status = noted;
    note_parts(program, kernel);
    if (status == QN_OK && seconds) status = qn_event_seconds(event, &own_s);
    qn_event_destroy(&event);
    if (!seconds) return status;
    *seconds += own_s;
    program->kernel_seconds[kernel] += own_s;
    program->timed_launches[kernel]++;
    return status;
}

double qn_program_kernel_seconds(const qn_program *program, int kernel)
{
    const int64_t launches = program->timed_launches[kernel];
    return launches > 0 ? program->kernel_seconds[kernel] / (double)launches : 0;
}

double qn_program_kernel_bytes(const qn_program *program, int kernel)
{
    const qn_work *work = &program->launches[kernel].work;
    return work->bytes_read + work->bytes_written;
}

double qn_program_limit_seconds(const qn_program *program, int64_t rounds, const qn_device_rates *rates)
{
    double seconds = 0;
    for (int k = 0; k < program->plan->kernel_count; k++)
        seconds += (double)qn_plan_runs(program->plan, program->plan->kernels[k].section, rounds) *
                   qn_work_limit_seconds(&program->launches[k].work, rates, NULL);
    return seconds;
}

static void exchange(qn_program *program, const qn_exchange *of)
{
    qn_buffer **one = of->are_sums ? &program->sums[of->one] : &program->data[of->one];
    qn_buffer **other = of->are_sums ? &program->sums[of->other] : &program->data[of->other];
    qn_buffer *kept = *one;
    *one = *other;
    *other = kept;
    if (!of->are_sums) return;
    const int32_t parts = program->parts[of->one];
    program->parts[of->one] = program->parts[of->other];
    program->parts[of->other] = parts;
}

/* Run the kernels of a section once, with the exchanges of memory around them. */
static qn_status run_once(qn_program *program, int section, double *seconds)
{
    const qn_plan *plan = program->plan;
    qn_exchange exchanges[QN_EXCHANGES_MAX];
    int count = qn_plan_exchanges(plan, section, true, exchanges);
    for (int i = 0; i < count; i++) exchange(program, &exchanges[i]);
    for (int k = 0; k < plan->kernel_count; k++)
        if (plan->kernels[k].section == section && !plan->kernels[k].joins) QN_TRY(launch(program, k, seconds));
    count = qn_plan_exchanges(plan, section, false, exchanges);
    for (int i = 0; i < count; i++) exchange(program, &exchanges[i]);
    return QN_OK;
}

static qn_status check(qn_program *program, const qn_condition *condition, bool *holds)
{
    double values[QN_CALL_INPUTS_MAX];
    for (int i = 0; i < condition->use_count; i++) {
        float number;
        QN_TRY(qn_program_read(program, condition->uses[i].value, &number));
        values[i] = number;
    }
    *holds = qn_condition_holds(condition, values);
    return QN_OK;
}

/* A loop; of a ring, `number` is the head. */
static qn_status run_loop(qn_program *program, int number, int64_t most_rounds, int64_t *rounds, double *seconds)
{
    const qn_section *section = &program->plan->graph->sections[number];
    const bool is_ring = section->part == QN_SECTION_HEAD;
    int64_t most = program->sizes.of[section->rounds];
    if (most_rounds > 0 && most > most_rounds) most = most_rounds;
    bool holds = false, begins = true;
    for (int64_t round = 1; round <= most && !holds; round++) {
        const bool is_checked = section->has_until && round % section->every == 0;
        QN_TRY(run_once(program, begins ? number : number + 1, seconds));
        begins = !is_ring || is_checked || round == most;
        if (is_ring && begins) QN_TRY(run_once(program, number + 2, seconds));
        if (rounds) ++*rounds;
        if (is_checked) QN_TRY(check(program, &section->until, &holds));
    }
    return QN_OK;
}

qn_status qn_program_run(qn_program *program, int64_t most_rounds, int64_t *rounds, double *seconds)
{
    const qn_graph *graph = program->plan->graph;
    if (rounds) *rounds = 0;
    if (seconds) *seconds = 0;
    for (int i = 0; i < graph->section_count; i++) {
        const qn_section *section = &graph->sections[i];
        if (!section->is_loop) QN_TRY(run_once(program, i, seconds));
        if (section->is_loop && section->part <= QN_SECTION_HEAD)
            QN_TRY(run_loop(program, i, most_rounds, rounds, seconds));
    }
    return qn_queue_finish(program->queue);
}

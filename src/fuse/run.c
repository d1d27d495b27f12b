/* quern fuse run: a sequence on random values, fused and not, compared with its meaning. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "fuse/arrays.h"
#include "fuse/choice.h"
#include "fuse/compare.h"
#include "fuse/report.h"
#include "fuse/suit.h"
#include "runtime/device.h"

enum {
    CHECKED_MAX = 1 << 26, /* points of all calls that are computed again in double precision */
    CHECKED_ROUNDS = 4     /* of loops; rounding errors grow from round to round until they hide mistakes */
};

typedef struct owned_result {
    qn_fuse_result result;
    qn_fuse_difference differences[QN_GRAPH_VALUES_MAX];
    qn_text device;
    qn_fuse_peer peers[QN_COMPARE_PEERS_MAX];
    qn_arena names;
} owned_result;

typedef struct running {
    const qn_fuse_options *options;
    qn_sequence *sequence;
    qn_device *device;
    qn_array_files arrays;
    qn_inputs inputs;
    bool checked;
    qn_chosen chosen;
    bool with_unfused, with_blas;
    qn_plan unfused_plan;
    qn_program *fused_program, *unfused_program;
    qn_fuse_timed fused, unfused;
    owned_result *own;
} running;

/* ---- checking ---- */

static double count_points(const qn_sequence *sequence)
{
    double points = 0;
    for (int i = 0; i < sequence->graph.call_count; i++) {
        const qn_call *call = &sequence->graph.calls[i];
        const qn_section *section = &sequence->graph.sections[call->section];
        double own = section->is_loop ? CHECKED_ROUNDS : 1;
        for (int k = 0; k < call->space_count; k++)
            own *= !call->is_sparse ? (double)sequence->sizes.of[call->space[k]]
                   : k == 0         ? sequence->stored[call->inputs[0].value]
                                    : 1;
        points += own;
    }
    return points;
}

static void compare(const qn_numbers *expected, const float *found, double terms, qn_fuse_difference *difference)
{
    for (size_t k = 0; k < expected->count; k++) {
        const double bound = 4 * sqrt(terms) * 0x1p-24 * expected->scales[k];
        if ((isnan(found[k]) && isnan(expected->values[k])) || !isfinite(bound)) {
            difference->undecided++;
            continue;
        }
        const double distance = fabs(found[k] - expected->values[k]);
        if (distance == 0) continue;
        difference->unequal++;
        if (!(distance <= bound)) difference->beyond++;
        if (bound > 0 && distance / bound > difference->largest) difference->largest = distance / bound;
    }
}

static qn_status compare_results(running *at, qn_program *program)
{
    const qn_graph *graph = &at->sequence->graph;
    double terms = graph->call_count;
    for (int i = 0; i < graph->extent_count; i++) terms = fmax(terms, (double)at->sequence->sizes.of[i]);
    QN_TRY(qn_graph_interpret(graph, &at->sequence->sizes, at->inputs.numbers, CHECKED_ROUNDS, NULL));
    for (int value = 0; value < graph->value_count; value++) {
        const qn_numbers *expected = &at->inputs.numbers[value];
        qn_fuse_difference *difference = &at->own->differences[at->own->result.difference_count];
        float *found;
        if (!graph->values[value].is_result) continue;
        QN_TRY(qn_allocate(expected->count, sizeof *found, (void **)&found));
        qn_status status = qn_program_read(program, value, found);
        if (status == QN_OK) {
            *difference = (qn_fuse_difference){.count = expected->count};
            compare(expected, found, terms, difference);
            const char *name = graph->values[value].name;
            status = qn_arena_copy_text(&at->own->names, name, strlen(name), &difference->name);
            at->own->result.difference_count++;
        }
        qn_release(&found);
        QN_TRY(status);
    }
    at->own->result.differences = at->own->differences;
    at->own->result.is_checked = true;
    return QN_OK;
}

/* ---- timing ---- */

static int compare_seconds(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

/* The median of the timed runs, each from the same values. */
static qn_status time_runs(const running *at, qn_program *program, int64_t *rounds, double *median)
{
    double *seconds;
    const int repeat = at->options->repeat;
    QN_TRY(qn_allocate((size_t)repeat, sizeof *seconds, (void **)&seconds));
    qn_status status = QN_OK;
    for (int i = 0; i < repeat && status == QN_OK; i++) {
        status = qn_inputs_restore(&at->inputs, &at->sequence->graph, program);
        if (status == QN_OK) status = qn_program_run(program, 0, rounds, &seconds[i]);
    }
    qsort(seconds, (size_t)repeat, sizeof *seconds, compare_seconds);
    *median = seconds[repeat / 2];
    qn_release(&seconds);
    return status;
}

static void note_kernels(const qn_plan *plan, const qn_program *program, qn_fuse_timed *timed)
{
    timed->plan = plan;
    for (int kernel = 0; kernel < plan->kernel_count; kernel++) {
        timed->kernel_seconds[kernel] = qn_program_kernel_seconds(program, kernel);
        timed->kernel_bytes[kernel] = qn_program_kernel_bytes(program, kernel);
    }
}

static double moved_bytes(const running *at, const qn_plan *plan)
{
    double bytes = 0;
    for (int section = 0; section < plan->graph->section_count; section++) {
        qn_words words;
        qn_plan_words(plan, section, &words);
        bytes += 4 * (double)qn_plan_runs(plan, section, at->own->result.rounds) *
                 qn_words_count(&words, &at->sequence->sizes, at->sequence->stored);
    }
    return bytes;
}

/* The kernels and the shape that are known to be fastest, after a search. */
static qn_status choose(running *at)
{
    const qn_fuse_options *options = at->options;
    qn_fuse_result *result = &at->own->result;
    qn_choice *choice;
    QN_TRY(qn_choice_open(at->sequence, at->device, options->candidates, true, &choice));
    const double start_s = qn_clock_s();
    const qn_status status = qn_choice_search(choice, &at->inputs, options->budget_s, options->run.seed);
    qn_choice_get(choice, &at->chosen);
    at->sequence->plan = *at->chosen.plan;
    result->candidate = at->chosen.number;
    result->candidate_count = at->chosen.candidates;
    result->tests = at->chosen.tests;
    result->new_tests = at->chosen.new_tests;
    result->search_seconds = qn_clock_s() - start_s;
    qn_choice_close(&choice);
    return status;
}

static qn_status run_fused(running *at)
{
    qn_sequence *sequence = at->sequence;
    qn_fuse_result *result = &at->own->result;
    int folds;
    const double start_s = qn_clock_s();
    QN_TRY(qn_program_create(&sequence->plan, at->device, at->chosen.is_measured ? &at->chosen.shape : NULL,
                             &sequence->sizes, sequence->stored, &at->fused_program));
    QN_TRY(qn_inputs_write(&at->inputs, &sequence->graph, at->fused_program));
    QN_TRY(qn_program_run(at->fused_program, CHECKED_ROUNDS, NULL, NULL));
    result->compile_seconds = qn_clock_s() - start_s;
    if (at->checked) QN_TRY(compare_results(at, at->fused_program));
    QN_TRY(time_runs(at, at->fused_program, &result->rounds, &result->seconds));
    QN_TRY(qn_arrays_write(at->options->outputs, at->options->output_count, sequence, at->fused_program));
    qn_plan_count(&sequence->plan, &result->kernel_count, &folds);
    result->kernel_count += folds;
    result->bytes = moved_bytes(at, &sequence->plan);
    note_kernels(&sequence->plan, at->fused_program, &at->fused);
    return QN_OK;
}

/* A kernel for each call, in the shape of the fused kernels or in a fitted one, whichever is faster. */
static qn_status run_unfused(running *at)
{
    qn_sequence *sequence = at->sequence;
    qn_fuse_result *result = &at->own->result;
    qn_plan_options options = sequence->plan_options;
    qn_plan *plan = &at->unfused_plan;
    int folds = 0;
    options.fusion = QN_FUSION_NONE;
    options.forced_count = 0;
    QN_TRY(qn_plan_make(&sequence->graph, &options, plan));
    for (int i = 0; i < (at->chosen.is_measured ? 2 : 1); i++) {
        qn_program *program;
        double seconds;
        QN_TRY(qn_program_create_beside(at->fused_program, plan, i == 1 ? &at->chosen.shape : NULL, &program));
        const qn_status status = time_runs(at, program, NULL, &seconds);
        if (status == QN_OK && (i == 0 || seconds < result->unfused_seconds)) {
            qn_program *slower = at->unfused_program;
            result->unfused_seconds = seconds;
            at->unfused_program = program, program = slower;
        }
        qn_program_destroy(&program);
        QN_TRY(status);
    }
    qn_plan_count(plan, &result->unfused_kernel_count, &folds);
    result->unfused_kernel_count += folds;
    result->unfused_bytes = moved_bytes(at, plan);
    note_kernels(plan, at->unfused_program, &at->unfused);
    return QN_OK;
}

static qn_status run_peers(running *at)
{
    const qn_comparison what = {.sequence = at->sequence,
                                .device = at->device,
                                .inputs = &at->inputs,
                                .fused = at->fused_program,
                                .unfused = at->with_unfused ? at->unfused_program : NULL,
                                .result = &at->own->result,
                                .with_blas = at->with_blas,
                                .repeat = at->options->repeat};
    if (!at->with_unfused && !at->with_blas) return QN_OK;
    at->own->result.peers = at->own->peers;
    return qn_fuse_compare(&what, &at->own->names, at->own->peers, &at->own->result.peer_count);
}

static qn_status write_report(running *at)
{
    qn_device_rates rates;
    if (!at->options->report) return QN_OK;
    QN_TRY(qn_device_measure(at->device, &rates));
    at->own->result.limit_seconds = qn_program_limit_seconds(at->fused_program, at->own->result.rounds, &rates);
    return qn_fuse_write_report(at->options->report, at->sequence, &at->own->result, &at->fused, &at->unfused, &rates);
}

/* ---- the call ---- */

static qn_status fail_wrong(const running *at)
{
    const qn_fuse_result *result = &at->own->result;
    for (size_t i = 0; i < result->difference_count; i++)
        if (result->differences[i].beyond > 0)
            return QN_FAIL(QN_CHECK_FAILED,
                           "%s on %s: %llu of %llu numbers of %s are farther from their meaning than "
                           "rounding explains",
                           at->sequence->graph.name, result->device, (unsigned long long)result->differences[i].beyond,
                           (unsigned long long)result->differences[i].count, result->differences[i].name);
    return QN_OK;
}

static qn_status run_stages(qn_context *context, running *at)
{
    qn_sequence *sequence = at->sequence;
    at->checked = count_points(sequence) <= CHECKED_MAX;
    QN_TRY(qn_device_open(context, at->options->run.device, &at->device));
    const qn_device_info *info = qn_device_get_info(at->device);
    QN_TRY(qn_text_append(&at->own->device, "%s (%s)", info->identifier, info->name));
    at->own->result.device = at->own->device.data;
    QN_TRY(qn_program_check_room(&sequence->plan, info, &sequence->sizes, sequence->stored));
    QN_TRY(qn_sequence_suit(sequence, context, at->device, NULL));
    QN_TRY(qn_inputs_make(&sequence->graph, &sequence->sizes, at->options->run.seed,
                          at->options->values == QN_FUSE_SIGNS ? QN_INPUTS_SIGNS : QN_INPUTS_UNIFORM, at->checked,
                          &at->inputs));
    QN_TRY(qn_arrays_give(&at->arrays, sequence, &at->inputs));
    qn_arrays_close(&at->arrays);
    QN_TRY(choose(at));
    QN_TRY(run_fused(at));
    if (at->with_unfused || at->options->report) QN_TRY(run_unfused(at));
    QN_TRY(run_peers(at));
    QN_TRY(write_report(at));
    return fail_wrong(at);
}

static qn_status open_and_run(qn_context *context, running *at)
{
    const qn_fuse_options *options = at->options;
    QN_TRY(qn_option_check(qn_fuse_run_option_table(), options));
    QN_TRY(qn_compare_read(options->compare, &at->with_unfused, &at->with_blas));
    QN_TRY(qn_sequence_open(options, &at->sequence));
    QN_TRY(qn_arrays_open(options->inputs, options->input_count, at->sequence, &at->arrays));
    QN_TRY(qn_arrays_check_outputs(options, at->sequence, &at->arrays));
    QN_TRY(qn_sequence_check_sizes(at->sequence));
    if (options->input_count > 0) QN_TRY(qn_sequence_plan(at->sequence));
    return run_stages(context, at);
}

static qn_status run(qn_context *context, const qn_fuse_options *options, owned_result *own)
{
    running *at;
    QN_TRY(qn_allocate(1, sizeof *at, (void **)&at));
    at->options = options, at->own = own;
    const qn_status status = open_and_run(context, at);
    qn_arrays_close(&at->arrays);
    qn_inputs_clear(&at->inputs);
    qn_program_destroy(&at->unfused_program);
    qn_program_destroy(&at->fused_program);
    qn_device_release(&at->device);
    qn_sequence_close(&at->sequence);
    qn_release(&at);
    return status;
}

qn_status qn_fuse_run(qn_context *context, const qn_fuse_options *options, qn_fuse_result **result)
{
    qn_fuse_options own_options;
    owned_result *own;
    *result = NULL;
    QN_TRY(qn_option_take(qn_fuse_run_option_table(), options, &own_options));
    QN_TRY(qn_allocate(1, sizeof *own, (void **)&own));
    *result = &own->result;
    const qn_log_scope outer = qn_context_enter_log(context);
    const qn_status status = run(context, &own_options, own);
    qn_log_return(outer);
    if (status != QN_OK && status != QN_CHECK_FAILED) qn_fuse_result_destroy(result);
    return status;
}

void qn_fuse_result_destroy(qn_fuse_result **pointer)
{
    owned_result *own = (owned_result *)*pointer;
    if (!own) return;
    qn_text_clear(&own->device);
    qn_arena_clear(&own->names);
    qn_release(pointer);
}

#include "fuse/choice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "fuse/search/search.h"
#include "math/median.h"
#include "runtime/device.h"

enum {
    ROUNDS = 20, /* of loops in a test */
    RUNS = 5,    /* timed, of a test */
    COMPARED_MAX = 1 << 24
};

static const double accepted_difference = 1e-2; /* root mean square, relative: rounding is far below, mistakes above */

struct qn_choice {
    const qn_sequence *sequence;
    qn_device *device;
    bool shares_launches;
    qn_plan *plans;
    int count;
    qn_search_problem problem;
    char name[80], sizes[64];
    char of_candidates[QN_PLAN_CANDIDATES_MAX][QN_SHAPE_CONSTRAINT_BYTES + 40];
    const char *constraints[QN_SHAPE_CONSTRAINTS + QN_PLAN_CANDIDATES_MAX];
    qn_search *search;
    const qn_inputs *inputs;
    /* The first candidate with its fitted shape, which holds the given values, and its results. */
    qn_program *first;
    float *expected, *found;
    size_t compared;
};

/* ---- the space ---- */

/* The store knows a candidate by the hash of its kernels' text. */
static qn_status name_candidate(qn_choice *choice, int candidate, int64_t *name)
{
    qn_text text = {0};
    qn_hash hash;
    char digest[65], constraint[QN_SHAPE_CONSTRAINT_BYTES];
    *name = 0;
    if (choice->shares_launches) qn_plan_share_launches(&choice->sequence->plan_options, &choice->plans[candidate]);
    const qn_status status =
        qn_program_emit(&choice->plans[candidate], qn_program_form(qn_device_get_info(choice->device)), &text);
    if (status == QN_OK) {
        qn_hash_start(&hash);
        qn_hash_add(&hash, text.data, text.length);
        qn_hash_finish(&hash, digest);
        for (int i = 0; i < 7; i++) *name = 16 * *name + (digest[i] <= '9' ? digest[i] - '0' : digest[i] - 'a' + 10);
        qn_shape_constraint(text.data, constraint);
        snprintf(choice->of_candidates[candidate], sizeof *choice->of_candidates, "CANDIDATE != %lld || %s",
                 (long long)*name, constraint);
    }
    qn_text_clear(&text);
    return status;
}

static qn_status list_candidates(qn_choice *choice, int most)
{
    const qn_sequence *sequence = choice->sequence;
    qn_search_parameter *names = &choice->problem.parameters[0];
    QN_TRY(qn_allocate((size_t)most, sizeof *choice->plans, (void **)&choice->plans));
    QN_TRY(qn_plan_candidates(&sequence->graph, &sequence->plan_options, most, choice->plans, &choice->count));
    names->name = "CANDIDATE";
    names->count = choice->count;
    for (int i = 0; i < choice->count; i++) {
        QN_TRY(name_candidate(choice, i, &names->values[i]));
        if (choice->shares_launches) qn_plan_share_launches(&sequence->plan_options, &choice->plans[i]);
    }
    return QN_OK;
}

static bool has_lines(const qn_choice *choice)
{
    for (int i = 0; i < choice->count; i++)
        for (int k = 0; k < choice->plans[i].kernel_count; k++)
            if (choice->plans[i].kernels[k].layout.dimensions == 2) return true;
    return false;
}

/* Parameters of the shape, whose usual values are the fitted ones. */
static void list_shapes(qn_choice *choice)
{
    const qn_device_info *info = qn_device_get_info(choice->device);
    const qn_shape shape =
        qn_program_fitted_shape(choice->plans, info, &choice->sequence->sizes, choice->sequence->stored);
    qn_tunable tunables[QN_SHAPE_TUNABLES];
    qn_shape_choices(&shape, info, has_lines(choice), qn_graph_has_sparse(&choice->sequence->graph), tunables);
    for (int i = 0; i < QN_SHAPE_TUNABLES; i++) {
        qn_search_parameter *parameter = &choice->problem.parameters[i + 1];
        *parameter = (qn_search_parameter){.name = tunables[i].name, .values = {tunables[i].fallback}, .count = 1};
        for (int v = 0; v < tunables[i].value_count; v++)
            if (tunables[i].values[v] != tunables[i].fallback)
                parameter->values[parameter->count++] = tunables[i].values[v];
    }
    choice->problem.parameter_count = 1 + QN_SHAPE_TUNABLES;
}

static void list_constraints(qn_choice *choice)
{
    int count = 0;
    for (; count < QN_SHAPE_CONSTRAINTS; count++) choice->constraints[count] = qn_shape_constraints[count];
    for (int i = 0; i < choice->count; i++) choice->constraints[count++] = choice->of_candidates[i];
    choice->problem.constraints = choice->constraints;
    choice->problem.constraint_count = count;
}

/* Sizes of one class are alike to a factor of about two. */
static void name_problem(qn_choice *choice)
{
    const qn_sequence *sequence = choice->sequence;
    size_t used = 0;
    snprintf(choice->name, sizeof choice->name, "fuse/%.60s", sequence->graph.name);
    for (int i = 0; i < sequence->graph.extent_count && used < sizeof choice->sizes; i++)
        if (sequence->graph.extents[i].number == 0)
            used +=
                (size_t)snprintf(choice->sizes + used, sizeof choice->sizes - used, "%s%s~2^%.0f", used > 0 ? " " : "",
                                 sequence->graph.extents[i].name, round(log2((double)sequence->sizes.of[i])));
    choice->problem.name = choice->name;
    choice->problem.sizes = choice->sizes;
    choice->problem.source = sequence->source.text;
}

static qn_status fill(qn_choice *choice, int candidates)
{
    QN_TRY(list_candidates(choice, candidates));
    name_problem(choice);
    list_shapes(choice);
    list_constraints(choice);
    return qn_search_open(&choice->problem, choice->device, &choice->search);
}

static const qn_plan *plan_of(const qn_choice *choice, const int64_t *values, qn_shape *shape)
{
    const qn_search_parameter *names = &choice->problem.parameters[0];
    int of_shape[QN_SHAPE_TUNABLES], plan = 0;
    for (int i = 0; i < QN_SHAPE_TUNABLES; i++) of_shape[i] = (int)values[i + 1];
    *shape = qn_shape_of(of_shape);
    while (names->values[plan] != values[0]) plan++;
    return &choice->plans[plan];
}

qn_status qn_choice_open(const qn_sequence *sequence, qn_device *device, int candidates, bool shares_launches,
                         qn_choice **choice)
{
    QN_TRY(qn_allocate(1, sizeof **choice, (void **)choice));
    (*choice)->sequence = sequence;
    (*choice)->shares_launches = shares_launches;
    (*choice)->device = qn_device_retain(device);
    const qn_status status = fill(*choice, candidates);
    if (status != QN_OK) qn_choice_close(choice);
    return status;
}

void qn_choice_close(qn_choice **pointer)
{
    qn_choice *choice = *pointer;
    if (!choice) return;
    qn_program_destroy(&choice->first);
    qn_release(&choice->expected);
    qn_release(&choice->found);
    qn_search_close(&choice->search);
    qn_release(&choice->plans);
    qn_device_release(&choice->device);
    qn_release(pointer);
}

/* ---- tests ---- */

/* All results, one after another. */
static qn_status read_results(const qn_choice *choice, qn_program *program, float *into)
{
    const qn_graph *graph = &choice->sequence->graph;
    for (int value = 0; value < graph->value_count && choice->compared > 0; value++) {
        if (!graph->values[value].is_result) continue;
        QN_TRY(qn_program_read(program, value, into));
        into += qn_value_elements(graph, value, &choice->sequence->sizes, 0);
    }
    return QN_OK;
}

static qn_status compare(const qn_choice *choice, qn_program *program)
{
    const qn_graph *graph = &choice->sequence->graph;
    size_t at = 0;
    QN_TRY(read_results(choice, program, choice->found));
    for (int value = 0; value < graph->value_count && choice->compared > 0; value++) {
        double difference = 0, magnitude = 0;
        if (!graph->values[value].is_result) continue;
        const size_t end = at + qn_value_elements(graph, value, &choice->sequence->sizes, 0);
        for (; at < end; at++) {
            const double expected = choice->expected[at], found = choice->found[at];
            if (!isfinite(expected) && !isfinite(found)) continue;
            difference += (found - expected) * (found - expected);
            magnitude += expected * expected;
        }
        if (!(sqrt(difference) <= accepted_difference * sqrt(magnitude)))
            return QN_FAIL(QN_CHECK_FAILED, "%s differs from that of the first candidate", graph->values[value].name);
    }
    return QN_OK;
}

/* Runs that are far behind the best are not repeated. */
static qn_status time_runs(const qn_choice *choice, qn_program *program, double limit_s, double *median_s)
{
    double seconds[RUNS];
    int count = 0;
    while (count < RUNS) {
        QN_TRY(qn_inputs_restore(choice->inputs, &choice->sequence->graph, program));
        QN_TRY(qn_program_run(program, ROUNDS, NULL, &seconds[count]));
        if (seconds[count++] > 2 * limit_s) break;
    }
    *median_s = qn_median(seconds, (size_t)count);
    return QN_OK;
}

static qn_status test(void *user, const int64_t *values, double limit_s, double *seconds)
{
    const qn_choice *choice = user;
    qn_program *program;
    qn_shape shape;
    const qn_plan *plan = plan_of(choice, values, &shape);
    QN_TRY(qn_program_create_beside(choice->first, plan, &shape, &program));
    qn_status status = qn_inputs_restore(choice->inputs, &choice->sequence->graph, program);
    if (status == QN_OK) status = qn_program_run(program, ROUNDS, NULL, NULL);
    if (status == QN_OK) status = compare(choice, program);
    if (status == QN_OK) status = time_runs(choice, program, limit_s, seconds);
    qn_program_destroy(&program);
    return status;
}

/* ---- the search ---- */

static qn_status make_first(qn_choice *choice)
{
    const qn_sequence *sequence = choice->sequence;
    const qn_graph *graph = &sequence->graph;
    const qn_shape shape =
        qn_program_fitted_shape(choice->plans, qn_device_get_info(choice->device), &sequence->sizes, sequence->stored);
    QN_TRY(
        qn_program_create(choice->plans, choice->device, &shape, &sequence->sizes, sequence->stored, &choice->first));
    QN_TRY(qn_inputs_write(choice->inputs, graph, choice->first));
    QN_TRY(qn_program_run(choice->first, ROUNDS, NULL, NULL));
    for (int value = 0; value < graph->value_count; value++)
        if (graph->values[value].is_result) choice->compared += qn_value_elements(graph, value, &sequence->sizes, 0);
    if (choice->compared > COMPARED_MAX) choice->compared = 0;
    QN_TRY(qn_allocate(choice->compared, sizeof(float), (void **)&choice->expected));
    QN_TRY(qn_allocate(choice->compared, sizeof(float), (void **)&choice->found));
    return read_results(choice, choice->first, choice->expected);
}

qn_status qn_choice_search(qn_choice *choice, const qn_inputs *inputs, double budget_s, uint64_t seed)
{
    if (budget_s <= 0 || !qn_search_is_open(choice->search)) return QN_OK;
    choice->inputs = inputs;
    QN_TRY(make_first(choice));
    const qn_status status = qn_search_run(choice->search, budget_s, seed, test, choice);
    qn_program_destroy(&choice->first);
    return status;
}

void qn_choice_get(const qn_choice *choice, qn_chosen *chosen)
{
    int64_t values[QN_SEARCH_PARAMETERS_MAX];
    *chosen = (qn_chosen){.plan = choice->plans, .number = 1, .candidates = choice->count};
    chosen->is_measured = qn_search_best(choice->search, values, &chosen->tests, &chosen->new_tests);
    if (!chosen->is_measured) return;
    chosen->plan = plan_of(choice, values, &chosen->shape);
    chosen->number = (int)(chosen->plan - choice->plans) + 1;
}

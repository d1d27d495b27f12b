#include "fuse/graph/interpret.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct machine {
    const qn_graph *graph;
    const qn_sizes *sizes;
    qn_numbers *numbers;
    int64_t most_rounds;
} machine;

size_t qn_value_elements(const qn_graph *graph, int value, const qn_sizes *sizes, size_t stored)
{
    const qn_value *of = &graph->values[value];
    if (of->kind == QN_SCALAR) return 1;
    if (of->kind == QN_CSR) return stored;
    size_t count = (size_t)sizes->of[of->extents[0]];
    return of->kind == QN_MATRIX ? count * (size_t)sizes->of[of->extents[1]] : count;
}

/* Place of an element among the numbers of a value, from the indices of a call's space. */
static size_t place(const machine *at, const qn_use *use, const int64_t *index)
{
    const qn_value *value = &at->graph->values[use->value];
    if (use->index_count == 0) return 0;
    if (use->index_count == 1) return (size_t)index[use->indices[0]];
    const int64_t row = index[use->indices[0]], column = index[use->indices[1]];
    return value->column ? (size_t)(column * at->sizes->of[value->extents[0]] + row)
                         : (size_t)(row * at->sizes->of[value->extents[1]] + column);
}

static double first_of(qn_reduction reduction)
{
    return reduction == QN_REDUCE_MINIMUM ? INFINITY : reduction == QN_REDUCE_MAXIMUM ? -INFINITY : 0;
}

static void put(const machine *at, const qn_call *call, int output, const int64_t *index, double term, double scale)
{
    qn_numbers *into = &at->numbers[call->outputs[output].value];
    const size_t k = place(at, &call->outputs[output], index);
    switch (call->meanings[output].reduction) {
    case QN_REDUCE_NONE: into->values[k] = term, into->scales[k] = scale; break;
    case QN_REDUCE_SUM: into->values[k] += term, into->scales[k] += scale; break;
    case QN_REDUCE_MINIMUM:
        into->values[k] = fmin(into->values[k], term), into->scales[k] = fmax(into->scales[k], scale);
        break;
    case QN_REDUCE_MAXIMUM:
        into->values[k] = fmax(into->values[k], term), into->scales[k] = fmax(into->scales[k], scale);
        break;
    }
}

/* One point of the space. `stored` is the element of a csr matrix. */
static void do_point(const machine *at, const qn_call *call, const int64_t *index, size_t stored)
{
    double inputs[QN_CALL_INPUTS_MAX], scales[QN_CALL_INPUTS_MAX], scale;
    for (int i = 0; i < call->input_count; i++) {
        const qn_numbers *from = &at->numbers[call->inputs[i].value];
        const size_t k = call->is_sparse && i == 0 ? stored : place(at, &call->inputs[i], index);
        inputs[i] = from->values[k];
        scales[i] = from->scales[k];
    }
    for (int output = 0; output < call->output_count; output++) {
        const double term = qn_point_evaluate(call->meanings[output].term, inputs, scales, &scale);
        put(at, call, output, index, term, scale);
    }
}

static void do_sparse(const machine *at, const qn_call *call)
{
    const qn_numbers *matrix = &at->numbers[call->inputs[0].value];
    const int64_t rows = at->sizes->of[call->space[0]];
    for (int64_t row = 0; row < rows; row++)
        for (int32_t k = matrix->starts[row]; k < matrix->starts[row + 1]; k++)
            do_point(at, call, (int64_t[]){row, matrix->columns[k]}, (size_t)k);
}

static void do_call(const machine *at, const qn_call *call)
{
    int64_t index[2], extents[2] = {1, 1};
    for (int k = 0; k < call->space_count; k++) extents[k] = at->sizes->of[call->space[k]];
    for (int output = 0; output < call->output_count; output++) {
        const qn_numbers *into = &at->numbers[call->outputs[output].value];
        const double first = first_of(call->meanings[output].reduction);
        for (size_t k = 0; k < into->count; k++) into->values[k] = first, into->scales[k] = 0;
    }
    if (call->is_sparse) {
        do_sparse(at, call);
        return;
    }
    for (index[0] = 0; index[0] < extents[0]; index[0]++)
        for (index[1] = 0; index[1] < extents[1]; index[1]++) do_point(at, call, index, 0);
}

/* At the end of a round `next x` becomes x. */
static void commit(const machine *at, const qn_section *section)
{
    for (int i = 0; i < section->call_count; i++) {
        const qn_call *call = &at->graph->calls[section->first_call + i];
        for (int output = 0; output < call->output_count; output++) {
            const int value = call->outputs[output].value, old = at->graph->values[value].old;
            if (old < 0) continue;
            const qn_numbers *from = &at->numbers[value], *into = &at->numbers[old];
            memcpy(into->values, from->values, from->count * sizeof *from->values);
            memcpy(into->scales, from->scales, from->count * sizeof *from->scales);
        }
    }
}

bool qn_condition_holds(const qn_condition *condition, const double *values)
{
    const double left = qn_point_evaluate(condition->left, values, NULL, NULL);
    const double right = qn_point_evaluate(condition->right, values, NULL, NULL);
    return condition->less ? left < right : left > right;
}

static bool holds(const machine *at, const qn_condition *condition)
{
    double values[QN_CALL_INPUTS_MAX];
    for (int i = 0; i < condition->use_count; i++) values[i] = at->numbers[condition->uses[i].value].values[0];
    return qn_condition_holds(condition, values);
}

static int64_t do_section(const machine *at, const qn_section *section)
{
    int64_t rounds = section->is_loop ? at->sizes->of[section->rounds] : 1;
    if (at->most_rounds > 0 && rounds > at->most_rounds) rounds = at->most_rounds;
    for (int64_t round = 1; round <= rounds; round++) {
        for (int i = 0; i < section->call_count; i++) do_call(at, &at->graph->calls[section->first_call + i]);
        if (section->is_loop) commit(at, section);
        if (section->has_until && round % section->every == 0 && holds(at, &section->until)) return round;
    }
    return section->is_loop ? rounds : 0;
}

static qn_status make_room(const machine *at, int value)
{
    qn_numbers *numbers = &at->numbers[value];
    const bool is_given = numbers->values != NULL;
    if (!is_given && at->graph->values[value].is_given)
        return QN_FAIL(QN_INTERNAL, "%s: %s has no numbers", at->graph->name, at->graph->values[value].name);
    if (!is_given) {
        numbers->count = qn_value_elements(at->graph, value, at->sizes, 0);
        QN_TRY(qn_allocate(numbers->count, sizeof(double), (void **)&numbers->values));
    }
    if (numbers->scales) return QN_OK;
    QN_TRY(qn_allocate(numbers->count, sizeof(double), (void **)&numbers->scales));
    for (size_t k = 0; k < numbers->count; k++) numbers->scales[k] = fabs(numbers->values[k]);
    return QN_OK;
}

qn_status qn_graph_interpret(const qn_graph *graph, const qn_sizes *sizes, qn_numbers *numbers, int64_t most_rounds,
                             int64_t *rounds)
{
    const machine at = {graph, sizes, numbers, most_rounds};
    int64_t done = 0;
    for (int value = 0; value < graph->value_count; value++) QN_TRY(make_room(&at, value));
    for (int i = 0; i < graph->section_count; i++) done += do_section(&at, &graph->sections[i]);
    if (rounds) *rounds = done;
    return QN_OK;
}

void qn_numbers_clear(qn_numbers *numbers)
{
    qn_release(&numbers->values);
    qn_release(&numbers->scales);
    numbers->count = 0;
}

#include "fuse/program/inputs.h"

#include <math.h>

#include "base/memory.h"
#include "math/random.h"

void qn_inputs_stored(const qn_graph *graph, const qn_sizes *sizes, double *stored)
{
    for (int value = 0; value < graph->value_count; value++)
        stored[value] = graph->values[value].kind == QN_CSR
                            ? QN_INPUTS_ROW * (double)sizes->of[graph->values[value].extents[0]]
                            : 0;
}

/* Columns of row i: i and its neighbours at distances 1 and `side`, on a ring. */
static qn_status make_stencil(const qn_graph *graph, const qn_sizes *sizes, int value, qn_inputs *inputs)
{
    const int64_t rows = sizes->of[graph->values[value].extents[0]],
                  columns = sizes->of[graph->values[value].extents[1]];
    const int64_t side = (int64_t)sqrt((double)columns);
    const int64_t offsets[QN_INPUTS_ROW] = {0, 1, columns - 1, side, columns - side};
    QN_TRY(qn_allocate((size_t)rows + 1, sizeof(int32_t), (void **)&inputs->starts[value]));
    QN_TRY(qn_allocate((size_t)rows * QN_INPUTS_ROW, sizeof(int32_t), (void **)&inputs->columns[value]));
    for (int64_t row = 0; row < rows; row++)
        for (int k = 0; k < QN_INPUTS_ROW; k++) {
            const int64_t place = row * QN_INPUTS_ROW + k;
            inputs->starts[value][row + 1] = (int32_t)(place + 1);
            inputs->columns[value][place] = (int32_t)((row + offsets[k]) % columns);
            inputs->floats[value][place] = k == 0 ? 5 : -1;
        }
    return QN_OK;
}

static qn_status make_value(const qn_graph *graph, const qn_sizes *sizes, int value, uint64_t seed, qn_inputs_kind kind,
                            qn_inputs *inputs)
{
    double stored[QN_GRAPH_VALUES_MAX];
    qn_inputs_stored(graph, sizes, stored);
    const size_t count = qn_value_elements(graph, value, sizes, (size_t)stored[value]);
    QN_TRY(qn_allocate(count, sizeof(float), (void **)&inputs->floats[value]));
    inputs->numbers[value].count = count;
    if (graph->values[value].kind == QN_CSR) return make_stencil(graph, sizes, value, inputs);
    for (size_t k = 0; k < count; k++) {
        const double uniform = qn_random_uniform(seed, (uint64_t)value, k);
        inputs->floats[value][k] = kind == QN_INPUTS_SIGNS ? (float)(floor(3 * uniform) - 1) : (float)(1 - 2 * uniform);
    }
    return QN_OK;
}

static qn_status make_numbers(int value, qn_inputs *inputs)
{
    qn_numbers *numbers = &inputs->numbers[value];
    QN_TRY(qn_allocate(numbers->count, sizeof(double), (void **)&numbers->values));
    for (size_t k = 0; k < numbers->count; k++) numbers->values[k] = inputs->floats[value][k];
    numbers->starts = inputs->starts[value];
    numbers->columns = inputs->columns[value];
    return QN_OK;
}

qn_status qn_inputs_make(const qn_graph *graph, const qn_sizes *sizes, uint64_t seed, qn_inputs_kind kind,
                         bool with_numbers, qn_inputs *inputs)
{
    *inputs = (qn_inputs){.floats = {NULL}};
    for (int value = 0; value < graph->value_count; value++) {
        if (!graph->values[value].is_given) continue;
        QN_TRY(make_value(graph, sizes, value, seed, kind, inputs));
        if (with_numbers) QN_TRY(make_numbers(value, inputs));
    }
    return QN_OK;
}

void qn_inputs_clear(qn_inputs *inputs)
{
    for (int value = 0; value < QN_GRAPH_VALUES_MAX; value++) {
        qn_numbers_clear(&inputs->numbers[value]);
        qn_release(&inputs->floats[value]);
        qn_release(&inputs->starts[value]);
        qn_release(&inputs->columns[value]);
    }
}

static qn_status write_given(const qn_inputs *inputs, const qn_graph *graph, bool with_constants, qn_program *program)
{
    for (int value = 0; value < graph->value_count; value++)
        if (graph->values[value].is_given && (with_constants || !qn_value_is_constant(graph, value)))
            QN_TRY(
                qn_program_write(program, value, inputs->floats[value], inputs->starts[value], inputs->columns[value]));
    return QN_OK;
}

qn_status qn_inputs_write(const qn_inputs *inputs, const qn_graph *graph, qn_program *program)
{
    return write_given(inputs, graph, true, program);
}

qn_status qn_inputs_restore(const qn_inputs *inputs, const qn_graph *graph, qn_program *program)
{
    return write_given(inputs, graph, false, program);
}

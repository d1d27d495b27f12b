/* Words that kernels move. */
#include <string.h>

#include "fuse/plan/plan.h"

void qn_calls_words(const qn_scope *scope, qn_calls calls, qn_words *words)
{
    bool reads[QN_GRAPH_VALUES_MAX], writes[QN_GRAPH_VALUES_MAX];
    *words = (qn_words){.count = 0};
    qn_calls_traffic(scope, calls, reads, writes);
    for (int value = 0; value < scope->graph->value_count; value++)
        if (reads[value] || writes[value])
            qn_words_add_value(scope->graph, value, (reads[value] ? 1 : 0) + (writes[value] ? 1 : 0), words);
}

typedef struct sweeps {
    const qn_scope *scope;
    qn_calls calls;
    const qn_layout *layout;
    bool writes[QN_GRAPH_VALUES_MAX];
    unsigned readers[QN_GRAPH_VALUES_MAX]; /* sweeps that read a matrix from memory, as bits */
} sweeps;

/* A sweep reads a matrix: from memory, or what it is made of. */
static void note_read(sweeps *at, int value, int sweep)
{
    const qn_graph *graph = at->scope->graph;
    const int producer = graph->values[value].producer;
    const bool is_made = producer >= 0 && qn_calls_have(at->calls, producer);
    if (graph->values[value].kind != QN_MATRIX) return;
    if (!is_made || (at->writes[value] && at->layout->levels[producer] < sweep)) {
        at->readers[value] |= 1U << sweep;
        return;
    }
    for (int i = 0; i < graph->calls[producer].input_count; i++)
        note_read(at, graph->calls[producer].inputs[i].value, sweep);
}

static void find_again(sweeps *at, const qn_plan_options *options, qn_again *again)
{
    const qn_graph *graph = at->scope->graph;
    for (int call = 0; call < graph->call_count; call++)
        for (int i = 0; qn_calls_have(at->calls, call) && i < graph->calls[call].input_count; i++)
            note_read(at, graph->calls[call].inputs[i].value, at->layout->levels[call]);
    for (int value = 0; value < graph->value_count; value++) {
        const int producer = graph->values[value].producer;
        const bool is_made = producer >= 0 && qn_calls_have(at->calls, producer);
        const int reads = __builtin_popcount(at->readers[value]);
        again->times[value] = is_made || reads == 0 ? reads : reads - 1;
        again->count += again->times[value] > 0;
    }
    again->line_bytes = 4 * options->sizes->of[at->layout->extents[1]] * again->count;
    again->is_cached = options->panel_bytes == 0 || again->line_bytes <= options->panel_bytes;
}

void qn_kernel_words(const qn_scope *scope, qn_calls calls, const qn_layout *layout, const qn_plan_options *options,
                     qn_again *again, qn_words *words)
{
    sweeps at = {.scope = scope, .calls = calls, .layout = layout};
    qn_calls_words(scope, calls, words);
    *again = (qn_again){.count = 0};
    if (layout->sweeps < 2) return;
    bool reads[QN_GRAPH_VALUES_MAX];
    qn_calls_traffic(scope, calls, reads, at.writes);
    find_again(&at, options, again);
    for (int value = 0; !again->is_cached && value < scope->graph->value_count; value++)
        if (again->times[value] > 0) qn_words_add_value(scope->graph, value, again->times[value], words);
}

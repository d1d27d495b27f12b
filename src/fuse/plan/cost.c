/* Seconds of a kernel. */
#include <math.h>

#include "fuse/plan/plan.h"

static double count_points(const qn_call *call, const qn_plan_options *options)
{
    double points = 1;
    if (call->is_sparse) return options->stored[call->inputs[0].value];
    for (int k = 0; k < call->space_count; k++) points *= (double)options->sizes->of[call->space[k]];
    return points;
}

/* Words that a call reads and writes on its own. */
static double count_words(const qn_graph *graph, const qn_call *call, const qn_plan_options *options)
{
    double words = 0;
    for (int i = 0; i < call->input_count + call->output_count; i++) {
        const qn_use *use = i < call->input_count ? &call->inputs[i] : &call->outputs[i - call->input_count];
        const qn_value *value = &graph->values[use->value];
        double own = use->index_count > 0 ? 1 : 0; /* scalars are lost beside arrays */
        for (int k = 0; k < use->index_count && value->kind != QN_CSR; k++)
            own *= (double)options->sizes->of[value->extents[k]];
        words += value->kind == QN_CSR ? 2 * options->stored[use->value] : own;
    }
    return words;
}

/* Bytes in a second of a kernel of these calls. Calls without a measured rate have the usual one. */
static double rate_of(const qn_scope *scope, qn_calls calls, const qn_plan_options *options)
{
    double bytes = 0, seconds = 0;
    bool is_measured = false;
    for (int call = 0; call < scope->graph->call_count; call++)
        is_measured |= qn_calls_have(calls, call) && scope->graph->calls[call].bytes_per_s > 0;
    if (!is_measured) return options->bytes_per_s;
    for (int call = 0; call < scope->graph->call_count; call++) {
        const qn_call *of = &scope->graph->calls[call];
        const double rate = of->bytes_per_s;
        if (!qn_calls_have(calls, call)) continue;
        const double own = count_words(scope->graph, of, options);
        bytes += own;
        seconds += own / (rate > 0 ? rate : options->bytes_per_s);
    }
    return seconds > 0 ? bytes / seconds : options->bytes_per_s;
}

double qn_kernel_seconds(const qn_scope *scope, qn_calls calls, const qn_words *words, const qn_plan_options *options)
{
    double most_s = 4 * qn_words_count(words, options->sizes, options->stored) / rate_of(scope, calls, options);
    for (int pipe = 0; pipe < QN_PIPES; pipe++) {
        double slots = 0;
        if (options->slots_per_s[pipe] <= 0) continue;
        for (int call = 0; call < scope->graph->call_count; call++)
            if (qn_calls_have(calls, call))
                slots += scope->graph->calls[call].slots[pipe] * count_points(&scope->graph->calls[call], options);
        most_s = fmax(most_s, slots / options->slots_per_s[pipe]);
    }
    return options->launch_s + most_s;
}

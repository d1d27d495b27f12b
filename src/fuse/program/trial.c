#include "fuse/program/trial.h"

#include <string.h>

#include "base/memory.h"

enum { SEED = 1 };

static qn_status write_formal(const qn_formal *formal, bool is_sparse, qn_text *text)
{
    if (formal->index_count == 0) return qn_text_append(text, "scalar\n");
    if (formal->index_count == 1) return qn_text_append(text, "vector(e%d)\n", formal->indices[0]);
    return qn_text_append(text, "%s(e%d, e%d)\n", is_sparse ? "csr" : "matrix", formal->indices[0], formal->indices[1]);
}

/* A script that calls the function once: "sequence trial", inputs v0 …, outputs o0 …, extents e0 and e1. */
static qn_status write_script(const qn_function *function, qn_text *text)
{
    const bool is_sparse = function->is_shipped && strcmp(function->name, "spmv") == 0;
    QN_TRY(qn_text_append(text, "sequence trial\n"));
    for (int i = 0; i < function->input_count; i++) {
        QN_TRY(qn_text_append(text, "input v%d: ", i));
        QN_TRY(write_formal(&function->inputs[i], is_sparse && i == 0, text));
    }
    for (int i = 0; i < function->output_count; i++) {
        QN_TRY(qn_text_append(text, "output o%d: ", i));
        QN_TRY(write_formal(&function->outputs[i], false, text));
    }
    for (int i = 0; i < function->output_count; i++) QN_TRY(qn_text_append(text, "%so%d", i > 0 ? ", " : "", i));
    QN_TRY(qn_text_append(text, " = %s(", function->name));
    for (int i = 0; i < function->input_count; i++) QN_TRY(qn_text_append(text, "%sv%d", i > 0 ? ", " : "", i));
    return qn_text_append(text, ")\n");
}

static void give_implementation(const qn_trial_call *call, qn_trial *at)
{
    qn_graph *graph = &at->graph;
    if (call->implementation) {
        at->implementation = *call->implementation;
        memset(at->implementation.input_places, 0, sizeof at->implementation.input_places);
        memset(at->implementation.output_places, 0, sizeof at->implementation.output_places);
    }
    for (int i = 0; i < graph->call_count; i++) {
        qn_call *own = &graph->calls[i];
        if (own->function != call->function) continue;
        own->implementation = call->implementation ? &at->implementation : NULL;
        for (int k = 0; call->implementation && k < call->implementation->tunable_count; k++)
            own->choices[k] = call->choices ? call->choices[k] : call->implementation->tunables[k].values[0];
    }
    graph->marks_bodies = call->marks_bodies;
}

qn_status qn_trial_plan(const qn_trial_call *call, qn_trial *at)
{
    const qn_plan_options options = {
        .fusion = QN_FUSION_NONE, .launch_s = 4e-6, .bytes_per_s = 1e12, .sizes = &at->sizes, .stored = at->stored};
    qn_script script;
    QN_TRY(write_script(call->function, &at->text));
    at->source = qn_source_make("trial", at->text.data, at->text.length);
    QN_TRY(qn_script_parse(&at->source, &at->arena, &script));
    QN_TRY(qn_graph_make(&script, call->library, &at->arena, &at->graph));
    for (int i = 0; i < at->graph.extent_count; i++)
        at->sizes.of[i] = call->extents[strcmp(at->graph.extents[i].name, "e1") == 0 ? 1 : 0];
    qn_inputs_stored(&at->graph, &at->sizes, at->stored);
    give_implementation(call, at);
    return qn_plan_make(&at->graph, &options, &at->plan);
}

static qn_status fill(const qn_trial_call *call, qn_device *device, qn_trial *at)
{
    QN_TRY(qn_trial_plan(call, at));
    QN_TRY(qn_program_check_room(&at->plan, qn_device_get_info(device), &at->sizes, at->stored));
    const qn_shape shape = qn_program_fitted_shape(&at->plan, qn_device_get_info(device), &at->sizes, at->stored);
    QN_TRY(qn_program_create(&at->plan, device, &shape, &at->sizes, at->stored, &at->program));
    QN_TRY(qn_inputs_make(&at->graph, &at->sizes, SEED, QN_INPUTS_UNIFORM, call->with_numbers, &at->inputs));
    return qn_inputs_write(&at->inputs, &at->graph, at->program);
}

qn_status qn_trial_open(const qn_trial_call *call, qn_device *device, qn_trial **trial)
{
    QN_TRY(qn_allocate(1, sizeof **trial, (void **)trial));
    const qn_status status = fill(call, device, *trial);
    if (status != QN_OK) qn_trial_close(trial);
    return status;
}

void qn_trial_close(qn_trial **trial)
{
    qn_trial *at = *trial;
    if (!at) return;
    qn_program_destroy(&at->program);
    qn_inputs_clear(&at->inputs);
    qn_text_clear(&at->text);
    qn_arena_clear(&at->arena);
    qn_release(trial);
}

int qn_trial_kernel(const qn_trial *trial)
{
    for (int kernel = 0; kernel < trial->plan.kernel_count; kernel++)
        for (int call = 0; call < trial->graph.call_count; call++)
            if (trial->graph.calls[call].function && qn_calls_have(trial->plan.kernels[kernel].calls, call))
                return kernel;
    return 0;
}

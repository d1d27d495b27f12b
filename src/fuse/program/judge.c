/* An implementation beside its meaning: a sequence of one call, on random numbers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "fuse/program/choose.h"
#include "fuse/program/inputs.h"

enum { LINES = 37, COLUMNS = 530, SEED = 1 };

/* A script that calls the function once: "sequence trial", inputs v0 …, outputs o0 …, extents e0 and e1. */
static qn_status write_script(const qn_function *function, qn_text *text)
{
    QN_TRY(qn_text_append(text, "sequence trial\n"));
    for (int i = 0; i < function->input_count + function->output_count; i++) {
        const bool is_input = i < function->input_count;
        const int number = is_input ? i : i - function->input_count;
        const qn_formal *formal = is_input ? &function->inputs[number] : &function->outputs[number];
        QN_TRY(qn_text_append(text, is_input ? "input v%d: " : "output o%d: ", number));
        if (formal->index_count == 0) QN_TRY(qn_text_append(text, "scalar\n"));
        if (formal->index_count == 1) QN_TRY(qn_text_append(text, "vector(e%d)\n", formal->indices[0]));
        if (formal->index_count == 2)
            QN_TRY(qn_text_append(text, "matrix(e%d, e%d)\n", formal->indices[0], formal->indices[1]));
    }
    for (int i = 0; i < function->output_count; i++) QN_TRY(qn_text_append(text, "%so%d", i > 0 ? ", " : "", i));
    QN_TRY(qn_text_append(text, " = %s(", function->name));
    for (int i = 0; i < function->input_count; i++) QN_TRY(qn_text_append(text, "%sv%d", i > 0 ? ", " : "", i));
    return qn_text_append(text, ")\n");
}

/* All that a trial needs. */
typedef struct trial {
    qn_arena arena;
    qn_text text;
    qn_source source;
    qn_graph graph;
    qn_plan plan;
    qn_sizes sizes;
    double stored[QN_GRAPH_VALUES_MAX];
    qn_inputs inputs;
    qn_program *program;
} trial;

static qn_status make_plan(trial *at, const qn_library *library, const qn_function *function,
                           const qn_implementation *implementation, const int *choices)
{
    const qn_plan_options options = {
        .fusion = QN_FUSION_NONE, .launch_s = 4e-6, .bytes_per_s = 1e12, .sizes = &at->sizes, .stored = at->stored};
    qn_script script;
    QN_TRY(write_script(function, &at->text));
    at->source = qn_source_make("trial", at->text.data, at->text.length);
    QN_TRY(qn_script_parse(&at->source, &at->arena, &script));
    QN_TRY(qn_graph_make(&script, library, &at->arena, &at->graph));
    for (int i = 0; i < at->graph.extent_count; i++)
        at->sizes.of[i] = strcmp(at->graph.extents[i].name, "e0") == 0 && function->index_count == 2 ? LINES : COLUMNS;
    for (int call = 0; call < at->graph.call_count; call++)
        if (at->graph.calls[call].function == function) {
            at->graph.calls[call].implementation = implementation;
            memcpy(at->graph.calls[call].choices, choices, sizeof at->graph.calls[call].choices);
        }
    at->graph.marks_bodies = true;
    return qn_plan_make(&at->graph, &options, &at->plan);
}

/* A message of a compiler that names a place of the library becomes one of this program. */
static qn_status explain_failure(const qn_function *function, const qn_implementation *implementation)
{
    char message[640];
    int line = 0, column = 0, used = 0;
    snprintf(message, sizeof message, "%s", qn_error_message());
    const char *place = strstr(message, QN_BODY_FILE ":");
    if (place) sscanf(place + strlen(QN_BODY_FILE), ":%d:%d: %n", &line, &column, &used);
    if (!place || used == 0)
        return QN_SOURCE_FAIL(function->source, implementation->offset,
                              "found the implementation %s of %s, which does not compile: %.300s", implementation->name,
                              function->name, message);
    char *sentence = message + (place - message) + strlen(QN_BODY_FILE) + used;
    if (strncmp(sentence, "error: ", 7) == 0) sentence += 7;
    sentence[strcspn(sentence, "\n")] = '\0';
    return QN_FAIL(QN_BAD_FORMAT,
                   "%s:%d:%d: found a body of %s by %s that does not compile: %.300s; expected the kernel language",
                   function->source->name, line, column, function->name, implementation->name, sentence);
}

/* Numbers of a result that are farther from the meaning than rounding explains. */
static qn_status compare(trial *at, int value, qn_judgement *judgement)
{
    const qn_numbers *expected = &at->inputs.numbers[value];
    float *found;
    QN_TRY(qn_allocate(expected->count, sizeof *found, (void **)&found));
    const qn_status status = qn_program_read(at->program, value, found);
    for (size_t k = 0; k < expected->count && status == QN_OK && judgement->is_right; k++) {
        const double bound = 4 * sqrt((double)LINES * COLUMNS) * 0x1p-24 * expected->scales[k];
        const bool is_undecided = (isnan(found[k]) && isnan(expected->values[k])) || !isfinite(bound);
        if (is_undecided || fabs(found[k] - expected->values[k]) <= bound) continue;
        judgement->is_right = false;
        snprintf(judgement->reason, sizeof judgement->reason, "it differs from point: %.9g where that is %.9g",
                 (double)found[k], expected->values[k]);
    }
    qn_release(&found);
    return status;
}

static qn_status run(trial *at, qn_judgement *judgement)
{
    QN_TRY(qn_inputs_make(&at->graph, &at->sizes, SEED, QN_INPUTS_UNIFORM, true, &at->inputs));
    QN_TRY(qn_inputs_write(&at->inputs, &at->graph, at->program));
    QN_TRY(qn_program_run(at->program, 0, NULL, NULL));
    QN_TRY(qn_graph_interpret(&at->graph, &at->sizes, at->inputs.numbers, 0, NULL));
    judgement->is_right = true;
    for (int value = 0; value < at->graph.value_count; value++)
        if (at->graph.values[value].is_result) QN_TRY(compare(at, value, judgement));
    return QN_OK;
}

static qn_status judge(trial *at, qn_device *device, const qn_function *function,
                       const qn_implementation *implementation, qn_judgement *judgement)
{
    const qn_shape shape = qn_program_fitted_shape(&at->plan, qn_device_get_info(device), &at->sizes);
    const qn_status created = qn_program_create(&at->plan, device, &shape, &at->sizes, at->stored, &at->program);
    /* some drivers compile at the first launch */
    const qn_status status = created == QN_OK ? run(at, judgement) : created;
    if (status == QN_BUILD_FAILED) return explain_failure(function, implementation);
    if (status != QN_UNSUPPORTED) return status;
    snprintf(judgement->reason, sizeof judgement->reason, "it cannot be compared with point: %.250s",
             qn_error_message());
    return QN_OK;
}

qn_status qn_implementation_judge(qn_device *device, const qn_library *library, const qn_function *function,
                                  const qn_implementation *implementation, const int *choices, qn_judgement *judgement)
{
    trial *at;
    *judgement = (qn_judgement){.is_right = false};
    QN_TRY(qn_allocate(1, sizeof *at, (void **)&at));
    qn_status status = make_plan(at, library, function, implementation, choices);
    if (status == QN_OK) status = judge(at, device, function, implementation, judgement);
    qn_program_destroy(&at->program);
    qn_inputs_clear(&at->inputs);
    qn_text_clear(&at->text);
    qn_arena_clear(&at->arena);
    qn_release(&at);
    return status;
}

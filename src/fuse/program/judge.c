/* An implementation beside its meaning, on random numbers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "fuse/program/choose.h"
#include "fuse/program/trial.h"

enum { LINES = 37, COLUMNS = 530 };

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
static qn_status compare(qn_trial *at, int value, qn_judgement *judgement)
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

static qn_status run(qn_trial *at, qn_judgement *judgement)
{
    QN_TRY(qn_program_run(at->program, 0, NULL, NULL));
    QN_TRY(qn_graph_interpret(&at->graph, &at->sizes, at->inputs.numbers, 0, NULL));
    judgement->is_right = true;
    for (int value = 0; value < at->graph.value_count; value++)
        if (at->graph.values[value].is_result) QN_TRY(compare(at, value, judgement));
    return QN_OK;
}

qn_status qn_implementation_judge(qn_device *device, const qn_library *library, const qn_function *function,
                                  const qn_implementation *implementation, const int *choices, qn_judgement *judgement)
{
    const qn_trial_call call = {.library = library,
                                .function = function,
                                .implementation = implementation,
                                .choices = choices,
                                .extents = {function->index_count == 2 ? LINES : COLUMNS, COLUMNS},
                                .with_numbers = true,
                                .marks_bodies = true};
    qn_trial *trial = NULL;
    *judgement = (qn_judgement){.is_right = false};
    qn_status status = qn_trial_open(&call, device, &trial);
    if (status == QN_OK) status = run(trial, judgement); /* some drivers compile at the first launch */
    qn_trial_close(&trial);
    if (status == QN_BUILD_FAILED) return explain_failure(function, implementation);
    if (status != QN_UNSUPPORTED) return status;
    snprintf(judgement->reason, sizeof judgement->reason, "it cannot be compared with point: %.250s",
             qn_error_message());
    return QN_OK;
}

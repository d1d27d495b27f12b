/* An implementation beside its meaning, on random numbers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "fuse/program/choose.h"
#include "fuse/program/trial.h"

enum { LINES = 37, COLUMNS = 530 };

/* The column of a name that a message quotes ("zz") in a line of a source; 1 if it quotes none that is there. */
static int column_of(const qn_source *source, int line, const char *sentence)
{
    const char *from = source->text, *quote = strchr(sentence, '"');
    for (int i = 1; i < line + source->lines_before && from; i++) from = (from = strchr(from, '\n')) ? from + 1 : NULL;
    const size_t length = quote ? strcspn(quote + 1, "\"") : 0;
    for (const char *at = from; at && length > 0 && *at && *at != '\n'; at++)
        if (strncmp(at, quote + 1, length) == 0) return (int)(at - from) + 1;
    return 1;
}

/* A message of a compiler that names a place of the library becomes one of this program. NVRTC names lines alone. */
static qn_status explain_failure(const qn_function *function, const qn_implementation *implementation)
{
    char message[640];
    int line = 0, column = 0, used = 0;
    snprintf(message, sizeof message, "%s", qn_error_message());
    char *place = strstr(message, QN_BODY_FILE), *sentence = place ? place + strlen(QN_BODY_FILE) : NULL;
    if (place && sscanf(sentence, ":%d:%d: %n", &line, &column, &used) < 2) sscanf(sentence, "(%d): %n", &line, &used);
    if (used == 0)
        return QN_SOURCE_FAIL(function->source, implementation->offset,
                              "found the implementation %s of %s, which does not compile: %.300s", implementation->name,
                              function->name, message);
    sentence += used;
    if (strncmp(sentence, "error: ", 7) == 0) sentence += 7;
    sentence[strcspn(sentence, "\n")] = '\0';
    return QN_FAIL(QN_BAD_FORMAT,
                   "%s:%d:%d: found a body of %s by %s that does not compile: %.300s; expected the kernel language",
                   function->source->name, line, column > 0 ? column : column_of(function->source, line, sentence),
                   function->name, implementation->name, sentence);
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

/* Any text as a library of quern fuse: it is refused with a place, or its meanings can be evaluated and written, and
 * kernels of a call of each function by each implementation can be written. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fuse/emit/emit.h"
#include "fuse/program/trial.h"

enum { LONGEST = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds) abort();
}

static void try_meaning(const qn_point *point)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "self"};
    const double inputs[] = {1, -2, 3, 0.5, 5, 0, 7, 8, 9};
    qn_text text = {0};
    double scale;
    if (!point) return;
    (void)qn_point_evaluate(point, inputs, NULL, &scale);
    demand(qn_point_write(point, names, &text) == QN_OK && text.length > 0);
    qn_text_clear(&text);
}

/* The kernels of a call, with and without marks of the library's lines. */
static void try_call(const qn_library *library, const qn_function *function, const qn_implementation *implementation)
{
    static qn_trial trial;
    qn_trial_call call = {
        .library = library, .function = function, .implementation = implementation, .extents = {37, 530}};
    qn_text text = {0};
    call.marks_bodies = implementation && implementation->offset % 2 == 0;
    qn_status status = qn_trial_plan(&call, &trial);
    for (int form = QN_EMIT_GROUPS; form <= QN_EMIT_LOOPS && status == QN_OK; form++) {
        status = qn_emit_header(trial.plan.graph, (qn_emit_form)form, &text);
        for (int k = 0; k < trial.plan.kernel_count && status == QN_OK; k++) {
            qn_emitted_kernel kernel;
            status = qn_emit_kernel(&trial.plan, k, (qn_emit_form)form, &text, &kernel);
        }
    }
    demand(status == QN_OK || status == QN_UNSUPPORTED ||
           status == QN_BAD_FORMAT); /* a function named as a word of scripts */
    qn_text_clear(&text);
    qn_text_clear(&trial.text);
    qn_arena_clear(&trial.arena);
    trial = (qn_trial){.arena = {0}};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[LONGEST];
    qn_arena arena = {0};
    qn_library library = {0};
    if (size >= sizeof text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    const qn_source source = qn_source_make("f.qel", text, strlen(text));
    const qn_status status = qn_library_parse(&source, &arena, &library);
    demand(status == QN_OK || strncmp(qn_error_message(), "f.qel:", 6) == 0);
    for (const qn_function *function = library.functions; function; function = function->following) {
        if (function->index_count > 0) try_call(&library, function, NULL);
        for (const qn_implementation *of = function->implementations; of; of = of->following)
            try_call(&library, function, of);
        for (int i = 0; i < function->output_count; i++) {
            try_meaning(function->meanings[i].term);
            try_meaning(function->meanings[i].finish);
        }
    }
    qn_arena_clear(&arena);
    return 0;
}

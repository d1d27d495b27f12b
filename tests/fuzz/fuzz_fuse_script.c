/* Any text as a script of quern fuse: it is refused with a place, or it has a plan whose kernels can be written, also
 * as files of every language. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fuse/output/output.h"

enum { LONGEST = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds) abort();
}

/* A refusal begins with file, line and column. */
static qn_status check_place(qn_status status)
{
    demand(status == QN_OK || status == QN_UNSUPPORTED || strncmp(qn_error_message(), "f.qf:", 5) == 0);
    return status;
}

static void try_files(const qn_plan *plan)
{
    static const qn_shape shapes[] = {{1, 1, 512, 16, 16, 64, 512, 1, 1}, {32, 8, 8, 8, 256, 512, 8, 1, 4}};
    for (int language = QN_CODE_C; language <= QN_CODE_QUERN; language++) {
        qn_code_files files;
        const qn_status status = qn_code_make(plan, &shapes[language != QN_CODE_C], (qn_code_language)language, &files);
        demand(status == QN_OK || status == QN_UNSUPPORTED); /* names that meet, more kernels than a family has */
        qn_code_clear(&files);
    }
}

static void try_plan(const qn_graph *graph)
{
    static qn_plan plan;
    static qn_sizes sizes;
    static double stored[QN_GRAPH_VALUES_MAX];
    /* a long search is no finding */
    const qn_plan_options options = {.fusion = graph->call_count > 8 ? QN_FUSION_NONE : QN_FUSION_AUTO,
                                     .launch_s = 4e-6,
                                     .bytes_per_s = 2e12,
                                     .sizes = &sizes,
                                     .stored = stored};
    qn_text text = {0};
    for (int i = 0; i < QN_GRAPH_EXTENTS_MAX; i++) sizes.of[i] = 1000;
    qn_status status = qn_plan_make(graph, &options, &plan);
    for (int i = 0; i < plan.kernel_count && status == QN_OK; i++) {
        qn_emitted_kernel kernel;
        status = qn_emit_kernel(&plan, i, QN_EMIT_GROUPS, &text, &kernel);
    }
    demand(status == QN_OK || status == QN_UNSUPPORTED); /* too many kernels, arguments or letters */
    qn_text_clear(&text);
    if (status == QN_OK) try_files(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static qn_graph graph;
    static char text[LONGEST];
    qn_arena arena = {0};
    qn_library library = {0};
    qn_script script;
    if (size >= sizeof text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    const qn_source source = qn_source_make("f.qf", text, strlen(text));
    demand(qn_library_add_shipped(&arena, &library) == QN_OK);
    qn_status status = check_place(qn_script_parse(&source, &arena, &script));
    if (status == QN_OK) status = check_place(qn_graph_make(&script, &library, &arena, &graph));
    if (status == QN_OK) try_plan(&graph);
    qn_arena_clear(&arena);
    return 0;
}

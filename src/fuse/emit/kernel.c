/* One kernel: its name, its arguments, its frame. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "fuse/emit/emitter.h"

/* ---- names ---- */

/* A value's own name; "next x" becomes x_next. Names that would meet get a number. A ring's values have the names of
 * those in whose memory they lie. */
static void name_value(qn_emitter *at, int value)
{
    const qn_value *of = &at->graph->values[value];
    if (of->copy_of >= 0) {
        memcpy(at->names[value], at->names[of->copy_of], sizeof at->names[value]);
        return;
    }
    const bool is_next = strncmp(of->name, "next ", 5) == 0;
    const char *name = is_next ? of->name + 5 : of->name;
    const char *suffix = of->before_of >= 0 ? "_before" : is_next ? "_next" : "";
    snprintf(at->names[value], sizeof at->names[value], "%.48s%s", name, suffix);
    for (int other = 0; other < value; other++)
        if (strcmp(at->names[other], at->names[value]) == 0) {
            snprintf(at->names[value], sizeof at->names[value], "%.48s%s_%d", name, suffix, value);
            return;
        }
}

/* ---- arguments ---- */

static qn_status add_argument(qn_emitter *at, qn_emitted_kind kind, int of, qn_access access, const char *name,
                              const char *suffix)
{
    qn_emitted_kernel *made = at->made;
    for (int i = 0; i < made->argument_count; i++) {
        qn_emitted_argument *own = &made->arguments[i];
        if (own->kind != kind || own->of != of) continue;
        if (own->access != access) own->access = QN_INOUT;
        return QN_OK;
    }
    if (made->argument_count == QN_ARGUMENT_MAX)
        return QN_FAIL(QN_UNSUPPORTED, "%s: kernel %s needs more than %d arguments", at->graph->name, made->name,
                       QN_ARGUMENT_MAX);
    qn_emitted_argument *own = &made->arguments[made->argument_count++];
    *own = (qn_emitted_argument){.kind = kind, .of = of, .access = access};
    snprintf(own->name, sizeof own->name, "%.70s%s", name, suffix);
    return QN_OK;
}

static qn_status add_value(qn_emitter *at, int value, qn_access access)
{
    const int root = qn_plan_root(at->plan, value);
    const char *name = at->names[root];
    const qn_shape_kind kind = at->graph->values[value].kind;
    /* A matrix may have gaps between its lines, which stay as they are. */
    QN_TRY(add_argument(at, QN_EMITTED_DATA, root, kind == QN_MATRIX && access == QN_OUT ? QN_INOUT : access, name,
                        "_data"));
    if (kind != QN_CSR) return QN_OK;
    QN_TRY(add_argument(at, QN_EMITTED_STARTS, root, QN_IN, name, "_starts"));
    return add_argument(at, QN_EMITTED_COLUMNS, root, QN_IN, name, "_columns");
}

static qn_status add_sizes(qn_emitter *at)
{
    char name[96];
    for (int value = 0; value < at->graph->value_count; value++) {
        const int root = qn_plan_root(at->plan, value);
        if ((at->kernel->reads[value] || at->kernel->writes[value]) && at->graph->values[value].kind == QN_MATRIX)
            QN_TRY(add_argument(at, QN_EMITTED_STEP, root, QN_VALUE, at->names[root], "_step"));
    }
    for (int k = 0; k < at->kernel->layout.dimensions; k++) {
        snprintf(name, sizeof name, "size_%.60s", at->graph->extents[at->kernel->layout.extents[k]].name);
        QN_TRY(add_argument(at, QN_EMITTED_SIZE, at->kernel->layout.extents[k], QN_VALUE, name, ""));
    }
    return QN_OK;
}

static qn_status add_arguments(qn_emitter *at)
{
    const qn_kernel_plan *kernel = at->kernel;
    for (int value = 0; value < at->graph->value_count; value++) {
        if (kernel->reads[value] && !kernel->folds[value]) QN_TRY(add_value(at, value, QN_IN));
        if (kernel->writes[value]) QN_TRY(add_value(at, value, QN_OUT));
    }
    for (int value = 0; value < at->graph->value_count; value++) {
        const int sums = qn_plan_sums(at->plan, value);
        const char *name = at->names[value];
        if (kernel->folds[value]) QN_TRY(add_argument(at, QN_EMITTED_SUMS, sums, QN_IN, name, "_sums"));
        if (kernel->partial[value]) QN_TRY(add_argument(at, QN_EMITTED_SUMS, sums, QN_INOUT, name, "_sums"));
        if (kernel->folds[value]) QN_TRY(add_argument(at, QN_EMITTED_PARTS, sums, QN_VALUE, name, "_parts"));
    }
    return add_sizes(at);
}

/* ---- text ---- */

static qn_status write_comment(qn_emitter *at)
{
    const char *before = "/* ";
    for (int call = 0; call < at->graph->call_count; call++)
        if (qn_emitter_has(at, call)) {
            QN_TRY(qn_text_append(at->text, "%s%s", before, at->graph->calls[call].text));
            before = "\n * ";
        }
    for (int value = 0; value < at->graph->value_count; value++)
        if (at->kernel->folds[value]) {
            QN_TRY(qn_text_append(at->text, "%sfold of %s", before, at->graph->values[value].name));
            before = "\n * ";
        }
    return qn_text_append(at->text, " */\n");
}

static qn_status write_signature(qn_emitter *at)
{
    const qn_emitted_kernel *made = at->made;
    const bool is_panel = at->kernel->layout.dimensions == 2;
    const bool is_whole = is_panel && qn_whole_is_possible(at); /* few groups, with many registers */
    const bool is_staged = qn_rows_any_staged(at);
    QN_TRY(qn_text_append(at->text, "KERNEL GROUP_LIMIT%s(%s, 1%s) void %s(", is_whole || is_staged ? "_RESIDENT" : "",
                          is_panel ? "GROUP_X, GROUP_Y" : "ITEMS, 1",
                          is_whole    ? ", 1"
                          : is_staged ? ", RESIDENT"
                                      : "",
                          made->name));
    for (int i = 0; i < made->argument_count; i++) {
        const qn_emitted_argument *own = &made->arguments[i];
        const bool is_int = own->kind == QN_EMITTED_STARTS || own->kind == QN_EMITTED_COLUMNS;
        QN_TRY(qn_text_append(at->text, "%s", i > 0 ? ",\n    " : "\n    "));
        if (own->access == QN_VALUE)
            QN_TRY(qn_text_append(at->text, "%s %s", own->kind == QN_EMITTED_STEP ? "qn_int64" : "int", own->name));
        else
            QN_TRY(qn_text_append(at->text, "GLOBAL %s%s *RESTRICT %s", own->access == QN_IN ? "const " : "",
                                  is_int ? "int" : "float", own->name));
    }
    return qn_text_append(at->text, ")\n{\n");
}

/* Write the start of a kernel: the group's number, and the work-item's number in the group. */
static qn_status write_start(qn_emitter *at)
{
    static const char *const starts[] = {
        "    const int group = GROUP_ID(0), item = LOCAL_ID(0);\n",
        "    const int group = GROUP_ID(0), groups = GROUP_COUNT(0), item = LOCAL_ID(0);\n",
        "    const int group = GROUP_ID(0), groups = GROUP_COUNT(0);\n"
        "    const int x = LOCAL_ID(0), y = LOCAL_ID(1), item = y * GROUP_X + x;\n"};
    return qn_text_append(at->text, "%s", starts[at->kernel->layout.dimensions]);
}

static qn_status write_work(qn_emitter *at)
{
    at->is_spread = qn_emit_is_spread(at->plan, (int)(at->kernel - at->plan->kernels), at->form);
    QN_TRY(qn_emit_alignments(at));
    QN_TRY(qn_emit_scalars(at));
    if (at->kernel->layout.dimensions == 2) return qn_emit_panel(at);
    return at->kernel->layout.dimensions == 1 ? qn_emit_line(at) : QN_OK;
}

static qn_status write_body(qn_emitter *at)
{
    if (qn_emitter_shares(at)) QN_TRY(qn_text_append(at->text, "    LOCAL float share[ITEMS];\n"));
    if (at->kernel->layout.dimensions == 2) QN_TRY(qn_emit_panel_locals(at));
    QN_TRY(qn_rows_locals(at));
    QN_TRY(write_start(at));
    QN_TRY(write_work(at));
    return qn_text_append(at->text, "}\n");
}

/* Kernels in one launch: the first groups do the first one, and so on. */
static qn_status write_bodies(qn_emitter *at, const qn_kernel_plan *kernels, int count)
{
    bool shares = false;
    for (int k = 0; k < count; k++) {
        at->kernel = &kernels[k];
        shares |= qn_emitter_shares(at);
    }
    if (shares) QN_TRY(qn_text_append(at->text, "    LOCAL float share[ITEMS];\n"));
    for (int k = 0; k < count; k++) {
        at->kernel = &kernels[k];
        QN_TRY(qn_rows_locals(at));
    }
    QN_TRY(qn_text_append(at->text, "    const int item = LOCAL_ID(0);\n    int group = GROUP_ID(0);\n"));
    for (int k = 0; k < count; k++) {
        const char *size = at->graph->extents[kernels[k].layout.extents[0]].name;
        const int index = (int)(&kernels[k] - at->plan->kernels);
        const char *strip = qn_emit_is_spread(at->plan, index, at->form) ? "" : " * STRIP";
        at->kernel = &kernels[k];
        QN_TRY(qn_text_append(at->text, "    {\n"));
        if (kernels[k].is_single)
            QN_TRY(qn_text_append(at->text, "    const int groups = 1;\n"));
        else
            QN_TRY(qn_text_append(at->text,
                                  "    const int groups = MIN((int)(((qn_int64)size_%s + ITEMS%s - 1) / (ITEMS%s)), "
                                  "PARTS);\n",
                                  size, strip, strip));
        QN_TRY(qn_text_append(at->text, "    if (group >= 0 && group < groups) {\n"));
        QN_TRY(write_work(at));
        QN_TRY(qn_text_append(at->text, "    }\n    group -= groups;\n    }\n"));
    }
    return qn_text_append(at->text, "}\n");
}

static qn_status emit(qn_emitter *at, int index)
{
    const qn_kernel_plan *kernels = &at->plan->kernels[index];
    int count = 1;
    while (index + count < at->plan->kernel_count && kernels[count].joins) count++;
    for (int value = 0; value < at->graph->value_count; value++) name_value(at, value);
    snprintf(at->made->name, sizeof at->made->name, "%.60s_%d", at->graph->name, index + 1);
    QN_TRY(qn_text_append(at->text, "\n"));
    for (int k = 0; k < count; k++) {
        at->kernel = &kernels[k];
        QN_TRY(add_arguments(at));
        QN_TRY(write_comment(at));
    }
    QN_TRY(write_signature(at));
    return count > 1 ? write_bodies(at, kernels, count) : write_body(at);
}

qn_status qn_emit_kernel(const qn_plan *plan, int index, qn_emit_form form, qn_text *text, qn_emitted_kernel *kernel)
{
    qn_emitter *at;
    QN_TRY(qn_allocate(1, sizeof *at, (void **)&at));
    *kernel = (qn_emitted_kernel){.argument_count = 0};
    at->plan = plan, at->graph = plan->graph, at->kernel = &plan->kernels[index];
    at->made = kernel, at->text = text, at->form = form;
    qn_site_restart(&at->line, QN_SITE_LINE, 4);
    const qn_status status = emit(at, index);
    qn_site_clear(&at->line), qn_site_clear(&at->column);
    qn_site_clear(&at->element), qn_site_clear(&at->gather);
    qn_site_clear(&at->ahead), qn_site_clear(&at->rows);
    qn_release(&at);
    return status;
}

/* ---- what all kernels use ---- */

static const char *const header_words =
    "\n#define ITEMS (GROUP_X * GROUP_Y)\n"
    "#define PITCH (GROUP_X + 1) /* lines begin in different banks of local memory */\n"
    "#define COLUMNS (GROUP_X * ELEMENTS)\n";

static const char *const loop_words =
    "\n"
    "/* A group's elements. A processor's lanes share them, and add up sums apart. */\n"
    "#define EACH_ELEMENT(count) for (int e = 0; e < (count); e++)\n"
    "#define QN_SIMD(text) _Pragma(#text)\n"
    "#define LANES QN_SIMD(omp simd)\n"
    "#define LANES_SUM_1(a) QN_SIMD(omp simd reduction(+ : a))\n"
    "#define LANES_SUM_2(a, b) QN_SIMD(omp simd reduction(+ : a, b))\n"
    "#define LANES_SUM_3(a, b, c) QN_SIMD(omp simd reduction(+ : a, b, c))\n"
    "#define LANES_SUM_4(a, b, c, d) QN_SIMD(omp simd reduction(+ : a, b, c, d))\n"
    "#define LANES_SUM_8(a, b, c, d, f, g, h, i) QN_SIMD(omp simd reduction(+ : a, b, c, d, f, g, h, i))\n"
    "#define LANES_SUM_12(a, b, c, d, f, g, h, i, k, l, m, n) \\\n"
    "    QN_SIMD(omp simd reduction(+ : a, b, c, d, f, g, h, i, k, l, m, n))\n"
    "#define LANES_SUM_16(a, b, c, d, f, g, h, i, k, l, m, n, o, p, q, r) \\\n"
    "    QN_SIMD(omp simd reduction(+ : a, b, c, d, f, g, h, i, k, l, m, n, o, p, q, r))\n";

/* Functions of one reduction, whose combination of two values is `both`. */
static qn_status write_functions(const char *name, const char *meaning, const char *both, qn_emit_form form,
                                 qn_text *text)
{
    QN_TRY(qn_text_append(text,
                          "\n#define BOTH(a, b) %s\n"
                          "/* %s of a group's values, for all its work-items. */\n"
                          "DEVICE_FN float %s_of_group(LOCAL_PTR float *share, int item, float value)\n"
                          "{\n"
                          "    share[item] = value;\n"
                          "    LOCAL_BARRIER();\n"
                          "    for (int half_way = ITEMS / 2; half_way > 0; half_way /= 2) {\n"
                          "        if (item < half_way) share[item] = BOTH(share[item], share[item + half_way]);\n"
                          "        LOCAL_BARRIER();\n"
                          "    }\n"
                          "    const float result = share[0];\n"
                          "    LOCAL_BARRIER();\n"
                          "    return result;\n"
                          "}\n",
                          both, meaning, name));
    if (form == QN_EMIT_LOOPS) return qn_text_append(text, "#undef BOTH\n"); /* columns are added in memory */
    return qn_text_append(
        text,
        "\n/* Add a chunk's columns, over the rows of a group's work-items, to the group's part. */\n"
        "DEVICE_FN void %s_of_columns(GLOBAL float *RESTRICT part, LOCAL_PTR float *share,\n"
        "    const float *own, qn_int64 columns, int x, int y, int is_first)\n"
        "{\n"
        "    if (GROUP_Y == 1) {\n"
        "        UNROLL\n"
        "        for (int e = 0; e < ELEMENTS; e++) {\n"
        "            const int column = COLUMN(e);\n"
        "            if (column < columns) part[column] = is_first ? own[e] : BOTH(part[column], own[e]);\n"
        "        }\n"
        "        return;\n"
        "    }\n"
        "    UNROLL\n"
        "    for (int e = 0; e < ELEMENTS; e++) share[y * COLUMNS + COLUMN(e)] = own[e];\n"
        "    LOCAL_BARRIER();\n"
        "    for (int column = y * GROUP_X + x; column < COLUMNS; column += ITEMS) {\n"
        "        float both = share[column];\n"
        "        for (int k = 1; k < GROUP_Y; k++) both = BOTH(both, share[k * COLUMNS + column]);\n"
        "        if (column < columns) part[column] = is_first ? both : BOTH(part[column], both);\n"
        "    }\n"
        "    LOCAL_BARRIER();\n"
        "}\n"
        "#undef BOTH\n",
        name);
}

static bool has_reduction(const qn_graph *graph, qn_reduction reduction)
{
    for (int call = 0; call < graph->call_count; call++)
        for (int i = 0; i < graph->calls[call].output_count; i++)
            if (graph->calls[call].meanings[i].reduction == reduction) return true;
    return false;
}

qn_status qn_emit_header(const qn_graph *graph, qn_emit_form form, qn_text *text)
{
    static const char *const tunables[][2] = {{"GROUP_X", "work-items of a group along lines"},
                                              {"GROUP_Y", "work-items of a group across lines"},
                                              {"ELEMENTS", "elements of a work-item along a line"},
                                              {"TILE", "lines between two sums over work-items"},
                                              {"PANEL", "lines of a group at a time"},
                                              {"STRIP", "elements of a work-item in one dimension"},
                                              {"ROWS", "lines loaded before they are used"},
                                              {"VECTOR_WIDTH", "elements side by side, 1 or 4"},
                                              {"TERMS", "elements of sparse rows that a work-item takes at once"}};
    const int left_out = form == QN_EMIT_LOOPS ? 3 : qn_graph_has_sparse(graph) ? 0 : 1;
    const size_t count = sizeof tunables / sizeof *tunables - (size_t)left_out;
    QN_TRY(qn_text_append(text, "/* The sequence %s, as quern fuse made it. */\n\n", graph->name));
    for (size_t i = 0; i < count; i++)
        QN_TRY(qn_text_append(text, "#ifndef %s\n#error \"%s: %s\"\n#endif\n", tunables[i][0], tunables[i][0],
                              tunables[i][1]));
    QN_TRY(qn_text_append(text, "%s", header_words));
    QN_TRY(form == QN_EMIT_GROUPS ? qn_emit_wide_header(text) : qn_text_append(text, "%s", loop_words));
    if (has_reduction(graph, QN_REDUCE_SUM)) QN_TRY(write_functions("sum", "The sum", "((a) + (b))", form, text));
    if (has_reduction(graph, QN_REDUCE_MINIMUM))
        QN_TRY(write_functions("least", "The least", "FMIN(a, b)", form, text));
    if (has_reduction(graph, QN_REDUCE_MAXIMUM))
        QN_TRY(write_functions("greatest", "The greatest", "FMAX(a, b)", form, text));
    return qn_bodies_emit(graph, text);
}

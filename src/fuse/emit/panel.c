/* Kernels in two dimensions: a group takes PANEL lines, and sweeps over them along axis 1 as often as sums along the
 * lines need. Sums of columns stay in registers down the panel; sums of lines are kept by each work-item apart, and
 * added up after the sweep, when the line's own values are computed. */
#include <stdio.h>

#include "fuse/emit/emitter.h"

static bool is_line_call(const qn_emitter *at, int call)
{
    return qn_emitter_has(at, call) && at->graph->calls[call].space_count == 1 && at->kernel->layout.axes[call][0] == 0;
}

static bool is_column_call(const qn_emitter *at, int call)
{
    return qn_emitter_has(at, call) && at->graph->calls[call].space_count == 1 && at->kernel->layout.axes[call][0] == 1;
}

static bool is_element_call(const qn_emitter *at, int call, int sweep)
{
    return qn_emitter_has(at, call) && at->graph->calls[call].space_count == 2 &&
           at->kernel->layout.levels[call] == sweep;
}

/* Whether an output of a matrix call is a needed sum, a vector along an axis. */
static bool is_sum_along(const qn_emitter *at, int call, int output, int axis)
{
    const qn_call *of = &at->graph->calls[call];
    if (!qn_emitter_needs(at, of->outputs[output].value)) return false;
    return qn_call_reduces(of, output) && of->outputs[output].index_count == 1 &&
           qn_output_axis(at, call, output) == axis;
}

/* Sweeps that are over when a line's value is known. */
static int stage_of(const qn_emitter *at, int value)
{
    const int producer = at->graph->values[value].producer;
    return at->kernel->layout.levels[producer] + (at->graph->calls[producer].space_count == 2 ? 1 : 0);
}

/* Values of lines are kept in local memory where sweeps, or later stages, read them. */
static void find_kept(qn_emitter *at)
{
    for (int call = 0; call < at->graph->call_count; call++) {
        const qn_call *of = &at->graph->calls[call];
        for (int i = 0; qn_emitter_has(at, call) && i < of->input_count; i++) {
            const qn_use *use = &of->inputs[i];
            const int producer = at->graph->values[use->value].producer;
            if (use->index_count != 1 || !qn_emitter_has(at, producer) || is_column_call(at, producer)) continue;
            if (qn_layout_axis(at->graph, &at->kernel->layout, call, use) != 0) continue;
            at->keeps_line[use->value] |=
                of->space_count == 2 || at->kernel->layout.levels[call] > stage_of(at, use->value);
        }
    }
}

static qn_status declare_local(qn_emitter *at)
{
    for (int call = 0; call < at->graph->call_count; call++)
        for (int i = 0; qn_emitter_has(at, call) && i < at->graph->calls[call].output_count; i++) {
            const int value = at->graph->calls[call].outputs[i].value;
            if (at->graph->calls[call].space_count == 2 && is_sum_along(at, call, i, 0))
                QN_TRY(qn_text_append(at->text, "    LOCAL float %s_share[PANEL * PITCH];\n", at->names[value]));
            if (at->keeps_line[value])
                QN_TRY(qn_text_append(at->text, "    LOCAL float %s_line[PANEL];\n", at->names[value]));
        }
    return QN_OK;
}

/* ---- between sweeps ---- */

static qn_status put_line_sum(qn_emitter *at, int call, int output)
{
    const qn_call *of = &at->graph->calls[call];
    const int value = of->outputs[output].value;
    const char *name = at->names[value];
    char into[96], term[128];
    snprintf(into, sizeof into, "%s_sum", name);
    snprintf(term, sizeof term, "%s_share[t * PITCH + k]", name);
    QN_TRY(qn_site_put(&at->line, "float %s = %s;", into, qn_reduction_start(of->meanings[output].reduction)));
    QN_TRY(qn_site_put(&at->line, "for (int k = 0; k < GROUP_X; k++)"));
    at->line.indent += 4;
    const qn_status status = qn_put_combine(&at->line, of->meanings[output].reduction, into, term);
    at->line.indent -= 4;
    QN_TRY(status);
    QN_TRY(qn_site_put(&at->line, "const float %s_i = %s;", name, into));
    at->line.declared[value] = true;
    if (at->kernel->writes[value])
        QN_TRY(qn_site_put(&at->line, "%s_data[i] = %s_i;", at->names[qn_plan_root(at->plan, value)], name));
    return at->keeps_line[value] ? qn_site_put(&at->line, "%s_line[t] = %s_i;", name, name) : QN_OK;
}

/* State of lines after `stage` sweeps. */
static qn_status put_stage(qn_emitter *at, int stage)
{
    const qn_graph *graph = at->graph;
    qn_site_restart(&at->line, QN_SITE_LINE, 8);
    for (int call = 0; call < graph->call_count; call++)
        for (int i = 0; stage > 0 && is_element_call(at, call, stage - 1) && i < graph->calls[call].output_count; i++)
            if (is_sum_along(at, call, i, 0)) QN_TRY(put_line_sum(at, call, i));
    for (int call = 0; call < graph->call_count; call++)
        if (is_line_call(at, call) && at->kernel->layout.levels[call] == stage)
            QN_TRY(qn_site_call(at, &at->line, call));
    for (int call = 0; call < graph->call_count; call++) {
        if (!is_line_call(at, call) || at->kernel->layout.levels[call] != stage) continue;
        QN_TRY(qn_site_store(at, &at->line, call));
        for (int i = 0; i < graph->calls[call].output_count; i++) {
            const int value = graph->calls[call].outputs[i].value;
            if (at->keeps_line[value])
                QN_TRY(qn_site_put(&at->line, "%s_line[t] = %s_i;", at->names[value], at->names[value]));
        }
    }
    if (at->line.text.length == 0) return QN_OK;
    QN_TRY(qn_text_append(at->text,
                          "%s    for (int t = item; t < lines; t += ITEMS) {\n"
                          "        const qn_int64 i = first + t;\n",
                          stage > 0 ? "    LOCAL_BARRIER();\n" : ""));
    QN_TRY(qn_site_flush(at, &at->line));
    return qn_text_append(at->text, "    }\n    LOCAL_BARRIER();\n");
}

/* ---- a sweep ---- */

/* Starts and ends of the sums of a sweep, as they are written around the loops. */
typedef struct sums {
    qn_site shares, columns, lines, line_ends, column_ends;
} sums;

static qn_status collect_sums(qn_emitter *at, int sweep, sums *of)
{
    const char *size = at->graph->extents[at->kernel->layout.extents[1]].name;
    of->shares.indent = 8, of->columns.indent = 12, of->lines.indent = 12, of->line_ends.indent = 12;
    of->column_ends.indent = 12;
    for (int call = 0; call < at->graph->call_count; call++)
        for (int i = 0; is_element_call(at, call, sweep) && i < at->graph->calls[call].output_count; i++) {
            const qn_reduction reduction = at->graph->calls[call].meanings[i].reduction;
            const char *name = at->names[at->graph->calls[call].outputs[i].value];
            const char *start = qn_reduction_start(reduction);
            char into[128], term[96];
            if (is_sum_along(at, call, i, 0)) {
                snprintf(into, sizeof into, "%s_share[t * PITCH + x]", name);
                snprintf(term, sizeof term, "%s_sum", name);
                QN_TRY(qn_site_put(&of->shares, "%s = %s;", into, start));
                QN_TRY(qn_site_put(&of->lines, "float %s = %s;", term, start));
                QN_TRY(qn_put_combine(&of->line_ends, reduction, into, term));
            } else if (is_sum_along(at, call, i, 1)) {
                QN_TRY(qn_text_append(&of->columns.arrays, "        float %s_sum_j[ELEMENTS];\n", name));
                QN_TRY(qn_site_put(&of->columns, "%s_sum_j[e] = %s;", name, start));
                QN_TRY(qn_site_put(&of->column_ends,
                                   "if (j < size_%s) %s_sums[((qn_int64)GROUP_ID(0) * GROUP_Y + y) * size_%s + j] = "
                                   "%s_sum_j[e];",
                                   size, name, size, name));
            }
        }
    return QN_OK;
}

/* Calls along axis 1: every group computes what it needs, and the groups share the storing and adding up. */
static qn_status put_columns(qn_emitter *at)
{
    qn_site owned = {.kind = QN_SITE_COLUMN, .indent = 16};
    qn_status status = QN_OK;
    for (int call = 0; call < at->graph->call_count && status == QN_OK; call++) {
        const qn_call *of = &at->graph->calls[call];
        if (!is_column_call(at, call)) continue;
        for (int i = 0; i < of->output_count && status == QN_OK; i++) {
            const int value = of->outputs[i].value;
            qn_variable unused;
            if (qn_call_reduces(of, i)) continue;
            if (at->kernel->writes[value]) status = qn_site_need(at, call, &of->outputs[i], &unused);
            owned.declared[value] = true; /* in the column's own text, or not needed */
        }
        if (status == QN_OK) status = qn_site_call(at, &owned, call);
        if (status == QN_OK) status = qn_site_store(at, &owned, call);
    }
    if (status == QN_OK && owned.text.length > 0)
        status =
            qn_text_append(&at->column.text,
                           "            if (chunk / (GROUP_X * ELEMENTS) %% GROUP_COUNT(0) == GROUP_ID(0) && y == 0) "
                           "{\n%s            }\n",
                           owned.text.data);
    qn_site_clear(&owned);
    return status;
}

static const char *or_nothing(const qn_text *text)
{
    return text->length > 0 ? text->data : "";
}

static qn_status write_sweep(qn_emitter *at, const sums *of)
{
    const char *size = at->graph->extents[at->kernel->layout.extents[1]].name;
    if (of->shares.text.length > 0)
        QN_TRY(qn_text_append(at->text, "    for (int t = y; t < PANEL; t += GROUP_Y) {\n%s    }\n",
                              of->shares.text.data));
    QN_TRY(qn_text_append(at->text,
                          "    for (qn_int64 chunk = 0; chunk < size_%s; chunk += GROUP_X * ELEMENTS) {\n%s%s", size,
                          or_nothing(&of->columns.arrays), or_nothing(&at->column.arrays)));
    if (of->columns.text.length > 0 || at->column.text.length > 0)
        QN_TRY(qn_text_append(at->text,
                              "        for (int e = 0; e < ELEMENTS; e++) {\n"
                              "            const qn_int64 j = chunk + e * GROUP_X + x;\n%s"
                              "            if (j >= size_%s) continue;\n%s        }\n",
                              or_nothing(&of->columns.text), size, or_nothing(&at->column.text)));
    QN_TRY(qn_text_append(at->text,
                          "        for (int t = y; t < lines; t += GROUP_Y) {\n"
                          "            const qn_int64 i = first + t;\n%s%s"
                          "            for (int e = 0; e < ELEMENTS; e++) {\n"
                          "                const qn_int64 j = chunk + e * GROUP_X + x;\n"
                          "                if (j >= size_%s) continue;\n%s            }\n%s        }\n",
                          or_nothing(&at->line.text), or_nothing(&of->lines.text), size, or_nothing(&at->element.text),
                          or_nothing(&of->line_ends.text)));
    if (of->column_ends.text.length > 0)
        QN_TRY(qn_text_append(at->text,
                              "        for (int e = 0; e < ELEMENTS; e++) {\n"
                              "            const qn_int64 j = chunk + e * GROUP_X + x;\n%s        }\n",
                              of->column_ends.text.data));
    return qn_text_append(at->text, "    }\n");
}

static qn_status put_sweep(qn_emitter *at, int sweep)
{
    sums of = {.shares = {.indent = 0}};
    at->sweep = sweep;
    qn_site_restart(&at->line, QN_SITE_LINE, 12);
    qn_site_restart(&at->column, QN_SITE_COLUMN, 12);
    qn_site_restart(&at->element, QN_SITE_ELEMENT, 16);
    qn_status status = collect_sums(at, sweep, &of);
    for (int call = 0; call < at->graph->call_count && status == QN_OK; call++)
        if (is_element_call(at, call, sweep)) status = qn_site_call(at, &at->element, call);
    for (int call = 0; call < at->graph->call_count && status == QN_OK; call++)
        if (is_element_call(at, call, sweep)) status = qn_site_store(at, &at->element, call);
    if (status == QN_OK && sweep == 0) status = put_columns(at);
    if (status == QN_OK) status = write_sweep(at, &of);
    qn_site *const sites[] = {&of.shares, &of.columns, &of.lines, &of.line_ends, &of.column_ends};
    for (int i = 0; i < 5; i++) qn_site_clear(sites[i]);
    return status;
}

qn_status qn_emit_panel(qn_emitter *at)
{
    const char *size = at->graph->extents[at->kernel->layout.extents[0]].name;
    QN_TRY(qn_emit_totals_start(at));
    QN_TRY(qn_text_append(at->text,
                          "    const qn_int64 first = (qn_int64)GROUP_ID(0) * PANEL;\n"
                          "    const int lines = (int)MIN((qn_int64)PANEL, size_%s - first);\n",
                          size));
    for (int sweep = 0; sweep < at->kernel->layout.sweeps; sweep++) {
        QN_TRY(put_stage(at, sweep));
        QN_TRY(put_sweep(at, sweep));
    }
    QN_TRY(put_stage(at, at->kernel->layout.sweeps));
    return qn_emit_totals_end(at);
}

qn_status qn_emit_panel_locals(qn_emitter *at)
{
    find_kept(at);
    return declare_local(at);
}

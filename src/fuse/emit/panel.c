/* Kernels in two dimensions: a group takes PANEL lines at a time, and sweeps over them along axis 1 as often as sums
 * along the lines need. Sums of columns stay in registers down the panel, and are added to the group's part. Sums of
 * lines are kept by each work-item apart for TILE lines, and then added up; the line's own values are computed after
 * the sweep. How a sweep goes over the lines depends on the form: here in loops, in tiles.c by groups. */
#include <stdio.h>
#include <string.h>

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

bool qn_emitter_sums_along(const qn_emitter *at, int call, int output, int axis)
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

/* Whether a sweep, or any if it is -1, makes sums that are vectors along an axis. */
static bool has_sums(const qn_emitter *at, int sweep, int axis)
{
    for (int call = 0; call < at->graph->call_count; call++)
        for (int i = 0; qn_emitter_has(at, call) && i < at->graph->calls[call].output_count; i++)
            if ((sweep < 0 || is_element_call(at, call, sweep)) && at->graph->calls[call].space_count == 2 &&
                qn_emitter_sums_along(at, call, i, axis))
                return true;
    return false;
}

static qn_status declare_local(qn_emitter *at)
{
    for (int call = 0; call < at->graph->call_count; call++)
        for (int i = 0; qn_emitter_has(at, call) && i < at->graph->calls[call].output_count; i++) {
            const int value = at->graph->calls[call].outputs[i].value;
            const bool is_sum = at->graph->calls[call].space_count == 2 && qn_emitter_sums_along(at, call, i, 0);
            if (at->form == QN_EMIT_GROUPS) {
                QN_TRY(qn_tiles_locals(at, value, is_sum));
                continue;
            }
            if (is_sum) QN_TRY(qn_text_append(at->text, "    LOCAL float %s_share[TILE * PITCH];\n", at->names[value]));
            if (is_sum || at->keeps_line[value])
                QN_TRY(qn_text_append(at->text, "    LOCAL float %s_line[PANEL];\n", at->names[value]));
        }
    if (at->form == QN_EMIT_LOOPS || !has_sums(at, -1, 1)) return QN_OK;
    return qn_text_append(at->text, "    LOCAL float columns[GROUP_Y > 1 ? GROUP_Y * COLUMNS : 1];\n");
}

/* ---- between sweeps ---- */

/* The sum of a line, which the sweep left in local memory. */
static qn_status put_line_sum(qn_emitter *at, int call, int output)
{
    const int value = at->graph->calls[call].outputs[output].value;
    const char *name = at->names[value];
    QN_TRY(at->form == QN_EMIT_GROUPS ? qn_tiles_line(at, call, output)
                                      : qn_site_put(&at->line, "const float %s_i = %s_line[t];", name, name));
    at->line.declared[value] = true;
    if (!at->kernel->writes[value]) return QN_OK;
    return qn_site_put(&at->line, "%s_data[i] = %s_i;", at->names[qn_plan_root(at->plan, value)], name);
}

/* State of lines after `stage` sweeps. */
static qn_status put_stage(qn_emitter *at, int stage)
{
    const qn_graph *graph = at->graph;
    qn_site_restart(&at->line, QN_SITE_LINE, 12);
    for (int call = 0; call < graph->call_count; call++)
        for (int i = 0; stage > 0 && is_element_call(at, call, stage - 1) && i < graph->calls[call].output_count; i++)
            if (qn_emitter_sums_along(at, call, i, 0)) QN_TRY(put_line_sum(at, call, i));
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
    QN_TRY(qn_text_append(at->text, "        for (int t = item; t < lines; t += ITEMS) {\n"
                                    "            const qn_int64 i = first + t;\n"));
    QN_TRY(qn_site_flush(at, &at->line));
    return qn_text_append(at->text, "        }\n        LOCAL_BARRIER();\n");
}

/* ---- a sweep ---- */

static qn_status add_line_sum(const qn_emitter *at, int call, int output, qn_sweep_sums *of)
{
    const qn_reduction reduction = at->graph->calls[call].meanings[output].reduction;
    const char *name = at->names[at->graph->calls[call].outputs[output].value];
    char sum[96], term[128];
    snprintf(sum, sizeof sum, "%s_sum", name);
    snprintf(term, sizeof term, "%s_share[t * PITCH + k]", name);
    QN_TRY(qn_site_put(&of->lines, "float %s = %s;", sum, qn_reduction_start(reduction)));
    QN_TRY(qn_site_put(&of->line_ends, "%s_share[(t - tile) * PITCH + x] = %s;", name, sum));
    QN_TRY(qn_site_put(&of->tile_ends, "float %s = chunk == 0 ? %s : %s_line[tile + t];", sum,
                       qn_reduction_start(reduction), name));
    QN_TRY(qn_site_put(&of->tile_ends, "for (int k = 0; k < GROUP_X; k++)"));
    of->tile_ends.indent += 4;
    QN_TRY(qn_put_combine(&of->tile_ends, reduction, sum, term));
    of->tile_ends.indent -= 4;
    QN_TRY(qn_site_put(&of->tile_ends, "%s_line[tile + t] = %s;", name, sum));
    return qn_add_lane(&of->lanes, sum, &of->lane_count);
}

static qn_status add_column_sum(const qn_emitter *at, int call, int output, qn_sweep_sums *of)
{
    const char *size = at->graph->extents[at->kernel->layout.extents[1]].name;
    const qn_reduction reduction = at->graph->calls[call].meanings[output].reduction;
    const char *name = at->names[at->graph->calls[call].outputs[output].value];
    QN_TRY(qn_site_put(&of->columns, "%s_sum_j[e] = %s;", name, qn_reduction_start(reduction)));
    if (at->form == QN_EMIT_LOOPS) /* a group's part is its own, and a cache keeps it */
        return qn_text_append(&of->columns.arrays,
                              "            GLOBAL float *RESTRICT %s_sum_j = %s_sums + (qn_int64)group * size_%s + "
                              "chunk;\n",
                              name, name, size);
    QN_TRY(qn_text_append(&of->columns.arrays, "            float %s_sum_j[ELEMENTS];\n", name));
    return qn_site_put(&of->column_ends,
                       "%s_of_columns(%s_sums + (qn_int64)group * size_%s + chunk, columns, %s_sum_j, "
                       "size_%s - chunk, x, y, is_first);",
                       qn_reduction_function(reduction), name, size, name, size);
}

static qn_status collect_sums(qn_emitter *at, int sweep, qn_sweep_sums *of)
{
    for (int call = 0; call < at->graph->call_count; call++)
        for (int i = 0; is_element_call(at, call, sweep) && i < at->graph->calls[call].output_count; i++) {
            const int value = at->graph->calls[call].outputs[i].value;
            const bool is_needed = qn_call_reduces(&at->graph->calls[call], i) && qn_emitter_needs(at, value);
            if (qn_emitter_sums_along(at, call, i, 0)) {
                QN_TRY(at->form == QN_EMIT_GROUPS ? qn_tiles_sum(at, call, i, of) : add_line_sum(at, call, i, of));
            } else if (qn_emitter_sums_along(at, call, i, 1)) {
                if (!at->is_whole) QN_TRY(add_column_sum(at, call, i, of));
            } else if (is_needed) {
                char total[96];
                snprintf(total, sizeof total, "%s_total", at->names[value]);
                QN_TRY(qn_add_lane(&of->lanes, total, &of->lane_count));
            }
            const bool is_lane = is_needed && !qn_emitter_sums_along(at, call, i, 1);
            if (is_lane && at->graph->calls[call].meanings[i].reduction != QN_REDUCE_SUM)
                of->lane_count += QN_LANES_SUMS_MAX; /* the lanes' words know sums only */
        }
    return QN_OK;
}

/* Calls along axis 1: every group computes what it needs, and the groups share the storing and adding up. */
static qn_status put_columns(qn_emitter *at)
{
    qn_site owned = {.kind = QN_SITE_COLUMN, .indent = 20};
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
        status = qn_text_append(&at->column.text,
                                "                if (is_first && y == 0 && chunk / COLUMNS %% groups == group) "
                                "{\n%s                }\n",
                                owned.text.data);
    qn_site_clear(&owned);
    return status;
}

static const char *or_nothing(const qn_text *text)
{
    return text->length > 0 ? text->data : "";
}

/* Loads of columns, and starts of their sums. */
static qn_status write_columns(qn_emitter *at, const qn_sweep_sums *of)
{
    const char *size = at->graph->extents[at->kernel->layout.extents[1]].name;
    const bool has_groups = at->form == QN_EMIT_GROUPS;
    QN_TRY(at->is_whole
               ? qn_text_append(at->text, "        {\n            const qn_int64 chunk = 0;\n")
               : qn_text_append(at->text, "        for (qn_int64 chunk = 0; chunk < size_%s; chunk += COLUMNS) {\n",
                                size));
    QN_TRY(qn_text_append(at->text, "            const int elements = "));
    QN_TRY(has_groups ? qn_text_append(at->text, "elements_of(size_%s - chunk, ELEMENTS, GROUP_X, x);\n", size)
                      : qn_text_append(at->text,
                                       "(int)MIN((qn_int64)ELEMENTS, (size_%s - chunk - x + GROUP_X - 1) / GROUP_X);\n",
                                       size));
    QN_TRY(qn_text_append(at->text, "%s%s", or_nothing(&of->columns.arrays), or_nothing(&at->column.arrays)));
    if (of->columns.text.length > 0)
        QN_TRY(qn_text_append(at->text,
                              has_groups ? "            UNROLL\n"
                                           "            for (int e = 0; e < ELEMENTS; e++) {\n%s            }\n"
                                         : "            if (is_first)\n"
                                           "            EACH_ELEMENT(elements) {\n%s            }\n",
                              of->columns.text.data));
    if (at->column.text.length == 0) return QN_OK;
    return qn_text_append(at->text,
                          "            EACH_ELEMENT(elements) {\n"
                          "                const qn_int64 j = chunk + %s;\n%s            }\n",
                          has_groups ? "COLUMN(e)" : "e * GROUP_X + x", at->column.text.data);
}

/* Whether lines are done by fours: sums make it worth while, and all are of lines or columns. */
static bool has_copies(const qn_sweep_sums *of)
{
    int line_sums = 0;
    for (const char *at = or_nothing(&of->line_ends.text); *at; at++) line_sums += *at == '\n';
    return of->lane_count <= QN_LANES_SUMS_MAX && of->lane_count == line_sums &&
           (of->lane_count > 0 || of->columns.text.length > 0);
}

static qn_status write_copies(const qn_emitter *at, const qn_sweep_sums *of)
{
    const qn_line_parts parts = {.begin = or_nothing(&at->line.text),
                                 .sums = or_nothing(&of->lines.text),
                                 .elements = or_nothing(&at->element.text),
                                 .ends = or_nothing(&of->line_ends.text),
                                 .lanes = or_nothing(&of->lanes),
                                 .limit = of->has_tiles ? "end" : "lines",
                                 .lane_count = of->lane_count,
                                 .indent = of->lines.indent};
    return qn_copies_write(&parts, at->text);
}

/* The lines of the panel; sums along them are added up over the group after each TILE lines. */
static qn_status write_lines(qn_emitter *at, const qn_sweep_sums *of)
{
    const int indent = of->lines.indent;
    if (of->has_tiles)
        QN_TRY(qn_text_append(at->text, "            for (int tile = 0; tile < lines; tile += TILE) {\n"
                                        "                const int end = MIN(tile + TILE, lines);\n"));
    QN_TRY(qn_text_append(at->text, "%*sint next = %sy;\n", indent - 4, "", of->has_tiles ? "tile + " : ""));
    if (has_copies(of)) QN_TRY(write_copies(at, of));
    QN_TRY(qn_text_append(at->text, "%*sfor (int t = next; t < %s; t += GROUP_Y) {\n", indent - 4, "",
                          of->has_tiles ? "end" : "lines"));
    QN_TRY(qn_text_append(at->text, "%*sconst qn_int64 i = first + t;\n%s%s", indent, "", or_nothing(&at->line.text),
                          or_nothing(&of->lines.text)));
    QN_TRY(qn_put_lanes(at->text, indent, &of->lanes, of->lane_count));
    QN_TRY(qn_text_append(at->text,
                          "%*sEACH_ELEMENT(elements) {\n"
                          "%*sconst qn_int64 j = chunk + e * GROUP_X + x;\n%s%*s}\n%s%*s}\n",
                          indent, "", indent + 4, "", or_nothing(&at->element.text), indent, "",
                          or_nothing(&of->line_ends.text), indent - 4, ""));
    if (!of->has_tiles) return QN_OK;
    return qn_text_append(at->text,
                          "                LOCAL_BARRIER();\n"
                          "                for (int t = item; t < end - tile; t += ITEMS) {\n%s                }\n"
                          "                LOCAL_BARRIER();\n            }\n",
                          of->tile_ends.text.data);
}

static qn_status write_sweep(qn_emitter *at, const qn_sweep_sums *of)
{
    const bool has_groups = at->form == QN_EMIT_GROUPS;
    QN_TRY(write_columns(at, of));
    QN_TRY(has_groups ? qn_tiles_write(at, of) : write_lines(at, of));
    return qn_text_append(at->text, "%s        }\n%s", or_nothing(&of->column_ends.text),
                          has_groups && of->has_tiles ? "        LOCAL_BARRIER();\n" : "");
}

static qn_status put_sweep(qn_emitter *at, int sweep)
{
    const bool has_tiles = has_sums(at, sweep, 0);
    const int indent = at->form == QN_EMIT_GROUPS ? 24 : has_tiles ? 20 : 16;
    qn_sweep_sums of = {.columns = {.indent = 16},
                        .column_ends = {.indent = 12},
                        .lines = {.indent = indent},
                        .line_ends = {.indent = indent},
                        .tile_ends = {.indent = 20},
                        .has_tiles = has_tiles};
    at->sweep = sweep;
    memset(at->loads, 0, sizeof at->loads);
    memset(at->stores, 0, sizeof at->stores);
    qn_site_restart(&at->line, QN_SITE_LINE, indent);
    qn_site_restart(&at->column, QN_SITE_COLUMN, 16);
    qn_site_restart(&at->element, QN_SITE_ELEMENT, indent + 4);
    qn_status status = collect_sums(at, sweep, &of);
    for (int call = 0; call < at->graph->call_count && status == QN_OK; call++)
        if (is_element_call(at, call, sweep)) status = qn_site_call(at, &at->element, call);
    for (int call = 0; call < at->graph->call_count && status == QN_OK; call++)
        if (is_element_call(at, call, sweep)) status = qn_site_store(at, &at->element, call);
    if (status == QN_OK && sweep == 0) status = put_columns(at);
    if (status == QN_OK) status = write_sweep(at, &of);
    qn_site *const sites[] = {&of.columns, &of.column_ends, &of.lines, &of.line_ends, &of.tile_ends};
    for (int i = 0; i < 5; i++) qn_site_clear(sites[i]);
    qn_text_clear(&of.lanes);
    return status;
}

static qn_status put_panels(qn_emitter *at)
{
    const char *size = at->graph->extents[at->kernel->layout.extents[0]].name;
    if (at->is_whole) QN_TRY(qn_whole_columns(at, false));
    QN_TRY(qn_text_append(at->text,
                          "    for (qn_int64 first = (qn_int64)group * PANEL; first < size_%s;\n"
                          "         first += (qn_int64)groups * PANEL) {\n"
                          "        const int lines = (int)MIN((qn_int64)PANEL, size_%s - first);\n"
                          "        const int is_first = first == (qn_int64)group * PANEL;\n",
                          size, size));
    for (int sweep = 0; sweep < at->kernel->layout.sweeps; sweep++) {
        QN_TRY(put_stage(at, sweep));
        QN_TRY(put_sweep(at, sweep));
    }
    QN_TRY(put_stage(at, at->kernel->layout.sweeps));
    /* the next lines take the same local memory */
    const char *const barrier = "        LOCAL_BARRIER();\n";
    if (!qn_text_ends_in(at->text->data, barrier)) QN_TRY(qn_text_append(at->text, "%s", barrier));
    QN_TRY(qn_text_append(at->text, "    }\n"));
    return at->is_whole ? qn_whole_columns(at, true) : QN_OK;
}

/* Move the text from `start` four spaces to the right. */
static qn_status indent(qn_text *text, size_t start)
{
    qn_text moved = {0};
    qn_status status = QN_OK;
    for (const char *line = text->data + start; *line && status == QN_OK;) {
        const char *end = strchr(line, '\n') + 1;
        status = qn_text_append(&moved, "    %.*s", (int)(end - line), line);
        line = end;
    }
    text->length = start;
    if (status == QN_OK) status = qn_text_append(text, "%s", moved.data);
    qn_text_clear(&moved);
    return status;
}

static qn_status put_branch(qn_emitter *at, bool is_whole)
{
    const size_t start = at->text->length;
    at->is_whole = is_whole;
    const qn_status status = put_panels(at);
    at->is_whole = false;
    QN_TRY(status);
    return indent(at->text, start);
}

qn_status qn_emit_panel(qn_emitter *at)
{
    QN_TRY(qn_emit_totals_start(at));
    if (!qn_whole_is_possible(at)) {
        QN_TRY(put_panels(at));
    } else {
        QN_TRY(qn_whole_condition(at));
        QN_TRY(put_branch(at, true));
        QN_TRY(qn_text_append(at->text, "    } else {\n"));
        QN_TRY(put_branch(at, false));
        QN_TRY(qn_text_append(at->text, "    }\n"));
    }
    return qn_emit_totals_end(at);
}

qn_status qn_emit_panel_locals(qn_emitter *at)
{
    find_kept(at);
    return declare_local(at);
}

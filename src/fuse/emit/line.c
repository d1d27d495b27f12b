/* Kernels in one dimension: work-items take elements of axis 0, in blocks of ITEMS * STRIP. */
#include <stdio.h>
#include <string.h>

#include "fuse/emit/emitter.h"

static qn_status put_calls(qn_emitter *at)
{
    const qn_graph *graph = at->graph;
    for (int call = 0; call < graph->call_count; call++)
        if (qn_emitter_has(at, call) && graph->calls[call].space_count > 0) QN_TRY(qn_site_call(at, &at->line, call));
    /* what is overwritten was read above */
    for (int call = 0; call < graph->call_count; call++)
        if (qn_emitter_has(at, call) && graph->calls[call].space_count > 0) QN_TRY(qn_site_store(at, &at->line, call));
    return QN_OK;
}

/* Sums that this kernel completes for itself, for others, or both. */
static qn_status put_folds(qn_emitter *at)
{
    for (int value = 0; value < at->graph->value_count; value++) {
        qn_variable name;
        if (!at->kernel->folds[value] || at->graph->values[value].kind == QN_SCALAR || !at->kernel->writes[value])
            continue;
        QN_TRY(qn_line_need(at, value, &name));
        QN_TRY(qn_site_put(&at->line, "%s_data[i] = %s;", at->names[qn_plan_root(at->plan, value)], name.text));
    }
    return QN_OK;
}

/* Append "reduction(max : a, b) " for the totals of a kind; *any is set if there are some. */
static qn_status put_clause(const qn_emitter *at, qn_reduction reduction, const char *sign, bool *any, qn_text *text)
{
    int count = 0;
    for (int value = 0; value < at->graph->value_count; value++) {
        if (!qn_emitter_totals(at, value) || qn_value_reduction(at->graph, value) != reduction) continue;
        QN_TRY(count++ > 0 ? qn_text_append(text, ", ") : qn_text_append(text, " reduction(%s : ", sign));
        QN_TRY(qn_text_append(text, "%s_total", at->names[value]));
    }
    *any |= count > 0;
    return count > 0 ? qn_text_append(text, ")") : QN_OK;
}

/* The line that shares a processor's elements among its lanes. Of sums alone it is a word of the kernels. */
static qn_status put_lanes(const qn_emitter *at, int indent)
{
    qn_text sums = {0}, clauses = {0};
    bool has_extremes = false, unused = false;
    int count = 0;
    qn_status status = put_clause(at, QN_REDUCE_SUM, "+", &unused, &clauses);
    if (status == QN_OK) status = put_clause(at, QN_REDUCE_MINIMUM, "min", &has_extremes, &clauses);
    if (status == QN_OK) status = put_clause(at, QN_REDUCE_MAXIMUM, "max", &has_extremes, &clauses);
    for (int value = 0; value < at->graph->value_count && status == QN_OK && !has_extremes; value++) {
        char name[96];
        if (!qn_emitter_totals(at, value)) continue;
        snprintf(name, sizeof name, "%s_total", at->names[value]);
        status = qn_add_lane(&sums, name, &count);
    }
    if (status == QN_OK && has_extremes)
        status = qn_text_append(at->text, "%*sQN_SIMD(omp simd%s)\n", indent, "", clauses.data);
    else if (status == QN_OK)
        status = qn_put_lanes(at->text, indent, &sums, count);
    qn_text_clear(&sums), qn_text_clear(&clauses);
    return status;
}

bool qn_emit_is_spread(const qn_plan *plan, int index, qn_emit_form form)
{
    const qn_graph *graph = plan->graph;
    const qn_kernel_plan *kernel = &plan->kernels[index];
    if (form != QN_EMIT_GROUPS || kernel->layout.dimensions != 1) return false;
    for (int value = 0; value < graph->value_count; value++)
        if (kernel->folds[value] && graph->values[value].kind != QN_SCALAR) return true;
    for (int call = 0; call < graph->call_count; call++)
        if (qn_calls_have(kernel->calls, call) && graph->calls[call].is_sparse) return true;
    return false;
}

/* Rows in local memory need all work-items of a group, those behind the last line too. */
static qn_status write_staged(qn_emitter *at)
{
    const char *size = at->graph->extents[at->kernel->layout.extents[0]].name;
    QN_TRY(qn_text_append(at->text,
                          "    for (qn_int64 first = (qn_int64)group * ITEMS; first < size_%s; first += "
                          "(qn_int64)groups * ITEMS) {\n"
                          "        const qn_int64 i = first + item;\n"
                          "        const int rows = (int)MIN((qn_int64)ITEMS, size_%s - first);\n",
                          size, size));
    QN_TRY(qn_site_flush(at, &at->ahead));
    QN_TRY(qn_site_flush(at, &at->rows));
    QN_TRY(qn_text_append(at->text, "        if (item < rows) {\n"));
    QN_TRY(qn_site_flush(at, &at->line));
    return qn_text_append(at->text, "        }\n    }\n");
}

static qn_status write_spread(qn_emitter *at)
{
    const char *size = at->graph->extents[at->kernel->layout.extents[0]].name;
    QN_TRY(qn_text_append(at->text,
                          "    for (qn_int64 i = (qn_int64)group * ITEMS + item; i < size_%s; i += (qn_int64)groups * "
                          "ITEMS) {\n",
                          size));
    QN_TRY(qn_site_flush(at, &at->line));
    return qn_text_append(at->text, "    }\n");
}

/* Whether bodies load or store elements one by one, by their index. */
static bool has_moves(const qn_emitter *at)
{
    for (int value = 0; value < at->graph->value_count; value++)
        if (at->graph->values[value].kind == QN_VECTOR && qn_body_moves(at, value)) return true;
    return false;
}

/* A group takes a chunk of ITEMS strips at a time: it loads all that the chunk needs, and stores after that. */
static qn_status write_strips(qn_emitter *at)
{
    const qn_graph *graph = at->graph;
    const char *size = graph->extents[at->kernel->layout.extents[0]].name;
    QN_TRY(qn_text_append(at->text,
                          "    for (qn_int64 first = (qn_int64)group * ITEMS * STRIP; first < size_%s;\n"
                          "         first += (qn_int64)groups * ITEMS * STRIP) {\n"
                          "        const int elements = elements_of(size_%s - first, STRIP, ITEMS, item);\n",
                          size, size));
    for (int value = 0; value < graph->value_count; value++) {
        const char *name = at->names[value], *root = at->names[qn_plan_root(at->plan, value)];
        if (at->stores[value]) QN_TRY(qn_text_append(at->text, "        float %s_out[STRIP];\n", name));
        if (at->loads[value])
            QN_TRY(qn_text_append(at->text,
                                  "        float %s_own[STRIP];\n"
                                  "        load_elements(%s_data + first, %s_wide, elements, STRIP, ITEMS, item, "
                                  "%s_own);\n",
                                  name, root, root, name));
    }
    QN_TRY(qn_text_append(at->text, "        EACH_OF_STRIP(elements) {\n"));
    if (has_moves(at))
        QN_TRY(qn_text_append(at->text, "            const qn_int64 i = first + PLACE(e, ITEMS, item);\n"));
    QN_TRY(qn_site_flush(at, &at->line));
    QN_TRY(qn_text_append(at->text, "        }\n"));
    for (int value = 0; value < graph->value_count; value++) {
        const char *root = at->names[qn_plan_root(at->plan, value)];
        if (at->stores[value])
            QN_TRY(qn_text_append(at->text,
                                  "        store_elements(%s_out, %s_wide, elements, STRIP, ITEMS, item, %s_data + "
                                  "first);\n",
                                  at->names[value], root, root));
    }
    return qn_text_append(at->text, "    }\n");
}

/* A group of a processor has one piece of each vector: pages of memory, and the streams that are fetched ahead, are of
 * most use from end to end. */
static qn_status write_loops(qn_emitter *at)
{
    const char *size = at->graph->extents[at->kernel->layout.extents[0]].name;
    QN_TRY(
        qn_text_append(at->text,
                       "    const qn_int64 strips = ((qn_int64)size_%s + STRIP - 1) / STRIP;\n"
                       "    const qn_int64 limit = MIN(strips * (group + 1) / groups * STRIP, size_%s);\n"
                       "    for (qn_int64 first = strips * group / groups * STRIP; first < limit; first += STRIP) {\n"
                       "        const int elements = (int)MIN((qn_int64)STRIP, limit - first);\n",
                       size, size));
    QN_TRY(put_lanes(at, 8));
    QN_TRY(qn_text_append(at->text, "        EACH_ELEMENT(elements) {\n"
                                    "            const qn_int64 i = first + e;\n"));
    QN_TRY(qn_site_flush(at, &at->line));
    return qn_text_append(at->text, "        }\n    }\n");
}

qn_status qn_emit_line(qn_emitter *at)
{
    memset(at->loads, 0, sizeof at->loads);
    memset(at->stores, 0, sizeof at->stores);
    QN_TRY(qn_emit_totals_start(at));
    at->has_staged = qn_rows_any_staged(at);
    qn_site_restart(&at->line, QN_SITE_LINE, at->is_spread && !at->has_staged ? 8 : 12);
    qn_site_restart(&at->ahead, QN_SITE_LINE, 8), qn_site_restart(&at->rows, QN_SITE_LINE, 8);
    QN_TRY(put_folds(at));
    QN_TRY(put_calls(at));
    if (at->has_staged)
        QN_TRY(write_staged(at));
    else
        QN_TRY(at->is_spread ? write_spread(at) : at->form == QN_EMIT_GROUPS ? write_strips(at) : write_loops(at));
    return qn_emit_totals_end(at);
}

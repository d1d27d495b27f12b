/* Scalars: every group makes those that it needs, in the same order and so with the same bits; the first group stores
 * them. Sums to scalars leave each group as one partial sum. */
#include <stdio.h>

#include "fuse/emit/emitter.h"

static qn_status put_loads(qn_emitter *at)
{
    const qn_graph *graph = at->graph;
    for (int value = 0; value < graph->value_count; value++) {
        const char *name = at->names[value];
        if (graph->values[value].kind != QN_SCALAR || !at->kernel->reads[value]) continue;
        if (!at->kernel->folds[value]) {
            QN_TRY(qn_text_append(at->text, "    const float %s_value = %s_data[0];\n", name,
                                  at->names[qn_plan_root(at->plan, value)]));
            continue;
        }
        const qn_reduction reduction = qn_value_reduction(graph, value);
        qn_site site = {.indent = 8};
        QN_TRY(qn_text_append(at->text,
                              "    float %s_value = %s;\n"
                              "    for (int part = item; part < %s_parts; part += ITEMS)\n",
                              name, qn_reduction_start(reduction), name));
        char into[96], term[96];
        snprintf(into, sizeof into, "%s_value", name);
        snprintf(term, sizeof term, "%s_sums[part]", name);
        qn_status status = qn_put_combine(&site, reduction, into, term);
        if (status == QN_OK) status = qn_site_flush(at, &site);
        qn_site_clear(&site);
        QN_TRY(status);
        QN_TRY(qn_text_append(at->text, "    %s_value = %s_of_group(share, item, %s_value);\n", name,
                              qn_reduction_function(reduction), name));
    }
    return QN_OK;
}

static qn_status put_maps(qn_emitter *at)
{
    const qn_graph *graph = at->graph;
    for (int call = 0; call < graph->call_count; call++) {
        const qn_call *of = &graph->calls[call];
        if (!qn_emitter_has(at, call) || of->space_count > 0) continue;
        for (int i = 0; i < of->output_count; i++) {
            qn_text term = {0};
            qn_status status = qn_site_term(at, call, i, NULL, &term);
            if (status == QN_OK)
                status = qn_text_append(at->text, "    const float %s_value = %s;\n", at->names[of->outputs[i].value],
                                        term.data);
            qn_text_clear(&term);
            QN_TRY(status);
        }
    }
    return QN_OK;
}

static qn_status put_stores(qn_emitter *at)
{
    bool any = false;
    for (int value = 0; value < at->graph->value_count; value++) {
        if (at->graph->values[value].kind != QN_SCALAR || !at->kernel->writes[value] || qn_emitter_totals(at, value))
            continue;
        QN_TRY(qn_text_append(at->text, "%s        %s_data[0] = %s_value;\n",
                              any ? "" : "    if (group == 0 && item == 0) {\n",
                              at->names[qn_plan_root(at->plan, value)], at->names[value]));
        any = true;
    }
    return any ? qn_text_append(at->text, "    }\n") : QN_OK;
}

qn_status qn_emit_scalars(qn_emitter *at)
{
    QN_TRY(put_loads(at));
    QN_TRY(put_maps(at));
    return put_stores(at);
}

/* ---- sums over all of the work ---- */

bool qn_emitter_totals(const qn_emitter *at, int value)
{
    const qn_value *of = &at->graph->values[value];
    if (of->kind != QN_SCALAR) return false;
    if (at->kernel->partial[value]) return true;
    const bool is_made = qn_emitter_has(at, of->producer) && at->graph->calls[of->producer].space_count > 0;
    return at->kernel->is_single && at->kernel->writes[value] && is_made;
}

bool qn_emitter_shares(const qn_emitter *at)
{
    for (int value = 0; value < at->graph->value_count; value++)
        if (at->graph->values[value].kind == QN_SCALAR && (at->kernel->folds[value] || qn_emitter_totals(at, value)))
            return true;
    return false;
}

qn_status qn_emit_totals_start(qn_emitter *at)
{
    for (int value = 0; value < at->graph->value_count; value++)
        if (qn_emitter_totals(at, value))
            QN_TRY(qn_text_append(at->text, "    float %s_total = %s;\n", at->names[value],
                                  qn_reduction_start(qn_value_reduction(at->graph, value))));
    return QN_OK;
}

qn_status qn_emit_totals_end(qn_emitter *at)
{
    for (int value = 0; value < at->graph->value_count; value++) {
        const char *name = at->names[value];
        const bool is_part = at->kernel->partial[value];
        if (!qn_emitter_totals(at, value)) continue;
        QN_TRY(qn_text_append(at->text,
                              "    %s_total = %s_of_group(share, item, %s_total);\n"
                              "    if (item == 0) %s%s[%s] = %s_total;\n",
                              name, qn_reduction_function(qn_value_reduction(at->graph, value)), name,
                              is_part ? name : at->names[qn_plan_root(at->plan, value)], is_part ? "_sums" : "_data",
                              is_part ? "group" : "0", name));
    }
    return QN_OK;
}

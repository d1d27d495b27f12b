/* Kernels in one dimension: work-items take elements of axis 0, in blocks of ITEMS * ELEMENTS. */
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

qn_status qn_emit_line(qn_emitter *at)
{
    const char *size = at->graph->extents[at->kernel->layout.extents[0]].name;
    QN_TRY(qn_emit_totals_start(at));
    qn_site_restart(&at->line, QN_SITE_LINE, 12);
    QN_TRY(put_folds(at));
    QN_TRY(put_calls(at));
    QN_TRY(qn_text_append(at->text,
                          "    for (qn_int64 block = GROUP_ID(0); block * ITEMS * ELEMENTS < size_%s; block += "
                          "GROUP_COUNT(0))\n"
                          "        for (int e = 0; e < ELEMENTS; e++) {\n"
                          "            const qn_int64 i = (block * ELEMENTS + e) * ITEMS + item;\n"
                          "            if (i >= size_%s) break;\n",
                          size, size));
    QN_TRY(qn_site_flush(at, &at->line));
    QN_TRY(qn_text_append(at->text, "        }\n"));
    return qn_emit_totals_end(at);
}

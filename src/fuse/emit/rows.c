/* Rows of sparse matrices. A work-item that follows its row waits for one stored element after another, and its
 * neighbours read memory at distances of a row. So a group takes the elements of all its rows as they lie in memory,
 * each work-item TERMS at a time, and puts their terms into local memory; then each row's owner adds the row's terms
 * up, in their order (csr-stream: Greathouse, Daga 2014, Efficient sparse matrix-vector multiplication on GPUs using
 * the CSR storage format). Rows that are longer than the room for terms take several turns. With TERMS = 1
 * work-items follow their rows, as suits processors. The sums have the same bits. */
#include <stdio.h>

#include "fuse/emit/emitter.h"

bool qn_rows_are_staged(const qn_emitter *at, int call)
{
    const qn_call *of = &at->graph->calls[call];
    if (at->form != QN_EMIT_GROUPS || at->kernel->layout.dimensions != 1 || !of->is_sparse) return false;
    /* A body may use the sum so far, and load elements in its own way; a term may need its line. */
    if (of->implementation || qn_body_moves(at, of->inputs[0].value)) return false;
    for (int i = 1; i < of->input_count; i++) {
        const qn_use *use = &of->inputs[i];
        const bool is_gathered = use->index_count == 1 && qn_layout_axis(at->graph, &at->kernel->layout, call, use) < 0;
        if (use->index_count > 0 && !is_gathered) return false;
    }
    return true;
}

bool qn_rows_any_staged(const qn_emitter *at)
{
    for (int call = 0; call < at->graph->call_count; call++)
        if (qn_emitter_has(at, call) && qn_rows_are_staged(at, call)) return true;
    return false;
}

qn_status qn_rows_locals(qn_emitter *at)
{
    for (int call = 0; call < at->graph->call_count; call++) {
        const qn_call *of = &at->graph->calls[call];
        if (!qn_emitter_has(at, call) || !qn_rows_are_staged(at, call)) continue;
        for (int i = 0; i < of->output_count; i++)
            QN_TRY(qn_text_append(at->text, "    LOCAL float %s_terms[ITEMS * TERMS];\n",
                                  at->names[of->outputs[i].value]));
    }
    return QN_OK;
}

/* ---- one row after another ---- */

/* A loop over the stored elements of a work-item's row, in which vectors are gathered. */
static qn_status put_row(qn_emitter *at, qn_site *site, int call)
{
    const qn_call *of = &at->graph->calls[call];
    const char *matrix = at->names[qn_plan_root(at->plan, of->inputs[0].value)];
    qn_site_restart(&at->gather, QN_SITE_GATHER, site->indent + 4);
    for (int i = 0; i < of->output_count; i++) QN_TRY(qn_site_reduce(at, &at->gather, call, i));
    QN_TRY(qn_site_put(site, "for (int k = %s_starts[i]; k < %s_starts[i + 1]; k++) {", matrix, matrix));
    QN_TRY(qn_site_put(site, "    const qn_int64 j = %s_columns[k];", matrix));
    QN_TRY(qn_text_append(&site->text, "%s", at->gather.text.data));
    return qn_site_put(site, "}");
}

/* ---- all rows of a group ---- */

/* Loads of a work-item's elements and their columns. An element beyond the rows is a zero of column 0, so that nothing
 * depends on it and all loads are on their way at once. */
static qn_status put_loads(qn_site *site, const char *matrix, const char *root)
{
    QN_TRY(qn_site_put(site, "int %s_column[TERMS];", matrix));
    QN_TRY(qn_site_put(site, "float %s_own[TERMS];", matrix));
    QN_TRY(qn_site_put(site, "UNROLL"));
    QN_TRY(qn_site_put(site, "for (int e = 0; e < TERMS; e++) {"));
    QN_TRY(qn_site_put(site, "    const qn_int64 k = chunk + e * ITEMS + item;"));
    QN_TRY(qn_site_put(site, "    %s_column[e] = k < last ? %s_columns[k] : 0;", matrix, root));
    QN_TRY(qn_site_put(site, "    %s_own[e] = k < last ? %s_data[k] : 0.0f;", matrix, root));
    return qn_site_put(site, "}");
}

/* Terms of a work-item's elements, first in registers: the loads of all of them come before the first store. */
static qn_status put_terms(qn_emitter *at, qn_site *site, int call, const char *matrix)
{
    const qn_call *of = &at->graph->calls[call];
    at->is_staged = true;
    qn_site_restart(&at->gather, QN_SITE_GATHER, site->indent + 4);
    for (int i = 0; i < of->output_count; i++) {
        const char *name = at->names[of->outputs[i].value];
        qn_text term = {0};
        qn_status status = qn_site_term(at, call, i, NULL, &term);
        if (status == QN_OK) status = qn_site_put(&at->gather, "%s_own[e] = %s;", name, term.data);
        if (status == QN_OK) status = qn_site_put(site, "float %s_own[TERMS];", name);
        qn_text_clear(&term);
        QN_TRY(status);
    }
    at->is_staged = false;
    QN_TRY(qn_site_put(site, "UNROLL"));
    QN_TRY(qn_site_put(site, "for (int e = 0; e < TERMS; e++) {"));
    QN_TRY(qn_site_put(site, "    const qn_int64 j = %s_column[e];", matrix));
    QN_TRY(qn_text_append(&site->text, "%s", at->gather.text.data));
    QN_TRY(qn_site_put(site, "}"));
    for (int i = 0; i < of->output_count; i++) {
        const char *name = at->names[of->outputs[i].value];
        QN_TRY(qn_site_put(site, "UNROLL"));
        QN_TRY(
            qn_site_put(site, "for (int e = 0; e < TERMS; e++) %s_terms[e * ITEMS + item] = %s_own[e];", name, name));
    }
    return QN_OK;
}

/* The owner of a row adds up those of its terms that are in local memory. */
static qn_status put_sums(qn_emitter *at, qn_site *site, int call)
{
    const qn_call *of = &at->graph->calls[call];
    QN_TRY(qn_site_put(site, "LOCAL_BARRIER();"));
    QN_TRY(qn_site_put(site, "const int from = (int)MAX(begin - chunk, (qn_int64)0);"));
    QN_TRY(qn_site_put(site, "const int to = (int)MIN(end - chunk, (qn_int64)(ITEMS * TERMS));"));
    QN_TRY(qn_site_put(site, "for (int k = from; k < to; k++) {"));
    site->indent += 4;
    for (int i = 0; i < of->output_count; i++) {
        char sum[96], term[96];
        snprintf(sum, sizeof sum, "%s_sum", at->names[of->outputs[i].value]);
        snprintf(term, sizeof term, "%s_terms[k]", at->names[of->outputs[i].value]);
        QN_TRY(qn_put_combine(site, of->meanings[i].reduction, sum, term));
    }
    site->indent -= 4;
    QN_TRY(qn_site_put(site, "}"));
    return qn_site_put(site, "LOCAL_BARRIER();");
}

static qn_status put_staged(qn_emitter *at, qn_site *site, int call)
{
    const int value = at->graph->calls[call].inputs[0].value;
    const char *matrix = at->names[value], *root = at->names[qn_plan_root(at->plan, value)];
    QN_TRY(qn_site_put(site, "if (TERMS > 1) {"));
    site->indent += 4;
    QN_TRY(qn_site_put(site, "const int begin = %s_starts[first + MIN(item, rows)];", root));
    QN_TRY(qn_site_put(site, "const int end = %s_starts[first + MIN(item + 1, rows)];", root));
    QN_TRY(qn_site_put(site, "const int last = %s_starts[first + rows];", root));
    QN_TRY(qn_site_put(site, "for (qn_int64 chunk = %s_starts[first]; chunk < last; chunk += ITEMS * TERMS) {", root));
    site->indent += 4;
    QN_TRY(put_loads(site, matrix, root));
    QN_TRY(put_terms(at, site, call, matrix));
    QN_TRY(put_sums(at, site, call));
    site->indent -= 4;
    QN_TRY(qn_site_put(site, "}"));
    site->indent -= 4;
    QN_TRY(qn_site_put(site, "} else if (item < rows) {"));
    site->indent += 4;
    QN_TRY(put_row(at, site, call));
    site->indent -= 4;
    return qn_site_put(site, "}");
}

/* ---- both ---- */

qn_status qn_rows_call(qn_emitter *at, qn_site *site, int call)
{
    const qn_call *of = &at->graph->calls[call];
    const bool is_staged = qn_rows_are_staged(at, call);
    qn_site *before = is_staged ? &at->rows : site;
    for (int i = 0; i < of->output_count; i++)
        QN_TRY(qn_site_put(before, "float %s_sum = %s;", at->names[of->outputs[i].value],
                           qn_reduction_start(of->meanings[i].reduction)));
    QN_TRY(is_staged ? put_staged(at, before, call) : put_row(at, site, call));
    for (int i = 0; i < of->output_count; i++) {
        const int value = of->outputs[i].value;
        QN_TRY(qn_site_put(site, "const float %s_i = %s_sum;", at->names[value], at->names[value]));
        site->declared[value] = true;
    }
    return QN_OK;
}

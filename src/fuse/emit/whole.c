/* Kernels that sweep more than once over their lines have a branch for lines that are one chunk. Its sums of columns
 * stay in registers over all panels, so a panel may be as small as one line, which the nearest cache keeps for the next
 * sweep; vectors along the columns are read with each line, since registers are taken. The branch has
 * neither conditions on elements nor another way to load than in vectors, because compilers then need more registers
 * than there are. */
#include "fuse/emit/emitter.h"

bool qn_whole_is_possible(const qn_emitter *at)
{
    const qn_graph *graph = at->graph;
    const qn_layout *layout = &at->kernel->layout;
    if (at->form != QN_EMIT_GROUPS || layout->sweeps < 2) return false;
    for (int call = 0; call < graph->call_count; call++) {
        const qn_call *of = &graph->calls[call];
        if (!qn_emitter_has(at, call)) continue;
        if (of->space_count == 1 && layout->axes[call][0] == 1) return false;
        for (int i = 0; of->space_count == 2 && i < of->input_count; i++) {
            const qn_use *use = &of->inputs[i];
            const bool is_made = qn_emitter_has(at, graph->values[use->value].producer);
            if (use->index_count == 1 && is_made && qn_layout_axis(graph, layout, call, use) == 1) return false;
            const bool is_column = graph->values[use->value].column;
            if (use->index_count == 2 && layout->axes[call][use->indices[is_column ? 0 : 1]] != 1) return false;
        }
        for (int i = 0; of->space_count == 2 && i < of->output_count; i++) {
            const qn_use *use = &of->outputs[i];
            const bool is_column = graph->values[use->value].column;
            if (use->index_count == 2 && layout->axes[call][use->indices[is_column ? 0 : 1]] != 1) return false;
        }
    }
    return true;
}

qn_status qn_whole_condition(qn_emitter *at)
{
    const char *size = at->graph->extents[at->kernel->layout.extents[1]].name;
    QN_TRY(qn_text_append(at->text, "    if (size_%s == COLUMNS", size));
    for (int i = 0; i < at->made->argument_count; i++) {
        const qn_emitted_argument *own = &at->made->arguments[i];
        const bool is_vector = own->kind == QN_EMITTED_DATA && at->graph->values[own->of].kind == QN_VECTOR;
        if (own->kind == QN_EMITTED_STEP || is_vector)
            QN_TRY(qn_text_append(at->text, " && %s_wide", at->names[own->of]));
    }
    return qn_text_append(at->text, ") { /* a group has whole lines */\n");
}

/* Sums of columns begin before all panels, and end after them. */
qn_status qn_whole_columns(qn_emitter *at, bool is_end)
{
    const char *size = at->graph->extents[at->kernel->layout.extents[1]].name;
    for (int call = 0; call < at->graph->call_count; call++)
        for (int i = 0; qn_emitter_has(at, call) && i < at->graph->calls[call].output_count; i++) {
            const qn_call *of = &at->graph->calls[call];
            if (of->space_count < 2 || !qn_emitter_sums_along(at, call, i, 1)) continue;
            const qn_reduction reduction = of->meanings[i].reduction;
            const char *name = at->names[of->outputs[i].value];
            QN_TRY(is_end ? qn_text_append(at->text,
                                           "    %s_of_columns(%s_sums + (qn_int64)group * size_%s, columns, %s_sum_j, "
                                           "size_%s, x, y, 1);\n",
                                           qn_reduction_function(reduction), name, size, name, size)
                          : qn_text_append(at->text,
                                           "    float %s_sum_j[ELEMENTS];\n"
                                           "    UNROLL\n"
                                           "    for (int e = 0; e < ELEMENTS; e++) %s_sum_j[e] = %s;\n",
                                           name, name, qn_reduction_start(reduction)));
        }
    return QN_OK;
}

/* A line in pieces, each loaded and used before the next one. Every other sweep goes backwards, since the end of a line
 * is what the nearest cache has for certain. */
qn_status qn_whole_pieces(qn_emitter *at)
{
    static const char *const loops[] = {"int piece = 0; piece < ELEMENTS; piece += PIECE",
                                        "int piece = ELEMENTS - PIECE; piece >= 0; piece -= PIECE"};
    for (int value = 0; value < at->graph->value_count; value++)
        if (at->loads[value])
            QN_TRY(qn_text_append(at->text, "                        float %s_%s[ELEMENTS];\n", at->names[value],
                                  at->graph->values[value].kind == QN_MATRIX ? "own" : "j"));
    QN_TRY(qn_text_append(at->text,
                          "                        UNROLL\n"
                          "                        for (%s) {\n",
                          loops[at->sweep % 2]));
    for (int value = 0; value < at->graph->value_count; value++) {
        const char *root = at->names[qn_plan_root(at->plan, value)];
        const bool is_matrix = at->graph->values[value].kind == QN_MATRIX;
        if (!at->loads[value]) continue;
        QN_TRY(qn_text_append(at->text, "                            load_vectors(%s_data + ", root));
        if (is_matrix) QN_TRY(qn_text_append(at->text, "i * %s_step + ", root));
        QN_TRY(qn_text_append(at->text, "piece * GROUP_X, PIECE, GROUP_X, x, %s_%s + piece);\n", at->names[value],
                              is_matrix ? "own" : "j"));
    }
    return qn_text_append(at->text,
                          "                            UNROLL\n"
                          "                            for (int e = piece; e < piece + PIECE; e++) {\n"
                          "                            const qn_int64 j = COLUMN(e);\n%s"
                          "                            }\n"
                          "                        }\n",
                          at->element.text.length > 0 ? at->element.text.data : "");
}

/* A sweep by groups of work-items. A row of work-items takes TILE lines of the panel at a time, and of each line a
 * chunk of COLUMNS elements. Of ROWS lines it loads all elements before it uses them, in vectors where the memory's
 * alignment allows, so that many bytes are on their way. Sums along lines are first added up over the segments of a
 * row, whose work-items a GPU runs in step: the group waits for all of them after the sweep only. */
#include <stdio.h>

#include "fuse/emit/emitter.h"

static const char *or_nothing(const qn_text *text)
{
    return text->length > 0 ? text->data : "";
}

qn_status qn_tiles_sum(const qn_emitter *at, int call, int output, qn_sweep_sums *of)
{
    const qn_reduction reduction = at->graph->calls[call].meanings[output].reduction;
    const char *name = at->names[at->graph->calls[call].outputs[output].value];
    char sum[96], term[160];
    snprintf(sum, sizeof sum, "%s_sum", name);
    snprintf(term, sizeof term, "%s_share[(y * TILE + t - begin) * PITCH + segment * SEGMENT + k]", name);
    QN_TRY(qn_site_put(&of->lines, "float %s = %s;", sum, qn_reduction_start(reduction)));
    QN_TRY(qn_site_put(&of->line_ends, "%s_share[(y * TILE + t - begin) * PITCH + x] = %s;", name, sum));
    QN_TRY(qn_site_put(&of->tile_ends, "float %s = chunk == 0 ? %s : %s_segments[t * SEGMENTS + segment];", sum,
                       qn_reduction_start(reduction), name));
    QN_TRY(qn_site_put(&of->tile_ends, "UNROLL"));
    QN_TRY(qn_site_put(&of->tile_ends, "for (int k = 0; k < SEGMENT; k++)"));
    of->tile_ends.indent += 4;
    QN_TRY(qn_put_combine(&of->tile_ends, reduction, sum, term));
    of->tile_ends.indent -= 4;
    return qn_site_put(&of->tile_ends, "%s_segments[t * SEGMENTS + segment] = %s;", name, sum);
}

qn_status qn_tiles_line(qn_emitter *at, int call, int output)
{
    const qn_call *of = &at->graph->calls[call];
    const char *name = at->names[of->outputs[output].value];
    char into[96], term[128];
    snprintf(into, sizeof into, "%s_i", name);
    snprintf(term, sizeof term, "%s_segments[t * SEGMENTS + k]", name);
    QN_TRY(qn_site_put(&at->line, "float %s = %s_segments[t * SEGMENTS];", into, name));
    QN_TRY(qn_site_put(&at->line, "for (int k = 1; k < SEGMENTS; k++)"));
    at->line.indent += 4;
    const qn_status status = qn_put_combine(&at->line, of->meanings[output].reduction, into, term);
    at->line.indent -= 4;
    QN_TRY(status);
    return at->keeps_line[of->outputs[output].value] ? qn_site_put(&at->line, "%s_line[t] = %s;", name, into) : QN_OK;
}

static qn_status write_loads(qn_emitter *at)
{
    bool any = false;
    for (int value = 0; value < at->graph->value_count; value++) {
        if (!at->loads[value]) continue;
        any = true;
        QN_TRY(qn_text_append(at->text, "                    float %s_own[ROWS][ELEMENTS];\n", at->names[value]));
    }
    if (!any) return QN_OK;
    QN_TRY(qn_text_append(at->text, "                    UNROLL\n"
                                    "                    for (int k = 0; k < ROWS; k++)\n"
                                    "                        if (row + k < end) {\n"));
    for (int value = 0; value < at->graph->value_count; value++) {
        const char *root = at->names[qn_plan_root(at->plan, value)];
        if (at->loads[value])
            QN_TRY(qn_text_append(at->text,
                                  "                            load_elements(%s_data + (first + row + k) * %s_step + "
                                  "chunk, %s_wide, elements, ELEMENTS, GROUP_X, x, %s_own[k]);\n",
                                  root, root, root, at->names[value]));
    }
    return qn_text_append(at->text, "                        }\n");
}

static qn_status write_stores(qn_emitter *at)
{
    for (int value = 0; value < at->graph->value_count; value++) {
        const char *root = at->names[qn_plan_root(at->plan, value)];
        if (at->stores[value])
            QN_TRY(qn_text_append(
                at->text,
                "                        store_elements(%s_out, %s_wide, elements, ELEMENTS, GROUP_X, x, "
                "%s_data + i * %s_step + chunk);\n",
                at->names[value], root, root, root));
    }
    return QN_OK;
}

static qn_status write_line(qn_emitter *at, const qn_sweep_sums *of)
{
    QN_TRY(qn_text_append(at->text,
                          "                    UNROLL\n"
                          "                    for (int k = 0; k < ROWS; k++) {\n"
                          "                        const int t = row + k;\n"
                          "                        const qn_int64 i = first + t;\n"
                          "                        if (t >= end) continue;\n%s%s",
                          or_nothing(&at->line.text), or_nothing(&of->lines.text)));
    for (int value = 0; value < at->graph->value_count; value++)
        if (at->stores[value])
            QN_TRY(qn_text_append(at->text, "                        float %s_out[ELEMENTS];\n", at->names[value]));
    if (at->is_whole)
        QN_TRY(qn_whole_pieces(at));
    else
        QN_TRY(qn_text_append(at->text,
                              "                        EACH_ELEMENT(elements) {\n"
                              "                            const qn_int64 j = chunk + COLUMN(e);\n%s"
                              "                        }\n",
                              or_nothing(&at->element.text)));
    QN_TRY(qn_text_append(at->text, "%s", or_nothing(&of->line_ends.text)));
    QN_TRY(write_stores(at));
    return qn_text_append(at->text, "                    }\n");
}

qn_status qn_tiles_write(qn_emitter *at, const qn_sweep_sums *of)
{
    QN_TRY(qn_text_append(at->text,
                          "            for (int tile = 0; tile < %s; tile += GROUP_Y * TILE) {\n"
                          "                const int begin = tile + y * TILE, end = MIN(begin + TILE, lines);\n"
                          "                for (int row = begin; row < %s; row += ROWS) {\n",
                          at->is_whole ? "PANEL" : "lines", at->is_whole ? "begin + TILE" : "end"));
    if (!at->is_whole) QN_TRY(write_loads(at));
    QN_TRY(write_line(at, of));
    QN_TRY(qn_text_append(at->text, "                }\n"));
    if (of->has_tiles)
        QN_TRY(qn_text_append(at->text,
                              "                LOCAL_BARRIER_OF_32();\n"
                              "                for (int t = begin + x %% SEGMENT; t < end; t += SEGMENT) {\n"
                              "                    const int segment = x / SEGMENT;\n%s                }\n"
                              "                LOCAL_BARRIER_OF_32();\n",
                              of->tile_ends.text.data));
    return qn_text_append(at->text, "            }\n");
}

qn_status qn_tiles_locals(qn_emitter *at, int value, bool is_sum)
{
    const char *name = at->names[value];
    if (is_sum)
        QN_TRY(qn_text_append(at->text,
                              "    LOCAL float %s_share[GROUP_Y * TILE * PITCH];\n"
                              "    LOCAL float %s_segments[PANEL * SEGMENTS];\n",
                              name, name));
    return at->keeps_line[value] ? qn_text_append(at->text, "    LOCAL float %s_line[PANEL];\n", name) : QN_OK;
}

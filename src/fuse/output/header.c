/* NAME.h: sizes, arguments, and the three functions. */
#include <string.h>

#include "base/error.h"
#include "fuse/output/code.h"

extern const char qn_fuse_header_source[];

static bool is_size_given(const qn_graph *graph, int extent)
{
    return graph->extents[extent].number == 0;
}

static qn_status write_sizes(const qn_code *code, qn_text *text)
{
    const qn_graph *graph = code->graph;
    char name[QN_CODE_NAME_MAX];
    for (int extent = 0; extent < graph->extent_count; extent++) {
        if (!is_size_given(graph, extent)) continue;
        qn_code_safe_name(graph->extents[extent].name, name);
        QN_TRY(qn_text_append(text, "    int32_t %s;\n", name));
    }
    for (int field = 0; field < code->field_count; field++) {
        const qn_value *of = &graph->values[code->fields[field].value];
        if (of->kind == QN_MATRIX)
            QN_TRY(qn_text_append(text,
                                  "    int64_t %s_step; /* numbers from one %s of %s to the next; 0: without gaps */\n",
                                  code->fields[field].name, of->column ? "column" : "row", of->name));
        if (of->kind == QN_CSR)
            QN_TRY(qn_text_append(text, "    int64_t %s_stored; /* numbers that the sparse %s has */\n",
                                  code->fields[field].name, of->name));
    }
    /* a struct must have a member */
    return text->length > 0 ? QN_OK : qn_text_append(text, "    int32_t none; /* the script has no sizes */\n");
}

static qn_status write_field(const qn_code *code, const qn_code_field *field, qn_text *text)
{
    const qn_value *of = &code->graph->values[field->value];
    const char *const *pointers = code->target->pointers;
    const char *role = field->result < 0 ? "given" : of->is_given ? "given, and replaced" : "result";
    const qn_shape_text shape = qn_value_shape(code->graph, of);
    QN_TRY(qn_text_append(text, "    %s%s; /* %s%s, %s */\n", pointers[field->result < 0 ? 0 : 1], field->name,
                          shape.text, of->column ? " column" : "", role));
    if (of->kind != QN_CSR) return QN_OK;
    QN_TRY(qn_text_append(text, "    %s%s_starts; /* of rows, and the end of the last */\n", pointers[2], field->name));
    return qn_text_append(text, "    %s%s_columns; /* of the numbers, from 0 */\n", pointers[2], field->name);
}

static qn_status write_fields(const qn_code *code, qn_text *text)
{
    bool any_loop = false;
    for (int field = 0; field < code->field_count; field++) QN_TRY(write_field(code, &code->fields[field], text));
    for (int section = 0; section < code->graph->section_count; section++)
        any_loop |= code->graph->sections[section].is_loop;
    return any_loop ? qn_text_append(text, "    int64_t *rounds; /* gets the rounds of all loops; may be NULL */\n")
                    : QN_OK;
}

static qn_status write_steps(const qn_code *code, qn_text *text)
{
    const qn_graph *graph = code->graph;
    for (int section = 0; section < graph->section_count; section++) {
        const qn_section *of = &graph->sections[section];
        if (of->part == QN_SECTION_RING) continue;
        if (of->is_loop && of->part != QN_SECTION_TAIL)
            QN_TRY(qn_text_append(text, " *     repeat %s\n", graph->extents[of->rounds].name));
        for (int i = 0; i < of->call_count; i++)
            QN_TRY(qn_text_append(text, " *     %s%s\n", of->is_loop ? "    " : "",
                                  graph->calls[of->first_call + i].text));
    }
    return QN_OK;
}

/* Parts of the header that depend on the plan. */
typedef struct parts {
    qn_text steps, sizes, fields;
} parts;

static qn_status fill(const qn_code *code, parts *of, qn_text *text)
{
    const qn_code_target *target = code->target;
    QN_TRY(write_steps(code, &of->steps));
    QN_TRY(write_sizes(code, &of->sizes));
    QN_TRY(write_fields(code, &of->fields));
    const char *queue_name = target->queue + strlen(target->queue);
    while (queue_name[-1] != ' ' && queue_name[-1] != '*') queue_name--;
    const qn_code_hole holes[] = {
        {"name", code->graph->name},  {"NAME", code->upper},
        {"title", target->title},     {"steps", of->steps.data},
        {"scalars", target->scalars}, {"queue", target->queue},
        {"queue_name", queue_name},   {"queue_meaning", target->queue_meaning},
        {"waits", target->waits},     {"header_includes", target->header_includes},
        {"sizes", of->sizes.data},    {"fields", of->fields.data},
    };
    return qn_code_fill(qn_fuse_header_source, holes, sizeof holes / sizeof *holes, text);
}

qn_status qn_code_write_header(const qn_code *code, qn_text *text)
{
    parts of = {{0}};
    const qn_status status = fill(code, &of, text);
    qn_text_clear(&of.steps), qn_text_clear(&of.sizes), qn_text_clear(&of.fields);
    return status;
}

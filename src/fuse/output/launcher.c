/* NAME.c: the plan, its sizes and memory, and the launches. */
#include <string.h>

#include "base/error.h"
#include "fuse/output/code.h"

extern const char qn_fuse_launcher_source[];

/* ---- constants ---- */

static qn_status write_constants(const qn_code *code, qn_text *text)
{
    qn_tunable tunables[QN_SHAPE_TUNABLES];
    const bool all = code->target->extension != NULL; /* else the kernels define them */
    qn_shape_tunables(code->shape, tunables);
    QN_TRY(qn_text_append(text, "enum {\n    KERNELS = %d,\n", code->plan->kernel_count));
    for (int i = 0; i < QN_SHAPE_TUNABLES; i++)
        if ((all && qn_code_has_tunable(code->graph, i)) || i == QN_SHAPE_PARTS)
            QN_TRY(qn_text_append(text, "    %s = %d, /* %s */\n", tunables[i].name, tunables[i].fallback,
                                  tunables[i].meaning));
    QN_TRY(qn_text_append(text, "};\n"));
    if (all && !code->target->is_family) {
        QN_TRY(qn_text_append(text, "static const char *const kernel_names[KERNELS] = {"));
        for (int kernel = 0; kernel < code->plan->kernel_count; kernel++)
            QN_TRY(qn_text_append(text, "%s\"%s\"", kernel > 0 ? ", " : "", code->kernels[kernel].name));
        QN_TRY(qn_text_append(text, "};\n"));
    }
    return QN_OK;
}

static qn_status write_group_functions(const qn_code *code, qn_text *text)
{
    bool dimensions[3] = {false}, is_spread = false;
    for (int kernel = 0; kernel < code->plan->kernel_count; kernel++) {
        const bool spread = qn_emit_is_spread(code->plan, kernel, qn_code_form(code));
        dimensions[code->plan->kernels[kernel].layout.dimensions] |= !spread;
        is_spread |= spread;
    }
    if (is_spread)
        QN_TRY(qn_text_append(text, "/* Groups of a kernel whose work-items take one element each. */\n"
                                    "static int groups_of_sums(int32_t size)\n{\n"
                                    "    const int64_t block = (int64_t)GROUP_X * GROUP_Y;\n"
                                    "    const int64_t blocks = (size + block - 1) / block;\n"
                                    "    return (int)(blocks < PARTS ? blocks : PARTS);\n}\n\n"));
    if (dimensions[1])
        QN_TRY(qn_text_append(text, "/* Groups of a kernel over vectors. */\n"
                                    "static int groups_of_elements(int32_t size)\n{\n"
                                    "    const int64_t block = (int64_t)GROUP_X * GROUP_Y * STRIP;\n"
                                    "    const int64_t blocks = (size + block - 1) / block;\n"
                                    "    return (int)(blocks < PARTS ? blocks : PARTS);\n}\n\n"));
    if (dimensions[2])
        QN_TRY(qn_text_append(text, "/* Groups of a kernel over the lines of matrices. */\n"
                                    "static int groups_of_lines(int32_t size)\n{\n"
                                    "    const int64_t panels = ((int64_t)size + PANEL - 1) / PANEL;\n"
                                    "    return (int)(panels < PARTS ? panels : PARTS);\n}\n\n"));
    return QN_OK;
}

/* ---- sizes ---- */

/* The size of the shorter way along a matrix's memory. */
static int line_extent(const qn_value *matrix)
{
    return matrix->extents[matrix->column ? 0 : 1];
}

static qn_status write_members(const qn_code *code, qn_text *members, qn_text *measures)
{
    const qn_graph *graph = code->graph;
    char safe[QN_CODE_NAME_MAX];
    for (int extent = 0; extent < graph->extent_count; extent++) {
        const char *name = graph->extents[extent].name;
        qn_code_safe_name(name, safe);
        QN_TRY(qn_text_append(members, "    int32_t size_%s;\n", name));
        QN_TRY(graph->extents[extent].number > 0
                   ? qn_text_append(measures, "    plan->size_%s = %s;\n", name, name)
                   : qn_text_append(measures, "    plan->size_%s = sizes->%s;\n", name, safe));
    }
    for (int value = 0; value < graph->value_count; value++) {
        const qn_emitted_argument *step = NULL;
        for (int kernel = 0; kernel < code->plan->kernel_count && !step; kernel++)
            for (int i = 0; i < code->kernels[kernel].argument_count; i++) {
                const qn_emitted_argument *one = &code->kernels[kernel].arguments[i];
                if (one->kind == QN_EMITTED_STEP && one->of == value) step = one;
            }
        if (!step) continue;
        const int field = qn_code_field_of(code, value);
        const char *natural = graph->extents[line_extent(&graph->values[value])].name;
        QN_TRY(qn_text_append(members, "    int64_t %s;\n", step->name));
        if (field >= 0)
            QN_TRY(qn_text_append(measures, "    plan->%s = sizes->%s_step > 0 ? sizes->%s_step : plan->size_%s;\n",
                                  step->name, code->fields[field].name, code->fields[field].name, natural));
        else
            QN_TRY(qn_text_append(measures, "    plan->%s = plan->size_%s;\n", step->name, natural));
    }
    return QN_OK;
}

static qn_status write_checks(const qn_code *code, qn_text *text)
{
    const qn_graph *graph = code->graph;
    char safe[QN_CODE_NAME_MAX];
    for (int extent = 0; extent < graph->extent_count; extent++) {
        if (graph->extents[extent].number > 0) continue;
        qn_code_safe_name(graph->extents[extent].name, safe);
        QN_TRY(qn_text_append(text, "    if (sizes->%s < 1) return %s_BAD_SIZE;\n", safe, code->upper));
    }
    for (int i = 0; i < code->field_count; i++) {
        const qn_code_field *field = &code->fields[i];
        const qn_value *of = &graph->values[field->value];
        const qn_extent *line = &graph->extents[line_extent(of)];
        if (of->kind == QN_CSR)
            QN_TRY(
                qn_text_append(text, "    if (sizes->%s_stored < 1) return %s_BAD_SIZE;\n", field->name, code->upper));
        if (of->kind != QN_MATRIX) continue;
        qn_code_safe_name(line->name, safe);
        QN_TRY(qn_text_append(text, "    if (sizes->%s_step != 0 && sizes->%s_step < %s%s) return %s_BAD_STEP;\n",
                              field->name, field->name, line->number > 0 ? "" : "sizes->", safe, code->upper));
    }
    return text->length > 0 ? QN_OK : qn_text_append(text, "    (void)sizes;\n");
}

/* ---- memory ---- */

static qn_status write_count(const qn_code *code, const qn_code_slot *slot, qn_text *text)
{
    const qn_graph *graph = code->graph;
    const qn_value *of = &graph->values[slot->of];
    const char *rows = graph->extents[of->extents[0]].name;
    if (slot->kind == QN_EMITTED_STARTS) return qn_text_append(text, "((size_t)plan->size_%s + 1)", rows);
    if (of->kind == QN_CSR) return qn_text_append(text, "(size_t)sizes->%s_stored", code->fields[slot->field].name);
    if (of->kind == QN_SCALAR) return qn_text_append(text, "1");
    if (of->kind == QN_VECTOR) return qn_text_append(text, "(size_t)plan->size_%s", rows);
    return qn_text_append(text, "((size_t)(plan->size_%s - 1) * (size_t)plan->%.*s_step + (size_t)plan->size_%s)",
                          graph->extents[of->extents[of->column ? 1 : 0]].name,
                          (int)(strlen(slot->name) - strlen("_data")), slot->name,
                          graph->extents[line_extent(of)].name);
}

/* Partial sums take as much as the kernel needs that leaves most of them. */
static qn_status write_sums(const qn_code *code, int kernel, qn_text *text)
{
    for (int value = 0; value < code->graph->value_count; value++) {
        if (!code->plan->kernels[kernel].partial[value]) continue;
        const qn_value *of = &code->graph->values[value];
        const int slot = qn_code_slot_of(code, QN_EMITTED_SUMS, qn_plan_sums(code->plan, value));
        QN_TRY(qn_text_append(text, "    enlarge(plan, AT_%s, 4 * (size_t)", code->slots[slot].name));
        QN_TRY(qn_code_write_groups(code, kernel, text));
        if (of->kind == QN_VECTOR)
            QN_TRY(qn_text_append(text, " * (size_t)plan->size_%s", code->graph->extents[of->extents[0]].name));
        QN_TRY(qn_text_append(text, ");\n"));
    }
    return QN_OK;
}

/* Memory that is exchanged is equally large. */
static qn_status write_exchanged(const qn_code *code, int section, bool before, qn_text *text)
{
    qn_exchange exchanges[QN_EXCHANGES_MAX];
    const int count = qn_plan_exchanges(code->plan, section, before, exchanges);
    for (int i = 0; i < count; i++) {
        const char *one, *other;
        if (!qn_code_exchange_names(code, &exchanges[i], &one, &other)) continue;
        QN_TRY(qn_text_append(text,
                              "    enlarge(plan, AT_%s, plan->bytes[AT_%s]);\n"
                              "    enlarge(plan, AT_%s, plan->bytes[AT_%s]);\n",
                              one, other, other, one));
    }
    return QN_OK;
}

static qn_status write_bytes(const qn_code *code, qn_text *text)
{
    for (int slot = 0; slot < code->slot_count; slot++) {
        if (code->slots[slot].kind == QN_EMITTED_SUMS || strncmp(code->slots[slot].name, "kept_", 5) == 0) continue;
        QN_TRY(qn_text_append(text, "    plan->bytes[AT_%s] = 4 * ", code->slots[slot].name));
        QN_TRY(write_count(code, &code->slots[slot], text));
        QN_TRY(qn_text_append(text, ";\n"));
    }
    for (int kernel = 0; kernel < code->plan->kernel_count; kernel++) QN_TRY(write_sums(code, kernel, text));
    for (int section = 0; section < 2 * code->graph->section_count; section++)
        QN_TRY(write_exchanged(code, section / 2, section % 2 == 0, text));
    return QN_OK;
}

static qn_status write_slots(const qn_code *code, qn_text *names, qn_text *slots, qn_text *binds)
{
    for (int i = 0; i < code->slot_count; i++) {
        const qn_code_slot *slot = &code->slots[i];
        QN_TRY(qn_text_append(names, "    AT_%s,\n", slot->name));
        QN_TRY(qn_text_append(slots, "    [AT_%s] = {%s, %s},\n", slot->name, slot->field < 0 ? "true" : "false",
                              slot->is_written ? "true" : "false"));
        if (slot->field < 0) continue;
        const char *part = slot->kind == QN_EMITTED_STARTS    ? "_starts"
                           : slot->kind == QN_EMITTED_COLUMNS ? "_columns"
                                                              : "";
        QN_TRY(qn_text_append(binds, "    at[AT_%s] = (memory)arguments->%s%s;\n", slot->name,
                              code->fields[slot->field].name, part));
    }
    return binds->length > 0 ? QN_OK : qn_text_append(binds, "    (void)arguments;\n");
}

/* ---- all of it ---- */

enum {
    INCLUDE,
    CONSTANTS,
    NAMES,
    SLOTS_OF,
    MEMBERS,
    LAUNCHES,
    CHECKS,
    MEASURES,
    BINDS,
    STAGES,
    ARRAY,
    FAMILY,
    PARTS_OF_LAUNCHER
};

static qn_status write_parts(const qn_code *code, qn_text *parts)
{
    QN_TRY(qn_text_append(&parts[INCLUDE], "#include \"%s.h\"\n", code->graph->name));
    QN_TRY(write_constants(code, &parts[CONSTANTS]));
    QN_TRY(write_slots(code, &parts[NAMES], &parts[SLOTS_OF], &parts[BINDS]));
    QN_TRY(write_members(code, &parts[MEMBERS], &parts[MEASURES]));
    QN_TRY(write_bytes(code, &parts[MEASURES]));
    QN_TRY(write_checks(code, &parts[CHECKS]));
    QN_TRY(write_group_functions(code, &parts[LAUNCHES]));
    QN_TRY(qn_code_write_launches(code, &parts[LAUNCHES]));
    QN_TRY(qn_code_write_stages(code, &parts[STAGES]));
    if (code->target->is_family) QN_TRY(qn_code_write_family(code, &parts[FAMILY]));
    return code->target->write_text ? code->target->write_text(code, &parts[ARRAY])
                                    : qn_text_append(&parts[ARRAY], "%s", "");
}

static qn_status fill(const qn_code *code, const qn_text *parts, qn_text *text)
{
    const qn_code_target *target = code->target;
    const char *queue_name = target->queue + strlen(target->queue);
    while (queue_name[-1] != ' ' && queue_name[-1] != '*') queue_name--;
    const qn_code_hole holes[] = {
        {"name", code->graph->name, false},
        {"NAME", code->upper, false},
        {"title", target->title, false},
        {"include", parts[INCLUDE].data, false},
        {"launcher_includes", target->launcher_includes, false},
        {"constants", parts[CONSTANTS].data, false},
        {"slot_names", parts[NAMES].data, false},
        {"slots", parts[SLOTS_OF].data, false},
        {"types", target->types, false},
        {"backend_members", target->members, false},
        {"members", parts[MEMBERS].data, false},
        {"if_enlarges", strstr(parts[MEASURES].data, "enlarge(") ? "" : NULL, false},
        {"end_enlarges", "", false},
        {"backend", target->backend, true},
        {"family", parts[FAMILY].data, false},
        {"launches", parts[LAUNCHES].data, false},
        {"checks", parts[CHECKS].data, false},
        {"measures", parts[MEASURES].data, false},
        {"binds", parts[BINDS].data, false},
        {"stages", parts[STAGES].data, false},
        {"queue", target->queue, false},
        {"queue_name", queue_name, false},
        {"kernels", code->kernel_text.data, false},
        {"kernel_array", parts[ARRAY].data, false},
        {"if_copies", qn_code_has_copies(code) ? "" : NULL, false},
        {"end_copies", "", false},
        {"if_conditions", qn_code_has_conditions(code) ? "" : NULL, false},
        {"end_conditions", "", false},
    };
    return qn_code_fill(qn_fuse_launcher_source, holes, sizeof holes / sizeof *holes, text);
}

qn_status qn_code_write_launcher(const qn_code *code, qn_text *text)
{
    qn_text parts[PARTS_OF_LAUNCHER] = {{0}};
    qn_status status = write_parts(code, parts);
    if (status == QN_OK) status = fill(code, parts, text);
    for (int i = 0; i < PARTS_OF_LAUNCHER; i++) qn_text_clear(&parts[i]);
    return status;
}

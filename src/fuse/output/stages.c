/* The order of launches: sections, rounds of loops, conditions, and what is copied at the end. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "fuse/output/code.h"

/* ---- launches ---- */

static const char *data_name(const qn_code *code, int value)
{
    const int slot = qn_code_slot_of(code, QN_EMITTED_DATA, qn_plan_root(code->plan, value));
    return slot < 0 ? NULL : code->slots[slot].name;
}

qn_status qn_code_write_groups(const qn_code *code, int kernel, qn_text *text)
{
    const qn_layout *layout = &code->plan->kernels[kernel].layout;
    if (layout->dimensions == 0) return qn_text_append(text, "1");
    return qn_text_append(text, "groups_of_%s(plan->size_%s)",
                          layout->dimensions == 2                                     ? "lines"
                          : qn_emit_is_spread(code->plan, kernel, qn_code_form(code)) ? "sums"
                                                                                      : "elements",
                          code->graph->extents[layout->extents[0]].name);
}

static qn_status write_calls(const qn_code *code, const qn_kernel_plan *kernel, qn_text *text)
{
    const qn_graph *graph = code->graph;
    const char *before = "/* ";
    for (int call = 0; call < graph->call_count; call++) {
        if (!qn_calls_have(kernel->calls, call)) continue;
        QN_TRY(qn_text_append(text, "%s%s", before, graph->calls[call].text));
        before = "\n * ";
    }
    for (int value = 0; value < graph->value_count; value++) {
        if (!kernel->folds[value]) continue;
        QN_TRY(qn_text_append(text, "%sfold of %s", before, graph->values[value].name));
        before = "\n * ";
    }
    if (kernel->is_fold) return qn_text_append(text, " */\n");
    QN_TRY(qn_text_append(text, "\n *\n * Moves at least "));
    QN_TRY(qn_words_write(graph, &kernel->words, text));
    return qn_text_append(text, " words of four bytes. */\n");
}

/* Arguments in a list: memory, steps and sizes each in their own form, with the name in the place of '%'. */
static qn_status write_argument(const qn_code *code, const qn_emitted_argument *argument, qn_text *text)
{
    const qn_code_target *target = code->target;
    char name[QN_CODE_NAME_MAX + 16];
    const bool is_size = argument->kind == QN_EMITTED_SIZE || argument->kind == QN_EMITTED_PARTS;
    const char *form = argument->kind == QN_EMITTED_STEP ? target->step_argument
                       : is_size                         ? target->size_argument
                                                         : target->memory_argument;
    snprintf(name, sizeof name, "%s", argument->name);
    if (argument->kind == QN_EMITTED_PARTS) {
        const int slot = qn_code_slot_of(code, QN_EMITTED_SUMS, argument->of);
        snprintf(name, sizeof name, "parts[AT_%s]", code->slots[slot].name);
    }
    for (; *form; form++) QN_TRY(*form == '%' ? qn_text_append(text, "%s", name) : qn_text_append(text, "%c", *form));
    return QN_OK;
}

/* Bytes of the values that a kernel reads or writes; partial sums are none of the least work. */
static qn_status write_bytes(const qn_code *code, const bool *values, const bool *but, qn_text *text)
{
    const char *between = "";
    for (int value = 0; value < code->graph->value_count; value++) {
        if (!values[value] || (but && but[value])) continue;
        QN_TRY(qn_text_append(text, "%s(double)plan->bytes[AT_%s]", between, data_name(code, value)));
        between = " + ";
    }
    return qn_text_append(text, *between ? "" : "0");
}

static qn_status write_work(const qn_code *code, const qn_kernel_plan *kernel, qn_text *text)
{
    QN_TRY(qn_text_append(text, "    const qn_work least = {.bytes_read = "));
    QN_TRY(write_bytes(code, kernel->reads, kernel->folds, text));
    QN_TRY(qn_text_append(text, ", .bytes_written = "));
    QN_TRY(write_bytes(code, kernel->writes, NULL, text));
    return qn_text_append(text, "};\n");
}

static qn_status write_list(const qn_code *code, int kernel, qn_text *text)
{
    const qn_emitted_kernel *of = &code->kernels[kernel];
    if (code->target->is_family) QN_TRY(write_work(code, &code->plan->kernels[kernel], text));
    QN_TRY(qn_text_append(text, "    %s", code->target->arguments_begin));
    for (int i = 0; i < of->argument_count; i++) {
        QN_TRY(qn_text_append(text, "%s\n        ", i > 0 ? "," : ""));
        QN_TRY(write_argument(code, &of->arguments[i], text));
    }
    return qn_text_append(text, "};\n    TRY(launch(plan, %d, groups, %d, %s));\n", kernel,
                          code->plan->kernels[kernel].layout.dimensions, code->target->arguments_end);
}

static qn_status write_loop(const qn_code *code, int kernel, qn_text *text)
{
    const qn_emitted_kernel *of = &code->kernels[kernel];
    QN_TRY(qn_text_append(text,
                          "    memory *const at = plan->at;\n"
                          "#pragma omp parallel for schedule(static) num_threads(plan->threads)\n"
                          "    for (int group = 0; group < groups; group++)\n"
                          "        %s(group%s",
                          of->name, qn_code_counts_groups(code->kernel_text.data, of->name) ? ", groups" : ""));
    for (int i = 0; i < of->argument_count; i++) {
        QN_TRY(qn_text_append(text, ", "));
        QN_TRY(write_argument(code, &of->arguments[i], text));
    }
    return qn_text_append(text, ");\n");
}

/* How many partial sums the kernel leaves, for those that add them up. */
static qn_status write_parts(const qn_code *code, int kernel, qn_text *text)
{
    for (int value = 0; value < code->graph->value_count; value++) {
        if (!code->plan->kernels[kernel].partial[value]) continue;
        const int slot = qn_code_slot_of(code, QN_EMITTED_SUMS, qn_plan_sums(code->plan, value));
        QN_TRY(qn_text_append(text, "    plan->parts[AT_%s] = groups;\n", code->slots[slot].name));
    }
    return QN_OK;
}

qn_status qn_code_write_launches(const qn_code *code, qn_text *text)
{
    for (int kernel = 0; kernel < code->plan->kernel_count; kernel++) {
        QN_TRY(qn_text_append(text, kernel > 0 ? "\n" : ""));
        QN_TRY(write_calls(code, &code->plan->kernels[kernel], text));
        QN_TRY(qn_text_append(text, "static int run_%d(%s_plan *plan)\n{\n    const int groups = ", kernel + 1,
                              code->graph->name));
        QN_TRY(qn_code_write_groups(code, kernel, text));
        QN_TRY(qn_text_append(text, ";\n"));
        QN_TRY(code->target->arguments_begin ? write_list(code, kernel, text) : write_loop(code, kernel, text));
        QN_TRY(write_parts(code, kernel, text));
        QN_TRY(qn_text_append(text, "    return %s_OK;\n}\n", code->upper));
    }
    return QN_OK;
}

/* ---- conditions ---- */

/* The tree in C, in double precision. */
static qn_status write_point(const qn_point *point, const char *const *names, qn_text *text)
{
    static const char *const functions[] = {"sqrt", "1 / sqrt", "exp",  "log",  "sin",  "cos", "floor",
                                            "rint", "fabs",     "fmin", "fmax", "fmin", "fmax"};
    static const char *const signs[] = {
        [QN_POINT_ADD] = "+", [QN_POINT_SUBTRACT] = "-", [QN_POINT_MULTIPLY] = "*", [QN_POINT_DIVIDE] = "/"};
    switch (point->kind) {
    case QN_POINT_NUMBER: return qn_text_append(text, "%.17g", point->number);
    case QN_POINT_INPUT: return qn_text_append(text, "(double)%s", names[point->slot]);
    case QN_POINT_NEGATE:
        QN_TRY(qn_text_append(text, "-("));
        QN_TRY(write_point(point->children[0], names, text));
        return qn_text_append(text, ")");
    case QN_POINT_WORD:
        if (point->slot >= (int)(sizeof functions / sizeof *functions))
            return QN_FAIL(QN_UNSUPPORTED, "a condition calls %s; expected another function",
                           qn_point_words[point->slot].name);
        QN_TRY(qn_text_append(text, "(%s(", functions[point->slot]));
        for (int i = 0; i < qn_point_words[point->slot].arity; i++) {
            QN_TRY(qn_text_append(text, i > 0 ? ", " : ""));
            QN_TRY(write_point(point->children[i], names, text));
        }
        return qn_text_append(text, "))");
    default: break;
    }
    QN_TRY(qn_text_append(text, "("));
    QN_TRY(write_point(point->children[0], names, text));
    QN_TRY(qn_text_append(text, " %s ", signs[point->kind]));
    QN_TRY(write_point(point->children[1], names, text));
    return qn_text_append(text, ")");
}

static qn_status write_condition(const qn_code *code, const qn_section *section, qn_text *text)
{
    const qn_condition *until = &section->until;
    char names[QN_CALL_INPUTS_MAX][16];
    const char *pointers[QN_CALL_INPUTS_MAX];
    QN_TRY(qn_text_append(text, "        if (round %% %d == 0) {\n", section->every));
    for (int i = 0; i < until->use_count; i++) {
        const int root = qn_plan_root(code->plan, until->uses[i].value);
        const int slot = qn_code_slot_of(code, QN_EMITTED_DATA, root);
        if (slot < 0) return QN_FAIL(QN_INTERNAL, "a condition reads what is not in memory");
        snprintf(names[i], sizeof names[i], "value_%d", i + 1);
        pointers[i] = names[i];
        QN_TRY(qn_text_append(
            text, "            float %s = 0; /* %s */\n            TRY(read_number(plan, AT_%s, &%s));\n", names[i],
            code->graph->values[until->uses[i].value].name, code->slots[slot].name, names[i]));
    }
    QN_TRY(qn_text_append(text, "            if ("));
    QN_TRY(write_point(until->left, pointers, text));
    QN_TRY(qn_text_append(text, until->less ? " < " : " > "));
    QN_TRY(write_point(until->right, pointers, text));
    return qn_text_append(text, ") break;\n        }\n");
}

bool qn_code_has_conditions(const qn_code *code)
{
    bool any = false;
    for (int section = 0; section < code->graph->section_count; section++)
        any |= code->graph->sections[section].has_until;
    return any;
}

/* ---- sections ---- */

bool qn_code_exchange_names(const qn_code *code, const qn_exchange *exchange, const char **one, const char **other)
{
    const qn_emitted_kind kind = exchange->are_sums ? QN_EMITTED_SUMS : QN_EMITTED_DATA;
    const int first = qn_code_slot_of(code, kind, exchange->one), second = qn_code_slot_of(code, kind, exchange->other);
    if (first < 0 || second < 0) return false;
    *one = code->slots[first].name;
    *other = code->slots[second].name;
    return true;
}

static qn_status write_exchanges(const qn_code *code, int section, bool before, const char *indent, qn_text *text)
{
    qn_exchange exchanges[QN_EXCHANGES_MAX];
    const int count = qn_plan_exchanges(code->plan, section, before, exchanges);
    for (int i = 0; i < count; i++) {
        const char *one, *other;
        if (qn_code_exchange_names(code, &exchanges[i], &one, &other))
            QN_TRY(qn_text_append(text, "%sexchange(plan, AT_%s, AT_%s);\n", indent, one, other));
    }
    return QN_OK;
}

/* The kernels of a section, once. */
static qn_status write_once(const qn_code *code, int section, const char *indent, qn_text *text)
{
    QN_TRY(write_exchanges(code, section, true, indent, text));
    for (int kernel = 0; kernel < code->plan->kernel_count; kernel++)
        if (code->plan->kernels[kernel].section == section)
            QN_TRY(qn_text_append(text, "%sTRY(run_%d(plan));\n", indent, kernel + 1));
    return write_exchanges(code, section, false, indent, text);
}

/* A loop whose body is a ring: `head` is the section of the early calls. */
static qn_status write_ring(const qn_code *code, int head, qn_text *text)
{
    const qn_section *section = &code->graph->sections[head];
    static const char indent[] = "            ";
    QN_TRY(qn_text_append(text, "        if (begins) { /* the early steps of a round */\n"));
    QN_TRY(write_once(code, head, indent, text));
    QN_TRY(qn_text_append(text, "        } else { /* the late steps of a round with the early steps of the next */\n"));
    QN_TRY(write_once(code, head + 1, indent, text));
    QN_TRY(qn_text_append(text, "        }\n        begins = round == plan->size_%s",
                          code->graph->extents[section->rounds].name));
    if (section->has_until) QN_TRY(qn_text_append(text, " || round %% %d == 0", section->every));
    QN_TRY(qn_text_append(text, ";\n        if (begins) { /* the late steps */\n"));
    QN_TRY(write_once(code, head + 2, indent, text));
    return qn_text_append(text, "        }\n");
}

static qn_status write_section(const qn_code *code, int number, qn_text *text)
{
    const qn_section *section = &code->graph->sections[number];
    if (!section->is_loop) return write_once(code, number, "    ", text);
    if (section->part > QN_SECTION_HEAD) return QN_OK;
    const bool is_ring = section->part == QN_SECTION_HEAD;
    if (is_ring) QN_TRY(qn_text_append(text, "    begins = true; /* a round that runs no ring */\n"));
    QN_TRY(qn_text_append(text, "    for (int32_t round = 1; round <= plan->size_%s; round++) {\n",
                          code->graph->extents[section->rounds].name));
    QN_TRY(is_ring ? write_ring(code, number, text) : write_once(code, number, "        ", text));
    QN_TRY(qn_text_append(text, "        rounds++;\n"));
    if (section->has_until) QN_TRY(write_condition(code, section, text));
    return qn_text_append(text, "    }\n");
}

/* ---- results ---- */

/* Whether the memory of a slot is exchanged. */
static bool is_exchanged(const qn_code *code, const char *name)
{
    qn_exchange exchanges[QN_EXCHANGES_MAX];
    bool any = false;
    for (int section = 0; section < 2 * code->graph->section_count; section++) {
        const int count = qn_plan_exchanges(code->plan, section / 2, section % 2 == 0, exchanges);
        for (int i = 0; i < count; i++) {
            const char *one, *other;
            if (qn_code_exchange_names(code, &exchanges[i], &one, &other))
                any |= !name || strcmp(one, name) == 0 || strcmp(other, name) == 0;
        }
    }
    return any;
}

/* Whether a result may lie in other memory than the user's at the end. */
static bool may_be_elsewhere(const qn_code *code, const qn_code_field *field)
{
    if (field->result < 0) return false;
    const char *name = data_name(code, field->result);
    return name && (qn_plan_root(code->plan, field->result) != field->value || is_exchanged(code, name));
}

bool qn_code_has_copies(const qn_code *code)
{
    bool any = false;
    for (int field = 0; field < code->field_count; field++) any |= may_be_elsewhere(code, &code->fields[field]);
    return any;
}

static qn_status write_copy(const qn_code *code, const qn_code_field *field, qn_text *text)
{
    const qn_graph *graph = code->graph;
    const qn_value *of = &graph->values[field->result];
    const char *name = data_name(code, field->result);
    QN_TRY(qn_text_append(text,
                          "    if (plan->at[AT_%s] != (memory)arguments->%s)\n"
                          "        TRY(copy(plan, plan->at[AT_%s], (memory)arguments->%s, ",
                          name, field->name, name, field->name));
    if (of->kind != QN_MATRIX)
        return qn_text_append(text, "plan->bytes[AT_%s], 1, plan->bytes[AT_%s]));\n", name, name);
    return qn_text_append(text, "4 * (size_t)plan->size_%s, (size_t)plan->size_%s, 4 * (size_t)plan->%.*s_step));\n",
                          graph->extents[of->extents[of->column ? 0 : 1]].name,
                          graph->extents[of->extents[of->column ? 1 : 0]].name, (int)(strlen(name) - strlen("_data")),
                          name);
}

/* Whether a loop, or one whose body is a ring, is among the sections. */
static bool has_part(const qn_code *code, qn_section_part least)
{
    bool any = false;
    for (int section = 0; section < code->graph->section_count; section++)
        any |= code->graph->sections[section].is_loop && code->graph->sections[section].part >= least;
    return any;
}

static qn_status write_exchange_function(const qn_code *code, qn_text *text)
{
    return qn_text_append(text,
                          "/* Two values, or their partial sums, exchange their memory. */\n"
                          "static void exchange(%s_plan *plan, int a, int b)\n{\n"
                          "    const memory kept = plan->at[a];\n"
                          "    const int32_t parts = plan->parts[a];\n"
                          "    plan->at[a] = plan->at[b], plan->parts[a] = plan->parts[b];\n"
                          "    plan->at[b] = kept, plan->parts[b] = parts;\n}\n\n",
                          code->graph->name);
}

qn_status qn_code_write_stages(const qn_code *code, qn_text *text)
{
    const bool any_loop = has_part(code, QN_SECTION_WHOLE);
    if (is_exchanged(code, NULL)) QN_TRY(write_exchange_function(code, text));
    QN_TRY(qn_text_append(text, "static int run_stages(%s_plan *plan, const %s_arguments *arguments)\n{\n",
                          code->graph->name, code->graph->name));
    if (any_loop) QN_TRY(qn_text_append(text, "    int64_t rounds = 0;\n"));
    if (has_part(code, QN_SECTION_HEAD)) QN_TRY(qn_text_append(text, "    bool begins;\n"));
    for (int section = 0; section < code->graph->section_count; section++) QN_TRY(write_section(code, section, text));
    if (any_loop) QN_TRY(qn_text_append(text, "    if (arguments->rounds) *arguments->rounds = rounds;\n"));
    for (int field = 0; field < code->field_count; field++)
        if (may_be_elsewhere(code, &code->fields[field])) QN_TRY(write_copy(code, &code->fields[field], text));
    if (!any_loop && !qn_code_has_copies(code)) QN_TRY(qn_text_append(text, "    (void)arguments;\n"));
    return qn_text_append(text, "    return %s_OK;\n}\n", code->upper);
}

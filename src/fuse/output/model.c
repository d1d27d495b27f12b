/* The memory of a plan: what users pass, and what the plan keeps itself. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "fuse/output/code.h"

void qn_code_safe_name(const char *name, char safe[QN_CODE_NAME_MAX])
{
    static const char words[] =
        " alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const constexpr "
        "const_cast continue default delete do double dynamic_cast else enum explicit export extern false float for "
        "friend goto if inline int long mutable namespace new not not_eq nullptr operator or or_eq private protected "
        "public register reinterpret_cast restrict return short signed sizeof static static_assert static_cast struct "
        "switch template this throw true try typedef typeid typename union unsigned using virtual void volatile "
        "wchar_t while xor xor_eq linux unix rounds ";
    char word[QN_CODE_NAME_MAX + 2];
    snprintf(word, sizeof word, " %.90s ", name);
    snprintf(safe, QN_CODE_NAME_MAX, "%.90s%s", name, strstr(words, word) ? "_" : "");
}

/* ---- fields ---- */

static void find_fields(qn_code *code)
{
    const qn_graph *graph = code->graph;
    for (int value = 0; value < graph->value_count; value++) {
        const qn_value *of = &graph->values[value];
        if ((!of->is_given && !of->is_result) || of->copy_of >= 0 || of->before_of >= 0) continue;
        int field = qn_code_field_of(code, value);
        if (field < 0) {
            field = code->field_count++;
            code->fields[field] = (qn_code_field){.value = value, .result = -1};
            qn_code_safe_name(of->name, code->fields[field].name);
        }
        if (of->is_result) code->fields[field].result = value;
    }
}

/* The value that another one replaces, or is a copy of. */
static int parent_of(const qn_value *value)
{
    return value->copy_of >= 0 ? value->copy_of : value->before_of >= 0 ? value->before_of : value->old;
}

int qn_code_field_of(const qn_code *code, int value)
{
    for (; value >= 0; value = parent_of(&code->graph->values[value]))
        for (int field = 0; field < code->field_count; field++)
            if (code->fields[field].value == value) return field;
    return -1;
}

/* ---- slots ---- */

int qn_code_slot_of(const qn_code *code, qn_emitted_kind kind, int of)
{
    for (int slot = 0; slot < code->slot_count; slot++)
        if (code->slots[slot].kind == kind && code->slots[slot].of == of) return slot;
    return -1;
}

static bool is_memory(qn_emitted_kind kind)
{
    return kind != QN_EMITTED_STEP && kind != QN_EMITTED_SIZE && kind != QN_EMITTED_PARTS;
}

static void add_slot(qn_code *code, qn_emitted_kind kind, int of, const char *name, bool is_written)
{
    int slot = qn_code_slot_of(code, kind, of);
    if (slot < 0) {
        slot = code->slot_count++;
        code->slots[slot] = (qn_code_slot){.kind = kind, .of = of, .field = -1};
        snprintf(code->slots[slot].name, sizeof code->slots[slot].name, "%s", name);
        for (int field = 0; field < code->field_count; field++)
            if (kind <= QN_EMITTED_COLUMNS && code->fields[field].value == of) code->slots[slot].field = field;
    }
    code->slots[slot].is_written |= is_written;
}

/* Add the values that a condition reads: a kernel need not read them. */
static void add_condition(qn_code *code, const qn_condition *condition)
{
    for (int i = 0; i < condition->use_count; i++) {
        char name[QN_CODE_NAME_MAX];
        const int root = qn_plan_root(code->plan, condition->uses[i].value);
        snprintf(name, sizeof name, "%.70s_data", code->graph->values[root].name);
        add_slot(code, QN_EMITTED_DATA, root, name, false);
    }
}

/* Add the memory of exchanges: its partner is memory of kernels. */
static void add_exchanges(qn_code *code, int section, bool before)
{
    qn_exchange exchanges[QN_EXCHANGES_MAX];
    const int count = qn_plan_exchanges(code->plan, section, before, exchanges);
    for (int i = 0; i < count; i++) {
        const qn_emitted_kind kind = exchanges[i].are_sums ? QN_EMITTED_SUMS : QN_EMITTED_DATA;
        const bool one = qn_code_slot_of(code, kind, exchanges[i].one) >= 0,
                   other = qn_code_slot_of(code, kind, exchanges[i].other) >= 0;
        char name[QN_CODE_NAME_MAX];
        if (one == other) continue;
        const int missing = one ? exchanges[i].other : exchanges[i].one;
        snprintf(name, sizeof name, "kept_%d_%s", missing, exchanges[i].are_sums ? "sums" : "data");
        add_slot(code, kind, missing, name, true);
    }
}

/* Mark values that are replaced or made: by kernels, by an exchange of memory, or by a copy at the end. */
static void mark_results(qn_code *code)
{
    for (int field = 0; field < code->field_count; field++) {
        const int slot = qn_code_slot_of(code, QN_EMITTED_DATA, code->fields[field].value);
        if (slot >= 0 && code->fields[field].result >= 0) code->slots[slot].is_written = true;
    }
}

static qn_status check_names(const qn_code *code)
{
    for (int field = 0; field < code->field_count; field++) {
        char derived[QN_CODE_NAME_MAX + 8];
        snprintf(derived, sizeof derived, "%s_step", code->fields[field].name);
        for (int other = 0; other < code->field_count; other++)
            if (strcmp(code->fields[other].name, derived) == 0 ||
                (other < field && strcmp(code->fields[other].name, code->fields[field].name) == 0))
                return QN_FAIL(QN_UNSUPPORTED, "%s: the names %s and %s meet in C; expected others", code->graph->name,
                               code->graph->values[code->fields[field].value].name,
                               code->graph->values[code->fields[other].value].name);
    }
    return QN_OK;
}

qn_status qn_code_find_memory(qn_code *code)
{
    find_fields(code);
    for (int kernel = 0; kernel < code->plan->kernel_count; kernel++)
        for (int i = 0; i < code->kernels[kernel].argument_count; i++) {
            const qn_emitted_argument *own = &code->kernels[kernel].arguments[i];
            if (is_memory(own->kind)) add_slot(code, own->kind, own->of, own->name, own->access != QN_IN);
        }
    for (int section = 0; section < code->graph->section_count; section++)
        if (code->graph->sections[section].has_until) add_condition(code, &code->graph->sections[section].until);
    for (int section = 0; section < 2 * code->graph->section_count; section++)
        add_exchanges(code, section / 2, section % 2 == 0);
    mark_results(code);
    return check_names(code);
}

#include "expression/expression.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "expression/tree.h"

enum { LONGEST = 1 << 20 };

qn_status qn_expression_create_with_lists(const char *text, const char *what, const char *const *names,
                                          size_t name_count, const qn_expression_list *lists, size_t list_count,
                                          qn_expression **expression)
{
    void *memory;
    *expression = NULL;
    if (strlen(text) > LONGEST)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s has %zu characters; expected at most %d", what, strlen(text), LONGEST);
    QN_TRY(qn_allocate(1, sizeof **expression, &memory));
    qn_expression *created = memory;
    created->name_count = name_count;
    qn_status status = qn_text_copy(text, &created->text);
    if (status == QN_OK) status = qn_text_copy(what, &created->what);
    if (status == QN_OK) status = qn_tree_read(created, names, name_count, lists, list_count);
    if (status == QN_OK)
        *expression = created;
    else
        qn_expression_destroy(&created);
    return status;
}

qn_status qn_expression_create(const char *text, const char *what, const char *const *names, size_t name_count,
                               qn_expression **expression)
{
    return qn_expression_create_with_lists(text, what, names, name_count, NULL, 0, expression);
}

void qn_expression_destroy(qn_expression **expression)
{
    qn_expression *e = *expression;
    if (!e) return;
    qn_release(&e->text);
    qn_release(&e->what);
    qn_release(&e->literals);
    qn_release(&e->nodes);
    qn_release(&e->lists);
    qn_release(&e->parts);
    qn_release(&e->uses);
    qn_release(expression);
}

const char *qn_expression_text(const qn_expression *expression)
{
    return expression->text;
}

bool qn_expression_uses(const qn_expression *expression, size_t name)
{
    for (size_t i = 0; i < expression->part_count; i++)
        if (qn_expression_part_uses(expression, i, name)) return true;
    return false;
}

qn_status qn_expression_evaluate(const qn_expression *expression, const qn_value *values, qn_value *result)
{
    return qn_tree_evaluate(expression, expression->root, values, result);
}

static bool is_true(const qn_value *value)
{
    switch (value->kind) {
    case QN_INTEGER: return value->as.integer != 0;
    case QN_REAL: return value->as.real != 0;
    case QN_BOOLEAN: return value->as.boolean;
    case QN_TEXT: return value->as.text[0] != 0;
    }
    return false;
}

qn_status qn_expression_holds(const qn_expression *expression, const qn_value *values, bool *holds)
{
    qn_value value;
    QN_TRY(qn_tree_evaluate(expression, expression->root, values, &value));
    *holds = is_true(&value);
    return QN_OK;
}

size_t qn_expression_part_count(const qn_expression *expression)
{
    return expression->part_count;
}

bool qn_expression_part_uses(const qn_expression *expression, size_t part, size_t name)
{
    return expression->uses[part * expression->name_count + name];
}

qn_status qn_expression_part_holds(const qn_expression *expression, size_t part, const qn_value *values, bool *holds)
{
    qn_value value;
    QN_TRY(qn_tree_evaluate(expression, expression->parts[part], values, &value));
    *holds = is_true(&value);
    return QN_OK;
}

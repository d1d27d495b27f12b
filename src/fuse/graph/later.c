/* Names that are read before the script assigns them: too early, or in a cycle of steps that need each other. */
#include <string.h>

#include "fuse/graph/lower.h"

static bool assigns(const qn_script_item *item, const char *name, bool is_next)
{
    if (item->kind != QN_ITEM_ASSIGN || item->is_next != is_next) return false;
    for (size_t i = 0; i < item->name_count; i++)
        if (strcmp(item->names[i].text, name) == 0) return true;
    return false;
}

/* The assignment of a name in a list of items and in the loops among them; NULL: none. */
static const qn_script_item *find_assignment(const qn_script_item *items, const char *name, bool is_next)
{
    for (const qn_script_item *item = items; item; item = item->following) {
        const qn_script_item *found = item->kind == QN_ITEM_REPEAT ? find_assignment(item->body, name, is_next) : NULL;
        if (found) return found;
        if (assigns(item, name, is_next)) return item;
    }
    return NULL;
}

/* A search along what assignments need. */
typedef struct search {
    const qn_script *script;
    const qn_script_item *wanted;
    const qn_script_item *seen[QN_SYMBOLS_MAX]; /* a script with more has no graph */
    int count;
} search;

/* Whether an expression needs what `wanted` assigns, itself or by assignments that come after that. */
static bool needs(search *of, const qn_script_expr *expr)
{
    for (size_t i = 0; i < expr->child_count; i++)
        if (needs(of, &expr->children[i])) return true;
    if (expr->kind != QN_EXPR_NAME) return false;
    const qn_script_item *item = find_assignment(of->script->items, expr->name, expr->is_next);
    if (item == of->wanted) return true;
    if (!item || item->offset < of->wanted->offset || of->count == QN_SYMBOLS_MAX) return false;
    for (int i = 0; i < of->count; i++)
        if (of->seen[i] == item) return false;
    of->seen[of->count++] = item;
    return needs(of, &item->expr);
}

qn_status qn_name_check_later(const qn_lowering *lowering, const qn_script_expr *expr)
{
    const qn_source *source = lowering->graph->source;
    const qn_script_item *item = find_assignment(lowering->script->items, expr->name, expr->is_next);
    search of = {.script = lowering->script, .wanted = lowering->item};
    const char *next = expr->is_next ? "next " : "";
    int line, column;
    if (!item || !lowering->item) return QN_OK;
    qn_source_place(source, item->offset, &line, &column);
    if (item == lowering->item)
        return QN_SOURCE_FAIL(source, expr->offset,
                              "found \"%s%s\" in its own assignment, a cycle; expected values that are known before",
                              next, expr->name);
    if (item->offset < expr->offset) return QN_OK;
    if (needs(&of, &item->expr))
        return QN_SOURCE_FAIL(
            source, expr->offset,
            "found \"%s%s\", which line %d makes of \"%s%s\", a cycle; expected values that are known "
            "before",
            next, expr->name, line, lowering->item->is_next ? "next " : "", lowering->item->names[0].text);
    return QN_SOURCE_FAIL(source, expr->offset,
                          "found \"%s%s\" before line %d assigns it; expected its assignment first", next, expr->name,
                          line);
}

#include "selection/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

void qn_selection_term_clear(qn_selection_term *term)
{
    for (size_t i = 0; i < term->pattern_count; i++) qn_release(&term->patterns[i]);
    qn_release(&term->patterns);
    qn_release(&term->ranges);
    qn_release(&term->children);
    *term = (qn_selection_term){0};
}

void qn_selection_tree_clear(qn_selection_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) qn_selection_term_clear(&tree->terms[i]);
    qn_release(&tree->terms);
    *tree = (qn_selection_tree){0};
}

qn_status qn_selection_tree_add(qn_selection_tree *tree, qn_selection_kind kind, int what, int *number)
{
    void *terms = tree->terms;
    qn_status status = qn_grow(&terms, &tree->capacity, tree->count + 1, sizeof *tree->terms);
    tree->terms = terms;
    QN_TRY(status);
    *number = (int)tree->count;
    tree->terms[tree->count++] = (qn_selection_term){.kind = kind, .what = what};
    return QN_OK;
}

static qn_status add_child(qn_selection_term *term, int child)
{
    void *children = term->children;
    qn_status status = qn_grow(&children, &term->child_capacity, term->child_count + 1, sizeof *term->children);
    term->children = children;
    if (status == QN_OK) term->children[term->child_count++] = child;
    return status;
}

/* Takes ownership of the pattern on success. */
static qn_status add_pattern(qn_selection_term *term, char *pattern)
{
    void *patterns = term->patterns;
    qn_status status = qn_grow(&patterns, &term->pattern_capacity, term->pattern_count + 1, sizeof *term->patterns);
    term->patterns = patterns;
    if (status == QN_OK) term->patterns[term->pattern_count++] = pattern;
    return status;
}

static qn_status add_range(qn_selection_term *term, qn_selection_range range)
{
    void *ranges = term->ranges;
    qn_status status = qn_grow(&ranges, &term->range_capacity, term->range_count + 1, sizeof *term->ranges);
    term->ranges = ranges;
    if (status == QN_OK) term->ranges[term->range_count++] = range;
    return status;
}

qn_status qn_selection_tree_add_child(qn_selection_tree *tree, int term, int child)
{
    return add_child(&tree->terms[term], child);
}

qn_status qn_selection_tree_add_pattern(qn_selection_tree *tree, int term, const char *pattern)
{
    char *copy;
    QN_TRY(qn_text_copy(pattern, &copy));
    qn_status status = add_pattern(&tree->terms[term], copy);
    if (status != QN_OK) qn_release(&copy);
    return status;
}

qn_status qn_selection_tree_add_range(qn_selection_tree *tree, int term, double first, double last)
{
    /* + 0.0 turns -0 into 0 */
    return add_range(&tree->terms[term], (qn_selection_range){first + 0.0, last + 0.0});
}

/* ---- Normal form ---- */

static int compare_patterns(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int compare_ranges(const void *a, const void *b)
{
    const qn_selection_range *first = a, *second = b;
    return (first->first > second->first) - (first->first < second->first);
}

static void sort_patterns(qn_selection_term *term)
{
    size_t kept = 0;
    if (term->pattern_count) qsort(term->patterns, term->pattern_count, sizeof *term->patterns, compare_patterns);
    for (size_t i = 0; i < term->pattern_count; i++)
        if (kept && strcmp(term->patterns[kept - 1], term->patterns[i]) == 0)
            qn_release(&term->patterns[i]);
        else
            term->patterns[kept++] = term->patterns[i];
    term->pattern_count = kept;
}

/* Sort ranges, and merge ranges that overlap and ranges of whole numbers that touch. Residue numbers never touch: 3A
 * may lie between 3 and 4. */
static void sort_ranges(qn_selection_term *term)
{
    bool whole = term->what == QN_PROPERTY_RESIDUE || term->what == QN_PROPERTY_MOLECULE ||
                 term->what == QN_PROPERTY_FRAGMENT || term->what == QN_PROPERTY_INDEX;
    size_t kept = 0;
    if (term->range_count) qsort(term->ranges, term->range_count, sizeof *term->ranges, compare_ranges);
    for (size_t i = 0; i < term->range_count; i++) {
        qn_selection_range *last = kept ? &term->ranges[kept - 1] : NULL, range = term->ranges[i];
        if (!last || range.first > last->last + (whole ? 1 : 0))
            term->ranges[kept++] = range;
        else if (range.last > last->last)
            last->last = range.last;
    }
    term->range_count = kept;
}

/* The term that is left of term `number` after pairs of `not` are removed. */
static int without_double_not(const qn_selection_tree *tree, int number)
{
    for (;;) {
        const qn_selection_term *term = &tree->terms[number];
        if (term->kind != QN_SELECTION_NOT || tree->terms[term->children[0]].kind != QN_SELECTION_NOT) return number;
        number = tree->terms[term->children[0]].children[0];
    }
}

/* Add the children of `from` to `into`; a child of the same kind is replaced by its own children. */
static qn_status flatten(qn_selection_tree *tree, int from, qn_selection_term *into)
{
    const qn_selection_term *term = &tree->terms[from];
    qn_status status = QN_OK;
    for (size_t i = 0; i < term->child_count && status == QN_OK; i++) {
        int child = without_double_not(tree, term->children[i]);
        if (tree->terms[child].kind == into->kind)
            status = flatten(tree, child, into);
        else
            status = add_child(into, child);
    }
    return status;
}

static qn_status move_lists(qn_selection_term *from, qn_selection_term *into)
{
    qn_status status = QN_OK;
    for (size_t i = 0; i < from->range_count && status == QN_OK; i++) status = add_range(into, from->ranges[i]);
    while (from->pattern_count && status == QN_OK) {
        status = add_pattern(into, from->patterns[from->pattern_count - 1]);
        if (status == QN_OK) from->pattern_count--;
    }
    return status;
}

/* Merge lists of one property: `name CA or name CB` becomes `name CA CB`. */
static qn_status merge_lists(qn_selection_tree *tree, qn_selection_term *either)
{
    int first_of[2][QN_PROPERTY_COUNT]; /* [0] of numbers, [1] of texts: child + 1; 0: none */
    size_t kept = 0;
    memset(first_of, 0, sizeof first_of);
    for (size_t i = 0; i < either->child_count; i++) {
        qn_selection_term *child = &tree->terms[either->children[i]];
        bool text = child->kind == QN_SELECTION_TEXT;
        int *first = text || child->kind == QN_SELECTION_NUMBER ? &first_of[text][child->what] : NULL;
        if (first && *first) {
            QN_TRY(move_lists(child, &tree->terms[*first - 1]));
            continue;
        }
        if (first) *first = either->children[i] + 1;
        either->children[kept++] = either->children[i];
    }
    either->child_count = kept;
    return QN_OK;
}

static qn_status normalise(qn_selection_tree *tree, int number)
{
    qn_status status = QN_OK;
    qn_selection_kind kind = tree->terms[number].kind;
    if (tree->terms[number].normal) return QN_OK;
    if (kind == QN_SELECTION_AND || kind == QN_SELECTION_OR) {
        qn_selection_term flat = {.kind = kind};
        status = flatten(tree, number, &flat);
        if (status == QN_OK && kind == QN_SELECTION_OR) status = merge_lists(tree, &flat);
        qn_selection_term_clear(&tree->terms[number]);
        tree->terms[number] = flat;
    }
    qn_selection_term *term = &tree->terms[number];
    term->normal = true;
    for (size_t i = 0; i < term->child_count && status == QN_OK; i++) {
        term->children[i] = without_double_not(tree, term->children[i]);
        status = normalise(tree, term->children[i]);
    }
    sort_patterns(term);
    sort_ranges(term);
    return status;
}

qn_status qn_selection_tree_normalise(qn_selection_tree *tree)
{
    tree->root = without_double_not(tree, tree->root);
    return normalise(tree, tree->root);
}

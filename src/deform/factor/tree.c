#include "deform/factor/tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { NONE = UINT32_MAX };

/* Columns of single nodes, in a postorder of the elimination tree. Rows of a column are places in that order. */
typedef struct columns {
    size_t count;
    uint32_t *order, *place; /* node of a place, place of a node */
    uint32_t *parent;
    size_t *start; /* count + 1 */
    uint32_t *row; /* not sorted */
    size_t row_room;
    uint32_t *head, *next, *mark; /* scratch */
} columns;

/* A supernode while supernodes are joined: counts are freedoms. */
typedef struct group {
    uint32_t first, end; /* columns of the topmost part */
    uint32_t parent;     /* group of the parent before joining */
    uint32_t joined;     /* group that has taken this one; itself if none */
    double width, below, zeros;
} group;

static void columns_release(columns *c)
{
    qn_release(&c->order);
    qn_release(&c->place);
    qn_release(&c->parent);
    qn_release(&c->start);
    qn_release(&c->row);
    qn_release(&c->head);
    qn_release(&c->next);
    qn_release(&c->mark);
}

static qn_status allocate_words(size_t count, uint32_t **words)
{
    void *memory;
    QN_TRY(qn_allocate(count, sizeof(uint32_t), &memory));
    *words = memory;
    return QN_OK;
}

static qn_status columns_allocate(size_t count, columns *c)
{
    void *memory;
    c->count = count;
    QN_TRY(allocate_words(count, &c->order));
    QN_TRY(allocate_words(count, &c->place));
    QN_TRY(allocate_words(count, &c->parent));
    QN_TRY(allocate_words(count, &c->head));
    QN_TRY(allocate_words(count, &c->next));
    QN_TRY(allocate_words(count, &c->mark));
    QN_TRY(qn_allocate(count + 1, sizeof(size_t), &memory));
    c->start = memory;
    return QN_OK;
}

/* Liu's algorithm with path compression: parent[j] is the first row below the diagonal of column j. */
static void find_parents(const qn_factor_graph *graph, columns *c)
{
    uint32_t *ancestor = c->head;
    for (size_t j = 0; j < c->count; j++) {
        const uint32_t node = c->order[j];
        c->parent[j] = ancestor[j] = NONE;
        for (uint32_t e = graph->start[node]; e < graph->start[node + 1]; e++) {
            uint32_t i = c->place[graph->neighbour[e]];
            while (i < j) {
                const uint32_t above = ancestor[i];
                ancestor[i] = (uint32_t)j;
                if (above == NONE) c->parent[i] = (uint32_t)j;
                i = above == NONE ? (uint32_t)j : above;
            }
        }
    }
}

/* Lists of children, in ascending order: head of each parent, next of each child. Returns the list of roots. */
static uint32_t list_children(const uint32_t *parent, size_t count, uint32_t *head, uint32_t *next)
{
    uint32_t roots = NONE;
    for (size_t j = 0; j < count; j++) head[j] = NONE;
    for (size_t j = count; j-- > 0;) {
        uint32_t *list = parent[j] == NONE ? &roots : &head[parent[j]];
        next[j] = *list;
        *list = (uint32_t)j;
    }
    return roots;
}

/* sequence[k]: the k-th vertex of a postorder of a forest. `head` is used up; `stack` has room for every vertex. */
static void find_postorder(uint32_t roots, uint32_t *head, const uint32_t *next, uint32_t *stack, uint32_t *sequence)
{
    size_t depth = 0, done = 0;
    for (uint32_t root = roots; root != NONE; root = next[root]) {
        stack[depth++] = root;
        while (depth > 0) {
            const uint32_t top = stack[depth - 1], child = head[top];
            if (child == NONE) {
                sequence[done++] = top;
                depth--;
            } else {
                head[top] = next[child];
                stack[depth++] = child;
            }
        }
    }
}

/* Renumber the columns in a postorder. */
static qn_status put_in_postorder(columns *c)
{
    uint32_t *sequence = NULL, *renumbered = NULL;
    qn_status status = allocate_words(c->count, &sequence);
    if (status == QN_OK) status = allocate_words(2 * c->count, &renumbered);
    if (status == QN_OK) {
        uint32_t *number = renumbered, *order = renumbered + c->count;
        const uint32_t roots = list_children(c->parent, c->count, c->head, c->next);
        find_postorder(roots, c->head, c->next, c->mark, sequence);
        for (size_t k = 0; k < c->count; k++) number[sequence[k]] = (uint32_t)k;
        for (size_t k = 0; k < c->count; k++) {
            const uint32_t above = c->parent[sequence[k]];
            order[k] = c->order[sequence[k]];
            c->head[k] = above == NONE ? NONE : number[above];
        }
        memcpy(c->parent, c->head, c->count * sizeof(uint32_t));
        memcpy(c->order, order, c->count * sizeof(uint32_t));
        for (size_t k = 0; k < c->count; k++) c->place[c->order[k]] = (uint32_t)k;
    }
    qn_release(&sequence);
    qn_release(&renumbered);
    return status;
}

static qn_status add_row(columns *c, size_t column, uint32_t row)
{
    if (row <= column || c->mark[row] == column) return QN_OK;
    c->mark[row] = (uint32_t)column;
    if (c->start[column + 1] == c->row_room) {
        void *memory = c->row;
        const qn_status status = qn_grow(&memory, &c->row_room, c->start[column + 1] + 1, sizeof(uint32_t));
        c->row = memory;
        QN_TRY(status);
    }
    c->row[c->start[column + 1]++] = row;
    return QN_OK;
}

/* Rows of column j: those of the matrix and those of its children, below j. */
static qn_status find_rows(const qn_factor_graph *graph, columns *c)
{
    list_children(c->parent, c->count, c->head, c->next);
    for (size_t j = 0; j < c->count; j++) c->mark[j] = NONE;
    c->start[0] = 0;
    for (size_t j = 0; j < c->count; j++) {
        const uint32_t node = c->order[j];
        c->start[j + 1] = c->start[j];
        for (uint32_t e = graph->start[node]; e < graph->start[node + 1]; e++)
            QN_TRY(add_row(c, j, c->place[graph->neighbour[e]]));
        for (uint32_t child = c->head[j]; child != NONE; child = c->next[child])
            for (size_t e = c->start[child]; e < c->start[child + 1]; e++) QN_TRY(add_row(c, j, c->row[e]));
    }
    return QN_OK;
}

static double row_freedoms(const qn_factor_graph *graph, const columns *c, size_t column)
{
    double sum = 0;
    for (size_t e = c->start[column]; e < c->start[column + 1]; e++) sum += graph->weight[c->order[c->row[e]]];
    return sum;
}

/* Fundamental supernodes: column j + 1 goes on where j ends. `owner`: the group of each column. */
static size_t find_groups(const qn_factor_graph *graph, const columns *c, group *groups, uint32_t *owner)
{
    size_t count = 0;
    for (size_t j = 0; j < c->count; j++) {
        const size_t rows = c->start[j + 1] - c->start[j];
        const bool goes_on = j > 0 && c->parent[j - 1] == j && c->start[j] - c->start[j - 1] == rows + 1;
        if (!goes_on) groups[count++] = (group){.first = (uint32_t)j};
        group *own = &groups[count - 1];
        own->end = (uint32_t)j + 1;
        own->width += graph->weight[c->order[j]];
        owner[j] = (uint32_t)count - 1;
    }
    for (size_t s = 0; s < count; s++) {
        const uint32_t last = groups[s].end - 1;
        groups[s].joined = (uint32_t)s;
        groups[s].below = row_freedoms(graph, c, last);
        groups[s].parent = c->parent[last] == NONE ? NONE : owner[c->parent[last]];
    }
    return count;
}

/* Whether a supernode of `width` columns may have this share of zeros among its values. Wide ones work at the speed of
 * dense matrices, narrow ones lose more by their own number than by zeros. The shares were measured on livers. */
static bool allows_zeros(double width, double share)
{
    return width <= 192 && share <= (width <= 16 ? 0.4 : width <= 32 ? 0.2 : width <= 96 ? 0.1 : 0.05);
}

/* Join children with their parents where few zeros arise; children's rows are among the parent's columns and rows. */
static void join_groups(group *groups, size_t count)
{
    for (size_t s = 0; s < count; s++) {
        group *child = &groups[s];
        if (child->parent == NONE) continue;
        group *parent = &groups[child->parent]; /* comes later, so nothing has taken it yet */
        const double width = child->width + parent->width;
        const double zeros =
            child->zeros + parent->zeros + child->width * (parent->width + parent->below - child->below);
        const double values = width * (width + 1) / 2 + width * parent->below;
        if (!allows_zeros(width, zeros / values)) continue;
        child->joined = child->parent;
        parent->width = width;
        parent->zeros = zeros;
    }
}

static uint32_t top_of(const group *groups, uint32_t s)
{
    while (groups[s].joined != s) s = groups[s].joined;
    return s;
}

static int compare_words(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Supernodes in postorder of the joined groups: `sequence` lists the `count` topmost groups. */
static void number_supernodes(const columns *c, const group *groups, size_t group_count, const uint32_t *sequence,
                              uint32_t *number, qn_factor_tree *tree)
{
    for (size_t s = 0; s < tree->count; s++) number[sequence[s]] = (uint32_t)s;
    memset(tree->first_node, 0, (tree->count + 1) * sizeof(uint32_t));
    for (uint32_t g = 0; g < group_count; g++)
        tree->first_node[number[top_of(groups, g)] + 1] += groups[g].end - groups[g].first;
    for (size_t s = 0; s < tree->count; s++) tree->first_node[s + 1] += tree->first_node[s];
    /* Parts of a supernode stand in ascending order, children first. */
    for (uint32_t g = 0; g < group_count; g++) {
        const uint32_t s = number[top_of(groups, g)];
        for (uint32_t j = groups[g].first; j < groups[g].end; j++) tree->order[tree->first_node[s]++] = c->order[j];
    }
    for (size_t s = tree->count; s > 0; s--) tree->first_node[s] = tree->first_node[s - 1];
    tree->first_node[0] = 0;
}

static qn_status collect_rows(const columns *c, const group *groups, const uint32_t *sequence, const uint32_t *number,
                              uint32_t *place, qn_factor_tree *tree)
{
    for (size_t k = 0; k < tree->node_count; k++) place[tree->order[k]] = (uint32_t)k;
    for (size_t s = 0; s < tree->count; s++) {
        const group *own = &groups[sequence[s]];
        tree->row_start[s + 1] = tree->row_start[s] + c->start[own->end] - c->start[own->end - 1];
        tree->parent[s] = own->parent == NONE ? NONE : number[top_of(groups, own->parent)];
    }
    QN_TRY(allocate_words(tree->row_start[tree->count], &tree->row));
    for (size_t s = 0; s < tree->count; s++) {
        const uint32_t *from = c->row + c->start[groups[sequence[s]].end - 1];
        uint32_t *to = tree->row + tree->row_start[s];
        const size_t rows = tree->row_start[s + 1] - tree->row_start[s];
        for (size_t i = 0; i < rows; i++) to[i] = place[c->order[from[i]]];
        if (rows > 0) qsort(to, rows, sizeof *to, compare_words);
    }
    return QN_OK;
}

static qn_status tree_allocate(size_t nodes, size_t count, qn_factor_tree *tree)
{
    void *memory;
    tree->node_count = nodes;
    tree->count = count;
    QN_TRY(allocate_words(nodes, &tree->order));
    QN_TRY(allocate_words(count + 1, &tree->first_node));
    QN_TRY(allocate_words(count, &tree->parent));
    QN_TRY(qn_allocate(count + 1, sizeof(size_t), &memory));
    tree->row_start = memory;
    return QN_OK;
}

/* Topmost groups in postorder into `sequence`; `words` has room for four times as many. Returns their number. */
static size_t order_groups(const group *groups, size_t count, uint32_t *words, uint32_t *sequence)
{
    uint32_t *parent = words, *head = words + count, *next = words + 2 * count, *number = words + 3 * count;
    size_t tops = 0;
    for (uint32_t g = 0; g < count; g++)
        if (groups[g].joined == g) {
            sequence[tops] = g;
            number[g] = (uint32_t)tops++;
        }
    for (size_t t = 0; t < tops; t++) {
        const uint32_t above = groups[sequence[t]].parent;
        parent[t] = above == NONE ? NONE : number[top_of(groups, above)];
    }
    const uint32_t roots = list_children(parent, tops, head, next);
    find_postorder(roots, head, next, number, parent);
    memcpy(number, sequence, tops * sizeof(uint32_t));
    for (size_t t = 0; t < tops; t++) sequence[t] = number[parent[t]];
    return tops;
}

static qn_status make_supernodes(const qn_factor_graph *graph, columns *c, qn_factor_tree *tree)
{
    void *memory = NULL;
    uint32_t *words = NULL, *sequence = NULL;
    qn_status status = qn_allocate(c->count, sizeof(group), &memory);
    group *groups = memory;
    if (status == QN_OK) status = allocate_words(4 * c->count, &words);
    if (status == QN_OK) status = allocate_words(c->count, &sequence);
    if (status == QN_OK) {
        const size_t count = find_groups(graph, c, groups, words);
        join_groups(groups, count);
        const size_t tops = order_groups(groups, count, words, sequence);
        status = tree_allocate(c->count, tops, tree);
        if (status == QN_OK) {
            number_supernodes(c, groups, count, sequence, words, tree);
            status = collect_rows(c, groups, sequence, words, c->mark, tree);
        }
    }
    qn_release(&groups);
    qn_release(&words);
    qn_release(&sequence);
    return status;
}

qn_status qn_factor_tree_create(const qn_factor_graph *graph, const uint32_t *order, qn_factor_tree *tree)
{
    columns c = {0};
    *tree = (qn_factor_tree){0};
    qn_status status = columns_allocate(graph->node_count, &c);
    if (status == QN_OK) {
        memcpy(c.order, order, c.count * sizeof(uint32_t));
        for (size_t k = 0; k < c.count; k++) c.place[order[k]] = (uint32_t)k;
        find_parents(graph, &c);
        status = put_in_postorder(&c);
    }
    if (status == QN_OK) status = find_rows(graph, &c);
    if (status == QN_OK) status = make_supernodes(graph, &c, tree);
    columns_release(&c);
    if (status == QN_OK) status = qn_factor_tree_align(tree);
    if (status != QN_OK) qn_factor_tree_release(tree);
    return status;
}

void qn_factor_tree_release(qn_factor_tree *tree)
{
    qn_release(&tree->order);
    qn_release(&tree->first_node);
    qn_release(&tree->parent);
    qn_release(&tree->row_start);
    qn_release(&tree->row);
}

/* The network: terms become nodes, and equal terms become the same node. Nodes that need no positions are evaluated
 * when they are added. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "selection/network.h"

qn_status qn_selections_create(const qn_topology *topology, double length_unit_nm, bool periodic,
                               qn_selections **selections)
{
    void *memory;
    *selections = NULL;
    QN_TRY(qn_allocate(1, sizeof **selections, &memory));
    *selections = memory;
    **selections = (qn_selections){.topology = topology, .length_unit_nm = length_unit_nm, .periodic = periodic};
    return QN_OK;
}

void qn_selections_destroy(qn_selections **selections)
{
    qn_selections *s = *selections;
    if (!s) return;
    for (size_t i = 0; i < s->node_count; i++) {
        qn_selection_term_clear(&s->nodes[i].term);
        qn_release(&s->nodes[i].key);
        qn_release(&s->nodes[i].set);
        qn_release(&s->nodes[i].atoms);
    }
    qn_release(&s->nodes);
    for (int i = 0; i < QN_PROPERTY_COUNT; i++) {
        qn_release(&s->labels[i].of_atom);
        qn_release(&s->labels[i].example);
    }
    for (size_t i = 0; i < s->file_count; i++) qn_index_file_destroy(&s->files[i]);
    qn_release(&s->files);
    qn_release(&s->groups);
    qn_release(&s->group_atoms);
    qn_release(selections);
}

/* ---- Groups ---- */

/* Rebuild the table of the groups of all files. */
static qn_status list_groups(qn_selections *s)
{
    size_t count = 0;
    void *names, *atoms;
    for (size_t i = 0; i < s->file_count; i++) count += s->files[i]->count;
    QN_TRY(qn_allocate(count, sizeof *s->groups, &names));
    qn_status status = qn_allocate(count, sizeof *s->group_atoms, &atoms);
    if (status != QN_OK) {
        qn_release(&names);
        return status;
    }
    qn_release(&s->groups);
    qn_release(&s->group_atoms);
    s->groups = names;
    s->group_atoms = atoms;
    s->group_count = 0;
    for (size_t i = 0; i < s->file_count; i++)
        for (size_t k = 0; k < s->files[i]->count; k++) {
            const qn_index_group *group = &s->files[i]->groups[k];
            s->groups[s->group_count] =
                (qn_selection_group_name){.name = group->name, .path = s->files[i]->path, .line = group->line};
            s->group_atoms[s->group_count++] = group;
        }
    return QN_OK;
}

qn_status qn_selections_add_index_file(qn_selections *selections, const char *path)
{
    qn_index_file *file;
    QN_TRY(qn_index_file_read(path, selections->topology->atom_count, &file));
    void *files = selections->files;
    qn_status status =
        qn_grow(&files, &selections->file_capacity, selections->file_count + 1, sizeof *selections->files);
    selections->files = files;
    if (status != QN_OK) {
        qn_index_file_destroy(&file);
        return status;
    }
    selections->files[selections->file_count++] = file;
    status = list_groups(selections);
    if (status != QN_OK) qn_index_file_destroy(&selections->files[--selections->file_count]);
    return status;
}

static bool groups_agree(const void *user, size_t first, size_t second)
{
    const qn_selections *s = user;
    const qn_index_group *a = s->group_atoms[first], *b = s->group_atoms[second];
    return a->count == b->count && (a->count == 0 || memcmp(a->atoms, b->atoms, a->count * sizeof *a->atoms) == 0);
}

/* ---- Nodes ---- */

/* FNV-1a, to compare keys quickly. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

/* Make the key of a term whose children are nodes; different terms have different keys. */
static qn_status make_key(const qn_selection_term *term, qn_text *key)
{
    QN_TRY(qn_text_append(key, "%d %d %a", (int)term->kind, term->what, term->radius_nm));
    for (size_t i = 0; i < term->child_count; i++) QN_TRY(qn_text_append(key, " #%d", term->children[i]));
    for (size_t i = 0; i < term->pattern_count; i++)
        QN_TRY(qn_text_append(key, " %zu:%s", strlen(term->patterns[i]), term->patterns[i]));
    for (size_t i = 0; i < term->range_count; i++)
        QN_TRY(qn_text_append(key, " %a..%a", term->ranges[i].first, term->ranges[i].last));
    return QN_OK;
}

static bool is_fixed_term(const qn_selections *s, const qn_selection_term *term)
{
    if (term->kind == QN_SELECTION_WITHIN) return false;
    if (term->kind == QN_SELECTION_NUMBER) return term->what < QN_PROPERTY_X;
    for (size_t i = 0; i < term->child_count; i++)
        if (!s->nodes[term->children[i]].fixed) return false;
    return true;
}

/* Evaluate a fixed node. */
static qn_status evaluate_fixed_node(qn_selections *s, int number)
{
    qn_selection_node *node = &s->nodes[number];
    void *memory, *sets, *marks = NULL;
    size_t words = qn_atom_set_words(s->topology->atom_count);
    QN_TRY(qn_allocate(words, sizeof *node->set, &memory));
    node->set = memory;
    QN_TRY(qn_allocate(s->node_count, sizeof(uint64_t *), &sets));
    qn_status status = qn_allocate(words, sizeof(uint64_t), &marks);
    if (status == QN_OK) {
        const uint64_t **of_node = sets;
        for (size_t i = 0; i < node->term.child_count; i++)
            of_node[node->term.children[i]] = s->nodes[node->term.children[i]].set;
        qn_selection_moment moment = {.selections = s, .sets = of_node, .marks = marks};
        status = qn_selection_evaluate(&moment, number, node->set);
    }
    node->evaluations++;
    qn_release(&marks);
    qn_release(&sets);
    return status;
}

/* Find the node that equals `term`, or add one that takes over the lists of `term`. */
static qn_status find_or_add(qn_selections *s, qn_selection_term *term, int *number)
{
    qn_text key = {0};
    qn_status status = make_key(term, &key);
    uint64_t hash = status == QN_OK ? hash_of(key.data) : 0;
    for (size_t i = 0; i < s->node_count && status == QN_OK; i++)
        if (s->nodes[i].key_hash == hash && strcmp(s->nodes[i].key, key.data) == 0) {
            *number = (int)i;
            qn_text_clear(&key);
            return QN_OK;
        }
    void *nodes = s->nodes;
    if (status == QN_OK) status = qn_grow(&nodes, &s->node_capacity, s->node_count + 1, sizeof *s->nodes);
    s->nodes = nodes;
    bool labelled = term->kind == QN_SELECTION_SAME || term->kind == QN_SELECTION_TEXT ||
                    (term->kind == QN_SELECTION_NUMBER && term->what == QN_PROPERTY_FRAGMENT);
    if (status == QN_OK && labelled) status = qn_selection_labels_make(s, term->what);
    if (status != QN_OK) {
        qn_text_clear(&key);
        return status;
    }
    *number = (int)s->node_count;
    s->nodes[s->node_count++] =
        (qn_selection_node){.term = *term, .key = key.data, .key_hash = hash, .fixed = is_fixed_term(s, term)};
    *term = (qn_selection_term){0};
    if (s->nodes[*number].fixed) status = evaluate_fixed_node(s, *number);
    if (status == QN_OK) return QN_OK;
    qn_selection_node *node = &s->nodes[--s->node_count];
    qn_selection_term_clear(&node->term);
    qn_release(&node->key);
    qn_release(&node->set);
    return status;
}

static qn_status add_simple(qn_selections *s, qn_selection_kind kind, int *number)
{
    qn_selection_term term = {.kind = kind};
    return find_or_add(s, &term, number);
}

/* ---- From terms to nodes ---- */

typedef struct entry {
    qn_selections *selections;
    qn_selection_tree *tree;
    int *node_of; /* [term] -1: not entered yet */
} entry;

static qn_status enter(entry *e, int number, int *node);

static int compare_numbers(const void *a, const void *b)
{
    int first = *(const int *)a, second = *(const int *)b;
    return (first > second) - (first < second);
}

/* Sort the children and remove repetitions. */
static void sort_children(qn_selection_term *term)
{
    size_t kept = 0;
    if (term->child_count) qsort(term->children, term->child_count, sizeof *term->children, compare_numbers);
    for (size_t i = 0; i < term->child_count; i++)
        if (kept == 0 || term->children[kept - 1] != term->children[i]) term->children[kept++] = term->children[i];
    term->child_count = kept;
}

/* Remove `all` from an AND term, or `none` from an OR term. *decided: a child (`none` or `all`) determines the result
 * alone. */
static void leave_out_trivial(const qn_selections *s, qn_selection_term *term, bool *decided)
{
    qn_selection_kind deciding = term->kind == QN_SELECTION_AND ? QN_SELECTION_NONE : QN_SELECTION_ALL;
    qn_selection_kind idle = term->kind == QN_SELECTION_AND ? QN_SELECTION_ALL : QN_SELECTION_NONE;
    size_t kept = 0;
    *decided = false;
    for (size_t i = 0; i < term->child_count; i++) {
        qn_selection_kind kind = s->nodes[term->children[i]].term.kind;
        if (kind == deciding) *decided = true;
        if (kind != idle) term->children[kept++] = term->children[i];
    }
    term->child_count = kept;
}

/* Join several fixed children into one fixed node, so that they are not joined again for each frame. */
static qn_status join_fixed(qn_selections *s, qn_selection_term *term)
{
    size_t fixed = 0, kept = 0;
    for (size_t i = 0; i < term->child_count; i++) fixed += s->nodes[term->children[i]].fixed;
    if (fixed < 2 || fixed == term->child_count) return QN_OK;
    void *memory;
    QN_TRY(qn_allocate(fixed, sizeof *term->children, &memory));
    qn_selection_term joined = {.kind = term->kind, .children = memory, .child_capacity = fixed};
    for (size_t i = 0; i < term->child_count; i++)
        if (s->nodes[term->children[i]].fixed)
            joined.children[joined.child_count++] = term->children[i];
        else
            term->children[kept++] = term->children[i];
    term->child_count = kept;
    qn_status status = find_or_add(s, &joined, &term->children[term->child_count]);
    qn_selection_term_clear(&joined);
    if (status == QN_OK) term->child_count++;
    return status;
}

static qn_status enter_joined(entry *e, qn_selection_term *term, int *node)
{
    qn_selection_kind kind = term->kind;
    bool decided;
    sort_children(term);
    leave_out_trivial(e->selections, term, &decided);
    if (decided || term->child_count == 0) {
        bool all = decided == (kind == QN_SELECTION_OR);
        return add_simple(e->selections, all ? QN_SELECTION_ALL : QN_SELECTION_NONE, node);
    }
    QN_TRY(join_fixed(e->selections, term));
    if (term->child_count == 1) {
        *node = term->children[0];
        return QN_OK;
    }
    sort_children(term);
    return find_or_add(e->selections, term, node);
}

static qn_status enter_not(entry *e, qn_selection_term *term, int *node)
{
    const qn_selection_term *child = &e->selections->nodes[term->children[0]].term;
    if (child->kind == QN_SELECTION_ALL) return add_simple(e->selections, QN_SELECTION_NONE, node);
    if (child->kind == QN_SELECTION_NONE) return add_simple(e->selections, QN_SELECTION_ALL, node);
    if (child->kind == QN_SELECTION_NOT) {
        *node = child->children[0];
        return QN_OK;
    }
    return find_or_add(e->selections, term, node);
}

static qn_status enter(entry *e, int number, int *node)
{
    if (e->node_of[number] >= 0) {
        *node = e->node_of[number];
        return QN_OK;
    }
    qn_selection_term *term = &e->tree->terms[number];
    for (size_t i = 0; i < term->child_count; i++) QN_TRY(enter(e, term->children[i], &term->children[i]));
    if (term->kind == QN_SELECTION_AND || term->kind == QN_SELECTION_OR)
        QN_TRY(enter_joined(e, term, node));
    else if (term->kind == QN_SELECTION_NOT)
        QN_TRY(enter_not(e, term, node));
    else
        QN_TRY(find_or_add(e->selections, term, node));
    e->node_of[number] = *node;
    return QN_OK;
}

static qn_status enter_tree(qn_selections *s, qn_selection_tree *tree, int *node)
{
    void *memory;
    QN_TRY(qn_selection_tree_normalise(tree));
    QN_TRY(qn_allocate(tree->count, sizeof(int), &memory));
    entry e = {.selections = s, .tree = tree, .node_of = memory};
    for (size_t i = 0; i < tree->count; i++) e.node_of[i] = -1;
    qn_status status = enter(&e, tree->root, node);
    qn_release(&memory);
    return status;
}

/* List the node's atoms in ascending order. */
static qn_status list_atoms(const qn_selections *s, qn_selection_node *node)
{
    void *memory;
    size_t count = 0, words = qn_atom_set_words(s->topology->atom_count);
    for (size_t i = 0; i < words; i++) count += (size_t)__builtin_popcountll(node->set[i]);
    QN_TRY(qn_allocate(count, sizeof *node->atoms, &memory));
    node->atoms = memory;
    node->atom_count = qn_atom_set_list(node->set, words, node->atoms);
    return QN_OK;
}

qn_status qn_selections_add(qn_selections *selections, const char *text, int *node)
{
    qn_selection_tree tree = {0};
    qn_selection_setting setting = {.topology = selections->topology,
                                    .length_unit_nm = selections->length_unit_nm,
                                    .groups = selections->groups,
                                    .group_count = selections->group_count,
                                    .groups_agree = groups_agree,
                                    .user = selections};
    qn_status status = qn_selection_parse(&setting, text, &tree);
    if (status == QN_OK) status = enter_tree(selections, &tree, node);
    qn_selection_tree_clear(&tree);
    QN_TRY(status);
    qn_selection_node *added = &selections->nodes[*node];
    if (added->fixed && !added->wanted) QN_TRY(list_atoms(selections, added));
    added->wanted = true;
    return QN_OK;
}

size_t qn_selections_node_count(const qn_selections *selections)
{
    return selections->node_count;
}

bool qn_selections_is_fixed(const qn_selections *selections, int node)
{
    return selections->nodes[node].fixed;
}

void qn_selections_fixed_atoms(const qn_selections *selections, int node, const uint32_t **atoms, size_t *count)
{
    *atoms = selections->nodes[node].atoms;
    *count = selections->nodes[node].atom_count;
}

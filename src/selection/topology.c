/* Selections that depend only on the topology: names, numbers, classes, groups, residues, bonds. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "selection/network.h"
#include "selection/residue_classes.h"

/* ---- Patterns ---- */

/* Whether `byte` belongs to the set whose content begins at `at`; *end is after the closing bracket, or NULL when there
 * is none. */
static bool set_has(const char *at, char byte, const char **end)
{
    bool has = false, inverted = *at == '!' || *at == '^';
    if (inverted) at++;
    const char *first = at;
    for (; *at && (*at != ']' || at == first); at++) {
        if (at[1] == '-' && at[2] && at[2] != ']') {
            has = has || (byte >= at[0] && byte <= at[2]);
            at += 2;
        } else
            has = has || byte == *at;
    }
    *end = *at ? at + 1 : NULL;
    return has != inverted;
}

/* Whether the pattern's next byte, set or ? matches; *next is after it. */
static bool matches_one(const char *pattern, char byte, const char **next)
{
    const char *end;
    *next = pattern + 1;
    if (*pattern == '?') return true;
    if (*pattern == '[') {
        bool has = set_has(pattern + 1, byte, &end);
        if (end) {
            *next = end;
            return has;
        }
    }
    if (*pattern == '\\' && pattern[1]) {
        *next = pattern + 2;
        return pattern[1] == byte;
    }
    return *pattern == byte;
}

bool qn_selection_matches(const char *pattern, const char *text)
{
    const char *star = NULL, *from = NULL, *next;
    while (*text) {
        if (*pattern == '*') {
            star = ++pattern;
            from = text;
        } else if (*pattern && matches_one(pattern, *text, &next)) {
            pattern = next;
            text++;
        } else if (star) {
            pattern = star;
            text = ++from;
        } else
            return false;
    }
    while (*pattern == '*') pattern++;
    return *pattern == '\0';
}

bool qn_selection_in_ranges(const qn_selection_term *term, double value)
{
    size_t low = 0, high = term->range_count; /* the first range that ends at or after the value */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (term->ranges[middle].last < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < term->range_count && term->ranges[low].first <= value && value <= term->ranges[low].last;
}

/* ---- Properties of atoms ---- */

static const char *text_of(const qn_topology *topology, int property, size_t atom)
{
    const qn_topology_atom *of = &topology->atoms[atom];
    const qn_topology_residue *residue = &topology->residues[of->residue];
    switch (property) {
    case QN_PROPERTY_NAME: return of->name;
    case QN_PROPERTY_TYPE: return of->type;
    case QN_PROPERTY_ELEMENT: return of->element;
    case QN_PROPERTY_RESNAME: return residue->name;
    case QN_PROPERTY_CHAIN: return residue->chain;
    case QN_PROPERTY_SEGMENT: return residue->segment;
    default: return NULL;
    }
}

double qn_selection_value(const qn_selections *selections, int property, size_t atom)
{
    const qn_topology *topology = selections->topology;
    const qn_topology_atom *of = &topology->atoms[atom];
    const qn_topology_residue *residue = &topology->residues[of->residue];
    switch (property) {
    case QN_PROPERTY_RESID: return residue->number * 256.0 + (unsigned char)residue->insertion;
    case QN_PROPERTY_RESIDUE: return of->residue;
    case QN_PROPERTY_MOLECULE: return of->molecule;
    case QN_PROPERTY_FRAGMENT: return selections->labels[QN_PROPERTY_FRAGMENT].of_atom[atom];
    case QN_PROPERTY_INDEX: return (double)atom;
    case QN_PROPERTY_MASS: return of->mass_u;
    default: return of->charge_e;
    }
}

/* ---- Labels ---- */

static bool same_value(const qn_selections *s, int property, size_t first, size_t second)
{
    const char *text = text_of(s->topology, property, first);
    if (text) return strcmp(text, text_of(s->topology, property, second)) == 0;
    return qn_selection_value(s, property, first) == qn_selection_value(s, property, second);
}

static uint64_t hash_value(const qn_selections *s, int property, size_t atom)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    const char *text = text_of(s->topology, property, atom);
    double value = text ? 0 : qn_selection_value(s, property, atom) + 0.0;
    const unsigned char *bytes = text ? (const unsigned char *)text : (const unsigned char *)&value;
    size_t length = text ? strlen(text) : sizeof value;
    for (size_t i = 0; i < length; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

static qn_status add_label(qn_selection_labels *labels, size_t atom)
{
    void *example = labels->example;
    qn_status status = qn_grow(&example, &labels->capacity, labels->count + 1, sizeof *labels->example);
    labels->example = example;
    if (status == QN_OK) labels->example[labels->count++] = (uint32_t)atom;
    return status;
}

/* Label atoms with a hash table of labels, which has at least twice as many places as atoms. */
static qn_status label_by_value(const qn_selections *s, int property, qn_selection_labels *labels)
{
    void *memory;
    size_t atom_count = s->topology->atom_count, places = 64;
    while (places < 2 * atom_count) places *= 2;
    QN_TRY(qn_allocate(places, sizeof(uint32_t), &memory));
    uint32_t *table = memory; /* label + 1 */
    qn_status status = QN_OK;
    for (size_t atom = 0; atom < atom_count && status == QN_OK; atom++) {
        if (atom && same_value(s, property, atom - 1, atom)) {
            labels->of_atom[atom] = labels->of_atom[atom - 1];
            continue;
        }
        size_t place = hash_value(s, property, atom) & (places - 1);
        while (table[place] && !same_value(s, property, labels->example[table[place] - 1], atom))
            place = (place + 1) & (places - 1);
        if (!table[place]) {
            status = add_label(labels, atom);
            table[place] = (uint32_t)labels->count;
        }
        labels->of_atom[atom] = table[place] - 1;
    }
    qn_release(&memory);
    return status;
}

/* First atom of the fragment as joined so far (union-find with path halving). */
static uint32_t root_of(uint32_t *parents, uint32_t atom)
{
    while (parents[atom] != atom) {
        parents[atom] = parents[parents[atom]];
        atom = parents[atom];
    }
    return atom;
}

/* Label fragments by joining bonded atoms; a fragment's root is its first atom. */
static qn_status label_fragments(const qn_topology *topology, qn_selection_labels *labels)
{
    uint32_t *parents = labels->of_atom;
    for (size_t i = 0; i < topology->atom_count; i++) parents[i] = (uint32_t)i;
    for (size_t i = 0; i < topology->bond_count; i++) {
        uint32_t first = root_of(parents, topology->bonds[i][0]), second = root_of(parents, topology->bonds[i][1]);
        if (first < second)
            parents[second] = first;
        else
            parents[first] = second;
    }
    for (size_t i = 0; i < topology->atom_count; i++) parents[i] = root_of(parents, (uint32_t)i);
    for (size_t i = 0; i < topology->atom_count; i++) /* the root of a fragment comes first */
        if (parents[i] == i) {
            QN_TRY(add_label(labels, i));
            parents[i] = (uint32_t)labels->count - 1;
        } else
            parents[i] = parents[parents[i]];
    return QN_OK;
}

qn_status qn_selection_labels_make(qn_selections *selections, int property)
{
    qn_selection_labels *labels = &selections->labels[property];
    if (labels->of_atom) return QN_OK;
    void *memory;
    QN_TRY(qn_allocate(selections->topology->atom_count, sizeof *labels->of_atom, &memory));
    labels->of_atom = memory;
    qn_status status = property == QN_PROPERTY_FRAGMENT ? label_fragments(selections->topology, labels)
                                                        : label_by_value(selections, property, labels);
    if (status == QN_OK) return QN_OK;
    qn_release(&labels->of_atom);
    qn_release(&labels->example);
    *labels = (qn_selection_labels){0};
    return status;
}

/* ---- Evaluation ---- */

static void mark_texts(const qn_selection_moment *moment, const qn_selection_term *term)
{
    const qn_selection_labels *labels = &moment->selections->labels[term->what];
    for (size_t label = 0; label < labels->count; label++) {
        const char *text = text_of(moment->selections->topology, term->what, labels->example[label]);
        for (size_t i = 0; i < term->pattern_count; i++)
            if (qn_selection_matches(term->patterns[i], text)) {
                qn_atom_set_add(moment->marks, label);
                break;
            }
    }
}

/* Add the atoms whose label is marked, and clear the marks. */
static void take_marked(const qn_selection_moment *moment, int property, uint64_t *set)
{
    const qn_selections *s = moment->selections;
    const qn_selection_labels *labels = &s->labels[property];
    for (size_t atom = 0; atom < s->topology->atom_count; atom++)
        if (qn_atom_set_has(moment->marks, labels->of_atom[atom])) qn_atom_set_add(set, atom);
    memset(moment->marks, 0, qn_atom_set_words(s->topology->atom_count) * sizeof *moment->marks);
}

void qn_selection_evaluate_same(const qn_selection_moment *moment, const qn_selection_term *term, uint64_t *set)
{
    const uint64_t *child = moment->sets[term->children[0]];
    const uint32_t *labels = moment->selections->labels[term->what].of_atom;
    for (size_t atom = 0; atom < moment->selections->topology->atom_count; atom++)
        if (qn_atom_set_has(child, atom)) qn_atom_set_add(moment->marks, labels[atom]);
    take_marked(moment, term->what, set);
}

void qn_selection_evaluate_bonded(const qn_selection_moment *moment, const qn_selection_term *term, uint64_t *set)
{
    const qn_topology *topology = moment->selections->topology;
    const uint64_t *child = moment->sets[term->children[0]];
    for (size_t i = 0; i < topology->bond_count; i++) {
        const uint32_t *bond = topology->bonds[i];
        if (qn_atom_set_has(child, bond[0])) qn_atom_set_add(set, bond[1]);
        if (qn_atom_set_has(child, bond[1])) qn_atom_set_add(set, bond[0]);
    }
}

static void take_class(const qn_topology *topology, qn_residue_class class, uint64_t *set)
{
    for (size_t i = 0; i < topology->residue_count; i++) {
        const qn_topology_residue *residue = &topology->residues[i];
        if (!qn_residue_may_hold(topology, i, class)) continue;
        for (size_t atom = residue->first_atom; atom < residue->first_atom + residue->atom_count; atom++)
            if (qn_atom_fits_class(topology, atom, class)) qn_atom_set_add(set, atom);
    }
}

static void take_numbers(const qn_selections *s, const qn_selection_term *term, uint64_t *set)
{
    for (size_t atom = 0; atom < s->topology->atom_count; atom++)
        if (qn_selection_in_ranges(term, qn_selection_value(s, term->what, atom))) qn_atom_set_add(set, atom);
}

void qn_selection_evaluate_fixed(const qn_selection_moment *moment, const qn_selection_term *term, uint64_t *set)
{
    const qn_selections *s = moment->selections;
    const qn_index_group *group;
    switch (term->kind) {
    case QN_SELECTION_ALL:
        for (size_t atom = 0; atom < s->topology->atom_count; atom++) qn_atom_set_add(set, atom);
        break;
    case QN_SELECTION_CLASS: take_class(s->topology, (qn_residue_class)term->what, set); break;
    case QN_SELECTION_NUMBER: take_numbers(s, term, set); break;
    case QN_SELECTION_TEXT:
        mark_texts(moment, term);
        take_marked(moment, term->what, set);
        break;
    case QN_SELECTION_GROUP:
        group = s->group_atoms[term->what];
        for (size_t i = 0; i < group->count; i++) qn_atom_set_add(set, group->atoms[i]);
        break;
    default: break; /* QN_SELECTION_NONE; terms with children are evaluated elsewhere */
    }
}

#include "chemistry/fragments.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "chemistry/bond_orders.h"

static const double complex_angstrom = 2.8; /* longest bond of a metal to N, O, S or a halogen */

typedef struct fragment {
    size_t heavy;
    bool organic, metal; /* metal: a single metal atom */
} fragment;

typedef struct fragment_search {
    qn_compound *compound;
    int *number; /* per atom: its fragment */
    fragment *fragments;
    size_t count;
    bool *kept; /* per atom */
} fragment_search;

static void number_fragments(fragment_search *search, const qn_compound_neighbours *near, int *queue)
{
    const size_t atoms = search->compound->atom_count;
    for (size_t i = 0; i < atoms; i++) search->number[i] = -1;
    for (size_t first = 0; first < atoms; first++) {
        if (search->number[first] >= 0) continue;
        size_t head = 0, tail = 0;
        queue[tail++] = (int)first;
        search->number[first] = (int)search->count;
        while (head < tail) {
            const int atom = queue[head++];
            for (size_t k = near->start[atom]; k < near->start[atom + 1]; k++) {
                if (search->number[near->neighbour[k]] >= 0) continue;
                search->number[near->neighbour[k]] = (int)search->count;
                queue[tail++] = near->neighbour[k];
            }
        }
        search->fragments[search->count].metal =
            tail == 1 && qn_element_is_metal(search->compound->atoms[first].element);
        search->count++;
    }
    for (size_t i = 0; i < atoms; i++) {
        fragment *own = &search->fragments[search->number[i]];
        own->heavy += !qn_compound_atom_is_hydrogen(&search->compound->atoms[i]);
        own->organic |= strcmp(search->compound->atoms[i].element, "C") == 0;
    }
}

static int find_main(const fragment_search *search)
{
    size_t best = 0;
    for (size_t f = 1; f < search->count; f++) {
        const fragment *a = &search->fragments[f], *b = &search->fragments[best];
        if (a->organic != b->organic ? a->organic : a->heavy > b->heavy) best = f;
    }
    return (int)best;
}

static bool is_alkali(const char *element)
{
    static const char *const alkalis[] = {"LI", "NA", "K", "RB", "CS", "FR"};
    for (size_t i = 0; i < sizeof alkalis / sizeof *alkalis; i++)
        if (strcmp(element, alkalis[i]) == 0) return true;
    return false;
}

static bool is_held(const fragment_search *search, size_t metal, int main)
{
    const qn_compound *compound = search->compound;
    if (is_alkali(compound->atoms[metal].element) || compound->conformer_count == 0) return false;
    const double *at = compound->positions_angstrom + 3 * metal;
    for (size_t i = 0; i < compound->atom_count; i++) {
        const double *other = compound->positions_angstrom + 3 * i;
        const double square = (at[0] - other[0]) * (at[0] - other[0]) + (at[1] - other[1]) * (at[1] - other[1]) +
                              (at[2] - other[2]) * (at[2] - other[2]);
        if (search->number[i] != main || qn_compound_atom_is_hydrogen(&compound->atoms[i])) continue;
        if (square <= complex_angstrom * complex_angstrom) return true;
    }
    return false;
}

static void choose_atoms(fragment_search *search)
{
    const int main = find_main(search);
    for (size_t i = 0; i < search->compound->atom_count; i++)
        search->kept[i] =
            search->number[i] == main || (search->fragments[search->number[i]].metal && is_held(search, i, main));
}

static size_t count_element(const fragment_search *search, int number, const char *element)
{
    size_t count = 0;
    for (size_t i = 0; i < search->compound->atom_count; i++)
        count += search->number[i] == number && strcmp(search->compound->atoms[i].element, element) == 0;
    return count;
}

static qn_status add_element(const fragment_search *search, int number, const char *element, qn_text *text)
{
    const size_t count = count_element(search, number, element);
    if (count == 0) return QN_OK;
    QN_TRY(qn_text_append(text, "%c", element[0]));
    if (element[1]) QN_TRY(qn_text_append(text, "%c", element[1] - 'A' + 'a'));
    return count > 1 ? qn_text_append(text, "%zu", count) : QN_OK;
}

/* Append a formula: carbon and hydrogen first, then the other elements in order of appearance. */
static qn_status add_formula(const fragment_search *search, int number, qn_text *text)
{
    const qn_compound *compound = search->compound;
    if (text->length > 0) QN_TRY(qn_text_append(text, "; "));
    QN_TRY(add_element(search, number, "C", text));
    QN_TRY(add_element(search, number, "H", text));
    for (size_t i = 0; i < compound->atom_count; i++) {
        const char *element = compound->atoms[i].element;
        bool known = search->number[i] != number || strcmp(element, "C") == 0 || strcmp(element, "H") == 0;
        for (size_t k = 0; k < i && !known; k++)
            known = search->number[k] == number && strcmp(compound->atoms[k].element, element) == 0;
        if (!known) QN_TRY(add_element(search, number, element, text));
    }
    return QN_OK;
}

static qn_status tell_what_goes(const fragment_search *search, const char *property)
{
    qn_text text = {0};
    qn_status status = QN_OK;
    int told = -1;
    for (size_t i = 0; i < search->compound->atom_count && status == QN_OK; i++) {
        if (search->kept[i] || search->number[i] <= told) continue; /* fragments are numbered by their first atoms */
        told = search->number[i];
        status = add_formula(search, told, &text);
    }
    if (status == QN_OK && text.length > 0) status = qn_compound_add_property(search->compound, property, text.data);
    qn_text_clear(&text);
    return status;
}

static qn_status keep_main(fragment_search *search, int *queue, const char *property)
{
    qn_compound_neighbours near;
    QN_TRY(qn_compound_find_neighbours(search->compound, &near));
    number_fragments(search, &near, queue);
    qn_compound_neighbours_clear(&near);
    if (search->count < 2) return QN_OK;
    choose_atoms(search);
    QN_TRY(tell_what_goes(search, property));
    return qn_compound_keep_atoms(search->compound, search->kept);
}

qn_status qn_fragments_keep_main(qn_compound *compound, const char *property)
{
    fragment_search search = {.compound = compound};
    int *queue = NULL;
    const size_t atoms = compound->atom_count;
    qn_status status = qn_allocate(atoms, sizeof *search.number, (void **)&search.number);
    if (status == QN_OK) status = qn_allocate(atoms, sizeof *search.fragments, (void **)&search.fragments);
    if (status == QN_OK) status = qn_allocate(atoms, sizeof *search.kept, (void **)&search.kept);
    if (status == QN_OK) status = qn_allocate(atoms, sizeof *queue, (void **)&queue);
    if (status == QN_OK) status = keep_main(&search, queue, property);
    qn_release(&search.number);
    qn_release(&search.fragments);
    qn_release(&search.kept);
    qn_release(&queue);
    return status;
}

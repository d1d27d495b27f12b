#include "format/structure/alternate.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { LETTERS = 256 };

static unsigned letter_of(const qn_place_atom *atom)
{
    return (unsigned char)atom->file.atom.alternate;
}

/* Sort by residue, name and file order, so that the locations of an atom are adjacent. */
static int compare_atoms(const void *left, const void *right)
{
    const qn_place_atom *a = *(const qn_place_atom *const *)left, *b = *(const qn_place_atom *const *)right;
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    int names = strcmp(a->file.atom.name, b->file.atom.name);
    if (names != 0) return names;
    return a < b ? -1 : a > b;
}

static size_t run_end(qn_place_atom *const *sorted, size_t first, size_t count)
{
    size_t end = first + 1;
    while (end < count && sorted[end]->group == sorted[first]->group &&
           strcmp(sorted[end]->file.atom.name, sorted[first]->file.atom.name) == 0)
        end++;
    return end;
}

static bool has_letter(qn_place_atom *const *sorted, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (letter_of(sorted[i])) return true;
    return false;
}

/* The letter with the highest mean occupancy. A location without a letter counts where the same atom also has locations
 * with one. */
static unsigned best_letter(qn_place_atom *const *sorted, size_t count)
{
    const double tie = 1e-4; /* files have two or three decimals */
    double sum[LETTERS] = {0}, atoms[LETTERS] = {0};
    for (size_t first = 0, end; first < count; first = end) {
        end = run_end(sorted, first, count);
        if (!has_letter(sorted, first, end)) continue;
        for (size_t i = first; i < end; i++) {
            sum[letter_of(sorted[i])] += (double)sorted[i]->file.atom.occupancy;
            atoms[letter_of(sorted[i])] += 1;
        }
    }
    unsigned best = LETTERS;
    for (unsigned letter = 0; letter < LETTERS; letter++)
        if (atoms[letter] > 0 && (best == LETTERS || sum[letter] / atoms[letter] > sum[best] / atoms[best] + tie))
            best = letter;
    return best;
}

/* Choose among the locations of one atom: the chosen letter, else the highest occupancy, else the first letter. */
static size_t best_location(qn_place_atom *const *sorted, size_t first, size_t end, unsigned chosen)
{
    size_t best = first;
    for (size_t i = first; i < end; i++) {
        if (letter_of(sorted[i]) == chosen) return i;
        float gain = sorted[i]->file.atom.occupancy - sorted[best]->file.atom.occupancy;
        if (gain > 0 || (gain == 0 && letter_of(sorted[i]) < letter_of(sorted[best]))) best = i;
    }
    return best;
}

/* In a place of several residues, drop the residues that have letters but not the chosen one. */
static void drop_other_residues(qn_place_atom *const *sorted, size_t count, unsigned chosen)
{
    for (size_t first = 0, end; first < count; first = end) {
        bool letters = false, has_chosen = false;
        for (end = first; end < count && sorted[end]->group == sorted[first]->group; end++) {
            letters |= letter_of(sorted[end]) != 0;
            has_chosen |= letter_of(sorted[end]) == chosen;
        }
        for (size_t i = first; i < end && letters && !has_chosen; i++) sorted[i]->keep = false;
    }
}

qn_status qn_choose_alternates(qn_place_atom *atoms, size_t count, size_t *dropped)
{
    bool any = false;
    for (size_t i = 0; i < count && !any; i++) any = atoms[i].keep && letter_of(&atoms[i]) != 0;
    if (!any) return QN_OK;
    void *memory;
    QN_TRY(qn_allocate(count, sizeof(qn_place_atom *), &memory));
    qn_place_atom **sorted = memory;
    size_t candidates = 0;
    for (size_t i = 0; i < count; i++)
        if (atoms[i].keep) sorted[candidates++] = &atoms[i];
    qsort(sorted, candidates, sizeof *sorted, compare_atoms);
    unsigned chosen = best_letter(sorted, candidates);
    if (sorted[0]->group != sorted[candidates - 1]->group) drop_other_residues(sorted, candidates, chosen);
    for (size_t first = 0, end; first < candidates; first = end) {
        end = run_end(sorted, first, candidates);
        if (!has_letter(sorted, first, end)) continue;
        size_t best = best_location(sorted, first, end, chosen);
        for (size_t i = first; i < end; i++) sorted[i]->keep &= i == best;
    }
    for (size_t i = 0; i < candidates; i++) *dropped += !sorted[i]->keep;
    qn_release(&memory);
    return QN_OK;
}

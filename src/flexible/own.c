/* Pieces of a compound by Quern's own rules. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "chemistry/conformers.h"
#include "flexible/tree.h"
#include "score/vina.h"

typedef struct piece_search {
    qn_compound *compound;
    qn_compound_neighbours near;
    bool *turns, *half; /* of each bond */
    int *bonds, *queue;
} piece_search;

/* Number the atoms of the piece that `atom` is in. */
static void spread(piece_search *search, int atom, int number)
{
    int *piece = search->compound->tree.piece;
    int count = 1;
    search->queue[0] = atom;
    piece[atom] = number;
    for (int read = 0; read < count; read++)
        for (size_t k = search->near.start[search->queue[read]]; k < search->near.start[search->queue[read] + 1]; k++) {
            const int next = search->near.neighbour[k];
            if (search->turns[search->near.bond[k]] || piece[next] >= 0) continue;
            piece[next] = number;
            search->queue[count++] = next;
        }
}

/* Number the pieces, each from one that has a number already, so that branch i leads to piece i + 1. */
static qn_status number_pieces(piece_search *search, size_t count)
{
    qn_compound *compound = search->compound;
    qn_compound_tree *tree = &compound->tree;
    spread(search, 0, 0);
    tree->piece_count = 1;
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < count; i++) {
            const qn_compound_bond *bond = &compound->bonds[search->bonds[i]];
            const bool forward = tree->piece[bond->first] >= 0;
            if (forward == (tree->piece[bond->second] >= 0)) continue;
            const qn_compound_branch branch = {forward ? bond->first : bond->second,
                                               forward ? bond->second : bond->first};
            spread(search, branch.second, (int)tree->piece_count);
            tree->branches[tree->piece_count++ - 1] = branch;
            found = true;
        }
    }
    for (size_t i = 0; i < compound->atom_count; i++)
        if (tree->piece[i] < 0)
            return QN_FAIL(QN_BAD_FORMAT, "%s: no bonds join atom %zu to atom 1; expected one molecule", compound->name,
                           i + 1);
    return QN_OK;
}

/* Whether an end of a bond has a hydrogen that is an atom. */
static bool has_hydrogen(const piece_search *search, const qn_compound_bond *bond)
{
    const int ends[2] = {bond->first, bond->second};
    for (int side = 0; side < 2; side++)
        for (size_t k = search->near.start[ends[side]]; k < search->near.start[ends[side] + 1]; k++) {
            const int other = search->near.neighbour[k];
            const char *element = search->compound->atoms[ends[side]].element;
            if (qn_compound_atom_is_hydrogen(&search->compound->atoms[other]) && strcmp(element, "C") != 0) return true;
        }
    return false;
}

/* Add the bonds that turn only hydrogens of O, N or S: a tree of a search has none, but the PDBQT of its poses needs
 * them, since AutoDock Vina counts torsions by its branches. */
static qn_status add_half_bonds(piece_search *search, size_t *count)
{
    const qn_compound *compound = search->compound;
    QN_TRY(qn_vina_half_bonds(compound, search->half));
    for (size_t i = 0; i < compound->bond_count; i++)
        if (search->half[i] && has_hydrogen(search, &compound->bonds[i])) search->bonds[(*count)++] = (int)i;
    return QN_OK;
}

static qn_status find_pieces(piece_search *search)
{
    qn_compound *compound = search->compound;
    qn_compound_tree *tree = &compound->tree;
    size_t count = 0;
    QN_TRY(qn_compound_find_neighbours(compound, &search->near));
    QN_TRY(qn_allocate(compound->bond_count, sizeof(int), (void **)&search->bonds));
    QN_TRY(qn_allocate(compound->bond_count, sizeof(bool), (void **)&search->turns));
    QN_TRY(qn_allocate(compound->bond_count, sizeof(bool), (void **)&search->half));
    QN_TRY(qn_allocate(compound->atom_count, sizeof(int), (void **)&search->queue));
    QN_TRY(qn_conformers_rotatable_bonds(compound, search->bonds, &count));
    QN_TRY(add_half_bonds(search, &count));
    QN_TRY(qn_allocate(compound->atom_count, sizeof(int), (void **)&tree->piece));
    QN_TRY(qn_allocate(count, sizeof *tree->branches, (void **)&tree->branches));
    for (size_t i = 0; i < compound->atom_count; i++) tree->piece[i] = -1;
    for (size_t i = 0; i < count; i++) search->turns[search->bonds[i]] = true;
    return number_pieces(search, count);
}

qn_status qn_flexible_own_pieces(qn_compound *compound)
{
    piece_search search = {.compound = compound};
    qn_compound_tree_clear(&compound->tree);
    if (compound->atom_count == 0) return QN_FAIL(QN_BAD_FORMAT, "%s: no atoms", compound->name);
    qn_status status = find_pieces(&search);
    qn_compound_neighbours_clear(&search.near);
    qn_release(&search.bonds);
    qn_release(&search.turns);
    qn_release(&search.half);
    qn_release(&search.queue);
    if (status != QN_OK) qn_compound_tree_clear(&compound->tree);
    return status;
}

/* Side chains behind a ligand in its tree. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "flexible/sides.h"

enum { STAYING = 2 /* Cα and Cβ, the first atoms of a side chain's tree */ };

/* The tree of ligand and side chains while it is made. */
typedef struct joined {
    const qn_flexible_tree *ligand;
    qn_flexible_tree tree;       /* heavy_count and atom_count: atoms that it will have */
    int moving, hydrogens, stay; /* places of the next atoms of each kind */
    int pieces;                  /* of it so far */
    size_t pair_capacity;
} joined;

static void take_atom(joined *to, const qn_flexible_tree *from, int index, int place, int piece)
{
    to->tree.atom[place] = from->atom[index];
    to->tree.type[place] = from->type[index];
    to->tree.piece[place] = piece;
    memcpy(to->tree.local + 3 * place, from->local + 3 * index, 3 * sizeof(double));
}

static qn_status add_pair(joined *to, int a, int b)
{
    void *memory = to->tree.pairs;
    qn_status status = qn_grow(&memory, &to->pair_capacity, to->tree.pair_count + 1, sizeof *to->tree.pairs);
    to->tree.pairs = memory;
    QN_TRY(status);
    to->tree.pairs[to->tree.pair_count++] = (qn_flexible_pair){a < b ? a : b, a < b ? b : a};
    return QN_OK;
}

/* The place of an atom of a side chain: Cα and Cβ, its first, come after all that move. */
static int place_of(const joined *to, int first, int index)
{
    return index < STAYING ? to->stay + index : first + index - STAYING;
}

/* Pairs with the ligand and with the side chains before: those of two atoms that stay do not change. */
static qn_status add_pairs_with_others(joined *to, int first, int count)
{
    for (int index = 0; index < count; index++) {
        const int a = place_of(to, first, index);
        for (int b = 0; b < first; b++) QN_TRY(add_pair(to, a, b));
        for (int b = to->tree.moving_count; b < to->stay && index >= STAYING; b++) QN_TRY(add_pair(to, a, b));
    }
    return QN_OK;
}

/* Frames of a side chain's tree are those of its given positions, whose rotations are unit matrices, as is the
 * receptor's. */
static void take_pieces(joined *to, const qn_flexible_tree *side, int first)
{
    for (int k = 1; k < side->piece_count; k++) {
        const qn_flexible_piece *from = &side->pieces[k];
        qn_flexible_piece *piece = &to->tree.pieces[to->pieces + k - 1];
        *piece = *from;
        piece->parent = from->parent == 0 ? to->tree.piece_count : to->pieces + from->parent - 1;
        piece->near = place_of(to, first, from->near);
        piece->far = place_of(to, first, from->far);
        piece->first = first + (from->first < STAYING ? 0 : from->first - STAYING);
        piece->end = first + from->end - STAYING;
        piece->behind = first + from->behind - STAYING;
        for (int d = 0; d < 3 && from->parent == 0; d++) piece->offset[d] += side->place[d];
    }
}

static qn_status take_side(joined *to, const qn_flexible_tree *side)
{
    const int first = to->moving;
    take_pieces(to, side, first);
    for (int i = 0; i < STAYING; i++) {
        double *local = to->tree.local + 3 * (to->stay + i);
        take_atom(to, side, i, to->stay + i, to->tree.piece_count);
        for (int d = 0; d < 3; d++) local[d] = side->place[d] + (i == 0 ? 0 : side->pieces[1].offset[d]);
    }
    for (int i = STAYING; i < side->heavy_count; i++)
        take_atom(to, side, i, to->moving++, to->pieces + side->piece[i] - 1);
    for (int i = side->heavy_count; i < side->atom_count; i++)
        take_atom(to, side, i, to->hydrogens++, to->pieces + side->piece[i] - 1);
    for (size_t p = 0; p < side->pair_count; p++)
        QN_TRY(add_pair(to, place_of(to, first, side->pairs[p].first), place_of(to, first, side->pairs[p].second)));
    QN_TRY(add_pairs_with_others(to, first, side->heavy_count));
    to->pieces += side->piece_count - 1;
    to->stay += STAYING;
    return QN_OK;
}

static qn_status allocate(joined *to)
{
    const size_t atoms = (size_t)to->tree.atom_count;
    qn_flexible_tree *tree = &to->tree;
    QN_TRY(qn_allocate(QN_FLEXIBLE_PIECES_MAX, sizeof *tree->pieces, (void **)&tree->pieces));
    QN_TRY(qn_allocate(atoms, sizeof *tree->atom, (void **)&tree->atom));
    QN_TRY(qn_allocate(atoms, sizeof *tree->piece, (void **)&tree->piece));
    QN_TRY(qn_allocate(atoms, sizeof *tree->type, (void **)&tree->type));
    return qn_allocate(3 * atoms, sizeof *tree->local, (void **)&tree->local);
}

static qn_status join(joined *to, const qn_flexible_sides *sides)
{
    const qn_flexible_tree *ligand = to->ligand;
    QN_TRY(allocate(to));
    to->moving = ligand->heavy_count;
    to->stay = to->tree.moving_count;
    to->hydrogens = to->tree.heavy_count;
    to->pieces = ligand->piece_count;
    memcpy(to->tree.pieces, ligand->pieces, (size_t)ligand->piece_count * sizeof *ligand->pieces);
    for (int i = 0; i < ligand->heavy_count; i++) take_atom(to, ligand, i, i, ligand->piece[i]);
    for (int i = ligand->heavy_count; i < ligand->atom_count; i++)
        take_atom(to, ligand, i, to->hydrogens++, ligand->piece[i]);
    for (size_t p = 0; p < ligand->pair_count; p++)
        QN_TRY(add_pair(to, ligand->pairs[p].first, ligand->pairs[p].second));
    for (int s = 0; s < sides->count; s++) QN_TRY(take_side(to, &sides->sides[s].tree));
    return QN_OK;
}

static qn_status count_all(joined *to, const qn_flexible_sides *sides, const char *name)
{
    const qn_flexible_tree *ligand = to->ligand;
    qn_flexible_tree *tree = &to->tree;
    *tree = *ligand;
    tree->pieces = NULL;
    tree->atom = tree->piece = tree->type = NULL;
    tree->local = NULL;
    tree->pairs = NULL;
    tree->pair_count = 0;
    for (int s = 0; s < sides->count; s++) {
        const qn_flexible_tree *side = &sides->sides[s].tree;
        tree->piece_count += side->piece_count - 1;
        tree->heavy_count += side->heavy_count;
        tree->moving_count += side->heavy_count - STAYING;
        tree->atom_count += side->atom_count;
    }
    if (tree->piece_count - 1 > QN_FLEXIBLE_TORSIONS_MAX)
        return QN_FAIL(QN_BAD_FORMAT, "%s: %d torsions, and %d of side chains; expected at most %d together", name,
                       ligand->piece_count - 1, tree->piece_count - ligand->piece_count, QN_FLEXIBLE_TORSIONS_MAX);
    if (tree->heavy_count > QN_FLEXIBLE_ATOMS_MAX)
        return QN_FAIL(QN_BAD_FORMAT, "%s: %d heavy atoms, and %d of side chains; expected at most %d together", name,
                       ligand->heavy_count, tree->heavy_count - ligand->heavy_count, QN_FLEXIBLE_ATOMS_MAX);
    return QN_OK;
}

qn_status qn_flexible_tree_add_sides(qn_flexible_tree *tree, const qn_flexible_sides *sides, const char *name)
{
    joined to = {.ligand = tree};
    if (sides->count == 0) return QN_OK;
    QN_TRY(count_all(&to, sides, name));
    const qn_status status = join(&to, sides);
    qn_flexible_tree_clear(status == QN_OK ? tree : &to.tree);
    if (status == QN_OK) *tree = to.tree;
    return status;
}

void qn_flexible_side_positions(const qn_flexible_tree *tree, const qn_flexible_sides *sides, int side,
                                const qn_flexible_pose *pose, double *positions)
{
    double origins[3 * QN_FLEXIBLE_PIECES_MAX], rotations[9 * QN_FLEXIBLE_PIECES_MAX];
    int first = tree->ligand_pieces, end;
    for (int s = 0; s < side; s++) first += sides->sides[s].tree.piece_count - 1;
    end = first + sides->sides[side].tree.piece_count - 1;
    qn_flexible_frames(tree, pose, origins, rotations);
    const int staying = tree->moving_count + STAYING * side;
    for (int i = tree->ligand_count; i < tree->atom_count; i++)
        if ((tree->piece[i] >= first && tree->piece[i] < end) || i == staying || i == staying + 1)
            qn_flexible_position(tree, origins, rotations, i, positions + 3 * tree->atom[i]);
}

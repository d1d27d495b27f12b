#include "flexible/tree.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "flexible/stated.h"
#include "score/vina.h"

static const double shortest_axis_angstrom = 1e-3;
enum { FAR = 4 /* bonds; atoms at this distance or farther make pairs */ };

/* The tree while it is made. Pieces and atoms are those of the compound until they are placed. */
typedef struct tree_making {
    const qn_compound *compound;
    const int *known; /* types of its atoms; NULL: they are found */
    qn_flexible_tree *tree;
    qn_compound_neighbours near;
    int *type;     /* of each atom of the compound */
    int *piece;    /* of each atom, with pieces that turn only hydrogens merged into others */
    int *place;    /* of each atom in the tree */
    int *distance; /* in bonds, for the pairs */
    int *queue;
    bool *used; /* of each branch */
} tree_making;

static bool is_heavy(const tree_making *making, int atom)
{
    return making->type[atom] >= 0;
}

/* ---- The root ---- */

static int central_atom(const tree_making *making)
{
    const qn_compound *compound = making->compound;
    double centroid[3] = {0}, least = INFINITY;
    int heavy = 0, found = -1;
    for (size_t i = 0; i < compound->atom_count; i++) {
        if (!is_heavy(making, (int)i)) continue;
        heavy++;
        for (size_t d = 0; d < 3; d++) centroid[d] += compound->positions_angstrom[3 * i + d];
    }
    for (size_t d = 0; d < 3; d++) centroid[d] /= heavy;
    for (size_t i = 0; i < compound->atom_count; i++) {
        double square = 0;
        for (size_t d = 0; d < 3; d++) {
            const double difference = compound->positions_angstrom[3 * i + d] - centroid[d];
            square += difference * difference;
        }
        if (!is_heavy(making, (int)i) || square >= least) continue;
        least = square;
        found = (int)i;
    }
    return found;
}

/* ---- Pieces ---- */

/* Whether the side of a branch that begins with `end` has no heavy atom but `end`. */
static bool turns_nothing(const tree_making *making, int end)
{
    const qn_compound *compound = making->compound;
    const qn_compound_tree *from = &compound->tree;
    const int piece = making->piece[end];
    int branches = 0;
    for (size_t i = 0; i + 1 < from->piece_count; i++) {
        if (making->piece[from->branches[i].first] == making->piece[from->branches[i].second]) continue;
        branches += making->piece[from->branches[i].first] == piece;
        branches += making->piece[from->branches[i].second] == piece;
    }
    for (size_t i = 0; i < compound->atom_count; i++)
        if (making->piece[i] == piece && (int)i != end && is_heavy(making, (int)i)) return false;
    return branches == 1;
}

/* Merge pieces without a heavy atom off the axis into their neighbours; until none is left, since a chain of them may
 * end in another. `root` stays a piece's atom. */
static void merge_idle_pieces(tree_making *making)
{
    const qn_compound_tree *from = &making->compound->tree;
    for (bool merged = true; merged;) {
        merged = false;
        for (size_t i = 0; i + 1 < from->piece_count; i++) {
            const int ends[2] = {from->branches[i].first, from->branches[i].second};
            const int pieces[2] = {making->piece[ends[0]], making->piece[ends[1]]};
            if (pieces[0] == pieces[1]) continue;
            const bool idle[2] = {turns_nothing(making, ends[0]), turns_nothing(making, ends[1])};
            if (!idle[0] && !idle[1]) continue;
            const int kept = pieces[idle[0] ? 1 : 0], gone = pieces[idle[0] ? 0 : 1];
            for (size_t a = 0; a < making->compound->atom_count; a++)
                if (making->piece[a] == gone) making->piece[a] = kept;
            merged = true;
        }
    }
}

/* Take the heavy atoms of a piece of the compound into the tree as its next piece. */
static void take_piece(tree_making *making, int parent, int near, int far)
{
    qn_flexible_tree *tree = making->tree;
    qn_flexible_piece *piece = &tree->pieces[tree->piece_count];
    *piece = (qn_flexible_piece){.parent = parent, .near = near, .first = tree->heavy_count};
    for (size_t i = 0; i < making->compound->atom_count; i++) {
        if (making->piece[i] != making->piece[far] || !is_heavy(making, (int)i)) continue;
        making->place[i] = tree->heavy_count;
        tree->atom[tree->heavy_count] = (int)i;
        tree->piece[tree->heavy_count++] = tree->piece_count;
    }
    piece->end = tree->heavy_count;
    piece->far = making->place[far];
    tree->piece_count++;
}

/* Take the root and then, depth first, the pieces behind it. A branch is entered from either end. */
static qn_status take_pieces(tree_making *making, int root)
{
    qn_flexible_tree *tree = making->tree;
    const qn_compound_tree *from = &making->compound->tree;
    take_piece(making, -1, -1, root);
    for (int open = 0; open >= 0;) {
        const int piece = making->piece[tree->atom[tree->pieces[open].far]];
        int near = -1, far = -1;
        for (size_t i = 0; i + 1 < from->piece_count && near < 0; i++) {
            const qn_compound_branch *branch = &from->branches[i];
            const int first = making->piece[branch->first], second = making->piece[branch->second];
            if (making->used[i] || first == second || (first != piece && second != piece)) continue;
            making->used[i] = true;
            near = first == piece ? branch->first : branch->second;
            far = first == piece ? branch->second : branch->first;
        }
        if (near < 0) {
            tree->pieces[open].behind = tree->heavy_count;
            open = tree->pieces[open].parent;
            continue;
        }
        if (!is_heavy(making, near) || !is_heavy(making, far))
            return QN_FAIL(QN_BAD_FORMAT,
                           "%s: a bond to a hydrogen (atoms %d and %d) turns; expected one between heavy "
                           "atoms",
                           making->compound->name, near + 1, far + 1);
        if (tree->piece_count > QN_FLEXIBLE_TORSIONS_MAX)
            return QN_FAIL(QN_BAD_FORMAT, "%s: more than %d torsions", making->compound->name,
                           QN_FLEXIBLE_TORSIONS_MAX);
        take_piece(making, open, making->place[near], far);
        open = tree->piece_count - 1;
    }
    return QN_OK;
}

/* Hydrogens follow the heavy atoms. */
static void take_hydrogens(tree_making *making)
{
    qn_flexible_tree *tree = making->tree;
    int count = tree->heavy_count;
    for (size_t i = 0; i < making->compound->atom_count; i++) {
        if (is_heavy(making, (int)i)) continue;
        for (int k = 0; k < tree->piece_count; k++)
            if (making->piece[tree->atom[tree->pieces[k].far]] == making->piece[i]) tree->piece[count] = k;
        making->place[i] = count;
        tree->atom[count++] = (int)i;
    }
    for (int i = 0; i < count; i++) tree->type[i] = making->type[tree->atom[i]];
    tree->atom_count = count;
}

/* ---- Frames of the given positions: all rotations are the unit matrix ---- */

static qn_status measure(tree_making *making)
{
    qn_flexible_tree *tree = making->tree;
    const double *given = making->compound->positions_angstrom;
    for (int k = 0; k < tree->piece_count; k++) {
        qn_flexible_piece *piece = &tree->pieces[k];
        const double *far = given + 3 * (size_t)tree->atom[piece->far];
        if (k == 0) {
            memcpy(tree->place, far, sizeof tree->place);
            continue;
        }
        const double *near = given + 3 * (size_t)tree->atom[piece->near];
        const double *origin = given + 3 * (size_t)tree->atom[tree->pieces[piece->parent].far];
        double length = 0;
        for (int d = 0; d < 3; d++) {
            piece->offset[d] = far[d] - origin[d];
            piece->axis[d] = far[d] - near[d];
            length += piece->axis[d] * piece->axis[d];
        }
        if (!(length > shortest_axis_angstrom * shortest_axis_angstrom))
            return QN_FAIL(QN_BAD_FORMAT, "%s: atoms %d and %d, whose bond turns, are in one place",
                           making->compound->name, tree->atom[piece->near] + 1, tree->atom[piece->far] + 1);
        for (int d = 0; d < 3; d++) piece->axis[d] /= sqrt(length);
    }
    for (int i = 0; i < tree->atom_count; i++) {
        const double *origin = given + 3 * (size_t)tree->atom[tree->pieces[tree->piece[i]].far];
        for (int d = 0; d < 3; d++) tree->local[3 * i + d] = given[3 * (size_t)tree->atom[i] + (size_t)d] - origin[d];
    }
    return QN_OK;
}

static void find_gyration(tree_making *making)
{
    qn_flexible_tree *tree = making->tree;
    const double *given = making->compound->positions_angstrom;
    double sums[3] = {0}, squares = 0;
    for (int i = 0; i < tree->heavy_count; i++)
        for (int d = 0; d < 3; d++) {
            const double x = given[3 * (size_t)tree->atom[i] + (size_t)d] - tree->place[d];
            sums[d] += x;
            squares += x * x;
        }
    const double count = tree->heavy_count;
    squares -= (sums[0] * sums[0] + sums[1] * sums[1] + sums[2] * sums[2]) / count;
    tree->gyration_angstrom = sqrt(fmax(0, squares / count));
}

/* ---- Pairs ---- */

/* Whether an atom moves with a piece: its own atoms do, and both ends of each axis at it. */
static bool moves_with(const qn_flexible_tree *tree, int atom, int piece)
{
    const qn_flexible_piece *own = &tree->pieces[tree->piece[atom]];
    if (tree->piece[atom] == piece || tree->pieces[piece].near == atom) return true;
    return own->far == atom && own->parent == piece;
}

/* Whether the distance of two heavy atoms never changes, since both move with one piece. */
static bool is_fixed(const qn_flexible_tree *tree, int a, int b)
{
    for (int k = 0; k < tree->piece_count; k++)
        if (moves_with(tree, a, k) && moves_with(tree, b, k)) return true;
    return false;
}

/* Mark the atoms up to three bonds away from one. */
static void mark_near(tree_making *making, int from)
{
    int count = 1;
    making->distance[from] = 0;
    making->queue[0] = from;
    for (int read = 0; read < count; read++) {
        const int atom = making->queue[read];
        if (making->distance[atom] == FAR - 1) continue;
        for (size_t k = making->near.start[atom]; k < making->near.start[atom + 1]; k++) {
            const int next = making->near.neighbour[k];
            if (making->distance[next] < FAR) continue;
            making->distance[next] = making->distance[atom] + 1;
            making->queue[count++] = next;
        }
    }
}

static double bond_square(const tree_making *making, int a, int b)
{
    const double *x = making->compound->positions_angstrom + 3 * (size_t)a;
    const double *y = making->compound->positions_angstrom + 3 * (size_t)b;
    return (x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]);
}

/* The same as Vina's program does it, depth first, the nearest neighbour first. An atom of a ring of three or four that
 * is reached the long way round is not left again, so atoms behind it may be missed: their pairs count. */
static void mark_near_depth_first(tree_making *making, int from, int distance)
{
    const size_t first = making->near.start[from], end = making->near.start[from + 1];
    double done = -1;
    making->distance[from] = distance;
    if (distance == FAR - 1) return;
    for (size_t step = first; step < end; step++) {
        double least = INFINITY;
        int next = -1;
        for (size_t k = first; k < end; k++) {
            const double square = bond_square(making, from, making->near.neighbour[k]);
            if (square <= done || square >= least) continue;
            least = square;
            next = making->near.neighbour[k];
        }
        done = least;
        if (next >= 0 && making->distance[next] == FAR) mark_near_depth_first(making, next, distance + 1);
    }
}

static qn_status add_pair(qn_flexible_tree *tree, int i, int j, size_t *capacity)
{
    void *memory = tree->pairs;
    qn_status status = qn_grow(&memory, capacity, tree->pair_count + 1, sizeof *tree->pairs);
    tree->pairs = memory;
    QN_TRY(status);
    tree->pairs[tree->pair_count++] = (qn_flexible_pair){i < j ? i : j, i < j ? j : i};
    return QN_OK;
}

/* Each pair is seen from the atom that comes later in the compound, as in Vina. */
static qn_status find_pairs(tree_making *making, qn_flexible_types types)
{
    qn_flexible_tree *tree = making->tree;
    size_t capacity = 0;
    for (int j = 0; j < tree->heavy_count; j++) {
        for (size_t i = 0; i < making->compound->atom_count; i++) making->distance[i] = FAR;
        if (types == QN_FLEXIBLE_TYPES_FILE)
            mark_near_depth_first(making, tree->atom[j], 0);
        else
            mark_near(making, tree->atom[j]);
        for (int i = 0; i < tree->heavy_count; i++)
            if (tree->atom[i] < tree->atom[j] && making->distance[tree->atom[i]] == FAR && !is_fixed(tree, i, j))
                QN_TRY(add_pair(tree, i, j, &capacity));
    }
    return QN_OK;
}

/* ---- All together ---- */

static qn_status allocate(tree_making *making)
{
    const size_t atoms = making->compound->atom_count;
    qn_flexible_tree *tree = making->tree;
    QN_TRY(qn_allocate(QN_FLEXIBLE_PIECES_MAX, sizeof *tree->pieces, (void **)&tree->pieces));
    QN_TRY(qn_allocate(atoms, sizeof *tree->atom, (void **)&tree->atom));
    QN_TRY(qn_allocate(atoms, sizeof *tree->piece, (void **)&tree->piece));
    QN_TRY(qn_allocate(atoms, sizeof *tree->type, (void **)&tree->type));
    QN_TRY(qn_allocate(3 * atoms, sizeof *tree->local, (void **)&tree->local));
    QN_TRY(qn_allocate(atoms, sizeof(int), (void **)&making->type));
    QN_TRY(qn_allocate(atoms, sizeof(int), (void **)&making->piece));
    QN_TRY(qn_allocate(atoms, sizeof(int), (void **)&making->place));
    QN_TRY(qn_allocate(atoms, sizeof(int), (void **)&making->distance));
    QN_TRY(qn_allocate(atoms, sizeof(int), (void **)&making->queue));
    return qn_allocate(making->compound->tree.piece_count, sizeof(bool), (void **)&making->used);
}

static qn_status check(const tree_making *making, int *root)
{
    const qn_compound *compound = making->compound;
    int heavy = 0;
    for (size_t i = 0; i < compound->atom_count; i++) heavy += is_heavy(making, (int)i);
    if (heavy == 0) return QN_FAIL(QN_BAD_FORMAT, "%s: no heavy atoms", compound->name);
    if (heavy > QN_FLEXIBLE_ATOMS_MAX)
        return QN_FAIL(QN_BAD_FORMAT, "%s: %d heavy atoms; expected at most %d", compound->name, heavy,
                       QN_FLEXIBLE_ATOMS_MAX);
    if (*root >= (int)compound->atom_count || (*root >= 0 && !is_heavy(making, *root)))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: atom %d is not one of its %d heavy atoms", compound->name, *root + 1,
                       heavy);
    if (*root < 0) *root = central_atom(making);
    return QN_OK;
}

/* Types of the atoms, and Vina's count of torsions. */
static qn_status find_types(tree_making *making, qn_flexible_types types)
{
    const qn_compound *compound = making->compound;
    double *torsions = &making->tree->torsion_count;
    if (making->known) {
        memcpy(making->type, making->known, compound->atom_count * sizeof *making->type);
        return QN_OK;
    }
    const bool stated = types == QN_FLEXIBLE_TYPES_FILE;
    QN_TRY(stated ? qn_flexible_stated_types(compound, making->type) : qn_vina_types(compound, making->type));
    return stated ? qn_flexible_stated_torsions(compound, torsions) : qn_vina_rotatable_bonds(compound, torsions);
}

static qn_status make(tree_making *making, qn_flexible_types types, int root)
{
    const qn_compound *compound = making->compound;
    qn_flexible_tree *tree = making->tree;
    QN_TRY(allocate(making));
    QN_TRY(qn_compound_find_neighbours(compound, &making->near));
    QN_TRY(find_types(making, types));
    QN_TRY(check(making, &root));
    memcpy(making->piece, compound->tree.piece, compound->atom_count * sizeof *making->piece);
    if (!making->known) merge_idle_pieces(making);
    QN_TRY(take_pieces(making, root));
    take_hydrogens(making);
    tree->ligand_count = tree->moving_count = tree->heavy_count;
    tree->ligand_pieces = tree->piece_count;
    QN_TRY(measure(making));
    find_gyration(making);
    return find_pairs(making, types);
}

static qn_status prepare(qn_compound *compound, qn_flexible_types types)
{
    if (compound->conformer_count == 0) return QN_FAIL(QN_BAD_FORMAT, "%s: no positions", compound->name);
    if (types == QN_FLEXIBLE_TYPES_OWN) return qn_flexible_own_pieces(compound);
    if (compound->tree.piece_count == 0)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: the file states no pieces that turn; expected a PDBQT with ROOT and BRANCH "
                       "records, or types of our own",
                       compound->name);
    if (compound->tree.glued)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: glue atoms (types G, CG) hold an opened ring together; expected a closed "
                       "ring, which stays rigid",
                       compound->name);
    QN_TRY(qn_flexible_stated_bonds(compound));
    return qn_flexible_stated_check_whole(compound);
}

qn_status qn_flexible_tree_create(qn_compound *compound, qn_flexible_types types, int root, qn_flexible_tree *tree)
{
    *tree = (qn_flexible_tree){0};
    QN_TRY(prepare(compound, types));
    return qn_flexible_tree_create_known(compound, types, NULL, root, tree);
}

qn_status qn_flexible_tree_create_known(const qn_compound *compound, qn_flexible_types types, const int *rows, int root,
                                        qn_flexible_tree *tree)
{
    tree_making making = {.compound = compound, .known = rows, .tree = tree};
    *tree = (qn_flexible_tree){0};
    qn_status status = make(&making, types, root);
    qn_compound_neighbours_clear(&making.near);
    qn_release(&making.type);
    qn_release(&making.piece);
    qn_release(&making.place);
    qn_release(&making.distance);
    qn_release(&making.queue);
    qn_release(&making.used);
    if (status != QN_OK) qn_flexible_tree_clear(tree);
    return status;
}

void qn_flexible_tree_clear(qn_flexible_tree *tree)
{
    qn_release(&tree->pieces);
    qn_release(&tree->atom);
    qn_release(&tree->piece);
    qn_release(&tree->type);
    qn_release(&tree->local);
    qn_release(&tree->pairs);
    *tree = (qn_flexible_tree){0};
}

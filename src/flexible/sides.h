/* Side chains of a receptor that turn with the ligand (tree.h).
 *
 * A side chain turns about Cα-Cβ and the bonds behind that move heavy atoms. Its atoms and Cα leave the rigid receptor;
 * Cα and Cβ stay where they are. As in AutoDock Vina, pairs of the ligand with them count as inter, other pairs of
 * atoms that move as intra: with the rigid receptor, at any distance in bonds, and with side chains, Cα and Cβ, within
 * a side chain when more than three bonds apart. Vina forgets the pairs of the ligand with Cα and Cβ; they count here.
 *
 * Life cycle: qn_flexible_sides_take → qn_flexible_tree_add_sides for each ligand → qn_flexible_sides_clear. Any
 * threads may read them.
 */
#ifndef QN_FLEXIBLE_SIDES_H
#define QN_FLEXIBLE_SIDES_H

#include "flexible/tree.h"
#include "score/autodock/atoms.h"
#include "score/receptor.h"

enum { QN_FLEXIBLE_SIDES_MAX = 8 };

typedef struct qn_flexible_side {
    qn_residue residue;    /* its name, chain and number; its atoms are the compound's */
    qn_compound *compound; /* Cα, the heavy atoms by pieces, polar hydrogens, which are built where the receptor has
                            * none; types and charges are AutoDock's; piece 0 is Cα */
    qn_flexible_tree tree; /* of the compound, with Cα as root */
} qn_flexible_side;

typedef struct qn_flexible_sides {
    int count;
    qn_flexible_side sides[QN_FLEXIBLE_SIDES_MAX];
} qn_flexible_sides;

/* Take side chains out of a receptor, whose types are Vina's. texts: "A:TRP177", or several with commas between them;
 * `option` and `file` name them and the receptor in messages. stated: AutoDock's types and charges of all atoms, as a
 * PDBQT states them, which also decides by whose rule bonds are counted; NULL: they follow from the chemistry. The
 * receptor gets another hash. QN_INVALID_ARGUMENT: a residue that is not there or has another name, is no amino acid or
 * has no side chain that turns, twice the same, over eight; QN_BAD_FORMAT: a side chain that is incomplete or bound to
 * another residue, a receptor without names of residues. */
QN_MUST_CHECK qn_status qn_flexible_sides_take(qn_score_receptor *receptor, const qn_autodock_atoms *stated,
                                               const char *const *texts, size_t count, const char *option,
                                               const char *file, qn_flexible_sides *sides);
void qn_flexible_sides_clear(qn_flexible_sides *sides);

/* Add side chains to the tree of a ligand. `name`: the ligand's. QN_BAD_FORMAT: over 48 torsions or 256 heavy atoms
 * with those of the side chains. */
QN_MUST_CHECK qn_status qn_flexible_tree_add_sides(qn_flexible_tree *tree, const qn_flexible_sides *sides,
                                                   const char *name);

/* Positions of all atoms of a side chain in a pose (Å), in the order of its compound. */
void qn_flexible_side_positions(const qn_flexible_tree *tree, const qn_flexible_sides *sides, int side,
                                const qn_flexible_pose *pose, double *positions);

/* The heavy atoms of a side chain by name, in pieces: "CB CG2|CG1 CD1/CD". Each piece turns about the bond from the
 * first atom of the piece before, the first piece from Cα; a slash separates names of one atom. NULL: the residue has
 * no side chain that turns, or it is not known. */
const char *qn_flexible_side_pieces(const char *residue_name);

#endif

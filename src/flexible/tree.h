/* A ligand, and side chains of its receptor, as a tree of rigid pieces joined by bonds that turn, in arrays.
 *
 * Pieces are in depth-first order from the root, and heavy atoms in the order of their pieces, so that the heavy atoms
 * that a torsion moves are one range. Piece p > 0 turns about the axis from `near`, an atom of its parent, to `far`, an
 * atom of its own, which is its origin: torsion p − 1. Hydrogens follow the heavy atoms; they move but have no energy.
 *
 *     root 0-1-2      pieces   0: atoms 0 1 2, behind 0 … 8
 *           \         1: near 1, far 3, atoms 3 4, behind 3 … 6
 *            3-4-5    2: near 4, far 5, atom 5, behind 5 … 6
 *          6-7-…      3: near 0, far 6, atoms 6 7, behind 6 … 8
 *
 * Side chains (sides.h) follow the ligand. Their first pieces have the receptor's frame as parent, which stays: it has
 * the number piece_count, and no rotation. Atoms that stay, Cα and Cβ of side chains, are in that frame, after those
 * that move; Cβ is the origin of the first piece, which may have no atoms of its own:
 *
 *     heavy atoms   0 … ligand_count … moving_count … heavy_count     then hydrogens … atom_count
 *     pieces        0 … ligand_pieces … piece_count                   the receptor's frame: piece_count
 */
#ifndef QN_FLEXIBLE_TREE_H
#define QN_FLEXIBLE_TREE_H

#include "model/compound.h"

enum {
    QN_FLEXIBLE_ATOMS_MAX = 256,
    QN_FLEXIBLE_TORSIONS_MAX = 48,
    QN_FLEXIBLE_PIECES_MAX = 50 /* frames: 49 pieces and the receptor's */
};

typedef struct qn_flexible_piece {
    int parent;       /* −1: the root; piece_count: the receptor's frame */
    int near, far;    /* ends of the axis; of the root, `far` is its origin and `near` −1 */
    int first, end;   /* its heavy atoms */
    int behind;       /* heavy atoms first … behind − 1 move with it */
    double axis[3];   /* unit vector from near to far, in the frame of the parent */
    double offset[3]; /* of its origin from the parent's, in the frame of the parent (Å) */
} qn_flexible_piece;

typedef struct qn_flexible_pair {
    int first, second; /* heavy atoms, first < second */
} qn_flexible_pair;

typedef struct qn_flexible_tree {
    int atom_count, heavy_count, piece_count;
    int ligand_count, moving_count, ligand_pieces; /* equal to heavy_count and piece_count without side chains */
    size_t pair_count;
    qn_flexible_piece *pieces;
    int *atom;                /* index in its compound of each atom of the tree */
    int *piece;               /* of each atom */
    int *type;                /* row of Vina's table of each atom; −1: a hydrogen */
    double *local;            /* atom_count × 3: positions in the frame of the piece, from its origin (Å) */
    qn_flexible_pair *pairs;  /* heavy atoms more than three bonds apart whose distance changes, of different molecules
                               * too */
    double torsion_count;     /* Vina's N, which divides energies */
    double place[3];          /* of the root's origin in the given positions (Å) */
    double gyration_angstrom; /* root mean square distance of the ligand's heavy atoms from their centroid */
} qn_flexible_tree;

/* Where types, bonds and pieces come from. */
typedef enum qn_flexible_types {
    QN_FLEXIBLE_TYPES_OWN, /* the chemistry of the compound, which qn_score_ligand_prepare has prepared */
    QN_FLEXIBLE_TYPES_FILE /* as a PDBQT states them */
} qn_flexible_types;

/* Give the compound the pieces between the bonds that turn by Quern's own rules, in place of those that its file
 * states: qn_conformers_rotatable_bonds, and bonds that turn drawn hydrogens of O, N or S. QN_BAD_FORMAT: the bonds do
 * not connect all atoms. */
QN_MUST_CHECK qn_status qn_flexible_own_pieces(qn_compound *compound);

/* Make the tree of a compound with positions. `types`: file replaces its bonds, own its pieces. `root`: an atom whose
 * piece becomes the root and whose place its origin; −1: the heavy atom nearest the centroid. A bond that turns nothing
 * but hydrogens is rigid. QN_BAD_FORMAT: a ring opened by glue, no tree in the file, over 48 torsions or 256 heavy
 * atoms, an atom without a type, atoms that no bonds join; QN_INVALID_ARGUMENT: no such root. */
QN_MUST_CHECK qn_status qn_flexible_tree_create(qn_compound *compound, qn_flexible_types types, int root,
                                                qn_flexible_tree *tree);
void qn_flexible_tree_clear(qn_flexible_tree *tree);

/* The same for a compound that has bonds and pieces. rows: the rows of Vina's table of its atoms; all its pieces stay,
 * and N is 0. NULL: types and N are found, and pieces that turn nothing are merged. */
QN_MUST_CHECK qn_status qn_flexible_tree_create_known(const qn_compound *compound, qn_flexible_types types,
                                                      const int *rows, int root, qn_flexible_tree *tree);

/* A pose: where the root is, and how far each torsion is turned from the positions that the tree was made of. */
typedef struct qn_flexible_pose {
    double place[3];                           /* of the root's origin (Å) */
    double rotation[4];                        /* unit quaternion (w, x, y, z) from those positions */
    double torsions[QN_FLEXIBLE_TORSIONS_MAX]; /* radians */
} qn_flexible_pose;

/* The pose of the positions that the tree was made of. */
void qn_flexible_pose_given(const qn_flexible_tree *tree, qn_flexible_pose *pose);

/* Number of degrees of freedom: place, rotation, torsions. */
static inline int qn_flexible_freedoms(const qn_flexible_tree *tree)
{
    return 5 + tree->piece_count;
}

/* Frames of the pieces and the receptor: origins (piece_count + 1) × 3 (Å), row-major rotations (piece_count + 1) × 9.
 */
void qn_flexible_frames(const qn_flexible_tree *tree, const qn_flexible_pose *pose, double *origins, double *rotations);

/* Position of an atom of the tree in these frames (Å). */
void qn_flexible_position(const qn_flexible_tree *tree, const double *origins, const double *rotations, int atom,
                          double position[3]);

/* Positions of the first `count` atoms of the tree in these frames: count × 3 (Å). */
void qn_flexible_positions(const qn_flexible_tree *tree, const double *origins, const double *rotations, int count,
                           double *positions);

/* Positions of all atoms of the ligand in a pose (Å), in the order of its compound. */
void qn_flexible_compound_positions(const qn_flexible_tree *tree, const qn_flexible_pose *pose, double *positions);

/* Move a pose by `length` times a step: place (Å), a rotation vector about the root's origin (radians), torsions
 * (radians, which stay in −π … π). `to` may be `from`. */
void qn_flexible_pose_step(const qn_flexible_tree *tree, const qn_flexible_pose *from, const double *step,
                           double length, qn_flexible_pose *to);

#endif

/* Ambiguous restraints: atoms of the receptor and atoms of the ligand of which any pair may be the close one.
 *
 * A restraint is satisfied if its effective distance is at most its maximum. The effective distance is
 *
 *     (Σ r^-6)^(-1/6)      over all pairs of a receptor atom and a ligand atom of the restraint
 *
 * (Nilges, J. Mol. Biol. 245, 645, 1995; Dominguez, Boelens, Bonvin, J. Am. Chem. Soc. 125, 1731, 2003), which is at
 * most the smallest of the distances. Residues whose spheres are more than two maxima and 4 Å apart are summed through
 * their centres: n m D^-6 (1 + 5 s² / D²) with n and m atoms, D between the centres and s² the sum of both mean square
 * distances from the centres. This is the Taylor series of r^-6, whose Laplacian is 30 r^-8. The effective distance
 * changes by less than 1 %.
 *
 * Life cycle: zero-initialise → add restraints → test any number of poses, in any threads → clear.
 */
#ifndef QN_DOCK_KNOWN_AMBIGUOUS_H
#define QN_DOCK_KNOWN_AMBIGUOUS_H

#include <quern/molecule.h>

/* Restraints with at most this maximum ask for contact. */
#define QN_DOCK_CONTACT_ANGSTROM 5.0

/* Heavy atoms of a residue that belong to a restraint, and a sphere around them. Input coordinates. */
typedef struct qn_dock_residue_atoms {
    double centre_angstrom[3], radius_angstrom;
    double spread_angstrom2; /* mean square distance of the atoms from the centre */
    size_t first, count;     /* into the points of the side */
} qn_dock_residue_atoms;

/* One partner's share of the restraints. */
typedef struct qn_dock_ambiguous_side {
    double *points_angstrom; /* 3 for each atom */
    size_t point_count, point_capacity;
    qn_dock_residue_atoms *residues;
    size_t residue_count, residue_capacity;
} qn_dock_ambiguous_side;

typedef struct qn_dock_ambiguous_restraint {
    size_t first[2], count[2]; /* residues of the receptor and of the ligand */
    double maximum_angstrom;
    bool single;  /* one residue of each partner: the user is sure of it */
    bool contact; /* the maximum asks for contact */
} qn_dock_ambiguous_restraint;

typedef struct qn_dock_ambiguous {
    qn_dock_ambiguous_side sides[2]; /* receptor, ligand */
    qn_dock_ambiguous_restraint *list;
    size_t count, capacity;
} qn_dock_ambiguous;

/* Add a restraint between the heavy ones of the atoms that `atoms` marks in each molecule (receptor, ligand), at least
 * one each. */
QN_MUST_CHECK qn_status qn_dock_ambiguous_add(const qn_molecule *const molecules[2], const bool *const atoms[2],
                                              double maximum_angstrom, qn_dock_ambiguous *to);
void qn_dock_ambiguous_clear(qn_dock_ambiguous *restraints);

/* Whether the pose x' = R·x + t satisfies restraint `index` with a maximum longer by `tolerance_angstrom`; `matrix` is
 * row-major. */
bool qn_dock_ambiguous_satisfied(const qn_dock_ambiguous *restraints, size_t index, double tolerance_angstrom,
                                 const double matrix[9], const double translation_angstrom[3]);

#endif

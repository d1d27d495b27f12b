/* RMSD over all symmetry mappings of a compound's equivalent atoms. */
#ifndef QN_CHEMISTRY_SYMMETRY_H
#define QN_CHEMISTRY_SYMMETRY_H

#include "model/compound.h"

typedef struct qn_symmetry {
    size_t count;      /* mappings; the identity is the first */
    size_t atom_count; /* heavy atoms */
    int *atoms;        /* index in the compound of each heavy atom */
    int *mappings;     /* [count][atom_count]: heavy atom i is mapped to heavy atom mappings[m][i] */
} qn_symmetry;

/* Automorphisms of the heavy-atom graph (elements and connections; bond orders are ignored, so both oxygens of a
 * carboxylate are equivalent). At most `most` of them are kept; *complete (may be NULL) is true when these are all. */
QN_MUST_CHECK qn_status qn_symmetry_find(const qn_compound *compound, size_t most, qn_symmetry *symmetry,
                                         bool *complete);

/* Find the atoms of `to` that the heavy atoms of `from` are, by elements and connections: heavy atom i of `from` is
 * heavy atom mapping[i] of `to`, both counted without hydrogens. Of several equivalent mappings one is found. *found is
 * false for different molecules. */
QN_MUST_CHECK qn_status qn_symmetry_match(const qn_compound *from, const qn_compound *to, int *mapping, bool *found);
void qn_symmetry_clear(qn_symmetry *symmetry);

/* Smallest root mean square distance (Å) of heavy atoms over the mappings, in place: nothing is superposed.
 * `a` and `b`: positions of all atoms of the compound. */
double qn_symmetry_rmsd_angstrom(const qn_symmetry *symmetry, const double *a, const double *b);

#endif

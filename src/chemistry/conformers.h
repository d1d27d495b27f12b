/* Conformers: other arrangements of a compound around its rotatable bonds. */
#ifndef QN_CHEMISTRY_CONFORMERS_H
#define QN_CHEMISTRY_CONFORMERS_H

#include <stdint.h>

#include "model/compound.h"

/* Bonds whose turning gives another shape: single, in no ring, both ends with another heavy neighbour, no amide, no
 * conjugated nitrile or alkyne end. Written to `bonds` (room for bond_count), counted in *count. */
QN_MUST_CHECK qn_status qn_conformers_rotatable_bonds(const qn_compound *compound, int *bonds, size_t *count);

/* 0 means the default, but for count, seed and stream. */
typedef struct qn_conformer_options {
    size_t count;              /* conformers wanted in all, the file's first one among them */
    uint64_t seed, stream;     /* counter-based: the same compound gets the same conformers */
    double diversity_angstrom; /* least heavy-atom RMSD to any other, superposed, symmetry minded; default 0.8 */
    double clash_share;        /* distance below this share of the van der Waals sum is a clash; default 0.75 */
    int tries;                 /* arrangements looked at per conformer wanted; default 50 */
} qn_conformer_options;

/* Replace the compound's conformers by the first one and up to options->count − 1 others made from it by turning its
 * rotatable bonds (torsions of the usual minima of a bond of that kind, with some spread; esters and amidines keep
 * theirs), none with a clash or an atom through a ring, each different from all others. Bond lengths, angles and
 * chirality stay, and so does the largest rigid part in its place. Fewer may be found: one, when nothing turns. Errors:
 * QN_INVALID_ARGUMENT (no positions, a flat drawing, a position that is not finite), QN_UNSUPPORTED (over 4096 atoms),
 * those of qn_rings_find. */
QN_MUST_CHECK qn_status qn_conformers_make(qn_compound *compound, const qn_conformer_options *options);

#endif

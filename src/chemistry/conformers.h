/* Conformers: arrangements of a compound that differ by rotation about its rotatable bonds. */
#ifndef QN_CHEMISTRY_CONFORMERS_H
#define QN_CHEMISTRY_CONFORMERS_H

#include <stdint.h>

#include "model/compound.h"

/* Find the bonds whose rotation changes the shape: single, in no ring, both ends with another heavy neighbour, no
 * amide, no conjugated nitrile or alkyne end. Written to `bonds` (room for bond_count), counted in *count. */
QN_MUST_CHECK qn_status qn_conformers_rotatable_bonds(const qn_compound *compound, int *bonds, size_t *count);

/* 0 means the default, except for count, seed and stream. */
typedef struct qn_conformer_options {
    size_t count;              /* number of conformers, including the file's first one */
    uint64_t seed, stream;     /* counter-based: the same compound gets the same conformers */
    double diversity_angstrom; /* smallest RMSD of heavy atoms between two conformers, superposed; default 0.8 */
    double clash_share;        /* distance below this share of the van der Waals sum is a clash; default 0.75 */
    int tries;                 /* arrangements tried for each conformer; default 50 */
} qn_conformer_options;

/* Replace the compound's conformers by the first one and up to options->count − 1 others. These are made from the first
 * one by rotating its rotatable bonds to the usual minima of their torsions, with some spread; esters and amidines keep
 * their torsions. No conformer has a clash or an atom through a ring, and each differs from all others. Bond lengths,
 * angles, chirality and the place of the largest rigid part are unchanged. The result may have fewer conformers, or one
 * when nothing rotates. Errors: QN_INVALID_ARGUMENT (no positions, a flat drawing, a position that is not finite),
 * QN_UNSUPPORTED (over 4096 atoms), those of qn_rings_find. */
QN_MUST_CHECK qn_status qn_conformers_make(qn_compound *compound, const qn_conformer_options *options);

#endif

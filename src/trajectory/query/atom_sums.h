/* The vector code of sums over selected atoms (atom_sums_host.c), a block of them at a time, and of what is made of
 * those of molecules. A sum is made of four, of
 * every fourth atom each, whatever the width of vectors: the same bits on all processors. */
#ifndef QN_TRAJECTORY_QUERY_ATOM_SUMS_H
#define QN_TRAJECTORY_QUERY_ATOM_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/host_variant.h"

enum { QN_ATOM_BLOCK = 256, QN_SUM_LANES = 4 };

/* Up to QN_ATOM_BLOCK atoms of a frame, ascending, and what they are weighted with. */
typedef struct qn_atom_block {
    const float *positions_nm; /* of the frame */
    const uint32_t *atoms;
    const double *weights; /* behind the last there are zeros up to a multiple of QN_SUM_LANES */
    size_t count;
} qn_atom_block;

/* Σ w, Σ w d, Σ w d dᵀ (xx xy xz yy yz zz), d from an origin: each the sum of its lanes. */
typedef struct qn_moment_lanes {
    double weight[QN_SUM_LANES], first[3][QN_SUM_LANES], second[6][QN_SUM_LANES];
} qn_moment_lanes;

/* The slab of a position r is the whole part of count · fraction of (r · normal − shift). */
typedef struct qn_slab_rule {
    double normal[3], shift; /* 1/nm; — */
    int count;
} qn_slab_rule;

/* Of the selected atoms of a molecule; moments are about the origin. */
typedef struct qn_molecule_sums {
    double mass_moment[3], mass;     /* amu nm, amu */
    double charge_moment[3], charge; /* e nm, e */
} qn_molecule_sums;

typedef struct qn_atom_sums {
    /* Up to the `order`-th, 0 to 2. */
    void (*add_moments)(const qn_atom_block *block, int order, const double origin_nm[3], qn_moment_lanes *lanes);
    /* slabs[i] of each atom; rule->count for one whose position is no number or lost among images. */
    void (*find_slabs)(const qn_atom_block *block, const qn_slab_rule *rule, int32_t slabs[QN_ATOM_BLOCK]);
    /* The block's weights are masses. Sums of each run of atoms that are of one molecule, at most one an atom, and
     * which it is, by molecule_of[atom]; how many there are. */
    size_t (*sum_runs)(const qn_atom_block *block, const double *charges, const uint32_t *molecule_of,
                       qn_molecule_sums *sums, uint32_t *molecules);
    /* |dipole| of each about its centre of mass, e nm; -1 of one without mass. */
    void (*find_dipoles)(const qn_molecule_sums *sums, size_t count, double *dipoles);
} qn_atom_sums;

QN_HOST_DECLARE(const qn_atom_sums, qn_atom_sums_host);

#endif

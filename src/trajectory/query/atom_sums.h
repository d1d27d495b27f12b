/* Vector code (atom_sums_host.c) for sums over blocks of selected atoms, and for dipoles of molecules. A sum over atoms
 * is made of four partial sums, each over every fourth atom, whatever the vector width is. So all processors compute
 * the same bits. */
#ifndef QN_TRAJECTORY_QUERY_ATOM_SUMS_H
#define QN_TRAJECTORY_QUERY_ATOM_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/host_variant.h"

enum { QN_ATOM_BLOCK = 256, QN_SUM_LANES = 4 };

/* Up to QN_ATOM_BLOCK atoms of a frame, ascending, and their weights. */
typedef struct qn_atom_block {
    const float *positions_nm; /* of the frame */
    const uint32_t *atoms;
    const double *weights; /* zeros follow the last weight up to a multiple of QN_SUM_LANES */
    size_t count;
} qn_atom_block;

/* Σ w, Σ w d, Σ w d dᵀ (xx xy xz yy yz zz) with d the position relative to an origin: each is the sum of its lanes. */
typedef struct qn_moment_lanes {
    double weight[QN_SUM_LANES], first[3][QN_SUM_LANES], second[6][QN_SUM_LANES];
} qn_moment_lanes;

/* Positions in files are multiples of 0.001 nm or 0.01 Å, so many atoms lie exactly on boundaries of slabs, and single
 * precision moves them to either side. So a fraction that is below a boundary by no more than the rounding of positions
 * and box, 2⁻²⁴ of their values each, counts as on the boundary. XTC's positions are rounded twice more, as products of
 * an integer and a rounded 1/precision. Slabs of lattice positions are then those of integer arithmetic. */
static const double QN_SLAB_ROUNDING = 4.0 / (1 << 24);

/* The slab of a position r is floor(count · f), where f is the fractional part of r · normal − shift, raised by
 * QN_SLAB_ROUNDING of Σ |r_k normal_k|. */
typedef struct qn_slab_rule {
    double normal[3], shift; /* 1/nm; — */
    int count;
} qn_slab_rule;

/* Sums over the selected atoms of a molecule; moments are about the origin. */
typedef struct qn_molecule_sums {
    double mass_moment[3], mass;     /* amu nm, amu */
    double charge_moment[3], charge; /* e nm, e */
} qn_molecule_sums;

typedef struct qn_atom_sums {
    /* Add the moments of the block to `lanes`, up to the `order`-th: 0, 1 or 2. */
    void (*add_moments)(const qn_atom_block *block, int order, const double origin_nm[3], qn_moment_lanes *lanes);
    /* slabs[i] becomes the slab of atom i, or rule->count if the position is NaN or at least 1e15 box heights away. */
    void (*find_slabs)(const qn_atom_block *block, const qn_slab_rule *rule, int32_t slabs[QN_ATOM_BLOCK]);
    /* Sum each run of consecutive atoms of one molecule. The block's weights are masses. sums[k] and molecules[k] are
     * the sums and the molecule of run k; both arrays have room for one run per atom. Returns the number of runs. */
    size_t (*sum_runs)(const qn_atom_block *block, const double *charges, const uint32_t *molecule_of,
                       qn_molecule_sums *sums, uint32_t *molecules);
    /* |dipole| of each molecule about its centre of mass, in e nm; -1 for a molecule without mass. */
    void (*find_dipoles)(const qn_molecule_sums *sums, size_t count, double *dipoles);
} qn_atom_sums;

QN_HOST_DECLARE(const qn_atom_sums, qn_atom_sums_host);

#endif

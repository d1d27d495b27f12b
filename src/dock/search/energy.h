/* A docking energy as a sum over grids.
 *
 * A ligand grid holds one weight of each of the ligand's sites (1 per heavy atom, charge, an eigenvector's component).
 * A receptor layer holds, at each voxel, the energy of one unit of such a weight. A term (repulsion, electrostatic …)
 * is a sum of layers. A coefficient set has a weight for each term:
 *
 *     E_set(pose) = Σ_terms weight[set][term] Σ_layers of the term scale[set][layer] Σ_sites layer(x) · ligand weight
 *
 * Sets share the ligand grids and most layers, so that each additional set costs one inverse transform per rotation.
 *
 * Life cycle: create → fill (once the grid is known) → combine, rescore → clear.
 */
#ifndef QN_DOCK_SEARCH_ENERGY_H
#define QN_DOCK_SEARCH_ENERGY_H

#include "base/thread_pool.h"
#include "dock/search/grid.h"
#include "score/coefficients.h"

enum { QN_DOCK_TERMS_MAX = 5, QN_DOCK_LAYERS_MAX = 5 + 2 * QN_COEFFICIENTS_MAX + 18 };

typedef enum qn_dock_layer_kind {
    QN_DOCK_CORE,      /* 1 in the receptor's core, which a probe from outside does not reach; 0 elsewhere */
    QN_DOCK_COUNT,     /* Σ weights of the atoms closer than their radius + reach; 0 in the core */
    QN_DOCK_NEAR,      /* Σ weights of the atoms closer than reach */
    QN_DOCK_POTENTIAL, /* Σ weights · potential of score/electrostatics.h with D = length */
} qn_dock_layer_kind;

typedef struct qn_dock_layer {
    qn_dock_layer_kind kind;
    int term, ligand_grid;
    double reach_angstrom;  /* COUNT, NEAR */
    double length_angstrom; /* POTENTIAL */
    double cap;             /* COUNT: largest value; INFINITY: no limit */
    double *weights;        /* of the receptor's sites */
    float *values;          /* volume of the grid, x fastest */
} qn_dock_layer;

typedef struct qn_dock_set {
    char name[QN_COEFFICIENTS_NAME];
    double weight[QN_DOCK_TERMS_MAX];
    double *scale; /* per layer; 0: the set does not use the layer */
} qn_dock_set;

typedef struct qn_dock_energy {
    int term_count;
    const char *term_names[QN_DOCK_TERMS_MAX];
    int grid_count, trilinear_grid; /* ligand grids: number; the one spread trilinearly, not to the nearest voxel */
    double *ligand_weights;         /* [grid_count][sites of the ligand] */
    size_t layer_count, set_count;
    qn_dock_layer *layers;
    qn_dock_set *sets;
} qn_dock_energy;

/* Energies of contacts with residues of a partner; NULL: none. */
typedef struct qn_dock_masks {
    const double *receptor, *ligand; /* energy per pair of heavy atoms in contact, by residue */
    const bool *cdrs;                /* receptor residues in complementarity-determining regions */
    double cdr_penalty;              /* of all other residues, in sets for CDRs only */
    const bool *ligand_cdrs;         /* the same for residues of the ligand */
} qn_dock_masks;

/* The PIPER energy with the first `pair_terms` terms of the pair potential (0 … 18). */
QN_MUST_CHECK qn_status qn_dock_energy_piper(const qn_dock_partner *receptor, const qn_dock_partner *ligand,
                                             const qn_coefficients *sets, size_t set_count, int pair_terms,
                                             const qn_dock_masks *masks, qn_dock_energy *energy);

/* The fast score "rpsc" (score/rpsc.h): one set. */
QN_MUST_CHECK qn_status qn_dock_energy_rpsc(const qn_dock_partner *receptor, const qn_dock_partner *ligand,
                                            const qn_dock_masks *masks, qn_dock_energy *energy);

void qn_dock_energy_clear(qn_dock_energy *energy);

/* Longest reaches from a receptor atom to a ligand atom: `contact_angstrom` of the shape, mask and pair terms,
 * `reach_angstrom` of all terms. */
void qn_dock_energy_reach(const qn_dock_energy *energy, const qn_dock_partner *receptor, double *contact_angstrom,
                          double *reach_angstrom);

/* Compute the layers. Each voxel is summed in double precision, atom by atom, so that any number of threads gives the
 * same bits. */
QN_MUST_CHECK qn_status qn_dock_energy_fill(qn_dock_energy *energy, const qn_dock_partner *receptor,
                                            const qn_dock_grid *grid, qn_pool *pool);

/* Compute the weighted energy of one unit of ligand grid `ligand_grid` at the voxels first … first + count − 1. */
void qn_dock_energy_combine(const qn_dock_energy *energy, size_t set, int ligand_grid, size_t first, size_t count,
                            float *values);

/* Number of the last ligand grids whose weighted layers are the same in all sets; 0 for one set, and less than the
 * number of grids. */
int qn_dock_energy_common_grids(const qn_dock_energy *energy);

/* Compute the terms from the sums of the layers. Returns the weighted sum of the terms. */
double qn_dock_energy_total(const qn_dock_energy *energy, size_t set, const double *layer_sums,
                            double terms[QN_DOCK_TERMS_MAX]);

#endif

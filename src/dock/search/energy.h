/* An energy as grids: what is summed when a ligand meets a receptor.
 *
 * A ligand grid holds one weight of each of the ligand's sites (1 per heavy atom, charge, an eigenvector's component).
 * A receptor layer holds, at each voxel, what one unit of such a weight meets there. A term (repulsion, electrostatic
 * …) is a sum of layers, a coefficient set weighs the terms:
 *
 *     E_set(pose) = Σ_terms weight[set][term] Σ_layers of the term scale[set][layer] Σ_sites layer(x) · ligand weight
 *
 * Several sets share the ligand grids and most layers, so another set costs one inverse transform a rotation.
 *
 * Life cycle: create → fill (once the grid is known) → combine, rescore → clear.
 */
#ifndef QN_DOCK_SEARCH_ENERGY_H
#define QN_DOCK_SEARCH_ENERGY_H

#include "base/thread_pool.h"
#include "dock/search/grid.h"
#include "score/coefficients.h"

enum { QN_DOCK_MOST_TERMS = 5, QN_DOCK_MOST_LAYERS = 5 + 2 * QN_COEFFICIENTS_MOST + 18 };

typedef enum qn_dock_layer_kind {
    QN_DOCK_CORE,      /* 1 in the receptor's core (kept from the outside by a probe), 0 elsewhere */
    QN_DOCK_COUNT,     /* Σ weights of the atoms closer than their radius + reach; 0 in the core */
    QN_DOCK_NEAR,      /* Σ weights of the atoms closer than reach */
    QN_DOCK_POTENTIAL, /* Σ weights · potential of score/electrostatics.h with D = length */
} qn_dock_layer_kind;

typedef struct qn_dock_layer {
    qn_dock_layer_kind kind;
    int term, ligand_grid;
    double reach_angstrom;  /* COUNT, NEAR */
    double length_angstrom; /* POTENTIAL */
    double cap;             /* COUNT: at most this; INFINITY: no limit */
    double *weights;        /* of the receptor's sites */
    float *values;          /* volume of the grid, x fastest */
} qn_dock_layer;

typedef struct qn_dock_set {
    char name[QN_COEFFICIENTS_NAME];
    double weight[QN_DOCK_MOST_TERMS];
    double *scale; /* per layer; 0: the set does without */
} qn_dock_set;

typedef struct qn_dock_energy {
    int term_count;
    const char *term_names[QN_DOCK_MOST_TERMS];
    int grid_count, trilinear_grid; /* of the ligand; the others take the nearest voxel */
    double *ligand_weights;         /* [grid_count][sites of the ligand] */
    size_t layer_count, set_count;
    qn_dock_layer *layers;
    qn_dock_set *sets;
} qn_dock_energy;

/* What the residues of a partner cost or bring when touched; NULL: nothing. */
typedef struct qn_dock_masks {
    const double *receptor, *ligand; /* energy per pair of heavy atoms in contact, by residue */
    const bool *cdrs;                /* receptor residues in complementarity-determining regions */
    double cdr_penalty;              /* of the others, in the sets that want CDRs only */
    const bool *ligand_cdrs;         /* likewise of the ligand */
} qn_dock_masks;

/* The PIPER energy with the first `pair_terms` terms of the pair potential (0 … 18). */
QN_MUST_CHECK qn_status qn_dock_energy_piper(const qn_dock_partner *receptor, const qn_dock_partner *ligand,
                                             const qn_coefficients *sets, size_t set_count, int pair_terms,
                                             const qn_dock_masks *masks, qn_dock_energy *energy);

/* The fast score "rpsc" (score/rpsc.h): one set. */
QN_MUST_CHECK qn_status qn_dock_energy_rpsc(const qn_dock_partner *receptor, const qn_dock_partner *ligand,
                                            const qn_dock_masks *masks, qn_dock_energy *energy);

void qn_dock_energy_clear(qn_dock_energy *energy);

/* Farthest distance from any receptor atom at which a ligand atom can feel shape, mask or pair terms, and any term. */
void qn_dock_energy_reach(const qn_dock_energy *energy, const qn_dock_partner *receptor, double *contact_angstrom,
                          double *reach_angstrom);

/* Compute the layers. Summed in double, atom by atom: the same bits for any thread count. */
QN_MUST_CHECK qn_status qn_dock_energy_fill(qn_dock_energy *energy, const qn_dock_partner *receptor,
                                            const qn_dock_grid *grid, qn_pool *pool);

/* Weighted energy of one unit of ligand grid `ligand_grid` at each voxel: `values` has the grid's volume. */
void qn_dock_energy_combine(const qn_dock_energy *energy, size_t set, int ligand_grid, size_t volume, float *values);

/* Terms and their weighted sum from the sums of the layers. */
double qn_dock_energy_total(const qn_dock_energy *energy, size_t set, const double *layer_sums,
                            double terms[QN_DOCK_MOST_TERMS]);

#endif

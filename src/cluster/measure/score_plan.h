/* The search for a superposition with the best score, for structures whose atoms correspond one to one.
 *
 * A score is a sum over atoms of a function of their distances after a superposition, divided by the number of atoms;
 * its value is the largest over all superpositions:
 *
 *     TM-score   Σ 1 / (1 + (d / d₀)²),  d₀ = 1.24 (L − 15)^(1/3) − 1.8 Å, at least 0.5 Å   (Zhang, Skolnick 2004)
 *     GDT-TS     mean over 1, 2, 4, 8 Å of the number of atoms within that distance, each with its best superposition
 *                                                                                           (Zemla 2003)
 *     MaxSub     Σ 1 / (1 + (d / 3.5 Å)²) over atoms with d ≤ 3.5 Å                          (Siew et al. 2000)
 *
 * No method is known that finds the largest value for certain in reasonable time; the values found are lower bounds.
 * The search begins from seeds: fragments of m, m/2, m/4 … atoms, at steps of half their length. From each it goes
 * through phases. A phase has a smooth score, and superposes all atoms again and again, each with the derivative of its
 * term as its weight, which climbs the smooth score. The smooth score of TM is the TM-score itself. Counts within c
 * are approached by Σ 1 / (1 + (d/c)^2k) with k = 1, 2, 4. */
#ifndef QN_CLUSTER_SCORE_PLAN_H
#define QN_CLUSTER_SCORE_PLAN_H

#include <quern/status.h>
#include <stddef.h>
#include <stdint.h>

typedef enum qn_score { QN_SCORE_TM, QN_SCORE_GDT, QN_SCORE_MAXSUB } qn_score; /* as SCORE_TM … of the kernel */

enum { QN_SCORE_PHASES_MAX = 12, QN_SCORE_ATOMS_LEAST = 3, QN_SCORE_ATOMS_MAX = 16384 };

/* Seeds and phases of a search; phases are score_phase of kernels/tm_score.dev.h, as four floats. */
typedef struct qn_score_plan {
    qn_score score;
    int atom_count, seed_count, phase_count;
    int32_t *seeds; /* first atom of each fragment, and the atom after its last */
    float phases[QN_SCORE_PHASES_MAX][4];
} qn_score_plan;

/* d₀ of the TM-score for proteins of `length` residues. */
double qn_tm_scale_angstrom(double length);

/* Plan for `atom_count` corresponding atoms, QN_SCORE_ATOMS_LEAST … QN_SCORE_ATOMS_MAX. `length` gives d₀: the number
 * of residues by which the TM-score is normalised. Release with qn_score_plan_clear. */
QN_MUST_CHECK qn_status qn_score_plan_make(qn_score score, size_t atom_count, double length, qn_score_plan *plan);
void qn_score_plan_clear(qn_score_plan *plan);

/* Numbers that a search finds for a pair: 4 counts of GDT, else 1. */
int qn_score_results(qn_score score);

/* The score of these numbers, normalised by `length`. */
float qn_score_value(qn_score score, const float *results, double length);

#endif

/* Penalised least squares for the motion of patches, by small matrices.
 *
 * The model of a patch p in frame t is g_t + h_p + Σ_m (B_m(t) − B̄_m) Σ_q c_mq (Q_q(p) − Q̄_q), with means over frames
 * and weighted means over patches. It spans the same motions as without the means, but its three parts are orthogonal.
 * Patches overlap, so their errors are correlated: R_pq is the share of their area that p and q have in common, divided
 * by √(w_p w_q) for weights w. The directions τ_j = Σ_m (B_m − B̄_m) v_mj are orthonormal vectors over the frames; the
 * first three are those of cubic polynomials, and all or these alone are used. With c_m = Σ_j v_mj γ_j, the sum
 *
 *     Σ_t (r_tᵀ R⁻¹ r_t + λ l_tᵀ P l_t) = Σ_t r_tᵀ R⁻¹ r_t + λ Σ_j γ_jᵀ P γ_j,
 *
 * r_t the residuals of all patches in frame t and l_t the coefficients of its local part, is a sum over j of problems
 * that have 49 unknowns and one matrix: (SᵀR⁻¹S + λ P) γ_j = SᵀR⁻¹ d_j, where d_j is the data times τ_j and S has the
 * rows Q(p) − Q̄. P sums the squares of all third differences on the lattice of coefficients, 1 xxx + 3 xxy + 3 xyy +
 * 1 yyy; the six quadratics are its null space (Wood 2003, thin plates; Eilers & Marx 1996, differences). One change of
 * basis makes both matrices diagonal: UᵀSᵀR⁻¹SU = diag(g) and UᵀPU = diag(d). Its modes are Z = L⁻¹SU, R = L Lᵀ, and a
 * fit for any λ divides by g + λ d.
 *
 * Whitened data L⁻¹ d are independent. So the sum of their leverages counts parameters, as generalised cross-validation
 * supposes (Craven & Wahba 1979). */
#ifndef QN_MOVIE_MOTION_SMOOTHER_H
#define QN_MOVIE_MOTION_SMOOTHER_H

#include <stdbool.h>

#include "movie/motion/motion.h"

static const double QN_MOTION_SMOOTHNESS_MAX = 1e5; /* of the choices */

typedef struct qn_motion_smoother {
    int frame_count, patch_count, time_count;
    int direction_count;                        /* J; the rank of the B-splines in time */
    int polynomial_count;                       /* of these, polynomials */
    int used_count;                             /* of these, in models */
    double patch[2];                            /* sides of a patch; 0: no overlaps */
    double *memory;                             /* of the arrays below */
    double *directions;                         /* [J][frame] τ_j */
    double *place;                              /* [patch][2] */
    double *basis;                              /* [patch][49] Q_q(p) */
    double *design;                             /* [patch][49] S */
    double *white;                              /* [patch][49] L⁻¹ S */
    double *dual;                               /* [patch][49] R⁻¹ S */
    double *root;                               /* [patch][patch] L */
    double *ones;                               /* [patch] L⁻¹ 1 */
    double *mean_weight;                        /* [patch] of means over patches; sum 1 */
    double *modes;                              /* [patch][49] Z, if has_modes */
    double *factor;                             /* [49][49] Cholesky factor */
    double *products;                           /* [49][49] SᵀR⁻¹S */
    double *penalty;                            /* [49][49] P */
    double *mode_data, *mode_penalty;           /* [49] g, d */
    bool has_modes;                             /* made when they are needed, for the weights set */
    double mean[QN_MOTION_PLANE];               /* Q̄_q */
    double information;                         /* 1ᵀR⁻¹1: number of patches without overlaps */
    int used;                                   /* patches with a weight above 0 */
    double time_mean[QN_MOTION_TIME_KNOTS_MAX]; /* B̄_m */
    double map[QN_MOTION_TIME_KNOTS_MAX][QN_MOTION_TIME_KNOTS_MAX]; /* [m][j] v_mj */
    double smoothness;                                              /* λ of the factor */
} qn_motion_smoother;

/* Numbers of a model; its parts are those above. */
typedef struct qn_motion_model {
    bool local;     /* whether there is a local part */
    double *memory; /* of the arrays below */
    double *gamma;  /* [J][49][2] */
    double *frame;  /* [frame][2] g_t */
    double *patch;  /* [patch][2] h_p */
} qn_motion_model;

/* place[patch][2]: x / (width − 1), y / (height − 1); patch: the sides of a patch in the same shares, 0: no overlaps.
 * Weights are 1, with overlaps; no factor yet. */
QN_MUST_CHECK qn_status qn_motion_smoother_create(int frame_count, int patch_count, const double *place,
                                                  const double patch[2], qn_motion_smoother *smoother);
void qn_motion_smoother_destroy(qn_motion_smoother *smoother);

/* weight[patch] ≥ 0, at least one above 0; NULL: all 1. overlaps false: R has no elements off the diagonal. The factor
 * is invalid afterwards. `model` (may be NULL) keeps its shifts although the means over patches change. */
QN_MUST_CHECK qn_status qn_motion_smoother_set_weights(qn_motion_smoother *smoother, const double *weight,
                                                       bool overlaps, qn_motion_model *model);

/* Make the factor for λ; models use so many directions at most. */
QN_MUST_CHECK qn_status qn_motion_smoother_set_smoothness(qn_motion_smoother *smoother, double smoothness,
                                                          int used_count);

/* A model of one smoother becomes that of another for the same places, with the same shifts. */
void qn_motion_smoother_move(const qn_motion_smoother *from, const qn_motion_smoother *to, qn_motion_model *model);

/* projected[2] = Σ_t τ_j(t) data[patch][t]. */
void qn_motion_smoother_project(const qn_motion_smoother *smoother, const double *data, int direction, int patch,
                                double projected[2]);

/* vector[49][2] := (SᵀR⁻¹S + λ P)⁻¹ vector, for both columns. */
void qn_motion_smoother_solve(const qn_motion_smoother *smoother, double *vector);

/* The penalty λ γᵀPγ with the small multiple of γᵀγ that makes the matrices definite, summed over directions and
 * columns; its derivative is added to gradient[J][49][2]. */
double qn_motion_smoother_penalty(const qn_motion_smoother *smoother, const double *gamma, double *gradient);

QN_MUST_CHECK qn_status qn_motion_model_create(const qn_motion_smoother *smoother, qn_motion_model *model);
void qn_motion_model_destroy(qn_motion_model *model);

/* The model of least squares for data[patch][frame][2]; without the local part unless `model` has one. */
void qn_motion_smoother_fit(const qn_motion_smoother *smoother, const double *data, qn_motion_model *model);

/* shift[patch][frame][2] of the model. */
void qn_motion_smoother_shifts(const qn_motion_smoother *smoother, const qn_motion_model *model, double *shift);

/* The transpose of it: derivatives by the model's numbers from those by the shifts. Arrays of `gradient` are replaced.
 */
void qn_motion_smoother_transpose(const qn_motion_smoother *smoother, const double *by_shift,
                                  qn_motion_model *gradient);

/* The choice of the least generalised cross-validation, and its error of prediction with that of g_t alone: RMS of
 * vectors in pixels, as of all patches and frames. */
typedef struct qn_motion_choice {
    double smoothness;
    int used_count;
    double error_px, global_error_px;
} qn_motion_choice;

/* The λ and the directions, all or polynomials, of the least generalised cross-validation n RSS / (n − α tr H)² along
 * all directions, α = 1.4 with overlaps and 1 without. λ is `given`, or if that is 0 a power of √10 from 1e-4 to 1e5,
 * where little but quadratics is left. The factor is made for the choice. */
QN_MUST_CHECK qn_status qn_motion_smoother_choose(qn_motion_smoother *smoother, double given, const double *data,
                                                  qn_motion_choice *choice);

#endif

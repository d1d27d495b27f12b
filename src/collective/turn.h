/* RMSD whose deviation has weights v of its own, other than the weights w of the superposition. The rotation is not at
 * a minimum of the deviation then, and its change with the frame counts in the gradient. */
#ifndef QN_COLLECTIVE_TURN_H
#define QN_COLLECTIVE_TURN_H

/* ½ ∂/∂x Σ v |x − R y|² = v (x − R y) − w (matrix · y + shift). */
typedef struct qn_collective_turn {
    double matrix[9], shift[3];
} qn_collective_turn;

typedef struct qn_collective_turn_sums {
    const double *rotation; /* R */
    double s[9];            /* Σ w y_a x_b as s[3 a + b] */
    double deviation_s[9];  /* Σ v y_a x_b */
    const double *frame;    /* Σ v x */
    const double *mean;     /* Σ v y */
    double weight_sum;      /* Σ w */
} qn_collective_turn_sums;

/* Where the superposition does not determine the rotation, as for atoms on a line, the rotation counts as constant. */
qn_collective_turn qn_collective_turn_of(const qn_collective_turn_sums *sums);

#endif

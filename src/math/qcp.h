/* RMSD after optimal superposition without its rotation: Theobald's quaternion characteristic polynomial (Theobald
 * 2005, Acta Cryst. A61, 478; Liu, Agrafiotis, Theobald 2010, J. Comput. Chem. 31, 1561). */
#ifndef QN_MATH_QCP_H
#define QN_MATH_QCP_H

/* The largest value of Σ w (R·a)·b over all proper rotations R, which is the largest eigenvalue of Horn's matrix.
 *
 * products: m[3·s + t] = Σ w a_s b_t of two sets of points about their weighted means. half_sum = (Σ w |a|² + Σ w |b|²)
 * / 2. Both are finite. Newton's method goes down from half_sum, which is an upper bound; where the polynomial says too
 * little (collinear or coincident points, for which its largest root is multiple) the matrix is diagonalised instead.
 * The error is below 1e-13 half_sum. */
double qn_qcp_overlap(const double products[9], double half_sum);

/* √(2 (half_sum − overlap) / weight_sum); 0 where rounding makes this negative. Two equal sets get up to about 1e-7 of
 * their radius instead of 0, because the difference has lost half its digits. */
double qn_qcp_rmsd(const double products[9], double half_sum, double weight_sum);

#endif

/* The start of an alignment: shifts of all pairs of frames, and the frames' shifts that agree best with them. */
#ifndef QN_MOVIE_ALIGN_START_H
#define QN_MOVIE_ALIGN_START_H

#include "movie/align/coarse_stack.h"

/* shifts[frame][2] in coarse pixels, shifts[0] = 0. `pixel_angstrom` is that of the unbinned frame. Pairs are taken
 * some at a time, so that products and correlations fit into about `scratch_bytes`. */
QN_MUST_CHECK qn_status qn_align_start(qn_coarse_stack *stack, double pixel_angstrom, double max_shift_angstrom,
                                       size_t scratch_bytes, double *shifts);

/* Least squares with Cauchy weights: minimise Σ ρ(|s_i − s_j − b_ij|), ρ(r) = log(1 + (r / 2m)²), m the median residual
 * (Holland & Welsch 1977). pairs: [count][2] frames i, j; differences: [count][2] b_ij; shifts [frames][2], shifts[0] =
 * 0. QN_INVALID_ARGUMENT unless the pairs connect all frames. */
QN_MUST_CHECK qn_status qn_solve_pairs(int frames, size_t count, const int *pairs, const double *differences,
                                       double *shifts);

/* Raise `rooms` to the bytes that qn_align_start needs. */
void qn_align_start_rooms(const qn_movie_grid *grid, int frames, double pixel_angstrom, size_t scratch_bytes,
                          size_t rooms[QN_ROOMS]);

#endif

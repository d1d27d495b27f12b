/* Rotations as row-major 3×3 matrices and unit quaternions (w, x, y, z), and evenly spaced sets of rotations. */
#ifndef QN_MATH_ROTATION_H
#define QN_MATH_ROTATION_H

#include <stddef.h>
#include <stdint.h>

#include "base/thread_pool.h"

void qn_rotation_from_quaternion(const double quaternion[4], double matrix[9]);

/* matrix · vector */
void qn_rotation_apply(const double matrix[9], const double vector[3], double result[3]);

/* left · right */
void qn_rotation_multiply(const double left[9], const double right[9], double result[9]);

/* Angle in degrees of the rotation between `a` and `b`. */
double qn_rotation_angle_degrees(const double a[9], const double b[9]);

/* Rotation `index` of `count` by super-Fibonacci sampling of SO(3) (Alexa 2022, "Super-Fibonacci Spirals"). */
void qn_rotation_super_fibonacci(size_t index, size_t count, double matrix[9]);

/* A uniformly random rotation (Shoemake 1992) drawn from `seed`; seed 0 gives the identity. */
void qn_rotation_from_seed(uint64_t seed, double matrix[9]);

/* Deviation of `matrix` from a proper rotation: the largest |R·Rᵀ − 1|, or 2 when det(R) < 0. */
double qn_rotation_error(const double matrix[9]);

/* Mean angle in degrees between a rotation and its nearest neighbour among `count` matrices (9 numbers each), over a
 * sample of at most 64 of them; 180 for fewer than two. `pool` may be NULL. */
double qn_rotation_mean_neighbour_degrees(const double *matrices, size_t count, qn_pool *pool);

#endif

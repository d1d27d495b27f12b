/* Rotations as row-major 3×3 matrices and unit quaternions (w, x, y, z), and even sets of rotations. */
#ifndef QN_MATH_ROTATION_H
#define QN_MATH_ROTATION_H

#include <stddef.h>
#include <stdint.h>

void qn_rotation_from_quaternion(const double quaternion[4], double matrix[9]);

/* matrix · vector */
void qn_rotation_apply(const double matrix[9], const double vector[3], double result[3]);

/* left · right */
void qn_rotation_multiply(const double left[9], const double right[9], double result[9]);

/* Angle in degrees of the rotation that takes one to the other. */
double qn_rotation_angle_degrees(const double a[9], const double b[9]);

/* Rotation `index` of `count` by super-Fibonacci sampling of SO(3) (Alexa 2022, "Super-Fibonacci Spirals"). */
void qn_rotation_super_fibonacci(size_t index, size_t count, double matrix[9]);

/* A uniformly random rotation (Shoemake 1992) drawn from `seed`; seed 0 gives the identity. */
void qn_rotation_from_seed(uint64_t seed, double matrix[9]);

/* How far `matrix` is from a proper rotation: the largest |R·Rᵀ − 1|, or 2 when det(R) < 0. */
double qn_rotation_error(const double matrix[9]);

/* Mean angle in degrees between a rotation and its nearest neighbour, over a sample of `count` × 9 matrices. */
double qn_rotation_mean_neighbour_degrees(const double *matrices, size_t count);

#endif

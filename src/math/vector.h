/* Vectors of three numbers. */
#ifndef QN_MATH_VECTOR_H
#define QN_MATH_VECTOR_H

#include <math.h>

/* The squared distance of two places, in the square of their unit. */
static inline double qn_vector_square_between(const double a[3], const double b[3])
{
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

static inline double qn_vector_length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static inline double qn_vector_distance(const double a[3], const double b[3])
{
    return sqrt(qn_vector_square_between(a, b));
}

static inline double qn_vector_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void qn_vector_cross(const double a[3], const double b[3], double product[3])
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

#endif

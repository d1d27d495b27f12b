/* Vectors of three numbers. */
#ifndef QN_DISCS_VECTOR_H
#define QN_DISCS_VECTOR_H

#include <math.h>
#include <string.h>

static inline double qn_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double qn_distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* (x − origin) · direction */
static inline double qn_height(const double x[3], const double origin[3], const double direction[3])
{
    return (x[0] - origin[0]) * direction[0] + (x[1] - origin[1]) * direction[1] + (x[2] - origin[2]) * direction[2];
}

/* result = start + length · direction; result may be start */
static inline void qn_advance(const double start[3], double length, const double direction[3], double result[3])
{
    for (int axis = 0; axis < 3; axis++) result[axis] = start[axis] + length * direction[axis];
}

/* Give a vector length 1; 0 and no change if it has no direction. */
static inline int qn_normalise(double vector[3])
{
    const double length = sqrt(qn_dot(vector, vector));
    if (!(length > 1e-12)) return 0;
    for (int axis = 0; axis < 3; axis++) vector[axis] /= length;
    return 1;
}

/* Two unit vectors that with the unit vector `normal` form a right-handed frame. */
static inline void qn_plane_axes(const double normal[3], double u[3], double v[3])
{
    int least = 0;
    for (int axis = 1; axis < 3; axis++)
        if (fabs(normal[axis]) < fabs(normal[least])) least = axis;
    for (int axis = 0; axis < 3; axis++) u[axis] = (axis == least) - normal[least] * normal[axis];
    qn_normalise(u);
    for (int axis = 0; axis < 3; axis++) {
        const int next = (axis + 1) % 3, last = (axis + 2) % 3;
        v[axis] = normal[next] * u[last] - normal[last] * u[next];
    }
}

/* Turn the unit vector `from` towards the unit vector `to` by an angle in radians; opposite vectors do not turn. */
static inline void qn_turn_towards(const double from[3], const double to[3], double angle, double result[3])
{
    double across[3];
    qn_advance(to, -qn_dot(to, from), from, across);
    const int turns = qn_normalise(across);
    for (int axis = 0; axis < 3; axis++)
        result[axis] = turns ? cos(angle) * from[axis] + sin(angle) * across[axis] : from[axis];
    qn_normalise(result);
}

#endif

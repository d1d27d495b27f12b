#include <math.h>

#include "benchmark/physics/kernels/nbody.h"

double qn_nbody_reference(const qn_nbody_problem *problem, const float *bodies, int body, double acceleration[3])
{
    double magnitudes = 0;
    for (int axis = 0; axis < 3; axis++) acceleration[axis] = 0;
    for (int j = 0; j < problem->bodies; j++) {
        double difference[3], square = 0;
        for (int axis = 0; axis < 3; axis++) {
            difference[axis] = (double)bodies[4 * j + axis] - bodies[4 * body + axis];
            square += difference[axis] * difference[axis];
        }
        const double distance = sqrt(square + (double)problem->softening * problem->softening);
        const double weight = bodies[4 * j + 3] / (distance * distance * distance);
        for (int axis = 0; axis < 3; axis++) acceleration[axis] += weight * difference[axis];
        magnitudes += fabs(weight) * sqrt(square);
    }
    return magnitudes;
}

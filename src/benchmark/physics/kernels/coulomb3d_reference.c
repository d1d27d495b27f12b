#include <math.h>

#include "benchmark/physics/kernels/coulomb3d.h"

double qn_coulomb3d_reference(const qn_coulomb3d_problem *problem, const float *atoms, const int point[3],
                              double *scale)
{
    double potential = 0;
    *scale = 0;
    for (int a = 0; a < problem->atoms; a++) {
        double square = 0;
        for (int axis = 0; axis < 3; axis++) {
            double difference = (double)point[axis] * problem->spacing - atoms[4 * a + axis];
            square += difference * difference;
        }
        potential += atoms[4 * a + 3] / sqrt(square);
        *scale += fabs(atoms[4 * a + 3]) / sqrt(square);
    }
    return potential;
}

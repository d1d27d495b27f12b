#include "math/bessel.h"

/* Σ (x² / 4)^k / (k!)² */
double qn_bessel_i0(double x)
{
    double term = 1, sum = 1;
    for (int k = 1; k < 200 && term > 1e-18 * sum; k++) {
        term *= x * x / 4 / k / k;
        sum += term;
    }
    return sum;
}

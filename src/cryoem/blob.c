#include "cryoem/blob.h"

#include <math.h>

#include "math/bessel.h"

double qn_blob_at(double radius, double squared)
{
    const double inside = 1 - squared / (radius * radius);
    return inside < 0 ? 0 : qn_bessel_i0(QN_BLOB_ALPHA * sqrt(inside)) / qn_bessel_i0(QN_BLOB_ALPHA);
}

void qn_blob_table(float table[QN_BLOB_ENTRIES])
{
    for (int i = 0; i < QN_BLOB_ENTRIES; i++) table[i] = (float)qn_blob_at(1, fmin(1, (double)i / QN_BLOB_INTERVALS));
}

/* Lewitt's equation A3 for order 0 in three dimensions; Bessel functions of order 3/2 are elementary. */
double qn_blob_transform(double radius, double frequency)
{
    const double pi = 3.14159265358979323846, turn = 2 * pi * radius * frequency;
    const double square = QN_BLOB_ALPHA * QN_BLOB_ALPHA - turn * turn, z = sqrt(fabs(square));
    double shape = 1.0 / 3 + square / 30; /* the first two terms of the series, good to z⁴ / 840 */
    if (z > 1e-2) shape = square > 0 ? (cosh(z) - sinh(z) / z) / square : (sin(z) / z - cos(z)) / (z * z);
    return 4 * pi * radius * radius * radius / qn_bessel_i0(QN_BLOB_ALPHA) * shape;
}

#include "math/cholesky.h"

#include <math.h>
#include <stddef.h>

#include "base/error.h"

static double dot(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int k = 0; k < count; k++) sum += a[k] * b[k];
    return sum;
}

qn_status qn_cholesky_factor(double *matrix, int size)
{
    for (int i = 0; i < size; i++) {
        double *row = matrix + (size_t)i * (size_t)size;
        for (int j = 0; j < i; j++) {
            const double *other = matrix + (size_t)j * (size_t)size;
            row[j] = (row[j] - dot(row, other, j)) / other[j];
        }
        const double square = row[i] - dot(row, row, i);
        if (!(square > 0))
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "matrix of %d rows: the square of pivot %d is %g; expected a positive definite matrix", size,
                           i, square);
        row[i] = sqrt(square);
    }
    return QN_OK;
}

void qn_cholesky_solve_lower(const double *factor, int size, double *vector)
{
    for (int i = 0; i < size; i++) {
        const double *row = factor + (size_t)i * (size_t)size;
        vector[i] = (vector[i] - dot(row, vector, i)) / row[i];
    }
}

/* By rows of L, which are columns of Lᵀ: an element that is known is subtracted from those before it. */
void qn_cholesky_solve_upper(const double *factor, int size, double *vector)
{
    for (int i = size - 1; i >= 0; i--) {
        const double *row = factor + (size_t)i * (size_t)size;
        vector[i] /= row[i];
        for (int j = 0; j < i; j++) vector[j] -= row[j] * vector[i];
    }
}

void qn_cholesky_solve(const double *factor, int size, double *vector)
{
    qn_cholesky_solve_lower(factor, size, vector);
    qn_cholesky_solve_upper(factor, size, vector);
}

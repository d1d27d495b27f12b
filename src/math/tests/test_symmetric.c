/* Small symmetric matrices: hand-calculated eigenvalues, and A·v = λ·v for random ones. */
#include <math.h>
#include <stdint.h>

#include "check.h"
#include "math/symmetric.h"

static uint32_t state = 3;

static double uniform(void)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) / 16777216.0 * 2 - 1;
}

static void known_values_ascend(void)
{
    /* the block (2 1; 1 2) has the eigenvalues 1 and 3, the third axis 0.5 */
    const double matrix[9] = {2, 1, 0, 1, 2, 0, 0, 0, 0.5};
    double values[3], vectors[9];
    qn_symmetric_eigen(matrix, 3, values, vectors);
    CHECK_NEAR(values[0], 0.5, 1e-15);
    CHECK_NEAR(values[1], 1, 1e-15);
    CHECK_NEAR(values[2], 3, 1e-15);
    CHECK_NEAR(fabs(vectors[2]), 1, 1e-15);
    CHECK_NEAR(vectors[6] * vectors[7], 0.5, 1e-15);
    CHECK_NEAR(vectors[3] * vectors[4], -0.5, 1e-15);
}

static void random_matrices_are_solved(void)
{
    for (int round = 0; round < 200; round++) {
        int n = round % 40 == 39 ? QN_SYMMETRIC_MAX - round / 40 : 2 + round % 15;
        double matrix[QN_SYMMETRIC_MAX * QN_SYMMETRIC_MAX], values[QN_SYMMETRIC_MAX];
        double vectors[QN_SYMMETRIC_MAX * QN_SYMMETRIC_MAX];
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++) matrix[i * n + j] = matrix[j * n + i] = 10 * uniform();
        qn_symmetric_eigen(matrix, n, values, vectors);
        for (int k = 0; k < n; k++) {
            CHECK(k == 0 || values[k] >= values[k - 1]);
            for (int i = 0; i < n; i++) {
                double sum = 0;
                for (int j = 0; j < n; j++) sum += matrix[i * n + j] * vectors[k * n + j];
                CHECK_NEAR(sum, values[k] * vectors[k * n + i], 1e-12 * (1 + n / 16));
            }
            for (int other = 0; other <= k; other++) {
                double dot = 0;
                for (int i = 0; i < n; i++) dot += vectors[k * n + i] * vectors[other * n + i];
                CHECK_NEAR(dot, other == k, 1e-13);
            }
        }
    }
}

static void equal_values_keep_orthonormal_vectors(void)
{
    const double matrix[9] = {4, 0, 0, 0, 4, 0, 0, 0, 4}, zero[9] = {0};
    double values[3], vectors[9];
    qn_symmetric_eigen(matrix, 3, values, vectors);
    for (int k = 0; k < 9; k++) CHECK_NEAR(vectors[k], k % 4 == 0, 0);
    qn_symmetric_eigen(zero, 3, values, vectors);
    CHECK(values[0] == 0 && values[2] == 0 && vectors[0] == 1);
}

int main(void)
{
    RUN(known_values_ascend);
    RUN(random_matrices_are_solved);
    RUN(equal_values_keep_orthonormal_vectors);
    return check_finish();
}

/* Cholesky factors: a matrix calculated by hand, products of random factors, and matrices that have none. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "math/cholesky.h"
#include "math/random.h"

enum { SIZE = 61 };

static double uniform(uint64_t index)
{
    return 2 * qn_random_uniform(7, 0, index) - 1;
}

/* (4 2; 2 5) = (2 0; 1 2)(2 1; 0 2); A x = (8, 9) has the solution (11/8, 5/4). */
static void a_small_matrix_is_factored(void)
{
    double matrix[4] = {4, -77, 2, 5}, vector[2] = {8, 9};
    CHECK_OK(qn_cholesky_factor(matrix, 2));
    CHECK(matrix[0] == 2 && matrix[2] == 1 && matrix[3] == 2);
    CHECK(matrix[1] == -77); /* the upper triangle is left alone */
    qn_cholesky_solve(matrix, 2, vector);
    CHECK_NEAR(vector[0], 11.0 / 8, 1e-15);
    CHECK_NEAR(vector[1], 5.0 / 4, 1e-15);
}

/* A = L Lᵀ + ½: residuals of A x = b, and both triangular solutions one after the other. */
static void systems_are_solved(void)
{
    static double matrix[SIZE * SIZE], factor[SIZE * SIZE], b[SIZE], x[SIZE], y[SIZE];
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j <= i; j++) {
            double sum = i == j ? 0.5 : 0;
            for (int k = 0; k <= j; k++) sum += uniform((uint64_t)(i * SIZE + k)) * uniform((uint64_t)(j * SIZE + k));
            matrix[i * SIZE + j] = matrix[j * SIZE + i] = sum;
        }
    for (int i = 0; i < SIZE * SIZE; i++) factor[i] = matrix[i];
    for (int i = 0; i < SIZE; i++) x[i] = y[i] = b[i] = uniform((uint64_t)(10000 + i));
    CHECK_OK(qn_cholesky_factor(factor, SIZE));
    qn_cholesky_solve(factor, SIZE, x);
    for (int i = 0; i < SIZE; i++) {
        double sum = 0;
        for (int j = 0; j < SIZE; j++) sum += matrix[i * SIZE + j] * x[j];
        CHECK_NEAR(sum, b[i], 1e-11);
    }
    qn_cholesky_solve_lower(factor, SIZE, y);
    for (int i = 0; i < SIZE; i++) {
        double sum = 0;
        for (int j = 0; j <= i; j++) sum += factor[i * SIZE + j] * y[j];
        CHECK_NEAR(sum, b[i], 1e-12);
    }
    qn_cholesky_solve_upper(factor, SIZE, y);
    for (int i = 0; i < SIZE; i++) CHECK(y[i] == x[i]);
}

static void other_matrices_are_refused(void)
{
    double indefinite[4] = {1, 0, 2, 1}, none[1] = {NAN};
    CHECK_FAILS(qn_cholesky_factor(indefinite, 2), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("matrix of 2 rows: the square of pivot 1 is -3");
    CHECK_FAILS(qn_cholesky_factor(none, 1), QN_INVALID_ARGUMENT);
}

int main(void)
{
    RUN(a_small_matrix_is_factored);
    RUN(systems_are_solved);
    RUN(other_matrices_are_refused);
    return check_finish();
}

/* The smoother compared with a fit by one large matrix, with scores from unit vectors, and with its transpose. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "math/cholesky.h"
#include "movie/motion/smoother.h"
#include "movie/motion/tests/true_motion.h"

enum { T = 9, SIDE = 4, N = SIDE * SIDE, M = 4, UNKNOWNS = M * QN_MOTION_PLANE + T + N };
static const double LAMBDA = 0.3;

static qn_motion_smoother smoother;
static qn_motion_model model;
static double places[2 * N], fitted[2 * N * T], matrix[UNKNOWNS * UNKNOWNS], right[2][UNKNOWNS];

static void make(void)
{
    make_shifts(&(truth){4, T, 3, 1}, SIDE, 0.3);
    for (int p = 0; p < N; p++) {
        places[2 * p] = place[2 * p] / (WIDTH - 1);
        places[2 * p + 1] = place[2 * p + 1] / (HEIGHT - 1);
        weight[p] = 1 + 0.5 * (p % 4);
    }
    CHECK_OK(qn_motion_smoother_create(T, N, places, (const double[2]){0, 0}, &smoother));
    CHECK_OK(qn_motion_model_create(&smoother, &model));
    model.local = true;
    CHECK(smoother.direction_count == M);
}

/* One row of the model without means: B_m(t) Q_q(p), the frame, the patch. */
static void make_row(int p, int t, double row[UNKNOWNS])
{
    double time[QN_MOTION_TIME_KNOTS_MAX], x[QN_MOTION_SIDE], y[QN_MOTION_SIDE];
    memset(row, 0, UNKNOWNS * sizeof *row);
    qn_motion_time_basis(T, t, time);
    qn_motion_space_basis(places[2 * p], x);
    qn_motion_space_basis(places[2 * p + 1], y);
    for (int m = 0; m < M; m++)
        for (int k = 0; k < QN_MOTION_PLANE; k++) row[m * QN_MOTION_PLANE + k] = time[m] * y[k / 7] * x[k % 7];
    row[M * QN_MOTION_PLANE + t] = row[M * QN_MOTION_PLANE + T + p] = 1;
}

/* Products of τ_j and B_m over the frames: γ_j = Σ_m products[j][m] c_m. */
static void find_products(double products[M][M])
{
    for (int j = 0; j < M; j++)
        for (int m = 0; m < M; m++) {
            products[j][m] = 0;
            for (int t = 0; t < T; t++) {
                double time[QN_MOTION_TIME_KNOTS_MAX];
                qn_motion_time_basis(T, t, time);
                products[j][m] += smoother.directions[j * T + t] * time[m];
            }
        }
}

/* λ Σ over all third differences, by their binomial coefficients. */
static void add_penalty(void)
{
    double products[M][M];
    find_products(products);
    static const double third[4] = {-1, 3, -3, 1}, second[3] = {1, -2, 1}, first[2] = {-1, 1}, none[1] = {1};
    static const double *const along[4] = {none, first, second, third};
    for (int order = 0; order < 4; order++)
        for (int y = 0; y + 3 - order < 7; y++)
            for (int x = 0; x + order < 7; x++) {
                double row[QN_MOTION_PLANE] = {0};
                for (int j = 0; j <= 3 - order; j++)
                    for (int i = 0; i <= order; i++) row[7 * (y + j) + x + i] = along[3 - order][j] * along[order][i];
                for (int n = 0; n < M * M * M; n++) {
                    const int j = n / (M * M), a = n / M % M, b = n % M;
                    const double factor = LAMBDA * (order == 1 || order == 2 ? 3 : 1) * products[j][a] * products[j][b];
                    for (int k = 0; k < QN_MOTION_PLANE * QN_MOTION_PLANE; k++)
                        matrix[(a * QN_MOTION_PLANE + k / QN_MOTION_PLANE) * UNKNOWNS + b * QN_MOTION_PLANE +
                               k % QN_MOTION_PLANE] += factor * row[k / QN_MOTION_PLANE] * row[k % QN_MOTION_PLANE];
                }
            }
}

/* R as smoother.h describes it, for weights whose mean is 1; its inverse goes to `inverse`. */
static void invert_covariance(const double *sides, double inverse[N][N])
{
    static double covariance[N * N];
    double mean = 0;
    for (int p = 0; p < N; p++) mean += weight[p] / N;
    for (int p = 0; p < N; p++)
        for (int q = 0; q < N; q++) {
            double share = 1;
            for (int axis = 0; axis < 2 && p != q; axis++)
                share *= fmax(0, 1 - fabs(places[2 * p + axis] - places[2 * q + axis]) / fmax(sides[axis], 1e-9));
            covariance[p * N + q] = share * share * mean / sqrt(weight[p] * weight[q]);
        }
    CHECK_OK(qn_cholesky_factor(covariance, N));
    for (int p = 0; p < N; p++) {
        for (int q = 0; q < N; q++) inverse[p][q] = p == q;
        qn_cholesky_solve(covariance, N, inverse[p]);
    }
}

/* Σ over frames of AᵀR⁻¹A and AᵀR⁻¹d. */
static void add_frames(double inverse[N][N])
{
    static double rows[N][UNKNOWNS];
    for (int t = 0; t < T; t++) {
        for (int p = 0; p < N; p++) make_row(p, t, rows[p]);
        for (int p = 0; p < N; p++)
            for (int q = 0; q < N; q++)
                for (int i = 0; i < UNKNOWNS && inverse[p][q] != 0; i++) {
                    const double factor = inverse[p][q] * rows[p][i];
                    for (int axis = 0; axis < 2; axis++) right[axis][i] += factor * shift[2 * (q * T + t) + axis];
                    for (int j = 0; j <= i && factor != 0; j++) matrix[i * UNKNOWNS + j] += factor * rows[q][j];
                }
    }
}

/* The two fits differ by the small numbers that make their matrices definite. */
static void check_with_one_matrix(qn_motion_smoother *tested)
{
    static double row[UNKNOWNS], inverse[N][N];
    memset(matrix, 0, sizeof matrix);
    memset(right, 0, sizeof right);
    invert_covariance(tested->patch, inverse);
    add_penalty();
    for (int i = 0; i < UNKNOWNS; i++) matrix[i * UNKNOWNS + i] += 1e-8;
    add_frames(inverse);
    CHECK_OK(qn_cholesky_factor(matrix, UNKNOWNS));
    for (int axis = 0; axis < 2; axis++) qn_cholesky_solve(matrix, UNKNOWNS, right[axis]);
    CHECK_OK(qn_motion_smoother_set_weights(tested, weight, true, NULL));
    CHECK_OK(qn_motion_smoother_set_smoothness(tested, LAMBDA, M));
    qn_motion_smoother_fit(tested, shift, &model);
    qn_motion_smoother_shifts(tested, &model, fitted);
    for (int k = 0; k < N * T; k++) {
        make_row(k / T, k % T, row);
        for (int axis = 0; axis < 2; axis++) {
            double sum = 0;
            for (int i = 0; i < UNKNOWNS; i++) sum += row[i] * right[axis][i];
            CHECK_NEAR(fitted[2 * k + axis], sum, 2e-5);
        }
    }
}

static void one_large_matrix_gives_the_same(void)
{
    qn_motion_smoother overlapping;
    check_with_one_matrix(&smoother);
    CHECK_NEAR(smoother.information, N, 1e-9); /* Σ w, whose mean is 1 */
    CHECK_OK(qn_motion_smoother_create(T, N, places, (const double[2]){0.45, 0.5}, &overlapping));
    CHECK(overlapping.information < 0.8 * N);
    check_with_one_matrix(&overlapping);
    qn_motion_smoother_destroy(&overlapping);
}

/* Projections of shifts that a fit leaves, squared and added; of one patch and direction if these are given. */
static double rest_of(const double *data, int only_patch, int only_direction)
{
    double squares = 0;
    qn_motion_smoother_fit(&smoother, data, &model);
    qn_motion_smoother_shifts(&smoother, &model, fitted);
    for (int k = 0; k < 2 * N * T; k++) fitted[k] = data[k] - fitted[k];
    for (int k = 0; k < N * M; k++) {
        double rest[2];
        const int p = k / M, j = k % M;
        qn_motion_smoother_project(&smoother, fitted, j, p, rest);
        if (only_patch < 0)
            squares += rest[0] * rest[0] + rest[1] * rest[1];
        else if (only_patch == p && only_direction == j)
            squares += rest[0];
    }
    return squares;
}

/* n RSS / (n − tr H)², with 1 − H from the fit to each unit vector along a direction. */
static double score_by_unit_vectors(int used_count)
{
    static double unit[2 * N * T];
    double rest = 0;
    CHECK_OK(qn_motion_smoother_set_smoothness(&smoother, LAMBDA, used_count > 0 ? used_count : M));
    model.local = used_count > 0;
    for (int k = 0; k < N * M; k++) {
        memset(unit, 0, sizeof unit);
        for (int t = 0; t < T; t++) unit[2 * (k / M * T + t)] = smoother.directions[k % M * T + t];
        rest += rest_of(unit, k / M, k % M);
    }
    return N * M * rest_of(shift, -1, -1) / (rest * rest);
}

static void choices_have_the_least_score(void)
{
    qn_motion_choice choice;
    const int used[2] = {smoother.polynomial_count, M};
    double scores[2];
    CHECK_OK(qn_motion_smoother_set_weights(&smoother, NULL, true, NULL));
    for (int k = 0; k < 2; k++) scores[k] = score_by_unit_vectors(used[k]);
    CHECK(fabs(scores[0] - scores[1]) > 1e-3 * scores[0]);
    const double least = fmin(scores[0], scores[1]), global = score_by_unit_vectors(0);
    CHECK_OK(qn_motion_smoother_choose(&smoother, LAMBDA, shift, &choice));
    CHECK(choice.used_count == used[scores[1] < scores[0]] && choice.smoothness == LAMBDA);
    CHECK_NEAR(choice.error_px, sqrt(least * M / T), 1e-5);
    CHECK_NEAR(choice.global_error_px, sqrt(global * M / T), 1e-5);
    CHECK(choice.error_px < choice.global_error_px);
}

/* Other weights change the means, but no shift of a model. */
static void weights_keep_shifts(void)
{
    static double after[2 * N * T];
    model.local = true;
    for (int p = 0; p < N; p++) weight[p] = p + 1;
    CHECK_OK(qn_motion_smoother_set_weights(&smoother, weight, true, NULL));
    CHECK_OK(qn_motion_smoother_set_smoothness(&smoother, LAMBDA, M));
    qn_motion_smoother_fit(&smoother, shift, &model);
    qn_motion_smoother_shifts(&smoother, &model, fitted);
    CHECK_OK(qn_motion_smoother_set_weights(&smoother, NULL, true, &model));
    qn_motion_smoother_shifts(&smoother, &model, after);
    for (int k = 0; k < 2 * N * T; k++) CHECK_NEAR(after[k], fitted[k], 1e-10);
}

/* ⟨A m, d⟩ = ⟨m, Aᵀ d⟩, and the penalty's derivative against differences. */
static void transposes_and_derivatives_are_right(void)
{
    const int numbers = M * 2 * QN_MOTION_PLANE + 2 * T + 2 * N;
    static double by_gamma[M * 2 * QN_MOTION_PLANE], unused[M * 2 * QN_MOTION_PLANE];
    double left = 0, other = 0;
    qn_motion_model gradient;
    CHECK_OK(qn_motion_model_create(&smoother, &gradient));
    gradient.local = true;
    CHECK_OK(qn_motion_smoother_set_smoothness(&smoother, LAMBDA, M));
    for (int k = 0; k < numbers; k++) model.memory[k] = normal(5, 0, (uint64_t)k);
    qn_motion_smoother_shifts(&smoother, &model, fitted);
    qn_motion_smoother_transpose(&smoother, shift, &gradient);
    for (int k = 0; k < 2 * N * T; k++) left += fitted[k] * shift[k];
    for (int k = 0; k < numbers; k++) other += model.memory[k] * gradient.memory[k];
    CHECK_NEAR(left, other, 1e-9 * fabs(left));
    const double value = qn_motion_smoother_penalty(&smoother, model.gamma, by_gamma);
    for (int k = 0; k < M * 2 * QN_MOTION_PLANE; k += 37) {
        const double kept = model.gamma[k], step = 1e-3;
        model.gamma[k] = kept + step;
        const double high = qn_motion_smoother_penalty(&smoother, model.gamma, unused);
        model.gamma[k] = kept - step;
        const double low = qn_motion_smoother_penalty(&smoother, model.gamma, unused);
        model.gamma[k] = kept;
        CHECK_NEAR(by_gamma[k], (high - low) / (2 * step), 1e-8 * value);
    }
    qn_motion_model_destroy(&gradient);
}

/* Quadratics have no penalty: 3 + 2 j − i² + i j on the lattice. */
static void quadratics_are_free(void)
{
    static double gamma[M * 2 * QN_MOTION_PLANE], gradient[M * 2 * QN_MOTION_PLANE];
    for (int k = 0; k < QN_MOTION_PLANE; k++) {
        const int i = k / 7, j = k % 7;
        gamma[2 * k] = 3 + 2 * j - i * i + i * j;
    }
    CHECK_NEAR(qn_motion_smoother_penalty(&smoother, gamma, gradient), 0, 1e-4);
    gamma[2 * 24] += 1;
    CHECK(qn_motion_smoother_penalty(&smoother, gamma, gradient) > 1);
}

int main(void)
{
    make();
    RUN(one_large_matrix_gives_the_same);
    RUN(choices_have_the_least_score);
    RUN(weights_keep_shifts);
    RUN(transposes_and_derivatives_are_right);
    RUN(quadratics_are_free);
    qn_motion_model_destroy(&model);
    qn_motion_smoother_destroy(&smoother);
    return check_finish();
}

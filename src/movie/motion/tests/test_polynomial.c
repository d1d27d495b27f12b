/* RELION's polynomial: motion that it can express exactly, and the law of test movies, of which it leaves 0.024 px. */
#include "check.h"

#include "movie/motion/fit.h"
#include "movie/motion/polynomial.h"
#include "movie/motion/tests/true_motion.h"

/* Seven frames have one interval in time, whose last B-spline is t³; with the coefficients of x y in space, X Y must be
 * found, whose factor follows from 4 x / (width − 1) + 1 as in test_motion.c. */
static void what_it_can_express_is_found(void)
{
    qn_motion motion;
    double found[2][QN_MOTION_POLYNOMIAL_COEFFICIENTS], rms, u[2];
    CHECK_OK(qn_motion_allocate(7, 200, 100, &motion));
    CHECK_OK(qn_motion_polynomial(&motion, found, &rms));
    for (int k = 0; k < 36; k++) CHECK(found[k / 18][k % 18] == 0);
    CHECK(rms == 0);
    motion.time_count = 3;
    for (int t = 0; t < 7; t++) motion.global_px[2 * t] = t;
    for (int k = 0; k < QN_MOTION_PLANE; k++) motion.local_px[2 * (2 * QN_MOTION_PLANE + k)] = (k / 7) * (k % 7);
    CHECK_OK(qn_motion_polynomial(&motion, found, &rms));
    CHECK_NEAR(rms, 0, 1e-4);                                                  /* a difference of sums of squares */
    CHECK_NEAR(found[0][17], 16 * 200.0 * 100.0 / (199.0 * 99.0) / 216, 1e-7); /* z³ X Y, t = z / 6 */
    CHECK_NEAR(found[0][15], 0, 1e-6);
    CHECK_NEAR(found[1][17], 0, 1e-12);
    for (int t = 0; t < 7; t += 3) {
        const double X = 37 / 200.0 - 0.5, Y = 81 / 100.0 - 0.5, space[6] = {1, X, X * X, Y, Y * Y, X * Y};
        double sum = t;
        for (int k = 0; k < 18; k++) sum += found[0][k] * pow(t, k % 3 + 1) * space[k / 3];
        qn_motion_at(&motion, t, 37, 81, u);
        CHECK_NEAR(u[0], sum, 1e-6);
    }
    qn_motion_release(&motion);
}

/* The law contains 1 − exp(−4 t), which a polynomial of third order follows within 1 % only. */
static void the_law_is_followed_within_its_limits(void)
{
    const truth law = {1, 24, 3, 0};
    qn_motion motion;
    qn_motion_fit *fit;
    double found[2][QN_MOTION_POLYNOMIAL_COEFFICIENTS], rms, squares = 0;
    make_shifts(&law, 7, 0);
    const qn_patch_peaks peaks = {49, 24, NULL, shift, weight};
    CHECK_OK(qn_motion_allocate(24, WIDTH, HEIGHT, &motion));
    CHECK_OK(qn_motion_fit_create(&motion, 49, place, NULL, &fit));
    CHECK_OK(qn_motion_fit_peaks(fit, &peaks, NULL));
    qn_motion_fit_result(fit, &motion);
    CHECK_OK(qn_motion_polynomial(&motion, found, &rms));
    CHECK_NEAR(rms, 0.024, 0.002);
    for (int t = 0; t < 24; t++)
        for (int k = 0; k < 21 * 21; k++) {
            const double x = k % 21 / 20.0 * (WIDTH - 1), y = k / 21 / 20.0 * (HEIGHT - 1);
            const double X = x / WIDTH - 0.5, Y = y / HEIGHT - 0.5, space[6] = {1, X, X * X, Y, Y * Y, X * Y};
            double u[2];
            qn_motion_at(&motion, t, x, y, u);
            for (int axis = 0; axis < 2; axis++) {
                double rest = u[axis] - motion.global_px[2 * t + axis];
                for (int i = 0; i < 18; i++) rest -= found[axis][i] * pow(t, i % 3 + 1) * space[i / 3];
                squares += rest * rest;
            }
        }
    CHECK_NEAR(sqrt(squares / (24 * 21 * 21)), rms, 1e-6);
    qn_motion_fit_destroy(&fit);
    qn_motion_release(&motion);
}

int main(void)
{
    RUN(what_it_can_express_is_found);
    RUN(the_law_is_followed_within_its_limits);
    return check_finish();
}

/* Motion at a place: B-splines against their definitions, hand-calculated values and polynomials. */
#include "check.h"

#include <math.h>

#include "movie/motion/motion.h"

/* A clamped B-spline by its recursion, function by function; the last interval holds its end. */
static double spline(const double *knots, int degree, int i, double t, double last)
{
    if (degree == 0)
        return (t >= knots[i] && t < knots[i + 1]) || (t == last && knots[i + 1] == last && knots[i] < last);
    const double left = knots[i + degree] - knots[i], right = knots[i + degree + 1] - knots[i + 1];
    double sum = 0;
    if (left > 0) sum += (t - knots[i]) / left * spline(knots, degree - 1, i, t, last);
    if (right > 0) sum += (knots[i + degree + 1] - t) / right * spline(knots, degree - 1, i + 1, t, last);
    return sum;
}

static void time_basis_follows_its_definition(void)
{
    static const double three[10] = {0, 0, 0, 0, 1.0 / 9, 4.0 / 9, 1, 1, 1, 1}, one[8] = {0, 0, 0, 0, 1, 1, 1, 1};
    double values[QN_MOTION_TIME_KNOTS_MAX];
    CHECK(qn_motion_time_count(24) == 5 && qn_motion_time_count(13) == 5);
    CHECK(qn_motion_time_count(12) == 4 && qn_motion_time_count(9) == 4);
    CHECK(qn_motion_time_count(7) == 3 && qn_motion_time_count(2) == 3);
    for (int frame = 0; frame < 24; frame++) {
        qn_motion_time_basis(24, frame, values);
        for (int m = 0; m < 5; m++) CHECK_NEAR(values[m], spline(three, 3, m + 1, frame / 23.0, 1), 1e-14);
    }
    for (int frame = 0; frame < 7; frame++) { /* one interval: Bernstein polynomials */
        const double t = frame / 6.0;
        qn_motion_time_basis(7, frame, values);
        for (int m = 0; m < 3; m++) CHECK_NEAR(values[m], spline(one, 3, m + 1, t, 1), 1e-14);
        CHECK_NEAR(values[1], 3 * t * t * (1 - t), 1e-14);
    }
    qn_motion_time_basis(1, 0, values);
    for (int m = 0; m < QN_MOTION_TIME_KNOTS_MAX; m++) CHECK(values[m] == 0);
}

/* Uniform cubic B-splines reproduce polynomials of second order: with the coefficients k, Σ k B_k = 4 v + 1, and with
 * k² − 1/3 … the square of it. */
static void space_basis_reproduces_polynomials(void)
{
    static const double places[] = {-0.5, 0, 0.1, 0.25, 0.49, 0.5, 0.77, 0.999, 1, 1.5};
    for (int p = 0; p < 10; p++) {
        double values[QN_MOTION_SIDE], one = 0, line = 0, square = 0;
        const double v = places[p] < 0 ? 0 : places[p] > 1 ? 1 : places[p];
        qn_motion_space_basis(places[p], values);
        for (int k = 0; k < QN_MOTION_SIDE; k++) {
            one += values[k];
            line += k * values[k];
            square += (k * k - 1.0 / 3) * values[k];
        }
        CHECK_NEAR(one, 1, 1e-14);
        CHECK_NEAR(line, 4 * v + 1, 1e-13);
        CHECK_NEAR(square, (4 * v + 1) * (4 * v + 1), 1e-13);
    }
}

/* u_x = g + t³ (3 + 2 X Y), u_y = g − t³ Y, X = 4 x / (width − 1) + 1: the last B-spline of one interval is t³. */
static void displacement_is_the_sum_of_its_parts(void)
{
    qn_motion motion;
    double u[2], coefficients[2 * QN_MOTION_PLANE];
    CHECK_OK(qn_motion_allocate(7, 101, 41, &motion));
    for (int frame = 1; frame < 7; frame++) {
        motion.global_px[2 * frame] = 0.5 * frame;
        motion.global_px[2 * frame + 1] = -frame;
    }
    qn_motion_at(&motion, 3, 12, 7, u);
    CHECK(u[0] == 1.5 && u[1] == -3);
    motion.time_count = 3;
    for (int i = 0; i < QN_MOTION_SIDE; i++)
        for (int j = 0; j < QN_MOTION_SIDE; j++) {
            double *c = motion.local_px + 2 * (2 * QN_MOTION_PLANE + QN_MOTION_SIDE * i + j);
            c[0] = 3 + 2.0 * i * j;
            c[1] = -i;
        }
    for (int frame = 0; frame < 7; frame++) {
        const double cube = pow(frame / 6.0, 3), X = 4 * 33.5 / 100 + 1, Y = 4 * 38.25 / 40 + 1;
        qn_motion_at(&motion, frame, 33.5, 38.25, u);
        CHECK_NEAR(u[0], 0.5 * frame + cube * (3 + 2 * X * Y), 1e-12);
        CHECK_NEAR(u[1], -frame - cube * Y, 1e-12);
        qn_motion_frame_coefficients(&motion, frame, coefficients);
        CHECK_NEAR(coefficients[2 * (QN_MOTION_SIDE * 4 + 2)], cube * 19, 1e-12);
    }
    qn_motion_at(&motion, 6, -50, 400, u); /* outside: as at (0, 40) */
    CHECK_NEAR(u[0], 3 + 3 + 2 * 1 * 5, 1e-12);
    qn_motion_release(&motion);
    CHECK(motion.global_px == 0 && motion.frame_count == 0);
    CHECK_FAILS(qn_motion_allocate(0, 10, 10, &motion), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("motion of 0 frames of 10 × 10 pixels");
}

/* Half of a side is 50 along x and 20 along y; the local part of the last frame is its last coefficients. */
static void motion_out_of_the_frame_is_found(void)
{
    qn_motion motion;
    double moved;
    int frame;
    CHECK_OK(qn_motion_allocate(7, 100, 40, &motion));
    motion.global_px[2 * 3] = -50, motion.global_px[2 * 3 + 1] = 20;
    CHECK(qn_motion_stays(&motion, &frame, &moved));
    motion.global_px[2 * 3 + 1] = -20.5;
    CHECK(!qn_motion_stays(&motion, &frame, &moved) && frame == 3 && moved == 20.5);
    motion.global_px[2 * 3] = motion.global_px[2 * 3 + 1] = 0;
    motion.global_px[2 * 6] = 30;
    motion.time_count = 3;
    motion.local_px[2 * (3 * QN_MOTION_PLANE - 1)] = -21;
    CHECK(!qn_motion_stays(&motion, &frame, &moved) && frame == 6);
    CHECK_NEAR(moved, 51, 1e-12);
    motion.local_px[2 * (3 * QN_MOTION_PLANE - 1)] = NAN;
    CHECK(!qn_motion_stays(&motion, &frame, &moved));
    qn_motion_release(&motion);
}

static void polynomials_are_splines(void)
{
    static const int frames[3] = {3, 11, 40};
    for (int k = 0; k < 9; k++) {
        const int count = frames[k / 3], degree = k % 3 + 1;
        double coefficients[QN_MOTION_TIME_KNOTS_MAX], basis[QN_MOTION_TIME_KNOTS_MAX];
        qn_motion_time_polynomial(count, degree, coefficients);
        for (int t = 0; t < count; t++) {
            double sum = 0;
            qn_motion_time_basis(count, t, basis);
            for (int m = 0; m < qn_motion_time_count(count); m++) sum += coefficients[m] * basis[m];
            CHECK_NEAR(sum, pow(t / (count - 1.0), degree), 1e-14);
        }
    }
}

int main(void)
{
    RUN(polynomials_are_splines);
    RUN(time_basis_follows_its_definition);
    RUN(space_basis_reproduces_polynomials);
    RUN(displacement_is_the_sum_of_its_parts);
    RUN(motion_out_of_the_frame_is_found);
    return check_finish();
}

/* The rigid-body minimiser on energies with known minima: functions of the shift of the pivot and of the rotation
 * vector, which the test computes from the pose. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "dock/refine.h"
#include "math/random.h"
#include "math/rotation.h"

static const double pi = 3.14159265358979323846;
static const double pivot[3] = {12.5, -40.25, 7};
static const double most_shift = 2, most_turn = 10;

typedef enum land_shape { QUADRATIC, COUPLED, RUGGED, PLATEAUS, FLAT, UNDEFINED } land_shape;

typedef struct landscape {
    land_shape shape;
    double matrix[9], place[3]; /* first pose: matrix and place of the pivot */
    double target[6];           /* shift in Å, rotation vector in degrees */
    double mixing[6][6];        /* COUPLED: energy |mixing · (x − target)|² */
    int calls;
    double farthest, most_turned; /* largest shift and turn of all poses evaluated */
    double worst_rotation;
} landscape;

/* Compute the shift of the pivot (Å) and the rotation vector (degrees) of a pose relative to the first pose. */
static void find_move(const landscape *land, const double matrix[9], const double translation[3], double move[6])
{
    double place[3], back[9], turn[9], axis[3];
    qn_rotation_apply(matrix, pivot, place);
    for (int i = 0; i < 3; i++) move[i] = place[i] + translation[i] - land->place[i];
    for (int i = 0; i < 9; i++) back[i] = land->matrix[3 * (i % 3) + i / 3];
    qn_rotation_multiply(matrix, back, turn);
    axis[0] = (turn[7] - turn[5]) / 2;
    axis[1] = (turn[2] - turn[6]) / 2;
    axis[2] = (turn[3] - turn[1]) / 2;
    double sine = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double angle = atan2(sine, (turn[0] + turn[4] + turn[8] - 1) / 2);
    for (int i = 0; i < 3; i++) move[3 + i] = sine > 0 ? axis[i] / sine * angle * 180 / pi : 0;
}

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Compute move − target, with 5° counted as 1 Å. */
static void offsets(const landscape *land, const double move[6], double d[6])
{
    for (int i = 0; i < 6; i++) d[i] = (move[i] - land->target[i]) / (i < 3 ? 1 : 5);
}

static double value(const landscape *land, const double move[6])
{
    double d[6], sum = 0;
    offsets(land, move, d);
    for (int i = 0; i < 6; i++) {
        double term = d[i];
        if (land->shape == COUPLED) {
            term = 0;
            for (int j = 0; j < 6; j++) term += land->mixing[i][j] * d[j];
        }
        sum += term * term;
        /* Ripples 0.3 Å (1.5°) apart: many local minima along each axis, the lowest at the target. */
        if (land->shape == RUGGED) sum += 0.05 * (1 - cos(2 * pi * d[i] / 0.3));
    }
    if (land->shape == PLATEAUS && move[0] > land->target[0] + 0.1) return NAN;
    if (land->shape == PLATEAUS && move[1] > land->target[1] + 0.1) return INFINITY;
    if (land->shape == PLATEAUS && move[5] < land->target[5] - 0.5) return -INFINITY;
    return sum;
}

static double energy(const double matrix[9], const double translation[3], void *user)
{
    landscape *land = user;
    double move[6];
    find_move(land, matrix, translation, move);
    land->calls++;
    land->farthest = fmax(land->farthest, length(move));
    land->most_turned = fmax(land->most_turned, length(move + 3));
    land->worst_rotation = fmax(land->worst_rotation, qn_rotation_error(matrix));
    if (land->shape == FLAT) return -3.5;
    if (land->shape == UNDEFINED) return NAN;
    return value(land, move);
}

/* Make a landscape with a random first pose, and a target at the given shift and turn in pseudo-random directions. */
static void make_landscape(landscape *land, land_shape shape, uint64_t seed, double shift, double turn,
                           double matrix[9], double translation[3])
{
    memset(land, 0, sizeof *land);
    land->shape = shape;
    qn_rotation_from_seed(seed + 1, matrix);
    for (int i = 0; i < 3; i++) translation[i] = 100 * (qn_random_uniform(seed, 0, (uint64_t)i) - 0.5);
    memcpy(land->matrix, matrix, sizeof land->matrix);
    qn_rotation_apply(matrix, pivot, land->place);
    for (int i = 0; i < 3; i++) land->place[i] += translation[i];
    for (int part = 0; part < 6; part += 3) {
        for (int i = 0; i < 3; i++) land->target[part + i] = qn_random_uniform(seed, 1, (uint64_t)(part + i)) - 0.5;
        double scale = (part ? turn : shift) / length(land->target + part);
        for (int i = 0; i < 3; i++) land->target[part + i] *= scale;
    }
    for (int i = 0; i < 36; i++)
        land->mixing[i / 6][i % 6] = (i % 7 == 0) + 0.8 * (qn_random_uniform(seed, 2, (uint64_t)i) - 0.5);
}

/* Refine a pose and check the properties of every result; `move` is that of the refined pose. */
static double refine(landscape *land, double matrix[9], double translation[3], double move[6])
{
    double start[6] = {0}, refined = NAN;
    if (!CHECK_OK(qn_dock_refine(energy, land, pivot, most_shift, most_turn, matrix, translation, &refined)))
        return NAN;
    CHECK(land->calls <= QN_DOCK_REFINE_EVALUATIONS);
    CHECK(land->farthest <= most_shift + 1e-7);   /* `place` comes from the matrix before it is made orthonormal */
    CHECK(land->most_turned <= most_turn + 1e-6); /* computed by atan2 of sums of products */
    CHECK(land->worst_rotation <= 1e-12);
    CHECK(qn_rotation_error(matrix) <= 1e-12);
    find_move(land, matrix, translation, move);
    CHECK(refined <= value(land, start));
    CHECK_NEAR(value(land, move), refined, 0);
    return refined;
}

/* The shortest steps are 0.01 Å and 0.05°; a minimum with unit curvature is found within a few such steps. */
static void minima_within_the_limits_are_found(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        landscape land;
        double matrix[9], translation[3], move[6];
        make_landscape(&land, QUADRATIC, seed, 0.09 * (double)seed, 9.5 - 0.4 * (double)seed, matrix, translation);
        refine(&land, matrix, translation, move);
        for (int i = 0; i < 6; i++) CHECK_NEAR(move[i], land.target[i], i < 3 ? 0.02 : 0.1);
    }
}

/* Only combined shifts and turns lower the energy; its condition number is up to some hundreds. */
static void coupled_minima_are_found(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        landscape land;
        double matrix[9], translation[3], move[6], start[6] = {0};
        make_landscape(&land, COUPLED, seed, 1.2, 5, matrix, translation);
        double before = value(&land, start), after = refine(&land, matrix, translation, move);
        CHECK(after < 1e-3 * before);
    }
}

/* If the energy grows equally in all directions, the search ends at the point of the limits nearest to the target. */
static void minima_outside_the_limits_are_approached_up_to_the_limits(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        landscape land;
        double matrix[9], translation[3], move[6];
        make_landscape(&land, QUADRATIC, seed, 5, seed % 2 ? 4 : 30, matrix, translation);
        refine(&land, matrix, translation, move);
        CHECK_NEAR(length(move), most_shift, 1e-6);
        for (int i = 0; i < 3; i++) CHECK_NEAR(move[i], land.target[i] * most_shift / 5, 0.05);
        for (int i = 3; i < 6; i++)
            CHECK_NEAR(move[i], seed % 2 ? land.target[i] : land.target[i] * most_turn / 30, 0.25);
    }
}

/* The search must end in one of the lowest of thousands of local minima. An error of one ripple in one unknown costs
 * 0.3² = 0.09: fewer than three such errors in each search, and fewer than one on average. */
static void local_minima_do_not_end_the_search(void)
{
    double sum = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        landscape land;
        double matrix[9], translation[3], move[6], start[6] = {0};
        make_landscape(&land, RUGGED, seed, 1.5, 7, matrix, translation);
        double before = value(&land, start), after = refine(&land, matrix, translation, move);
        CHECK(before > 2);
        CHECK(after < 3 * 0.09);
        sum += after;
    }
    CHECK(sum / 20 < 0.09);
}

static void forbidden_poses_are_avoided(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        landscape land;
        double matrix[9], translation[3], move[6];
        make_landscape(&land, PLATEAUS, seed, 1.2, 6, matrix, translation);
        /* Change the signs of the target so that the first pose is allowed. */
        land.target[0] = fabs(land.target[0]);
        land.target[1] = fabs(land.target[1]);
        land.target[5] = -fabs(land.target[5]);
        refine(&land, matrix, translation, move);
        for (int i = 0; i < 6; i++) CHECK_NEAR(move[i], land.target[i], i < 3 ? 0.02 : 0.1);
    }
}

static void same_input_gives_the_same_bits(void)
{
    landscape land[2];
    double matrix[2][9], translation[2][3], move[2][6], found[2];
    for (int run = 0; run < 2; run++) {
        make_landscape(&land[run], RUGGED, 77, 1.5, 7, matrix[run], translation[run]);
        found[run] = refine(&land[run], matrix[run], translation[run], move[run]);
    }
    CHECK(memcmp(matrix[0], matrix[1], sizeof matrix[0]) == 0);
    CHECK(memcmp(translation[0], translation[1], sizeof translation[0]) == 0);
    CHECK(found[0] == found[1] && land[0].calls == land[1].calls);
}

static void pose_is_kept_if_no_energy_is_lower(void)
{
    landscape land;
    double matrix[9], translation[3], refined;
    make_landscape(&land, FLAT, 5, 1, 5, matrix, translation);
    double there[3] = {translation[0], translation[1], translation[2]};
    CHECK_OK(qn_dock_refine(energy, &land, pivot, most_shift, most_turn, matrix, translation, &refined));
    CHECK_NEAR(refined, -3.5, 0);
    CHECK(land.calls < 200);
    CHECK(memcmp(matrix, land.matrix, sizeof matrix) == 0 && memcmp(translation, there, sizeof there) == 0);
    /* If both limits are 0, nothing is moved. */
    land.shape = QUADRATIC;
    land.calls = 0;
    CHECK_OK(qn_dock_refine(energy, &land, pivot, 0, 0, matrix, translation, &refined));
    CHECK(land.calls == 1);
    CHECK(memcmp(matrix, land.matrix, sizeof matrix) == 0 && memcmp(translation, there, sizeof there) == 0);
}

static void limit_of_zero_forbids_its_kind_of_move(void)
{
    landscape land;
    double matrix[9], translation[3], move[6], refined;
    make_landscape(&land, QUADRATIC, 9, 1, 5, matrix, translation);
    CHECK_OK(qn_dock_refine(energy, &land, pivot, 0, most_turn, matrix, translation, &refined));
    find_move(&land, matrix, translation, move);
    CHECK(length(move) < 1e-12);
    for (int i = 3; i < 6; i++) CHECK_NEAR(move[i], land.target[i], 0.1);
    make_landscape(&land, QUADRATIC, 9, 1, 5, matrix, translation);
    CHECK_OK(qn_dock_refine(energy, &land, pivot, most_shift, 0, matrix, translation, &refined));
    find_move(&land, matrix, translation, move);
    CHECK(length(move + 3) < 1e-9);
    for (int i = 0; i < 3; i++) CHECK_NEAR(move[i], land.target[i], 0.02);
}

/* Elements of the search's matrices are multiples of 2^-30. */
static void rounded_matrices_are_made_orthonormal(void)
{
    landscape land;
    double matrix[9], translation[3], move[6];
    make_landscape(&land, QUADRATIC, 3, 1, 5, matrix, translation);
    for (int i = 0; i < 9; i++) matrix[i] = ldexp(floor(ldexp(matrix[i], 30)), -30);
    CHECK(qn_rotation_error(matrix) > 1e-11);
    refine(&land, matrix, translation, move);
    for (int i = 0; i < 6; i++) CHECK_NEAR(move[i], land.target[i], i < 3 ? 0.02 : 0.1);
}

static void bad_input_is_refused(void)
{
    landscape land;
    double matrix[9], translation[3], refined;
    make_landscape(&land, QUADRATIC, 3, 1, 5, matrix, translation);
    CHECK_FAILS(qn_dock_refine(energy, &land, pivot, -1, 10, matrix, translation, &refined), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("-1");
    CHECK_FAILS(qn_dock_refine(energy, &land, pivot, 2, NAN, matrix, translation, &refined), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_dock_refine(energy, &land, pivot, 2, 181, matrix, translation, &refined), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("181");
    land.shape = UNDEFINED;
    CHECK_FAILS(qn_dock_refine(energy, &land, pivot, 2, 10, matrix, translation, &refined), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("nan");
    CHECK(memcmp(matrix, land.matrix, sizeof matrix) == 0);
    land.shape = QUADRATIC;
    matrix[0] += 0.01;
    CHECK_FAILS(qn_dock_refine(energy, &land, pivot, 2, 10, matrix, translation, &refined), QN_INVALID_ARGUMENT);
    matrix[0] = NAN;
    CHECK_FAILS(qn_dock_refine(energy, &land, pivot, 2, 10, matrix, translation, &refined), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("rotation");
}

int main(void)
{
    RUN(minima_within_the_limits_are_found);
    RUN(coupled_minima_are_found);
    RUN(minima_outside_the_limits_are_approached_up_to_the_limits);
    RUN(local_minima_do_not_end_the_search);
    RUN(forbidden_poses_are_avoided);
    RUN(same_input_gives_the_same_bits);
    RUN(pose_is_kept_if_no_energy_is_lower);
    RUN(limit_of_zero_forbids_its_kind_of_move);
    RUN(rounded_matrices_are_made_orthonormal);
    RUN(bad_input_is_refused);
    return check_finish();
}

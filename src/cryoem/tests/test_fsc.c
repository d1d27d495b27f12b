/* Compare Fourier shell correlations with the definition, summed over the whole cube in double precision. */
#include "check.h"

#include <complex.h>
#include <math.h>
#include <quern/resolution.h>
#include <stdlib.h>
#include <string.h>

#include "cryoem/grid_transform.h"
#include "cryoem/shells.h"
#include "math/random.h"

static const double pi = 3.14159265358979323846;
static qn_context *context;

static double draw(uint64_t stream, size_t i)
{
    return qn_random_uniform(20261122, stream, i);
}

/* Draw a normally distributed number. */
static float gauss(uint64_t stream, size_t i)
{
    return (float)(sqrt(-2 * log(1 - draw(stream, 2 * i))) * cos(2 * pi * draw(stream, 2 * i + 1)));
}

static qn_volume *cube(int side, double voxel_angstrom)
{
    qn_volume *volume;
    if (!CHECK_OK(qn_volume_create((int[3]){side, side, side}, voxel_angstrom, &volume))) exit(1);
    return volume;
}

static size_t voxels_of(const qn_volume *volume)
{
    return (size_t)volume->counts[0] * (size_t)volume->counts[1] * (size_t)volume->counts[2];
}

/* Make common · a + b, both white noise; a is the same in all volumes, b depends on the stream. */
static qn_volume *noisy(int side, double common, uint64_t stream)
{
    qn_volume *volume = cube(side, 1.5);
    for (size_t i = 0; i < voxels_of(volume); i++) volume->values[i] = (float)common * gauss(7, i) + gauss(stream, i);
    return volume;
}

/* Make a soft ball in the middle; its diameter is half the side. */
static qn_volume *ball(int side)
{
    qn_volume *volume = cube(side, 1.5);
    for (size_t i = 0; i < voxels_of(volume); i++) {
        const double z = (double)(i / (size_t)side / (size_t)side) - side / 2,
                     y = (double)(i / (size_t)side % (size_t)side) - side / 2,
                     x = (double)(i % (size_t)side) - side / 2;
        volume->values[i] = (float)fmin(1, fmax(0, 0.5 + (side * 0.25 - sqrt(x * x + y * y + z * z)) / 3));
    }
    return volume;
}

/* Compute one coefficient of the transform from the definition. */
static double complex coefficient(const float *values, int side, const int k[3])
{
    double complex sum = 0;
    for (int z = 0; z < side; z++)
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++) {
                const int turns = (k[0] * x + k[1] * y + k[2] * z) % side;
                sum += (double)values[(z * side + y) * side + x] * cexp(-2 * pi * I * turns / side);
            }
    return sum;
}

static void define(int side, const float *a, const float *b, double *curve)
{
    const int low = -((side - 1) / 2), shells = side / 2 + 1;
    double sums[3][64] = {{0}};
    for (int z = low; z < low + side; z++)
        for (int y = low; y < low + side; y++)
            for (int x = low; x < low + side; x++) {
                const int shell = (int)rint(sqrt((double)(x * x + y * y + z * z)));
                if (shell >= shells) continue;
                const double complex f = coefficient(a, side, (int[]){x, y, z});
                const double complex g = coefficient(b, side, (int[]){x, y, z});
                sums[0][shell] += creal(f * conj(g));
                sums[1][shell] += creal(f * conj(f));
                sums[2][shell] += creal(g * conj(g));
            }
    for (int s = 0; s < shells; s++) curve[s] = sums[0][s] / sqrt(sums[1][s] * sums[2][s]);
}

static void curves_agree_with_the_definition(void)
{
    const int sides[] = {4, 7, 8, 9, 10};
    for (int i = 0; i < 5; i++) {
        const int side = sides[i];
        qn_volume *a = noisy(side, 1, 1), *b = noisy(side, 1, 2), *mask = ball(side);
        double curve[64];
        qn_fsc *fsc;
        if (!CHECK_OK(qn_fsc_compute(
                context, a, b, mask,
                &(qn_fsc_options){.size = sizeof(qn_fsc_options), .seed = 3, .randomise_below = 0.8}, &fsc)))
            return;
        CHECK(fsc->shells == side / 2 + 1);
        define(side, a->values, b->values, curve);
        for (int s = 0; s < fsc->shells; s++) {
            CHECK_NEAR(fsc->unmasked[s], curve[s], 1e-6);
            CHECK_NEAR(fsc->frequency_per_angstrom[s], s / (side * 1.5), 1e-12);
        }
        for (size_t k = 0; k < voxels_of(a); k++) {
            a->values[k] *= mask->values[k];
            b->values[k] *= mask->values[k];
        }
        define(side, a->values, b->values, curve);
        for (int s = 0; s < fsc->shells; s++) CHECK_NEAR(fsc->masked[s], curve[s], 1e-6);
        qn_fsc_destroy(&fsc);
        qn_volume_destroy(&a);
        qn_volume_destroy(&b);
        qn_volume_destroy(&mask);
    }
}

/* Signal and noise have equal power at all frequencies, so the correlation is 1 / (1 + 1) within the statistical error
 * of a shell. */
static void equal_signal_and_noise_correlate_to_one_half(void)
{
    qn_volume *a = noisy(40, 1, 1), *b = noisy(40, 1, 2);
    qn_fsc *fsc;
    if (!CHECK_OK(qn_fsc_compute(context, a, b, NULL, NULL, &fsc))) return;
    CHECK(!fsc->masked && !fsc->randomised && !fsc->corrected && fsc->randomised_from == 0);
    for (int s = 1; s < fsc->shells; s++) CHECK_NEAR(fsc->unmasked[s], 0.5, 4 / sqrt(2 * pi * s * s));
    qn_fsc_destroy(&fsc);
    qn_volume_destroy(&a);
    qn_volume_destroy(&b);
}

static void check_crossing(const qn_fsc_crossing *crossing, const double *curve, int shells, double box_angstrom)
{
    const int shell = crossing->shell;
    const double t = crossing->threshold;
    if (!CHECK(shell > 1 && shell < shells)) return;
    for (int s = 1; s < shell; s++) CHECK(curve[s] >= t);
    CHECK(curve[shell] < t);
    CHECK_NEAR(crossing->shell_angstrom, box_angstrom / shell, 1e-9);
    const double share = box_angstrom / crossing->crossing_angstrom - (shell - 1);
    CHECK(share >= 0 && share <= 1);
    CHECK_NEAR((1 - share) * curve[shell - 1] + share * curve[shell], t, 1e-9);
}

/* A ball that fades into noise: the FSC falls through both thresholds. */
static void crossings_lie_on_the_curve(void)
{
    const int sides[] = {40, 45};
    for (int i = 0; i < 2; i++) {
        qn_volume *a = ball(sides[i]), *b = ball(sides[i]);
        qn_fsc *fsc;
        for (size_t k = 0; k < voxels_of(a); k++) {
            a->values[k] += 0.05f * gauss(1, k);
            b->values[k] += 0.05f * gauss(2, k);
        }
        if (!CHECK_OK(qn_fsc_compute(context, a, b, NULL, NULL, &fsc))) return;
        check_crossing(&fsc->at_0_5, fsc->unmasked, fsc->shells, sides[i] * 1.5);
        check_crossing(&fsc->at_0_143, fsc->unmasked, fsc->shells, sides[i] * 1.5);
        CHECK(fsc->at_0_143.shell >= fsc->at_0_5.shell);
        CHECK(fsc->resolution_angstrom == fsc->at_0_143.crossing_angstrom);
        qn_fsc_destroy(&fsc);
        qn_volume_destroy(&a);
        qn_volume_destroy(&b);
    }
}

static void equal_maps_agree_to_the_last_shell(void)
{
    qn_volume *a = noisy(21, 0, 1), *mask = ball(21);
    qn_fsc *fsc;
    if (!CHECK_OK(qn_fsc_compute(context, a, a, mask, NULL, &fsc))) return;
    for (int s = 0; s < fsc->shells; s++) {
        CHECK_NEAR(fsc->unmasked[s], 1, 1e-6);
        CHECK_NEAR(fsc->corrected[s], 1, 1e-6);
        CHECK_NEAR(fsc->randomised[s], 1, 1e-6);
    }
    CHECK(fsc->randomised_from == 0 && fsc->at_0_5.shell == 0 && fsc->at_0_143.shell == 0);
    CHECK_NEAR(fsc->resolution_angstrom, 3, 1e-12);
    CHECK_NEAR(fsc->at_0_5.shell_angstrom, 3, 1e-12);
    qn_fsc_destroy(&fsc);
    qn_volume_destroy(&a);
    qn_volume_destroy(&mask);
}

/* ---- random phases ---- */

typedef struct phase_test {
    int side, from;
    const qn_volume *a, *b;
    float *before[2], *after[2]; /* half spectra */
    uint64_t seed;
} phase_test;

static size_t spectrum_bytes(int side)
{
    return 2 * sizeof(float) * (size_t)(side / 2 + 1) * (size_t)side * (size_t)side;
}

static qn_status take_spectra(void *const *addresses, qn_pool *pool, void *user)
{
    phase_test *t = user;
    for (int k = 0; k < 2; k++) memcpy(t->before[k], addresses[1 + k], spectrum_bytes(t->side));
    const qn_status status = qn_shells_randomise(pool, t->side, t->from, t->seed, addresses[1], addresses[2]);
    for (int k = 0; k < 2; k++) memcpy(t->after[k], addresses[1 + k], spectrum_bytes(t->side));
    return status;
}

/* The spectra are unchanged by a transform to the grid and back, which is true only for spectra of real grids. */
static qn_status compare_spectra(void *const *addresses, qn_pool *pool, void *user)
{
    (void)pool;
    const phase_test *t = user;
    const float scale = 1 / ((float)t->side * (float)t->side * (float)t->side);
    for (int k = 0; k < 2; k++) {
        const float *again = addresses[1 + k];
        double worst = 0, largest = 0;
        for (size_t i = 0; i < spectrum_bytes(t->side) / sizeof(float); i++) {
            worst = fmax(worst, (double)fabsf(again[i] * scale - t->after[k][i]));
            largest = fmax(largest, (double)fabsf(t->after[k][i]));
        }
        CHECK(worst < 1e-5 * largest);
    }
    return QN_OK;
}

static void compare_phases(const phase_test *t)
{
    const int side = t->side, width = side / 2 + 1;
    size_t moved = 0, kept = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < side * side * width; i++) {
            const int x = i % width, row = i / width;
            const int y = row % side <= side / 2 ? row % side : row % side - side;
            const int z = row / side <= side / 2 ? row / side : row / side - side;
            const float *f = t->before[k] + 2 * i, *g = t->after[k] + 2 * i;
            const double was = hypot((double)f[0], (double)f[1]), is = hypot((double)g[0], (double)g[1]);
            const int inside = rint(sqrt((double)(x * x + y * y + z * z))) < t->from;
            CHECK_NEAR(is, was, 1e-5 * was + 1e-6);
            if (inside) kept += !CHECK(f[0] == g[0] && f[1] == g[1]);
            if (!inside) moved += f[0] != g[0] || f[1] != g[1];
        }
    CHECK(kept == 0 && moved > (size_t)(side * side * side) / 3);
}

static void random_phases_keep_grids_real(void)
{
    const int sides[] = {12, 13, 16};
    for (int i = 0; i < 3; i++) {
        const int side = sides[i];
        qn_volume *a = noisy(side, 1, 1), *b = noisy(side, 1, 2);
        qn_grid_transform transform;
        phase_test test = {.side = side, .from = 3, .seed = 5};
        for (int k = 0; k < 2; k++) {
            test.before[k] = malloc(spectrum_bytes(side));
            test.after[k] = malloc(spectrum_bytes(side));
        }
        CHECK_OK(qn_grid_transform_create(context, a->counts, 2, &transform));
        CHECK_OK(qn_grid_transform_fill(&transform, a->values, NULL));
        CHECK_OK(qn_grid_transform_forward(&transform, 0));
        CHECK_OK(qn_grid_transform_fill(&transform, b->values, NULL));
        CHECK_OK(qn_grid_transform_forward(&transform, 1));
        CHECK_OK(qn_grid_transform_use(&transform, take_spectra, &test));
        for (int k = 0; k < 2; k++) {
            CHECK_OK(qn_grid_transform_inverse(&transform, k));
            CHECK_OK(qn_grid_transform_forward(&transform, k));
        }
        CHECK_OK(qn_grid_transform_use(&transform, compare_spectra, &test));
        compare_phases(&test);
        qn_grid_transform_destroy(&transform);
        for (int k = 0; k < 2; k++) {
            free(test.before[k]);
            free(test.after[k]);
        }
        qn_volume_destroy(&a);
        qn_volume_destroy(&b);
    }
}

/* A mask of ones has no effect: randomised maps agree below the first random shell, and only by chance from there on.
 */
static void randomised_maps_agree_only_by_chance(void)
{
    const int side = 40;
    qn_volume *a = ball(side), *b = ball(side), *mask = cube(side, 1.5);
    qn_fsc *fsc;
    for (size_t k = 0; k < voxels_of(a); k++) {
        a->values[k] += 0.05f * gauss(1, k);
        b->values[k] += 0.05f * gauss(2, k);
        mask->values[k] = 1;
    }
    if (!CHECK_OK(qn_fsc_compute(context, a, b, mask,
                                 &(qn_fsc_options){.size = sizeof(qn_fsc_options), .seed = 1, .randomise_below = 0.8},
                                 &fsc)))
        return;
    const int from = fsc->randomised_from;
    CHECK(from > 1 && fsc->unmasked[from] < 0.8 && fsc->unmasked[from - 1] >= 0.8);
    for (int s = 0; s < fsc->shells; s++) {
        const double expected = s < from ? fsc->unmasked[s] : 0;
        CHECK_NEAR(fsc->masked[s], fsc->unmasked[s], 1e-6);
        CHECK_NEAR(fsc->randomised[s], expected, s < from ? 1e-5 : 4 / sqrt(2 * pi * s * s));
    }
    qn_fsc_destroy(&fsc);
    qn_volume_destroy(&a);
    qn_volume_destroy(&b);
    qn_volume_destroy(&mask);
}

/* Maps of a weak common ball with independent noise, in a hard mask: the shape of the mask adds to the correlation of
 * the masked maps, and the corrected curve follows the formula of Chen et al. */
static void corrected_curve_follows_the_formula(void)
{
    const int side = 48;
    qn_volume *a = ball(side), *b = ball(side), *mask = ball(side);
    double worst = 0;
    qn_fsc *fsc, *other;
    for (size_t k = 0; k < voxels_of(a); k++) {
        a->values[k] = 0.2f * a->values[k] + 0.3f * gauss(1, k);
        b->values[k] = 0.2f * b->values[k] + 0.3f * gauss(2, k);
        mask->values[k] = mask->values[k] > 0.5f; /* a hard mask adds correlation up to the highest frequencies */
    }
    if (!CHECK_OK(qn_fsc_compute(context, a, b, mask,
                                 &(qn_fsc_options){.size = sizeof(qn_fsc_options), .seed = 1, .randomise_below = 0.8},
                                 &fsc)))
        return;
    if (!CHECK_OK(qn_fsc_compute(context, a, b, mask,
                                 &(qn_fsc_options){.size = sizeof(qn_fsc_options), .seed = 2, .randomise_below = 0.8},
                                 &other)))
        return;
    for (int s = 0; s < fsc->shells; s++) {
        const double m = fsc->masked[s], r = fsc->randomised[s];
        CHECK_NEAR(fsc->corrected[s], s < fsc->randomised_from + 2 ? m : (m - r) / (1 - r), 1e-9);
        worst = fmax(worst, fabs(r - other->randomised[s]));
    }
    CHECK(fsc->randomised_from > 0 && worst > 1e-4); /* another seed, other phases */
    qn_fsc_destroy(&fsc);
    qn_fsc_destroy(&other);
    qn_volume_destroy(&a);
    qn_volume_destroy(&b);
    qn_volume_destroy(&mask);
}

static void any_number_of_threads_gives_the_same_bits(void)
{
    qn_volume *a = noisy(30, 1, 1), *b = noisy(30, 1, 2), *mask = ball(30);
    qn_fsc *curves[3];
    for (int i = 0; i < 3; i++) {
        qn_context *other;
        CHECK_OK(
            qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 1 + 2 * i}, &other));
        if (!CHECK_OK(qn_fsc_compute(
                other, a, b, mask, &(qn_fsc_options){.size = sizeof(qn_fsc_options), .seed = 9, .randomise_below = 0.8},
                &curves[i])))
            return;
        qn_context_destroy(&other);
        const size_t bytes = (size_t)curves[0]->shells * sizeof(double);
        CHECK(memcmp(curves[i]->unmasked, curves[0]->unmasked, bytes) == 0);
        CHECK(memcmp(curves[i]->masked, curves[0]->masked, bytes) == 0);
        CHECK(memcmp(curves[i]->randomised, curves[0]->randomised, bytes) == 0);
    }
    for (int i = 0; i < 3; i++) qn_fsc_destroy(&curves[i]);
    qn_volume_destroy(&a);
    qn_volume_destroy(&b);
    qn_volume_destroy(&mask);
}

/* ---- errors ---- */

static void refuse(const qn_volume *a, const qn_volume *b, const qn_volume *mask, qn_status status, const char *part)
{
    qn_fsc *fsc = (qn_fsc *)&context;
    CHECK_FAILS(qn_fsc_compute(context, a, b, mask, NULL, &fsc), status);
    CHECK_MESSAGE_HAS(part);
    CHECK(fsc == NULL);
}

static void maps_that_do_not_fit_are_refused(void)
{
    qn_volume *a = noisy(12, 1, 1), *b = noisy(14, 1, 2), *flat, *tiny = cube(3, 1), *mask = ball(14);
    CHECK_OK(qn_volume_create((int[3]){12, 12, 10}, 1, &flat));
    refuse(a, b, NULL, QN_INVALID_ARGUMENT,
           "the first half map has 12 voxels along an edge and the second half map has 14; expected two maps of one "
           "size");
    refuse(flat, a, NULL, QN_INVALID_ARGUMENT, "the first half map has 12 x 12 x 10 voxels; expected a cube");
    refuse(a, flat, NULL, QN_INVALID_ARGUMENT, "the second half map has 12 x 12 x 10 voxels; expected a cube");
    refuse(tiny, tiny, NULL, QN_INVALID_ARGUMENT, "has 3 voxels along an edge; expected 4 to 16384");
    refuse(
        a, a, mask, QN_INVALID_ARGUMENT,
        "the mask has 14 x 14 x 14 voxels and the first half map has 12 x 12 x 12; expected a mask of the same size");
    qn_volume_destroy(&b);
    b = noisy(12, 1, 2);
    b->voxel_angstrom[0] = b->voxel_angstrom[1] = b->voxel_angstrom[2] = 1.503;
    refuse(a, b, NULL, QN_INVALID_ARGUMENT,
           "the first half map has voxels of 1.5 Å and the second half map of 1.503 Å; expected the same within 0.1 %");
    b->voxel_angstrom[1] = 1.5;
    refuse(b, a, NULL, QN_INVALID_ARGUMENT, "has voxels of 1.503 x 1.5 x 1.503 Å; expected cubes");
    qn_volume_destroy(&a);
    qn_volume_destroy(&b);
    qn_volume_destroy(&flat);
    qn_volume_destroy(&tiny);
    qn_volume_destroy(&mask);
}

static void invalid_values_are_refused(void)
{
    qn_volume *a = noisy(12, 1, 1), *b = noisy(12, 1, 2), *flat = cube(12, 1.5), *mask = ball(12);
    refuse(a, flat, NULL, QN_BAD_FORMAT,
           "the second half map: every voxel is 0, and the Fourier shell correlation with a constant is undefined");
    refuse(a, b, flat, QN_BAD_FORMAT, "the mask: every voxel is 0; expected a mask with values above 0");
    mask->values[5] = 7.5f;
    refuse(a, b, mask, QN_BAD_FORMAT, "the mask: values go from 0 to 7.5; expected a mask of 0 to 1");
    b->values[12 * 12 * 3 + 12 * 4 + 1] = NAN;
    refuse(a, b, NULL, QN_BAD_FORMAT, "the second half map: voxel 2, 5, 4 (x, y, z from 1) is nan; expected finite");
    b->values[12 * 12 * 3 + 12 * 4 + 1] = INFINITY;
    refuse(b, a, NULL, QN_BAD_FORMAT, "the first half map: voxel 2, 5, 4 (x, y, z from 1) is inf; expected finite");
    qn_volume_destroy(&a);
    qn_volume_destroy(&b);
    qn_volume_destroy(&flat);
    qn_volume_destroy(&mask);
}

int main(void)
{
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context)))
        return check_finish();
    RUN(curves_agree_with_the_definition);
    RUN(equal_signal_and_noise_correlate_to_one_half);
    RUN(crossings_lie_on_the_curve);
    RUN(equal_maps_agree_to_the_last_shell);
    RUN(random_phases_keep_grids_real);
    RUN(randomised_maps_agree_only_by_chance);
    RUN(corrected_curve_follows_the_formula);
    RUN(any_number_of_threads_gives_the_same_bits);
    RUN(maps_that_do_not_fit_are_refused);
    RUN(invalid_values_are_refused);
    qn_context_destroy(&context);
    return check_finish();
}

/* Guinier plots: amplitudes agree with the definition, and the B factor of a Gaussian is that of its width. */
#include "check.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "cryoem/guinier.h"
#include "math/random.h"

enum { SHELLS_MAX = 32 };

static const double pi = 3.14159265358979323846;
static qn_context *context;

static qn_volume *cube(int side)
{
    qn_volume *volume;
    if (!CHECK_OK(qn_volume_create((int[3]){side, side, side}, 1.5, &volume))) exit(1);
    return volume;
}

static size_t voxels_of(const qn_volume *volume)
{
    return (size_t)volume->counts[0] * (size_t)volume->counts[1] * (size_t)volume->counts[2];
}

/* The definition: a sum over all voxels for each voxel of the transform, whose shell is its rounded length. */
static void define(int side, const float *values, const float *mask, double *amplitude)
{
    const int low = -((side - 1) / 2);
    double power[SHELLS_MAX] = {0}, counts[SHELLS_MAX] = {0};
    for (int w = low; w < low + side; w++)
        for (int v = low; v < low + side; v++)
            for (int u = low; u < low + side; u++) {
                const int shell = (int)rint(sqrt((double)(u * u + v * v + w * w)));
                double complex sum = 0;
                if (shell > side / 2) continue;
                for (int i = 0; i < side * side * side; i++) {
                    const int x = i % side, y = i / side % side, z = i / side / side;
                    sum += (double)(values[i] * mask[i]) * cexp(-2 * pi * I * ((u * x + v * y + w * z) % side) / side);
                }
                power[shell] += creal(sum * conj(sum));
                counts[shell]++;
            }
    for (int s = 1; s <= side / 2; s++) amplitude[s - 1] = 0.5 * log(power[s] / counts[s]);
}

/* 1e-5: the transform is in single precision. */
static void amplitudes_agree_with_the_definition(void)
{
    const int sides[] = {4, 7, 9, 10};
    for (int i = 0; i < 4; i++) {
        qn_volume *map = cube(sides[i]), *mask = cube(sides[i]);
        double expected[SHELLS_MAX];
        qn_guinier *guinier;
        for (size_t k = 0; k < voxels_of(map); k++) {
            map->values[k] = (float)qn_random_uniform(1, 2, k);
            mask->values[k] = (float)qn_random_uniform(1, 3, k);
        }
        define(sides[i], map->values, mask->values, expected);
        if (!CHECK_OK(qn_guinier_compute(context, map, mask, NULL, &guinier))) return;
        CHECK(guinier->count == (size_t)sides[i] / 2 && !guinier->weighted && guinier->fit == 0);
        for (size_t s = 0; s < guinier->count; s++) {
            CHECK_NEAR(guinier->amplitude[s], expected[s], 1e-5);
            CHECK_NEAR(guinier->square[s], pow((double)(s + 1) / (1.5 * sides[i]), 2), 1e-12);
        }
        qn_guinier_destroy(&guinier);
        qn_volume_destroy(&map);
        qn_volume_destroy(&mask);
    }
}

/* A Gaussian of deviation s has the transform exp(−2 π² s² k²) times a constant: B = 8 π² s². In the middle of the box
 * it is far from the borders. */
static qn_volume *gaussian(int side, double deviation_angstrom)
{
    qn_volume *map = cube(side);
    for (int i = 0; i < side * side * side; i++) {
        const int x = i % side - side / 2, y = i / side % side - side / 2, z = i / side / side - side / 2;
        const double angstrom = 1.5 * sqrt((double)(x * x + y * y + z * z));
        map->values[i] = (float)exp(-angstrom * angstrom / (2 * deviation_angstrom * deviation_angstrom));
    }
    return map;
}

/* The B factor of the Gaussian by a correlation whose weight C falls as exp(−b/4 k²), which adds b. C² = 2f / (1 + f)
 * gives f = C² / (2 − C²). */
static qn_guinier *fit(int side, double deviation_angstrom, double b, double resolution_angstrom)
{
    double curve[SHELLS_MAX];
    qn_volume *map = gaussian(side, deviation_angstrom);
    qn_guinier *guinier = NULL;
    for (int s = 0; s <= side / 2; s++) {
        const double k = s / (1.5 * side), square = exp(-0.5 * b * k * k);
        curve[s] = square / (2 - square);
    }
    const qn_fsc fsc = {.shells = side / 2 + 1, .unmasked = curve, .resolution_angstrom = resolution_angstrom};
    CHECK_OK(qn_guinier_compute(context, map, NULL, &fsc, &guinier));
    qn_volume_destroy(&map);
    return guinier;
}

/* Shells are half a voxel of the transform wide, so that their mean differs by up to 2 % from that at their radius. */
static void the_factor_of_a_gaussian_is_that_of_its_width(void)
{
    qn_guinier *guinier = fit(48, 1.6, 0, 3.01);
    const double expected = 8 * pi * pi * 1.6 * 1.6;
    if (!guinier) return;
    CHECK(guinier->fit_from == 7 && guinier->fit == 16); /* 72 Å / 8 = 9 Å … 72 Å / 23 = 3.13 Å */
    CHECK_NEAR(guinier->b_square_angstrom, expected, 0.02 * expected);
    for (size_t i = 0; i < guinier->fit; i++) {
        const size_t s = guinier->fit_from + i;
        const double line = guinier->intercept - guinier->b_square_angstrom / 4 * guinier->square[s];
        CHECK_NEAR(line, guinier->weighted[s], 0.05);
    }
    qn_guinier_destroy(&guinier);
    guinier = fit(48, 1.6, 60, 4.5);
    if (!guinier) return;
    CHECK(guinier->fit_from == 7 && guinier->fit == 9);
    CHECK_NEAR(guinier->b_square_angstrom, expected + 60, 0.02 * expected);
    qn_guinier_destroy(&guinier);
}

static void few_shells_have_no_fit(void)
{
    qn_guinier *guinier = fit(16, 2, 0, 4.7); /* 24 Å / 3 = 8 Å, 6 Å, 4.8 Å */
    if (!guinier) return;
    CHECK(guinier->fit == 0 && guinier->weighted != NULL);
    qn_guinier_destroy(&guinier);
}

/* The corrected curve counts, not the unmasked one. Where it is 0 or less the halves share nothing. */
static void shells_without_agreement_have_no_weight(void)
{
    double unmasked[SHELLS_MAX], corrected[SHELLS_MAX];
    qn_volume *map = gaussian(16, 2);
    qn_guinier *guinier;
    for (int s = 0; s <= 8; s++) {
        unmasked[s] = 1;
        corrected[s] = s < 4 ? 0.5 : s == 4 ? 0 : -0.25;
    }
    const qn_fsc fsc = {.shells = 9, .unmasked = unmasked, .corrected = corrected, .resolution_angstrom = 3};
    if (!CHECK_OK(qn_guinier_compute(context, map, NULL, &fsc, &guinier))) return;
    for (size_t i = 0; i < 8; i++) {
        if (i < 3)
            CHECK_NEAR(guinier->weighted[i], guinier->amplitude[i] + 0.5 * log(2 / 3.0), 1e-12);
        else
            CHECK(isnan(guinier->weighted[i]) && isfinite(guinier->amplitude[i]));
    }
    qn_guinier_destroy(&guinier);
    qn_volume_destroy(&map);
}

int main(void)
{
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context)))
        return check_finish();
    RUN(amplitudes_agree_with_the_definition);
    RUN(the_factor_of_a_gaussian_is_that_of_its_width);
    RUN(few_shells_have_no_fit);
    RUN(shells_without_agreement_have_no_weight);
    qn_context_destroy(&context);
    return check_finish();
}

/* The filter of correlations: rings, the filter from the data, its planes. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "math/random.h"
#include "movie/align/kernels/halves.h"
#include "movie/align/rings.h"

enum { SIDE = 400, COLUMNS = SIDE / 2 + 1, NUMBERS = 2 * SIDE * COLUMNS };

static const int size[2] = {SIDE, SIDE};
static const double coarse_px[2] = {4, 4};
static float halves[2 * NUMBERS], *even = halves, *odd = halves + NUMBERS;
static qn_ring_filter filter, fallback;
static qn_ring_sums rings;

static double normal(uint64_t stream, uint64_t index)
{
    const double u = qn_random_uniform(7, stream, 2 * index), v = qn_random_uniform(7, stream, 2 * index + 1);
    return sqrt(-2 * log(1 - u)) * cos(6.283185307179586 * v);
}

static double radius(int row, int x)
{
    return hypot(x, row <= SIDE / 2 ? row : row - SIDE) / SIDE; /* cycles per coarse pixel */
}

/* Add the sums of a patch whose spectra are in `halves`. */
static void add_rings(const int patch[2])
{
    double sums[3 * (QN_ALIGN_RINGS + 1)];
    float rounded[3 * (QN_ALIGN_RINGS + 1)];
    qn_ring_places places;
    CHECK_OK(qn_ring_places_make(patch, coarse_px, &places));
    const qn_halves_problem problem = {
        .size = {patch[0], patch[1]}, .rings = QN_ALIGN_RINGS + 1, .pixels = places.count, .count = 1};
    qn_sum_rings_reference(&problem, halves, places.pixels, places.starts, sums);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) rounded[i] = (float)sums[i];
    qn_ring_sums_add(&rings, &places, 1, rounded);
    qn_ring_places_release(&places);
}

/* Spectra of two halves of T frames: signal of variance T²/4 · ratio(k), noise of variance T / 2. */
static void make_halves(int frames, double (*ratio)(double), double noise_slope)
{
    for (int row = 0; row < SIDE; row++)
        for (int x = 0; x < COLUMNS; x++)
            for (int c = 0; c < 2; c++) {
                const int i = 2 * (row * COLUMNS + x) + c;
                const double k = radius(row, x), noise = sqrt((1 + noise_slope * k) * frames / 2.0);
                const double signal = sqrt(ratio(k) * (1 + noise_slope * k)) * frames / 2.0 * normal(0, (uint64_t)i);
                even[i] = (float)(signal + noise * normal(1, (uint64_t)i));
                odd[i] = (float)(signal + noise * normal(2, (uint64_t)i));
            }
    qn_ring_sums_clear(coarse_px, &rings);
    for (int times = 0; times < 2; times++) add_rings(size);
}

static double falling(double k)
{
    return 0.5 * exp(-k * k / (2 * 0.1 * 0.1));
}

static double none(double k)
{
    return 0 * k;
}

/* W is known where S is: S / (1 + T S) / N. */
static void signal_and_noise_give_the_filter(void)
{
    enum { T = 20 };
    make_halves(T, falling, 3);
    qn_ring_filter_gaussian(150, rings.width, &fallback);
    qn_ring_filter_from_data(&rings, T, &fallback, &filter);
    CHECK(filter.by_data);
    CHECK_NEAR(filter.width, 0.5 / 4 / QN_ALIGN_RINGS, 1e-12);
    for (int i = 20; i <= 35; i += 5) {
        const double k = 0.005 * i, s = falling(k), half = T / 2 * s, noise = (1 + 3 * k) / (1 + 3 * 0.1975);
        CHECK_NEAR(filter.correlation[i], half / (1 + half), 0.04);
        CHECK_NEAR(filter.weight[i] * noise * (1 + T * s) / s, 1, 0.15);
    }
    CHECK(filter.weight[90] < 0.02 * filter.weight[20]);
}

/* Halves of noise agree by about one standard deviation, those with a signal by √n f / (1 + f) at least. */
static void agreement_is_in_deviations(void)
{
    make_halves(20, none, 0);
    CHECK(fabs(qn_ring_sums_agreement(&rings)) < 5);
    make_halves(20, falling, 0);
    CHECK(qn_ring_sums_agreement(&rings) > 100);
}

/* Halves that agree nowhere. */
static void noise_falls_back(void)
{
    make_halves(20, none, 0);
    for (int i = 0; i < NUMBERS; i += 2) odd[i] = -even[i], odd[i + 1] = -even[i + 1];
    qn_ring_sums_clear(coarse_px, &rings);
    add_rings(size);
    qn_ring_filter_from_data(&rings, 20, &fallback, &filter);
    CHECK(!filter.by_data);
    CHECK(memcmp(filter.weight, fallback.weight, sizeof filter.weight) == 0);
    memset(halves, 0, sizeof halves);
    qn_ring_sums_clear(coarse_px, &rings);
    add_rings(size);
    qn_ring_filter_from_data(&rings, 20, &fallback, &filter);
    CHECK(!filter.by_data);
    for (int i = 0; i <= QN_ALIGN_RINGS; i++) CHECK(isfinite(filter.weight[i]) && filter.weight[i] >= 0);
}

/* A patch of 32 pixels has fewer rings than the filter. */
static void small_patches_have_no_gaps(void)
{
    const int small[2] = {32, 32};
    make_halves(20, falling, 0);
    qn_ring_sums_clear(coarse_px, &rings);
    memcpy(halves + 2 * 32 * 17, halves, sizeof(float) * 2 * 32 * 17); /* halves that agree */
    add_rings(small);
    qn_ring_filter_from_data(&rings, 20, &fallback, &filter);
    for (int i = 0; i <= QN_ALIGN_RINGS; i++) CHECK(isfinite(filter.weight[i]));
    for (int i = 2; i <= 88; i++) CHECK(filter.weight[i] > 0);
}

/* Counts are those of the whole spectrum, without the Nyquist row and column. */
static void rings_count_the_whole_spectrum(void)
{
    double sum = 0, inside = 0;
    make_halves(20, falling, 0);
    for (int i = 0; i <= QN_ALIGN_RINGS; i++) sum += rings.count[i];
    for (int y = -SIDE / 2 + 1; y < SIDE / 2; y++)
        for (int x = -SIDE / 2 + 1; x < SIDE / 2; x++) inside += hypot(x, y) / SIDE / 0.005 + 0.5 < QN_ALIGN_RINGS + 1;
    CHECK(sum == 2 * inside);
    CHECK(rings.count[0] == 2);
}

/* Places are those of the ring, each once, in rising order. */
static void places_are_in_their_rings(void)
{
    static unsigned char seen[SIDE * COLUMNS];
    const double unequal[2] = {4, 3.5};
    qn_ring_places places;
    CHECK_OK(qn_ring_places_make(size, unequal, &places));
    CHECK(places.starts[0] == 0 && places.starts[QN_ALIGN_RINGS + 1] == places.count);
    for (int ring = 0; ring <= QN_ALIGN_RINGS; ring++)
        for (int i = places.starts[ring]; i < places.starts[ring + 1]; i++) {
            const int x = places.pixels[i] % COLUMNS, row = places.pixels[i] / COLUMNS;
            const double ky = (row <= SIDE / 2 ? row : row - SIDE) / (3.5 * SIDE);
            CHECK(fabs(hypot(x / (4.0 * SIDE), ky) / (0.125 / QN_ALIGN_RINGS) - ring) < 0.5 + 1e-9);
            CHECK(x < SIDE / 2 && row != SIDE / 2 && !seen[places.pixels[i]]++);
            CHECK(i == places.starts[ring] || places.pixels[i] > places.pixels[i - 1]);
        }
    qn_ring_places_release(&places);
}

int main(void)
{
    RUN(signal_and_noise_give_the_filter);
    RUN(agreement_is_in_deviations);
    RUN(noise_falls_back);
    RUN(small_patches_have_no_gaps);
    RUN(rings_count_the_whole_spectrum);
    RUN(places_are_in_their_rings);
    return check_finish();
}

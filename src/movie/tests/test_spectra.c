/* Power spectra for the report: rings are told from the background. */
#include <math.h>

#include "base/memory.h"
#include "check.h"
#include "movie/movie_work.h"

static const double pi = 3.14159265358979323846;

enum { SIDE = 256, RING = 16, SMALL = 192 };

/* log amplitude = 3 − r / 40 + height · cos(2π r / RING) */
static float *make_spectrum(double height)
{
    void *memory;
    CHECK_OK(qn_allocate(SIDE * SIDE, sizeof(float), &memory));
    float *amplitudes = memory;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            const double r = hypot(x - SIDE / 2, y - SIDE / 2);
            amplitudes[y * SIDE + x] = (float)exp(3 - r / 40 + height * cos(2 * pi * r / RING));
        }
    return amplitudes;
}

static void rings_lie_above_and_below_the_background(void)
{
    qn_movie_facts facts = {.numbers = {0}};
    qn_micrographs m = {.spectrum_side = SIDE, .spectrum_angstrom = 1.4};
    m.spectrum = make_spectrum(0.3), m.recorded = make_spectrum(0);
    CHECK_OK(qn_movie_note_spectra(&facts, &m));
    CHECK(facts.series_count[QN_MOVIE_POWER_ALIGNED] == SIDE / 2);
    CHECK(facts.picture_size[QN_MOVIE_RINGS_ALIGNED][0] == SMALL);
    if (facts.series[QN_MOVIE_POWER_ALIGNED] && facts.series[QN_MOVIE_POWER_RECORDED])
        for (int r = 2 * RING; r < SIDE / 2 - RING; r++) {
            CHECK_NEAR(facts.series[QN_MOVIE_POWER_ALIGNED][r], 0.3 * cos(2 * pi * r / RING), 0.04);
            CHECK_NEAR(facts.series[QN_MOVIE_POWER_RECORDED][r], 0, 0.01);
        }
    const unsigned char *aligned = facts.pictures[QN_MOVIE_RINGS_ALIGNED],
                        *recorded = facts.pictures[QN_MOVIE_RINGS_BEFORE];
    if (CHECK(aligned && recorded)) {
        const int bright = SMALL / 2 * SMALL + SMALL / 2 + 4 * RING, dark = bright + RING / 2;
        CHECK(aligned[bright] > 220 && aligned[dark] < 50);
        CHECK(recorded[bright] > 100 && recorded[bright] < 150);
    }
    CHECK(facts.numbers.spectrum_angstrom == 1.4);
    qn_micrographs_release(&m);
    qn_movie_facts_clear(&facts);
}

static void small_spectra_are_left_out(void)
{
    qn_movie_facts facts = {.numbers = {0}};
    float amplitudes[16] = {1};
    CHECK_OK(qn_movie_note_spectra(&facts, &(qn_micrographs){.spectrum_side = 4, .spectrum = amplitudes}));
    CHECK(facts.series_count[QN_MOVIE_POWER_ALIGNED] == 0 && !facts.pictures[QN_MOVIE_RINGS_ALIGNED]);
    CHECK_OK(qn_movie_note_spectra(&facts, &(qn_micrographs){.spectrum_side = 0}));
    CHECK(facts.numbers.spectrum_angstrom == 0);
}

int main(void)
{
    RUN(rings_lie_above_and_below_the_background);
    RUN(small_spectra_are_left_out);
    return check_finish();
}

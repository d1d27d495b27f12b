/* Exposure weights against the published formula, and their factorisation against the weights. */
#include "check.h"

#include <math.h>
#include <stdio.h>

#include "movie/warp/exposure.h"

enum { FRAMES_MAX = 400 };

static double dose[FRAMES_MAX], weights[FRAMES_MAX];

static qn_exposure exposure_of(int frames, double before, double each, double voltage)
{
    for (int t = 0; t < frames; t++) dose[t] = before + each * (t + 1);
    return (qn_exposure){frames, dose, voltage};
}

/* N_e at 1/4 Å by hand: 4^1.665 = 10.05611, so 0.245 · 10.05611 + 2.81 = 5.27375 */
static void critical_exposures_are_the_published_ones(void)
{
    bool known = false;
    CHECK_NEAR(qn_exposure_critical(0.25, 300), 5.27375, 1e-5);
    CHECK_NEAR(qn_exposure_critical(0.25, 200), 0.8 * 5.27375, 1e-5);
    CHECK_NEAR(qn_exposure_critical(0.25, 100), 0.64 * 5.27375, 1e-5);
    CHECK(isinf(qn_exposure_critical(0, 300)));
    CHECK_NEAR(qn_exposure_voltage_factor(300, &known), 1, 0);
    CHECK(known);
    CHECK_NEAR(qn_exposure_voltage_factor(250, &known), 0.9, 1e-12);
    CHECK(!known);
    CHECK_NEAR(qn_exposure_voltage_factor(120, &known), 0.672, 1e-12);
    CHECK_NEAR(qn_exposure_voltage_factor(80, &known), 0.64, 0);
    CHECK(!known);
    CHECK_NEAR(qn_exposure_voltage_factor(200, NULL), 0.8, 0);
}

/* Two frames of 10 e/Å² at 1/4 Å: q₂ / q₁ = exp(−10 / 10.54758) = 0.38748 */
static void weights_follow_the_exposure_at_the_end_of_a_frame(void)
{
    const qn_exposure two = exposure_of(2, 0, 10, 300);
    qn_exposure_weights(&two, 0.25, weights);
    CHECK_NEAR(weights[1] / weights[0], 0.38748, 2e-5);
    CHECK_NEAR(weights[0] * weights[0] + weights[1] * weights[1], 1, 1e-12);
    qn_exposure_weights(&two, 0, weights);
    CHECK_NEAR(weights[0], sqrt(0.5), 1e-12);
    /* however large the exposure before, the weights are numbers */
    const qn_exposure late = exposure_of(2, 1e6, 10, 300);
    qn_exposure_weights(&late, 0.25, weights);
    CHECK_NEAR(weights[1] / weights[0], 0.38748, 2e-5);
}

/* The weight of the factors at a frequency between bins. */
static double weight_of(const qn_exposure_ranks *ranks, int frame, double frequency)
{
    const double place = frequency / ranks->step;
    const int bin = place < QN_EXPOSURE_BINS - 1 ? (int)place : QN_EXPOSURE_BINS - 2;
    double sum = 0;
    for (int r = 0; r < ranks->count; r++) {
        const double *at = ranks->frequency + (size_t)r * QN_EXPOSURE_BINS + bin;
        sum += ranks->frame[frame * ranks->count + r] * (at[0] + (place - bin) * (at[1] - at[0]));
    }
    return sum;
}

static void check_factors(const qn_exposure *exposure, double pixel_angstrom, int rank_expected)
{
    const double most = 0.5 * sqrt(2) / pixel_angstrom;
    qn_exposure_ranks ranks;
    double worst = 0;
    if (!CHECK_OK(qn_exposure_factorise(exposure, most, &ranks))) return;
    for (int i = 0; i <= 10000; i++) {
        qn_exposure_weights(exposure, i * most / 10000, weights);
        for (int t = 0; t < exposure->frame_count; t++)
            worst = fmax(worst, fabs(weight_of(&ranks, t, i * most / 10000) - weights[t]));
    }
    CHECK(ranks.count <= rank_expected);
    if (!CHECK(worst <= 2.5e-5) || !CHECK(ranks.error <= 2e-5))
        fprintf(stderr, "%d frames, to %g e/Å²: rank %d, error %g at bins, %g between\n", exposure->frame_count,
                dose[exposure->frame_count - 1], ranks.count, ranks.error, worst);
    for (int r = 0; r < ranks.count; r++)
        for (int s = 0; s <= r; s++) {
            double sum = 0;
            for (int t = 0; t < ranks.frame_count; t++)
                sum += ranks.frame[t * ranks.count + r] * ranks.frame[t * ranks.count + s];
            CHECK_NEAR(sum, r == s, 1e-6);
        }
    qn_exposure_ranks_release(&ranks);
}

/* Ranks at most those of singular values computed by numpy for the same tables; 6 for usual exposures. */
static void factors_give_the_weights(void)
{
    qn_exposure exposure = exposure_of(40, 0, 1.2, 300);
    check_factors(&exposure, 0.83, 6);
    exposure = exposure_of(24, 0, 1.2, 300);
    check_factors(&exposure, 1.0, 6);
    exposure = exposure_of(75, 0, 0.7, 300);
    check_factors(&exposure, 0.66, 6);
    exposure = exposure_of(40, 20, 1.2, 200);
    check_factors(&exposure, 1.66, 6);
    exposure = exposure_of(FRAMES_MAX, 0, 0.2, 300);
    check_factors(&exposure, 0.5, 8);
    exposure = exposure_of(60, 0, 2, 100);
    check_factors(&exposure, 0.8, QN_EXPOSURE_RANK_MAX);
}

static void few_frames_have_few_ranks(void)
{
    qn_exposure exposure = exposure_of(1, 0, 30, 300);
    check_factors(&exposure, 1, 1);
    exposure = exposure_of(3, 5, 10, 300);
    check_factors(&exposure, 1, 3);
    exposure = exposure_of(5, 0, 0, 300);
    check_factors(&exposure, 1, 1);
}

static void impossible_exposures_are_refused(void)
{
    qn_exposure_ranks ranks;
    qn_exposure exposure = exposure_of(3, 0, 1, 300);
    CHECK_FAILS(qn_exposure_factorise(&exposure, 0, &ranks), QN_INVALID_ARGUMENT);
    exposure.voltage_kv = 0;
    CHECK_FAILS(qn_exposure_factorise(&exposure, 0.5, &ranks), QN_INVALID_ARGUMENT);
    exposure = exposure_of(3, 0, 1, 300);
    dose[2] = 0.5;
    CHECK_FAILS(qn_exposure_factorise(&exposure, 0.5, &ranks), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("frame 3 is 0.5 e/Å²; expected at least 2");
    exposure.frame_count = 0;
    CHECK_FAILS(qn_exposure_factorise(&exposure, 0.5, &ranks), QN_INVALID_ARGUMENT);
}

int main(void)
{
    RUN(critical_exposures_are_the_published_ones);
    RUN(weights_follow_the_exposure_at_the_end_of_a_frame);
    RUN(factors_give_the_weights);
    RUN(few_frames_have_few_ranks);
    RUN(impossible_exposures_are_refused);
    return check_finish();
}

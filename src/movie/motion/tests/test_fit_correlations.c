/* devices: host opencl:0 checking:host */
/* Fits of motion to correlations, made from a true motion: peaks of a known width among noise that is higher. */
#include "check.h"

#include <string.h>

#include "movie/motion/fit.h"
#include "movie/motion/tests/true_motion.h"

#include <quern/device.h>

enum { SIDE = 17, AREA = SIDE * SIDE, PATCH_SIDE = 7, PATCHES = PATCH_SIDE * PATCH_SIDE };

static qn_queue *queue;
static float windows[PATCHES * FRAMES_MAX * AREA];
static double centres[2 * PATCHES * FRAMES_MAX];
static const double COARSE_PX[2] = {4, 3.8}, WIDTH_PX = 6;

/* Peaks of height `scale` at the true shifts, in windows around `centres`, and noise of `noise` times this that is
 * smooth over about two samples. */
static qn_patch_correlations make_windows(const truth *motion, double noise, float scale)
{
    static double white[(SIDE + 2) * (SIDE + 2)];
    make_shifts(motion, PATCH_SIDE, 0);
    for (int w = 0; w < PATCHES * motion->frames; w++) {
        for (int k = 0; k < (SIDE + 2) * (SIDE + 2); k++)
            white[k] = noise * normal(motion->seed, 11, (uint64_t)(w * (SIDE + 2) * (SIDE + 2) + k));
        for (int k = 0; k < AREA; k++) {
            const int row = k / SIDE, column = k % SIDE;
            const double x = (column - SIDE / 2) * COARSE_PX[0] + centres[2 * w] - shift[2 * w];
            const double y = (row - SIDE / 2) * COARSE_PX[1] + centres[2 * w + 1] - shift[2 * w + 1];
            double sum = exp(-(x * x + y * y) / (2 * WIDTH_PX * WIDTH_PX));
            for (int i = 0; i < 9; i++) /* weights 1 2 1 both ways, whose squares add up to 36 */
                sum += (i % 3 == 1 ? 2 : 1) * (i / 3 == 1 ? 2 : 1) / 6.0 *
                       white[(row + i / 3) * (SIDE + 2) + column + i % 3];
            windows[w * AREA + k] = scale * (float)sum;
        }
    }
    return (qn_patch_correlations){PATCHES, motion->frames, SIDE,   {COARSE_PX[0], COARSE_PX[1]},
                                   place,   centres,        windows};
}

/* The largest sample of each window becomes its peak. */
static qn_patch_peaks find_peaks(const qn_patch_correlations *correlations)
{
    for (int w = 0; w < PATCHES * correlations->frame_count; w++) {
        int largest = 0;
        for (int k = 1; k < AREA; k++)
            if (windows[w * AREA + k] > windows[w * AREA + largest]) largest = k;
        shift[2 * w] = centres[2 * w] + (largest % SIDE - SIDE / 2) * COARSE_PX[0];
        shift[2 * w + 1] = centres[2 * w + 1] + (largest / SIDE - SIDE / 2) * COARSE_PX[1];
    }
    return (qn_patch_peaks){PATCHES, correlations->frame_count, NULL, shift, weight};
}

typedef struct errors {
    double peaks, correlations;
} errors;

/* Windows around shifts that are 3 px off in each coordinate; the fit to their peaks, then to themselves. */
static errors fit_both(const truth *motion, double noise, float scale, qn_motion_facts *facts)
{
    qn_motion found;
    qn_motion_fit *fit;
    errors error;
    make_shifts(motion, PATCH_SIDE, 3);
    memcpy(centres, shift, sizeof centres);
    const qn_patch_correlations correlations = make_windows(motion, noise, scale);
    const qn_patch_peaks peaks = find_peaks(&correlations);
    CHECK_OK(qn_motion_allocate(motion->frames, WIDTH, HEIGHT, &found));
    CHECK_OK(qn_motion_fit_create(&found, PATCHES, place, &(qn_motion_fit_options){.keep_local_motion = true}, &fit));
    CHECK_OK(qn_motion_fit_peaks(fit, &peaks, facts));
    qn_motion_fit_result(fit, &found);
    error.peaks = error_of(motion, &found);
    for (int round = 0; round < 3; round++) CHECK_OK(qn_motion_fit_correlations(fit, queue, &correlations, facts));
    CHECK(facts->peaked && facts->local);
    qn_motion_fit_result(fit, &found);
    error.correlations = error_of(motion, &found);
    qn_motion_fit_destroy(&fit);
    qn_motion_release(&found);
    return error;
}

/* Without noise the correlations have their peaks where the motion is; whole samples of 4 px do not. The cubic spline
 * through samples of a peak of this width leaves 0.02 px. */
static void clear_peaks_are_found(void)
{
    qn_motion_facts facts;
    const errors error = fit_both(&(truth){1, 24, 3, 0}, 0, 1, &facts);
    CHECK(error.peaks > 0.3);
    CHECK(error.correlations < 0.03);
    CHECK(facts.converged && facts.iterations <= 3);
}

/* The fit uses the form of the correlations, and needs no peak of its own in a window: with noise of 0.4, one of ten
 * largest samples is anywhere. A factor of 1024 changes no bit of a mantissa, so it must change nothing. */
static void noise_is_averaged(void)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        qn_motion_facts facts;
        const truth motion = {seed, 24, 3, 0};
        const errors little = fit_both(&motion, 0.05, 1, &facts), much = fit_both(&motion, 0.4, 1, &facts);
        CHECK(little.correlations < 0.3 && little.correlations < 0.6 * little.peaks);
        CHECK(much.correlations < 0.6 * much.peaks);
        CHECK(fit_both(&motion, 0.05, 1024, &facts).correlations == little.correlations);
    }
}

static void windows_without_a_peak_change_nothing(void)
{
    static double before[2 * PATCHES * FRAMES_MAX], after[2 * PATCHES * FRAMES_MAX];
    const truth motion = {1, 24, 3, 0};
    qn_motion start;
    qn_motion_fit *fit;
    qn_motion_facts facts;
    make_shifts(&motion, PATCH_SIDE, 0.1);
    const qn_patch_peaks peaks = {PATCHES, 24, NULL, shift, weight};
    CHECK_OK(qn_motion_allocate(24, WIDTH, HEIGHT, &start));
    CHECK_OK(qn_motion_fit_create(&start, PATCHES, place, NULL, &fit));
    CHECK_OK(qn_motion_fit_peaks(fit, &peaks, NULL));
    qn_motion_fit_shifts(fit, before);
    memcpy(centres, before, sizeof centres);
    for (int k = 0; k < PATCHES * 24 * AREA; k++) windows[k] = k % AREA == 3 ? 1 : 0; /* far from the middle */
    qn_patch_correlations correlations = {PATCHES, 24, SIDE, {4, 4}, place, centres, windows};
    CHECK_OK(qn_motion_fit_correlations(fit, queue, &correlations, &facts));
    CHECK(!facts.peaked && !facts.converged && facts.iterations == 0);
    memset(windows, 0, sizeof windows);
    CHECK_OK(qn_motion_fit_correlations(fit, queue, &correlations, &facts));
    CHECK(!facts.peaked);
    qn_motion_fit_shifts(fit, after);
    CHECK(memcmp(before, after, sizeof before) == 0);
    correlations.side = 16;
    CHECK_FAILS(qn_motion_fit_correlations(fit, queue, &correlations, &facts), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("windows of correlations of side 16; expected an odd side, 9 to 63");
    correlations.frame_count = 23;
    CHECK_FAILS(qn_motion_fit_correlations(fit, queue, &correlations, &facts), QN_INVALID_ARGUMENT);
    qn_motion_fit_destroy(&fit);
    qn_motion_release(&start);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    qn_device *device = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(clear_peaks_are_found);
    RUN(noise_is_averaged);
    RUN(windows_without_a_peak_change_nothing);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}

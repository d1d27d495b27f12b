/* devices: host opencl:0 cuda:0 checking:host */
/* The start of an alignment: pairs of frames, and the shifts that agree with them. */
#include "check.h"

#include "movie/align/start.h"
#include "movie/align/tests/kernel_check.h"
#include "movie/align/tests/scene.h"

enum { FRAMES = 12, PAIRS = FRAMES * (FRAMES - 1) / 2 };

static int pairs[2 * PAIRS];
static double differences[2 * PAIRS], truth[2 * FRAMES], shifts[2 * FRAMES];

static void make_pairs(void)
{
    int n = 0;
    for (int t = 0; t < FRAMES; t++)
        for (int d = 0; d < 2; d++)
            truth[2 * t + d] = t == 0 ? 0 : 5 * (double)qn_workload_input(3, (uint64_t)(2 * t + d));
    for (int i = 0; i < FRAMES; i++)
        for (int j = i + 1; j < FRAMES; j++, n++) {
            pairs[2 * n] = i;
            pairs[2 * n + 1] = j;
            for (int d = 0; d < 2; d++) differences[2 * n + d] = truth[2 * i + d] - truth[2 * j + d];
        }
}

static double largest_error(void)
{
    double worst = 0;
    for (int i = 0; i < 2 * FRAMES; i++) worst = qn_workload_larger_error(worst, fabs(shifts[i] - truth[i]));
    return worst;
}

static void agreeing_pairs_are_solved(void)
{
    make_pairs();
    CHECK_OK(qn_solve_pairs(FRAMES, PAIRS, pairs, differences, shifts));
    CHECK(largest_error() < 1e-9);
    CHECK_OK(qn_solve_pairs(2, 1, pairs, differences, shifts));
    CHECK_NEAR(shifts[2], truth[2], 1e-9);
}

/* A fifth of the pairs is wrong by tens of pixels. */
static void outliers_do_not_count(void)
{
    make_pairs();
    for (int n = 0; n < PAIRS; n++)
        for (int d = 0; d < 2; d++) {
            differences[2 * n + d] += 0.05 * (double)qn_workload_input(4, (uint64_t)(2 * n + d));
            if (n % 5 == 2) differences[2 * n + d] += 40 * (double)qn_workload_input(5, (uint64_t)(2 * n + d));
        }
    CHECK_OK(qn_solve_pairs(FRAMES, PAIRS, pairs, differences, shifts));
    CHECK(largest_error() < 0.06);
}

static void unconnected_frames_are_refused(void)
{
    make_pairs();
    CHECK_FAILS(qn_solve_pairs(FRAMES, 3, pairs, differences, shifts), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_solve_pairs(1, 1, pairs, differences, shifts), QN_INVALID_ARGUMENT);
}

/* Frames of a scene that moves by up to 40 pixels are found within a pixel. */
static void a_moving_scene_is_found(void)
{
    static double path[5][2] = {{0, 0}, {12.4, -5}, {25, -17.3}, {37, -20}, {30.5, -31}};
    const scene_motion motion = {.frames = 5, .path = path};
    qn_coarse_stack *stack = NULL;
    if (!CHECK_OK(scene_stack(&motion, &stack))) return;
    CHECK_OK(qn_align_start(stack, SCENE_PIXEL_ANGSTROM, 50, 1, shifts));
    for (int t = 0; t < 5; t++)
        for (int d = 0; d < 2; d++) {
            const double coarse_px = (double)stack->grid.padded[d] / stack->grid.coarse[d];
            CHECK_NEAR(shifts[2 * t + d] * coarse_px, path[t][d], 1);
        }
    qn_coarse_stack_destroy(&stack);
}

int main(int argc, char **argv)
{
    if (!open_device(argc, argv)) return check_finish();
    RUN(agreeing_pairs_are_solved);
    RUN(outliers_do_not_count);
    RUN(unconnected_frames_are_refused);
    RUN(a_moving_scene_is_found);
    return close_device();
}

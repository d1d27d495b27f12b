/* devices: host opencl:0 cuda:0 checking:host */
/* labels: unsanitized@opencl long@checking */
/* The alignment of small movies with known motion. */
#include "check.h"

#include "movie/align/align.h"
#include "movie/align/tests/kernel_check.h"
#include "movie/align/tests/scene.h"

enum { FRAMES = 10, SIDE = 7 };

static qn_coarse_stack *stack; /* of FRAMES frames, for all movies */

static double path[FRAMES][2];
static qn_align_options options;
static qn_align_facts facts;
static qn_motion found;

/* A fast start, a slow drift, and jitter. */
static void make_path(int frames)
{
    for (int t = 0; t < frames; t++) {
        path[t][0] = t == 0 ? 0 : 9 * (1 - exp(-t / 3.0)) + 0.4 * (double)qn_workload_input(1, (uint64_t)t);
        path[t][1] = t == 0 ? 0 : -6 * t / (frames - 1.0) + 0.4 * (double)qn_workload_input(2, (uint64_t)t);
    }
}

static bool align(const scene_motion *motion)
{
    options.pixel_angstrom = SCENE_PIXEL_ANGSTROM;
    return CHECK_OK(scene_stack(motion, &stack)) && CHECK_OK(qn_align_movie(stack, &options, &found, &facts));
}

/* RMS error over frames and a lattice of places, less the mean over all (the shift of the sum). */
static double rms_error(const scene_motion *motion)
{
    double sum[2] = {0, 0}, squares = 0;
    const int count = motion->frames * SIDE * SIDE;
    for (int i = 0; i < count; i++) {
        const int t = i / (SIDE * SIDE), column = i % SIDE, row = i / SIDE % SIDE;
        const double x = (0.05 + 0.15 * column) * SCENE_WIDTH, y = (0.05 + 0.15 * row) * SCENE_HEIGHT;
        double moved[2], wanted[2];
        qn_motion_at(&found, t, x, y, moved);
        scene_displacement(motion, t, x, y, wanted);
        for (int d = 0; d < 2; d++) {
            sum[d] += moved[d] - wanted[d];
            squares += (moved[d] - wanted[d]) * (moved[d] - wanted[d]);
        }
    }
    return sqrt(squares / count - (sum[0] * sum[0] + sum[1] * sum[1]) / count / count);
}

static void global_motion_is_found(void)
{
    const scene_motion motion = {.frames = FRAMES, .path = path, .noise = 1};
    make_path(motion.frames);
    options.without_patches = true;
    if (!align(&motion)) return;
    CHECK(facts.converged && facts.change_px < 0.02 && facts.signal);
    CHECK(facts.filtered_by_data && facts.ring_correlation[10] > 0.5 && facts.ring_correlation[99] < 0.3);
    CHECK(facts.patches[0] == 0 && found.time_count == 0);
    CHECK(found.global_px[0] == 0 && found.global_px[1] == 0);
    CHECK_NEAR(rms_error(&motion), 0, 0.08);
    options.without_patches = false;
    qn_motion_release(&found);
}

/* Content that expands by 4 pixels at the edges: without patches the error would be 1.2. */
static void local_motion_is_found(void)
{
    const scene_motion motion = {.frames = FRAMES, .path = path, .expansion = 0.012, .noise = 0.7};
    make_path(motion.frames);
    if (!align(&motion)) return;
    CHECK(facts.patches[0] >= 3 && facts.patches[1] >= 3);
    CHECK(facts.motion.local && facts.rounds == 3);
    CHECK(found.time_count > 0);
    CHECK_NEAR(rms_error(&motion), 0, 0.2);
    qn_motion_release(&found);
}

/* A given filter works too, and is stated. */
static void a_filter_is_taken(void)
{
    const scene_motion motion = {.frames = FRAMES, .path = path, .noise = 0.7};
    make_path(motion.frames);
    options.filter_px2 = 30;
    options.without_patches = true;
    if (!align(&motion)) return;
    CHECK(!facts.filtered_by_data);
    CHECK_NEAR(facts.filter[20], exp(-60 * 400 * facts.ring_width * facts.ring_width), 1e-9);
    CHECK_NEAR(rms_error(&motion), 0, 0.1);
    options.filter_px2 = 0;
    options.without_patches = false;
    qn_motion_release(&found);
}

/* The same bits when the alignment is repeated, and when it takes one patch at a time. */
static void results_are_repeatable(void)
{
    const scene_motion motion = {.frames = FRAMES, .path = path, .expansion = 0.01, .noise = 0.7};
    double first[2 * FRAMES];
    make_path(motion.frames);
    for (int run = 0; run < 3; run++) {
        options.scratch_bytes = run == 2 ? 1 : 0;
        if (!align(&motion)) return;
        if (run == 0) memcpy(first, found.global_px, sizeof first);
        CHECK(memcmp(first, found.global_px, sizeof first) == 0);
        qn_motion_release(&found);
    }
    options.scratch_bytes = 0;
}

static void three_frames_suffice(void)
{
    const scene_motion motion = {.frames = 3, .path = path, .noise = 0.3};
    qn_coarse_stack *small = NULL;
    make_path(motion.frames);
    if (!CHECK_OK(scene_stack(&motion, &small))) return;
    CHECK_OK(qn_align_movie(small, &options, &found, &facts));
    qn_coarse_stack_destroy(&small);
    CHECK(facts.converged && facts.signal);
    CHECK_NEAR(rms_error(&motion), 0, 0.2);
    qn_motion_release(&found);
}

static void three_frames_of_noise_have_no_signal(void)
{
    const scene_motion motion = {.frames = 3, .noise = 1, .empty = true};
    qn_coarse_stack *small = NULL;
    if (!CHECK_OK(scene_stack(&motion, &small))) return;
    CHECK_OK(qn_align_movie(small, &options, &found, &facts));
    qn_coarse_stack_destroy(&small);
    CHECK(!facts.signal && facts.agreement < 7);
    qn_motion_release(&found);
}

/* Without content an alignment ends and says so, with shifts in the range that is searched, without local motion. */
static void noise_ends(void)
{
    const scene_motion motion = {.frames = FRAMES, .noise = 1, .empty = true};
    if (!align(&motion)) return;
    CHECK(!facts.signal && facts.agreement < 10);
    for (int t = 0; t < FRAMES; t++)
        CHECK(fabs(found.global_px[2 * t]) < 200 && fabs(found.global_px[2 * t + 1]) < 200);
    CHECK(facts.converged == (facts.change_px < 0.02));
    CHECK(found.time_count == 0);
    qn_motion_release(&found);
}

/* Frames that were recorded without a beam do not spoil the others, and lie between their neighbours. */
static void blank_frames_are_passed_over(void)
{
    static const bool blank[FRAMES] = {[4] = true, [9] = true}, all[FRAMES] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    scene_motion motion = {.frames = FRAMES, .path = path, .noise = 0.7, .blank = blank};
    make_path(motion.frames);
    for (int d = 0; d < 2; d++) {
        path[4][d] = 0.5 * (path[3][d] + path[5][d]);
        path[9][d] = path[8][d];
    }
    if (!align(&motion)) return;
    CHECK(facts.converged && facts.unseen_frames == 2 && facts.first_unseen == 4);
    CHECK_NEAR(rms_error(&motion), 0, 0.1);
    qn_motion_release(&found);
    motion.blank = all;
    if (!align(&motion)) return;
    CHECK(!facts.converged && facts.unseen_frames == FRAMES && found.time_count == 0);
    for (int i = 0; i < 2 * FRAMES; i++) CHECK(found.global_px[i] == 0);
    qn_motion_release(&found);
}

/* Frames are cut in groups of 2, of 10, with the same results. */
static void frugal_alignments_find_the_same(void)
{
    const scene_motion motion = {.frames = FRAMES, .path = path, .expansion = 0.012, .noise = 0.7};
    qn_motion kept;
    make_path(motion.frames);
    options.without_patches = false;
    if (!align(&motion)) return;
    kept = found;
    CHECK(kept.time_count > 0);
    options.frugal = true;
    options.scratch_bytes = 2 * 12 * SCENE_WIDTH * SCENE_HEIGHT / 4;
    if (align(&motion)) {
        CHECK(found.time_count == kept.time_count);
        for (int i = 0; i < 2 * FRAMES; i++) CHECK_NEAR(found.global_px[i], kept.global_px[i], 1e-5);
        for (int i = 0; i < 2 * kept.time_count * QN_MOTION_PLANE; i++)
            CHECK_NEAR(found.local_px[i], kept.local_px[i], 1e-4);
        qn_motion_release(&found);
    }
    options.frugal = false;
    options.scratch_bytes = 0;
    qn_motion_release(&kept);
}

static void impossible_movies_are_refused(void)
{
    const int padded[2] = {128, 128};
    qn_movie_grid grid;
    qn_coarse_stack *small = NULL;
    CHECK_OK(qn_movie_grid_make(128, 128, padded, 1, &grid));
    CHECK_FAILS(qn_coarse_stack_create(device, queue, &grid, 0, &small), QN_INVALID_ARGUMENT);
    options.pixel_angstrom = 1;
    for (int frames = 2; frames < 4; frames++) { /* too few; none was added */
        if (!CHECK_OK(qn_coarse_stack_create(device, queue, &grid, frames, &small))) return;
        CHECK_FAILS(qn_align_movie(small, &options, &found, &facts), QN_INVALID_ARGUMENT);
        CHECK(!found.global_px);
        qn_coarse_stack_destroy(&small);
    }
}

static void bytes_are_stated(void)
{
    const int padded[2] = {5760, 4096};
    qn_movie_grid grid;
    options.pixel_angstrom = 0.83;
    CHECK_OK(qn_movie_grid_make(5760, 4092, padded, 0.83, &grid));
    const size_t few = qn_coarse_stack_bytes(device, &grid, 20, &options),
                 many = qn_coarse_stack_bytes(device, &grid, 40, &options);
    CHECK(few > (size_t)20 * 4 * 1195 * 850); /* the stack alone */
    CHECK(many > few && many < (size_t)1500 << 20);
    options.frugal = true;
    const size_t frugal = qn_coarse_stack_bytes(device, &grid, 40, &options);
    options.frugal = false;
    CHECK(frugal > (size_t)40 * 4 * 1195 * 850 && frugal < many);
}

int main(int argc, char **argv)
{
    if (!open_device(argc, argv)) return check_finish();
    RUN(global_motion_is_found);
    RUN(local_motion_is_found);
    RUN(a_filter_is_taken);
    RUN(results_are_repeatable);
    RUN(three_frames_suffice);
    RUN(three_frames_of_noise_have_no_signal);
    RUN(noise_ends);
    RUN(blank_frames_are_passed_over);
    RUN(frugal_alignments_find_the_same);
    RUN(impossible_movies_are_refused);
    RUN(bytes_are_stated);
    qn_coarse_stack_destroy(&stack);
    return close_device();
}

/* devices: host opencl:0 cuda:0 checking:host */
/* cut_patches against its reference. */
#include "check.h"

#include "movie/align/kernels/cut_patches.h"
#include "movie/align/tests/kernel_check.h"

enum { VALUES_MAX = 1 << 18, PATCHES = 12 };

static qn_cut_problem problem;
static float frames[VALUES_MAX], taper[VALUES_MAX], patches[VALUES_MAX];
static double expected[VALUES_MAX];
static int corners[2 * PATCHES];

/* Frames have a mean of 1000, which must not cost digits of the differences. */
static double error_of(const qn_configuration *configuration)
{
    const size_t all = (size_t)problem.size[0] * (size_t)problem.size[1] * (size_t)problem.frames;
    const size_t sides = (size_t)(problem.patch[0] + problem.patch[1]);
    const size_t made = (size_t)problem.patch[0] * (size_t)problem.patch[1] * (size_t)(problem.frames * problem.count);
    fill_inputs(frames, all, 1);
    for (size_t i = 0; i < all; i++) frames[i] = frames[i] * 8 + 1000;
    fill_inputs(taper, sides, 2);
    for (int p = 0; p < PATCHES; p++)
        for (int d = 0; d < 2; d++) corners[2 * p + d] = (37 * p + 11 * d) % (problem.size[d] - problem.patch[d] + 1);
    qn_buffer *buffers[3] = {buffer_of(frames, 4 * all), buffer_of(corners, sizeof corners),
                             buffer_of(taper, 4 * sides)};
    qn_buffer *out = empty_buffer(4 * made);
    CHECK_OK(qn_cut_patches(queue, configuration, &problem, buffers[0], buffers[1], buffers[2], out, NULL));
    read_and_release(&out, patches, 4 * made);
    for (int b = 0; b < 3; b++) qn_buffer_release(&buffers[b]);
    qn_cut_patches_reference(&problem, frames, corners, taper, expected);
    return relative_error(patches, expected, made);
}

static void sizes_are_right(void)
{
    const qn_cut_problem problems[] = {{{60, 50}, {20, 16}, 5, 0, 12},
                                       {{60, 50}, {21, 15}, 3, 4, 5},
                                       {{33, 7}, {33, 7}, 2, 0, 1},
                                       {{9, 9}, {1, 1}, 2, 0, 3}};
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        problem = problems[i];
        CHECK(error_of(NULL) < 3e-5); /* single precision of a sum of numbers near 1000 */
    }
}

static void corners_are_right(void)
{
    problem = (qn_cut_problem){{40, 44}, {18, 23}, 3, 1, 4};
    check_corners(&qn_movie_cut_patches_family, error_of, 3e-5);
}

static void impossible_problems_are_refused(void)
{
    const qn_cut_problem wrong[] = {{{16, 16}, {17, 8}, 1, 0, 1}, {{16, 16}, {0, 8}, 1, 0, 1},
                                    {{16, 16}, {8, 8}, 0, 0, 1},  {{16, 16}, {8, 8}, 1, -1, 1},
                                    {{16, 16}, {8, 8}, 1, 0, 0},  {{32, 16}, {8, 8}, 1, 0, 1}};
    qn_buffer *buffer = empty_buffer(4 * 256);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(qn_cut_patches(queue, NULL, &wrong[i], buffer, buffer, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    qn_buffer_release(&buffer);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "movie/cut_patches", (const int[]){50, 21, 3}, &work);
    CHECK(work.bytes_read > 0 && work.bytes_written > 0);
}

int main(int argc, char **argv)
{
    if (!open_device(argc, argv)) return check_finish();
    RUN(sizes_are_right);
    RUN(corners_are_right);
    RUN(impossible_problems_are_refused);
    RUN(workload_passes_its_check);
    return close_device();
}

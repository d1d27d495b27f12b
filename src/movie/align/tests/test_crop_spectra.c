/* devices: host opencl:0 cuda:0 checking:host */
/* crop_spectra against its reference. */
#include "check.h"

#include "movie/align/kernels/crop_spectra.h"
#include "movie/align/tests/kernel_check.h"

enum { NUMBERS_MAX = 2 * 200 * 101 };

static qn_crop_problem problem;
static float spectrum[NUMBERS_MAX], stack[NUMBERS_MAX], before[NUMBERS_MAX];
static double expected[NUMBERS_MAX];

static size_t numbers_of(const int size[2])
{
    return 2 * (size_t)size[1] * (size_t)(size[0] / 2 + 1);
}

/* The frame's error; infinite if another frame changed. */
static double error_of(const qn_configuration *configuration)
{
    const size_t from = numbers_of(problem.from), frame = numbers_of(problem.size),
                 all = frame * (size_t)problem.frames;
    const size_t first = frame * (size_t)problem.frame;
    fill_inputs(spectrum, from, 1);
    fill_inputs(before, all, 2);
    qn_buffer *source = buffer_of(spectrum, 4 * from), *target = buffer_of(before, 4 * all);
    CHECK_OK(qn_crop_spectra(queue, configuration, &problem, source, target, NULL));
    read_and_release(&target, stack, 4 * all);
    qn_buffer_release(&source);
    qn_crop_spectra_reference(&problem, spectrum, expected);
    if (memcmp(stack, before, 4 * first) != 0) return INFINITY;
    if (memcmp(stack + first + frame, before + first + frame, 4 * (all - first - frame)) != 0) return INFINITY;
    return relative_error(stack + first, expected, frame);
}

static void sizes_are_right(void)
{
    const qn_crop_problem problems[] = {
        {{200, 200}, {50, 48}, 3, 1, 0.25f}, {{31, 27}, {8, 10}, 5, 4, 2},  {{16, 16}, {16, 16}, 1, 0, 1},
        {{15, 100}, {4, 64}, 2, 0, 1},       {{90, 33}, {90, 32}, 2, 1, 1},
    };
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        problem = problems[i];
        CHECK(error_of(NULL) < 1e-7);
    }
}

static void corners_are_right(void)
{
    problem = (qn_crop_problem){{61, 70}, {30, 26}, 2, 1, 0.5f};
    check_corners(&qn_movie_crop_spectra_family, error_of, 1e-7);
}

static void impossible_problems_are_refused(void)
{
    const qn_crop_problem wrong[] = {
        {{16, 16}, {7, 8}, 1, 0, 1}, {{16, 16}, {18, 8}, 1, 0, 1}, {{16, 16}, {2, 8}, 1, 0, 1},
        {{16, 16}, {8, 8}, 1, 1, 1}, {{16, 16}, {8, 8}, 1, -1, 1}, {{64, 64}, {8, 8}, 1, 0, 1},
    };
    qn_buffer *buffer = empty_buffer(4 * 2 * 16 * 9);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(qn_crop_spectra(queue, NULL, &wrong[i], buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    qn_buffer_release(&buffer);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "movie/crop_spectra", (const int[]){61, 24, 0}, &work);
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

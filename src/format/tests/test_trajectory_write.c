#define _POSIX_C_SOURCE 200809L
#include <sys/stat.h>
#include <unistd.h>

#include "format/tests/trajectories.h"

/* Rounding error of numbers up to `size_nm` that are rounded to 1/precision and stored as floats. */
static double rounding_nm(double size_nm, double precision)
{
    return 0.5 / precision + 3 * ldexp(size_nm, -24);
}

static void round_trip(size_t atoms, double size_nm, double spread_nm, const qn_trajectory_write_options *options)
{
    char *path = scratch_path("trip.xtc");
    made_frames *made = make_frames(atoms, 3, size_nm, spread_nm, 12345 + (uint32_t)atoms), *got;
    const double precision = options->precision > 0 ? options->precision : 1000;
    CHECK_OK(write_made(made, path, options));
    CHECK_OK(read_made(path, atoms, &got, NULL));
    check_same_frames(got, made, atoms <= 9 ? 0 : rounding_nm(size_nm + spread_nm, precision));
    free_frames(got);
    free_frames(made);
}

/* The cases cover few atoms, which are not compressed; triples of up to 57, 64 and 72 bits; separate integers; runs of
 * all lengths. */
static void xtc_is_written_and_read_back(void)
{
    static const size_t counts[] = {1, 2, 9, 10, 11, 12, 13, 100, 3001};
    static const struct {
        double size_nm, spread_nm, precision;
    } spaces[] = {{5, 0.1, 1000}, {5, 0.02, 1000}, {5, 5, 1000},    {0, 0, 1000},        {0, 0.01, 100},
                  {80, 0.1, 1e4}, {50, 0.1, 1e5},  {6000, 1, 1000}, {15000, 15000, 1e3}, {900000, 0.1, 1000}};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (size_t s = 0; s < sizeof spaces / sizeof *spaces; s++) {
            for (int large = 0; large < 2; large++) {
                const qn_trajectory_write_options options = {.precision = spaces[s].precision, .large = large};
                round_trip(counts[c], spaces[s].size_nm, spaces[s].spread_nm, &options);
            }
        }
    }
}

static void dcd_is_written_and_read_back(void)
{
    static const size_t counts[] = {1, 9, 100, 3001};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        char *path = scratch_path("trip.dcd");
        made_frames *made = make_frames(counts[c], 4, 5, 0.1, 99), *got;
        CHECK_OK(write_made(made, path, NULL));
        CHECK_OK(read_made(path, counts[c], &got, NULL));
        check_same_frames(got, made, ldexp(5.1, -22)); /* to Å and back */
        free_frames(got);
        free_frames(made);
    }
}

static void dcd_without_box_is_written_and_read_back(void)
{
    char *path = scratch_path("bare.dcd");
    made_frames *made = make_frames(20, 2, 5, 0.1, 7), *got;
    for (size_t f = 0; f < 2; f++) memset(made->frames[f].box_nm, 0, sizeof made->frames[f].box_nm);
    CHECK_OK(write_made(made, path, NULL));
    CHECK_OK(read_made(path, 0, &got, NULL));
    check_same_frames(got, made, ldexp(5.1, -22));
    free_frames(got);
    free_frames(made);
}

static off_t file_size(const char *path)
{
    struct stat information;
    return stat(path, &information) == 0 ? information.st_size : 0;
}

/* Frames from files of GROMACS are unchanged by rewriting, and the files grow by less than 2 %. */
static void frames_of_gromacs_are_unchanged_by_rewriting(void)
{
    static const char *const files[] = {"trajectory/water3k/water3k.xtc", "trajectory/adk_oplsaa/adk_oplsaa.xtc",
                                        "trajectory/argon_tng/argon_from_tng.xtc"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *reference = check_reference_data(files[i]);
        if (!reference) {
            CHECK(1); /* check_reference_data has printed the reason */
            return;
        }
        char *path = scratch_path("again.xtc"), original[1024];
        snprintf(original, sizeof original, "%s", reference);
        made_frames *made, *got;
        CHECK_OK(read_made(original, 0, &made, NULL));
        CHECK_OK(write_made(made, path, NULL));
        CHECK_OK(read_made(path, 0, &got, NULL));
        check_same_frames(got, made, 0);
        CHECK(file_size(path) > 0 && (double)file_size(path) < 1.02 * (double)file_size(original));
        free_frames(got);
        free_frames(made);
    }
}

static void unfinished_files_are_removed(void)
{
    static const char *const names[] = {"gone.xtc", "gone.dcd"};
    for (size_t i = 0; i < 2; i++) {
        char *path = scratch_path(names[i]), partial[1100];
        made_frames *made = make_frames(20, 1, 5, 0.1, 3);
        qn_trajectory_writer *writer;
        CHECK_OK(qn_trajectory_writer_create(path, 20, NULL, &writer));
        CHECK_OK(qn_trajectory_writer_append(writer, &made->frames[0]));
        snprintf(partial, sizeof partial, "%s.partial.%ld", path, (long)getpid());
        CHECK(!qn_file_exists(path) && qn_file_exists(partial));
        qn_trajectory_writer_discard(&writer);
        CHECK(writer == NULL && !qn_file_exists(path) && !qn_file_exists(partial));
        free_frames(made);
    }
}

static void frames_that_the_format_cannot_hold_are_refused(void)
{
    qn_trajectory_writer *writer;
    made_frames *made = make_frames(20, 1, 5, 0.1, 3);
    CHECK_FAILS(qn_trajectory_writer_create(scratch_path("a.trr"), 20, NULL, &writer), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("expected .xtc or .dcd");
    CHECK_FAILS(qn_trajectory_writer_create(scratch_path("none/a.xtc"), 20, NULL, &writer), QN_NOT_FOUND);
    CHECK_FAILS(qn_trajectory_writer_create(scratch_path("a.xtc"), 0, NULL, &writer), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_trajectory_writer_create(scratch_path("a.xtc"), 20, &(qn_trajectory_write_options){.precision = -1},
                                            &writer),
                QN_INVALID_ARGUMENT);
    static const float wrong[] = {3e6f, -3e6f, NAN, INFINITY};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        made->positions_nm[31] = wrong[i];
        CHECK_FAILS(write_made(made, scratch_path("a.xtc"), NULL), QN_INVALID_ARGUMENT);
        CHECK_MESSAGE_HAS("a.xtc: frame 0: atom 11 is at");
    }
    made->positions_nm[31] = 2e6f; /* each value fits, but not all together */
    made->positions_nm[34] = -2e6f;
    CHECK_FAILS(write_made(made, scratch_path("a.xtc"), NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("nm apart");
    made->frames[0].box_nm[1] = 0.5;
    CHECK_FAILS(write_made(made, scratch_path("a.dcd"), NULL), QN_UNSUPPORTED);
    made->frames[0].atom_count = 19;
    CHECK_OK(qn_trajectory_writer_create(scratch_path("a.xtc"), 20, NULL, &writer));
    CHECK_FAILS(qn_trajectory_writer_append(writer, &made->frames[0]), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_trajectory_writer_finish(&writer), QN_IO_ERROR);
    CHECK(!qn_file_exists(scratch_path("a.xtc")));
    free_frames(made);
}

int main(void)
{
    RUN(xtc_is_written_and_read_back);
    RUN(dcd_is_written_and_read_back);
    RUN(dcd_without_box_is_written_and_read_back);
    RUN(frames_of_gromacs_are_unchanged_by_rewriting);
    RUN(unfinished_files_are_removed);
    RUN(frames_that_the_format_cannot_hold_are_refused);
    return check_finish();
}

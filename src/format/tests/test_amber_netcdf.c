/* Amber's NetCDF files: written by pmemd (the reference data), scipy (waters.nc) and libnetcdf. */
#include "format/tests/onebody.h"
#include "format/tests/small_trajectory.h"

static const char *data(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "trajectory/%s", name);
    return check_data(path);
}

static void frames_agree_with_the_reference(void)
{
    /* The frames have velocities and forces, which are skipped. The reference was computed from the same numbers in
     * double precision; conversion to nm as floats rounds them by up to 3 nm · 2⁻²⁴. */
    check_against_onebody("trajectory/ace_tip3p/ace_tip3p.nc", "trajectory/ace_tip3p/ref/onebody.json", 2e-7);
}

static void frames_agree_with_gromacs(void)
{
    /* Values that `gmx dump` prints for the TRR file of these frames: the first and the last atom of frames 0 and 2. */
    static const double expected[2][6] = {{0.260027, 0.495011, 0.051990, 3.01501, 0.337117, 0.589563},
                                          {0.236847, 0.544706, 0.0330848, 2.96994, 0.495636, 0.813995}};
    small_trajectory t;
    read_trajectory(data("waters.nc"), 0, &t);
    CHECK_TEXT(t.format, "Amber NetCDF");
    if (!CHECK(t.status == QN_OK && t.frame_count == 3 && t.atom_count == 9 && t.ending[0] == '\0')) return;
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR((double)t.positions_nm[0][i < 3 ? i : 21 + i], expected[0][i], 6e-6); /* gmx prints six digits */
        CHECK_NEAR((double)t.positions_nm[2][i < 3 ? i : 21 + i], expected[1][i], 6e-6);
    }
    for (size_t i = 0; i < 3; i++) {
        CHECK_NEAR(t.frames[i].time_ps, 0.4 * (double)i, 1e-6);
        for (int k = 0; k < 9; k++) CHECK_NEAR(t.frames[i].box_nm[k], k % 4 ? 0 : 3.2, 1e-6);
    }
    read_trajectory(data("waters.nc"), 8, &t);
    CHECK(t.status == QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("waters.nc: has 9 atoms; expected 8");
}

static void other_variants_of_the_format_are_read(void)
{
    static const float atoms[6] = {0.1F, 0.2F, 0.3F, -0.4F, 0.55F, 0.6F};
    small_trajectory t;
    read_trajectory(data("restart_cdf5.ncrst"), 0, &t); /* 64-bit data, doubles, one frame without a frame axis */
    if (!CHECK(t.status == QN_OK && t.frame_count == 1 && t.atom_count == 2 && t.ending[0] == '\0')) return;
    for (int i = 0; i < 6; i++) CHECK_NEAR((double)t.positions_nm[0][i], (double)atoms[i], 1e-7);
    static const double box[9] = {1, 0, 0, 1, 1.7320508075688772, 0, 0, 0, 3}; /* γ = 60° */
    for (int i = 0; i < 9; i++) CHECK_NEAR(t.frames[0].box_nm[i], box[i], 1e-12);
    CHECK(t.frames[0].time_ps == 12.5);
    read_trajectory(data("scaled_cdf1.nc"), 0, &t); /* 32-bit offsets, a single record variable, scale_factor ½ */
    if (!CHECK(t.status == QN_OK && t.frame_count == 3 && t.atom_count == 2 && t.ending[0] == '\0')) return;
    for (size_t f = 0; f < 3; f++)
        for (int i = 0; i < 6; i++) CHECK_NEAR((double)t.positions_nm[f][i], (double)f + 1 + 0.1 * i, 1e-6);
    CHECK(isnan(t.frames[0].time_ps) && t.frames[0].box_nm[0] == 0);
}

static void cut_files_end_before_the_cut_frame(void)
{
    small_trajectory whole, part;
    char *bytes;
    size_t size, wrong = 0;
    const size_t record = 4 + 9 * 12 + 24 + 24; /* time, coordinates, two vectors of doubles for the cell */
    read_trajectory(data("waters.nc"), 9, &whole);
    if (!CHECK_OK(qn_file_read(data("waters.nc"), &bytes, &size))) return;
    for (size_t cut = 1; cut < size; cut++) {
        read_trajectory(write_scratch("cut.nc", bytes, cut), 9, &part);
        const size_t missing = size - cut, expected = missing > 3 * record ? 0 : 3 - (missing + record - 1) / record;
        bool right = part.frame_count == expected &&
                     (part.status == QN_OK ? part.ending[0] != '\0' : part.status == QN_BAD_FORMAT && expected == 0);
        for (size_t i = 0; i < part.frame_count; i++) right = right && same_frame(&whole, &part, i);
        if (!right && wrong++ == 0) fprintf(stderr, "  cut to %zu of %zu bytes\n", cut, size);
    }
    CHECK(wrong == 0);
    qn_release(&bytes);
}

/* Only complete frames can be skipped by seeking. */
static void cut_frames_are_not_skipped_by_seeking(void)
{
    qn_trajectory_stream *stream;
    char *bytes;
    size_t size;
    uint64_t skipped;
    if (!CHECK_OK(qn_file_read(data("waters.nc"), &bytes, &size))) return;
    if (!CHECK_OK(qn_trajectory_stream_open(write_scratch("cut.nc", bytes, size - 10), 9, &stream))) return;
    CHECK_OK(qn_trajectory_stream_skip(stream, 3, &skipped));
    CHECK(skipped == 2 && qn_trajectory_stream_ending(stream) != NULL);
    qn_trajectory_stream_close(&stream);
    qn_release(&bytes);
}

static void frames_are_skipped_by_seeking(void)
{
    qn_trajectory_stream *stream;
    qn_frame_bytes bytes = {0};
    uint64_t skipped;
    bool end;
    if (!CHECK_OK(qn_trajectory_stream_open(data("waters.nc"), 9, &stream))) return;
    CHECK_OK(qn_trajectory_stream_skip(stream, 2, &skipped));
    CHECK(skipped == 2);
    CHECK_OK(qn_trajectory_stream_read(stream, &bytes, &end));
    CHECK(!end && bytes.number == 2);
    CHECK_NEAR(bytes.time_ps, 0.8, 1e-6);
    CHECK_OK(qn_trajectory_stream_skip(stream, 5, &skipped));
    CHECK(skipped == 0);
    CHECK_OK(qn_trajectory_stream_read(stream, &bytes, &end));
    CHECK(end && qn_trajectory_stream_ending(stream) == NULL);
    qn_trajectory_stream_close(&stream);
    qn_frame_bytes_clear(&bytes);
}

/* Replace the first `from` by `to`, both of `length` bytes, and check that the file is refused. */
static void refuse_changed(const char *from, const char *to, size_t length, const char *message)
{
    small_trajectory t;
    char *bytes, *at = NULL;
    size_t size;
    if (!CHECK_OK(qn_file_read(data("waters.nc"), &bytes, &size))) return;
    for (size_t i = 0; i + length <= size && !at; i++)
        if (memcmp(bytes + i, from, length) == 0) at = bytes + i;
    if (CHECK(at != NULL)) {
        memcpy(at, to, length);
        read_trajectory(write_scratch("changed.nc", bytes, size), 0, &t);
        if (CHECK(t.status == QN_BAD_FORMAT || t.status == QN_UNSUPPORTED)) CHECK_MESSAGE_HAS(message);
    }
    qn_release(&bytes);
}

static void invalid_headers_and_values_are_refused(void)
{
    refuse_changed("\0\0\0\x0b"
                   "coordinates",
                   "\0\0\0\x0b"
                   "coordinatez",
                   15, "changed.nc: has no variable \"coordinates\"");
    refuse_changed("angstrom", "furlongs", 8, "changed.nc: coordinates are in \"furlongs\"; expected angstrom");
    refuse_changed("\0\0\0\x0a\0\0\0\6", "\0\0\0\x0a\x7f\0\0\6", 8, "dimensions; expected at most 64");
    refuse_changed("\x40\x26\x6a\xda", "\x7f\xc0\0\0", 4, "changed.nc: frame 0 (byte 816): a coordinate of atom 0 is");
    refuse_changed("\x40\x56\x80\0", "\x40\x66\x80\0", 4, "changed.nc: frame 0 (byte 816): the cell"); /* 180° */
}

int main(void)
{
    RUN(frames_agree_with_the_reference);
    RUN(frames_agree_with_gromacs);
    RUN(other_variants_of_the_format_are_read);
    RUN(cut_files_end_before_the_cut_frame);
    RUN(frames_are_skipped_by_seeking);
    RUN(cut_frames_are_not_skipped_by_seeking);
    RUN(invalid_headers_and_values_are_refused);
    return check_finish();
}

#include "format/trajectory/hdf5_api.h"
#include <quern/log.h>

#include <stdlib.h>

#include "base/log.h"
#include "format/tests/small_trajectory.h"

static const char *data(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "trajectory/%s", name);
    return check_data(path);
}

/* Expected numbers as printed by h5dump 1.10.8. */
static void frames_agree_with_the_reference(void)
{
    static const double expected[2][3] = {{0.07884859235, -0.03009584539, -0.02360368076},
                                          {0.2887981485, 0.099206222, -0.1903386504}};
    const char *path = check_reference_data("trajectory/cu_h5md/cu.h5md");
    qn_trajectory_stream *stream;
    qn_frame_bytes bytes = {0};
    qn_trajectory_frame frame = {.positions_nm = calloc(108 * 3, sizeof(float))};
    bool end = false;
    CHECK(frame.positions_nm != NULL);
    if (!path || !CHECK_OK(qn_trajectory_stream_open(path, 0, &stream))) return;
    CHECK(qn_trajectory_stream_atom_count(stream) == 108);
    CHECK_TEXT(qn_trajectory_stream_format(stream), "H5MD");
    for (int i = 0; i < 20; i++) {
        CHECK_OK(qn_trajectory_stream_read(stream, &bytes, &end));
        CHECK(!end);
        CHECK_OK(qn_trajectory_stream_decode(stream, &bytes, &frame));
        CHECK(frame.step == i);
        CHECK_NEAR(frame.time_ps, 0.001 * i, 1e-12);
        if (i != 0 && i != 19) continue;
        for (int k = 0; k < 3; k++) CHECK_NEAR((double)frame.positions_nm[k], 0.1 * expected[i / 19][k], 2e-9);
        for (int k = 0; k < 9; k++) CHECK_NEAR(frame.box_nm[k], k % 4 ? 0 : 1.083, 1e-12);
    }
    CHECK_OK(qn_trajectory_stream_read(stream, &bytes, &end));
    CHECK(end && qn_trajectory_stream_ending(stream) == NULL);
    qn_trajectory_stream_close(&stream);
    qn_frame_bytes_clear(&bytes);
    free(frame.positions_nm);
}

static char note[400];

static void keep_note(qn_log_level level, const char *message, void *user)
{
    (void)level, (void)user;
    snprintf(note + strlen(note), sizeof note - strlen(note), "%s\n", message);
}

static void boxes_units_and_offsets_are_read(void)
{
    static const double edges[2][9] = {{1, 0, 0, 0.25, 2, 0, -0.5, 0.75, 3}, {2, 0, 0, 0.5, 3, 0, -0.25, 1, 4}};
    static const double atoms[6] = {0.1, 0.2, 0.3, -0.4, 0.55, 0.6};
    small_trajectory t;
    static qn_log_target heard = {.callback = keep_note, .mutex = PTHREAD_MUTEX_INITIALIZER};
    const qn_log_scope outer = qn_log_enter(&heard);
    note[0] = '\0';
    read_trajectory(data("matrix.h5md"), 0, &t);
    CHECK(strstr(note, "matrix.h5md: has 2 groups of particles; the first, \"all\", is read") != NULL);
    if (!CHECK(t.status == QN_OK && t.frame_count == 2 && t.atom_count == 2)) return;
    for (size_t f = 0; f < 2; f++) {
        for (int k = 0; k < 9; k++) CHECK(t.frames[f].box_nm[k] == edges[f][k]);
        CHECK(t.frames[f].time_ps == 1000 + 2000 * (double)f && t.frames[f].step == 500 + 1000 * (int64_t)f);
    }
    for (int k = 0; k < 6; k++) CHECK_NEAR((double)t.positions_nm[0][k], atoms[k], 6e-8);

    note[0] = '\0';
    read_trajectory(data("fixed.h5md"), 2, &t); /* big-endian floats; Å, since the file states no unit */
    CHECK(strstr(note, "fixed.h5md: does not say the unit of its positions; taken as Angstrom") != NULL);
    if (!CHECK(t.status == QN_OK && t.frame_count == 2)) return;
    for (int k = 0; k < 9; k++) CHECK_NEAR(t.frames[1].box_nm[k], k % 4 ? 0 : 1 + k / 4, 1e-12);
    for (int k = 0; k < 6; k++) CHECK_NEAR((double)t.positions_nm[0][k], atoms[k], 6e-8);
    CHECK(t.frames[0].time_ps == 0.5 && isnan(t.frames[1].time_ps) && t.frames[0].step == -1);
    qn_log_return(outer);
}

static void unrelated_files_are_refused(void)
{
    small_trajectory t;
    char *bytes;
    size_t size;
    read_trajectory(data("no_box.h5md"), 0, &t);
    CHECK(t.status == QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("no_box.h5md: has numbers in \"furlongs\"; expected a length in nm");
    read_trajectory(data("empty.h5"), 0, &t);
    CHECK(t.status == QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("empty.h5: has no /particles/");
    read_trajectory(data("matrix.h5md"), 3, &t);
    CHECK(t.status == QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("matrix.h5md: has 2 atoms; expected 3");
    if (!CHECK_OK(qn_file_read(data("matrix.h5md"), &bytes, &size))) return;
    read_trajectory(write_scratch("cut.h5md", bytes, size / 2), 0, &t);
    CHECK(t.status == QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("cut.h5md: HDF5 cannot open it");
    /* Replace the unit by nm. The file is then read, without a box, because its boundaries are "none". */
    qn_release(&bytes);
    if (!CHECK_OK(qn_file_read(data("no_box.h5md"), &bytes, &size))) return;
    for (size_t i = 0; i + 8 <= size; i++)
        if (memcmp(bytes + i, "furlongs", 8) == 0) memcpy(bytes + i, "nm\0\0\0\0\0", 8);
    read_trajectory(write_scratch("none.h5md", bytes, size), 0, &t);
    CHECK(t.status == QN_OK && t.frame_count == 2);
    for (int k = 0; k < 9; k++) CHECK(t.frames[0].box_nm[k] == 0);
    CHECK_NEAR((double)t.positions_nm[1][5], 60, 1e-5);
    /* Without the attribute "boundary" the box is read, and its edges have the unit of the positions. */
    for (size_t i = 0; i + 8 <= size; i++)
        if (memcmp(bytes + i, "boundary", 8) == 0) bytes[i] = 'B';
    read_trajectory(write_scratch("edges.h5md", bytes, size), 0, &t);
    CHECK(t.status == QN_OK && t.frame_count == 2);
    for (int k = 0; k < 9; k++) CHECK(t.frames[0].box_nm[k] == (k % 4 ? 0 : 10 * (1 + k / 4)));
    qn_release(&bytes);
}

static void frames_are_skipped_by_seeking(void)
{
    qn_trajectory_stream *stream;
    qn_frame_bytes bytes = {0};
    uint64_t skipped;
    bool end;
    if (!CHECK_OK(qn_trajectory_stream_open(data("matrix.h5md"), 0, &stream))) return;
    CHECK_OK(qn_trajectory_stream_skip(stream, 1, &skipped));
    CHECK_OK(qn_trajectory_stream_read(stream, &bytes, &end));
    CHECK(skipped == 1 && !end && bytes.number == 1 && bytes.time_ps == 3000);
    CHECK_OK(qn_trajectory_stream_skip(stream, 1, &skipped));
    CHECK(skipped == 0);
    qn_trajectory_stream_close(&stream);
    qn_frame_bytes_clear(&bytes);
}

int main(void)
{
    qn_hdf5_api api;
    if (qn_hdf5_load(&api) != QN_OK) check_skip("hdf5", qn_error_message());
    qn_hdf5_unload(&api);
    RUN(frames_agree_with_the_reference);
    RUN(boxes_units_and_offsets_are_read);
    RUN(unrelated_files_are_refused);
    RUN(frames_are_skipped_by_seeking);
    return check_finish();
}

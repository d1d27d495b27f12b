/* Which frames a source gives and at which times: files whose times say nothing. */
#include "frames/source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "check.h"

enum { ATOMS = 9, TIME_PLACE = ATOMS * 12, RECORD_BYTES = TIME_PLACE + 4 + 24 + 24, FRAMES = 3, READ_MAX = 8 };

static const qn_topology topology = {.atom_count = ATOMS, .name = (char *)"waters"};

/* Write waters.nc of the test data, whose frames have the time as a big-endian float after the coordinates, with other
 * times. */
static const char *write_with_times(const char *name, const float times[FRAMES])
{
    static char paths[4][512];
    static int next;
    char *data, *path = paths[next++ % 4];
    size_t size;
    if (!CHECK_OK(qn_file_read(check_data("trajectory/waters.nc"), &data, &size))) return NULL;
    for (size_t f = 0; f < FRAMES; f++) {
        unsigned char bytes[4];
        memcpy(bytes, &times[f], 4);
        for (size_t k = 0; k < 4; k++) data[size - (FRAMES - f) * RECORD_BYTES + TIME_PLACE + k] = (char)bytes[3 - k];
    }
    snprintf(path, sizeof paths[0], "%s/%s", check_scratch_folder(), name);
    CHECK_OK(qn_file_write(path, data, size));
    qn_release(&data);
    return path;
}

typedef struct read_source {
    size_t count, warning_count;
    double times_ps[READ_MAX];
    char warnings[4][512];
} read_source;

static read_source read_all(const char *const *paths, size_t count)
{
    static float positions[3 * ATOMS];
    const qn_source_options options = {.trajectories = paths,
                                       .trajectory_count = count,
                                       .begin_ps = (double)-INFINITY,
                                       .end_ps = (double)INFINITY,
                                       .last_frame = UINT64_MAX,
                                       .stride = 1};
    read_source got = {0};
    qn_source *source;
    qn_source_item item = {0};
    qn_trajectory_frame frame = {.atom_count = ATOMS, .positions_nm = positions};
    bool end = false;
    if (!CHECK_OK(qn_source_open(NULL, &options, &topology, &source))) return got;
    while (got.count < READ_MAX && CHECK_OK(qn_source_next(source, &item, &frame, &end)) && !end) {
        CHECK_OK(qn_source_decode(&item, &frame));
        qn_source_let_go(source, &item);
        CHECK(frame.atom_count == ATOMS);
        got.times_ps[got.count++] = frame.time_ps;
    }
    for (const char *warning; got.warning_count < 4 && (warning = qn_source_warning(source));)
        snprintf(got.warnings[got.warning_count++], 512, "%s", warning);
    qn_source_item_clear(&item);
    qn_source_close(&source);
    return got;
}

static void equal_times_are_no_times(void)
{
    const char *paths[2] = {write_with_times("a.nc", (const float[FRAMES]){0}),
                            write_with_times("b.nc", (const float[FRAMES]){0})};
    const read_source got = read_all(paths, 2);
    CHECK(got.count == 6); /* the second file is not an overlap */
    for (size_t i = 0; i < got.count; i++) CHECK(isnan(got.times_ps[i]));
    if (!CHECK(got.warning_count == 2)) return;
    CHECK(strstr(got.warnings[0], "a.nc: its times do not grow (0 ps in its first frame, 0 ps in its second)") != NULL);
    CHECK(strstr(got.warnings[1], "b.nc: its times do not grow") != NULL);
}

/* NetCDF's fill value of floats, 9.96921e36, stands for a number that was never written. */
static void fill_values_are_no_times(void)
{
    const float fill = 9.9692099683868690e+36f;
    const char *paths[2] = {write_with_times("a.nc", (const float[FRAMES]){fill, fill, fill}),
                            write_with_times("b.nc", (const float[FRAMES]){fill, fill, fill})};
    const read_source got = read_all(paths, 2);
    CHECK(got.count == 6 && got.warning_count == 0);
    for (size_t i = 0; i < got.count; i++) CHECK(isnan(got.times_ps[i]));
}

static void times_that_grow_are_kept_and_overlaps_left_out(void)
{
    const char *paths[2] = {write_with_times("a.nc", (const float[FRAMES]){0, 1, 2}),
                            write_with_times("b.nc", (const float[FRAMES]){1, 2, 3})};
    const read_source got = read_all(paths, 2);
    if (!CHECK(got.count == 4 && got.warning_count == 1)) return;
    for (size_t i = 0; i < 4; i++) CHECK(got.times_ps[i] == (double)i);
    CHECK(strstr(got.warnings[0], "b.nc: 2 frames were left out") != NULL);
}

int main(void)
{
    RUN(equal_times_are_no_times);
    RUN(fill_values_are_no_times);
    RUN(times_that_grow_are_kept_and_overlaps_left_out);
    return check_finish();
}

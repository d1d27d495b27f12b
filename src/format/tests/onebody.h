/* Compare frames of a trajectory with reference results (onebody.json): times, boxes and centres of geometry computed
 * by an independent reader of the same files, in double precision from the coordinates in the file. */
#ifndef QN_FORMAT_TESTS_ONEBODY_H
#define QN_FORMAT_TESTS_ONEBODY_H

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "format/trajectory/trajectory_stream.h"

static inline void check_frame_of_reference(const qn_trajectory_frame *frame, json_t *expected, double tolerance_nm)
{
    double centre[3] = {0};
    for (size_t i = 0; i < frame->atom_count; i++)
        for (int k = 0; k < 3; k++) centre[k] += (double)frame->positions_nm[3 * i + k];
    json_t *cog = json_object_get(json_object_get(expected, "all"), "cog"), *box = json_object_get(expected, "box9");
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(centre[k] / (double)frame->atom_count, json_real_value(json_array_get(cog, (size_t)k)),
                   tolerance_nm);
    for (int k = 0; k < 9; k++) {
        json_t *row = json_array_get(box, (size_t)k / 3), *flat = json_array_get(box, (size_t)k);
        json_t *value = json_is_array(row) ? json_array_get(row, (size_t)k % 3) : flat;
        CHECK_NEAR(frame->box_nm[k], json_is_null(box) ? 0 : json_number_value(value), 2e-6);
    }
    CHECK_NEAR(frame->time_ps, json_number_value(json_object_get(expected, "time")), 1e-4);
}

/* Check every frame of `trajectory`. `tolerance_nm`: of the mean position; single positions differ in their last bit at
 * most. */
static inline void check_against_onebody(const char *trajectory, const char *onebody, double tolerance_nm)
{
    char path[1024];
    const char *reference = check_reference_data(trajectory);
    if (!reference) {
        CHECK(1); /* check_reference_data has printed the reason */
        return;
    }
    snprintf(path, sizeof path, "%s", reference);
    json_t *root = json_load_file(check_reference_data(onebody), 0, NULL);
    if (!CHECK(root != NULL)) return;
    json_t *frames = json_object_get(root, "frames");
    const size_t atoms = (size_t)json_integer_value(json_object_get(root, "natoms"));
    qn_trajectory_stream *stream = NULL;
    qn_frame_bytes bytes = {0};
    bool end = false;
    qn_trajectory_frame frame = {.positions_nm = malloc(atoms * 3 * sizeof(float))};
    if (!CHECK_OK(qn_trajectory_stream_open(path, atoms, &stream))) goto done;
    size_t count = 0;
    for (;; count++) {
        if (!CHECK_OK(qn_trajectory_stream_read(stream, &bytes, &end)) || end) break;
        CHECK(bytes.number == count);
        if (!CHECK_OK(qn_trajectory_stream_decode(stream, &bytes, &frame))) break;
        CHECK(frame.atom_count == atoms);
        check_frame_of_reference(&frame, json_array_get(frames, count), tolerance_nm);
    }
    CHECK(count == json_array_size(frames) && count > 0);
    CHECK(qn_trajectory_stream_ending(stream) == NULL);
done:
    qn_trajectory_stream_close(&stream);
    qn_frame_bytes_clear(&bytes);
    free(frame.positions_nm);
    json_decref(root);
}

#endif

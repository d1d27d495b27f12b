/* Synthetic trajectories, written and read back. */
#ifndef QN_FORMAT_TESTS_TRAJECTORIES_H
#define QN_FORMAT_TESTS_TRAJECTORIES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "format/trajectory/trajectory_stream.h"
#include "format/trajectory/trajectory_write.h"

enum { FRAMES_MAX = 256 };

/* Frames whose positions are stored consecutively. */
typedef struct made_frames {
    size_t atom_count, count;
    qn_trajectory_frame frames[FRAMES_MAX];
    float *positions_nm;
} made_frames;

static inline uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

/* A number from -1 to 1. */
static inline double next_uniform(uint32_t *state)
{
    return (double)next_random(state) / 2147483648.0 - 1;
}

/* Groups of three atoms close to each other, as in water, in a space of `size_nm`, with a triclinic box. */
static inline made_frames *make_frames(size_t atom_count, size_t count, double size_nm, double spread_nm, uint32_t seed)
{
    static const double box[9] = {1, 0, 0, 0.25, 0.9, 0, -0.125, 0.375, 0.75};
    made_frames *made = calloc(1, sizeof *made);
    made->atom_count = atom_count;
    made->count = count;
    made->positions_nm = malloc(count * atom_count * 3 * sizeof(float));
    for (size_t f = 0; f < count; f++) {
        qn_trajectory_frame *frame = &made->frames[f];
        *frame = (qn_trajectory_frame){.number = f,
                                       .step = 500 + 250 * (int64_t)f,
                                       .time_ps = 1 + 0.5 * (double)f,
                                       .atom_count = atom_count,
                                       .positions_nm = made->positions_nm + f * atom_count * 3};
        for (int k = 0; k < 9; k++) frame->box_nm[k] = (double)(float)(box[k] * 4 * (1 + 0.01 * (double)f));
        double centre[3];
        for (size_t i = 0; i < atom_count; i++) {
            for (size_t k = 0; k < 3; k++) {
                if (i % 3 == 0) centre[k] = size_nm * next_uniform(&seed);
                frame->positions_nm[3 * i + k] = (float)(centre[k] + spread_nm * next_uniform(&seed));
            }
        }
    }
    return made;
}

static inline void free_frames(made_frames *made)
{
    if (!made) return;
    free(made->positions_nm);
    free(made);
}

/* A path in this test's scratch folder; the same buffer for the same name. */
static inline char *scratch_path(const char *name)
{
    static char path[32][1024];
    char wanted[1024];
    size_t i = 0;
    snprintf(wanted, sizeof wanted, "%s/%s", check_scratch_folder(), name);
    while (i < 31 && path[i][0] && strcmp(path[i], wanted) != 0) i++;
    return strcpy(path[i], wanted);
}

static inline qn_status write_made(const made_frames *made, const char *path,
                                   const qn_trajectory_write_options *options)
{
    qn_trajectory_writer *writer;
    qn_status status = qn_trajectory_writer_create(path, made->atom_count, options, &writer);
    if (status != QN_OK) return status;
    for (size_t f = 0; f < made->count && status == QN_OK; f++)
        status = qn_trajectory_writer_append(writer, &made->frames[f]);
    if (status == QN_OK) return qn_trajectory_writer_finish(&writer);
    qn_trajectory_writer_discard(&writer);
    return status;
}

/* Read the frames of a stream, at most FRAMES_MAX, up to its end or a failure, which is returned. */
static inline qn_status read_frames(qn_trajectory_stream *stream, made_frames **out)
{
    made_frames *made = *out = calloc(1, sizeof *made);
    qn_frame_bytes bytes = {0};
    bool end = false;
    made->atom_count = qn_trajectory_stream_atom_count(stream);
    made->positions_nm = malloc(FRAMES_MAX * made->atom_count * 3 * sizeof(float));
    qn_status status = QN_OK;
    while (made->count < FRAMES_MAX && (status = qn_trajectory_stream_read(stream, &bytes, &end)) == QN_OK && !end) {
        qn_trajectory_frame *frame = &made->frames[made->count];
        frame->number = bytes.number;
        frame->positions_nm = made->positions_nm + made->count * made->atom_count * 3;
        status = qn_trajectory_stream_decode(stream, &bytes, frame);
        if (status != QN_OK) break;
        made->count++;
    }
    qn_frame_bytes_clear(&bytes);
    return status;
}

/* As read_frames, from a file; `ending` (may be NULL) gets a copy of qn_trajectory_stream_ending. */
static inline qn_status read_made(const char *path, size_t atom_count, made_frames **out, char ending[512])
{
    qn_trajectory_stream *stream;
    *out = NULL;
    if (ending) ending[0] = '\0';
    qn_status status = qn_trajectory_stream_open(path, atom_count, &stream);
    if (status != QN_OK) return status;
    status = read_frames(stream, out);
    if (ending && qn_trajectory_stream_ending(stream)) snprintf(ending, 512, "%s", qn_trajectory_stream_ending(stream));
    qn_trajectory_stream_close(&stream);
    return status;
}

/* The largest difference between coordinates of two frames. */
static inline double largest_difference(const qn_trajectory_frame *a, const qn_trajectory_frame *b)
{
    double largest = 0;
    for (size_t i = 0; i < 3 * a->atom_count; i++)
        largest = fmax(largest, fabs((double)a->positions_nm[i] - (double)b->positions_nm[i]));
    return largest;
}

static inline void check_same_frames(const made_frames *got, const made_frames *expected, double tolerance_nm)
{
    if (!CHECK(got && got->count == expected->count && got->atom_count == expected->atom_count)) return;
    for (size_t f = 0; f < got->count; f++) {
        CHECK(got->frames[f].number == f);
        CHECK(got->frames[f].step == expected->frames[f].step);
        CHECK_NEAR(got->frames[f].time_ps, expected->frames[f].time_ps, 1e-6 * expected->frames[f].time_ps);
        for (int k = 0; k < 9; k++) CHECK_NEAR(got->frames[f].box_nm[k], expected->frames[f].box_nm[k], 1e-6);
        CHECK_NEAR(largest_difference(&got->frames[f], &expected->frames[f]), 0, tolerance_nm);
    }
}

#endif

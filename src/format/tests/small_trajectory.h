/* Small trajectories for the tests of their formats: reading whole files, writing texts, comparing frames. */
#ifndef QN_FORMAT_TESTS_SMALL_TRAJECTORY_H
#define QN_FORMAT_TESTS_SMALL_TRAJECTORY_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "format/trajectory/trajectory_stream.h"

enum { FRAMES_MAX = 8, ATOMS_MAX = 16 };

typedef struct small_trajectory {
    qn_status status; /* of the call that ended reading */
    size_t frame_count, atom_count;
    qn_trajectory_frame frames[FRAMES_MAX];
    uint64_t offsets[FRAMES_MAX];
    float positions_nm[FRAMES_MAX][3 * ATOMS_MAX];
    char format[32], ending[512];
} small_trajectory;

static inline qn_status read_frames(qn_trajectory_stream *stream, small_trajectory *t)
{
    qn_frame_bytes bytes = {0};
    qn_status status = QN_OK;
    for (bool end = false; t->frame_count < FRAMES_MAX && status == QN_OK;) {
        qn_trajectory_frame *frame = &t->frames[t->frame_count];
        status = qn_trajectory_stream_read(stream, &bytes, &end);
        if (status != QN_OK || end) break;
        t->offsets[t->frame_count] = bytes.offset;
        *frame = (qn_trajectory_frame){.positions_nm = t->positions_nm[t->frame_count]};
        status = qn_trajectory_stream_decode(stream, &bytes, frame);
        t->frame_count += status == QN_OK;
    }
    qn_frame_bytes_clear(&bytes);
    return status;
}

static inline void read_trajectory(const char *path, size_t atom_count, small_trajectory *t)
{
    qn_trajectory_stream *stream;
    memset(t, 0, sizeof *t);
    t->status = qn_trajectory_stream_open(path, atom_count, &stream);
    if (t->status != QN_OK) return;
    t->atom_count = qn_trajectory_stream_atom_count(stream);
    strcpy(t->format, qn_trajectory_stream_format(stream));
    if (t->atom_count <= ATOMS_MAX) t->status = read_frames(stream, t);
    const char *ending = qn_trajectory_stream_ending(stream);
    strcpy(t->ending, ending ? ending : "");
    qn_trajectory_stream_close(&stream);
}

static inline const char *write_scratch(const char *name, const void *data, size_t size)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), name);
    CHECK_OK(qn_file_write(path, data, size));
    return path;
}

static inline void read_text(const char *name, const char *text, size_t atom_count, small_trajectory *t)
{
    read_trajectory(write_scratch(name, text, strlen(text)), atom_count, t);
}

/* Check that the text is refused with a message that contains `message`. */
static inline void refuse_text(const char *name, const char *text, const char *message)
{
    small_trajectory t;
    read_text(name, text, 0, &t);
    if (CHECK(t.status == QN_BAD_FORMAT)) CHECK_MESSAGE_HAS(message);
}

/* Largest difference between coordinates of one frame. */
static inline double difference(const small_trajectory *a, const small_trajectory *b, size_t frame)
{
    double largest = 0;
    for (size_t i = 0; i < 3 * a->atom_count; i++)
        largest = fmax(largest, fabs((double)a->positions_nm[frame][i] - (double)b->positions_nm[frame][i]));
    return largest;
}

static inline bool same_frame(const small_trajectory *a, const small_trajectory *b, size_t frame)
{
    const qn_trajectory_frame *x = &a->frames[frame], *y = &b->frames[frame];
    return memcmp(a->positions_nm[frame], b->positions_nm[frame], a->atom_count * 3 * sizeof(float)) == 0 &&
           memcmp(x->box_nm, y->box_nm, sizeof x->box_nm) == 0 && x->step == y->step &&
           (x->time_ps == y->time_ps || (isnan(x->time_ps) && isnan(y->time_ps)));
}

/* Cut the file before every byte: the frames before the cut equal those of the whole file, a cut inside a frame is
 * reported, and reading fails only where the cut leaves less than 200 bytes. `tail`: number of bytes at the end of a
 * frame, after the last number, that may be missing without a report. */
static inline void cut_everywhere(const char *path, size_t atom_count, size_t tail)
{
    small_trajectory whole, part;
    char *data;
    size_t size, wrong = 0, last = 0, quiet = 0;
    const char *name = strrchr(path, '/') + 1;
    read_trajectory(path, atom_count, &whole);
    CHECK(whole.status == QN_OK && whole.frame_count > 1 && whole.ending[0] == '\0');
    if (!CHECK_OK(qn_file_read(path, &data, &size))) return;
    for (size_t cut = 1; cut < size; cut++) {
        read_trajectory(write_scratch(name, data, cut), whole.atom_count, &part);
        bool right = part.status == QN_OK || (cut < 200 && part.frame_count == 0);
        right = right && part.frame_count >= last && part.frame_count <= whole.frame_count;
        for (size_t i = 0; i < part.frame_count && right; i++) right = same_frame(&whole, &part, i);
        /* only a cut exactly between frames is not reported */
        quiet = part.frame_count == last && part.ending[0] == '\0' && cut > 200 ? quiet + 1 : 0;
        right = right && quiet <= tail;
        last = part.frame_count;
        if (!right && wrong++ == 0)
            fprintf(stderr, "  %s cut to %zu of %zu bytes: %zu frames, %s, \"%s\"\n", name, cut, size, part.frame_count,
                    part.status == QN_OK ? "no error" : qn_error_message(), part.ending);
    }
    CHECK(wrong == 0);
    remove(write_scratch(name, "", 0));
    qn_release(&data);
}

#endif

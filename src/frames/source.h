/* The frames of a run: from files that are read one after the other, from an array in memory, from a function, from a
 * running simulation, or the single frame of a topology with positions. The source selects the frames to analyse: by
 * number, time and stride, and without those whose time an earlier file has reached already. The times of a file count
 * as not known if they do not grow from its first frame to its second.
 *
 * Life cycle: open → next, decode, next … → close. Thread rule: one thread reads; any thread may decode and let go.
 */
#ifndef QN_FRAMES_SOURCE_H
#define QN_FRAMES_SOURCE_H

#include <quern/topology.h>

#include "format/trajectory/trajectory_stream.h"
#include "frames/frame_array.h"
#include "frames/live.h"

typedef struct qn_source qn_source;
typedef struct qn_source_file qn_source_file;

/* Origin of the frames, and the selection of frames. The origin is one of trajectories, frames, next_frame and live; if
 * none is given, the topology. */
typedef struct qn_source_options {
    const char *const *trajectories; /* files, read one after the other; "-": standard input */
    size_t trajectory_count;
    const qn_frame_array *frames; /* in memory */
    qn_next_frame next_frame;     /* a function, called with next_frame_user */
    void *next_frame_user;
    const char *live; /* "host:8888", a running simulation */
    int live_every;   /* this and the next line: see frames/live.h */
    double live_step_ps, live_timeout_s;
    double begin_ps, end_ps;                  /* −INFINITY and INFINITY: all times */
    uint64_t first_frame, last_frame, stride; /* 0, UINT64_MAX and 1: all frames */
    bool keep_overlaps;                       /* analyse frames whose time an earlier file has reached too */
} qn_source_options;

typedef struct qn_frame_file_facts {
    const char *path;   /* of an array: its name */
    const char *format; /* "XTC"; of an array: "memory"; NULL: not opened, as no more frames were needed */
    uint64_t bytes;     /* size of the file; 0: unknown */
    uint64_t frames;    /* number of frames read, including those that were not analysed */
    const char *ending; /* one sentence about bytes after the last complete frame; NULL: there are none */
} qn_frame_file_facts;

/* A frame to analyse that is not decoded yet. Zero-initialise; may be used repeatedly; release with clear. */
typedef struct qn_source_item {
    qn_source *source;
    uint64_t number;             /* counted through all files, from 0 */
    uint64_t ordinal;            /* counted through the frames to analyse, from 0 */
    size_t size;                 /* number of bytes read; 0 for the frame of a topology */
    qn_frame_bytes bytes;        /* of a frame of `file` */
    qn_source_file *file;        /* NULL: not from a file */
    const char *path;            /* of `file` */
    const qn_frame_array *array; /* the frame is copied from it; NULL: not from an array */
    size_t array_place;          /* index of the frame in `array` */
} qn_source_item;

void qn_source_item_clear(qn_source_item *item);

/* Borrows the topology and the texts of the options. `context` may be NULL if the source is not live. */
QN_MUST_CHECK qn_status qn_source_open(qn_context *context, const qn_source_options *options,
                                       const qn_topology *topology, qn_source **source);
void qn_source_close(qn_source **source);

/* Read the next frame to analyse. `frame` has memory for all atoms; it is filled if qn_source_fills_frames. *end is set
 * if there are no more frames. */
QN_MUST_CHECK qn_status qn_source_next(qn_source *source, qn_source_item *item, qn_trajectory_frame *frame, bool *end);

/* Skip `count` frames to analyse, or all up to the end. */
QN_MUST_CHECK qn_status qn_source_skip(qn_source *source, uint64_t count);

/* Ordinal of the next frame to read; after the end, the number of frames. */
uint64_t qn_source_position(const qn_source *source);

/* Decode or copy an item into `frame`, and set its number. A cell whose vectors do not form a triangular matrix in any
 * order is turned together with the positions, so that a lies along x and b in the xy-plane; one warning says so. */
QN_MUST_CHECK qn_status qn_source_decode(const qn_source_item *item, qn_trajectory_frame *frame);

/* Release the item's hold on its file, after decoding. */
void qn_source_let_go(qn_source *source, qn_source_item *item);

/* End the source: a `next` that waits for a running simulation returns soon, with *end set. Any thread may call. */
void qn_source_stop(qn_source *source);

/* Whether `next` fills frames, so that decoding does nothing: true for a simulation, a function and a topology. */
bool qn_source_fills_frames(const qn_source *source);

/* Whether a later run can read the same frames again: true for an array, a topology, and plain files. */
bool qn_source_is_repeatable(const qn_source *source);

/* Share of the frames read so far, 0 … 1, estimated from bytes, numbers or times; 0 if these are unknown. *bytes (may
 * be NULL) becomes the number of bytes read. Any thread may call. */
double qn_source_share(qn_source *source, uint64_t *bytes);

uint64_t qn_source_overlapping(const qn_source *source);

/* Facts of each trajectory file, or of the array; complete after the end of reading. A count of 0 for other sources. */
const qn_frame_file_facts *qn_source_file_facts(const qn_source *source, size_t *count);
bool qn_source_live_facts(qn_source *source, qn_live_facts *facts); /* false: not live */

/* Next warning about frames and files; NULL: there is no new one. Texts live until the source is closed. */
const char *qn_source_warning(qn_source *source);

#endif

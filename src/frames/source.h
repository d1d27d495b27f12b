/* The frames of a run, from files that are read one after the other, from a simulation that is still running, or the
 * one that a topology's file holds. Which of them are analysed is decided here: by number, time and stride, and by
 * whether an earlier file has reached their time already.
 *
 * Life cycle: open → next, decode, next … → close. Thread rule: one thread reads; any threads decode and let go.
 */
#ifndef QN_FRAMES_SOURCE_H
#define QN_FRAMES_SOURCE_H

#include <quern/topology.h>

#include "format/trajectory/trajectory_stream.h"
#include "frames/live.h"

typedef struct qn_source qn_source;
typedef struct qn_source_file qn_source_file;

/* Where frames come from and which of them are analysed. */
typedef struct qn_source_options {
    const char *const *trajectories; /* files, read one after the other; "-": standard input */
    size_t trajectory_count;         /* 0: the one frame of the topology's file */
    const char *live;                /* "host:8888", a running simulation, instead of files; NULL */
    int live_every;                  /* steps between its frames, see frames/live.h; likewise the next two */
    double live_step_ps, live_timeout_s;
    double begin_ps, end_ps;                  /* −INFINITY and INFINITY: all times */
    uint64_t first_frame, last_frame, stride; /* 0, UINT64_MAX and 1: all frames */
    bool keep_overlaps;                       /* also frames whose time an earlier file has reached */
} qn_source_options;

typedef struct qn_frame_file_facts {
    const char *path, *format; /* "XTC"; NULL: not opened, as frames before sufficed */
    uint64_t bytes;            /* as stored; 0: not known */
    uint64_t frames;           /* read, whether or not they were analysed */
    const char *ending;        /* one sentence about the bytes behind the last whole frame; NULL */
} qn_frame_file_facts;

/* A frame that is to be analysed, not decoded yet. Zero-initialise; use again and again; released with clear. */
typedef struct qn_source_item {
    uint64_t number;      /* counted through all files, from 0 */
    uint64_t ordinal;     /* among those that are analysed, from 0 */
    size_t size;          /* bytes as read; 0: see `file` */
    qn_frame_bytes bytes; /* of `file` */
    qn_source_file *file; /* NULL: the frame came with its positions */
} qn_source_item;

void qn_source_item_clear(qn_source_item *item);

/* Borrows the topology and the texts of the options. `context` may be NULL where nothing is live. */
QN_MUST_CHECK qn_status qn_source_open(qn_context *context, const qn_source_options *options,
                                       const qn_topology *topology, qn_source **source);
void qn_source_close(qn_source **source);

/* The next frame that is analysed. `frame` has room for all atoms; it is filled where item->file is NULL. *end: there
 * is none. */
QN_MUST_CHECK qn_status qn_source_next(qn_source *source, qn_source_item *item, qn_trajectory_frame *frame, bool *end);

/* Get past `count` frames that would be analysed, or to the end. */
QN_MUST_CHECK qn_status qn_source_skip(qn_source *source, uint64_t count);

/* Ordinal of the frame that is read next; behind the end: how many there are. */
uint64_t qn_source_position(const qn_source *source);

/* Fill `frame` and its number. */
QN_MUST_CHECK qn_status qn_source_decode(const qn_source_item *item, qn_trajectory_frame *frame);

/* The item needs its file no more. */
void qn_source_let_go(qn_source *source, qn_source_item *item);

/* Make a `next` that waits for a running simulation come back soon, with the end. From any thread. */
void qn_source_stop(qn_source *source);

/* Whether a run that was killed can read the same again: all files are plain ones. */
bool qn_source_is_repeatable(const qn_source *source);

/* How far reading has come, 0 … 1, by what is known: bytes, numbers, times; 0 where nothing is. From any thread. */
double qn_source_share(qn_source *source, uint64_t *bytes);

uint64_t qn_source_overlapping(const qn_source *source);

/* What the files were, once reading is over: of each of the trajectories. NULL for other sources. */
const qn_frame_file_facts *qn_source_file_facts(const qn_source *source);
bool qn_source_live_facts(qn_source *source, qn_live_facts *facts); /* false: not live */

/* Warnings about files since the last call, one at a time; NULL: no more. Lives until the source is closed. */
const char *qn_source_warning(qn_source *source);

#endif

/* The frames of one movie on a device: decoded by all threads and added up for the detection of bad pixels. They stay
 * in the device's memory if they fit; else they are decoded again for each pass.
 *
 * Life cycle of a loader: create → any number of loads, of several movies at once → destroy. Of frames: load →
 * qn_movie_frames_each, any number of times → load the next movie, which uses the memory again, … → release. Thread
 * rule: any threads for a loader, one thread at a time for frames. */
#ifndef QN_MOVIE_FRAMES_H
#define QN_MOVIE_FRAMES_H

#include <quern/queue.h>

#include "base/thread_pool.h"
#include "format/movie/movie_file.h"
#include "movie/frame_plan.h"

typedef struct qn_movie_loader qn_movie_loader;

QN_MUST_CHECK qn_status qn_movie_loader_create(qn_device *device, qn_pool *pool, qn_movie_loader **loader);
void qn_movie_loader_destroy(qn_movie_loader **loader);

typedef struct qn_movie_frames {
    qn_movie_loader *loader; /* not owned, like the next two */
    qn_movie_file *file;
    const qn_movie_frame_plan *plan;
    int width, height;
    qn_sample_kind kind;            /* of the samples that are given out */
    size_t frame_bytes, step_bytes; /* of a frame; from one to the next */
    bool held;                      /* all frames are in `samples` */
    int batch;                      /* frames that are decoded together */
    qn_queue *queue;
    qn_buffer *samples, *sums; /* of all frames, or of a batch; Σ of all used frames */
    float *sum;                /* [height][width] Σ of all used frames */
    size_t sum_bytes;          /* room */
    double mean;               /* of the samples of all used frames */
} qn_movie_frames;

/* Called for each frame, in order: its samples are in `samples` from byte `offset` on. They stay valid if they are
 * held, else until `flush` was called for them. */
typedef struct qn_movie_frame_visitor {
    qn_status (*frame)(int frame, qn_buffer *samples, size_t offset, void *user);
    qn_status (*flush)(void *user);
    void *user;
} qn_movie_frame_visitor;

/* Decode all frames of the plan and add them up; `holds`: keep them all. `frames` is zero, or of an earlier movie.
 * Errors: those of qn_movie_file_read; QN_BAD_FORMAT: all counts are 0. `frames` must be released after a failure too.
 */
QN_MUST_CHECK qn_status qn_movie_frames_load(qn_movie_loader *loader, qn_movie_file *file,
                                             const qn_movie_frame_plan *plan, bool holds, qn_movie_frames *frames);

/* Visit frames `first` … of the plan. */
QN_MUST_CHECK qn_status qn_movie_frames_each(qn_movie_frames *frames, int first, const qn_movie_frame_visitor *visitor);
void qn_movie_frames_release(qn_movie_frames *frames);

/* Bytes of the samples of all frames, if they are held, or of those that are decoded together by so many threads. */
uint64_t qn_movie_frames_bytes(const qn_movie_file *file, const qn_movie_frame_plan *plan, bool holds, int threads);

#endif

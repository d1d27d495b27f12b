/* The frames of one movie: decoded by all threads, summed for the detection of bad pixels, and given out one by one,
 * twice. They stay in memory if they fit; else they are read again.
 *
 * Life cycle: load → qn_movie_frames_each, any number of times → release. Thread rule: one thread at a time. */
#ifndef QN_MOVIE_FRAMES_H
#define QN_MOVIE_FRAMES_H

#include "base/thread_pool.h"
#include "format/movie/movie_file.h"
#include "movie/frame_plan.h"

typedef struct qn_movie_frames {
    qn_movie_file *file; /* not owned */
    const qn_movie_frame_plan *plan;
    qn_pool *pool;
    int width, height;
    qn_sample_kind kind; /* of the samples that are given out */
    size_t frame_bytes;
    bool held;              /* all frames are in `samples` */
    int batch;              /* frames that are decoded together */
    unsigned char *samples; /* of all frames, or of a batch */
    float *scratch;         /* a frame of the file for each thread, where frames are added up; else NULL */
    float *sum;             /* [height][width] Σ of all used frames */
    double mean;            /* of the samples of all used frames */
} qn_movie_frames;

/* Called for each frame with its samples, in order. The samples stay valid until the frames are released if they are
 * held, else until `flush` was called for them. */
typedef struct qn_movie_frame_visitor {
    qn_status (*frame)(int frame, const void *samples, void *user);
    qn_status (*flush)(void *user);
    void *user;
} qn_movie_frame_visitor;

/* Decode all frames of the plan and add them up. At most about `memory_bytes` are taken for samples. Errors: those of
 * qn_movie_file_read; QN_BAD_FORMAT: all counts are 0. `frames` must be released after a failure too. */
QN_MUST_CHECK qn_status qn_movie_frames_load(qn_movie_file *file, const qn_movie_frame_plan *plan, qn_pool *pool,
                                             uint64_t memory_bytes, qn_movie_frames *frames);
QN_MUST_CHECK qn_status qn_movie_frames_each(qn_movie_frames *frames, const qn_movie_frame_visitor *visitor);
void qn_movie_frames_release(qn_movie_frames *frames);

/* Bytes of the samples of all frames, if they are held. */
uint64_t qn_movie_frames_bytes(const qn_movie_file *file, const qn_movie_frame_plan *plan);

#endif

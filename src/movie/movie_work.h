/* A movie at work on a device: the state that the steps of the pipeline share. */
#ifndef QN_MOVIE_MOVIE_WORK_H
#define QN_MOVIE_MOVIE_WORK_H

#include <quern/fft.h>

#include "movie/align/align.h"
#include "movie/correct/correct.h"
#include "movie/correct/orientation.h"
#include "movie/frames.h"
#include "movie/pipeline.h"
#include "movie/warp/warp.h"

/* What the objects of a device depend on. */
typedef struct qn_movie_kind {
    int width, height;
    qn_sample_kind samples;
    bool is_eer;
} qn_movie_kind;

struct qn_movie_pipeline {
    qn_movie_state *run;
    qn_device *device;
    qn_queue *queue;
    pthread_mutex_t turn; /* of the movies at work; of all that follows */

    /* for frames of one kind; made again for a movie with other frames */
    qn_movie_kind of;
    int padded[2];
    qn_detector *detector;
    bool gain_written; /* the gain as applied */
    qn_corrector *corrector;
    qn_fft_plan *forward;
    qn_buffer *real, *spectrum; /* of a padded frame */
};

typedef struct qn_movie_work {
    qn_movie_pipeline *pipeline;
    const qn_movie_input *movie;
    qn_movie_facts *facts;
    qn_movie_file *file;
    qn_movie_kind kind;
    bool gain_divides; /* the frames are divided by the gain */
    qn_movie_frame_plan plan;
    qn_movie_frames frames;
    qn_bad_pixels bad;
    qn_movie_grid grid;
    qn_coarse_stack *stack;
    qn_motion motion;
    qn_align_facts aligned;
    qn_warp *warp;
    float *means; /* [frame] of the corrected frames */
    double pixel_angstrom, voltage_kv;
    int eer_group;         /* raw frames in a frame, of EER; else 0 */
    uint64_t frame_bytes;  /* taken for the frames, of those that the run may hold */
    uint64_t device_bytes; /* estimate */
} qn_movie_work;

/* Open the file, and find pixel size, voltage and the frames to use. */
QN_MUST_CHECK qn_status qn_movie_open(qn_movie_work *work);

/* Make what depends on the kind of the frames, and check the memory. */
QN_MUST_CHECK qn_status qn_movie_prepare_device(qn_movie_work *work);
void qn_movie_forget_kind(qn_movie_pipeline *pipeline);

/* Options of the detector for frames of a kind. */
qn_detector_options qn_movie_detector_options(const qn_movie_run_options *options, const qn_movie_kind *of);

/* Decode the frames, when there is memory for them. */
QN_MUST_CHECK qn_status qn_movie_load(qn_movie_work *work);
void qn_movie_release_frames(qn_movie_work *work);

/* Check the gain with the first movie, and find the bad pixels. */
QN_MUST_CHECK qn_status qn_movie_find_bad_pixels(qn_movie_work *work);

/* Correct and transform a frame: its half spectrum is in the pipeline's buffer when the queue is done. */
QN_MUST_CHECK qn_status qn_movie_transform(qn_movie_work *work, int frame, const void *samples);
qn_status qn_movie_flush(void *work);

QN_MUST_CHECK qn_status qn_movie_align_frames(qn_movie_work *work);

/* Options of the sums, without motion and weights. */
qn_warp_options qn_movie_warp_options(const qn_movie_work *work);
QN_MUST_CHECK qn_status qn_movie_sum_frames(qn_movie_work *work, qn_micrographs *micrographs);

/* Write the gain as applied where RELION cannot read it as it is. */
QN_MUST_CHECK qn_status qn_movie_write_gain(qn_movie_work *work);

QN_MUST_CHECK qn_status qn_movie_write_files(qn_movie_work *work, const qn_micrographs *micrographs);

/* Fill the facts that come from the motion, and the material of the report. */
QN_MUST_CHECK qn_status qn_movie_note_motion(qn_movie_work *work);
QN_MUST_CHECK qn_status qn_movie_note_pictures(qn_movie_work *work, const qn_micrographs *micrographs);
QN_MUST_CHECK qn_status qn_movie_note_spectra(qn_movie_facts *facts, const qn_micrographs *micrographs);

/* The values below which the two shares of all values lie. */
QN_MUST_CHECK qn_status qn_movie_find_range(const float *values, size_t count, const double shares[2], double range[2]);

/* Keep values [size[1]][size[0]] in grey, from black at range[0] to white at range[1]. */
QN_MUST_CHECK qn_status qn_movie_keep_picture(qn_movie_facts *facts, qn_movie_picture which, const float *values,
                                              const int size[2], const double range[2]);

#endif

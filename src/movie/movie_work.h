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

/* Movies that are aligned and summed at the same time: the device works on one during work of the host on the other. */
enum { QN_MOVIE_TURNS = 2 };

/* The properties of frames that the objects of a device depend on, besides the number of frames. */
typedef struct qn_movie_kind {
    int width, height;
    qn_sample_kind samples;
    bool is_eer;
} qn_movie_kind;

/* Objects that make spectra of frames of one kind. A turn has its own, which are made when it needs them. */
typedef struct qn_movie_tools {
    qn_corrector *corrector;
    qn_fft_plan *forward;
    qn_buffer *real, *spectrum; /* of a padded frame */
} qn_movie_tools;

/* The objects of a device for frames of one kind. They are kept from movie to movie. */
typedef struct qn_movie_setup {
    qn_movie_kind of;
    int users; /* movies at work */
    int padded[2];
    qn_detector *detector;
    bool gain_written;                    /* the gain as applied */
    bool explained;                       /* its memory */
    size_t forward_bytes;                 /* of device memory that a plan for transforms takes */
    qn_movie_tools tools[QN_MOVIE_TURNS]; /* whoever has a turn may use those of its number */
} qn_movie_setup;

static inline size_t qn_movie_padded_bytes(const qn_movie_setup *s)
{
    return sizeof(float) * (size_t)s->padded[0] * (size_t)s->padded[1];
}

static inline size_t qn_movie_spectrum_bytes(const qn_movie_setup *s)
{
    return 2 * sizeof(float) * (size_t)(s->padded[0] / 2 + 1) * (size_t)s->padded[1];
}

/* The work on the device from one movie at a time; its objects are kept from movie to movie. */
typedef struct qn_movie_turn {
    int number;
    bool is_taken;
    qn_queue *queue;
    qn_movie_grid grid; /* of the stack, and its number of frames */
    int stack_frames;
    qn_coarse_stack *stack;
    qn_warp *warp;
    qn_exposure_ranks ranks; /* for the doses of the frames, a voltage and a frequency */
    double *dose, voltage_kv, frequency;
    qn_buffer **spectra; /* of the first frames, which are then transformed once and not twice */
    int spectrum_count, spectrum_room;
} qn_movie_turn;

struct qn_movie_pipeline {
    qn_movie_state *run;
    qn_device *device;
    bool is_cpu; /* its memory is the machine's */
    qn_movie_loader *loader;
    pthread_mutex_t setting_up; /* guards the next one and its users */
    qn_movie_setup *setup;      /* of the latest movie */
    uint64_t movie_bytes;       /* of the movies at work, in the device's memory; guarded by the run's mutex */

    pthread_mutex_t taking; /* guards which turns are taken, and `one_by_one` */
    bool one_by_one;        /* each movie has all turns, because there was too little memory for two */
    pthread_cond_t given;   /* a turn is free again */
    qn_movie_turn turns[QN_MOVIE_TURNS];
};

typedef struct qn_movie_work {
    qn_movie_pipeline *pipeline;
    qn_movie_lane *lane;
    qn_movie_turn *turn; /* while the work has it */
    qn_movie_setup *setup;
    const qn_movie_input *movie;
    qn_movie_facts *facts;
    qn_movie_file *file;
    qn_movie_kind kind;
    bool gain_divides; /* the frames are divided by the gain */
    qn_movie_frame_plan plan;
    qn_bad_pixels bad;
    qn_movie_grid grid;
    qn_motion motion;
    qn_align_facts aligned;
    int frames_a_pass; /* of the sums */
    int kept;          /* frames whose spectra stay on the device after the first pass */
    float *means;      /* [frame] of the corrected frames */
    double pixel_angstrom, voltage_kv;
    int eer_group;         /* raw frames in a frame, of EER; else 0 */
    bool held;             /* the frames stay in the device's memory */
    bool frugal;           /* the alignment leaves its memory to the sums */
    bool short_of_memory;  /* the sums of one movie and the alignment of the next one do not fit */
    bool alone;            /* this movie has all turns, because memory is short for the objects of a second one */
    uint64_t memory_bytes; /* of this movie: its frames and what else it has of its own */
    uint64_t device_bytes; /* estimate of all else */
} qn_movie_work;

/* Open the file, and find pixel size, voltage and the frames to use. */
QN_MUST_CHECK qn_status qn_movie_open(qn_movie_work *work);

/* Make what depends on the kind of the frames, and plan the memory. Any thread. */
QN_MUST_CHECK qn_status qn_movie_set_up(qn_movie_work *work);
void qn_movie_end_setup(qn_movie_work *work);

/* Decide what of the movie is kept in memory. QN_OUT_OF_MEMORY: it never fits. */
QN_MUST_CHECK qn_status qn_movie_plan_memory(qn_movie_work *work);

/* Wait until there is memory for the movie. */
QN_MUST_CHECK qn_status qn_movie_take_memory(qn_movie_work *work);
void qn_movie_give_memory(qn_movie_pipeline *pipeline, qn_movie_lane *lane);

/* Wait for a free turn, or, if `alone`, until all turns are free, and take it or them. Turns are given back together.
 */
qn_movie_turn *qn_movie_take_turn(qn_movie_pipeline *pipeline, bool alone);
void qn_movie_give_turn(qn_movie_pipeline *pipeline, qn_movie_turn *turn, bool alone);

/* Whether two movies may have turns at once, which they may until there is too little memory for them. */
bool qn_movie_turns_are_shared(qn_movie_pipeline *pipeline);

/* From now on each movie is to have all turns. Returns whether turns were shared before. */
bool qn_movie_stop_sharing_turns(qn_movie_pipeline *pipeline);

/* Make what this movie needs, in its turn. */
QN_MUST_CHECK qn_status qn_movie_prepare_device(qn_movie_work *work);
void qn_movie_forget_device(qn_movie_pipeline *pipeline);

/* Options of the detector for frames of a kind. */
qn_detector_options qn_movie_detector_options(const qn_movie_run_options *options, const qn_movie_kind *of);

/* Decode the frames; check the gain with the first movie, and find the bad pixels. */
QN_MUST_CHECK qn_status qn_movie_load(qn_movie_work *work);

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

/* Movies of electron microscopes: MRC, TIFF and BigTIFF, EER. A movie is a series of frames of one size; its frames are
 * read in any order, each with the samples that the file stores. The format is recognised by content.
 *
 * Life cycle: open → read frames → close. Thread rule: any threads may read at once, each with a number of its own.
 *
 *     qn_movie_options options = qn_movie_default_options();
 *     qn_movie_file *movie;
 *     QN_TRY(qn_movie_file_open("movie.eer", &options, &movie));
 *     … qn_movie_file_frame_bytes(movie) …
 *     QN_TRY(qn_movie_file_read(movie, 0, 0, samples));
 *     qn_movie_file_close(&movie);
 */
#ifndef QN_FORMAT_MOVIE_MOVIE_FILE_H
#define QN_FORMAT_MOVIE_MOVIE_FILE_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    QN_MOVIE_THREADS = 4096,  /* numbers of threads that may read: 0 to 4095 */
    QN_MOVIE_SIDE_MAX = 65536 /* most pixels a side of a frame that is given to callers */
};

/* Samples as callers get them. Half floats (mode 12 of MRC) are widened to floats, and four bits (mode 101) to eight.
 */
typedef enum qn_sample_kind {
    QN_SAMPLE_UINT8,
    QN_SAMPLE_INT8,
    QN_SAMPLE_UINT16,
    QN_SAMPLE_INT16,
    QN_SAMPLE_FLOAT32
} qn_sample_kind;

/* Bytes of one sample: 1, 2 or 4. */
size_t qn_sample_bytes(qn_sample_kind kind);

/* How EER frames are summed; other formats ignore these. */
typedef struct qn_movie_options {
    int eer_group;              /* camera frames summed into a frame that is given (a fraction); 1 to 65535 */
    double eer_fraction_frames; /* if above 0, it replaces eer_group: fraction k takes the camera frames from ⌊k·this⌋
                                   to below ⌊(k + 1)·this⌋; 1 or more */
    int eer_upsampling;         /* 1, 2 or 4 pixels a side of a camera pixel */
} qn_movie_options;

/* 40, 0, 1. */
qn_movie_options qn_movie_default_options(void);

typedef struct qn_movie_shape {
    int width, height;     /* pixels of a frame that is given */
    int frames;            /* frames that are given: of EER, whole fractions */
    int raw_frames;        /* frames that the camera stored: of EER, before they are summed */
    int dropped_frames;    /* raw frames after the last whole fraction, which are in no frame */
    qn_sample_kind kind;   /* EER: UINT8, or UINT16 if a fraction has more than 255 frames */
    double pixel_angstrom; /* of a frame that is given; 0: not stated */
    bool is_eer;
} qn_movie_shape;

typedef struct qn_movie_file qn_movie_file;

/* Read header and directories only; `options` NULL: the defaults. QN_NOT_FOUND; QN_BAD_FORMAT (no movie, cut off: the
 * message has the frames found and expected; frames that differ in size); QN_UNSUPPORTED (pipes, gzipped files, a kind
 * of samples or a compression that is not read); QN_INVALID_ARGUMENT (an option is out of range). */
QN_MUST_CHECK qn_status qn_movie_file_open(const char *path, const qn_movie_options *options, qn_movie_file **movie);
void qn_movie_file_close(qn_movie_file **movie);

const qn_movie_shape *qn_movie_file_shape(const qn_movie_file *movie);
size_t qn_movie_file_frame_bytes(const qn_movie_file *movie);

/* Most bytes that the reads of one thread keep until the movie is closed. */
size_t qn_movie_file_thread_bytes(const qn_movie_file *movie);

/* The raw frames that frame `frame` sums: `count` frames from `first` on. */
void qn_movie_file_raw_frames(const qn_movie_file *movie, int frame, int *first, int *count);

/* Read frame `frame` (from 0) into `samples`, [height][width] of the shape's kind. Rows run upwards as stored in MRC
 * and EER; those of TIFF, stored downwards, are turned over. `thread`, from 0 to QN_MOVIE_THREADS − 1, picks decoder
 * and scratch memory: no two reads of one number may run at once. QN_BAD_FORMAT: damaged data, a sample that is not
 * finite. A broken camera frame of EER is left out of its sum with a warning in the log; if a sum has no other frame,
 * QN_BAD_FORMAT. QN_INVALID_ARGUMENT: no such frame or thread; QN_IO_ERROR; QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_movie_file_read(qn_movie_file *movie, int frame, int thread, void *samples);

/* Whether parts of frames can be read: samples are integers, and the file stores them as callers get them. */
bool qn_movie_file_has_parts(const qn_movie_file *movie);

/* Read `bytes` bytes of a frame from byte `first` on. Any threads may read at once. Errors of qn_movie_file_read;
 * QN_INVALID_ARGUMENT: the movie has no parts, or the frame no such bytes. */
QN_MUST_CHECK qn_status qn_movie_file_read_part(const qn_movie_file *movie, int frame, size_t first, size_t bytes,
                                                void *samples);

/* Broken camera frames that reads left out so far. */
int qn_movie_file_broken_frames(const qn_movie_file *movie);

#endif

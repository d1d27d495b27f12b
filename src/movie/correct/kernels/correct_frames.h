/* Frames as a camera stores them, added up or corrected: I = (sample − dark) · gain, with values for bad pixels and for
 * the padding.
 *
 * Shapes: samples [height][width] of any kind, in a buffer whose range is rounded up to a multiple of four bytes;
 * gain, dark and sums [height][width]; a corrected frame [padded height][padded width], with the frame at its first
 * rows and columns. `moves`: for each bad pixel the index of its pixel in the padded frame, and that of the good pixel
 * whose value it takes, or −1 for the mean. The gain of bad pixels must be 0. The mean is that of the good pixels;
 * padding has the mean too.
 *
 * The order of additions is fixed, so sums and means have the same bits on every device, for every configuration. */
#ifndef QN_MOVIE_CORRECT_FRAMES_H
#define QN_MOVIE_CORRECT_FRAMES_H

#include <quern/family.h>

#include "format/movie/movie_file.h"

enum { QN_CORRECT_SIDE_MAX = 65536 };

extern const qn_family qn_movie_correct_frames_family;

typedef struct qn_correct_problem {
    int width, height;
    int padded[2]; /* x, y; at least the frame; at most 2^31 − 1 pixels */
    qn_sample_kind kind;
    bool dark;
    int bad_count;
    int frames; /* set by qn_sum_frames */
} qn_correct_problem;

/* Buffers of a correction. `block_sums` is work memory of qn_correct_sums(problem) floats. */
typedef struct qn_correct_buffers {
    qn_buffer *samples;
    size_t samples_offset; /* bytes, a multiple of 256 */
    qn_buffer *gain;
    qn_buffer *dark;  /* NULL without */
    qn_buffer *moves; /* int32 [bad_count][2]; NULL without bad pixels */
    qn_buffer *block_sums;
    qn_buffer *mean; /* a float at mean_offset, a multiple of 256 bytes */
    size_t mean_offset;
    qn_buffer *frame;
} qn_correct_buffers;

size_t qn_correct_sums(const qn_correct_problem *problem);

/* Bytes of the samples of a frame, rounded up. */
size_t qn_correct_samples_bytes(const qn_correct_problem *problem);

/* Frames in a buffer, one after the other. */
typedef struct qn_stored_frames {
    qn_buffer *samples;
    size_t step_bytes; /* from one frame to the next, a multiple of 256; at least qn_correct_samples_bytes */
    int first, count;
} qn_stored_frames;

/* sums += samples of each frame, in order. QN_INVALID_ARGUMENT for impossible problems and buffers that are too small.
 */
QN_MUST_CHECK qn_status qn_sum_frames(qn_queue *queue, const qn_configuration *configuration,
                                      const qn_correct_problem *problem, const qn_stored_frames *frames,
                                      qn_buffer *sums, qn_event **event);

/* frame and mean of samples. `events` (may be NULL): three, one for each kernel. */
QN_MUST_CHECK qn_status qn_correct_frame(qn_queue *queue, const qn_configuration *configuration,
                                         const qn_correct_problem *problem, const qn_correct_buffers *buffers,
                                         qn_event **events);

/* gain[pixels[i]] = values[i] for i < bad_count. */
QN_MUST_CHECK qn_status qn_set_gain(qn_queue *queue, const qn_configuration *configuration,
                                    const qn_correct_problem *problem, qn_buffer *pixels, qn_buffer *values,
                                    qn_buffer *gain, qn_event **event);

/* Least work of one qn_correct_frame. */
void qn_correct_work(const qn_correct_problem *problem, qn_work *work);

/* Name of the problem's class, the key of tuning results. */
void qn_correct_problem_class(const qn_correct_problem *problem, char text[64]);

/* Reference in double precision (correct_frames_reference.c). `dark` may be NULL; `moves` as above; sums may be NULL.
 */
void qn_correct_frames_reference(const qn_correct_problem *problem, const void *samples, const float *gain,
                                 const float *dark, const int32_t *moves, double *frame, double *mean);

/* Sample i of a frame. */
double qn_correct_sample(qn_sample_kind kind, const void *samples, size_t i);

#endif

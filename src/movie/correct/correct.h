/* Corrected frames on a device. A corrector serves any number of movies of one shape, one after the other:
 *
 *     QN_TRY(qn_corrector_create(queue, detector, padded, kind, &corrector));
 *     for each movie:
 *         QN_TRY(qn_corrector_begin(corrector));
 *         for each frame: QN_TRY(qn_corrector_add(corrector, samples));                    // first pass: their sum
 *         QN_TRY(qn_corrector_read_sum(corrector, raw_sum));
 *         QN_TRY(qn_bad_pixels_find(detector, &options, pool, &bad));
 *         QN_TRY(qn_corrector_set_bad(corrector, &bad));
 *         for each frame: QN_TRY(qn_corrector_run(corrector, samples, frame, &mean, NULL)); // any number of passes
 *
 * Life cycle: create → use → destroy. Thread rule: that of its queue. The detector must live as long as the corrector.
 */
#ifndef QN_MOVIE_CORRECT_CORRECT_H
#define QN_MOVIE_CORRECT_CORRECT_H

#include <quern/queue.h>

#include "format/movie/movie_file.h"
#include "movie/correct/bad_pixels.h"
#include "movie/correct/detector.h"

typedef struct qn_corrector qn_corrector;

/* `padded` has the sides x, y of corrected frames, at least those of the detector. */
QN_MUST_CHECK qn_status qn_corrector_create(qn_queue *queue, const qn_detector *detector, const int padded[2],
                                            qn_sample_kind kind, qn_corrector **corrector);
void qn_corrector_destroy(qn_corrector **corrector);

/* Bytes of device memory that a corrector holds, without lists of bad pixels. */
size_t qn_corrector_bytes(int width, int height, qn_sample_kind kind, bool dark);

/* Bytes that a frame of samples takes in a buffer: a multiple of four. */
size_t qn_corrector_samples_bytes(const qn_corrector *corrector);

/* Begin a movie: its sum is 0, and no pixel is bad until qn_corrector_set_bad. */
QN_MUST_CHECK qn_status qn_corrector_begin(qn_corrector *corrector);

/* Add a frame to the sum. Asynchronous: `samples` [height][width] must stay as they are until the queue is finished.
 * The second function takes samples that are on the device, from byte `offset` (a multiple of 256) of a buffer on,
 * which has qn_corrector_samples_bytes from there. */
QN_MUST_CHECK qn_status qn_corrector_add(qn_corrector *corrector, const void *samples);
QN_MUST_CHECK qn_status qn_corrector_add_buffer(qn_corrector *corrector, qn_buffer *samples, size_t offset);

/* The sum of the frames, [height][width]; waits for the queue. */
QN_MUST_CHECK qn_status qn_corrector_read_sum(qn_corrector *corrector, float *raw_sum);

/* Use these bad pixels for the frames of this movie; they include those of the detector. Waits for the queue. */
QN_MUST_CHECK qn_status qn_corrector_set_bad(qn_corrector *corrector, const qn_bad_pixels *bad);

/* Correct a frame into `frame`, floats [padded y][padded x]. Padding, and bad pixels without a good neighbour, get the
 * frame's mean, which is not subtracted: the mean of its good pixels. Asynchronous: *mean (may be NULL) is valid when
 * the queue is finished or `event` (may be NULL, and is so without `mean`) is done. The second function takes samples
 * on the device. */
QN_MUST_CHECK qn_status qn_corrector_run(qn_corrector *corrector, const void *samples, qn_buffer *frame, float *mean,
                                         qn_event **event);
QN_MUST_CHECK qn_status qn_corrector_run_buffer(qn_corrector *corrector, qn_buffer *samples, size_t offset,
                                                qn_buffer *frame, float *mean, qn_event **event);

#endif

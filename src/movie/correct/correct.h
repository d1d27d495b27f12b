/* Corrected frames on a device. A corrector serves any number of movies of one shape, one after the other:
 *
 *     QN_TRY(qn_corrector_create(queue, detector, padded, kind, &corrector));
 *     for each movie:
 *         QN_TRY(qn_corrector_begin(corrector, frames, bad));
 *         for each frame: QN_TRY(qn_corrector_run(corrector, &samples, t, frame)); // any number of passes
 *         QN_TRY(qn_corrector_read_means(corrector, means));
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

/* Bytes from one frame to the next in a buffer of frames: a multiple of 256. */
size_t qn_corrector_step_bytes(int width, int height, qn_sample_kind kind);

/* Begin a movie of `frames` frames with these bad pixels, which include those of the detector. Waits for the queue. */
QN_MUST_CHECK qn_status qn_corrector_begin(qn_corrector *corrector, int frames, const qn_bad_pixels *bad);

/* Correct frame `number` of the movie, whose samples [height][width] are in `samples` from byte `offset` (a multiple of
 * 256) on, into `frame`, floats [padded y][padded x]. Padding, and bad pixels without a good neighbour, get the frame's
 * mean, which is not subtracted: the mean of its good pixels. Asynchronous. */
QN_MUST_CHECK qn_status qn_corrector_run(qn_corrector *corrector, qn_buffer *samples, size_t offset, int number,
                                         qn_buffer *frame);

/* The means of the frames that were corrected, [frames]; waits for the queue. */
QN_MUST_CHECK qn_status qn_corrector_read_means(qn_corrector *corrector, float *means);

#endif

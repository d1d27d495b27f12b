/* Products of shifted spectra: their inverse transforms are the correlations of frames.
 *
 * Shapes: spectra [patches][frames][height][width / 2 + 1] complex numbers as <quern/fft.h> packs them; the whole frame
 * is a single patch. Turns [patches][frames][2]: qn_shift_turns of the displacement of a frame's content, so that
 * A_t(k) = F_t(k) exp(2 pi i k s_t) shows it undisplaced. Filters are [height][width / 2 + 1] floats. */
#ifndef QN_MOVIE_CORRELATE_H
#define QN_MOVIE_CORRELATE_H

#include <quern/family.h>

extern const qn_family qn_movie_correlate_family;

enum { QN_CORRELATE_COUNT_MAX = 65535 }; /* patches, pairs or frames of a launch */

typedef struct qn_frames_problem {
    int size[2];      /* width, height of a patch; of a frame for pairs */
    int small[2];     /* pairs only: width, height of the products, even, at most `size` */
    int frames;       /* of a patch */
    int first, count; /* patches of the launch; pairs: pairs; shift: frames */
} qn_frames_problem;

/* Fractions of a turn for a displacement in pixels along an axis of `size` pixels. */
uint32_t qn_shift_turns(double displacement_pixels, int size);

/* products = W · A_t · conj(R − A_t), R = Σ_t A_t, [count][frames] spectra; halves = the sums of A_t over even and over
 * odd t, [count][2] spectra. The inverse transform of a product has its maximum at what frame t is displaced further
 * than s_t, against the sum of all other frames. */
QN_MUST_CHECK qn_status qn_correlate_frames(qn_queue *queue, const qn_configuration *configuration,
                                            const qn_frames_problem *problem, qn_buffer *spectra, qn_buffer *turns,
                                            qn_buffer *filter, qn_buffer *products, qn_buffer *halves,
                                            qn_event **event);

/* products = W · F_i · conj(F_j) at the low frequencies of the frames, [count] spectra of `small`; pairs: int32
 * [first + count][2] frames i, j. The maximum of the inverse transform is at s_i − s_j. */
QN_MUST_CHECK qn_status qn_correlate_pairs(qn_queue *queue, const qn_configuration *configuration,
                                           const qn_frames_problem *problem, qn_buffer *spectra, qn_buffer *pairs,
                                           qn_buffer *filter, qn_buffer *products, qn_event **event);

/* shifted = A_t of the frames first … first + count − 1, [count] spectra. */
QN_MUST_CHECK qn_status qn_shift_spectra(qn_queue *queue, const qn_configuration *configuration,
                                         const qn_frames_problem *problem, qn_buffer *spectra, qn_buffer *turns,
                                         qn_buffer *shifted, qn_event **event);

/* Name of the problem's class, the key of tuning results. */
void qn_frames_problem_class(const qn_frames_problem *problem, char text[64]);

/* References in double precision (correlate_reference.c). Displacements [patches][frames][2] in pixels. */
void qn_correlate_frames_reference(const qn_frames_problem *problem, const float *spectra, const double *displacements,
                                   const float *filter, double *products, double *halves);
void qn_correlate_pairs_reference(const qn_frames_problem *problem, const float *spectra, const int *pairs,
                                  const float *filter, double *products);
void qn_shift_spectra_reference(const qn_frames_problem *problem, const float *spectra, const double *displacements,
                                double *shifted);

#endif

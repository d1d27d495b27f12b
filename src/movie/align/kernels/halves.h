/* Results of the sums of even and of odd frames of patches.
 *
 * Shapes: halves [count][2][height][width / 2 + 1] complex numbers as <quern/fft.h> packs them, even frames first; the
 * whole frame is a single patch. The pixels of all rings are a list of places in a half spectrum, ring after ring, of
 * which ring i has starts[i] … starts[i + 1] − 1. Filters are planes [height][width / 2 + 1]. Results of the launch
 * begin at patch `first`. */
#ifndef QN_MOVIE_HALVES_H
#define QN_MOVIE_HALVES_H

#include <quern/family.h>

extern const qn_family qn_movie_halves_family;

enum { QN_HALVES_COUNT_MAX = 65535, QN_HALVES_RINGS_MAX = 1024 };

typedef struct qn_halves_problem {
    int size[2];       /* width, height of a patch, even */
    int rings;         /* that have a sum, or a weight */
    int pixels;        /* of all rings */
    int first, count;  /* patches of the launch */
    double ring_px[2]; /* rings from one column, or row, to the next; of the filter */
} qn_halves_problem;

/* sums [patch][ring][3] = Σ Re(even conj(odd)), Σ |even|², Σ |odd|² over a ring of the whole spectrum. */
QN_MUST_CHECK qn_status qn_sum_rings(qn_queue *queue, const qn_configuration *configuration,
                                     const qn_halves_problem *problem, qn_buffer *halves, qn_buffer *pixels,
                                     qn_buffer *starts, qn_buffer *sums, qn_event **event);

/* plane = the weights [rings], interpolated between rings; 0 at the origin, in the Nyquist row and column, and from the
 * last ring on. */
QN_MUST_CHECK qn_status qn_fill_filter(qn_queue *queue, const qn_configuration *configuration,
                                       const qn_halves_problem *problem, qn_buffer *weights, qn_buffer *plane,
                                       qn_event **event);

/* halves := halves · |k| √plane, k in cycles per pixel. */
QN_MUST_CHECK qn_status qn_weigh_halves(qn_queue *queue, const qn_configuration *configuration,
                                        const qn_halves_problem *problem, qn_buffer *halves, qn_buffer *plane,
                                        qn_event **event);

/* sums [patch][3] = Σ p, Σ p x, Σ p y with p = even · odd of maps [count][2][height][width], x and y from the middle of
 * the patch. */
QN_MUST_CHECK qn_status qn_find_centres(qn_queue *queue, const qn_configuration *configuration,
                                        const qn_halves_problem *problem, qn_buffer *maps, qn_buffer *sums,
                                        qn_event **event);

/* Name of the problem's class, the key of tuning results. */
void qn_halves_problem_class(const qn_halves_problem *problem, char text[64]);

/* References in double precision (halves_reference.c). */
void qn_sum_rings_reference(const qn_halves_problem *problem, const float *halves, const int *pixels, const int *starts,
                            double *sums);
void qn_fill_filter_reference(const qn_halves_problem *problem, const float *weights, double *plane);
void qn_weigh_halves_reference(const qn_halves_problem *problem, const float *halves, const float *plane,
                               double *weighed);
void qn_find_centres_reference(const qn_halves_problem *problem, const float *maps, double *sums);

#endif

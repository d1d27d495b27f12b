/* Peaks of correlation maps near shift 0, and windows around it.
 *
 * Shapes: maps [maps][height][width] floats; the value of shift (x, y) is at row y modulo height, column x modulo
 * width. Peaks [maps][4]: x, y, value, and 1 if the maximum is on the border of what was searched, else 0. The place is
 * that of the parabolas through the largest value and its neighbours along x and y. Windows [maps][2 reach y + 1][2
 * reach x + 1], shift 0 in the middle. */
#ifndef QN_MOVIE_FIND_PEAKS_H
#define QN_MOVIE_FIND_PEAKS_H

#include <quern/family.h>

extern const qn_family qn_movie_find_peaks_family;

typedef struct qn_peaks_problem {
    int size[2];  /* width, height of a map */
    int reach[2]; /* largest |x|, |y|: from 1 (peaks) or 0 (windows); 2 reach + 3 ≤ size */
    int maps;
    int first; /* place of the first map's result: results are [first + maps] */
} qn_peaks_problem;

/* QN_INVALID_ARGUMENT for impossible problems and buffers that are too small. */
QN_MUST_CHECK qn_status qn_find_peaks(qn_queue *queue, const qn_configuration *configuration,
                                      const qn_peaks_problem *problem, qn_buffer *maps, qn_buffer *peaks,
                                      qn_event **event);
QN_MUST_CHECK qn_status qn_cut_windows(qn_queue *queue, const qn_configuration *configuration,
                                       const qn_peaks_problem *problem, qn_buffer *maps, qn_buffer *windows,
                                       qn_event **event);

/* Name of the problem's class, the key of tuning results. */
void qn_peaks_problem_class(const qn_peaks_problem *problem, char text[64]);

/* References (find_peaks_reference.c). */
void qn_find_peaks_reference(const qn_peaks_problem *problem, const float *maps, double *peaks);
void qn_cut_windows_reference(const qn_peaks_problem *problem, const float *maps, float *windows);

#endif

/* The low frequencies of a frame's half spectrum, as one frame of a stack of coarse spectra.
 *
 * Shapes: the frame's spectrum is [from height][from width / 2 + 1] complex numbers, the stack [frames][height][width /
 * 2 + 1], both as <quern/fft.h> packs them; coarse sizes are even. The Nyquist row and column and the mean become 0, so
 * that shifts by fractions of a pixel are exact for all that is left. */
#ifndef QN_MOVIE_CROP_SPECTRA_H
#define QN_MOVIE_CROP_SPECTRA_H

#include <quern/family.h>

extern const qn_family qn_movie_crop_spectra_family;

typedef struct qn_crop_problem {
    int from[2]; /* width, height of the padded frame */
    int size[2]; /* width, height of a coarse frame: even, at most `from` */
    int frames;  /* of the stack */
    int frame;   /* that is written */
    float scale;
} qn_crop_problem;

/* QN_INVALID_ARGUMENT for impossible problems and buffers that are too small. */
QN_MUST_CHECK qn_status qn_crop_spectra(qn_queue *queue, const qn_configuration *configuration,
                                        const qn_crop_problem *problem, qn_buffer *spectrum, qn_buffer *stack,
                                        qn_event **event);

/* Name of the problem's class, the key of tuning results. */
void qn_crop_problem_class(const qn_crop_problem *problem, char text[64]);

/* Reference: the frame alone, in double precision (crop_spectra_reference.c). */
void qn_crop_spectra_reference(const qn_crop_problem *problem, const float *spectrum, double *coarse);

#endif

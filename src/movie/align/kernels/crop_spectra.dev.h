/* The interface between the kernel crop_spectra and the code that launches it. */
#ifndef QN_MOVIE_CROP_SPECTRA_DEV_H
#define QN_MOVIE_CROP_SPECTRA_DEV_H

/* Arguments of `crop_spectra`, in order. */
enum { CROP_SPECTRUM, CROP_STACK, CROP_SCALARS, CROP_ARGUMENTS };

typedef struct crop_scalars {
    int from_rows, from_columns; /* of the padded frame's half spectrum */
    int rows, columns;           /* of the coarse half spectrum; the coarse frame is 2 * (columns - 1) wide */
    int frame;                   /* of the stack that is written */
    float scale;                 /* of every value */
} crop_scalars;

#endif

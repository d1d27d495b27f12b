/* The interface between the kernels of shift_frame.cl and the code that launches them, and the value of one frequency.
 *
 * Shifts are turns a frequency, as fractions of 32 bits that wrap as angles do, so any number of whole turns is exact.
 */
#ifndef QN_MOVIE_SHIFT_FRAME_DEV_H
#define QN_MOVIE_SHIFT_FRAME_DEV_H

#include "cryoem/kernels/prepare_images.dev.h"

/* Arguments of `shift_frame` and `add_power`, in order. */
enum { SHIFT_FROM, SHIFT_FACTORS, SHIFT_TO, SHIFT_SCALARS, SHIFT_ARGUMENTS };
enum { POWER_FROM, POWER_GROUP, POWER_POWER, POWER_SCALARS, POWER_ARGUMENTS };

typedef struct shift_scalars {
    int from_rows, from_columns; /* of the frame's half spectrum */
    int width, height;           /* of the grid whose half spectrum is written; add_power: 0 */
    int limit_x, limit_y;        /* largest frequency along each axis that is kept */
    int turn_x, turn_y;          /* bits of the turns a frequency */
    int first, last;             /* add_power: of a group */
} shift_scalars;

/* exp(2 pi i turns) * factor */
DEVICE_FN qn_complex shift_ramp(qn_uint32 turns, float factor)
{
    return COMPLEX_MAKE(prepare_sine(turns + 0x40000000u, 0.0f) * factor, prepare_sine(turns, 0.0f) * factor);
}

/* The ramp along x, and along y. `factors` are those of x and then those of y. */
DEVICE_FN qn_complex shift_ramp_x(GLOBAL const float *factors, const shift_scalars s, int x)
{
    return shift_ramp((qn_uint32)x * (qn_uint32)s.turn_x, factors[x]);
}

DEVICE_FN qn_complex shift_ramp_y(GLOBAL const float *factors, const shift_scalars s, int y)
{
    return shift_ramp((qn_uint32)y * (qn_uint32)s.turn_y, factors[s.limit_x + 1 + (y < 0 ? -y : y)]);
}

#endif

/* The interface between the kernels of find_peaks.cl and the code that launches them. */
#ifndef QN_MOVIE_FIND_PEAKS_DEV_H
#define QN_MOVIE_FIND_PEAKS_DEV_H

/* Arguments of `find_peaks` and `cut_windows`, in order. */
enum { PEAKS_MAPS, PEAKS_PEAKS, PEAKS_SCALARS, PEAKS_ARGUMENTS };

typedef struct peaks_scalars {
    int width, height;    /* of a map; shift 0 is its first value, and negative shifts are at its end */
    int reach_x, reach_y; /* shifts -reach ... reach are searched, or cut out */
    int first;            /* place of the first result */
} peaks_scalars;

/* Place of the maximum of the parabola through three values at -1, 0, 1, of which the middle one is the largest. */
DEVICE_FN float peaks_offset(float before, float middle, float after)
{
    const float bend = before - 2.0f * middle + after;
    if (!(bend < 0.0f)) return 0.0f;
    return CLAMP(0.5f * (before - after) / bend, -0.5f, 0.5f);
}

#endif

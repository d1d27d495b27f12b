/* Patches of the frames: their places, and their spectra. */
#ifndef QN_MOVIE_ALIGN_PATCHES_H
#define QN_MOVIE_ALIGN_PATCHES_H

#include "movie/align/coarse_stack.h"

enum { QN_PATCHES_SIDE_MIN = 3, QN_PATCHES_SIDE_MAX = 9 };

typedef struct qn_patch_layout {
    int count[2];     /* along x, y; 0: the frame is too small for patches */
    int size[2];      /* of a patch, coarse pixels, even */
    int *corners;     /* [patch][2] first pixel, coarse pixels; patches along x first */
    double *place_px; /* [patch][2] centres, unbinned pixels from the middle of pixel 0 */
} qn_patch_layout;

/* Patches of options->patch_angstrom that overlap by six tenths, 3 to 9 along a side unless options give their number;
 * they cover the frame. If 9 do not suffice, they overlap by less; from a third on, they become larger. */
QN_MUST_CHECK qn_status qn_patch_layout_make(const qn_movie_grid *grid, const qn_align_options *options,
                                             qn_patch_layout *layout);
void qn_patch_layout_release(qn_patch_layout *layout);

/* Cut patches from the frames (of options, scratch_bytes and frugal count), each moved back by its shift (coarse
 * pixels, [frame][2]), subtract their means, taper them and transform them. *spectra: [patch][frame] half spectra, in a
 * room of the stack. */
QN_MUST_CHECK qn_status qn_patch_spectra(qn_coarse_stack *stack, const double *shifts, const qn_patch_layout *layout,
                                         const qn_align_options *options, qn_buffer **spectra);

/* Raise `rooms` to the bytes that qn_patch_spectra needs. */
void qn_patch_rooms(const qn_movie_grid *grid, int frames, const qn_patch_layout *layout,
                    const qn_align_options *options, size_t rooms[QN_ROOMS]);

#endif

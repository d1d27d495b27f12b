/* The interface between the kernel cut_patches and the code that launches it. */
#ifndef QN_MOVIE_CUT_PATCHES_DEV_H
#define QN_MOVIE_CUT_PATCHES_DEV_H

/* Arguments of `cut_patches`, in order. */
enum { CUT_FRAMES, CUT_CORNERS, CUT_TAPER, CUT_PATCHES, CUT_SCALARS, CUT_ARGUMENTS };

typedef struct cut_scalars {
    int width, height;             /* of a frame */
    int patch_width, patch_height; /* of a patch */
    int frames;
    int first; /* patch that the launch begins with */
} cut_scalars;

#endif

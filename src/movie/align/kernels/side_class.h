/* The class of problems by the larger side of a plane: tuning results serve sides up to the next power of two. */
#ifndef QN_MOVIE_ALIGN_SIDE_CLASS_H
#define QN_MOVIE_ALIGN_SIDE_CLASS_H

#include <stdio.h>

static inline void qn_align_side_class(const int size[2], char text[64])
{
    const int largest = size[0] > size[1] ? size[0] : size[1];
    int side = 64;
    while (side < largest) side *= 2;
    snprintf(text, 64, "side<=%d", side);
}

#endif

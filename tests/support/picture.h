/* PNG pictures decoded, also out of pages that hold them: eight bits a channel, rows of filters 0 and 1. */
#ifndef QN_TESTS_PICTURE_H
#define QN_TESTS_PICTURE_H

#include <stddef.h>

typedef struct check_picture {
    int width, height, channels; /* width 0: broken */
    unsigned char pixels[1 << 20];
} check_picture;

/* What is returned is overwritten by the next call. */
const check_picture *picture_decode(const unsigned char *bytes, size_t size);

/* Number `index`, from 0, of the pictures that a page holds in addresses. */
const check_picture *picture_of(const char *page, int index);

#endif

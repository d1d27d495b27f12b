/* Decodes PNG pictures, also those inside HTML pages: eight bits for each channel, rows of filters 0 and 1. */
#ifndef QN_TESTS_PICTURE_H
#define QN_TESTS_PICTURE_H

#include <stddef.h>

typedef struct check_picture {
    int width, height, channels; /* width 0: broken */
    unsigned char pixels[1 << 20];
} check_picture;

/* The next call overwrites the result. */
const check_picture *picture_decode(const unsigned char *bytes, size_t size);

/* Decode picture number `index`, from 0, of those that a page holds as data URLs. */
const check_picture *picture_of(const char *page, int index);

#endif

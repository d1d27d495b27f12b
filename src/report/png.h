/* Pictures as PNG files in memory (ISO/IEC 15948), eight bits for each channel. */
#ifndef QN_REPORT_PNG_H
#define QN_REPORT_PNG_H

#include "base/text.h"

/* pixels: [height][width][channels], the topmost row first; 1 channel is grey, 3 are red, green, blue. Append the
 * picture as a PNG file to `png`. QN_OUT_OF_MEMORY; QN_INVALID_ARGUMENT: no pixels, more than 2^24 along a side, or
 * another number of channels. */
QN_MUST_CHECK qn_status qn_png_append(qn_text *png, const unsigned char *pixels, int width, int height, int channels);

#endif

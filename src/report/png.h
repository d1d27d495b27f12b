/* Pictures as PNG files in memory (ISO/IEC 15948), eight bits a channel. */
#ifndef QN_REPORT_PNG_H
#define QN_REPORT_PNG_H

#include "base/text.h"

/* pixels: [height][width][channels], the topmost row first; 1 channel is grey, 3 are red, green, blue. The file is
 * appended to `png`. QN_OUT_OF_MEMORY; QN_INVALID_ARGUMENT: no pixels, or more than 2^24 along a side. */
QN_MUST_CHECK qn_status qn_png_append(qn_text *png, const unsigned char *pixels, int width, int height, int channels);

#endif

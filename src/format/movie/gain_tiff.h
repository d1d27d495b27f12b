/* The one image of a TIFF or BigTIFF file, as floats. */
#ifndef QN_FORMAT_MOVIE_GAIN_TIFF_H
#define QN_FORMAT_MOVIE_GAIN_TIFF_H

#include <quern/status.h>

/* *values: [height][width], rows as stored; released with qn_release. QN_NOT_FOUND, QN_IO_ERROR; QN_BAD_FORMAT
 * (damaged, several images, sizes of no detector); QN_UNSUPPORTED (several samples a pixel, samples that are no numbers
 * of 8 to 64 bits, a compression that libtiff cannot read). */
QN_MUST_CHECK qn_status qn_gain_tiff_read(const char *path, int *width, int *height, float **values);

#endif

/* Defects of a detector: pixels whose counts are not used. */
#ifndef QN_FORMAT_MOVIE_DEFECTS_H
#define QN_FORMAT_MOVIE_DEFECTS_H

#include <quern/status.h>
#include <stddef.h>

/* Set bad[y * width + x] to 1 for each pixel that the file names; other pixels keep their values. The file is a text
 * with a rectangle "x y w h" on each line, from 0 in the rows and columns of the frames (empty lines and lines that
 * begin with # are skipped), or an image that qn_gain_file_read reads, in which every value but 0 is a defect.
 * QN_BAD_FORMAT naming line and value: not four whole numbers, a rectangle that leaves the frame, a map of another
 * size; QN_UNSUPPORTED: SerialEM's text. Errors of qn_gain_file_read. */
QN_MUST_CHECK qn_status qn_defects_read(const char *path, int width, int height, unsigned char *bad);

#endif

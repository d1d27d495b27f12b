/* Files with one image of a detector: a gain reference, a dark reference, or a map of defects. MRC, TIFF and DM3/DM4,
 * recognised by content.
 *
 *     qn_gain_file file;
 *     QN_TRY(qn_gain_file_read("gain.mrc", &file));
 *     … file.values[y * file.width + x] …
 *     qn_gain_file_clear(&file);
 */
#ifndef QN_FORMAT_MOVIE_GAIN_FILE_H
#define QN_FORMAT_MOVIE_GAIN_FILE_H

#include <quern/status.h>
#include <stddef.h>

typedef enum qn_gain_format {
    QN_GAIN_MRC,
    QN_GAIN_TIFF,
    QN_GAIN_EER, /* a TIFF whose name ends in .gain: it multiplies, and its rows are used as stored */
    QN_GAIN_DM
} qn_gain_format;

typedef struct qn_gain_file {
    qn_gain_format format;
    int width, height;
    float *values; /* [height][width]; rows run upwards as in a movie: those of TIFF and DM files are turned over */
} qn_gain_file;

enum { QN_GAIN_SIDE_MAX = 65536 };

/* Read a file with one image. Values that are not finite are kept. QN_NOT_FOUND, QN_IO_ERROR; QN_BAD_FORMAT (damaged,
 * several images, a side above QN_GAIN_SIDE_MAX); QN_UNSUPPORTED (complex or coloured values). */
QN_MUST_CHECK qn_status qn_gain_file_read(const char *path, qn_gain_file *file);

void qn_gain_file_clear(qn_gain_file *file);

/* Exchange rows: the first becomes the last. */
void qn_gain_flip_rows(int width, int height, float *values);

#endif

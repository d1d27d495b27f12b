/* Images in Gatan's DM3 and DM4 files. The format is not published; this reader follows descriptions of it (Jefferis,
 * DM3 Image Format; Boothroyd, Digital Micrograph file format).
 *
 * A file is a tree of tags. The images are the groups below ImageList, each with ImageData: Data (an array), DataType,
 * Dimensions. Thumbnails are coloured (data types 8 and 23) and are passed over. */
#ifndef QN_FORMAT_MOVIE_DM_H
#define QN_FORMAT_MOVIE_DM_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether a file that begins with these `size` bytes is a DM file; 16 bytes are enough. */
bool qn_dm_is(const void *bytes, size_t size);

/* Read the file's one image of two dimensions. *values: [height][width], rows as stored (downwards); released with
 * qn_release. QN_NOT_FOUND, QN_IO_ERROR; QN_BAD_FORMAT (cut off, damaged, no image or several); QN_UNSUPPORTED (three
 * dimensions, complex values). */
QN_MUST_CHECK qn_status qn_dm_read(const char *path, int *width, int *height, float **values);

/* The same from the file's bytes; `name` goes into messages. */
QN_MUST_CHECK qn_status qn_dm_parse(const char *name, const void *bytes, size_t size, int *width, int *height,
                                    float **values);

#endif

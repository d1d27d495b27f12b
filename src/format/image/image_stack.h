/* Stacks of images in MRC files, read one image at a time. Opening reads the header only.
 *
 * Life cycle: open → read any images in any order → close. Thread rule: any threads may read (by pread).
 */
#ifndef QN_FORMAT_IMAGE_IMAGE_STACK_H
#define QN_FORMAT_IMAGE_IMAGE_STACK_H

#include <quern/status.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qn_image_stack qn_image_stack;

/* QN_NOT_FOUND, QN_BAD_FORMAT (also a file that is shorter than its header states), QN_UNSUPPORTED (gzipped; the
 * message gives the command that unpacks it).
 */
QN_MUST_CHECK qn_status qn_image_stack_open(const char *path, qn_image_stack **stack);
void qn_image_stack_close(qn_image_stack **stack);

/* Number of images, and pixels of each along x and y. */
void qn_image_stack_shape(const qn_image_stack *stack, uint64_t *images, int *width, int *height);
/* Bytes of the file beyond the images of its header. */
uint64_t qn_image_stack_bytes_beyond(const qn_image_stack *stack);
double qn_image_stack_pixel_angstrom(const qn_image_stack *stack); /* 0 where the file states none */

/* Image `index` (from 0) as floats [height][width]. `scratch` is kept by the caller between calls (grown as needed,
 * released with qn_release). QN_BAD_FORMAT naming the image past the end, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_image_stack_read(const qn_image_stack *stack, uint64_t index, void **scratch,
                                            size_t *scratch_bytes, float *values);

/* Read `count` images from `first` on, [count][height][width], in one go. `scratch` is used where the values are not
 * stored as this machine's floats. */
QN_MUST_CHECK qn_status qn_image_stack_read_run(const qn_image_stack *stack, uint64_t first, uint64_t count,
                                                void **scratch, size_t *scratch_bytes, float *values);

/* Writing a stack one image at a time; the file is complete under its final name or absent. */
typedef struct qn_image_stack_writer qn_image_stack_writer;
QN_MUST_CHECK qn_status qn_image_stack_writer_create(const char *path, int width, int height, double pixel_angstrom,
                                                     const char *label, qn_image_stack_writer **writer);
QN_MUST_CHECK qn_status qn_image_stack_writer_append(qn_image_stack_writer *writer, const float *values);
/* Complete the header (counts, statistics) and rename the file; after a failure no file is left. */
QN_MUST_CHECK qn_status qn_image_stack_writer_finish(qn_image_stack_writer **writer);
void qn_image_stack_writer_discard(qn_image_stack_writer **writer);

#endif

#define _POSIX_C_SOURCE 200809L
#include "format/image/image_stack.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/gzip.h"
#include "base/memory.h"
#include "base/pipe.h"
#include "base/text.h"
#include "format/image/mrc_write.h"

struct qn_image_stack {
    char *path;
    int descriptor;
    qn_mrc_header header;
    uint64_t file_bytes;
};

/* Read `size` bytes from `offset` on; *got is less only at the file's end. */
static qn_status read_at(const qn_image_stack *stack, uint64_t offset, void *data, size_t size, size_t *got)
{
    for (*got = 0; *got < size;) {
        ssize_t count = pread(stack->descriptor, (char *)data + *got, size - *got, (off_t)(offset + *got));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return QN_FAIL(QN_IO_ERROR, "%s: cannot read: %s", stack->path, strerror(errno));
        if (count == 0) return QN_OK;
        *got += (size_t)count;
    }
    return QN_OK;
}

static qn_status start(qn_image_stack *stack, const char *path)
{
    char bytes[QN_MRC_HEADER_BYTES];
    struct stat information;
    size_t got;
    QN_TRY(qn_text_copy(path, &stack->path));
    /* a pipe is refused before it is waited for */
    if (stat(path, &information) == 0 && !S_ISREG(information.st_mode))
        return QN_FAIL(QN_UNSUPPORTED, "%s: is not a plain file; images are read in any order", path);
    QN_TRY(qn_file_open(path, &stack->descriptor));
    if (fstat(stack->descriptor, &information) != 0 || !S_ISREG(information.st_mode))
        return QN_FAIL(QN_UNSUPPORTED, "%s: is not a plain file; images are read in any order", path);
    QN_TRY(read_at(stack, 0, bytes, sizeof bytes, &got));
    if (qn_is_gzip(bytes, got))
        return QN_FAIL(QN_UNSUPPORTED, "%s: is gzipped, and images are read in any order; unpack it first: gunzip '%s'",
                       path, path);
    if (got < sizeof bytes)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has %zu bytes; expected an MRC header of %d", path, got,
                       QN_MRC_HEADER_BYTES);
    QN_TRY(qn_mrc_header_parse(path, bytes, &stack->header));
    stack->file_bytes = (uint64_t)information.st_size;
    return qn_mrc_check_size(path, &stack->header, stack->file_bytes);
}

qn_status qn_image_stack_open(const char *path, qn_image_stack **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_image_stack *stack = memory;
    stack->descriptor = -1;
    qn_status status = start(stack, path);
    if (status != QN_OK)
        qn_image_stack_close(&stack);
    else
        *out = stack;
    return status;
}

void qn_image_stack_close(qn_image_stack **stack)
{
    if (!*stack) return;
    if ((*stack)->descriptor >= 0) close((*stack)->descriptor);
    qn_release(&(*stack)->path);
    qn_release(stack);
}

void qn_image_stack_shape(const qn_image_stack *stack, uint64_t *images, int *width, int *height)
{
    *images = (uint64_t)stack->header.counts[2];
    *width = stack->header.counts[0];
    *height = stack->header.counts[1];
}

uint64_t qn_image_stack_bytes_beyond(const qn_image_stack *stack)
{
    return stack->file_bytes - stack->header.data_offset - qn_mrc_data_bytes(&stack->header);
}

double qn_image_stack_pixel_angstrom(const qn_image_stack *stack)
{
    return stack->header.voxel_angstrom[0];
}

qn_status qn_image_stack_read_run(const qn_image_stack *stack, uint64_t first, uint64_t count, void **scratch,
                                  size_t *scratch_bytes, float *values)
{
    const qn_mrc_header *header = &stack->header;
    const uint64_t images = (uint64_t)header->counts[2], size = qn_mrc_section_bytes(header);
    const bool as_stored = qn_mrc_stores_floats(header);
    size_t got;
    if (first >= images || count > images - first)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has no image %llu; expected 1 to %d", stack->path,
                       (unsigned long long)(first >= images ? first : images) + 1, header->counts[2]);
    if (!as_stored) QN_TRY(qn_grow(scratch, scratch_bytes, (size_t)(count * size), 1));
    void *data = as_stored ? (void *)values : *scratch;
    QN_TRY(read_at(stack, header->data_offset + first * size, data, (size_t)(count * size), &got));
    if (got < count * size) /* the file was complete when it was opened */
        return QN_FAIL(QN_BAD_FORMAT, "%s: ends inside image %llu", stack->path,
                       (unsigned long long)(first + got / size) + 1);
    if (!as_stored) qn_mrc_decode(header, data, (size_t)(count * (uint64_t)header->counts[1]), values);
    return QN_OK;
}

qn_status qn_image_stack_read(const qn_image_stack *stack, uint64_t index, void **scratch, size_t *scratch_bytes,
                              float *values)
{
    return qn_image_stack_read_run(stack, index, 1, scratch, scratch_bytes, values);
}

struct qn_image_stack_writer {
    qn_mrc_writer *file;
    char *path, *label;
    int width, height;
    uint64_t images;
    double pixel_angstrom;
};

static qn_status start_writer(qn_image_stack_writer *writer, const char *path, const char *label)
{
    if (writer->width < 1 || writer->height < 1)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: images of %d x %d pixels; expected 1 or more each way", path,
                       writer->width, writer->height);
    if (!(writer->pixel_angstrom >= 0 && writer->pixel_angstrom < 1e6))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: pixels of %g Å; expected 0 (not known) or more", path,
                       writer->pixel_angstrom);
    QN_TRY(qn_text_copy(path, &writer->path));
    if (label) QN_TRY(qn_text_copy(label, &writer->label));
    return qn_mrc_writer_create(path, false, &writer->file);
}

qn_status qn_image_stack_writer_create(const char *path, int width, int height, double pixel_angstrom,
                                       const char *label, qn_image_stack_writer **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_image_stack_writer *writer = memory;
    *writer = (qn_image_stack_writer){.width = width, .height = height, .pixel_angstrom = pixel_angstrom};
    qn_status status = start_writer(writer, path, label);
    if (status != QN_OK)
        qn_image_stack_writer_discard(&writer);
    else
        *out = writer;
    return status;
}

qn_status qn_image_stack_writer_append(qn_image_stack_writer *writer, const float *values)
{
    if (writer->images == INT32_MAX)
        return QN_FAIL(QN_UNSUPPORTED, "%s: an MRC file holds no more than %llu images", writer->path,
                       (unsigned long long)writer->images);
    QN_TRY(qn_mrc_writer_append(writer->file, values, (size_t)writer->width * (size_t)writer->height));
    writer->images++;
    return QN_OK;
}

static qn_status finish_writer(qn_image_stack_writer *writer)
{
    qn_mrc_description description = {
        .counts = {writer->width, writer->height, (int)writer->images}, .is_stack = true, .label = writer->label};
    for (int k = 0; k < 3; k++) description.voxel_angstrom[k] = writer->pixel_angstrom;
    return qn_mrc_writer_finish(&writer->file, &description);
}

qn_status qn_image_stack_writer_finish(qn_image_stack_writer **writer)
{
    qn_status status = finish_writer(*writer);
    qn_image_stack_writer_discard(writer);
    return status;
}

void qn_image_stack_writer_discard(qn_image_stack_writer **writer)
{
    if (!*writer) return;
    qn_mrc_writer_discard(&(*writer)->file);
    qn_release(&(*writer)->path);
    qn_release(&(*writer)->label);
    qn_release(writer);
}

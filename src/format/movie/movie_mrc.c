/* Movies in MRC files: a section is a frame. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/image/mrc_header.h"
#include "format/movie/movie_format.h"

static bool recognise(const unsigned char *head, size_t size)
{
    (void)head;
    return size >= QN_MRC_HEADER_BYTES;
}

static bool host_is_big_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

static qn_sample_kind kind_of(const qn_mrc_header *header)
{
    switch (header->mode) {
    case 0: return header->unsigned_bytes ? QN_SAMPLE_UINT8 : QN_SAMPLE_INT8;
    case 1: return QN_SAMPLE_INT16;
    case 6: return QN_SAMPLE_UINT16;
    case 101: return QN_SAMPLE_UINT8;
    default: return QN_SAMPLE_FLOAT32;
    }
}

static qn_status check_whole(const qn_movie_file *movie, const qn_mrc_header *header)
{
    const uint64_t expected = header->data_offset + qn_mrc_data_bytes(header), has = movie->file_bytes;
    const uint64_t found = has > header->data_offset ? (has - header->data_offset) / qn_mrc_section_bytes(header) : 0;
    if (has < expected)
        return QN_FAIL(
            QN_BAD_FORMAT,
            "%s: is cut off: it holds %llu whole frames; expected %d of %d x %d pixels (mode %d), which take "
            "%llu bytes, and it has %llu",
            movie->path, (unsigned long long)found, header->counts[2], header->counts[0], header->counts[1],
            header->mode, (unsigned long long)expected, (unsigned long long)has);
    return QN_OK;
}

static qn_status open_mrc(qn_movie_file *movie)
{
    unsigned char head[QN_MRC_HEADER_BYTES];
    void *memory;
    QN_TRY(qn_movie_read_bytes(movie, 0, head, sizeof head));
    QN_TRY(qn_allocate(1, sizeof(qn_mrc_header), &memory));
    movie->state = memory;
    qn_mrc_header *header = memory;
    QN_TRY(qn_mrc_header_parse(movie->path, head, header));
    QN_TRY(qn_movie_check_sides(movie->path, (uint64_t)header->counts[0], (uint64_t)header->counts[1]));
    if (header->axes[0] != 0 || header->axes[1] != 1)
        return QN_FAIL(QN_UNSUPPORTED, "%s: the axes are %d, %d, %d; expected 1, 2, 3 for a movie", movie->path,
                       header->axes[0] + 1, header->axes[1] + 1, header->axes[2] + 1);
    QN_TRY(check_whole(movie, header));
    movie->shape = (qn_movie_shape){.width = header->counts[0],
                                    .height = header->counts[1],
                                    .frames = header->counts[2],
                                    .raw_frames = header->counts[2],
                                    .kind = kind_of(header),
                                    .pixel_angstrom = header->voxel_angstrom[0]};
    return QN_OK;
}

static void swap_shorts(uint16_t *values, size_t count)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++) values[i] = (uint16_t)(values[i] << 8 | values[i] >> 8);
}

/* Two samples a byte, the left one in the lower half; every row begins at a new byte. */
static void widen_nibbles(const qn_mrc_header *header, const unsigned char *bytes, unsigned char *samples)
{
    const size_t columns = (size_t)header->counts[0];
    for (int y = 0; y < header->counts[1]; y++, bytes += header->row_bytes, samples += columns) {
        for (size_t i = 0; i < columns / 2; i++) {
            samples[2 * i] = bytes[i] & 15;
            samples[2 * i + 1] = bytes[i] >> 4;
        }
        if (columns % 2) samples[columns - 1] = bytes[columns / 2] & 15;
    }
}

static bool is_as_stored(const qn_mrc_header *header)
{
    return header->mode == 0 || header->mode == 1 || header->mode == 6 || qn_mrc_stores_floats(header);
}

static uint64_t offset_of(const qn_mrc_header *header, int frame)
{
    return header->data_offset + (uint64_t)frame * qn_mrc_section_bytes(header);
}

/* Whether 2-byte samples have the other order of bytes. */
static bool is_swapped(const qn_mrc_header *header)
{
    return (header->mode == 1 || header->mode == 6) && header->big_endian != host_is_big_endian();
}

static bool find_stored(const qn_movie_file *movie, int frame, uint64_t *offset)
{
    const qn_mrc_header *header = movie->state;
    *offset = offset_of(header, frame);
    return is_as_stored(header) && !is_swapped(header);
}

static size_t scratch_bytes(const qn_movie_file *movie)
{
    return is_as_stored(movie->state) ? 0 : (size_t)qn_mrc_section_bytes(movie->state);
}

static qn_status read_mrc(qn_movie_file *movie, int frame, qn_movie_reader *reader, void *samples)
{
    const qn_mrc_header *header = movie->state;
    const uint64_t bytes = qn_mrc_section_bytes(header);
    const bool as_stored = is_as_stored(header);
    if (!as_stored) QN_TRY(qn_movie_room(reader, (size_t)bytes));
    void *stored = as_stored ? samples : reader->bytes;
    QN_TRY(qn_movie_read_bytes(movie, offset_of(header, frame), stored, (size_t)bytes));
    if (header->mode == 101)
        widen_nibbles(header, stored, samples);
    else if (!as_stored)
        qn_mrc_decode(header, stored, (size_t)header->counts[1], samples);
    else if (is_swapped(header))
        swap_shorts(samples, (size_t)(bytes / 2));
    return QN_OK;
}

static void close_mrc(qn_movie_file *movie)
{
    qn_release(&movie->state);
}

const qn_movie_format qn_movie_mrc = {.recognise = recognise,
                                      .open = open_mrc,
                                      .read = read_mrc,
                                      .find_stored = find_stored,
                                      .scratch_bytes = scratch_bytes,
                                      .close = close_mrc};

#include "format/image/mrc_write.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/written_file.h"
#include "format/image/half.h"
#include "format/packed_bytes.h"

enum { BUFFERED_VALUES = 1 << 16, LANES = 8 };

struct qn_mrc_writer {
    char *path;
    qn_written_file file;
    bool failed, half;
    uint64_t count;
    float least, largest;
    double sum, sum_of_squares;
    unsigned char *buffer; /* BUFFERED_VALUES of 4 bytes */
    float *rounded;        /* values as 2-byte floats give them back */
};

static qn_status start(qn_mrc_writer *writer, const char *path)
{
    const unsigned char nothing[QN_MRC_HEADER_BYTES] = {
        0}; /* the header is written last, because it holds the counts */
    void *memory;
    QN_TRY(qn_text_copy(path, &writer->path));
    QN_TRY(qn_allocate(BUFFERED_VALUES, 4, &memory));
    writer->buffer = memory;
    if (writer->half) {
        QN_TRY(qn_allocate(BUFFERED_VALUES, sizeof(float), &memory));
        writer->rounded = memory;
    }
    QN_TRY(qn_written_file_open(path, true, &writer->file));
    return qn_written_file_write(&writer->file, nothing, sizeof nothing);
}

qn_status qn_mrc_writer_create(const char *path, bool half, qn_mrc_writer **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_mrc_writer *writer = memory;
    writer->half = half;
    writer->least = INFINITY;
    writer->largest = -INFINITY;
    qn_status status = start(writer, path);
    if (status != QN_OK)
        qn_mrc_writer_discard(&writer);
    else
        *out = writer;
    return status;
}

typedef struct lane_sums {
    double sum[LANES], squares[LANES];
    float least[LANES], largest[LANES];
} lane_sums;

/* Add `count` values, one to each of the first lanes. A sum stays infinite or NaN after the first such value. */
static inline void add_to_lanes(lane_sums *lanes, const float *values, int count)
{
#pragma omp simd
    for (int l = 0; l < count; l++) {
        const float value = values[l];
        lanes->least[l] = value < lanes->least[l] ? value : lanes->least[l];
        lanes->largest[l] = value > lanes->largest[l] ? value : lanes->largest[l];
        lanes->sum[l] += (double)value;
        lanes->squares[l] += (double)value * (double)value;
    }
}

/* Values are added in lanes, whose order is fixed, and which fill vector registers. */
static void add_to_statistics(qn_mrc_writer *writer, const float *values, size_t count)
{
    lane_sums lanes = {{0}};
    size_t first = 0;
    for (int l = 0; l < LANES; l++) lanes.least[l] = writer->least, lanes.largest[l] = writer->largest;
    for (; first + LANES <= count; first += LANES) add_to_lanes(&lanes, values + first, LANES);
    add_to_lanes(&lanes, values + first, (int)(count - first));
    for (int l = 0; l < LANES; l++) {
        writer->least = lanes.least[l] < writer->least ? lanes.least[l] : writer->least;
        writer->largest = lanes.largest[l] > writer->largest ? lanes.largest[l] : writer->largest;
        writer->sum += lanes.sum[l];
        writer->sum_of_squares += lanes.squares[l];
    }
}

/* Convert values to 2-byte floats and back. Returns whether a finite value became infinite. */
static bool round_to_halves(const float *restrict values, size_t count, uint16_t *restrict halves,
                            float *restrict rounded)
{
    int too_large = 0;
#pragma omp simd reduction(| : too_large)
    for (size_t i = 0; i < count; i++) {
        const uint16_t half = qn_half_from_float(values[i]);
        halves[i] = half;
        rounded[i] = qn_half_to_float(half);
        too_large |= (fabsf(rounded[i]) > QN_HALF_MAX) & (fabsf(values[i]) <= FLT_MAX);
    }
    return too_large != 0;
}

static qn_status append_halves(qn_mrc_writer *writer, const float *values, size_t count)
{
    uint16_t *halves = (uint16_t *)(void *)writer->buffer;
    if (round_to_halves(values, count, halves, writer->rounded)) {
        size_t i = 0;
        while (!isinf(writer->rounded[i]) || isinf(values[i])) i++;
        return QN_FAIL(QN_UNSUPPORTED, "%s: the value %g is too large for a 2-byte float; expected at most %g",
                       writer->path, values[i], QN_HALF_MAX);
    }
    add_to_statistics(writer, writer->rounded, count);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    for (size_t i = 0; i < count; i++) qn_packed_store(halves[i], 2, writer->buffer + 2 * i);
#endif
    return qn_written_file_write(&writer->file, writer->buffer, 2 * count);
}

static qn_status append_floats(qn_mrc_writer *writer, const float *values, size_t count)
{
    const void *packed = values;
    add_to_statistics(writer, values, count);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        qn_packed_store(bits, 4, writer->buffer + 4 * i);
    }
    packed = writer->buffer;
#endif
    return qn_written_file_write(&writer->file, packed, 4 * count);
}

static qn_status append_some(qn_mrc_writer *writer, const float *values, size_t count)
{
    writer->count += count;
    return writer->half ? append_halves(writer, values, count) : append_floats(writer, values, count);
}

qn_status qn_mrc_writer_append(qn_mrc_writer *writer, const float *values, size_t count)
{
    if (writer->failed) return QN_FAIL(QN_IO_ERROR, "%s: earlier values could not be written", writer->path);
    for (size_t done = 0; done < count;) {
        const size_t next = count - done < BUFFERED_VALUES ? count - done : BUFFERED_VALUES;
        qn_status status = append_some(writer, values + done, next);
        writer->failed = status != QN_OK;
        if (writer->failed) return status;
        done += next;
    }
    return QN_OK;
}

static void add_statistics(const qn_mrc_writer *writer, qn_mrc_description *description)
{
    const double mean = writer->sum / (double)writer->count;
    description->has_statistics = isfinite(writer->sum_of_squares) != 0;
    description->least = writer->least;
    description->largest = writer->largest;
    description->mean = mean;
    description->deviation = sqrt(fmax(0, writer->sum_of_squares / (double)writer->count - mean * mean));
}

static qn_status finish(qn_mrc_writer *writer, qn_mrc_description description)
{
    unsigned char header[QN_MRC_HEADER_BYTES];
    const int *n = description.counts;
    if (writer->failed) return QN_FAIL(QN_IO_ERROR, "%s: earlier values could not be written", writer->path);
    if (writer->count == 0 || writer->count != (uint64_t)n[0] * (uint64_t)n[1] * (uint64_t)n[2])
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: %llu values were given; expected %d x %d x %d", writer->path,
                       (unsigned long long)writer->count, n[0], n[1], n[2]);
    description.is_half = writer->half;
    add_statistics(writer, &description);
    qn_mrc_header_format(&description, header);
    QN_TRY(qn_written_file_go_to(&writer->file, 0));
    QN_TRY(qn_written_file_write(&writer->file, header, sizeof header));
    return qn_written_file_finish(&writer->file);
}

qn_status qn_mrc_writer_finish(qn_mrc_writer **writer, const qn_mrc_description *description)
{
    qn_status status = finish(*writer, *description);
    qn_mrc_writer_discard(writer);
    return status;
}

void qn_mrc_writer_discard(qn_mrc_writer **writer)
{
    qn_mrc_writer *w = *writer;
    if (!w) return;
    qn_written_file_discard(&w->file);
    qn_release(&w->buffer);
    qn_release(&w->rounded);
    qn_release(&w->path);
    qn_release(writer);
}

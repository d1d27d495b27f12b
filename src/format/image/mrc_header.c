/* MRC2014 (Cheng et al. 2015, J. Struct. Biol. 192, 146), and the variants of older and other programs. */
#include "format/image/mrc_header.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "format/image/half.h"
#include "format/packed_bytes.h"

/* Byte offsets in the file. */
enum {
    COUNTS = 0,
    MODE = 12,
    START = 16,
    SAMPLES = 28,
    CELL = 40,
    ANGLES = 52,
    AXES = 64,
    LEAST = 76,
    MAX = 80,
    MEAN = 84,
    SPACE_GROUP = 88,
    EXTENDED_BYTES = 92,
    VERSION = 108,
    IMOD_STAMP = 152,
    IMOD_FLAGS = 156,
    ORIGIN = 196,
    STAMP = 208,
    MACHINE = 212,
    DEVIATION = 216,
    LABEL_COUNT = 220,
    LABELS = 224,
    LABEL_BYTES = 80
};

enum { IMOD_MARK = 1146047817, STACK_OF_VOLUMES = 401, WRITTEN_VERSION = 20141 };

static uint32_t load32(bool big_endian, const unsigned char *b)
{
    return big_endian ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
                      : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

static int load_whole(bool big_endian, const unsigned char *b)
{
    const uint32_t bits = load32(big_endian, b);
    int32_t value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float load_float(bool big_endian, const unsigned char *b)
{
    const uint32_t bits = load32(big_endian, b);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Bits of one value; 0: unknown mode. */
static int bits_of_mode(int mode)
{
    switch (mode) {
    case 0: return 8;
    case 1:
    case 3:
    case 6:
    case 12: return 16;
    case 2:
    case 4: return 32;
    case 101: return 4;
    default: return 0;
    }
}

static bool makes_sense(bool big_endian, const unsigned char *bytes)
{
    const int most_side = 1 << 20;
    const int columns = load_whole(big_endian, bytes + COUNTS), rows = load_whole(big_endian, bytes + COUNTS + 4);
    return bits_of_mode(load_whole(big_endian, bytes + MODE)) > 0 && columns > 0 && columns <= most_side && rows > 0 &&
           rows <= most_side;
}

/* Stamps are missing in old files and wrong in some, so the byte order that gives plausible values is used. */
static bool is_big_endian(const unsigned char *bytes)
{
    const bool stamped = bytes[MACHINE] == 0x11;
    return makes_sense(stamped, bytes) || !makes_sense(!stamped, bytes) ? stamped : !stamped;
}

/* The standard's bytes are signed; older files have unsigned bytes, and either state that as IMOD does or show it by
 * their statistics. */
static bool has_unsigned_bytes(bool big_endian, const unsigned char *bytes)
{
    if (load_whole(big_endian, bytes + IMOD_STAMP) == IMOD_MARK)
        return (load_whole(big_endian, bytes + IMOD_FLAGS) & 1) == 0;
    return load_float(big_endian, bytes + MAX) > 127 && !(load_float(big_endian, bytes + LEAST) < 0);
}

static qn_status read_shape(const char *name, const unsigned char *bytes, qn_mrc_header *h)
{
    static const char *const fields[] = {"nx", "ny", "nz"};
    h->mode = load_whole(h->big_endian, bytes + MODE);
    for (int k = 0; k < 3; k++) {
        h->counts[k] = load_whole(h->big_endian, bytes + COUNTS + 4 * k);
        if (h->counts[k] < 1)
            return QN_FAIL(QN_BAD_FORMAT, "%s: %s is %d (byte %d of the MRC header); expected 1 or more", name,
                           fields[k], h->counts[k], COUNTS + 4 * k);
    }
    if (bits_of_mode(h->mode) == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: the mode is %d (byte %d of the MRC header); expected 0, 1, 2, 6, 12 or 101",
                       name, h->mode, MODE);
    if (h->mode == 3 || h->mode == 4)
        return QN_FAIL(QN_UNSUPPORTED,
                       "%s: holds complex values (mode %d); expected real ones (mode 0, 1, 2, 6, 12 or 101)", name,
                       h->mode);
    h->row_bytes = ((uint64_t)h->counts[0] * (uint64_t)bits_of_mode(h->mode) + 7) / 8;
    const uint64_t most_rows = INT64_MAX / h->row_bytes, rows = (uint64_t)h->counts[1] * (uint64_t)h->counts[2];
    if (rows > most_rows)
        return QN_FAIL(QN_BAD_FORMAT, "%s: says that it has %d x %d x %d values, more than any file holds", name,
                       h->counts[0], h->counts[1], h->counts[2]);
    return QN_OK;
}

/* Three fields of 0 mean the usual order of axes. */
static qn_status read_axes(const char *name, const unsigned char *bytes, qn_mrc_header *h)
{
    int axes[3], seen = 0;
    for (int k = 0; k < 3; k++) axes[k] = load_whole(h->big_endian, bytes + AXES + 4 * k);
    const bool unsaid = axes[0] == 0 && axes[1] == 0 && axes[2] == 0;
    for (int k = 0; k < 3; k++) {
        if (!unsaid && (axes[k] < 1 || axes[k] > 3)) continue;
        h->axes[k] = unsaid ? k : axes[k] - 1;
        seen |= 1 << h->axes[k];
    }
    if (seen != 7)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: the axes are %d, %d, %d (bytes %d to %d of the MRC header); expected 1, 2, 3 in any "
                       "order",
                       name, axes[0], axes[1], axes[2], AXES, AXES + 11);
    return QN_OK;
}

/* Divide the cell by the samples. Some programs that do not know the pixel size write 1 along x and y of more than one
 * voxel. */
static void read_sizes(const unsigned char *bytes, qn_mrc_header *h)
{
    int samples[3], along[3];
    for (int k = 0; k < 3; k++) {
        samples[k] = load_whole(h->big_endian, bytes + SAMPLES + 4 * k);
        along[h->axes[k]] = h->counts[k];
    }
    const bool unsaid = samples[0] == 1 && samples[1] == 1 && along[0] > 1 && along[1] > 1;
    for (int k = 0; k < 3; k++) {
        const float origin = load_float(h->big_endian, bytes + ORIGIN + 4 * k);
        const double cell = load_float(h->big_endian, bytes + CELL + 4 * k);
        const double voxel = cell / (samples[k] > 0 ? samples[k] : along[k]);
        h->start[k] = load_whole(h->big_endian, bytes + START + 4 * k);
        h->origin_angstrom[k] = isfinite(origin) ? origin : 0;
        h->voxel_angstrom[k] = !unsaid && isfinite(voxel) && voxel > 0 ? voxel : 0;
    }
    h->volumes = 1;
    if (load_whole(h->big_endian, bytes + SPACE_GROUP) == STACK_OF_VOLUMES && samples[2] > 0 &&
        samples[2] < h->counts[2])
        h->volumes = h->counts[2] / samples[2];
}

qn_status qn_mrc_header_parse(const char *name, const void *data, qn_mrc_header *header)
{
    const unsigned char *bytes = data;
    *header = (qn_mrc_header){.big_endian = is_big_endian(bytes)};
    QN_TRY(read_shape(name, bytes, header));
    QN_TRY(read_axes(name, bytes, header));
    read_sizes(bytes, header);
    header->unsigned_bytes = has_unsigned_bytes(header->big_endian, bytes);
    const int extended = load_whole(header->big_endian, bytes + EXTENDED_BYTES);
    if (extended < 0)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: the extended header has %d bytes (byte %d of the MRC header); expected 0 or more", name,
                       extended, EXTENDED_BYTES);
    header->data_offset = QN_MRC_HEADER_BYTES + (uint64_t)extended;
    return QN_OK;
}

uint64_t qn_mrc_section_bytes(const qn_mrc_header *header)
{
    return header->row_bytes * (uint64_t)header->counts[1];
}

uint64_t qn_mrc_data_bytes(const qn_mrc_header *header)
{
    return qn_mrc_section_bytes(header) * (uint64_t)header->counts[2];
}

qn_status qn_mrc_check_size(const char *name, const qn_mrc_header *header, uint64_t file_bytes)
{
    const uint64_t expected = header->data_offset + qn_mrc_data_bytes(header);
    if (file_bytes < expected)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has %llu bytes; expected %llu for %d x %d x %d values of mode %d", name,
                       (unsigned long long)file_bytes, (unsigned long long)expected, header->counts[0],
                       header->counts[1], header->counts[2], header->mode);
    return QN_OK;
}

static bool host_is_little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

enum { SHORTS = 1024 }; /* decoded at a time */

static void decode_some_shorts(const qn_mrc_header *header, const unsigned char *bytes, size_t count, float *values)
{
    uint16_t shorts[SHORTS]; /* aligned, in this machine's byte order */
    memcpy(shorts, bytes, 2 * count);
    if (header->big_endian == host_is_little_endian())
        for (size_t i = 0; i < count; i++) shorts[i] = (uint16_t)(shorts[i] << 8 | shorts[i] >> 8);
    switch (header->mode) {
    case 1:
#pragma omp simd
        for (size_t i = 0; i < count; i++) values[i] = (float)(int16_t)shorts[i];
        break;
    case 6:
#pragma omp simd
        for (size_t i = 0; i < count; i++) values[i] = (float)shorts[i];
        break;
    default:
#pragma omp simd
        for (size_t i = 0; i < count; i++) values[i] = qn_half_to_float(shorts[i]);
    }
}

static void decode_shorts(const qn_mrc_header *header, const unsigned char *bytes, size_t count, float *values)
{
    for (size_t i = 0; i < count; i += SHORTS)
        decode_some_shorts(header, bytes + 2 * i, count - i < SHORTS ? count - i : SHORTS, values + i);
}

static void decode_bytes(const qn_mrc_header *header, const unsigned char *bytes, size_t count, float *values)
{
    const int flipped = header->unsigned_bytes ? 0 : 128; /* (b ^ 128) - 128 reads b as signed */
#pragma omp simd
    for (size_t i = 0; i < count; i++) values[i] = (float)((bytes[i] ^ flipped) - flipped);
}

/* Two values per byte, the left one in the lower half; every row begins at a new byte. */
static void decode_nibbles(const qn_mrc_header *header, const unsigned char *bytes, size_t rows, float *values)
{
    const size_t columns = (size_t)header->counts[0];
    for (size_t row = 0; row < rows; row++, bytes += header->row_bytes, values += columns)
        for (size_t i = 0; i < columns; i++) values[i] = (float)(bytes[i / 2] >> 4 * (i % 2) & 15);
}

bool qn_mrc_stores_floats(const qn_mrc_header *header)
{
    return header->mode == 2 && !header->big_endian && host_is_little_endian();
}

void qn_mrc_decode(const qn_mrc_header *header, const void *data, size_t rows, float *values)
{
    const unsigned char *bytes = data;
    const size_t count = rows * (size_t)header->counts[0];
    switch (header->mode) {
    case 0: decode_bytes(header, bytes, count, values); break;
    case 2:
        if (qn_mrc_stores_floats(header))
            memcpy(values, bytes, 4 * count);
        else
            for (size_t i = 0; i < count; i++) values[i] = load_float(header->big_endian, bytes + 4 * i);
        break;
    case 101: decode_nibbles(header, bytes, rows, values); break;
    default: decode_shorts(header, bytes, count, values);
    }
}

static void put_whole(int value, unsigned char *bytes)
{
    qn_packed_store((uint32_t)value, 4, bytes);
}

static void put_float(double value, unsigned char *bytes)
{
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    qn_packed_store(bits, 4, bytes);
}

static void put_label(const char *label, unsigned char *bytes)
{
    const size_t length = strlen(label);
    memset(bytes + LABELS, ' ', LABEL_BYTES);
    memcpy(bytes + LABELS, label, length < LABEL_BYTES ? length : LABEL_BYTES);
    put_whole(1, bytes + LABEL_COUNT);
}

void qn_mrc_header_format(const qn_mrc_description *d, unsigned char bytes[QN_MRC_HEADER_BYTES])
{
    memset(bytes, 0, QN_MRC_HEADER_BYTES);
    for (int k = 0; k < 3; k++) {
        const int samples = d->is_stack && k == 2 ? 1 : d->counts[k]; /* images are one section deep */
        put_whole(d->counts[k], bytes + COUNTS + 4 * k);
        put_whole(d->start[k], bytes + START + 4 * k);
        put_whole(samples, bytes + SAMPLES + 4 * k);
        put_float(d->voxel_angstrom[k] * samples, bytes + CELL + 4 * k);
        put_float(90, bytes + ANGLES + 4 * k);
        put_whole(k + 1, bytes + AXES + 4 * k);
        put_float(d->origin_angstrom[k], bytes + ORIGIN + 4 * k);
    }
    put_whole(d->is_half ? 12 : 2, bytes + MODE);
    put_whole(d->is_stack ? 0 : 1, bytes + SPACE_GROUP);
    put_whole(WRITTEN_VERSION, bytes + VERSION);
    memcpy(bytes + STAMP, "MAP ", 4);
    bytes[MACHINE] = bytes[MACHINE + 1] = 0x44;
    /* a maximum below the minimum, a mean below both and a negative deviation mean "not known" */
    put_float(d->has_statistics ? d->least : 0, bytes + LEAST);
    put_float(d->has_statistics ? d->largest : -1, bytes + MAX);
    put_float(d->has_statistics ? d->mean : -2, bytes + MEAN);
    put_float(d->has_statistics ? d->deviation : -1, bytes + DEVIATION);
    if (d->label) put_label(d->label, bytes);
}

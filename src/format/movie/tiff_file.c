#define _POSIX_C_SOURCE 200809L
#include "format/movie/tiff_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <tiffio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

enum { SMALL_ALLOCATION = 16 << 20, TILE_SIDE_BEYOND = 4096 };

struct qn_tiff {
    TIFF *handle;
    const char *name;
    int descriptor;
    uint64_t file_bytes, position; /* of reads by libtiff */
    void *scratch;                 /* a decoded strip or tile */
    size_t scratch_bytes;
    int found;         /* directories that qn_tiff_next made current */
    char message[200]; /* libtiff's first message since it was cleared */
};

bool qn_tiff_is(const unsigned char *head, size_t size)
{
    static const unsigned char marks[4][4] = {
        {'I', 'I', 42, 0}, {'M', 'M', 0, 42}, {'I', 'I', 43, 0}, {'M', 'M', 0, 43}};
    for (int i = 0; i < 4; i++)
        if (size >= 4 && memcmp(head, marks[i], 4) == 0) return true;
    return false;
}

static tmsize_t read_bytes(thandle_t user, void *bytes, tmsize_t size)
{
    qn_tiff *tiff = user;
    tmsize_t got = 0;
    while (got < size) {
        const ssize_t count =
            pread(tiff->descriptor, (char *)bytes + got, (size_t)(size - got), (off_t)(tiff->position));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return -1;
        if (count == 0) break;
        got += count;
        tiff->position += (uint64_t)count;
    }
    return got;
}

static tmsize_t write_nothing(thandle_t user, void *bytes, tmsize_t size)
{
    (void)user, (void)bytes, (void)size;
    return -1;
}

static toff_t seek(thandle_t user, toff_t offset, int whence)
{
    qn_tiff *tiff = user;
    const uint64_t base = whence == SEEK_CUR ? tiff->position : whence == SEEK_END ? tiff->file_bytes : 0;
    tiff->position = base + offset;
    if (tiff->position > INT64_MAX) tiff->position = INT64_MAX; /* reads there give nothing */
    return tiff->position;
}

static toff_t size_of(thandle_t user)
{
    return ((qn_tiff *)user)->file_bytes;
}

static int keep_open(thandle_t user)
{
    (void)user;
    return 0;
}

/* Keep the first message; 1: libtiff shall not print it. */
static int keep_message(TIFF *handle, void *user, const char *module, const char *format, va_list arguments)
{
    qn_tiff *tiff = user;
    (void)handle, (void)module;
    if (tiff->message[0]) return 1;
    vsnprintf(tiff->message, sizeof tiff->message, format, arguments);
    size_t length = strlen(tiff->message);
    while (length > 0 && (tiff->message[length - 1] == '.' || tiff->message[length - 1] == '\n'))
        tiff->message[--length] = 0;
    return 1;
}

static int drop_message(TIFF *handle, void *user, const char *module, const char *format, va_list arguments)
{
    (void)handle, (void)user, (void)module, (void)format, (void)arguments;
    return 1;
}

static const char *message_of(const qn_tiff *tiff)
{
    return tiff->message[0] ? tiff->message : "no reason is given";
}

/* Mode: r reads, m maps nothing into memory, c leaves long strips whole. */
static qn_status open_handle(qn_tiff *tiff)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options) return QN_FAIL(QN_OUT_OF_MEMORY, "%s: no memory for a handle of libtiff", tiff->name);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)(2 * tiff->file_bytes + SMALL_ALLOCATION));
    TIFFOpenOptionsSetErrorHandlerExtR(options, keep_message, tiff);
    TIFFOpenOptionsSetWarningHandlerExtR(options, drop_message, NULL);
    tiff->handle = TIFFClientOpenExt(tiff->name, "rmc", tiff, read_bytes, write_nothing, seek, keep_open, size_of, NULL,
                                     NULL, options);
    TIFFOpenOptionsFree(options);
    if (!tiff->handle)
        return QN_FAIL(QN_BAD_FORMAT, "%s: is cut off or damaged: its first directory cannot be read: %s", tiff->name,
                       message_of(tiff));
    return QN_OK;
}

qn_status qn_tiff_open(const char *name, int descriptor, uint64_t file_bytes, qn_tiff **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_tiff *tiff = memory;
    *tiff = (qn_tiff){.name = name, .descriptor = descriptor, .file_bytes = file_bytes};
    const qn_status status = open_handle(tiff);
    if (status != QN_OK)
        qn_tiff_close(&tiff);
    else
        *out = tiff;
    return status;
}

void qn_tiff_close(qn_tiff **tiff)
{
    if (!*tiff) return;
    if ((*tiff)->handle) TIFFClose((*tiff)->handle);
    qn_release(&(*tiff)->scratch);
    qn_release(tiff);
}

/* IMOD and SerialEM write the size of a pixel into the tags of resolution; other programs write 72 dots per inch. */
static double pixel_of(TIFF *handle)
{
    float per_unit = 0;
    uint16_t unit = RESUNIT_NONE;
    if (!TIFFGetField(handle, TIFFTAG_XRESOLUTION, &per_unit) ||
        !TIFFGetFieldDefaulted(handle, TIFFTAG_RESOLUTIONUNIT, &unit) || !(per_unit > 0))
        return 0;
    const double unit_angstrom = unit == RESUNIT_CENTIMETER ? 1e8 : unit == RESUNIT_INCH ? 2.54e8 : 0;
    const double pixel = unit_angstrom / per_unit;
    return pixel >= 0.01 && pixel <= 100 ? pixel : 0;
}

static qn_tiff_samples samples_of(TIFF *handle)
{
    uint16_t format = SAMPLEFORMAT_UINT;
    TIFFGetFieldDefaulted(handle, TIFFTAG_SAMPLEFORMAT, &format);
    switch (format) {
    case SAMPLEFORMAT_UINT:
    case SAMPLEFORMAT_VOID: return QN_TIFF_UINT;
    case SAMPLEFORMAT_INT: return QN_TIFF_INT;
    case SAMPLEFORMAT_IEEEFP: return QN_TIFF_FLOAT;
    default: return QN_TIFF_OTHER;
    }
}

qn_status qn_tiff_page_facts(qn_tiff *tiff, qn_tiff_page *page)
{
    TIFF *handle = tiff->handle;
    uint16_t bits = 1, samples = 1, compression = COMPRESSION_NONE;
    *page = (qn_tiff_page){.place = TIFFCurrentDirOffset(handle)};
    TIFFGetField(handle, TIFFTAG_IMAGEWIDTH, &page->width);
    TIFFGetField(handle, TIFFTAG_IMAGELENGTH, &page->height);
    TIFFGetFieldDefaulted(handle, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(handle, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetFieldDefaulted(handle, TIFFTAG_COMPRESSION, &compression);
    page->bits = bits;
    page->samples_per_pixel = samples;
    page->samples = samples_of(handle);
    page->compression = compression;
    page->pixel_angstrom = pixel_of(handle);
    page->pieces = TIFFIsTiled(handle) ? TIFFNumberOfTiles(handle) : TIFFNumberOfStrips(handle);
    page->decoder_bytes = (uint64_t)(TIFFIsTiled(handle) ? TIFFTileSize64(handle) : TIFFStripSize64(handle));
    uint64_t largest = 0;
    for (uint32_t i = 0; i < page->pieces; i++) {
        uint64_t offset, bytes;
        QN_TRY(qn_tiff_piece(tiff, i, &offset, &bytes));
        if (offset + bytes > page->data_end) page->data_end = offset + bytes;
        if (bytes > largest) largest = bytes;
    }
    page->decoder_bytes += largest;
    return QN_OK;
}

qn_status qn_tiff_piece(qn_tiff *tiff, uint32_t piece, uint64_t *offset, uint64_t *bytes)
{
    int wrong_offset = 0, wrong_bytes = 0;
    tiff->message[0] = 0;
    *offset = TIFFGetStrileOffsetWithErr(tiff->handle, piece, &wrong_offset);
    *bytes = TIFFGetStrileByteCountWithErr(tiff->handle, piece, &wrong_bytes);
    if (wrong_offset || wrong_bytes || *offset > INT64_MAX || *bytes > INT64_MAX)
        return QN_FAIL(QN_BAD_FORMAT, "%s: the place of part %u of frame %d cannot be read: %s", tiff->name, piece + 1,
                       tiff->found, message_of(tiff));
    return QN_OK;
}

qn_status qn_tiff_next(qn_tiff *tiff, bool *end)
{
    *end = tiff->found > 0 && TIFFLastDirectory(tiff->handle);
    if (*end) return QN_OK;
    tiff->message[0] = 0;
    const qn_counted frames = qn_count_of((unsigned long long)tiff->found, "frame");
    if (tiff->found > 0 && !TIFFReadDirectory(tiff->handle))
        return QN_FAIL(QN_BAD_FORMAT, "%s: is cut off or damaged: %s can be found, and the next cannot be read: %s",
                       tiff->name, frames.text, message_of(tiff));
    tiff->found++;
    return QN_OK;
}

qn_status qn_tiff_go(qn_tiff *tiff, uint64_t place)
{
    tiff->message[0] = 0;
    if (TIFFCurrentDirOffset(tiff->handle) == place || TIFFSetSubDirectory(tiff->handle, place)) return QN_OK;
    return QN_FAIL(QN_BAD_FORMAT, "%s: the directory at byte %llu cannot be read again: %s", tiff->name,
                   (unsigned long long)place, message_of(tiff));
}

/* Tags that libtiff does not know come as a count and an array of their type. */
static const void *array_of(qn_tiff *tiff, uint32_t tag, TIFFDataType *type, uint32_t *count)
{
    const TIFFField *field = TIFFFindField(tiff->handle, tag, TIFF_ANY);
    const void *array = NULL;
    uint32_t long_count = 0;
    if (!field || !TIFFFieldPassCount(field) || TIFFFieldReadCount(field) != TIFF_VARIABLE2) return NULL;
    if (!TIFFGetField(tiff->handle, tag, &long_count, &array) || long_count == 0) return NULL;
    *type = TIFFFieldDataType(field);
    *count = long_count;
    return array;
}

bool qn_tiff_whole(qn_tiff *tiff, uint32_t tag, uint32_t *value)
{
    TIFFDataType type;
    uint32_t count;
    const void *array = array_of(tiff, tag, &type, &count);
    if (!array) return false;
    switch (type) {
    case TIFF_BYTE: *value = *(const uint8_t *)array; return true;
    case TIFF_SHORT: *value = *(const uint16_t *)array; return true;
    case TIFF_LONG: *value = *(const uint32_t *)array; return true;
    default: return false;
    }
}

bool qn_tiff_bytes(qn_tiff *tiff, uint32_t tag, const char **bytes, size_t *size)
{
    TIFFDataType type;
    uint32_t count;
    const void *array = array_of(tiff, tag, &type, &count);
    if (!array || (type != TIFF_BYTE && type != TIFF_ASCII && type != TIFF_UNDEFINED)) return false;
    *bytes = array;
    *size = count;
    return true;
}

static bool is_known_compression(int compression)
{
    static const int known[] = {COMPRESSION_NONE, COMPRESSION_LZW,  COMPRESSION_ADOBE_DEFLATE, COMPRESSION_DEFLATE,
                                COMPRESSION_ZSTD, COMPRESSION_LZMA, COMPRESSION_PACKBITS};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] == compression) return true;
    return false;
}

qn_status qn_tiff_check_page(qn_tiff *tiff, const char *what, const qn_tiff_page *page)
{
    if (!is_known_compression(page->compression))
        return QN_FAIL(QN_UNSUPPORTED,
                       "%s: %s is compressed by TIFF's scheme %d; expected none, LZW, deflate, Zstandard, LZMA or "
                       "PackBits",
                       tiff->name, what, page->compression);
    if (!TIFFIsCODECConfigured((uint16_t)page->compression))
        return QN_FAIL(QN_UNSUPPORTED, "%s: %s is compressed by TIFF's scheme %d, which this machine's libtiff lacks",
                       tiff->name, what, page->compression);
    if (page->samples_per_pixel != 1)
        return QN_FAIL(QN_UNSUPPORTED, "%s: %s has %d samples a pixel; expected 1", tiff->name, what,
                       page->samples_per_pixel);
    if (page->samples == QN_TIFF_OTHER ||
        (page->bits != 8 && page->bits != 16 && page->bits != 32 && page->bits != 64) ||
        (page->samples == QN_TIFF_FLOAT && page->bits == 8))
        return QN_FAIL(QN_UNSUPPORTED, "%s: %s has %s of %d bits; expected whole numbers or floats of 8 to 64 bits",
                       tiff->name, what,
                       page->samples == QN_TIFF_OTHER   ? "complex values"
                       : page->samples == QN_TIFF_FLOAT ? "floats"
                                                        : "whole numbers",
                       page->bits);
    return QN_OK;
}

/* Copy a decoded piece to its place in the image: `rows` rows of `columns` samples, the first one at (x, y). */
static void place_rows(const qn_tiff_page *page, const char *piece, size_t piece_row_bytes, uint32_t x, uint32_t y,
                       uint32_t columns, uint32_t rows, bool turn_over, char *samples)
{
    const size_t sample = (size_t)page->bits / 8, row_bytes = page->width * sample;
    for (uint32_t row = 0; row < rows; row++) {
        const uint32_t to = turn_over ? page->height - 1 - (y + row) : y + row;
        memcpy(samples + to * row_bytes + x * sample, piece + row * piece_row_bytes, columns * sample);
    }
}

static qn_status cannot_decode(const qn_tiff *tiff, const char *what)
{
    return QN_FAIL(QN_BAD_FORMAT, "%s: %s cannot be decoded: %s", tiff->name, what, message_of(tiff));
}

static qn_status read_strips(qn_tiff *tiff, const char *what, const qn_tiff_page *page, bool turn_over, char *samples)
{
    const size_t row_bytes = (size_t)page->width * (size_t)page->bits / 8;
    uint32_t most_rows = 0;
    TIFFGetFieldDefaulted(tiff->handle, TIFFTAG_ROWSPERSTRIP, &most_rows);
    if (most_rows == 0 || most_rows > page->height) most_rows = page->height;
    QN_TRY(qn_grow(&tiff->scratch, &tiff->scratch_bytes, most_rows * row_bytes, 1));
    for (uint32_t y = 0, strip = 0; y < page->height; y += most_rows, strip++) {
        const uint32_t rows = page->height - y < most_rows ? page->height - y : most_rows;
        const tmsize_t expected = (tmsize_t)(rows * row_bytes);
        if (TIFFReadEncodedStrip(tiff->handle, strip, tiff->scratch, expected) != expected)
            return cannot_decode(tiff, what);
        place_rows(page, tiff->scratch, row_bytes, 0, y, page->width, rows, turn_over, samples);
    }
    return QN_OK;
}

static qn_status read_tiles(qn_tiff *tiff, const char *what, const qn_tiff_page *page, bool turn_over, char *samples)
{
    uint32_t width = 0, height = 0;
    TIFFGetField(tiff->handle, TIFFTAG_TILEWIDTH, &width);
    TIFFGetField(tiff->handle, TIFFTAG_TILELENGTH, &height);
    if (width < 1 || height < 1 || width > page->width + TILE_SIDE_BEYOND || height > page->height + TILE_SIDE_BEYOND)
        return QN_FAIL(QN_BAD_FORMAT, "%s: %s has tiles of %u x %u pixels; expected no more than the frame's %u x %u",
                       tiff->name, what, width, height, page->width, page->height);
    const size_t row_bytes = (size_t)width * (size_t)page->bits / 8;
    const tmsize_t expected = (tmsize_t)(height * row_bytes);
    QN_TRY(qn_grow(&tiff->scratch, &tiff->scratch_bytes, (size_t)expected, 1));
    for (uint32_t y = 0, tile = 0; y < page->height; y += height)
        for (uint32_t x = 0; x < page->width; x += width, tile++) {
            if (TIFFReadEncodedTile(tiff->handle, tile, tiff->scratch, expected) != expected)
                return cannot_decode(tiff, what);
            place_rows(page, tiff->scratch, row_bytes, x, y, page->width - x < width ? page->width - x : width,
                       page->height - y < height ? page->height - y : height, turn_over, samples);
        }
    return QN_OK;
}

qn_status qn_tiff_read(qn_tiff *tiff, const char *what, const qn_tiff_page *page, bool turn_over, void *samples)
{
    uint32_t width = 0, height = 0;
    uint16_t bits = 1;
    TIFFGetField(tiff->handle, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff->handle, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(tiff->handle, TIFFTAG_BITSPERSAMPLE, &bits);
    if (width != page->width || height != page->height || bits != page->bits) /* the file is written meanwhile */
        return QN_FAIL(QN_BAD_FORMAT, "%s: %s changed since the file was opened", tiff->name, what);
    tiff->message[0] = 0;
    return TIFFIsTiled(tiff->handle) ? read_tiles(tiff, what, page, turn_over, samples)
                                     : read_strips(tiff, what, page, turn_over, samples);
}

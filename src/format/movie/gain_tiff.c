#define _POSIX_C_SOURCE 200809L
#include "format/movie/gain_tiff.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/pipe.h"
#include "format/movie/gain_file.h"
#include "format/movie/tiff_file.h"

static float sample_at(const unsigned char *at, int bits, qn_tiff_samples samples)
{
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    float single;
    double value;
    switch (bits) {
    case 8: memcpy(&one, at, 1); return samples == QN_TIFF_INT ? (float)(int8_t)one : (float)one;
    case 16: memcpy(&two, at, 2); return samples == QN_TIFF_INT ? (float)(int16_t)two : (float)two;
    case 32:
        memcpy(&four, at, 4);
        memcpy(&single, at, 4);
        return samples == QN_TIFF_FLOAT ? single : samples == QN_TIFF_INT ? (float)(int32_t)four : (float)four;
    default:
        memcpy(&eight, at, 8);
        memcpy(&value, at, 8);
        return samples == QN_TIFF_FLOAT ? (float)value : samples == QN_TIFF_INT ? (float)(int64_t)eight : (float)eight;
    }
}

static qn_status check_page(const char *path, qn_tiff *tiff, const qn_tiff_page *page)
{
    QN_TRY(qn_tiff_check_page(tiff, "its image", page));
    if (page->samples == QN_TIFF_FLOAT && page->bits == 16)
        return QN_FAIL(QN_UNSUPPORTED, "%s: its image has floats of 16 bits; expected 32 or 64", path);
    if (page->width < 1 || page->height < 1 || page->width > QN_GAIN_SIDE_MAX || page->height > QN_GAIN_SIDE_MAX)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has %u x %u pixels; expected 1 to %d a side", path, page->width,
                       page->height, QN_GAIN_SIDE_MAX);
    return QN_OK;
}

static qn_status read_values(qn_tiff *tiff, const qn_tiff_page *page, float **values)
{
    const size_t count = (size_t)page->width * page->height, bytes = (size_t)page->bits / 8;
    void *samples, *memory = NULL;
    QN_TRY(qn_allocate(count, bytes, &samples));
    qn_status status = qn_tiff_read(tiff, "its image", page, false, samples);
    if (status == QN_OK) status = qn_allocate(count, sizeof **values, &memory);
    *values = memory;
    for (size_t i = 0; status == QN_OK && i < count; i++)
        (*values)[i] = sample_at((const unsigned char *)samples + i * bytes, page->bits, page->samples);
    qn_release(&samples);
    return status;
}

static qn_status read_image(const char *path, qn_tiff *tiff, qn_tiff_page *page, float **values)
{
    bool end;
    QN_TRY(qn_tiff_next(tiff, &end));
    QN_TRY(qn_tiff_page_facts(tiff, page));
    QN_TRY(check_page(path, tiff, page));
    QN_TRY(read_values(tiff, page, values));
    QN_TRY(qn_tiff_next(tiff, &end));
    if (!end) return QN_FAIL(QN_BAD_FORMAT, "%s: holds several images; expected one", path);
    return QN_OK;
}

qn_status qn_gain_tiff_read(const char *path, int *width, int *height, float **values)
{
    struct stat information;
    qn_tiff_page page = {0};
    qn_tiff *tiff = NULL;
    int descriptor;
    *values = NULL;
    QN_TRY(qn_file_open(path, &descriptor));
    qn_status status = QN_OK;
    if (fstat(descriptor, &information) != 0 || !S_ISREG(information.st_mode))
        status = QN_FAIL(QN_UNSUPPORTED, "%s: is not a plain file; TIFF is read in any order", path);
    if (status == QN_OK) status = qn_tiff_open(path, descriptor, (uint64_t)information.st_size, &tiff);
    if (status == QN_OK) status = read_image(path, tiff, &page, values);
    if (status != QN_OK) qn_release(values);
    qn_tiff_close(&tiff);
    close(descriptor);
    *width = (int)page.width;
    *height = (int)page.height;
    return status;
}

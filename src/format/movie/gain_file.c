#define _POSIX_C_SOURCE 200809L
#include "format/movie/gain_file.h"

#include <quern/volume.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/pipe.h"
#include "base/text.h"
#include "format/movie/dm.h"
#include "format/movie/gain_tiff.h"
#include "format/movie/tiff_file.h"

enum { SNIFFED = 16 }; /* bytes that show a format */

void qn_gain_flip_rows(int width, int height, float *values)
{
    const size_t row = (size_t)width;
    for (size_t y = 0; y < (size_t)height / 2; y++) {
        float *low = values + y * row, *high = values + ((size_t)height - 1 - y) * row;
        for (size_t x = 0; x < row; x++) {
            const float value = low[x];
            low[x] = high[x];
            high[x] = value;
        }
    }
}

static qn_status sniff(const char *path, qn_gain_format *format)
{
    unsigned char bytes[SNIFFED] = {0};
    size_t got = 0;
    int descriptor;
    QN_TRY(qn_file_open(path, &descriptor));
    for (ssize_t count = 1; count > 0 && got<sizeof bytes; got += count> 0 ? (size_t)count : 0)
        count = read(descriptor, bytes + got, sizeof bytes - got);
    close(descriptor);
    *format = QN_GAIN_MRC;
    if (qn_tiff_is(bytes, got)) *format = qn_text_ends_in(path, ".gain") ? QN_GAIN_EER : QN_GAIN_TIFF;
    if (qn_dm_is(bytes, got)) *format = QN_GAIN_DM;
    return QN_OK;
}

static qn_status read_mrc(const char *path, qn_gain_file *file)
{
    qn_volume *volume;
    QN_TRY(qn_volume_read(path, &volume));
    qn_status status = QN_OK;
    if (volume->counts[2] != 1)
        status = QN_FAIL(QN_BAD_FORMAT, "%s: holds %d images; expected one, as a gain or dark reference has", path,
                         volume->counts[2]);
    if (status == QN_OK) {
        file->width = volume->counts[0];
        file->height = volume->counts[1];
        file->values = volume->values;
        volume->values = NULL;
    }
    qn_volume_destroy(&volume);
    return status;
}

static qn_status read_any(const char *path, qn_gain_file *file)
{
    switch (file->format) {
    case QN_GAIN_TIFF:
    case QN_GAIN_EER: QN_TRY(qn_gain_tiff_read(path, &file->width, &file->height, &file->values)); break;
    case QN_GAIN_DM: QN_TRY(qn_dm_read(path, &file->width, &file->height, &file->values)); break;
    default: QN_TRY(read_mrc(path, file));
    }
    if (file->width > QN_GAIN_SIDE_MAX || file->height > QN_GAIN_SIDE_MAX)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has %d x %d pixels; expected at most %d a side", path, file->width,
                       file->height, QN_GAIN_SIDE_MAX);
    if (file->format == QN_GAIN_TIFF || file->format == QN_GAIN_DM)
        qn_gain_flip_rows(file->width, file->height, file->values);
    return QN_OK;
}

qn_status qn_gain_file_read(const char *path, qn_gain_file *file)
{
    *file = (qn_gain_file){0};
    QN_TRY(sniff(path, &file->format));
    const qn_status status = read_any(path, file);
    if (status != QN_OK) qn_gain_file_clear(file);
    return status;
}

void qn_gain_file_clear(qn_gain_file *file)
{
    qn_release(&file->values);
}

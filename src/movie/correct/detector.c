#include "movie/correct/detector.h"

#include <math.h>
#include <quern/volume.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/movie/defects.h"

/* Steps of the four turns, in a file of width × height pixels. */
static void turn(int rotate, int64_t width, int64_t height, qn_gain_view *view)
{
    switch (rotate) {
    case 0: view->first = 0, view->step_x = 1, view->step_y = width; break;
    case 1: view->first = (height - 1) * width, view->step_x = -width, view->step_y = 1; break;
    case 2: view->first = height * width - 1, view->step_x = -1, view->step_y = -width; break;
    default: view->first = width - 1, view->step_x = width, view->step_y = -1;
    }
}

bool qn_gain_view_make(const qn_gain_file *file, int rotate, int flip, int width, int height, qn_gain_view *view)
{
    const int64_t turned_width = rotate % 2 ? file->height : file->width;
    const int64_t turned_height = rotate % 2 ? file->width : file->height;
    *view = (qn_gain_view){.values = file->values, .numerator = 1, .denominator = 1};
    turn(rotate, file->width, file->height, view);
    if (flip == 1) {
        view->first += (turned_height - 1) * view->step_y;
        view->step_y = -view->step_y;
    } else if (flip == 2) {
        view->first += (turned_width - 1) * view->step_x;
        view->step_x = -view->step_x;
    }
    if (turned_width == width && turned_height == height) return true;
    if (turned_width == 2 * (int64_t)width && turned_height == 2 * (int64_t)height)
        view->numerator = 2;
    else if (2 * turned_width == width && 2 * turned_height == height)
        view->denominator = 2;
    else if (4 * turned_width == width && 4 * turned_height == height)
        view->denominator = 4;
    else
        return false;
    return true;
}

static qn_status refuse_size(const qn_detector_options *o, const qn_gain_file *file)
{
    qn_gain_view view;
    if (qn_gain_view_make(file, (o->rotate + 1) % 4, o->flip, o->width, o->height, &view))
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: the gain has %d x %d pixels, and the frames %d x %d; with --gain-rotate %d or %d it fits",
                       o->gain, file->width, file->height, o->width, o->height, (o->rotate + 1) % 4,
                       (o->rotate + 3) % 4);
    return QN_FAIL(QN_BAD_FORMAT,
                   "%s: the gain has %d x %d pixels, and the frames %d x %d; expected as many, a quarter, half or "
                   "twice as many a side",
                   o->gain, file->width, file->height, o->width, o->height);
}

/* The mean of the file's values; dead pixels count, as in RELION. */
static double mean_of(const qn_gain_file *file)
{
    double sum = 0;
    size_t count = 0;
    for (size_t y = 0; y < (size_t)file->height; y++) {
        double of_row = 0;
        for (size_t x = 0; x < (size_t)file->width; x++) {
            const float value = file->values[y * (size_t)file->width + x];
            if (!isfinite(value)) continue;
            of_row += (double)value;
            count++;
        }
        sum += of_row;
    }
    return count > 0 ? sum / (double)count : 0;
}

static qn_status make_gain(const qn_detector_options *o, const qn_gain_file *file, qn_detector *d)
{
    const double mean = mean_of(file);
    qn_gain_view view;
    if (!qn_gain_view_make(file, o->rotate, o->flip, o->width, o->height, &view)) return refuse_size(o, file);
    d->divides = o->mode == QN_GAIN_DIVIDE || (o->mode == QN_GAIN_AUTO && o->is_eer && file->format != QN_GAIN_EER);
    for (int y = 0; y < o->height; y++)
        for (int x = 0; x < o->width; x++) {
            const size_t i = (size_t)y * (size_t)o->width + (size_t)x;
            const float g = qn_gain_view_at(&view, x, y);
            const bool is_finite = isfinite(g);
            d->dead += g == 0;
            d->not_finite += !is_finite;
            d->bad[i] = g == 0 || !is_finite;
            d->gain[i] = d->bad[i] ? 0 : d->divides ? (float)(mean / (double)g) : g;
        }
    if (d->dead + d->not_finite == (size_t)o->width * (size_t)o->height)
        return QN_FAIL(QN_BAD_FORMAT, "%s: every value of the gain is 0 or not finite", o->gain);
    if (d->not_finite > 0)
        qn_log(QN_LOG_WARNING, "%s: %s of the gain %s not finite; %s not used", o->gain,
               qn_count_of((unsigned long long)d->not_finite, "value").text, d->not_finite == 1 ? "is" : "are",
               d->not_finite == 1 ? "its pixel is" : "their pixels are");
    return QN_OK;
}

static qn_status read_gain(const qn_detector_options *o, qn_detector *d)
{
    qn_gain_file file;
    if (!o->gain) {
        for (size_t i = 0; i < (size_t)o->width * (size_t)o->height; i++) d->gain[i] = 1;
        return QN_OK;
    }
    QN_TRY(qn_gain_file_read(o->gain, &file));
    const qn_status status = make_gain(o, &file, d);
    qn_gain_file_clear(&file);
    return status;
}

static qn_status read_dark(const qn_detector_options *o, qn_detector *d)
{
    qn_gain_file file;
    if (!o->dark) return QN_OK;
    QN_TRY(qn_gain_file_read(o->dark, &file));
    qn_status status = QN_OK;
    if (file.width != o->width || file.height != o->height)
        status = QN_FAIL(QN_BAD_FORMAT, "%s: the dark reference has %d x %d pixels; expected %d x %d as the frames",
                         o->dark, file.width, file.height, o->width, o->height);
    for (size_t i = 0; status == QN_OK && i < (size_t)o->width * (size_t)o->height; i++)
        if (!isfinite(file.values[i]))
            status = QN_FAIL(QN_BAD_FORMAT, "%s: the dark reference has no number at x %zu, y %zu", o->dark,
                             i % (size_t)o->width, i / (size_t)o->width);
    if (status == QN_OK) {
        d->dark = file.values;
        file.values = NULL;
    }
    qn_gain_file_clear(&file);
    return status;
}

static qn_status read_defects(const qn_detector_options *o, qn_detector *d)
{
    const size_t pixels = (size_t)o->width * (size_t)o->height;
    void *memory;
    if (!o->defects) return QN_OK;
    QN_TRY(qn_allocate(pixels, 1, &memory));
    unsigned char *named = memory;
    const qn_status status = qn_defects_read(o->defects, o->width, o->height, named);
    for (size_t i = 0; status == QN_OK && i < pixels; i++) {
        d->defects += named[i];
        d->bad[i] |= named[i];
    }
    qn_release(&named);
    return status;
}

static qn_status fill(const qn_detector_options *o, qn_detector *d)
{
    const size_t pixels = (size_t)o->width * (size_t)o->height;
    void *memory;
    d->width = o->width;
    d->height = o->height;
    QN_TRY(qn_allocate(pixels, sizeof *d->gain, &memory));
    d->gain = memory;
    QN_TRY(qn_allocate(pixels, 1, &memory));
    d->bad = memory;
    QN_TRY(read_gain(o, d));
    QN_TRY(read_dark(o, d));
    return read_defects(o, d);
}

qn_status qn_detector_create(const qn_detector_options *options, qn_detector **out)
{
    void *memory;
    *out = NULL;
    if (options->width < 1 || options->height < 1)
        return QN_FAIL(QN_INVALID_ARGUMENT, "a detector of %d x %d pixels; expected 1 or more a side", options->width,
                       options->height);
    if (options->rotate < 0 || options->rotate > 3 || options->flip < 0 || options->flip > 2)
        return QN_FAIL(QN_INVALID_ARGUMENT, "a gain turned %d times and flipped by %d; expected 0 to 3, and 0 to 2",
                       options->rotate, options->flip);
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_detector *detector = memory;
    const qn_status status = fill(options, detector);
    if (status != QN_OK)
        qn_detector_destroy(&detector);
    else
        *out = detector;
    return status;
}

void qn_detector_destroy(qn_detector **detector)
{
    if (!*detector) return;
    qn_release(&(*detector)->gain);
    qn_release(&(*detector)->dark);
    qn_release(&(*detector)->bad);
    qn_release(detector);
}

qn_status qn_detector_write_gain(const qn_detector *detector, bool is_eer, const char *path)
{
    const int counts[3] = {detector->width, detector->height, 1};
    qn_volume *volume;
    QN_TRY(qn_volume_create(counts, 1, &volume));
    for (size_t i = 0; i < (size_t)detector->width * (size_t)detector->height; i++) {
        const float gain = detector->gain[i];
        volume->values[i] = is_eer && gain != 0 ? 1 / gain : gain;
    }
    const qn_status status =
        qn_volume_write(volume, is_eer ? "gain, by which EER is divided" : "gain, as applied", path);
    qn_volume_destroy(&volume);
    return status;
}

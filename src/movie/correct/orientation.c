#include "movie/correct/orientation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* The eight orientations, each in its simplest words. */
static const struct {
    int rotate, flip;
} orientations[] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}};

enum { ORIENTATIONS = QN_GAIN_FITS_MAX / 2 };
enum { PIXELS_ENOUGH = 1 << 20 };           /* rows are left out of larger frames */
static const double OUTLIER_DEVIATIONS = 5; /* beyond them, counts and gains are cut: hot pixels, dead columns */
static const double CLEAR_LEAST = 0.02;     /* least correlation of an orientation that is clearly right */
static const double CLEAR_DEVIATIONS = 10;  /* and least difference to the asked one, in σ of noise */
static const double CLEAR_TIMES = 3;        /* and least ratio to it */

/* Sums over one row, or all, for one orientation: [0] with 1/g, [1] with g. */
typedef struct moments {
    double counts, values[2], products[2]; /* of squares, and of counts · values */
    double pixels;
} moments;

typedef struct fitting {
    const qn_detector *detector;
    const float *raw_sum;
    int frames, row_step;
    const qn_gain_view *view;
    double count_range[2], gain_range[2]; /* what is beyond is cut */
    moments *rows;
} fitting;

/* The range of numbers without their outliers: mean ± 5 σ, three times of what is left. Zeros are no gains. */
static void range_of(const float *values, size_t count, bool skip_zeros, double range[2])
{
    const size_t step = 1 + count / PIXELS_ENOUGH;
    range[0] = -INFINITY;
    range[1] = INFINITY;
    for (int pass = 0; pass < 3; pass++) {
        double sum = 0, squares = 0, kept = 0;
        for (size_t i = 0; i < count; i += step) {
            const double value = (double)values[i];
            if (!isfinite(value) || value < range[0] || value > range[1] || (skip_zeros && value == 0)) continue;
            sum += value;
            squares += value * value;
            kept++;
        }
        if (kept == 0) return;
        const double mean = sum / kept, deviation = sqrt(fmax(0, squares / kept - mean * mean));
        range[0] = mean - OUTLIER_DEVIATIONS * deviation;
        range[1] = mean + OUTLIER_DEVIATIONS * deviation;
    }
}

static double cut(double value, const double range[2])
{
    return value < range[0] ? range[0] : value > range[1] ? range[1] : value;
}

static double count_at(const fitting *f, int x, int y)
{
    const size_t i = (size_t)y * (size_t)f->detector->width + (size_t)x;
    const double dark = f->detector->dark ? f->frames * (double)f->detector->dark[i] : 0;
    return cut((double)f->raw_sum[i] - dark, f->count_range);
}

/* 1/g and g; NaN where the gain has no value. */
static void gains_at(const fitting *f, int x, int y, double gains[2])
{
    const double g = (double)qn_gain_view_at(f->view, x, y);
    gains[1] = isfinite(g) && g != 0 ? cut(g, f->gain_range) : NAN;
    gains[0] = 1 / gains[1];
}

/* Differences from the neighbours of a row leave out what varies slowly: ice and the beam. */
static qn_status fit_row(size_t index, int worker, void *user)
{
    const fitting *f = user;
    const int y = (int)index * f->row_step;
    moments *row = &f->rows[index];
    double left[2], middle[2], right[2];
    (void)worker;
    *row = (moments){0};
    gains_at(f, 0, y, middle);
    gains_at(f, 1, y, right);
    for (int x = 1; x + 1 < f->detector->width; x++) {
        memcpy(left, middle, sizeof left);
        memcpy(middle, right, sizeof middle);
        gains_at(f, x + 1, y, right);
        const double counts = count_at(f, x, y) - 0.5 * (count_at(f, x - 1, y) + count_at(f, x + 1, y));
        const double values[2] = {middle[0] - 0.5 * (left[0] + right[0]), middle[1] - 0.5 * (left[1] + right[1])};
        if (!isfinite(values[0]) || !isfinite(values[1]) || !isfinite(counts)) continue;
        row->counts += counts * counts;
        for (int k = 0; k < 2; k++) {
            row->values[k] += values[k] * values[k];
            row->products[k] += counts * values[k];
        }
        row->pixels++;
    }
    return QN_OK;
}

/* Correlations of the current view with 1/g and with g. */
static qn_status correlate(fitting *f, qn_pool *pool, double *pixels, double correlations[2])
{
    const size_t rows = ((size_t)f->detector->height + (size_t)f->row_step - 1) / (size_t)f->row_step;
    moments all = {0};
    QN_TRY(qn_pool_run(pool, rows, fit_row, f));
    for (size_t i = 0; i < rows; i++) {
        all.counts += f->rows[i].counts;
        all.pixels += f->rows[i].pixels;
        for (int k = 0; k < 2; k++) {
            all.values[k] += f->rows[i].values[k];
            all.products[k] += f->rows[i].products[k];
        }
    }
    for (int k = 0; k < 2; k++) {
        const double square = all.counts * all.values[k];
        correlations[k] = square > 0 ? all.products[k] / sqrt(square) : 0;
    }
    *pixels = all.pixels;
    return QN_OK;
}

/* Whether two turns give the same picture: a turn by 180° is a flip of both axes. */
static bool is_same(const qn_gain_fit *fit, const qn_detector_options *options)
{
    const int flip = options->flip, rotate = options->rotate;
    if (fit->flip == flip && fit->rotate == rotate) return true;
    return fit->flip != 0 && fit->flip + flip == 3 && (fit->rotate + 2) % 4 == rotate;
}

/* The best is clearly right if its correlation is no chance and that of the asked one is far below. */
static void judge(const qn_detector_options *options, bool divides, double pixels, qn_gain_orientations *found)
{
    found->asked = found->best = 0;
    for (int i = 0; i < found->count; i++) {
        if (found->fits[i].correlation > found->fits[found->best].correlation) found->best = i;
        if (found->fits[i].divides == divides && is_same(&found->fits[i], options)) found->asked = i;
    }
    const double best = found->fits[found->best].correlation, asked = fmax(0, found->fits[found->asked].correlation);
    const double noise = 1 / sqrt(fmax(1, pixels));
    found->is_clear = found->best != found->asked && best > CLEAR_LEAST && best - asked > CLEAR_DEVIATIONS * noise &&
                      best > CLEAR_TIMES * asked;
}

static qn_status fit_all(const qn_detector_options *options, fitting *f, const qn_gain_file *file, qn_pool *pool,
                         qn_gain_orientations *found)
{
    const int width = f->detector->width, height = f->detector->height;
    double pixels = 0;
    void *memory;
    f->row_step = 1 + (int)((int64_t)width * height / PIXELS_ENOUGH);
    range_of(f->raw_sum, (size_t)width * (size_t)height, false, f->count_range);
    range_of(file->values, (size_t)file->width * (size_t)file->height, true, f->gain_range);
    QN_TRY(qn_allocate((size_t)height, sizeof *f->rows, &memory));
    f->rows = memory;
    for (int i = 0; i < ORIENTATIONS; i++) {
        const int rotate = orientations[i].rotate, flip = orientations[i].flip;
        double correlations[2];
        qn_gain_view view;
        if (!qn_gain_view_make(file, rotate, flip, width, height, &view)) continue;
        f->view = &view;
        QN_TRY(correlate(f, pool, &pixels, correlations));
        for (int k = 0; k < 2; k++) found->fits[found->count++] = (qn_gain_fit){rotate, flip, k == 1, correlations[k]};
    }
    judge(options, f->detector->divides, pixels, found);
    return QN_OK;
}

qn_status qn_gain_orientations_find(const qn_detector_options *options, const qn_detector *detector,
                                    const float *raw_sum, int frames, qn_pool *pool, qn_gain_orientations *found)
{
    qn_gain_file file;
    fitting f = {.detector = detector, .raw_sum = raw_sum, .frames = frames};
    *found = (qn_gain_orientations){0};
    if (!options->gain || detector->width < 3) return QN_OK;
    QN_TRY(qn_gain_file_read(options->gain, &file));
    const qn_status status = fit_all(options, &f, &file, pool, found);
    qn_release(&f.rows);
    qn_gain_file_clear(&file);
    return status;
}

qn_status qn_gain_orientations_check(const qn_gain_orientations *found, const char *movie)
{
    char text[96];
    if (!found->is_clear) return QN_OK;
    const qn_gain_fit *best = &found->fits[found->best], *asked = &found->fits[found->asked];
    int length = snprintf(text, sizeof text, "--gain-rotate %d", best->rotate);
    if (best->flip != 0 || asked->flip != 0)
        length += snprintf(text + length, sizeof text - (size_t)length, " --gain-flip %d", best->flip);
    if (best->divides != asked->divides)
        snprintf(text + length, sizeof text - (size_t)length, " --gain-mode %s", best->divides ? "divide" : "multiply");
    return QN_FAIL(QN_INVALID_ARGUMENT, "%s: %s fits (%.2f), as asked does not (%.2f)", movie, text, best->correlation,
                   asked->correlation);
}

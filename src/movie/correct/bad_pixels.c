#include "movie/correct/bad_pixels.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/random.h"

enum { REACH = 2, NEIGHBOURS = 24, GOOD_LEAST = 7 };
static const uint64_t REPLACEMENT_STREAM = 0x626164; /* random numbers for replacements only */

/* Sums of one row; the rows are added in order, so that totals do not depend on threads. */
typedef struct row_sums {
    double sum, squares;
    size_t finite, not_zero, bad, hot;
} row_sums;

typedef struct search {
    const qn_detector *detector;
    const qn_bad_pixels_options *options;
    unsigned char *mask; /* [height][width]: 0 good, 1 by the detector, 2 hot */
    row_sums *rows;
    double mean, threshold;
    qn_bad_pixels *bad;
} search;

static double value_at(const search *s, size_t i)
{
    const double dark = s->detector->dark ? s->options->frames * (double)s->detector->dark[i] : 0;
    const double gain = (double)s->detector->gain[i];
    return gain == 0 ? 0 : ((double)s->options->raw_sum[i] - dark) * gain;
}

static qn_status sum_row(size_t y, int worker, void *user)
{
    const search *s = user;
    const size_t width = (size_t)s->detector->width;
    row_sums *row = &s->rows[y];
    (void)worker;
    for (size_t i = y * width; i < (y + 1) * width; i++) {
        const double value = value_at(s, i);
        row->not_zero += s->options->raw_sum[i] != 0;
        if (!isfinite(value)) continue;
        row->sum += value;
        row->finite++;
    }
    return QN_OK;
}

static qn_status square_row(size_t y, int worker, void *user)
{
    const search *s = user;
    const size_t width = (size_t)s->detector->width;
    (void)worker;
    for (size_t i = y * width; i < (y + 1) * width; i++) {
        const double value = value_at(s, i) - s->mean;
        if (isfinite(value)) s->rows[y].squares += value * value;
    }
    return QN_OK;
}

static qn_status mark_row(size_t y, int worker, void *user)
{
    const search *s = user;
    const size_t width = (size_t)s->detector->width;
    row_sums *row = &s->rows[y];
    (void)worker;
    for (size_t i = y * width; i < (y + 1) * width; i++) {
        const bool hot = !(value_at(s, i) <= s->threshold); /* also what is not finite */
        s->mask[i] = s->detector->bad[i] ? 1 : hot ? 2 : 0;
        row->bad += s->mask[i] != 0;
        row->hot += s->mask[i] == 2;
    }
    return QN_OK;
}

static qn_status measure(search *s, qn_pool *pool)
{
    const size_t height = (size_t)s->detector->height;
    size_t finite = 0, not_zero = 0;
    double sum = 0, squares = 0;
    QN_TRY(qn_pool_run(pool, height, sum_row, s));
    for (size_t y = 0; y < height; y++) {
        sum += s->rows[y].sum;
        finite += s->rows[y].finite;
        not_zero += s->rows[y].not_zero;
    }
    if (not_zero == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: all counts of its %d frames are 0", s->options->movie, s->options->frames);
    s->mean = finite > 0 ? sum / (double)finite : 0;
    QN_TRY(qn_pool_run(pool, height, square_row, s));
    for (size_t y = 0; y < height; y++) squares += s->rows[y].squares;
    s->bad->mean = s->mean;
    s->bad->deviation = finite > 0 ? sqrt(squares / (double)finite) : 0;
    s->bad->threshold = s->mean + s->options->hot_deviations * s->bad->deviation;
    s->threshold = s->options->hot_deviations > 0 ? s->bad->threshold : INFINITY;
    return QN_OK;
}

static qn_status allocate_lists(const search *s)
{
    qn_bad_pixels *bad = s->bad;
    void *memory;
    for (size_t y = 0; y < (size_t)s->detector->height; y++) {
        bad->count += s->rows[y].bad;
        bad->hot_count += s->rows[y].hot;
    }
    if (bad->count == (size_t)s->detector->width * (size_t)s->detector->height)
        return QN_FAIL(QN_BAD_FORMAT, "%s: every pixel is bad; expected a gain and defects that leave some",
                       s->options->movie);
    QN_TRY(qn_allocate(bad->count, sizeof *bad->pixels, &memory));
    bad->pixels = memory;
    QN_TRY(qn_allocate(bad->count, sizeof *bad->replacements, &memory));
    bad->replacements = memory;
    QN_TRY(qn_allocate(bad->hot_count, sizeof *bad->hot, &memory));
    bad->hot = memory;
    return QN_OK;
}

/* A random good pixel near `pixel`, or −1. Neighbours are counted row by row. */
static int32_t replacement_of(const search *s, size_t pixel)
{
    const int width = s->detector->width, height = s->detector->height;
    const int x = (int)(pixel % (size_t)width), y = (int)(pixel / (size_t)width);
    int32_t good[NEIGHBOURS];
    int count = 0;
    for (int v = y - REACH; v <= y + REACH; v++)
        for (int u = x - REACH; u <= x + REACH; u++) {
            if (u < 0 || v < 0 || u >= width || v >= height) continue;
            const size_t i = (size_t)v * (size_t)width + (size_t)u;
            if (s->mask[i] == 0) good[count++] = (int32_t)i;
        }
    if (count < GOOD_LEAST) return -1;
    return good[(int)(qn_random_uniform(s->options->seed, REPLACEMENT_STREAM, pixel) * count)];
}

static qn_status list(const search *s)
{
    const size_t pixels = (size_t)s->detector->width * (size_t)s->detector->height;
    size_t count = 0, hot = 0;
    QN_TRY(allocate_lists(s));
    for (size_t i = 0; i < pixels && count < s->bad->count; i++) {
        if (s->mask[i] == 0) continue;
        if (s->mask[i] == 2) s->bad->hot[hot++] = (int32_t)i;
        s->bad->pixels[count] = (int32_t)i;
        s->bad->replacements[count++] = replacement_of(s, i);
    }
    return QN_OK;
}

static qn_status find(search *s, qn_pool *pool)
{
    const size_t width = (size_t)s->detector->width, height = (size_t)s->detector->height;
    void *memory;
    QN_TRY(qn_allocate(width * height, 1, &memory));
    s->mask = memory;
    QN_TRY(qn_allocate(height, sizeof *s->rows, &memory));
    s->rows = memory;
    QN_TRY(measure(s, pool));
    QN_TRY(qn_pool_run(pool, height, mark_row, s));
    return list(s);
}

qn_status qn_bad_pixels_find(const qn_detector *detector, const qn_bad_pixels_options *options, qn_pool *pool,
                             qn_bad_pixels *bad)
{
    search s = {.detector = detector, .options = options, .bad = bad};
    *bad = (qn_bad_pixels){0};
    const qn_status status = find(&s, pool);
    qn_release(&s.mask);
    qn_release(&s.rows);
    if (status != QN_OK) qn_bad_pixels_clear(bad);
    return status;
}

void qn_bad_pixels_clear(qn_bad_pixels *bad)
{
    qn_release(&bad->pixels);
    qn_release(&bad->replacements);
    qn_release(&bad->hot);
    *bad = (qn_bad_pixels){0};
}

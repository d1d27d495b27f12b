#include "movie/correct/bad_pixels.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/random.h"

enum { REACH = 2, NEIGHBOURS = 24, GOOD_LEAST = 7 };
enum { GOOD = 0, NAMED, HOT, BRIGHT }; /* of the mask: NAMED by the detector, BRIGHT hot like its surroundings */

static const double BRIGHT_SHARE = 1.0 / 3;          /* of a pixel's excess that its surroundings have, at least */
static const uint64_t REPLACEMENT_STREAM = 0x626164; /* random numbers for replacements only */

/* Sums of one row; the rows are added in order, so that totals do not depend on threads. */
typedef struct row_sums {
    double sum, squares, finite, not_zero; /* the last two: numbers of pixels */
    double largest;                        /* of the finite values */
    size_t bad, hot;
} row_sums;

typedef struct search {
    const qn_detector *detector;
    const qn_bad_pixels_options *options;
    unsigned char *mask; /* [height][width] */
    row_sums *rows;
    double threshold;
    qn_bad_pixels *bad;
} search;

/* Σ_t I of pixel i; 0 for dead pixels. */
static inline double value_at(const search *s, size_t i)
{
    const double dark = s->detector->dark ? s->options->frames * (double)s->detector->dark[i] : 0;
    const double gain = (double)s->detector->gain[i];
    return gain == 0 ? 0 : ((double)s->options->raw_sum[i] - dark) * gain;
}

/* `value`, or 0 if it is not wanted. A choice in bits: the compiler does not vectorise products that a branch skips. */
static inline double value_if(int wanted, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits &= 0 - (uint64_t)wanted;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

/* Counts of `count` pixels from `first` on, as value_at gives them. */
static void values_of(const search *s, size_t first, size_t count, double *restrict values)
{
    const float *restrict raw = s->options->raw_sum + first, *restrict gain = s->detector->gain + first;
    const float *restrict dark = s->detector->dark ? s->detector->dark + first : NULL;
    const double frames = s->options->frames;
    for (size_t i = 0; i < count; i++) values[i] = (double)raw[i];
    for (size_t i = 0; dark && i < count; i++) values[i] -= frames * (double)dark[i];
#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        const double factor = (double)gain[i];
        values[i] = value_if(factor != 0, values[i] * factor);
    }
}

/* Values that are infinite or NaN are left out. */
static void add_finite_values(const double *values, size_t count, row_sums *row)
{
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(values[i]) <= DBL_MAX)) continue;
        row->sum += values[i];
        row->squares += values[i] * values[i];
        row->finite++;
        row->largest = fmax(row->largest, values[i]);
    }
}

static void add_values(const double *restrict values, size_t count, row_sums *row)
{
    double sum = 0, squares = 0, largest = row->largest;
#pragma omp simd reduction(+ : sum, squares)
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
        squares += values[i] * values[i];
    }
    if (!isfinite(squares)) {
        add_finite_values(values, count, row);
        return;
    }
#pragma omp simd reduction(max : largest)
    for (size_t i = 0; i < count; i++) largest = values[i] > largest ? values[i] : largest;
    row->sum += sum;
    row->squares += squares;
    row->finite += (double)count;
    row->largest = largest;
}

static qn_status sum_row(size_t y, int worker, void *user)
{
    enum { PIECE = 512 };
    const search *s = user;
    const size_t width = (size_t)s->detector->width, end = (y + 1) * width;
    double values[PIECE];
    row_sums row = {.largest = -INFINITY};
    (void)worker;
    for (size_t first = y * width; first < end; first += PIECE) {
        const size_t count = end - first < PIECE ? end - first : PIECE;
        int not_zero = 0;
        values_of(s, first, count, values);
        add_values(values, count, &row);
        for (size_t i = first; i < first + count; i++) not_zero += s->options->raw_sum[i] != 0;
        row.not_zero += not_zero;
    }
    s->rows[y] = row;
    return QN_OK;
}

/* Whether the pixels at a distance of 2 are bright as well, as they are in the image of a particle but not around a
 * pixel that counts by itself, nor around four that a camera made of one. */
static bool is_bright(const search *s, size_t pixel)
{
    const int width = s->detector->width, height = s->detector->height;
    const int x = (int)(pixel % (size_t)width), y = (int)(pixel / (size_t)width);
    double sum = 0;
    int count = 0;
    for (int v = y - REACH; v <= y + REACH; v++)
        for (int u = x - REACH; u <= x + REACH; u++) {
            const bool around = abs(u - x) == REACH || abs(v - y) == REACH;
            if (!around || u < 0 || v < 0 || u >= width || v >= height) continue;
            const size_t i = (size_t)v * (size_t)width + (size_t)u;
            if (s->detector->bad[i]) continue;
            sum += value_at(s, i) - s->bad->mean;
            count++;
        }
    return count > 0 && sum / count > BRIGHT_SHARE * (value_at(s, pixel) - s->bad->mean);
}

/* The first pixel from i on that is not GOOD, or `end`. Nearly all are good: they are passed eight at a time. */
static size_t next_marked(const unsigned char *mask, size_t i, size_t end)
{
    uint64_t eight = 0;
    for (; i + sizeof eight <= end && eight == 0; i += sizeof eight) memcpy(&eight, mask + i, sizeof eight);
    if (eight != 0) i -= sizeof eight;
    while (i < end && mask[i] == GOOD) i++;
    return i;
}

static qn_status mark_row(size_t y, int worker, void *user)
{
    const search *s = user;
    const size_t width = (size_t)s->detector->width, end = (y + 1) * width;
    const unsigned char *restrict named = s->detector->bad;
    unsigned char *restrict mask = s->mask;
    row_sums *row = &s->rows[y];
    (void)worker;
    /* Nearly all rows are good, as the mask is already. */
    if (row->finite == (double)width && row->largest <= s->threshold && next_marked(named, y * width, end) == end)
        return QN_OK;
#pragma omp simd
    for (size_t i = y * width; i < end; i++) {
        const int hot = !(value_at(s, i) <= s->threshold); /* also what is not finite */
        mask[i] = (unsigned char)(named[i] ? NAMED : hot ? HOT : GOOD);
    }
    for (size_t i = next_marked(mask, y * width, end); i < end; i = next_marked(mask, i + 1, end)) {
        if (mask[i] == HOT && is_bright(s, i)) mask[i] = BRIGHT;
        row->bad += s->mask[i] == NAMED || s->mask[i] == HOT;
        row->hot += s->mask[i] == HOT || s->mask[i] == BRIGHT;
    }
    return QN_OK;
}

static qn_status measure(search *s, qn_pool *pool)
{
    row_sums all = {0};
    QN_TRY(qn_pool_run(pool, (size_t)s->detector->height, sum_row, s));
    for (size_t y = 0; y < (size_t)s->detector->height; y++) {
        all.sum += s->rows[y].sum;
        all.squares += s->rows[y].squares;
        all.finite += s->rows[y].finite;
        all.not_zero += s->rows[y].not_zero;
    }
    if (all.not_zero == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: all counts of its %d frames are 0", s->options->movie, s->options->frames);
    const double count = fmax(1, all.finite), mean = all.sum / count;
    s->bad->mean = mean;
    s->bad->deviation = sqrt(fmax(0, all.squares / count - mean * mean));
    s->bad->threshold = mean + s->options->hot_deviations * s->bad->deviation;
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
            if (s->mask[i] == GOOD || s->mask[i] == BRIGHT) good[count++] = (int32_t)i;
        }
    if (count < GOOD_LEAST) return -1;
    return good[(int)(qn_random_uniform(s->options->seed, REPLACEMENT_STREAM, pixel) * count)];
}

static qn_status list(const search *s)
{
    const size_t width = (size_t)s->detector->width;
    size_t count = 0, hot = 0;
    QN_TRY(allocate_lists(s));
    for (size_t y = 0; y < (size_t)s->detector->height; y++) {
        const size_t end = (y + 1) * width;
        if (s->rows[y].bad == 0 && s->rows[y].hot == 0) continue;
        for (size_t i = next_marked(s->mask, y * width, end); i < end; i = next_marked(s->mask, i + 1, end)) {
            if (s->mask[i] == HOT || s->mask[i] == BRIGHT) s->bad->hot[hot++] = (int32_t)i;
            if (s->mask[i] == BRIGHT) continue;
            s->bad->pixels[count] = (int32_t)i;
            s->bad->replacements[count++] = replacement_of(s, i);
        }
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

#include "movie/align/rings.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* In rings: the width of the Gaussian that smooths the correlation, and the part of the spectrum in which the noise is
 * measured for its scale. */
static const double SMOOTHING_RINGS = 1.5;
enum { NOISE_FIRST = 20, NOISE_LAST = 60 };
static const double CORRELATION_FLOOR = 0.01, CORRELATION_MOST = 0.999;

double qn_ring_width(const double coarse_px[2])
{
    return 0.5 / fmax(coarse_px[0], coarse_px[1]) / QN_ALIGN_RINGS;
}

/* ---- places ---- */

/* The ring of a place; −1 in the Nyquist row and column, and beyond the last ring. */
static int ring_of(int x, int row, const int size[2], const double coarse_px[2])
{
    const int y = row <= size[1] / 2 ? row : row - size[1];
    const double kx = x / (size[0] * coarse_px[0]), ky = y / (size[1] * coarse_px[1]);
    const double ring = sqrt(kx * kx + ky * ky) / qn_ring_width(coarse_px) + 0.5;
    return ring < QN_ALIGN_RINGS + 1 && row != size[1] / 2 && x != size[0] / 2 ? (int)ring : -1;
}

qn_status qn_ring_places_make(const int size[2], const double coarse_px[2], qn_ring_places *places)
{
    const int columns = size[0] / 2 + 1, pixels = columns * size[1];
    int32_t next[QN_ALIGN_RINGS + 1];
    void *memory;
    *places = (qn_ring_places){.size = {size[0], size[1]}};
    QN_TRY(qn_allocate((size_t)pixels, 2 * sizeof(int32_t), &memory));
    places->pixels = memory;
    int32_t *rings = places->pixels + pixels; /* of all places; the room is not used later */
    for (int i = 0; i < pixels; i++) {
        rings[i] = ring_of(i % columns, i / columns, size, coarse_px);
        if (rings[i] < 0) continue;
        places->starts[rings[i] + 1]++;
        places->numbers[rings[i]] += i % columns == 0 ? 1 : 2; /* the other half of the spectrum */
    }
    for (int ring = 0; ring <= QN_ALIGN_RINGS; ring++) {
        next[ring] = places->starts[ring];
        places->starts[ring + 1] += places->starts[ring];
    }
    for (int i = 0; i < pixels; i++)
        if (rings[i] >= 0) places->pixels[next[rings[i]]++] = i;
    places->count = places->starts[QN_ALIGN_RINGS + 1];
    return QN_OK;
}

void qn_ring_places_release(qn_ring_places *places)
{
    qn_release(&places->pixels);
    *places = (qn_ring_places){{0}};
}

/* ---- sums ---- */

void qn_ring_sums_clear(const double coarse_px[2], qn_ring_sums *rings)
{
    memset(rings, 0, sizeof *rings);
    rings->width = qn_ring_width(coarse_px);
}

void qn_ring_sums_add(qn_ring_sums *rings, const qn_ring_places *places, int patches, const float *sums)
{
    for (int p = 0; p < patches; p++)
        for (int i = 0; i <= QN_ALIGN_RINGS; i++, sums += 3) {
            rings->product[i] += (double)sums[0];
            rings->even[i] += (double)sums[1];
            rings->odd[i] += (double)sums[2];
            rings->count[i] += places->numbers[i];
        }
}

double qn_ring_sums_agreement(const qn_ring_sums *rings)
{
    double sum = 0, count = 0, largest = 0;
    for (int i = 1; i <= QN_ALIGN_RINGS; i++) {
        const double power = sqrt(rings->even[i] * rings->odd[i]);
        if (!(power > 0)) continue;
        sum += rings->product[i] / power * rings->count[i];
        count += rings->count[i]; /* the variance of a correlation of n numbers is 1 / n */
        largest = fmax(largest, sum / sqrt(count));
    }
    return largest;
}

/* ---- filters ---- */

/* Gaussian smoothing in which a ring counts as often as it has numbers at most once: rings without numbers, which small
 * patches have, get the mean of their neighbours. */
static void smooth(const double *values, const double *count, double *smoothed)
{
    const int reach = (int)(4 * SMOOTHING_RINGS + 0.5);
    for (int i = 0; i <= QN_ALIGN_RINGS; i++) {
        double sum = 0, weights = 0;
        for (int j = i - reach; j <= i + reach; j++) {
            if (j < 0 || j > QN_ALIGN_RINGS || count[j] <= 0) continue;
            const double weight = exp(-(j - i) * (j - i) / (2 * SMOOTHING_RINGS * SMOOTHING_RINGS));
            sum += weight * values[j];
            weights += weight;
        }
        smoothed[i] = weights > 0 ? sum / weights : 0;
    }
}

/* Noise by ring, relative to its mean in the middle of the spectrum. The two lowest rings, which have too few numbers,
 * and rings without numbers take their neighbour's. */
static void relative_noise(const qn_ring_sums *rings, double *noise)
{
    double sum = 0, last = 0;
    int count = 0, first = 0;
    for (int i = 2; i <= QN_ALIGN_RINGS; i++) {
        if (rings->count[i] > 0) {
            last = (rings->even[i] + rings->odd[i] - 2 * rings->product[i]) / rings->count[i];
            if (first == 0) first = i;
            if (i >= NOISE_FIRST && i < NOISE_LAST) sum += last, count++;
        }
        noise[i] = last;
    }
    for (int i = 0; i < first; i++) noise[i] = noise[first];
    const double mean = sum > 0 ? sum / count : 1;
    for (int i = 0; i <= QN_ALIGN_RINGS; i++) noise[i] = fmax(noise[i] / mean, 1e-3);
}

void qn_ring_filter_from_data(const qn_ring_sums *rings, int frames, const qn_ring_filter *otherwise,
                              qn_ring_filter *filter)
{
    double raw[QN_ALIGN_RINGS + 1], noise[QN_ALIGN_RINGS + 1], total = 0;
    *filter = (qn_ring_filter){.width = rings->width, .by_data = true};
    for (int i = 0; i <= QN_ALIGN_RINGS; i++) {
        const double power = sqrt(rings->even[i] * rings->odd[i]);
        raw[i] = i == 0 || power <= 0 ? 0 : fmin(fmax(rings->product[i] / power, 0), CORRELATION_MOST);
    }
    smooth(raw, rings->count, filter->correlation);
    relative_noise(rings, noise);
    for (int i = 0; i <= QN_ALIGN_RINGS; i++) {
        const double f = fmax(filter->correlation[i] - CORRELATION_FLOOR, 0), s = 2 * f / ((1 - f) * frames);
        filter->weight[i] = s / (1 + s * frames) / noise[i];
        total += filter->weight[i];
    }
    if (total > 0) return;
    for (int i = 0; i <= QN_ALIGN_RINGS; i++) filter->weight[i] = otherwise->weight[i];
    filter->by_data = false;
}

void qn_ring_filter_gaussian(double b_px2, double width, qn_ring_filter *filter)
{
    *filter = (qn_ring_filter){.width = width};
    for (int i = 0; i <= QN_ALIGN_RINGS; i++) filter->weight[i] = exp(-2 * b_px2 * (i * width) * (i * width));
}

#include "movie/align/rings.h"

#include <math.h>
#include <string.h>

/* In rings: the width of the Gaussian that smooths the correlation, and the part of the spectrum in which the noise is
 * measured for its scale. */
static const double SMOOTHING_RINGS = 1.5;
enum { NOISE_FIRST = 20, NOISE_LAST = 60 };
static const double CORRELATION_FLOOR = 0.01, CORRELATION_MOST = 0.999;

void qn_ring_sums_clear(const double coarse_px[2], qn_ring_sums *rings)
{
    memset(rings, 0, sizeof *rings);
    rings->width = 0.5 / fmax(coarse_px[0], coarse_px[1]) / QN_ALIGN_RINGS;
}

static int signed_row(int row, int rows)
{
    return row <= rows / 2 ? row : row - rows;
}

/* |k| in 1 / unbinned px */
static double frequency(int x, int y, const int size[2], const double coarse_px[2])
{
    const double kx = x / (size[0] * coarse_px[0]), ky = y / (size[1] * coarse_px[1]);
    return sqrt(kx * kx + ky * ky);
}

void qn_ring_sums_add(qn_ring_sums *rings, const int size[2], const double coarse_px[2], const float *even,
                      const float *odd)
{
    const int columns = size[0] / 2 + 1;
    for (int row = 0; row < size[1]; row++)
        for (int x = 0; x < columns - 1; x++) {
            const double ring = frequency(x, signed_row(row, size[1]), size, coarse_px) / rings->width + 0.5;
            if (ring >= QN_ALIGN_RINGS + 1 || row == size[1] / 2) continue;
            const int i = (int)ring;
            const double times = x == 0 ? 1 : 2; /* the other half of the spectrum */
            const float *e = even + (size_t)2 * (size_t)(row * columns + x);
            const float *o = odd + (size_t)2 * (size_t)(row * columns + x);
            rings->product[i] += times * ((double)e[0] * (double)o[0] + (double)e[1] * (double)o[1]);
            rings->even[i] += times * ((double)e[0] * (double)e[0] + (double)e[1] * (double)e[1]);
            rings->odd[i] += times * ((double)o[0] * (double)o[0] + (double)o[1] * (double)o[1]);
            rings->count[i] += times;
        }
}

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

void qn_ring_filter_plane(const qn_ring_filter *filter, const int size[2], const double coarse_px[2], float *plane)
{
    const int columns = size[0] / 2 + 1;
    for (int row = 0; row < size[1]; row++)
        for (int x = 0; x < columns; x++) {
            const double ring = frequency(x, signed_row(row, size[1]), size, coarse_px) / filter->width;
            const int i = (int)ring;
            const bool lost = (x == 0 && row == 0) || x == columns - 1 || row == size[1] / 2 || i >= QN_ALIGN_RINGS;
            plane[row * columns + x] =
                lost ? 0 : (float)(filter->weight[i] + (ring - i) * (filter->weight[i + 1] - filter->weight[i]));
        }
}

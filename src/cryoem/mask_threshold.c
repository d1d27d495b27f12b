#include "cryoem/mask_threshold.h"

#include <math.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

enum { BINS = 1 << 16, STEPS_MAX = 200 };

/* Share of all values in the background's interval; share of the values below the background that lie below background
 * − noise: the tail of a normal distribution beyond one deviation, relative to its half. */
static const double background_share = 0.25, noise_share = 0.3173, noises_above = 3;

/* Shares of the mean height of the values above the threshold, and above the level of the surface. */
static const double height_share = 0.25, surface_share = 0.5;

typedef struct histogram {
    uint64_t *counts;
    uint64_t total;
    double low, width; /* lower end of the histogram; width of a bin */
} histogram;

static double middle_of(const histogram *h, size_t bin)
{
    return h->low + h->width * ((double)bin + 0.5);
}

typedef struct counting {
    const qn_volume *map;
    const histogram *h;
    uint64_t *counts; /* [worker][BINS] */
} counting;

static qn_status count_plane(size_t z, int worker, void *user)
{
    const counting *work = user;
    const size_t plane = (size_t)work->map->counts[0] * (size_t)work->map->counts[1];
    const float *values = work->map->values + z * plane;
    const double low = work->h->low, bins_per_unit = 1 / work->h->width;
    uint64_t *counts = work->counts + (size_t)worker * BINS;
    for (size_t i = 0; i < plane; i++) {
        const double place = ((double)values[i] - low) * bins_per_unit;
        counts[place < BINS - 1 ? (size_t)place : BINS - 1]++;
    }
    return QN_OK;
}

/* Fill the histogram. Each thread has counts of its own. */
static qn_status fill(qn_pool *pool, const qn_volume *map, histogram *h)
{
    const int workers = pool ? qn_pool_threads(pool) : 1;
    counting work = {.map = map, .h = h};
    void *memory;
    QN_TRY(qn_allocate((size_t)workers * BINS, sizeof *work.counts, &memory));
    work.counts = memory;
    const qn_status status = qn_pool_run(pool, (size_t)map->counts[2], count_plane, &work);
    for (int worker = 0; worker < workers; worker++)
        for (size_t i = 0; i < BINS; i++) h->counts[i] += work.counts[(size_t)worker * BINS + i];
    h->total = (uint64_t)map->counts[0] * (uint64_t)map->counts[1] * (uint64_t)map->counts[2];
    qn_release(&memory);
    return status;
}

/* Find the shortest interval with the background's share, by moving both its ends upwards. */
static double find_background(const histogram *h)
{
    const uint64_t wanted = (uint64_t)(background_share * (double)h->total) + 1;
    size_t best_first = 0, best_last = BINS - 1;
    uint64_t inside = 0;
    for (size_t first = 0, end = 0; first < BINS; first++) {
        while (end < BINS && inside < wanted) inside += h->counts[end++];
        if (inside < wanted) break;
        if (end - 1 - first < best_last - best_first) {
            best_first = first;
            best_last = end - 1;
        }
        inside -= h->counts[first];
    }
    return (middle_of(h, best_first) + middle_of(h, best_last)) / 2;
}

static double find_noise(const histogram *h, double background)
{
    uint64_t below = 0, passed = 0;
    size_t bin = 0;
    for (size_t i = 0; i < BINS && middle_of(h, i) < background; i++) below += h->counts[i];
    const uint64_t wanted = (uint64_t)(noise_share * (double)below);
    for (; bin < BINS && passed + h->counts[bin] <= wanted; bin++) passed += h->counts[bin];
    return fmax(0, background - middle_of(h, bin));
}

/* Mean of the values above a level; the level itself if there are none. */
static double mean_above(const histogram *h, double level)
{
    double sum = 0, count = 0;
    for (size_t i = BINS; i-- > 0 && middle_of(h, i) > level;) {
        sum += (double)h->counts[i] * middle_of(h, i);
        count += (double)h->counts[i];
    }
    return count > 0 ? sum / count : level;
}

static double find_threshold(const histogram *h, double background, double noise, double share)
{
    const double least = background + noises_above * noise;
    double threshold = least;
    for (int step = 0; step < STEPS_MAX; step++) {
        const double next = fmax(least, background + share * (mean_above(h, threshold) - background));
        if (next <= threshold + h->width / 4) break; /* the threshold rises at every step */
        threshold = next;
    }
    return threshold;
}

qn_status qn_mask_find_levels(qn_pool *pool, const qn_volume *map, float low, float high, qn_mask_levels *levels)
{
    histogram h = {.low = (double)low, .width = ((double)high - (double)low) / BINS};
    void *memory;
    QN_TRY(qn_allocate(BINS, sizeof *h.counts, &memory));
    h.counts = memory;
    const qn_status status = fill(pool, map, &h);
    if (status == QN_OK) {
        levels->background = find_background(&h);
        levels->noise = find_noise(&h, levels->background);
        levels->threshold = find_threshold(&h, levels->background, levels->noise, height_share);
        levels->surface = find_threshold(&h, levels->background, levels->noise, surface_share);
    }
    qn_release(&memory);
    return status;
}

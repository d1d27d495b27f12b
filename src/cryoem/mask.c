/* Soft masks around the density of a map. */
#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized_struct.h"
#include "cryoem/distance.h"
#include "cryoem/grid_transform.h"
#include "cryoem/mask_parts.h"
#include "cryoem/mask_report.h"
#include "cryoem/mask_threshold.h"
#include "cryoem/volume_check.h"
#include "runtime/device.h"

static const double default_low_pass_angstrom = 15, least_low_pass_voxels = 4;

/* Parts with fewer voxels than least_share of the largest are dropped. A part must reach peak_noises deviations of the
 * noise somewhere: even in a large map, with a few million independent voxels, noise alone does not reach them. */
static const double least_share = 0.1, peak_noises = 6;

static const double most_margin_voxels = 1000;

/* ---- low-pass filter ---- */

typedef struct filter_work {
    int counts[3];
    float *factors[3]; /* factor for each index along each axis; a Gaussian is the product of the three */
    float *spectrum;
} filter_work;

static qn_status filter_plane(size_t z, int worker, void *user)
{
    (void)worker;
    const filter_work *work = user;
    const int width = work->counts[0] / 2 + 1;
    float *value = work->spectrum + 2 * z * (size_t)work->counts[1] * (size_t)width;
    for (int y = 0; y < work->counts[1]; y++, value += 2 * width) {
        const float row = work->factors[1][y] * work->factors[2][z];
        for (int x = 0; x < width; x++) {
            const float factor = row * work->factors[0][x];
            value[2 * x] *= factor;
            value[2 * x + 1] *= factor;
        }
    }
    return QN_OK;
}

static qn_status filter(void *const *addresses, qn_pool *pool, void *user)
{
    filter_work *work = user;
    work->spectrum = addresses[1];
    return qn_pool_run(pool, (size_t)work->counts[2], filter_plane, work);
}

/* The factors include the 1/N of the inverse transform. */
static void fill_factors(const qn_volume *map, int axis, double low_pass_angstrom, float *factors)
{
    const int count = map->counts[axis];
    const double box_angstrom = count * map->voxel_angstrom[axis];
    for (int i = 0; i < count; i++) {
        const double share = (2 * i <= count ? i : i - count) * low_pass_angstrom / box_angstrom;
        factors[i] = (float)(exp(-log(2) * share * share) / count);
    }
}

/* Fill the grid with the low-pass filtered map. The Gaussian filter halves amplitudes at 1 / low_pass_angstrom and,
 * unlike a sharp edge, makes no rings, which would pass the threshold. */
static qn_status low_pass(const qn_volume *map, double low_pass_angstrom, qn_grid_transform *grid)
{
    filter_work work = {.counts = {map->counts[0], map->counts[1], map->counts[2]}};
    void *memory;
    QN_TRY(
        qn_allocate((size_t)map->counts[0] + (size_t)map->counts[1] + (size_t)map->counts[2], sizeof(float), &memory));
    work.factors[0] = memory;
    work.factors[1] = work.factors[0] + map->counts[0];
    work.factors[2] = work.factors[1] + map->counts[1];
    for (int k = 0; k < 3; k++) fill_factors(map, k, low_pass_angstrom, work.factors[k]);
    qn_status status = qn_grid_transform_fill(grid, map->values, NULL);
    if (status == QN_OK) status = qn_grid_transform_forward(grid, 0);
    if (status == QN_OK) status = qn_grid_transform_use(grid, filter, &work);
    if (status == QN_OK) status = qn_grid_transform_inverse(grid, 0);
    qn_release(&memory);
    return status;
}

/* ---- threshold and parts ---- */

/* Choose the threshold, unless it is given. */
static qn_status choose_threshold(qn_pool *pool, const qn_volume *filtered, const char *name, qn_mask_report *report,
                                  float *high)
{
    qn_mask_levels levels;
    float low;
    QN_TRY(qn_volume_range(pool, filtered, name, &low, high));
    report->background = report->noise = (double)NAN;
    if (!isnan(report->options.threshold)) return QN_OK;
    if (low == *high)
        return QN_FAIL(QN_BAD_FORMAT, "%s: every voxel is %g, so that nothing stands out", name, (double)low);
    QN_TRY(qn_mask_find_levels(pool, filtered, low, *high, &levels));
    report->options.threshold = levels.threshold;
    report->background = levels.background;
    report->noise = levels.noise;
    return QN_OK;
}

static qn_status find_parts(qn_pool *pool, const qn_volume *filtered, const char *name, qn_mask_report *report,
                            float *distance)
{
    const qn_mask_options *options = &report->options;
    qn_mask_parts parts;
    float high;
    QN_TRY(choose_threshold(pool, filtered, name, report, &high));
    const bool chosen = !isnan(report->noise);
    const double threshold = options->threshold;
    const double peak = chosen ? fmax(threshold, report->background + peak_noises * report->noise) : threshold;
    QN_TRY(qn_mask_find_parts(pool, filtered, threshold, peak, least_share, distance, &parts));
    report->parts_found = parts.found;
    report->parts_kept = parts.kept;
    if (parts.kept > 0) return QN_OK;
    if (!chosen)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: nothing is above the threshold of %g: filtered to %g Å it has values up to %g", name,
                       threshold, options->low_pass_angstrom, (double)high);
    return QN_FAIL(
        QN_BAD_FORMAT,
        "%s: nothing stands out: filtered to %g Å its highest voxel is %.3g above a background of %.3g that scatters "
        "by %.3g; expected density brighter than its surroundings by more than %g times that",
        name, options->low_pass_angstrom, (double)high - report->background, report->background, report->noise,
        peak_noises);
}

/* ---- edge ---- */

typedef struct edge_work {
    const qn_mask_options *options;
    size_t plane;
    float *values; /* squared distances, then the mask */
} edge_work;

static qn_status soften_plane(size_t z, int worker, void *user)
{
    (void)worker;
    const edge_work *work = user;
    const float pi = 3.14159265f, full = (float)work->options->extend_voxels;
    const float edge = (float)work->options->soft_edge_voxels;
    float *values = work->values + z * work->plane;
    for (size_t i = 0; i < work->plane; i++) {
        const float beyond = sqrtf(values[i]) - full;
        values[i] = beyond <= 0 ? 1 : beyond >= edge ? 0 : 0.5f + 0.5f * cosf(pi * beyond / edge);
    }
    return QN_OK;
}

static qn_status shape_mask(qn_pool *pool, const qn_mask_options *options, qn_volume *mask)
{
    edge_work work = {
        .options = options, .plane = (size_t)mask->counts[0] * (size_t)mask->counts[1], .values = mask->values};
    /* a little farther than the edge, so that voxels out of reach are 0 */
    const float reach = (float)(options->extend_voxels + options->soft_edge_voxels) + 1;
    QN_TRY(qn_distance_squared(pool, mask->counts, reach, mask->values));
    return qn_pool_run(pool, (size_t)mask->counts[2], soften_plane, &work);
}

static qn_status settle_options(const qn_volume *map, const qn_mask_options *given, qn_mask_options *options)
{
    const double voxel = map->voxel_angstrom[0];
    *options = qn_mask_default_options();
    QN_TRY(qn_sized_struct_copy(options, sizeof *options, given, "mask"));
    if (options->low_pass_angstrom == 0)
        options->low_pass_angstrom = fmax(default_low_pass_angstrom, least_low_pass_voxels * voxel);
    if (!(options->low_pass_angstrom > 0) || !isfinite(options->low_pass_angstrom))
        return QN_FAIL(QN_INVALID_ARGUMENT, "a mask's low-pass filter is %g Å; expected a length above 0",
                       options->low_pass_angstrom);
    if (!(options->extend_voxels >= 0 && options->soft_edge_voxels >= 0 &&
          options->extend_voxels + options->soft_edge_voxels <= most_margin_voxels))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "a mask is to reach %g voxels and its edge %g farther; expected 0 to %g together",
                       options->extend_voxels, options->soft_edge_voxels, most_margin_voxels);
    if (isinf(options->threshold))
        return QN_FAIL(QN_INVALID_ARGUMENT, "a mask's threshold is %g; expected a number", options->threshold);
    return QN_OK;
}

typedef struct part_search {
    const qn_volume *map;
    const char *name;
    qn_mask_report *report;
    float *distance;
} part_search;

/* Search the filtered map in place, on the grid. */
static qn_status search_grid(void *const *addresses, qn_pool *pool, void *user)
{
    const part_search *search = user;
    qn_volume filtered = *search->map;
    filtered.values = addresses[0];
    return find_parts(pool, &filtered, search->name, search->report, search->distance);
}

static qn_status fill_mask(qn_context *context, const qn_volume *map, const char *name, qn_mask_report *report,
                           qn_volume *mask)
{
    part_search search = {.map = map, .name = name, .report = report, .distance = mask->values};
    qn_grid_transform grid;
    QN_TRY(qn_grid_transform_create(context, map->counts, 1, &grid));
    qn_status status = low_pass(map, report->options.low_pass_angstrom, &grid);
    if (status == QN_OK) status = qn_grid_transform_use(&grid, search_grid, &search);
    qn_grid_transform_destroy(&grid);
    return status == QN_OK ? shape_mask(qn_context_pool(context), &report->options, mask) : status;
}

qn_status qn_mask_create_reporting(qn_context *context, const qn_volume *map, const qn_mask_options *options,
                                   qn_volume **mask, qn_mask_report *report)
{
    const char *name = qn_volume_name(map, "the map");
    qn_mask_report made = {0};
    float low, high;
    *mask = NULL;
    QN_TRY(settle_options(map, options, &made.options));
    QN_TRY(qn_volume_range(qn_context_pool(context), map, name, &low, &high));
    QN_TRY(qn_volume_create(map->counts, map->voxel_angstrom[0], mask));
    for (int k = 0; k < 3; k++) {
        (*mask)->voxel_angstrom[k] = map->voxel_angstrom[k];
        (*mask)->origin_angstrom[k] = map->origin_angstrom[k];
        (*mask)->start[k] = map->start[k];
    }
    const qn_status status = fill_mask(context, map, name, &made, *mask);
    if (status != QN_OK) qn_volume_destroy(mask);
    if (report) *report = made;
    return status;
}

qn_status qn_mask_create(qn_context *context, const qn_volume *map, const qn_mask_options *options, qn_volume **mask)
{
    return qn_mask_create_reporting(context, map, options, mask, NULL);
}

/* The map's surface in the report, and the fall of its amplitudes. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cryoem/guinier.h"
#include "cryoem/mask_parts.h"
#include "cryoem/mask_threshold.h"
#include "cryoem/volume_check.h"
#include "reconstruct/output_parts.h"
#include "report/density.h"
#include "report/number.h"

/* ---- surface ---- */

/* Parts with fewer voxels than this share of the largest do not widen the box that is shown. */
static const double least_share = 0.02;

/* Share of the box's sides, and voxels, that are added at each side: a lower level has a larger surface. */
static const double margin_share = 0.06;
enum { MARGIN_VOXELS = 3 };

static size_t voxels_of(const qn_volume *map)
{
    return (size_t)map->counts[0] * (size_t)map->counts[1] * (size_t)map->counts[2];
}

static void measure(const qn_volume *map, double *mean, double *deviation)
{
    const size_t voxels = voxels_of(map);
    double sum = 0, squares = 0;
    for (size_t i = 0; i < voxels; i++) sum += (double)map->values[i];
    *mean = sum / (double)voxels;
    for (size_t i = 0; i < voxels; i++) squares += ((double)map->values[i] - *mean) * ((double)map->values[i] - *mean);
    *deviation = sqrt(squares / (double)voxels);
}

/* The box of voxels at distance 0, with a margin. */
static void find_box(const qn_volume *map, const float *distance, int first[3], int end[3])
{
    size_t i = 0;
    for (int k = 0; k < 3; k++) {
        first[k] = map->counts[k];
        end[k] = 0;
    }
    for (int z = 0; z < map->counts[2]; z++)
        for (int y = 0; y < map->counts[1]; y++)
            for (int x = 0; x < map->counts[0]; x++) {
                const int at[3] = {x, y, z};
                if (distance[i++] > 0) continue;
                for (int k = 0; k < 3; k++) {
                    if (at[k] < first[k]) first[k] = at[k];
                    if (at[k] >= end[k]) end[k] = at[k] + 1;
                }
            }
    for (int k = 0; k < 3; k++) {
        const int margin = MARGIN_VOXELS + (int)(margin_share * (end[k] - first[k]));
        first[k] = first[k] > margin ? first[k] - margin : 0;
        end[k] = end[k] + margin < map->counts[k] ? end[k] + margin : map->counts[k];
    }
}

/* The map, or the means of cubes of its voxels, with its level and box. */
typedef struct surface {
    const qn_volume *map;
    int cube;
    qn_mask_levels levels;
    int first[3], end[3];
    bool found; /* something stands out */
} surface;

/* Find the level of the surface and the box of the parts that it encloses. */
static qn_status find_surface(const qn_reconstruction *run, surface *found)
{
    qn_mask_parts parts;
    float low, high;
    void *distance = NULL;
    const qn_volume *map = found->map;
    found->found = false;
    QN_TRY(qn_volume_range(run->job->pool, map, "the map", &low, &high));
    if (!(high > low)) return QN_OK;
    QN_TRY(qn_mask_find_levels(run->job->pool, map, low, high, &found->levels));
    if (!(found->levels.surface < (double)high)) return QN_OK;
    QN_TRY(qn_allocate(voxels_of(map), sizeof(float), &distance));
    qn_status status = qn_mask_find_parts(run->job->pool, map, found->levels.surface, found->levels.surface,
                                          least_share, distance, &parts);
    found->found = status == QN_OK && parts.kept > 0;
    if (found->found) find_box(map, distance, found->first, found->end);
    qn_release(&distance);
    return status;
}

/* Make the map of the means of cubes. */
static qn_status reduce(const qn_volume *map, int cube, qn_volume **reduced)
{
    const int first[3] = {0};
    int counts[3];
    for (int k = 0; k < 3; k++) counts[k] = (map->counts[k] + cube - 1) / cube;
    QN_TRY(qn_volume_create(counts, cube * map->voxel_angstrom[0], reduced));
    for (int k = 0; k < 3; k++)
        (*reduced)->origin_angstrom[k] = map->origin_angstrom[k] + 0.5 * (cube - 1) * map->voxel_angstrom[k];
    size_t i = 0;
    for (int z = 0; z < counts[2]; z++)
        for (int y = 0; y < counts[1]; y++)
            for (int x = 0; x < counts[0]; x++)
                (*reduced)->values[i++] =
                    (float)qn_density_mean(map->values, map->counts, first, map->counts, cube, (const int[3]){x, y, z});
    return QN_OK;
}

static qn_status add_view(qn_report *report, const surface *shown)
{
    const qn_volume *map = shown->map;
    qn_density_view view = {.title = "Surface",
                            .values = map->values,
                            .voxel_angstrom = map->voxel_angstrom[0],
                            .lowest = shown->levels.background,
                            .level = shown->levels.surface};
    qn_text caption = {0};
    for (int k = 0; k < 3; k++) {
        view.counts[k] = map->counts[k];
        view.origin_angstrom[k] = map->origin_angstrom[k];
        view.first[k] = shown->first[k];
        view.end[k] = shown->end[k];
    }
    measure(map, &view.mean, &view.deviation);
    char level[QN_NUMBER_LENGTH];
    qn_number_read(shown->levels.surface, 3, level);
    qn_status status = qn_text_append(&caption,
                                      "The first level, %s, is half of the mean height above it, as counted from the "
                                      "background: the border of even density. σ is the deviation of all voxels. ",
                                      level);
    if (status == QN_OK && shown->cube > 1)
        status = qn_text_append(&caption, "These voxels of %.3g Å are the means of %d of the map. ",
                                view.voxel_angstrom, shown->cube * shown->cube * shown->cube);
    if (status == QN_OK) status = qn_text_append(&caption, "Drag to turn; +, − and the arrow keys work as well.");
    view.caption = caption.data;
    if (status == QN_OK) status = qn_report_density(report, &view);
    qn_text_clear(&caption);
    return status;
}

/* If the view would average voxels, levels and parts are those of the averages: noise is lower there. Noise has no
 * parts that are larger than others, so that its box is that of the whole map. */
qn_status qn_reconstruct_add_surface(qn_report *report, const qn_reconstruction *run)
{
    surface shown = {.map = run->map, .cube = 1};
    qn_volume *reduced = NULL;
    if (!run->map) return QN_OK;
    QN_TRY(find_surface(run, &shown));
    if (!shown.found) memcpy(shown.end, run->map->counts, sizeof shown.end);
    shown.cube = qn_density_cube(shown.first, shown.end);
    qn_status status = QN_OK;
    if (shown.cube > 1) {
        status = reduce(run->map, shown.cube, &reduced);
        shown.map = reduced;
        if (status == QN_OK) status = find_surface(run, &shown);
    }
    if (status == QN_OK && shown.found)
        status = add_view(report, &shown);
    else if (status == QN_OK)
        status = qn_report_paragraph(report, "The map has no surface: nothing stands out from its noise.");
    if (reduced) qn_volume_destroy(&reduced);
    return status;
}

/* ---- Guinier plot ---- */

static qn_status write_caption(const qn_reconstruction *run, const qn_guinier *guinier, qn_text *caption)
{
    QN_TRY(qn_text_append(caption, "Root mean square amplitude F of the map%s in each shell.",
                          run->mask ? " within the mask" : ""));
    if (guinier->weighted)
        QN_TRY(qn_text_append(caption, " Weighted: F · √(2 FSC / (1 + FSC)), the part of F that the halves share."));
    if (guinier->fit > 0)
        return qn_text_append(caption, " From %.3g Å to %.3g Å the weighted curve falls as B = %.0f Å² would let it.",
                              1 / sqrt(guinier->square[guinier->fit_from]),
                              1 / sqrt(guinier->square[guinier->fit_from + guinier->fit - 1]),
                              guinier->b_square_angstrom);
    return qn_text_append(caption, guinier->weighted ? " There are too few shells between 10 Å and the resolution to "
                                                       "fit a B factor."
                                                     : "");
}

static qn_status add_plot(qn_report *report, const qn_guinier *guinier, const char *caption)
{
    qn_report_series series[3];
    double ends[2][2];
    size_t shown = 0;
    series[shown++] = (qn_report_series){"Map", guinier->square, guinier->amplitude, NULL, guinier->count};
    if (guinier->weighted)
        series[shown++] = (qn_report_series){"Weighted", guinier->square, guinier->weighted, NULL, guinier->count};
    if (guinier->fit > 0) {
        for (int i = 0; i < 2; i++) {
            ends[0][i] = guinier->square[guinier->fit_from + (i ? guinier->fit - 1 : 0)];
            ends[1][i] = guinier->intercept - 0.25 * guinier->b_square_angstrom * ends[0][i];
        }
        series[shown++] = (qn_report_series){"Fit of B", ends[0], ends[1], NULL, 2};
    }
    return qn_report_lines(report, &(qn_report_plot){.title = "Guinier plot",
                                                     .x_label = "1/d² (1/Å²)",
                                                     .y_label = "ln F",
                                                     .caption = caption,
                                                     .series = series,
                                                     .series_count = shown});
}

qn_status qn_reconstruct_add_guinier(qn_report *report, const qn_reconstruction *run)
{
    qn_guinier *guinier;
    qn_text caption = {0};
    if (!run->map) return QN_OK;
    QN_TRY(qn_guinier_compute(run->job->context, run->map, run->mask, run->fsc, &guinier));
    qn_status status = write_caption(run, guinier, &caption);
    if (status == QN_OK) status = add_plot(report, guinier, caption.data);
    qn_text_clear(&caption);
    qn_guinier_destroy(&guinier);
    return status;
}

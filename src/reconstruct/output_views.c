/* From where particles were seen, and at which defocus. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "math/rotation.h"
#include "reconstruct/output_parts.h"
#include "report/axis.h"

/* Bins get ten directions in the mean where there are enough, and more directions than these are not counted out. */
enum { FEWEST_ROWS = 6, MOST_ROWS = 36, DIRECTIONS_OF_A_BIN = 10, MOST_DIRECTIONS = 8000000 };

static const double radians = 3.14159265358979323846 / 180;

typedef struct view_bins {
    double *counts; /* [rows][2 rows], of equal areas: rot along x from −180°, cos(tilt) along y from −1 */
    int rows;
    size_t stride; /* one in so many particles is counted */
} view_bins;

/* The direction that becomes z in the image: the third row of A. */
static void direction_of(const qn_particle *particle, double direction[3])
{
    const double rot = particle->rot_degrees * radians, tilt = particle->tilt_degrees * radians;
    direction[0] = cos(rot) * sin(tilt);
    direction[1] = sin(rot) * sin(tilt);
    direction[2] = cos(tilt);
}

static void count_direction(const double direction[3], view_bins *bins)
{
    const int rows = bins->rows, columns = 2 * rows;
    const double rot = atan2(direction[1], direction[0]) / (360 * radians) + 0.5;
    const int x = (int)floor(rot * columns), y = (int)floor((direction[2] + 1) / 2 * rows);
    const int column = x < 0 ? 0 : x >= columns ? 0 : x; /* 180° is −180° */
    const int row = y < 0 ? 0 : y >= rows ? rows - 1 : y;
    bins->counts[(size_t)row * (size_t)columns + (size_t)column] += 1;
}

static void count_directions(const qn_reconstruction *run, view_bins *bins)
{
    for (size_t i = 0; i < run->used_count; i += bins->stride) {
        double direction[3], copy[3];
        direction_of(&run->particles->particles[run->used[i]], direction);
        for (int s = 0; s < run->operator_count; s++) {
            qn_rotation_apply(run->operators[s], direction, copy);
            count_direction(copy, bins);
        }
    }
}

static qn_status create_bins(const qn_reconstruction *run, view_bins *bins)
{
    const double directions = (double)run->used_count * (double)run->operator_count;
    const double rows = 2 * floor(sqrt(directions / (2 * DIRECTIONS_OF_A_BIN)) / 2);
    void *memory;
    bins->rows = (int)fmin(fmax(rows, FEWEST_ROWS), MOST_ROWS);
    bins->stride = (size_t)ceil(fmax(directions / MOST_DIRECTIONS, 1));
    QN_TRY(qn_allocate((size_t)(2 * bins->rows * bins->rows), sizeof(double), &memory));
    bins->counts = memory;
    return QN_OK;
}

static qn_status write_caption(const qn_reconstruction *run, const view_bins *bins, qn_text *caption)
{
    QN_TRY(qn_text_append(caption,
                          "How many views there are from each direction, in bins that take up equal areas of the "
                          "sphere. "));
    if (run->operator_count > 1)
        QN_TRY(qn_text_append(caption, "Every particle counts once for each of its %d symmetric copies. ",
                              run->operator_count));
    if (bins->stride > 1) QN_TRY(qn_text_append(caption, "One in %zu particles is counted. ", bins->stride));
    return qn_text_append(caption, "Views from opposite sides bring the same part of the transform.");
}

static qn_status add_heat_map(qn_report *report, const qn_reconstruction *run, const view_bins *bins)
{
    static const qn_report_tick rot[] = {{0, "−180"}, {0.25, "−90"}, {0.5, "0"}, {0.75, "90"}, {1, "180"}};
    static const int tilts[] = {180, 135, 90, 45, 0};
    enum { TILTS = sizeof tilts / sizeof *tilts };
    qn_report_tick tilt[TILTS];
    char labels[TILTS][8];
    qn_text caption = {0};
    for (int i = 0; i < TILTS; i++) {
        snprintf(labels[i], sizeof labels[i], "%d", tilts[i]);
        tilt[i] = (qn_report_tick){(cos(tilts[i] * radians) + 1) / 2, labels[i]};
    }
    qn_status status = write_caption(run, bins, &caption);
    if (status == QN_OK)
        status = qn_report_heat(report, &(qn_report_heat_map){.title = "Directions of view",
                                                              .x_label = "rot (°)",
                                                              .y_label = "tilt (°)",
                                                              .caption = caption.data,
                                                              .unit = "views",
                                                              .values = bins->counts,
                                                              .columns = 2 * bins->rows,
                                                              .rows = bins->rows,
                                                              .x_ticks = rot,
                                                              .y_ticks = tilt,
                                                              .x_tick_count = 5,
                                                              .y_tick_count = TILTS});
    qn_text_clear(&caption);
    return status;
}

static qn_status add_unevenness(qn_report *report, const qn_finish_report *finish)
{
    if (!(finish->unevenness > 0)) return QN_OK;
    return qn_report_paragraph(report,
                               "Weights of the transform differ from those around them by %.0f %% (root mean square), "
                               "the less the more evenly slices lie%s",
                               100 * finish->unevenness, finish->iterations > 0 ? "; this was evened out." : ".");
}

qn_status qn_reconstruct_add_views(qn_report *report, const qn_reconstruction *run)
{
    view_bins bins;
    if (run->used_count == 0 || !run->particles->has_angles) return QN_OK;
    QN_TRY(create_bins(run, &bins));
    count_directions(run, &bins);
    qn_status status = qn_report_heading(report, "Views");
    if (status == QN_OK) status = add_heat_map(report, run, &bins);
    if (status == QN_OK) status = add_unevenness(report, &run->finish);
    qn_release(&bins.counts);
    return status;
}

/* ---- defocus ---- */

static double defocus_of(const qn_reconstruction *run, size_t index)
{
    const qn_particle *particle = &run->particles->particles[run->used[index]];
    return 1e-4 * (particle->defocus_u_angstrom + particle->defocus_v_angstrom) / 2; /* µm */
}

/* Bars between the ticks of `axis`. */
static qn_status add_bars(qn_report *report, const qn_reconstruction *run, const qn_axis *axis)
{
    enum { MOST_BARS = 24, NAME_BYTES = 2 * QN_AXIS_LABEL_BYTES };
    char names[MOST_BARS][NAME_BYTES], from[QN_AXIS_LABEL_BYTES], to[QN_AXIS_LABEL_BYTES];
    const char *categories[MOST_BARS];
    double counts[MOST_BARS] = {0};
    const size_t bars = axis->ticks - 1;
    for (size_t i = 0; i < bars; i++) {
        qn_axis_label(axis, i, from);
        qn_axis_label(axis, i + 1, to);
        snprintf(names[i], sizeof names[i], "%s–%s", from, to);
        categories[i] = names[i];
    }
    for (size_t i = 0; i < run->used_count; i++) {
        const double place = floor(qn_axis_fraction(axis, defocus_of(run, i)) * (double)bars);
        if (place >= 0) counts[place < (double)bars ? (size_t)place : bars - 1] += 1;
    }
    const qn_report_series series = {"particles", NULL, counts, NULL, bars};
    return qn_report_bars(report,
                          &(qn_report_plot){.title = "Defocus",
                                            .x_label = "mean of defocus U and V (µm, positive for underfocus)",
                                            .y_label = "particles",
                                            .series = &series,
                                            .series_count = 1},
                          categories, bars);
}

qn_status qn_reconstruct_add_defocus(qn_report *report, const qn_reconstruction *run)
{
    enum { MOST_TICKS = 17 };
    double least = INFINITY, most = -INFINITY;
    qn_axis axis;
    if (!run->options->ctf || run->used_count == 0) return QN_OK;
    for (size_t i = 0; i < run->used_count; i++) {
        least = fmin(least, defocus_of(run, i));
        most = fmax(most, defocus_of(run, i));
    }
    QN_TRY(qn_report_heading(report, "Contrast transfer"));
    if (!(most - least > 1e-6 * fabs(most)))
        return qn_report_paragraph(report, "All particles have a defocus of %.4g µm.", most);
    qn_axis_fit(least, most, MOST_TICKS, &axis);
    return add_bars(report, run, &axis);
}

/* The report's plots of view directions and of defocus. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "math/rotation.h"
#include "reconstruct/output_parts.h"
#include "report/axis.h"

/* The number of bins grows until a bin has ten directions on average. Above DIRECTIONS_MAX only a sample is counted. */
enum { FEWEST_ROWS = 6, ROWS_MAX = 36, DIRECTIONS_OF_A_BIN = 10, DIRECTIONS_MAX = 8000000 };
enum { PIECES = 64 }; /* that are counted at the same time */

static const double radians = 3.14159265358979323846 / 180;

/* Direction of view: the axis of the volume that becomes z in the image, the third row of A. */
static void direction_of(const qn_particle *particle, double direction[3])
{
    const double rot = particle->rot_degrees * radians, tilt = particle->tilt_degrees * radians;
    direction[0] = cos(rot) * sin(tilt);
    direction[1] = sin(rot) * sin(tilt);
    direction[2] = cos(tilt);
}

static void count_direction(const double direction[3], const qn_view_bins *bins, double *counts)
{
    const int rows = bins->rows, columns = 2 * rows;
    const double rot = atan2(direction[1], direction[0]) / (360 * radians) + 0.5;
    const int x = (int)floor(rot * columns), y = (int)floor((direction[2] + 1) / 2 * rows);
    const int column = x < 0 ? 0 : x >= columns ? 0 : x; /* 180° is −180° */
    const int row = y < 0 ? 0 : y >= rows ? rows - 1 : y;
    counts[(size_t)row * (size_t)columns + (size_t)column] += 1;
}

typedef struct counting {
    const qn_reconstruction *run;
    const qn_view_bins *bins;
    size_t cells;
    double *counts; /* [PIECES][cells] */
} counting;

/* Counts of each PIECES-th particle that is counted. */
static qn_status count_piece(size_t piece, int worker, void *user)
{
    const counting *work = user;
    const qn_reconstruction *run = work->run;
    const size_t stride = work->bins->stride;
    (void)worker;
    for (size_t i = piece * stride; i < run->used_count; i += PIECES * stride) {
        double direction[3], copy[3];
        direction_of(&run->particles->particles[run->used[i]], direction);
        for (int s = 0; s < run->operator_count; s++) {
            qn_rotation_apply(run->operators[s], direction, copy);
            count_direction(copy, work->bins, work->counts + piece * work->cells);
        }
    }
    return QN_OK;
}

/* Whole numbers, whose sums do not depend on the order. */
static qn_status count_directions(const qn_reconstruction *run, qn_view_bins *bins)
{
    void *memory;
    counting work = {run, bins, (size_t)(2 * bins->rows * bins->rows), NULL};
    QN_TRY(qn_allocate(PIECES * work.cells, sizeof(double), &memory));
    work.counts = memory;
    const qn_status status = qn_pool_run(run->job->pool, PIECES, count_piece, &work);
    for (size_t k = 0; k < PIECES * work.cells; k++) bins->counts[k % work.cells] += work.counts[k];
    qn_release(&memory);
    return status;
}

qn_status qn_view_bins_create(const qn_reconstruction *run, qn_view_bins *bins)
{
    const double directions = (double)run->used_count * (double)run->operator_count;
    const double rows = 2 * floor(sqrt(directions / (2 * DIRECTIONS_OF_A_BIN)) / 2);
    void *memory;
    *bins = (qn_view_bins){0};
    if (run->used_count == 0 || !run->particles->has_angles) return QN_OK;
    bins->rows = (int)fmin(fmax(rows, FEWEST_ROWS), ROWS_MAX);
    bins->stride = (size_t)ceil(fmax(directions / DIRECTIONS_MAX, 1));
    QN_TRY(qn_allocate((size_t)(2 * bins->rows * bins->rows), sizeof(double), &memory));
    bins->counts = memory;
    return count_directions(run, bins);
}

static qn_status write_caption(const qn_reconstruction *run, const qn_view_bins *bins, qn_text *caption)
{
    QN_TRY(qn_text_append(caption, "Number of views from each direction, in bins that take up equal areas of the "
                                   "sphere. "));
    if (run->operator_count > 1)
        QN_TRY(qn_text_append(caption, "Every particle counts once for each of its %d symmetric copies. ",
                              run->operator_count));
    if (bins->stride > 1) QN_TRY(qn_text_append(caption, "One in %zu particles is counted. ", bins->stride));
    return qn_text_append(caption, "Views from opposite sides show the same part of the transform.");
}

static qn_status add_heat_map(qn_report *report, const qn_reconstruction *run, const qn_view_bins *bins)
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
                               "Weights of the transform differ from those around them by %.0f %% (root mean square); "
                               "the more even the views, the smaller the difference.%s",
                               100 * finish->unevenness,
                               finish->iterations > 0 ? " Gridding weights corrected for it." : "");
}

qn_status qn_reconstruct_add_views(qn_report *report, const qn_reconstruction *run)
{
    if (!run->views.counts) return QN_OK;
    QN_TRY(qn_report_heading(report, "Views"));
    QN_TRY(add_heat_map(report, run, &run->views));
    return add_unevenness(report, &run->finish);
}

/* ---- defocus ---- */

static double defocus_of(const qn_reconstruction *run, size_t index)
{
    const qn_particle *particle = &run->particles->particles[run->used[index]];
    return 1e-4 * (particle->defocus_u_angstrom + particle->defocus_v_angstrom) / 2; /* µm */
}

/* Add one bar for each interval between ticks of `axis`. */
static qn_status add_bars(qn_report *report, const qn_reconstruction *run, const qn_axis *axis)
{
    enum { BARS_MAX = 24, NAME_BYTES = 2 * QN_AXIS_LABEL_BYTES };
    char names[BARS_MAX][NAME_BYTES], from[QN_AXIS_LABEL_BYTES], to[QN_AXIS_LABEL_BYTES];
    const char *categories[BARS_MAX];
    double counts[BARS_MAX] = {0};
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
    enum { TICKS_MAX = 17 };
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
    qn_axis_fit(least, most, TICKS_MAX, &axis);
    return add_bars(report, run, &axis);
}

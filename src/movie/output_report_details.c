/* Movies in detail: motion, filter and power spectra. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/output_report.h"

enum { DETAILS_MAX = 8 };

/* ---- reading the records of the movies that are shown ---- */

typedef struct detail_scan {
    const qn_movie_facts *wanted[DETAILS_MAX];
    qn_movie_facts found[DETAILS_MAX];
    size_t count;
} detail_scan;

static void want(detail_scan *scan, const qn_movie_facts *row)
{
    for (size_t i = 0; i < scan->count; i++)
        if (scan->wanted[i] == row) return;
    if (scan->count < DETAILS_MAX) scan->wanted[scan->count++] = row;
}

static qn_status scan_record(uint64_t piece, const void *data, size_t size, void *user)
{
    detail_scan *scan = user;
    qn_movie_facts facts;
    (void)piece;
    QN_TRY(qn_movie_facts_load(data, size, false, &facts));
    for (size_t i = 0; i < scan->count; i++) {
        const qn_movie_facts *wanted = scan->wanted[i];
        if (wanted->numbers.finished_us != facts.numbers.finished_us ||
            strcmp(wanted->texts[QN_MOVIE_NAME], facts.texts[QN_MOVIE_NAME]) != 0)
            continue;
        const qn_movie_facts before = scan->found[i];
        scan->found[i] = facts;
        facts = before;
    }
    qn_movie_facts_clear(&facts);
    return QN_OK;
}

/* ---- plots of a movie ---- */

/* The shifts of the middle and of the corners along one axis, or a value by ring, as series of a plot. */
typedef struct plot_room {
    double *x, *y[5];
} plot_room;

static qn_status make_room(size_t count, plot_room *room)
{
    void *memory;
    QN_TRY(qn_allocate(6 * count, sizeof(double), &memory));
    room->x = memory;
    for (int i = 0; i < 5; i++) room->y[i] = room->x + (size_t)(i + 1) * count;
    return QN_OK;
}

static qn_status put_shifts(const qn_movie_facts *facts, size_t axis, qn_report *report)
{
    static const char *const names[] = {"global motion", "lower left", "lower right", "upper left", "upper right"};
    const size_t frames = facts->series_count[QN_MOVIE_DOSES];
    const float *track = facts->series[QN_MOVIE_TRACK], *corners = facts->series[QN_MOVIE_CORNERS];
    qn_report_series series[5];
    plot_room room;
    QN_TRY(make_room(frames, &room));
    for (size_t t = 0; t < frames; t++) {
        room.x[t] = facts->numbers.has_dose ? facts->series[QN_MOVIE_DOSES][t] : (double)t + 1;
        room.y[0][t] = track[2 * t + axis];
        for (size_t corner = 0; corner < 4; corner++) room.y[corner + 1][t] = corners[8 * t + 2 * corner + axis];
    }
    for (int i = 0; i < 5; i++)
        series[i] = (qn_report_series){.name = names[i], .x = room.x, .y = room.y[i], .count = frames};
    const qn_report_plot plot = {.title = axis == 0 ? "Displacement along x" : "Displacement along y",
                                 .x_label = facts->numbers.has_dose ? "exposure in e/Å²" : "frame",
                                 .y_label = "displacement in pixels of the frames",
                                 .caption = axis == 0 && facts->numbers.has_local
                                                ? "Of the whole frame, and of its corners with local motion. Positive "
                                                  "is to the right."
                                            : axis == 0 ? "Positive is to the right."
                                                        : "Positive is up, as in the picture.",
                                 .series = series,
                                 .series_count = facts->numbers.has_local ? 5 : 1};
    qn_status status = qn_report_lines(report, &plot);
    qn_release(&room.x);
    return status;
}

static qn_status put_rings(const qn_movie_facts *facts, qn_report *report)
{
    const size_t rings = facts->series_count[QN_MOVIE_RINGS];
    double largest = 0;
    plot_room room;
    QN_TRY(make_room(rings, &room));
    for (size_t i = 0; i < rings; i++) largest = fmax(largest, facts->series[QN_MOVIE_FILTER][i]);
    for (size_t i = 0; i < rings; i++) {
        room.x[i] = ((double)i + 0.5) * facts->numbers.ring_width / facts->numbers.frame_pixel_angstrom;
        room.y[0][i] = facts->series[QN_MOVIE_RINGS][i];
        room.y[1][i] = largest > 0 ? facts->series[QN_MOVIE_FILTER][i] / largest : 0;
    }
    const qn_report_series series[] = {
        {.name = "correlation", .x = room.x, .y = room.y[0], .count = rings},
        {.name = "filter, as a share of its largest value", .x = room.x, .y = room.y[1], .count = rings}};
    const qn_report_plot plot = {.title = "Ring correlation and filter of the alignment",
                                 .x_label = "spatial frequency in 1/Å",
                                 .y_label = "correlation",
                                 .caption = "Correlation of the sums of even and of odd frames, by spatial frequency. "
                                            "The filter of the alignment follows from it unless it is given.",
                                 .series = series,
                                 .series_count = 2};
    qn_status status = qn_report_lines(report, &plot);
    qn_release(&room.x);
    return status;
}

static qn_status put_pictures(const qn_movie_facts *facts, qn_report *report)
{
    static const struct {
        qn_movie_picture picture;
        const char *title;
    } spectra[] = {{QN_MOVIE_RINGS_BEFORE, "as recorded"}, {QN_MOVIE_RINGS_ALIGNED, "aligned"}};
    const qn_movie_said edge = qn_movie_say("edges: 1/(%.3g Å)", 2 * facts->numbers.spectrum_angstrom / 0.75);
    qn_report_picture pictures[2];
    qn_status status = QN_OK;
    size_t count = 0;
    for (int i = 0; i < 2 && status == QN_OK; i++) {
        const uint32_t *size = facts->picture_size[spectra[i].picture];
        const size_t pixels = (size_t)size[0] * size[1];
        void *memory;
        if (pixels == 0) continue;
        status = qn_allocate(pixels, sizeof(float), &memory);
        if (status != QN_OK) break;
        float *values = memory;
        for (size_t k = 0; k < pixels; k++) values[k] = facts->pictures[spectra[i].picture][k];
        pictures[count++] = (qn_report_picture){.title = spectra[i].title,
                                                .text = edge.text,
                                                .values = values,
                                                .columns = (int)size[0],
                                                .rows = (int)size[1]};
    }
    if (status == QN_OK && count > 0)
        status = qn_report_pictures(report, "Power spectra",
                                    "Logarithms above a smooth background, in one scale of grey. Both are sums over "
                                    "groups of frames (`--spectrum-dose`), so they differ by the motion within a "
                                    "group: aligned, rings reach further and are as clear in all directions.",
                                    pictures, count, 0, 255);
    for (size_t i = 0; i < count; i++) qn_release(&pictures[i].values);
    return status;
}

/* The lowest frequencies, where the power falls steeply, are left out. */
static qn_status put_powers(const qn_movie_facts *facts, qn_report *report)
{
    const size_t rings = facts->series_count[QN_MOVIE_POWER_ALIGNED], first = rings / 24;
    const float *aligned = facts->series[QN_MOVIE_POWER_ALIGNED], *recorded = facts->series[QN_MOVIE_POWER_RECORDED];
    plot_room room;
    if (rings == 0) return QN_OK;
    QN_TRY(make_room(rings, &room));
    for (size_t i = first; i < rings; i++) {
        room.x[i] = (double)i / (2 * (double)rings * facts->numbers.spectrum_angstrom);
        room.y[0][i] = aligned[i];
        room.y[1][i] = recorded ? recorded[i] : 0;
    }
    const qn_report_series series[] = {
        {.name = "aligned", .x = room.x + first, .y = room.y[0] + first, .count = rings - first},
        {.name = "as recorded", .x = room.x + first, .y = room.y[1] + first, .count = rings - first}};
    const qn_report_plot plot = {.title = "Thon rings",
                                 .x_label = "spatial frequency in 1/Å",
                                 .y_label = "mean logarithm of the power spectrum above its background",
                                 .caption = "Means over the rings of the power spectra.",
                                 .series = series,
                                 .series_count = recorded ? 2 : 1};
    qn_status status = qn_report_lines(report, &plot);
    qn_release(&room.x);
    return status;
}

static qn_status put_drawing(const qn_movie_facts *facts, qn_report *report)
{
    qn_text svg = {0};
    qn_status status = qn_movie_draw(facts, &svg);
    if (status == QN_OK && svg.data)
        status =
            qn_report_photo(report, "Micrograph and motion",
                            "The line is the track of the global motion, coloured by exposure. Blue arrows are the "
                            "local motion from the first to the last frame. Both are drawn longer than they are, "
                            "arrows by twenty; the legend has their scales.",
                            "Micrograph with the track of the global motion and arrows of the local motion", svg.data);
    qn_text_clear(&svg);
    return status;
}

/* 100000 rather than 1e+05. */
static qn_movie_said say_smoothness(double smoothness)
{
    return smoothness >= 100 && smoothness < 1e9 ? qn_movie_say("%.0f", smoothness) : qn_movie_say("%.3g", smoothness);
}

static qn_status put_summary(const qn_movie_facts *facts, qn_report *report)
{
    const qn_movie_numbers *n = &facts->numbers;
    QN_TRY(qn_report_paragraph(report, "%d frames of %d × %d px of %.4g Å; %d bad pixels were replaced.",
                               n->frame_count, n->frame_width, n->frame_height, n->frame_pixel_angstrom,
                               n->bad_pixels));
    if (n->has_dose)
        QN_TRY(qn_report_paragraph(report, "Global motion: %.2f px in %.4g e/Å², of which %.2f px up to 4 e/Å².",
                                   n->motion_total_px, n->dose, n->motion_early_px));
    else
        QN_TRY(qn_report_paragraph(report, "Global motion: %.2f px.", n->motion_total_px));
    if (n->has_local)
        QN_TRY(qn_report_paragraph(report,
                                   "Local motion: %.2f px (root mean square of the last frame), from %d × %d patches "
                                   "with a smoothness λ of %s.",
                                   n->local_px, n->patches[0], n->patches[1], say_smoothness(n->smoothness).text));
    if (!facts->texts[QN_MOVIE_REMARK]) return QN_OK;
    if (!n->converged) return qn_report_warning(report, "%s.", facts->texts[QN_MOVIE_REMARK]);
    return qn_report_paragraph(report, "Remark: %s.", facts->texts[QN_MOVIE_REMARK]);
}

static qn_status put_movie(const qn_movie_facts *facts, qn_report *report)
{
    if (!facts->series[QN_MOVIE_TRACK] || !facts->series[QN_MOVIE_RINGS]) return QN_OK;
    QN_TRY(qn_report_heading(report, facts->texts[QN_MOVIE_NAME]));
    QN_TRY(put_summary(facts, report));
    QN_TRY(put_drawing(facts, report));
    QN_TRY(put_shifts(facts, 0, report));
    QN_TRY(put_shifts(facts, 1, report));
    QN_TRY(put_pictures(facts, report));
    QN_TRY(put_powers(facts, report));
    return put_rings(facts, report);
}

qn_status qn_movie_report_details(const qn_movie_state *run, double limit_px, qn_report *report)
{
    detail_scan scan = {.count = 0};
    for (size_t i = 0; i < run->row_count; i++)
        if (!run->rows[i]->numbers.failed && run->rows[i]->numbers.motion_total_px > limit_px &&
            scan.count < DETAILS_MAX / 2)
            want(&scan, run->rows[i]);
    for (size_t i = 0; i < run->row_count; i++)
        if (!run->rows[i]->numbers.failed) want(&scan, run->rows[i]);
    qn_status status = qn_job_scan(run->job, scan_record, &scan);
    for (size_t i = 0; i < scan.count && status == QN_OK; i++) status = put_movie(&scan.found[i], report);
    for (size_t i = 0; i < scan.count; i++) qn_movie_facts_clear(&scan.found[i]);
    return status;
}

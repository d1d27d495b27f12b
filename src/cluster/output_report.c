/* report.html: clusters, map, tree, heat map, time line, and facts of the run. */
#include <math.h>
#include <quern/version.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "cluster/method/plane_map.h"
#include "cluster/run.h"
#include "report/html.h"

/* ROWS_MAX: clusters in the table. NAMED: clusters with a colour of their own. POINTS_MAX: structures in a plot. SIDE:
 * cells along a side of the heat map. LANDMARKS: structures from which the map is made; FEW: where distances are not
 * stored. */
enum {
    ROWS_MAX = 100,
    NAMED = 6,
    POINTS_MAX = 2000,
    SIDE = 240,
    LANDMARKS = 200,
    FEW = 50,
    COLUMNS = 9,
    CELL_BYTES = 48
};

static const char *unit_of(const qn_clustering *run)
{
    return run->measure->unit[0] ? ", Å" : "";
}

/* ---- the clusters ---- */

static qn_status add_facts(qn_report *report, const qn_clustering *run)
{
    const qn_cluster_result *result = run->result;
    const char *labels[8], *values[8];
    char texts[8][48];
    size_t count = 0;
    const bool has_noise = run->options->method == QN_CLUSTER_DBSCAN;
    snprintf(texts[0], sizeof texts[0], "%zu", run->count);
    snprintf(texts[1], sizeof texts[1], "%zu", result->cluster_count);
    snprintf(texts[2], sizeof texts[2], "%zu", result->noise_count);
    snprintf(texts[3], sizeof texts[3], "%s", qn_clustering_say(run, result->cutoff).text);
    snprintf(texts[4], sizeof texts[4], "%.3f", result->silhouette);
    snprintf(texts[5], sizeof texts[5], "%.3f", result->davies_bouldin);
    snprintf(texts[6], sizeof texts[6], "%.3f", result->cophenetic);
    const char *const names[] = {"structures",
                                 "clusters",
                                 "in no cluster",
                                 "cut-off",
                                 qn_clustering_is_large(run) ? "mean medoid silhouette" : "mean silhouette",
                                 "Davies–Bouldin index",
                                 "cophenetic correlation"};
    const bool shown[] = {true,
                          true,
                          has_noise,
                          isfinite(result->cutoff),
                          isfinite(result->silhouette),
                          !isnan(result->davies_bouldin),
                          isfinite(result->cophenetic)};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        if (!shown[i]) continue;
        labels[count] = names[i];
        values[count++] = texts[i];
    }
    return qn_report_facts(report, labels, values, count);
}

static void fill_row(const qn_clustering *run, size_t cluster, char (*cells)[CELL_BYTES])
{
    const qn_cluster_facts *facts = &run->result->clusters[cluster];
    const char *name = run->result->names[facts->medoid];
    snprintf(cells[0], CELL_BYTES, "%zu", cluster + 1);
    snprintf(cells[1], CELL_BYTES, "%zu", facts->size);
    snprintf(cells[2], CELL_BYTES, "%.1f %%", 100 * (double)facts->size / (double)run->count);
    snprintf(cells[3], CELL_BYTES, "%s", qn_path_name(name));
    snprintf(cells[4], CELL_BYTES, isfinite(facts->mean_pair) ? "%.3g" : "-", facts->mean_pair);
    snprintf(cells[5], CELL_BYTES, "%.3g", facts->mean_medoid);
    snprintf(cells[6], CELL_BYTES, isfinite(facts->diameter) ? "%.3g" : "-", facts->diameter);
    snprintf(cells[7], CELL_BYTES, isfinite(facts->silhouette) ? "%.3f" : "-", facts->silhouette);
    snprintf(cells[8], CELL_BYTES, "%s",
             cluster < run->represented ? qn_clustering_representative(run, cluster, true).text : "");
}

static qn_status add_clusters(qn_report *report, const qn_clustering *run)
{
    const size_t clusters = run->result->cluster_count, rows = clusters < ROWS_MAX ? clusters : ROWS_MAX;
    void *text_memory = NULL, *cell_memory = NULL;
    char length[4][64];
    static const char *const lengths[] = {"mean distance", "mean to medoid", "diameter"};
    for (int i = 0; i < 3; i++) snprintf(length[i], sizeof length[i], "%s%s", lengths[i], unit_of(run));
    const char *const headers[COLUMNS] = {"cluster", "size",    "share",      "medoid",        length[0],
                                          length[1], length[2], "silhouette", "representative"};
    const bool has_pairs = !qn_clustering_is_large(run), has_files = run->represented > 0;
    const bool shown[COLUMNS] = {true, true, true, true, has_pairs, true, has_pairs, true, has_files};
    const char *shown_headers[COLUMNS];
    size_t columns = 0;
    for (size_t i = 0; i < COLUMNS; i++)
        if (shown[i]) shown_headers[columns++] = headers[i];
    QN_TRY(qn_report_heading(report, "Clusters"));
    qn_status status = qn_allocate(rows * COLUMNS, CELL_BYTES, &text_memory);
    if (status == QN_OK) status = qn_allocate(rows * COLUMNS, sizeof(char *), &cell_memory);
    if (status == QN_OK) {
        char(*texts)[CELL_BYTES] = text_memory;
        const char **cells = cell_memory;
        for (size_t c = 0; c < rows; c++) fill_row(run, c, texts + c * COLUMNS);
        for (size_t i = 0, filled = 0; i < rows * COLUMNS; i++)
            if (shown[i % COLUMNS]) cells[filled++] = texts[i];
        status = qn_report_table(report, shown_headers, columns, cells, rows);
    }
    qn_release(&text_memory);
    qn_release(&cell_memory);
    QN_TRY(status);
    if (clusters > rows) QN_TRY(qn_report_paragraph(report, "`clusters.csv` has all %zu clusters.", clusters));
    if (run->represented > 0)
        QN_TRY(qn_report_paragraph(report,
                                   "The medoids are in the folder `representatives`; `view.pml` and `view.cxc` "
                                   "show them in PyMOL and ChimeraX, %s.",
                                   qn_clustering_superposes(run) ? "superposed on the first" : "in their places"));
    return QN_OK;
}

/* ---- points: the map and the time line ---- */

/* Series of points: one for each of the largest clusters, one for the others, one for structures in no cluster. */
typedef struct point_set {
    double *x, *y;
    const char **labels;
    size_t *items;
    qn_report_series series[NAMED + 2];
    char names[NAMED + 2][32];
    size_t count; /* series */
} point_set;

static size_t series_of(const qn_clustering *run, size_t item)
{
    const uint32_t cluster = run->result->labels[item];
    return cluster == QN_LABEL_NONE ? NAMED + 1 : cluster < NAMED ? cluster : NAMED;
}

/* Structures that are shown: at most POINTS_MAX, evenly spaced. */
static size_t shown_count(const qn_clustering *run)
{
    return run->count < POINTS_MAX ? run->count : POINTS_MAX;
}

static size_t shown_item(const qn_clustering *run, size_t point)
{
    return point * run->count / shown_count(run);
}

static qn_status create_points(const qn_clustering *run, point_set *points)
{
    void *x = NULL, *y = NULL, *labels = NULL, *items = NULL;
    *points = (point_set){0};
    qn_status status = qn_allocate(shown_count(run), sizeof(double), &x);
    if (status == QN_OK) status = qn_allocate(shown_count(run), sizeof(double), &y);
    if (status == QN_OK) status = qn_allocate(shown_count(run), sizeof(char *), &labels);
    if (status == QN_OK) status = qn_allocate(shown_count(run), sizeof(size_t), &items);
    points->x = x;
    points->y = y;
    points->labels = labels;
    points->items = items;
    return status;
}

static void clear_points(point_set *points)
{
    qn_release(&points->x);
    qn_release(&points->y);
    qn_release(&points->labels);
    qn_release(&points->items);
}

typedef void (*place_point)(const qn_clustering *run, size_t item, const void *user, double point[2]);

typedef struct placing {
    const qn_clustering *run;
    place_point place;
    const void *user;
    point_set *points;
} placing;

enum { PLACED = 32 /* points of a task */ };

static qn_status place_some(size_t task, int worker, void *user)
{
    const placing *work = user;
    const point_set *points = work->points;
    const size_t count = shown_count(work->run), end = (task + 1) * PLACED < count ? (task + 1) * PLACED : count;
    (void)worker;
    for (size_t p = task * PLACED; p < end; p++) {
        double point[2];
        work->place(work->run, points->items[p], work->user, point);
        points->x[p] = point[0];
        points->y[p] = point[1];
    }
    return QN_OK;
}

/* Fill the series one after the other, without the places of the points. */
static void fill_series(const qn_clustering *run, point_set *points)
{
    size_t filled = 0;
    for (size_t s = 0; s < NAMED + 2; s++) {
        const size_t first = filled;
        for (size_t p = 0; p < shown_count(run); p++) {
            const size_t item = shown_item(run, p);
            if (series_of(run, item) != s) continue;
            points->items[filled] = item;
            points->labels[filled++] = run->result->names[item];
        }
        if (filled == first) continue;
        char *name = points->names[points->count];
        snprintf(name, sizeof points->names[0],
                 s < NAMED    ? "cluster %zu"
                 : s == NAMED ? "other clusters"
                              : "no cluster",
                 s + 1);
        points->series[points->count++] = (qn_report_series){.name = name,
                                                             .x = points->x + first,
                                                             .y = points->y + first,
                                                             .labels = points->labels + first,
                                                             .count = filled - first};
    }
}

static qn_status make_points(const qn_clustering *run, place_point place, const void *user, point_set *points)
{
    placing work = {run, place, user, points};
    QN_TRY(create_points(run, points));
    fill_series(run, points);
    return qn_pool_run(run->job->pool, (shown_count(run) + PLACED - 1) / PLACED, place_some, &work);
}

/* ---- the time line ---- */

static void place_in_time(const qn_clustering *run, size_t item, const void *user, double point[2])
{
    const bool *by_time = user;
    const uint32_t cluster = run->result->labels[item];
    point[0] = *by_time ? run->models->origins[item].time_ps / 1000 : (double)item;
    point[1] = cluster == QN_LABEL_NONE ? 0 : (double)cluster + 1;
}

static qn_status add_time_line(qn_report *report, const qn_clustering *run)
{
    point_set points;
    bool by_time = run->models && run->models->are_frames;
    for (size_t i = 0; by_time && i < run->count; i++) by_time = isfinite(run->models->origins[i].time_ps);
    QN_TRY(qn_report_heading(report, by_time ? "Time line" : "Order"));
    qn_status status = make_points(run, place_in_time, &by_time, &points);
    if (status == QN_OK)
        status = qn_report_scatter(
            report, &(qn_report_plot){.title = by_time ? "Clusters over time" : "Clusters in the order of the input",
                                      .x_label = by_time ? "time, ns" : "structure, from 0",
                                      .y_label = "cluster",
                                      .caption = run->options->method == QN_CLUSTER_DBSCAN
                                                     ? "Structures in no cluster are at 0."
                                                     : "Each structure is a dot at the number of its cluster.",
                                      .series = points.series,
                                      .series_count = points.count,
                                      .counts = true});
    clear_points(&points);
    return status;
}

/* ---- the map ---- */

typedef struct landmark_map {
    qn_plane_map map;
    size_t items[LANDMARKS];
    size_t count;
} landmark_map;

static void place_on_map(const qn_clustering *run, size_t item, const void *user, double point[2])
{
    const landmark_map *landmarks = user;
    float distances[LANDMARKS];
    for (size_t k = 0; k < landmarks->count; k++)
        distances[k] = (float)qn_clustering_distance(run, item, landmarks->items[k]);
    qn_plane_map_place(&landmarks->map, distances, point);
}

/* All structures, or the medoids of the largest clusters and structures at even distances in the order of the pictures.
 */
static void choose_landmarks(const qn_clustering *run, landmark_map *landmarks)
{
    const size_t most = qn_clustering_is_large(run) ? FEW : LANDMARKS;
    const bool all = run->count <= most;
    for (size_t c = 0; !all && c < run->result->cluster_count && landmarks->count < most / 2; c++)
        landmarks->items[landmarks->count++] = run->result->clusters[c].medoid;
    const size_t medoids = landmarks->count, others = (all ? run->count : most) - medoids;
    for (size_t k = 0; k < others; k++) {
        const size_t item = run->order[k * run->count / others];
        bool known = false;
        for (size_t m = 0; m < medoids; m++) known |= landmarks->items[m] == item;
        if (!known) landmarks->items[landmarks->count++] = item;
    }
}

static qn_status make_map(const qn_clustering *run, landmark_map *landmarks)
{
    void *memory;
    choose_landmarks(run, landmarks);
    QN_TRY(qn_allocate(landmarks->count * landmarks->count, sizeof(double), &memory));
    double *square = memory;
    for (size_t a = 0; a < landmarks->count; a++)
        for (size_t b = 0; b < landmarks->count; b++)
            square[a * landmarks->count + b] = qn_clustering_distance(run, landmarks->items[a], landmarks->items[b]);
    const qn_status status = qn_plane_map_make(square, landmarks->count, &landmarks->map);
    qn_release(&memory);
    return status;
}

static qn_status plot_map(qn_report *report, const qn_clustering *run, const landmark_map *landmarks)
{
    point_set points;
    char caption[320], axis[2][64], chosen[96] = "";
    if (landmarks->count < run->count)
        snprintf(chosen, sizeof chosen, " of %zu of the structures; all others are placed by their distances to these",
                 landmarks->count);
    snprintf(
        caption, sizeof caption,
        "Classical scaling%s. Near dots are alike. The plane shows %.0f %% of the variance; each axis has a scale of "
        "its own.",
        chosen, 100 * landmarks->map.share);
    for (int i = 0; i < 2; i++) snprintf(axis[i], sizeof axis[i], "axis %d%s", i + 1, unit_of(run));
    qn_status status = make_points(run, place_on_map, landmarks, &points);
    if (status == QN_OK)
        status = qn_report_scatter(report, &(qn_report_plot){.title = "Structures on a plane",
                                                             .x_label = axis[0],
                                                             .y_label = axis[1],
                                                             .caption = caption,
                                                             .series = points.series,
                                                             .series_count = points.count});
    clear_points(&points);
    return status;
}

static qn_status add_map(qn_report *report, const qn_clustering *run)
{
    landmark_map landmarks = {.count = 0};
    QN_TRY(qn_report_heading(report, "Map"));
    qn_status status = make_map(run, &landmarks);
    if (status == QN_OK) status = plot_map(report, run, &landmarks);
    qn_plane_map_clear(&landmarks.map);
    return status;
}

/* ---- tree and heat map ---- */

static qn_status add_tree(qn_report *report, const qn_clustering *run)
{
    qn_text svg = {0};
    if (!run->merges) return QN_OK;
    QN_TRY(qn_report_heading(report, "Tree"));
    qn_status status = qn_clustering_draw_tree(run, &svg);
    if (status == QN_OK)
        status = qn_report_drawing(report, "Dendrogram",
                                   "Colours are those of the clusters, whose numbers are at the right; the broken line "
                                   "is where the tree is cut. Small branches are drawn together. The files "
                                   "`dendrogram.nwk` and `linkage.csv` have the whole tree.",
                                   "Dendrogram of the structures", svg.data);
    qn_text_clear(&svg);
    return status;
}

/* Ticks in the middle of clusters whose structures lie side by side and take at least a thirtieth of the axis. */
static size_t make_ticks(const qn_clustering *run, qn_report_tick *ticks, char (*texts)[16], size_t most)
{
    size_t made = 0;
    for (size_t first = 0, end; first < run->count && made < most; first = end) {
        const uint32_t cluster = run->result->labels[run->order[first]];
        for (end = first + 1; end < run->count && run->result->labels[run->order[end]] == cluster;) end++;
        if (cluster == QN_LABEL_NONE || (double)(end - first) < (double)run->count / 30) continue;
        snprintf(texts[made], sizeof texts[0], "%u", cluster + 1);
        ticks[made] = (qn_report_tick){(double)(first + end) / 2 / (double)run->count, texts[made]};
        made++;
    }
    return made;
}

static qn_status add_heat_map(qn_report *report, const qn_clustering *run)
{
    enum { TICKS_MAX = 30 };
    const size_t side = run->count < SIDE ? run->count : SIDE;
    qn_report_tick ticks[TICKS_MAX];
    char texts[TICKS_MAX][16], caption[256];
    void *memory;
    QN_TRY(qn_report_heading(report, "Distances"));
    QN_TRY(qn_allocate(side * side, sizeof(double), &memory));
    double *values = memory;
    for (size_t r = 0; r < side; r++)
        for (size_t c = 0; c < side; c++)
            values[r * side + c] =
                qn_clustering_distance(run, run->order[r * run->count / side], run->order[c * run->count / side]);
    snprintf(caption, sizeof caption, "In the order of %s%s. Dark: alike. Numbers are those of large clusters.",
             run->merges ? "the tree" : "the clusters, each from its medoid outwards",
             side < run->count ? "; every dot is one pair, since not all fit" : "");
    const size_t made = make_ticks(run, ticks, texts, TICKS_MAX);
    const qn_status status = qn_report_heat(report, &(qn_report_heat_map){.title = "Distances of all pairs",
                                                                          .x_label = "structures",
                                                                          .y_label = "structures",
                                                                          .caption = caption,
                                                                          .unit = run->measure->unit,
                                                                          .values = values,
                                                                          .columns = (int)side,
                                                                          .rows = (int)side,
                                                                          .x_ticks = ticks,
                                                                          .y_ticks = ticks,
                                                                          .x_tick_count = made,
                                                                          .y_tick_count = made});
    qn_release(&memory);
    return status;
}

/* ---- the run ---- */

static qn_status add_run(qn_report *report, const qn_clustering *run)
{
    QN_TRY(qn_report_heading(report, "Run"));
    if (run->models)
        QN_TRY(qn_report_paragraph(report, "%s with %s each, selected by `%s`.",
                                   qn_count_of(run->count, run->models->are_frames ? "frame" : "model").text,
                                   qn_count_of(run->models->structures.atom_count, "atom").text,
                                   run->options->structures.select));
    if (run->file)
        QN_TRY(qn_report_paragraph(report, "Distances from `%s`.", run->options->distances));
    else if (run->matrix)
        QN_TRY(qn_report_paragraph(report, "Distances were measured in %.2f s on %s.", run->measure_s,
                                   qn_device_get_info(run->job->devices[0])->name));
    else if (qn_clustering_is_large(run))
        QN_TRY(qn_report_paragraph(report,
                                   "Distances were not stored; clusters were found in %.2f s on %s. A medoid here is "
                                   "the centre that the method found, and silhouettes are those of a part of the "
                                   "structures, from distances to these centres.",
                                   run->measure_s, qn_device_get_info(run->job->devices[0])->name));
    return qn_report_paragraph(report,
                               "Quern %s, measure `%s`, method `%s`; %.2g s for clusters and their measures, %.3g s "
                               "in all. `run.json` holds every option.",
                               QN_VERSION, run->measure->name, qn_clustering_method_name(run), run->cluster_s,
                               qn_clock_s() - run->job->started_s);
}

static qn_status fill_report(qn_report *report, const qn_clustering *run)
{
    QN_TRY(qn_job_report_warnings(run->job, report));
    QN_TRY(add_facts(report, run));
    QN_TRY(add_clusters(report, run));
    if (run->count > 1) {
        QN_TRY(add_map(report, run));
        QN_TRY(add_tree(report, run));
        QN_TRY(add_heat_map(report, run));
        QN_TRY(add_time_line(report, run));
    }
    return add_run(report, run);
}

qn_status qn_clustering_write_report(const qn_clustering *run)
{
    qn_report *report = NULL;
    qn_text title = {0};
    char *path = NULL;
    const char *first = run->models ? run->models->origins[0].path : run->options->distances;
    qn_status status = qn_text_append(&title, "Clusters of %s", qn_count_of(run->count, "structure").text);
    if (status == QN_OK) status = qn_text_append(&title, ", %s", qn_path_name(first));
    if (status == QN_OK) status = qn_report_create(title.data, &report);
    qn_text_clear(&title);
    if (status == QN_OK) status = fill_report(report, run);
    if (status == QN_OK) status = qn_job_report_kernels(run->job, report);
    if (status == QN_OK) status = qn_job_path(run->job, "report.html", &path);
    if (status == QN_OK) status = qn_report_write(report, path);
    qn_release(&path);
    qn_report_destroy(&report);
    return status;
}

/* report.html: the profiles of the best tunnels, the clusters, three views, and how the run went. */
#include <math.h>
#include <quern/version.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "model/atom.h"
#include "report/html.h"
#include "report/three_views.h"
#include "tunnel/run.h"

/* ROWS: clusters in the table; PROFILES: tunnels in the plot; COLUMNS: of the table. */
enum { ROWS = 50, PROFILES = 6, COLUMNS = 8 };

typedef struct short_text {
    char text[96];
} short_text;

QN_PRINTF_LIKE(1, 2) static short_text say(const char *format, ...)
{
    short_text said;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(said.text, sizeof said.text, format, arguments);
    va_end(arguments);
    return said;
}

static bool has_frames(const qn_tunnel_state *run)
{
    return run->structure.topology != NULL;
}

static size_t count_open(const qn_tunnel_state *run)
{
    size_t open = 0;
    for (size_t i = 0; i < run->frame_count; i++) open += run->frames[i].outcome == QN_TUNNELS_OPEN;
    return open;
}

/* ---- facts ---- */

static qn_status add_facts(qn_report *report, const qn_tunnel_state *run)
{
    const qn_line *line = &qn_tunnel_best_of(run, 0)->line;
    static const char *const labels[] = {"Tunnels",        "Clusters", "Best bottleneck", "Its length",
                                         "Widest way out", "Walls",    "Frames"};
    const short_text said[] = {
        say("%zu", run->tunnel_count),
        say("%zu", run->cluster_count),
        say("%.2f Å", line->radii[line->narrowest]),
        say("%.1f Å", line->length),
        say("%.2f Å", qn_tunnel_widest_frame(run)->way_radius),
        say("%zu atoms", run->structure.wall_count),
        say("%zu, of which %zu are open", run->frame_count, count_open(run)),
    };
    const char *values[sizeof said / sizeof *said];
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) values[i] = said[i].text;
    return qn_report_facts(report, labels, values, has_frames(run) ? 7 : 6);
}

/* ---- clusters ---- */

static qn_status fill_row(const qn_tunnel_state *run, size_t c, short_text *said, qn_text *lining, const char **cells)
{
    const qn_tunnel_cluster *cluster = &run->clusters[c];
    const qn_found_tunnel *best = qn_tunnel_best_of(run, c);
    said[0] = say("%zu", c + 1);
    said[1] = say("%.0f %%", 100 * cluster->occupancy);
    said[2] = say("%.2f", cluster->mean_bottleneck_angstrom);
    said[3] = say("%.2f", cluster->best_bottleneck_angstrom);
    said[4] = say("%.1f", cluster->mean_length_angstrom);
    said[5] = say("%.3f", cluster->priority);
    said[6] = say("%s", qn_tunnel_name_of(best, "pdb").text);
    for (int k = 0; k < COLUMNS - 1; k++) cells[k] = said[k].text;
    QN_TRY(qn_tunnel_list_lining(run, best, best->line.narrowest, lining));
    cells[COLUMNS - 1] = lining->data;
    return QN_OK;
}

static qn_status add_clusters(qn_report *report, const qn_tunnel_state *run)
{
    static const char *const heads[COLUMNS] = {
        "Cluster",    "Occupancy", "Bottleneck (Å)", "Best (Å)",
        "Length (Å)", "Priority",  "Best tunnel",    "Residues at its bottleneck"};
    const size_t rows = run->cluster_count < ROWS ? run->cluster_count : ROWS;
    short_text *said = NULL;
    qn_text *linings = NULL;
    const char **cells = NULL;
    QN_TRY(qn_report_heading(report, "Clusters"));
    qn_status status = qn_allocate(rows * COLUMNS, sizeof *said, (void **)&said);
    if (status == QN_OK) status = qn_allocate(rows * COLUMNS, sizeof *cells, (void **)&cells);
    if (status == QN_OK) status = qn_allocate(rows, sizeof *linings, (void **)&linings);
    for (size_t c = 0; c < rows && status == QN_OK; c++)
        status = fill_row(run, c, said + COLUMNS * c, &linings[c], cells + COLUMNS * c);
    if (status == QN_OK)
        status = qn_report_paragraph(
            report,
            "Tunnels at a mean distance of up to %g Å, by average linkage. The priority is the "
            "mean over frames of exp(−cost) of the cheapest tunnel.%s",
            run->options->cluster_angstrom, rows < run->cluster_count ? " `clusters.csv` has the others." : "");
    if (status == QN_OK) status = qn_report_table(report, heads, COLUMNS, cells, rows);
    for (size_t c = 0; c < rows && linings; c++) qn_text_clear(&linings[c]);
    qn_release(&linings);
    qn_release(&cells);
    qn_release(&said);
    return status;
}

/* ---- profiles ---- */

static qn_status add_profiles(qn_report *report, const qn_tunnel_state *run)
{
    const size_t count = run->cluster_count < PROFILES ? run->cluster_count : PROFILES;
    qn_report_series series[PROFILES];
    double *distances[PROFILES] = {NULL};
    short_text names[PROFILES];
    qn_status status = qn_report_heading(report, "Profiles");
    for (size_t c = 0; c < count && status == QN_OK; c++) {
        const qn_line *line = &qn_tunnel_best_of(run, c)->line;
        status = qn_allocate(line->count, sizeof **distances, (void **)&distances[c]);
        for (size_t i = 0; i < line->count && status == QN_OK; i++)
            distances[c][i] = line->length * (double)i / (double)(line->count - 1);
        names[c] = say("cluster %zu", c + 1);
        series[c] = (qn_report_series){names[c].text, distances[c], line->radii, NULL, line->count};
    }
    const qn_report_plot plot = {.title = "Radius along the best tunnel of each cluster",
                                 .x_label = "distance from the start, Å",
                                 .y_label = "radius, Å",
                                 .caption = "The radius is that of the largest sphere which touches no atom there.",
                                 .series = series,
                                 .series_count = count};
    if (status == QN_OK) status = qn_report_lines_and_guide(report, &plot, run->options->probe_angstrom, "probe");
    for (size_t c = 0; c < count; c++) qn_release(&distances[c]);
    return status;
}

/* ---- three views ---- */

static void find_corners(const qn_tunnel_structure *structure, double low[3], double high[3])
{
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY, high[k] = -INFINITY;
        for (size_t i = 0; i < structure->wall_count; i++) {
            const double at = structure->molecule->atoms[structure->walls[i]].position_angstrom[k];
            low[k] = fmin(low[k], at);
            high[k] = fmax(high[k], at);
        }
    }
}

static qn_status draw_views(const qn_tunnel_state *run, qn_three_views *views)
{
    const qn_tunnel_structure *structure = &run->structure;
    for (size_t i = 0; i < structure->wall_count; i++) {
        const qn_atom *atom = &structure->molecule->atoms[structure->walls[i]];
        if (qn_atom_is_c_alpha(atom)) QN_TRY(qn_three_views_dot(views, atom->position_angstrom, 1.5, "fill=\"#999\""));
    }
    for (size_t c = run->cluster_count < PROFILES ? run->cluster_count : PROFILES; c-- > 0;) {
        const qn_line *line = &qn_tunnel_best_of(run, c)->line;
        const short_text style = say("style=\"fill:var(--c%zu)\" fill-opacity=\".35\"", c); /* as the plot */
        for (size_t i = 0; i < line->count; i += 3)
            QN_TRY(qn_three_views_sphere(views, line->places[i], line->radii[i], style.text));
    }
    return QN_OK;
}

static qn_status add_views(qn_report *report, const qn_tunnel_state *run)
{
    double low[3], high[3];
    qn_three_views views;
    qn_text svg = {0};
    find_corners(&run->structure, low, high);
    qn_three_views_begin(low, high, &views);
    qn_status status = draw_views(run, &views);
    if (status == QN_OK) status = qn_three_views_end(&views, &svg);
    if (status == QN_OK)
        status = qn_report_drawing(report, "Three views",
                                   "The best tunnel of each cluster with its spheres, and the Cα atoms in grey.",
                                   "tunnels from three sides", svg.data);
    qn_three_views_clear(&views);
    qn_text_clear(&svg);
    return status;
}

/* ---- the report ---- */

static qn_status fill(qn_report *report, const qn_tunnel_state *run)
{
    const qn_found_frame *frame = qn_tunnel_widest_frame(run);
    const double *start = frame->start;
    QN_TRY(qn_job_report_warnings(run->job, report));
    QN_TRY(add_facts(report, run));
    QN_TRY(add_profiles(report, run));
    QN_TRY(add_clusters(report, run));
    QN_TRY(qn_report_heading(report, "Views"));
    QN_TRY(add_views(report, run));
    QN_TRY(qn_report_heading(report, "Run"));
    return qn_report_paragraph(
        report,
        "Quern %s, structure `%s`, start `%s`. Tunnels begin %.2f Å from there, at %.2f, %.2f, "
        "%.2f Å, where a sphere of %.2f Å fits%s. %s "
        "`view.pml` and `view.cxc` show the tunnels in PyMOL and ChimeraX, `tunnels.json` in Mol*; "
        "`run.json` holds the options.",
        qn_version(), run->structure.name, run->options->start, frame->start_moved, start[0], start[1], start[2],
        frame->start_radius, has_frames(run) ? ", in the frame with the widest way out" : "",
        run->structure.has_hydrogens ? "Hydrogens are walls."
                                     : "There are no hydrogens among the walls, so tunnels are wider than with them.");
}

qn_status qn_tunnel_write_report(qn_tunnel_state *run)
{
    qn_report *report;
    qn_text title = {0};
    char *path = NULL;
    qn_status status = qn_text_append(&title, "quern tunnel: %s", qn_path_name(run->structure.name));
    if (status == QN_OK) status = qn_report_create(title.data, &report);
    qn_text_clear(&title);
    QN_TRY(status);
    status = fill(report, run);
    if (status == QN_OK) status = qn_job_path(run->job, "report.html", &path);
    if (status == QN_OK) status = qn_report_write(report, path);
    qn_release(&path);
    qn_report_destroy(&report);
    return status;
}

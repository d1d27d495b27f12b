/* report.html: a slice of every map through its minimum, favourable volumes, hot spots, and how the run went. */
#include <math.h>
#include <quern/version.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "potential/run.h"
#include "report/html.h"

enum { SPOTS_SHOWN = 5 }; /* hot spots of a map in the report's table */

/* Range of the picture of the electrostatic potential in kcal/mol/e. Larger values are inside charged groups or beside
 * them. */
static const double electrostatic_range = 5;

/* Shades of grey end at this share of the least value's magnitude, above 0, so that points in the solvent are grey and
 * points inside the receptor are white. */
static const double shown_above = 0.3;

typedef struct short_text {
    char text[64];
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

/* ---- facts ---- */

static qn_status add_facts(qn_report *report, const qn_potential_run_state *run)
{
    const qn_potential_grid *grid = &run->model->settings.grid;
    const double *centre = grid->centre_angstrom, step = grid->spacing_angstrom;
    const int *n = grid->points;
    static const char *const labels[] = {"Maps", "Points", "Box", "Centre", "Receptor", "Time"};
    enum { FACTS = sizeof labels / sizeof *labels };
    const short_text said[FACTS] = {
        say("%d", run->map_count),
        say("%d × %d × %d, %.4g Å apart", n[0], n[1], n[2], step),
        say("%.4g × %.4g × %.4g Å", step * (n[0] - 1), step * (n[1] - 1), step * (n[2] - 1)),
        say("%.3f, %.3f, %.3f", centre[0], centre[1], centre[2]),
        say("%zu atoms", run->model->atom_count),
        say("%.2f s, and %.2f s for the files", run->compute_s, run->write_s),
    };
    const char *values[FACTS];
    for (int i = 0; i < FACTS; i++) values[i] = said[i].text;
    return qn_report_facts(report, labels, values, FACTS);
}

/* ---- the table of maps ---- */

static const char *meaning_of(const qn_potential_run_state *run, int map)
{
    const char *name = run->map_names[map];
    if (map >= run->field_count) return "AutoDock Vina, kcal/mol";
    if (strcmp(name, "e") == 0 && !qn_potential_is_probe(run, map)) return "electrostatic potential, kcal/mol/e";
    if (strcmp(name, "d") == 0 && !qn_potential_is_probe(run, map)) return "desolvation of charges, kcal/mol/e";
    return qn_potential_is_probe(run, map) ? "AutoDock 4, kcal/mol" : "distance of the nearest atom, Å";
}

static qn_status add_table(qn_report *report, const qn_potential_run_state *run)
{
    enum { COLUMNS = 5 };
    const size_t rows = (size_t)run->map_count;
    const char **cells = NULL;
    short_text *said = NULL;
    qn_status status = qn_allocate(COLUMNS * rows, sizeof *cells, (void **)&cells);
    if (status == QN_OK) status = qn_allocate(3 * rows, sizeof *said, (void **)&said);
    for (size_t i = 0; i < rows && status == QN_OK; i++) {
        const qn_map_summary *summary = &run->summaries[i];
        const double *place = summary->least.position_angstrom;
        said[3 * i] = say("%.3f", (double)summary->least.energy);
        said[3 * i + 1] = say("%.2f, %.2f, %.2f", place[0], place[1], place[2]);
        said[3 * i + 2] = say("%.1f", summary->favourable_angstrom3);
        cells[COLUMNS * i] = run->map_names[i];
        cells[COLUMNS * i + 1] = meaning_of(run, (int)i);
        cells[COLUMNS * i + 2] = said[3 * i].text;
        cells[COLUMNS * i + 3] = said[3 * i + 1].text;
        cells[COLUMNS * i + 4] = qn_potential_is_probe(run, (int)i) ? said[3 * i + 2].text : NULL;
    }
    if (status == QN_OK)
        status = qn_report_table(
            report, (const char *const[]){"Map", "Meaning", "Least value", "at x, y, z (Å)", "Favourable volume (Å³)"},
            COLUMNS, cells, rows);
    qn_release(&said);
    qn_release(&cells);
    return status;
}

/* ---- pictures ---- */

/* The plane of the map through its minimum, at one z. */
static qn_report_picture slice_of(const qn_potential_run_state *run, int map, const char *title, const char *text)
{
    const int *n = run->model->settings.grid.points, plane = run->summaries[map].least.point[2];
    const size_t points = qn_potential_grid_size(&run->model->settings.grid);
    return (qn_report_picture){.title = title,
                               .text = text,
                               .values =
                                   run->values + (size_t)map * points + (size_t)plane * (size_t)n[0] * (size_t)n[1],
                               .columns = n[0],
                               .rows = n[1],
                               .pixel = run->model->settings.grid.spacing_angstrom,
                               .unit = "Å"};
}

static qn_status add_slices_of(qn_report *report, const qn_potential_run_state *run, int first, int end,
                               const char *title)
{
    qn_report_picture pictures[QN_POTENTIAL_MAPS_MAX];
    short_text said[QN_POTENTIAL_MAPS_MAX];
    double low = 0;
    size_t count = 0;
    for (int map = first; map < end; map++) {
        const qn_hot_spot *least = &run->summaries[map].least;
        low = fmin(low, (double)least->energy);
        said[count] = say("z = %.2f Å, least %s%.2f", least->position_angstrom[2], least->energy < 0 ? "−" : "",
                          fabs((double)least->energy));
        pictures[count] = slice_of(run, map, run->map_names[map], said[count].text);
        count++;
    }
    if (count == 0) return QN_OK;
    return qn_report_pictures(report, title,
                              "Each map at the height of its least value, x to the right and y upwards. Dark is "
                              "favourable, light grey is near 0, and white is the receptor's inside.",
                              pictures, count, low < 0 ? low : -1, low < 0 ? -shown_above * low : 1);
}

static qn_status add_electrostatics(qn_report *report, const qn_potential_run_state *run)
{
    const int map = run->model->settings.probe_count;
    if (run->field_count == 0) return QN_OK;
    const qn_hot_spot *least = &run->summaries[map].least;
    const short_text said = say("z = %.2f Å", least->position_angstrom[2]);
    const qn_report_picture picture = slice_of(run, map, "e", said.text);
    return qn_report_pictures(report, "Electrostatic potential",
                              "The plane of its least value. Black is −5 kcal/mol/e or less, which attracts positive "
                              "charges; white is 5 or more.",
                              &picture, 1, -electrostatic_range, electrostatic_range);
}

static qn_status add_slices(qn_report *report, const qn_potential_run_state *run)
{
    QN_TRY(qn_report_heading(report, "Slices"));
    const int probes = run->field_count > 0 ? run->model->settings.probe_count : 0;
    QN_TRY(add_slices_of(report, run, 0, probes, "AutoDock 4"));
    QN_TRY(add_slices_of(report, run, run->field_count, run->map_count, "AutoDock Vina"));
    return add_electrostatics(report, run);
}

/* ---- hot spots ---- */

static const qn_potential_atom *nearest_atom(const qn_potential_run_state *run, const double place[3], double *distance)
{
    const qn_potential_atom *nearest = NULL;
    double best = INFINITY;
    for (size_t i = 0; i < run->receptor.atom_count; i++) {
        double square = 0;
        for (int k = 0; k < 3; k++) {
            const double difference = run->receptor.atoms[i].position_angstrom[k] - place[k];
            square += difference * difference;
        }
        if (square >= best) continue;
        best = square;
        nearest = &run->receptor.atoms[i];
    }
    *distance = sqrt(best);
    return nearest;
}

enum { SPOT_COLUMNS = 4, SPOT_TEXTS = 3 };

static void describe_spot(const qn_potential_run_state *run, const char *name, const qn_hot_spot *spot,
                          short_text said[SPOT_TEXTS], const char *cells[SPOT_COLUMNS])
{
    const double *place = spot->position_angstrom;
    double distance;
    const qn_potential_atom *atom = nearest_atom(run, place, &distance);
    const char *atom_name = atom ? atom->name + strspn(atom->name, " ") : "";
    said[0] = say("%.3f", (double)spot->energy);
    said[1] = say("%.2f, %.2f, %.2f", place[0], place[1], place[2]);
    said[2] = say("%.*s of %s, %.2f Å", (int)strcspn(atom_name, " "), atom_name, atom ? atom->residue : "", distance);
    cells[0] = name;
    for (int i = 0; i < SPOT_TEXTS; i++) cells[i + 1] = said[i].text;
}

static qn_status add_spots(qn_report *report, const qn_potential_run_state *run)
{
    const size_t most = (size_t)run->map_count * SPOTS_SHOWN;
    const char **cells = NULL;
    short_text *said = NULL;
    size_t rows = 0;
    QN_TRY(qn_report_heading(report, "Hot spots"));
    qn_status status = qn_allocate(SPOT_COLUMNS * most, sizeof *cells, (void **)&cells);
    if (status == QN_OK) status = qn_allocate(SPOT_TEXTS * most, sizeof *said, (void **)&said);
    for (int map = 0; map < run->map_count && status == QN_OK; map++)
        for (int i = 0; i < run->summaries[map].spot_count && i < SPOTS_SHOWN && qn_potential_is_probe(run, map);
             i++, rows++)
            describe_spot(run, run->map_names[map], &run->summaries[map].spots[i], said + SPOT_TEXTS * rows,
                          cells + SPOT_COLUMNS * rows);
    if (status == QN_OK)
        status =
            qn_report_paragraph(report,
                                "Minima below −%.1f kcal/mol, at least %.0f Å apart: the %d deepest of each map. "
                                "`hot_spots.pdb` has up to %d of each, and `view.pml` and `view.cxc` show them in "
                                "PyMOL and ChimeraX. Energies of AutoDock's probes are without their charge.",
                                -QN_FAVOURABLE_ENERGY, QN_HOT_SPOT_DISTANCE_ANGSTROM, SPOTS_SHOWN, QN_HOT_SPOTS_MAX);
    if (status == QN_OK)
        status = qn_report_table(
            report, (const char *const[]){"Map", "Energy (kcal/mol)", "at x, y, z (Å)", "Nearest atom of the receptor"},
            SPOT_COLUMNS, cells, rows);
    qn_release(&said);
    qn_release(&cells);
    return status;
}

/* ---- the report ---- */

static qn_status add_run(qn_report *report, const qn_potential_run_state *run)
{
    QN_TRY(qn_report_heading(report, "Run"));
    QN_TRY(qn_report_paragraph(report, "Quern %s on %s, receptor `%s`. `run.json` holds the options.", qn_version(),
                               qn_device_get_info(run->job->devices[0])->name, run->receptor_path));
    return qn_job_report_kernels(run->job, report);
}

static qn_status fill_report(qn_report *report, const qn_potential_run_state *run)
{
    QN_TRY(qn_job_report_warnings(run->job, report));
    QN_TRY(add_facts(report, run));
    QN_TRY(qn_report_heading(report, "Maps"));
    QN_TRY(qn_report_paragraph(report, "The favourable volume is where the energy is below −%.1f kcal/mol.",
                               -QN_FAVOURABLE_ENERGY));
    QN_TRY(add_table(report, run));
    QN_TRY(add_slices(report, run));
    QN_TRY(add_spots(report, run));
    return add_run(report, run);
}

static qn_status write_html(qn_potential_run_state *run)
{
    qn_report *report;
    qn_text title = {0};
    char *path = NULL;
    qn_status status = qn_text_append(&title, "quern potential: %s", qn_path_name(run->receptor_path));
    if (status == QN_OK) status = qn_report_create(title.data, &report);
    qn_text_clear(&title);
    QN_TRY(status);
    status = fill_report(report, run);
    if (status == QN_OK) status = qn_job_path(run->job, "report.html", &path);
    if (status == QN_OK) status = qn_report_write(report, path);
    qn_release(&path);
    qn_report_destroy(&report);
    return status;
}

static qn_status summarise(size_t map, int worker, void *user)
{
    qn_potential_run_state *run = user;
    const size_t points = qn_potential_grid_size(&run->model->settings.grid);
    (void)worker;
    return qn_map_summarise(&run->model->settings.grid, run->values + map * points, &run->summaries[map]);
}

qn_status qn_potential_write_report(qn_potential_run_state *run)
{
    if (!run->names.output.folder) return QN_OK; /* AutoGrid's files alone lie beside a user's own */
    if (!qn_potential_holds_all(run)) {
        qn_log(QN_LOG_NOTE, "the maps are larger than the memory: there is no report of them");
        return QN_OK;
    }
    QN_TRY(qn_allocate((size_t)run->map_count, sizeof *run->summaries, (void **)&run->summaries));
    QN_TRY(qn_pool_run(run->job->pool, (size_t)run->map_count, summarise, run));
    QN_TRY(write_html(run));
    return qn_potential_write_views(run);
}

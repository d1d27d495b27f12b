/* report.html: the passages' profiles and tunnels, what they cost, and bands over receptors. */
#include <math.h>
#include <quern/version.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/html.h"
#include "transport/run.h"

/* ROWS: of the table of passages; COLUMNS: its columns; TERMS: passages with bars; GRID: rows and columns of the table
 * of ligands and tunnels. */
enum { ROWS = 500, COLUMNS = 11, TERMS = 20, GRID_ROWS = 200, GRID_COLUMNS = 12 };

typedef struct short_text {
    char text[128];
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

static short_text energy(double kcal_per_mol)
{
    return say("%s%.2f kcal/mol", kcal_per_mol <= -0.005 ? "−" : "", fabs(kcal_per_mol));
}

/* A passage in words: what all passages share is left out. */
static short_text title_of(const qn_transport_state *run, uint64_t piece)
{
    const qn_passage_inputs inputs = qn_transport_piece(run, piece);
    if (run->snapshot_count == 1 && run->tunnel_count == 1) return say("%s", inputs.ligand->name);
    if (run->snapshot_count == 1) return say("%s, %s", inputs.ligand->name, inputs.tunnel->name);
    return say("%s, %s, %s", inputs.ligand->name, inputs.tunnel->name, inputs.snapshot->name);
}

/* The barrier in the direction that the run asks for. */
static double cost_of(const qn_transport_state *run, const qn_passage_summary *summary)
{
    return summary->highest - (run->inwards ? summary->surface : summary->bound);
}

/* ---- facts ---- */

static qn_status add_one_passage(qn_report *report, const qn_transport_state *run)
{
    const qn_passage_summary *summary = &run->passages[0];
    static const char *const labels[] = {"E bound",     "E max", "E surface", "Barrier in",
                                         "Barrier out", "Gap",   "Resisting"};
    const short_text said[] = {energy(summary->bound),
                               energy(summary->highest),
                               energy(summary->surface),
                               energy(summary->highest - summary->surface),
                               energy(summary->highest - summary->bound),
                               isnan(summary->gap) ? say("–") : energy(summary->gap),
                               say("%s", summary->resisting[0] ? summary->resisting : "–")};
    const char *values[sizeof said / sizeof *said];
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) values[i] = said[i].text;
    return qn_report_facts(report, labels, values, sizeof said / sizeof *said);
}

static qn_status add_facts(qn_report *report, const qn_transport_state *run)
{
    const char *const labels[] = {
        "Passages",   "Receptors", "Tunnels", "Ligands", run->inwards ? "Least barrier in" : "Least barrier out",
        "Its passage"};
    const qn_passage_summary *least = &run->passages[0];
    if (run->passage_count == 1) return add_one_passage(report, run);
    for (size_t i = 1; i < run->passage_count; i++)
        if (cost_of(run, &run->passages[i]) < cost_of(run, least)) least = &run->passages[i];
    const short_text said[] = {say("%zu", run->passage_count), say("%zu", run->snapshot_count),
                               say("%zu", run->tunnel_count),  say("%zu", run->ligand_count),
                               energy(cost_of(run, least)),    title_of(run, least->piece)};
    const char *values[sizeof said / sizeof *said];
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) values[i] = said[i].text;
    return qn_report_facts(report, labels, values, sizeof said / sizeof *said);
}

/* ---- drawings ---- */

static qn_status add_profiles(qn_report *report, const qn_transport_state *run)
{
    QN_TRY(qn_report_heading(report, "Profiles"));
    for (size_t i = 0; i < run->passage_count && run->passages[i].profile_svg; i++) {
        const short_text title = title_of(run, run->passages[i].piece);
        QN_TRY(qn_report_drawing(report, title.text,
                                 "Lower bound: the best pose on each disc by itself. Upper bound: the energies on each "
                                 "disc along a way in small steps, least to highest. Residues lie within 2.5 Å of a "
                                 "disc.",
                                 "energies, radii and residues along the tunnel", run->passages[i].profile_svg));
    }
    return QN_OK;
}

static qn_status add_views(qn_report *report, const qn_transport_state *run)
{
    QN_TRY(qn_report_heading(report, "Tunnels"));
    for (size_t i = 0; i < run->passage_count; i++) {
        const qn_passage_summary *summary = &run->passages[i];
        if (!summary->views_svg) continue;
        QN_TRY(
            qn_report_drawing(report, qn_transport_piece(run, summary->piece).tunnel->name,
                              "Discs as spheres, the dragged atom of the first ligand on its way as dots, and the Cα "
                              "atoms in grey.",
                              "the tunnel from three sides", summary->views_svg));
    }
    return QN_OK;
}

/* ---- terms at the highest place ---- */

static qn_status add_terms(qn_report *report, const qn_transport_state *run)
{
    enum { KINDS = 6 };
    static const char *const names[KINDS] = {"gauss 1",     "gauss 2",       "repulsion",
                                             "hydrophobic", "hydrogen bond", "within the ligand"};
    const size_t count = run->passage_count < TERMS ? run->passage_count : TERMS;
    double values[KINDS][TERMS];
    short_text titles[TERMS];
    const char *categories[TERMS];
    qn_report_series series[KINDS];
    for (size_t i = 0; i < count; i++) {
        const qn_passage_summary *summary = &run->passages[i];
        const qn_vina_energy *terms = &summary->terms;
        const double all[KINDS] = {terms->gauss1,      terms->gauss2,        terms->repulsion,
                                   terms->hydrophobic, terms->hydrogen_bond, summary->intra};
        for (size_t k = 0; k < KINDS; k++) values[k][i] = all[k];
        titles[i] = title_of(run, summary->piece);
        categories[i] = titles[i].text;
    }
    for (size_t k = 0; k < KINDS; k++) series[k] = (qn_report_series){names[k], NULL, values[k], NULL, count};
    return qn_report_bars(report,
                          &(qn_report_plot){.title = "Terms at the highest place",
                                            .x_label = "passage",
                                            .y_label = "energy, kcal/mol",
                                            .caption = "Vina's terms of the pose, not divided by 1 + 0.05846 N. Where "
                                                       "repulsion is high, the ligand is squeezed.",
                                            .series = series,
                                            .series_count = KINDS},
                          categories, count);
}

/* ---- bands over receptors ---- */

static qn_status add_band(qn_report *report, const qn_passage_band *band, const char *title)
{
    double *mean;
    QN_TRY(qn_allocate(band->disc_count, sizeof *mean, (void **)&mean));
    for (size_t i = 0; i < band->disc_count; i++) mean[i] = band->sum[i] / (double)band->count;
    const short_text caption = say("Energies on each disc over %zu receptors.", band->count);
    const qn_report_series series[] = {{"lowest", band->distances, band->least, NULL, band->disc_count},
                                       {"mean", band->distances, mean, NULL, band->disc_count},
                                       {"highest", band->distances, band->most, NULL, band->disc_count}};
    const qn_status status = qn_report_lines(report, &(qn_report_plot){.title = title,
                                                                       .x_label = "distance, Å",
                                                                       .y_label = "energy, kcal/mol",
                                                                       .caption = caption.text,
                                                                       .series = series,
                                                                       .series_count = 3});
    qn_release(&mean);
    return status;
}

static qn_status add_bands(qn_report *report, const qn_transport_state *run)
{
    if (run->snapshot_count == 1) return QN_OK;
    QN_TRY(qn_report_heading(report, "Bands over receptors"));
    for (size_t i = 0; i < QN_TRANSPORT_BANDS; i++) {
        if (run->bands[i].count == 0) continue;
        const qn_passage_inputs inputs = qn_transport_piece(run, i);
        QN_TRY(add_band(report, &run->bands[i], say("%s, %s", inputs.ligand->name, inputs.tunnel->name).text));
    }
    return QN_OK;
}

/* ---- ligands and tunnels ---- */

/* The least cost over receptors of a ligand in a tunnel. */
static double least_cost(const qn_transport_state *run, size_t tunnel, size_t ligand)
{
    const size_t columns = run->tunnel_count * run->ligand_count;
    double least = INFINITY;
    for (size_t s = 0; s < run->snapshot_count; s++)
        least = fmin(least, cost_of(run, &run->passages[s * columns + tunnel * run->ligand_count + ligand]));
    return least;
}

static qn_status fill_grid(const qn_transport_state *run, size_t rows, size_t columns, short_text *said,
                           const char **heads, const char **cells)
{
    heads[0] = "Ligand";
    for (size_t t = 1; t < columns; t++) heads[t] = run->tunnels[t - 1].name;
    for (size_t l = 0; l < rows; l++) {
        cells[l * columns] = run->ligands[l].name;
        for (size_t t = 1; t < columns; t++) {
            said[l * columns + t] = say("%.2f", least_cost(run, t - 1, l));
            cells[l * columns + t] = said[l * columns + t].text;
        }
    }
    return QN_OK;
}

static qn_status add_grid(qn_report *report, const qn_transport_state *run)
{
    const size_t rows = run->ligand_count < GRID_ROWS ? run->ligand_count : GRID_ROWS;
    const size_t columns = 1 + (run->tunnel_count < GRID_COLUMNS ? run->tunnel_count : GRID_COLUMNS);
    const char *heads[1 + GRID_COLUMNS], **cells = NULL;
    short_text *said = NULL;
    if (run->tunnel_count * run->ligand_count == 1) return QN_OK;
    qn_status status = qn_report_heading(report, "Ligands and tunnels");
    if (status == QN_OK) status = qn_allocate(rows * columns, sizeof *said, (void **)&said);
    if (status == QN_OK) status = qn_allocate(rows * columns, sizeof *cells, (void **)&cells);
    if (status == QN_OK) status = fill_grid(run, rows, columns, said, heads, cells);
    if (status == QN_OK)
        status = qn_report_paragraph(
            report, "Barrier %s in kcal/mol, %s%s.%s",
            run->inwards ? "inwards, E max − E surface," : "outwards, E max − E bound,",
            "of the upper bound where there is one", run->snapshot_count > 1 ? ", the least over all receptors" : "",
            rows < run->ligand_count || columns <= run->tunnel_count ? " `results.csv` has the others." : "");
    if (status == QN_OK) status = qn_report_table(report, heads, columns, cells, rows);
    qn_release(&cells);
    qn_release(&said);
    return status;
}

/* ---- passages ---- */

static void fill_row(const qn_transport_state *run, const qn_passage_summary *summary, short_text *row)
{
    const qn_passage_inputs inputs = qn_transport_piece(run, summary->piece);
    row[0] = say("%s", inputs.snapshot->name);
    row[1] = say("%s", inputs.tunnel->name);
    row[2] = say("%s", inputs.ligand->name);
    row[3] = say("%.2f", summary->bound);
    row[4] = say("%.2f", summary->highest);
    row[5] = say("%.2f", summary->surface);
    row[6] = say("%.2f", summary->highest - summary->surface);
    row[7] = say("%.2f", summary->highest - summary->bound);
    row[8] = say("%.2f", summary->bound - summary->surface);
    row[9] = isnan(summary->gap) ? say("–") : say("%.2f", summary->gap);
    row[10] = say("%s", summary->resisting);
}

static qn_status add_table(qn_report *report, const qn_transport_state *run)
{
    static const char *const heads[COLUMNS] = {"Receptor",          "Tunnel",     "Ligand",      "E bound", "E max",
                                               "E surface",         "Barrier in", "Barrier out", "ΔE",      "Gap",
                                               "Resisting residues"};
    const size_t rows = run->passage_count < ROWS ? run->passage_count : ROWS;
    short_text *said = NULL;
    const char **cells = NULL;
    qn_status status = qn_report_heading(report, "Passages");
    if (status == QN_OK) status = qn_allocate(rows * COLUMNS, sizeof *said, (void **)&said);
    if (status == QN_OK) status = qn_allocate(rows * COLUMNS, sizeof *cells, (void **)&cells);
    for (size_t i = 0; i < rows && status == QN_OK; i++) fill_row(run, &run->passages[i], said + i * COLUMNS);
    for (size_t k = 0; k < rows * COLUMNS && status == QN_OK; k++) cells[k] = said[k].text;
    if (status == QN_OK)
        status =
            qn_report_paragraph(report,
                                "Energies in kcal/mol, of the upper bound where there is one. E bound is the "
                                "lowest between the highest place and the inner end; ΔE = E bound − E surface; the "
                                "gap is the upper maximum over the lower.%s",
                                rows < run->passage_count ? " `results.csv` has the others." : "");
    if (status == QN_OK) status = qn_report_table(report, heads, COLUMNS, cells, rows);
    qn_release(&cells);
    qn_release(&said);
    return status;
}

/* ---- the report ---- */

static qn_status fill_report(qn_report *report, const qn_transport_state *run)
{
    QN_TRY(qn_job_report_warnings(run->job, report));
    QN_TRY(add_facts(report, run));
    QN_TRY(add_profiles(report, run));
    QN_TRY(add_terms(report, run));
    QN_TRY(add_bands(report, run));
    QN_TRY(add_grid(report, run));
    QN_TRY(add_table(report, run));
    QN_TRY(add_views(report, run));
    QN_TRY(qn_report_heading(report, "Run"));
    return qn_report_paragraph(report, "Quern %s, direction %s. `run.json` holds the options.", qn_version(),
                               run->options->direction);
}

qn_status qn_transport_write_report(qn_transport_state *run)
{
    qn_report *report;
    char *path = NULL;
    const short_text title = say("quern transport: %s", title_of(run, 0).text);
    QN_TRY(qn_report_create(run->passage_count == 1 ? title.text : "quern transport", &report));
    qn_status status = fill_report(report, run);
    if (status == QN_OK) status = qn_job_path(run->job, "report.html", &path);
    if (status == QN_OK) status = qn_report_write(report, path);
    qn_release(&path);
    qn_report_destroy(&report);
    return status;
}

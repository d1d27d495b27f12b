/* Files of the whole run: results.csv, rejected.csv, report.html. */
#include <math.h>
#include <quern/version.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/csv.h"
#include "report/html.h"
#include "transport/run.h"

/* ---- tables ---- */

static qn_status add_result(const qn_transport_state *run, const qn_passage_summary *summary, qn_text *csv)
{
    const qn_passage_inputs inputs = qn_transport_piece(run, summary->piece);
    QN_TRY(qn_csv_text(csv, inputs.snapshot->name));
    QN_TRY(qn_csv_text(csv, inputs.tunnel->name));
    QN_TRY(qn_csv_text(csv, inputs.ligand->name));
    QN_TRY(qn_csv_integer(csv, (long long)summary->disc_count));
    QN_TRY(qn_csv_number(csv, summary->bound, 3));
    QN_TRY(qn_csv_number(csv, summary->highest, 3));
    QN_TRY(qn_csv_integer(csv, (long long)summary->highest_disc));
    QN_TRY(qn_csv_number(csv, summary->surface, 3));
    QN_TRY(qn_csv_number(csv, summary->highest - summary->bound, 3));
    QN_TRY(qn_csv_number(csv, summary->highest - summary->surface, 3));
    QN_TRY(qn_csv_number(csv, summary->bound - summary->surface, 3));
    QN_TRY(qn_csv_number(csv, summary->gap, 3));
    const double terms[] = {summary->terms.gauss1,      summary->terms.gauss2,        summary->terms.repulsion,
                            summary->terms.hydrophobic, summary->terms.hydrogen_bond, summary->intra};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) QN_TRY(qn_csv_number(csv, terms[i], 3));
    QN_TRY(qn_csv_text(csv, summary->resisting));
    return qn_csv_end_row(csv);
}

static qn_status fill_results(const qn_transport_state *run, qn_text *csv)
{
    static const char *const head[] = {
        "receptor",           "tunnel",     "ligand",        "discs",           "e_bound",           "e_max",
        "e_max_disc",         "e_surface",  "barrier_out",   "barrier_in",      "delta_e",           "gap",
        "max_gauss1",         "max_gauss2", "max_repulsion", "max_hydrophobic", "max_hydrogen_bond", "max_intra",
        "bottleneck_residues"};
    QN_TRY(qn_csv_row(csv, sizeof head / sizeof *head, head));
    for (size_t i = 0; i < run->passage_count; i++) QN_TRY(add_result(run, &run->passages[i], csv));
    return QN_OK;
}

static qn_status fill_rejections(const qn_transport_state *run, qn_text *csv)
{
    static const char *const head[] = {"file", "line", "reason"};
    QN_TRY(qn_csv_row(csv, sizeof head / sizeof *head, head));
    for (size_t i = 0; i < run->rejection_count; i++) {
        QN_TRY(qn_csv_text(csv, run->rejections[i].path));
        QN_TRY(qn_csv_integer(csv, (long long)run->rejections[i].line));
        QN_TRY(qn_csv_text(csv, run->rejections[i].reason));
        QN_TRY(qn_csv_end_row(csv));
    }
    return QN_OK;
}

static qn_status write_table(qn_transport_state *run, const char *name,
                             qn_status (*fill)(const qn_transport_state *, qn_text *))
{
    qn_text csv = {0};
    char *path = NULL;
    qn_status status = fill(run, &csv);
    if (status == QN_OK) status = qn_job_path(run->job, name, &path);
    if (status == QN_OK) status = qn_csv_write(&csv, path);
    qn_release(&path);
    qn_text_clear(&csv);
    return status;
}

qn_status qn_transport_write_results(qn_transport_state *run)
{
    QN_TRY(write_table(run, "results.csv", fill_results));
    return run->rejection_count > 0 ? write_table(run, "rejected.csv", fill_rejections) : QN_OK;
}

/* ---- the report ---- */

/* PROFILES: passages with a plot; ROWS: of the table. */
enum { PROFILES = 12, ROWS = 500, COLUMNS = 9 };

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

static qn_status add_profile(qn_report *report, const qn_transport_state *run, const qn_passage_summary *summary)
{
    const qn_passage_inputs inputs = qn_transport_piece(run, summary->piece);
    const short_text title =
        say("%s through %s of %s", inputs.ligand->name, inputs.tunnel->name, inputs.snapshot->name);
    const bool has_way = !isnan(summary->upper_most[0]);
    const qn_report_series series[] = {
        {"lower bound", summary->distances, summary->lower, NULL, summary->disc_count},
        {"radius of the disc (Å)", summary->distances, summary->radii, NULL, summary->disc_count},
        {"upper bound", summary->distances, summary->upper_most, NULL, summary->disc_count},
    };
    const qn_report_plot plot = {.title = title.text,
                                 .x_label = run->inwards ? "distance from the mouth, Å" : "distance from inside, Å",
                                 .y_label = "energy, kcal/mol; radius, Å",
                                 .caption = "Lower: the best pose on each disc by itself. Upper: the highest energy on "
                                            "each disc along a way in small steps.",
                                 .series = series,
                                 .series_count = has_way ? 3 : 2};
    return qn_report_lines(report, &plot);
}

static qn_status fill_rows(const qn_transport_state *run, size_t rows, short_text *said, const char **cells)
{
    for (size_t i = 0; i < rows; i++) {
        const qn_passage_summary *summary = &run->passages[i];
        const qn_passage_inputs inputs = qn_transport_piece(run, summary->piece);
        short_text *row = said + i * COLUMNS;
        row[0] = say("%s", inputs.snapshot->name);
        row[1] = say("%s", inputs.tunnel->name);
        row[2] = say("%s", inputs.ligand->name);
        row[3] = say("%.2f", summary->bound);
        row[4] = say("%.2f", summary->highest);
        row[5] = say("%.2f", summary->surface);
        row[6] = say("%.2f", summary->highest - summary->bound);
        row[7] = say("%.2f", summary->bound - summary->surface);
        row[8] = say("%.2f", summary->gap);
        for (size_t k = 0; k < COLUMNS; k++) cells[i * COLUMNS + k] = row[k].text;
    }
    return QN_OK;
}

static qn_status add_table(qn_report *report, const qn_transport_state *run)
{
    static const char *const heads[COLUMNS] = {"Receptor",  "Tunnel",      "Ligand", "E bound", "E max",
                                               "E surface", "Barrier out", "ΔE",     "Gap"};
    const size_t rows = run->passage_count < ROWS ? run->passage_count : ROWS;
    short_text *said = NULL;
    const char **cells = NULL;
    qn_status status = qn_report_heading(report, "Passages");
    if (status == QN_OK) status = qn_allocate(rows * COLUMNS, sizeof *said, (void **)&said);
    if (status == QN_OK) status = qn_allocate(rows * COLUMNS, sizeof *cells, (void **)&cells);
    if (status == QN_OK) status = fill_rows(run, rows, said, cells);
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

static qn_status fill_report(qn_report *report, const qn_transport_state *run)
{
    QN_TRY(qn_job_report_warnings(run->job, report));
    QN_TRY(add_table(report, run));
    QN_TRY(qn_report_heading(report, "Profiles"));
    for (size_t i = 0; i < run->passage_count && i < PROFILES; i++) QN_TRY(add_profile(report, run, &run->passages[i]));
    QN_TRY(qn_report_heading(report, "Run"));
    return qn_report_paragraph(report, "Quern %s, direction %s. `run.json` holds the options.", qn_version(),
                               run->options->direction);
}

qn_status qn_transport_write_report(qn_transport_state *run)
{
    qn_report *report;
    char *path = NULL;
    QN_TRY(qn_report_create("quern transport", &report));
    qn_status status = fill_report(report, run);
    if (status == QN_OK) status = qn_job_path(run->job, "report.html", &path);
    if (status == QN_OK) status = qn_report_write(report, path);
    qn_release(&path);
    qn_report_destroy(&report);
    return status;
}

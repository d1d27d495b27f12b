/* Write report.html: the curves, their crossings of the thresholds, and a table of all shells. */
#include <stdio.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "fsc/run.h"
#include "report/html.h"

enum { TEXT = 48, CURVES = 4, COLUMNS = 3 + CURVES };

typedef struct curve {
    const char *name;
    const double *values; /* NULL: not computed */
} curve;

/* List the curves. The curve that gives the resolution comes first and is drawn on top. */
static void list_curves(const qn_fsc *fsc, curve curves[CURVES])
{
    curves[0] = (curve){"Corrected", fsc->corrected};
    curves[1] = (curve){"Masked", fsc->masked};
    curves[2] = (curve){"Unmasked", fsc->unmasked};
    curves[3] = (curve){"Phases randomised", fsc->randomised};
}

static void say_resolution(const qn_fsc_crossing *crossing, char text[TEXT])
{
    if (crossing->shell == 0)
        snprintf(text, TEXT, "beyond %.3g Å", crossing->crossing_angstrom);
    else
        snprintf(text, TEXT, "%.2f Å", crossing->crossing_angstrom);
}

static void say_shell(const qn_fsc_crossing *crossing, char text[TEXT])
{
    if (crossing->shell == 0)
        snprintf(text, TEXT, "none");
    else
        snprintf(text, TEXT, "%d (%.2f Å)", crossing->shell, crossing->shell_angstrom);
}

static qn_status add_facts(const qn_fsc_state *run, qn_report *report)
{
    static const char *const labels[] = {"Resolution, FSC = 0.143",
                                         "FSC = 0.5",
                                         "First shell below 0.143",
                                         "First shell below 0.5",
                                         "Box",
                                         "Voxel",
                                         "Mask",
                                         "Phases randomised beyond"};
    const qn_fsc *fsc = run->fsc;
    char texts[8][TEXT];
    const char *values[8];
    for (int i = 0; i < 8; i++) values[i] = texts[i];
    say_resolution(&fsc->at_0_143, texts[0]);
    say_resolution(&fsc->at_0_5, texts[1]);
    say_shell(&fsc->at_0_143, texts[2]);
    say_shell(&fsc->at_0_5, texts[3]);
    snprintf(texts[4], TEXT, "%d³", fsc->side);
    snprintf(texts[5], TEXT, "%.4g Å", fsc->voxel_angstrom);
    snprintf(texts[6], TEXT, "%.3g %% of the box", 100 * fsc->mask_share);
    if (fsc->randomised_from > 0)
        snprintf(texts[7], TEXT, "%.2f Å", 1 / fsc->frequency_per_angstrom[fsc->randomised_from]);
    else
        snprintf(texts[7], TEXT, "nowhere");
    return qn_report_facts(report, labels, values, fsc->masked ? 8 : 6);
}

/* Make the tooltips of the shells, from shell 1. */
static qn_status make_labels(const qn_fsc *fsc, const char ***labels)
{
    const size_t shells = (size_t)fsc->shells - 1;
    void *memory;
    QN_TRY(qn_allocate(shells, sizeof(char *) + TEXT, &memory));
    *labels = memory;
    char *texts = (char *)(*labels + shells);
    for (size_t s = 0; s < shells; s++) {
        (*labels)[s] = texts + s * TEXT;
        snprintf(texts + s * TEXT, TEXT, "shell %zu, %.2f Å", s + 1, 1 / fsc->frequency_per_angstrom[s + 1]);
    }
    return QN_OK;
}

/* Plot the curves. */
static qn_status add_plot(const qn_fsc *fsc, const char *const *labels, qn_report *report)
{
    const size_t shells = (size_t)fsc->shells - 1;
    static const qn_report_guide guides[] = {{0.143, "0.143"}, {0.5, "0.5"}};
    qn_report_series series[CURVES];
    curve curves[CURVES];
    size_t count = 0;
    list_curves(fsc, curves);
    for (int i = 0; i < CURVES; i++)
        if (curves[i].values)
            series[count++] = (qn_report_series){.name = curves[i].name,
                                                 .x = fsc->frequency_per_angstrom + 1,
                                                 .y = curves[i].values + 1,
                                                 .labels = labels,
                                                 .count = shells};
    return qn_report_lines_and_guides(
        report,
        &(qn_report_plot){.title = "Fourier shell correlation",
                          .x_label = "spatial frequency (1/Å)",
                          .inverse_label = "resolution (Å)",
                          .y_label = "correlation",
                          .caption = fsc->masked
                                         ? "The corrected curve gives the resolution. Maps with randomised phases "
                                           "correlate only because of the mask."
                                         : "Without a mask the noise around the particle lowers the curve.",
                          .series = series,
                          .series_count = count},
        guides, 2);
}

static qn_status add_table(const qn_fsc *fsc, qn_report *report)
{
    const char *headers[COLUMNS] = {"Shell", "Frequency (1/Å)", "Resolution (Å)"};
    const size_t rows = (size_t)fsc->shells - 1;
    const double *values[CURVES];
    curve curves[CURVES];
    size_t columns = 3, filled = 0;
    void *memory, *list;
    list_curves(fsc, curves);
    for (int i = 0; i < CURVES; i++) {
        if (!curves[i].values) continue;
        values[columns - 3] = curves[i].values;
        headers[columns++] = curves[i].name;
    }
    QN_TRY(qn_allocate(rows * columns, TEXT, &memory));
    qn_status status = qn_allocate(rows * columns, sizeof(char *), &list);
    if (status != QN_OK) {
        qn_release(&memory);
        return status;
    }
    const char **cells = list;
    for (size_t row = 1; row <= rows; row++)
        for (size_t column = 0; column < columns; column++, filled++) {
            char *text = (char *)memory + filled * TEXT;
            cells[filled] = text;
            if (column == 0)
                snprintf(text, TEXT, "%zu", row);
            else if (column == 1)
                snprintf(text, TEXT, "%.5f", fsc->frequency_per_angstrom[row]);
            else if (column == 2)
                snprintf(text, TEXT, "%.2f", 1 / fsc->frequency_per_angstrom[row]);
            else
                snprintf(text, TEXT, "%.4f", values[column - 3][row]);
        }
    status = qn_report_table(report, headers, columns, cells, rows);
    qn_release(&list);
    qn_release(&memory);
    return status;
}

static qn_status describe_mask(const qn_fsc_state *run, qn_text *text)
{
    if (!run->mask) return qn_text_append(text, "No mask was used.");
    if (!run->mask_made) return qn_text_append(text, "The mask is `%s`.", run->mask_name);
    const qn_mask_options *made = &run->made.options;
    return qn_text_append(
        text,
        "The mask, in `mask.mrc` beside this page, has the voxels above %.4g in the mean of both maps "
        "filtered to %.3g Å (%zu of %zu connected parts), %.3g voxels around them, and an edge of %.3g voxels.",
        made->threshold, made->low_pass_angstrom, run->made.parts_kept, run->made.parts_found, made->extend_voxels,
        made->soft_edge_voxels);
}

static qn_status fill_report(const qn_fsc_state *run, qn_report *report)
{
    qn_text mask = {0};
    const char **labels;
    QN_TRY(add_facts(run, report));
    QN_TRY(qn_job_report_warnings(run->job, report));
    QN_TRY(make_labels(run->fsc, &labels));
    qn_status status = add_plot(run->fsc, labels, report);
    qn_release(&labels);
    QN_TRY(status);
    QN_TRY(
        qn_report_paragraph(report,
                            "Shell s holds the frequencies whose distance from the origin rounds to s / (%d × %.4g Å). "
                            "The resolution is where the curve first falls below the threshold, interpolated between "
                            "two shells.%s",
                            run->fsc->side, run->fsc->voxel_angstrom,
                            run->fsc->masked ? " Masked curves are corrected by maps with randomised phases (Chen et "
                                               "al. 2013, doi 10.1016/j.ultramic.2013.06.004)."
                                             : ""));
    status = describe_mask(run, &mask);
    if (status == QN_OK)
        status = qn_report_paragraph(report, "Half maps: `%s` and `%s`. %s", run->names[0], run->names[1], mask.data);
    qn_text_clear(&mask);
    QN_TRY(status);
    QN_TRY(qn_report_heading(report, "Shells"));
    QN_TRY(qn_report_paragraph(report, "`fsc.csv` and, for RELION, `fsc.star` have the same numbers."));
    QN_TRY(add_table(run->fsc, report));
    return qn_report_paragraph(report,
                               "Quern %s, %d threads, %.1f s. `run.json` holds the options and the inputs' SHA-256.",
                               QN_VERSION, qn_context_threads(run->job->context), run->total_s);
}

qn_status qn_fsc_write_report(const qn_fsc_state *run)
{
    qn_report *report;
    qn_text title = {0};
    char *path = NULL;
    QN_TRY(qn_text_append(&title, "Fourier shell correlation of %s and %s", qn_path_name(run->names[0]),
                          qn_path_name(run->names[1])));
    qn_status status = qn_report_create(title.data, &report);
    qn_text_clear(&title);
    QN_TRY(status);
    status = fill_report(run, report);
    if (status == QN_OK) status = qn_job_path(run->job, "report.html", &path);
    if (status == QN_OK) status = qn_report_write(report, path);
    qn_release(&path);
    qn_report_destroy(&report);
    return status;
}

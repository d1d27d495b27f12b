/* Write report.html: slices of the map, resolution, views, defocus, warnings and times. */
#include <inttypes.h>
#include <math.h>
#include <quern/version.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "reconstruct/output_parts.h"
#include "report/number.h"

/* Share of the transform without any view above which the report warns of gaps. */
static const double most_untouched_share = 0.01;

/* ---- warnings ---- */

qn_status qn_reconstruct_find_warnings(const qn_reconstruction *run)
{
    qn_job *job = run->job;
    if (run->particles->has_ctf && !run->options->ctf)
        QN_TRY(qn_job_warn(job, "the particles have a defocus, but there is no --ctf: contrast is not corrected"));
    if (run->skipped > 0)
        QN_TRY(qn_job_warn(job, "%" PRIu64 " particle%s of weight 0 or less %s left out", run->skipped,
                           run->skipped == 1 ? "" : "s", run->skipped == 1 ? "was" : "were"));
    if (run->finish.untouched_share > most_untouched_share)
        QN_TRY(qn_job_warn(job,
                           "the views leave gaps: %.2g %% of the transform up to the resolution limit was seen by no "
                           "image, and is missing from the map",
                           100 * run->finish.untouched_share));
    if (run->fsc && run->fsc->at_0_143.shell == 0)
        QN_TRY(qn_job_warn(job,
                           "the half maps agree up to the finest detail that pixels of %.3g Å can show: the resolution "
                           "is limited by the pixels, or the halves are not independent",
                           run->voxel_angstrom));
    return QN_OK;
}

/* ---- facts ---- */

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

static qn_status add_facts(qn_report *report, const qn_reconstruction *run)
{
    const char *labels[8], *values[8];
    char speed[QN_NUMBER_LENGTH];
    short_text said[8];
    size_t count = 0;
    if (run->fsc) {
        labels[count] = run->fsc->corrected ? "Resolution (FSC 0.143, masked)" : "Resolution (FSC 0.143)";
        said[count++] = say("%.2f Å", run->fsc->resolution_angstrom);
    }
    labels[count] = "Images";
    said[count++] = say("%zu", run->used_count);
    labels[count] = "Symmetry";
    said[count++] =
        run->operator_count > 1 ? say("%s, %d copies", run->symmetry, run->operator_count) : say("%s", run->symmetry);
    labels[count] = "Map";
    said[count++] = say("%d³ voxels", run->image_side);
    labels[count] = "Voxel";
    said[count++] = say("%.4g Å%s", run->voxel_angstrom, run->pixel_size_assumed ? " (assumed)" : "");
    labels[count] = "Time";
    said[count++] = say("%.*f s", run->times.total_s < 10 ? 2 : 1, run->times.total_s);
    labels[count] = "Images per second";
    qn_number_read(qn_reconstruct_images_per_s(run), 3, speed);
    said[count++] = say("%.40s", speed);
    for (size_t i = 0; i < count; i++) values[i] = said[i].text;
    return qn_report_facts(report, labels, values, count);
}

/* ---- resolution ---- */

static qn_status describe_crossing(const qn_fsc_crossing *crossing, qn_text *text)
{
    if (crossing->shell == 0) return qn_text_append(text, "does not fall below %.3g", crossing->threshold);
    return qn_text_append(text, "falls below %.3g at %.2f Å (shell %d)", crossing->threshold,
                          crossing->crossing_angstrom, crossing->shell);
}

static qn_status write_caption(const qn_reconstruction *run, qn_text *caption)
{
    const qn_fsc *fsc = run->fsc;
    QN_TRY(qn_text_append(caption,
                          "Agreement of the two half maps at each spatial frequency; finer detail is to the right. "));
    if (run->split[0]) QN_TRY(qn_text_append(caption, "Split into halves: %s. ", run->split));
    QN_TRY(qn_text_append(caption, "The %scurve ", fsc->corrected ? "corrected " : ""));
    QN_TRY(describe_crossing(&fsc->at_0_143, caption));
    QN_TRY(qn_text_append(caption, " and "));
    QN_TRY(describe_crossing(&fsc->at_0_5, caption));
    QN_TRY(qn_text_append(caption, "."));
    if (!fsc->corrected && !run->options->mask)
        QN_TRY(
            qn_text_append(caption, " Without a mask (`--mask auto`) the noise around the particle counts as well."));
    else if (fsc->corrected && fsc->randomised_from > 0)
        QN_TRY(qn_text_append(caption,
                              " Phases were randomised from shell %d on, to find how much of the agreement the mask "
                              "itself causes; the corrected curve is without this part.",
                              fsc->randomised_from));
    return QN_OK;
}

/* Curves begin with shell 1: shell 0, the mean, has no resolution. */
static qn_status add_curves(qn_report *report, const qn_fsc *fsc, const char *caption, short_text *said,
                            const char **labels)
{
    const size_t count = fsc->shells > 1 ? (size_t)fsc->shells - 1 : 0;
    /* The order, and so the colours, of the reports of `quern fsc`. */
    const double *const curves[] = {fsc->corrected, fsc->masked, fsc->unmasked, fsc->randomised};
    static const char *const names[] = {"Corrected", "Masked", "Unmasked", "Phases randomised"};
    static const qn_report_guide guides[] = {{0.143, "0.143"}, {0.5, "0.5"}};
    qn_report_series series[4];
    size_t shown = 0;
    for (size_t i = 0; i < count; i++) {
        said[i] = say("%.2f Å, shell %zu", 1 / fsc->frequency_per_angstrom[i + 1], i + 1);
        labels[i] = said[i].text;
    }
    for (int i = 0; i < 4; i++)
        if (curves[i])
            series[shown++] =
                (qn_report_series){names[i], fsc->frequency_per_angstrom + 1, curves[i] + 1, labels, count};
    return qn_report_lines_and_guides(report,
                                      &(qn_report_plot){.title = "Fourier shell correlation",
                                                        .x_label = "spatial frequency (1/Å)",
                                                        .inverse_label = "resolution (Å)",
                                                        .y_label = "correlation",
                                                        .caption = caption,
                                                        .series = series,
                                                        .series_count = shown},
                                      guides, 2);
}

static qn_status add_resolution(qn_report *report, const qn_reconstruction *run)
{
    if (!run->fsc) {
        if (run->map) QN_TRY(qn_report_heading(report, "Amplitudes"));
        return qn_reconstruct_add_guinier(report, run);
    }
    const size_t shells = run->fsc->shells > 0 ? (size_t)run->fsc->shells : 1;
    void *said = NULL, *labels = NULL;
    qn_text caption = {0};
    qn_status status = qn_allocate(shells, sizeof(short_text), &said);
    if (status == QN_OK) status = qn_allocate(shells, sizeof(char *), &labels);
    if (status == QN_OK) status = write_caption(run, &caption);
    if (status == QN_OK) status = qn_report_heading(report, "Resolution");
    if (status == QN_OK) status = add_curves(report, run->fsc, caption.data, said, labels);
    if (status == QN_OK) status = qn_reconstruct_add_guinier(report, run);
    if (status == QN_OK) status = qn_reconstruct_add_half_slices(report, run);
    qn_text_clear(&caption);
    qn_release(&labels);
    qn_release(&said);
    return status;
}

/* ---- how the run went ---- */

static qn_status add_times(qn_report *report, const qn_reconstruction_times *times)
{
    const struct {
        const char *step;
        double seconds;
    } rows[] = {{"metadata", times->metadata_s},
                {"insertion", times->insert_s},
                {"insertion: reading", times->read_s},
                {"insertion: transforms", times->transform_s},
                {"insertion: preparation", times->prepare_s},
                {"insertion: slices", times->kernel_s},
                {"sums of all devices", times->reduce_s},
                {"maps from the sums", times->finish_s},
                {"correlation", times->fsc_s},
                {"all", times->total_s}};
    enum { ROWS = sizeof rows / sizeof *rows };
    const char *cells[2 * ROWS];
    short_text said[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        said[i] = say("%.3f", rows[i].seconds);
        cells[2 * i] = rows[i].step;
        cells[2 * i + 1] = said[i].text;
    }
    return qn_report_table(report, (const char *const[]){"Step", "Seconds"}, 2, cells, ROWS);
}

static qn_status describe_processors(const qn_reconstruction *run, qn_text *text)
{
    QN_TRY(qn_text_append(text, "%d thread%s", run->threads, run->threads == 1 ? "" : "s"));
    for (int i = 0; i < run->device_count; i++)
        QN_TRY(qn_text_append(text, ", %s (%s)", run->devices[i]->identifier, run->devices[i]->name));
    if (run->ranks > 1) QN_TRY(qn_text_append(text, ", in each of %d processes", run->ranks));
    if (run->slabs > 1) QN_TRY(qn_text_append(text, ", the volume in %d slabs", run->slabs));
    if (run->limit_share > 0)
        QN_TRY(qn_text_append(text, "; insertion reached %.0f %% of what the devices allow", 100 * run->limit_share));
    return QN_OK;
}

static qn_status describe_finish(const qn_reconstruction *run, qn_text *text)
{
    const qn_finish_report *finish = &run->finish;
    if (run->padded_side != run->image_side)
        QN_TRY(qn_text_append(text, " The transform was padded to %d³ voxels.", run->padded_side));
    QN_TRY(qn_text_append(text, " Detail down to %.2f Å was kept.", run->max_resolution_angstrom));
    if (finish->iterations > 0)
        return qn_text_append(text, " Gridding weights were computed in %d iteration%s.", finish->iterations,
                              finish->iterations == 1 ? "" : "s");
    return qn_text_append(text, " Sums were divided by their weights, without iterations.");
}

/* Return the file of the particles, or the name of the set in memory. */
static const char *particles_name(const qn_reconstruction *run)
{
    return run->options->particles ? run->options->particles : run->particles->name;
}

static qn_status add_particles(qn_report *report, const qn_reconstruction *run)
{
    const size_t rows = run->particles->particle_count, stacks = run->particles->stack_count;
    const char *inserted = run->used_count == 1 ? "was" : "were";
    if (run->options->images)
        return qn_report_paragraph(report, "Particles `%s`: %zu row%s, images in memory, of which %zu %s inserted.",
                                   particles_name(run), rows, rows == 1 ? "" : "s", run->used_count, inserted);
    return qn_report_paragraph(report, "Particles `%s`: %zu row%s in %zu stack%s, of which %zu %s inserted.",
                               particles_name(run), rows, rows == 1 ? "" : "s", stacks, stacks == 1 ? "" : "s",
                               run->used_count, inserted);
}

static qn_status add_run(qn_report *report, const qn_reconstruction *run)
{
    qn_text processors = {0}, finish = {0};
    qn_status status = qn_report_heading(report, "Run");
    if (status == QN_OK) status = describe_processors(run, &processors);
    if (status == QN_OK) status = describe_finish(run, &finish);
    if (status == QN_OK) status = add_particles(report, run);
    if (status == QN_OK && run->resumed > 0)
        status = qn_report_paragraph(report, "%" PRIu64 " of them had been inserted when an earlier run stopped.",
                                     run->resumed);
    if (status == QN_OK)
        status = qn_report_paragraph(report, "Quern %s, %s.%s%s", qn_version(), processors.data, finish.data,
                                     run->job->in_memory ? "" : " `run.json` holds the options.");
    if (status == QN_OK)
        status =
            qn_report_paragraph(report, "Images are read while those before them are transformed and inserted: the "
                                        "parts of the insertion overlap, and their times are summed over threads "
                                        "and devices.");
    if (status == QN_OK) status = add_times(report, &run->times);
    qn_text_clear(&finish);
    qn_text_clear(&processors);
    return status;
}

static qn_status fill_report(qn_report *report, const qn_reconstruction *run)
{
    QN_TRY(qn_job_report_warnings(run->job, report));
    QN_TRY(add_facts(report, run));
    QN_TRY(qn_reconstruct_add_slices(report, run));
    QN_TRY(add_resolution(report, run));
    QN_TRY(qn_reconstruct_add_views(report, run));
    QN_TRY(qn_reconstruct_add_defocus(report, run));
    return add_run(report, run);
}

qn_status qn_reconstruct_report_page(const qn_reconstruction *run, qn_text *page)
{
    qn_report *report;
    qn_text title = {0};
    qn_status status = qn_text_append(&title, "Reconstruction of %s", qn_path_name(particles_name(run)));
    if (status == QN_OK) status = qn_report_create(title.data, &report);
    qn_text_clear(&title);
    QN_TRY(status);
    status = fill_report(report, run);
    if (status == QN_OK) status = qn_job_report_kernels(run->job, report);
    if (status == QN_OK) status = qn_report_page(report, page);
    qn_report_destroy(&report);
    return status;
}

qn_status qn_reconstruct_write_report(const qn_reconstruction *run)
{
    qn_text page = {0};
    char *path = NULL;
    qn_status status = qn_reconstruct_report_page(run, &page);
    if (status == QN_OK) status = qn_job_path(run->job, "report.html", &path);
    if (status == QN_OK) status = qn_file_write(path, page.data, page.length);
    qn_release(&path);
    qn_text_clear(&page);
    return status;
}

/* quern fft advise: search for the fastest transform size near a wanted one. */
#include <quern/fft.h>
#include <quern/version.h>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
    qn_fft_advice_options advice;
    cli_files files;
} settings;

static const qn_option file_rows[] = {{.like = &cli_csv_row}, {.like = &cli_json_row}, {0}};
static const qn_option_table file_table = {"fft advise", sizeof(cli_files), file_rows, NULL};

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_fft_advice_option_table(), .offset = offsetof(settings, advice)};
    parts[1] = (cli_part){.table = &file_table, .offset = offsetof(settings, files)};
}

/* Write the option's value as a user would write it. */
static const char *text_of(const char *name, const qn_fft_advice_options *options, char text[64])
{
    qn_option row;
    text[0] = '\0';
    if (qn_option_find(qn_fft_advice_option_table(), name, &row)) qn_option_format(&row, options, text, 64);
    return text;
}

/* Write the size as "4096 x 4092", with `axes` numbers. */
static const char *size_text(const int size[3], int axes, char text[48])
{
    int length = snprintf(text, 48, "%d", size[0]);
    for (int axis = 1; axis < axes; axis++) length += snprintf(text + length, 48 - (size_t)length, " x %d", size[axis]);
    return text;
}

static int axes_of(const qn_fft_advice_options *options)
{
    int axes = 3;
    while (axes > 1 && options->size[axes - 1] == 0) axes--;
    return axes;
}

static const char *change_text(const qn_fft_advice *row, int axes, char text[64])
{
    int length = 0;
    bool swapped = false;
    for (int axis = 0; axis < axes; axis++) {
        length +=
            snprintf(text + length, 64 - (size_t)length, "%s%+.1f", axis > 0 ? " " : "", row->change_percent[axis]);
        swapped = swapped || row->wanted_axis[axis] != axis;
    }
    if (swapped) {
        length += snprintf(text + length, 64 - (size_t)length, " of ");
        for (int axis = 0; axis < axes; axis++) text[length++] = "xyz"[row->wanted_axis[axis]];
        text[length] = '\0';
    }
    return text;
}

static void print_row(const qn_fft_advice *row, size_t rank, int axes)
{
    char size[48], change[64], measured[48] = "-", speed_up[24] = "-";
    if (row->measured) /* "±" has two bytes, so the column gets one more */
        snprintf(measured, sizeof measured, "%.4g ± %.2g", 1e3 * row->seconds, 1e3 * row->spread_seconds);
    if (row->speed_up > 0) snprintf(speed_up, sizeof speed_up, "%.2f", row->speed_up);
    printf("%4zu  %-20s  %-22s  %6d  %9.3f  %*s  %10.1f  %8s  %s", rank, size_text(row->size, axes, size),
           change_text(row, axes, change), row->passes, row->predicted_ratio, 18 + (row->measured ? 1 : 0), measured,
           (double)(row->data_bytes + row->work_bytes) / (1 << 20), speed_up, qn_fft_engine_name(row->engine));
    if (row->is_wanted) printf("  (wanted)");
    if (!row->usable) printf("  not used: %s", row->reason);
    printf("\n");
}

static void print_verdict(const qn_fft_advice_report *report, int axes)
{
    char best[48], wanted[48];
    const qn_fft_advice *first = &report->rows[0], *asked = &report->rows[report->wanted];
    size_text(first->size, axes, best);
    size_text(asked->size, axes, wanted);
    if (first->is_wanted && report->row_count == 1)
        printf("\nUse %s as it is: no other size is within the limits.\n", wanted);
    else if (first->is_wanted)
        printf("\nUse %s as it is: no other size within the limits is faster %s.\n", wanted,
               first->measured ? "beyond the noise" : "by more than the estimate's error");
    else if (!asked->usable)
        printf("\nUse %s: %s cannot be used (%s).\n", best, wanted, asked->reason);
    else
        printf("\nUse %s: %s %.2f times as fast as %s.\n", best, first->measured ? "measured" : "estimated",
               first->speed_up, wanted);
}

static void print_table(const qn_fft_advice_options *asked, const qn_device_info *device,
                        const qn_fft_advice_report *report)
{
    const int axes = axes_of(asked);
    char kind[64], engine[64], crop[64], grow[64];
    printf("%s (%s), %s, batch %d, engine %s, crop %s, grow %s; %zu sizes compared%s\n\n", device->identifier,
           device->name, text_of("kind", asked, kind), asked->batch, text_of("engine", asked, engine),
           text_of("crop", asked, crop), text_of("grow", asked, grow), report->considered,
           report->from_cache ? ", times from an earlier run (--fresh measures again)" : "");
    printf("%4s  %-20s  %-22s  %6s  %9s  %18s  %10s  %8s  %s\n", "Rank", "Size", "Change (%)", "Passes", "Predicted",
           "Measured (ms)", "Memory MiB", "Speed-up", "Engine");
    for (size_t i = 0; i < report->row_count; i++) print_row(&report->rows[i], i + 1, axes);
    print_verdict(report, axes);
}

static int write_csv(const char *path, const qn_fft_advice_report *report)
{
    cli_document document;
    int exit_code = cli_document_open(&document, path);
    if (exit_code != CLI_DONE) return exit_code;
    FILE *stream = document.stream;
    fputs("rank,x,y,z,wanted_axis_x,wanted_axis_y,wanted_axis_z,change_x_percent,change_y_percent,change_z_percent,"
          "passes,"
          "predicted_ratio,seconds,spread_seconds,engine,data_bytes,work_bytes,speed_up,wanted,usable,reason\n",
          stream);
    for (size_t i = 0; i < report->row_count; i++) {
        const qn_fft_advice *row = &report->rows[i];
        fprintf(stream, "%zu,%d,%d,%d,%c,%c,%c,%.6g,%.6g,%.6g,%d,%.6g,", i + 1, row->size[0], row->size[1],
                row->size[2], "xyz"[row->wanted_axis[0]], "xyz"[row->wanted_axis[1]], "xyz"[row->wanted_axis[2]],
                row -> change_percent[0], row -> change_percent[1], row -> change_percent[2], row -> passes,
                row -> predicted_ratio);
        if (row->measured) fprintf(stream, "%.9g,%.3g", row->seconds, row->spread_seconds);
        fprintf(stream, "%s,%s,%llu,%llu,%.6g,%d,%d,", row->measured ? "" : ",", qn_fft_engine_name(row->engine),
                (unsigned long long)row->data_bytes, (unsigned long long)row->work_bytes, row->speed_up, row->is_wanted,
                row->usable);
        cli_csv_text(stream, row->reason);
        fputc('\n', stream);
    }
    return cli_document_close(&document);
}

static void write_json_row(FILE *stream, const qn_fft_advice *row)
{
    fprintf(stream,
            "  {\"size\": [%d, %d, %d], \"wanted_axis\": [%d, %d, %d], \"change_percent\": [%.6g, %.6g, %.6g],\n",
            row->size[0], row->size[1], row->size[2], row->wanted_axis[0], row->wanted_axis[1], row->wanted_axis[2],
            row->change_percent[0], row->change_percent[1], row->change_percent[2]);
    fprintf(stream, "   \"passes\": %d, \"predicted_ratio\": ", row->passes);
    cli_json_number(stream, row->predicted_ratio);
    fputs(", \"seconds\": ", stream);
    cli_json_number(stream, row->measured ? row->seconds : (double)NAN);
    fputs(", \"spread_seconds\": ", stream);
    cli_json_number(stream, row->measured ? row->spread_seconds : (double)NAN);
    fputs(", \"speed_up\": ", stream);
    cli_json_number(stream, row->speed_up > 0 ? row->speed_up : (double)NAN);
    fprintf(stream,
            ",\n   \"engine\": \"%s\", \"data_bytes\": %llu, \"work_bytes\": %llu, \"wanted\": %s, \"usable\": %s",
            qn_fft_engine_name(row->engine), (unsigned long long)row->data_bytes, (unsigned long long)row->work_bytes,
            row->is_wanted ? "true" : "false", row->usable ? "true" : "false");
    if (!row->usable) {
        fputs(", \"reason\": ", stream);
        cli_json_text(stream, row->reason);
    }
    fputs("}", stream);
}

static int write_json(const char *path, const qn_fft_advice_options *asked, const qn_device_info *device,
                      const qn_fft_advice_report *report)
{
    cli_document document;
    int exit_code = cli_document_open(&document, path);
    if (exit_code != CLI_DONE) return exit_code;
    FILE *stream = document.stream;
    char kind[64], engine[64], crop[64], grow[64];
    const struct {
        const char *name, *value;
    } texts[] = {{"quern", qn_version()},
                 {"device", device->identifier},
                 {"device_name", device->name},
                 {"driver_version", device->driver_version},
                 {"kind", text_of("kind", asked, kind)},
                 {"engine", text_of("engine", asked, engine)},
                 {"crop", text_of("crop", asked, crop)},
                 {"grow", text_of("grow", asked, grow)}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        fprintf(stream, "%s\"%s\": ", i == 0 ? "{" : ", ", texts[i].name);
        cli_json_text(stream, texts[i].value);
    }
    fprintf(stream, ", \"batch\": %d, \"sizes_compared\": %zu, \"from_cache\": %s,\n \"rows\": [\n", asked->batch,
            report->considered, report->from_cache ? "true" : "false");
    for (size_t i = 0; i < report->row_count; i++) {
        write_json_row(stream, &report->rows[i]);
        fputs(i + 1 < report->row_count ? ",\n" : "\n", stream);
    }
    fputs(" ]}\n", stream);
    return cli_document_close(&document);
}

static int advise(qn_device *device, const settings *chosen)
{
    const cli_files *files = &chosen->files;
    qn_fft_advice_report *report = NULL;
    int exit_code = cli_report(qn_fft_advise(device, &chosen->advice, &report));
    if (exit_code != CLI_DONE) return exit_code;
    const qn_device_info *info = qn_device_get_info(device);
    if (!cli_files_are_output(files)) print_table(&chosen->advice, info, report);
    if (files->csv) exit_code = write_csv(files->csv, report);
    if (exit_code == CLI_DONE && files->json) exit_code = write_json(files->json, &chosen->advice, info, report);
    qn_fft_advice_report_destroy(&report);
    return exit_code;
}

static int run(void *memory)
{
    const settings *chosen = memory;
    const qn_run_options *wanted = &chosen->advice.run;
    const qn_context_options of_context = {
        .size = sizeof of_context, .threads = wanted->threads, .log = cli_log_warning};
    qn_context *context = NULL;
    qn_device *device = NULL;
    int exit_code = cli_report(qn_context_create(&of_context, &context));
    if (exit_code == CLI_DONE) exit_code = cli_report(qn_device_open(context, wanted->device, &device));
    if (exit_code == CLI_DONE) exit_code = advise(device, chosen);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return exit_code;
}

static const cli_command fft_advise = {
    .name = "fft advise",
    .summary = "find the fastest transform size near a wanted one",
    .description =
        "Find the transform size that a device computes fastest among those that a wanted size may be cropped "
        "or padded to. Sizes are compared by an estimate, the best are measured in turns with the wanted "
        "size, and the last line says which to use; the wanted size stays the advice unless another is "
        "faster beyond the noise.",
    .list_parts = list_parts,
    .settings_bytes = sizeof(settings),
    .run = run,
};

static const cli_command *const actions[] = {&fft_advise, NULL};

const cli_command cli_fft = {
    .name = "fft",
    .summary = "choose fast sizes of Fourier transforms",
    .description = "Tools for planning Fourier transforms before computing them.",
    .actions = actions,
};

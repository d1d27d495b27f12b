/* quern fft advise: which transform size near a wanted one is fastest on a device. */
#include <quern/fft.h>
#include <quern/version.h>

#include "cli/commands.h"
#include "cli/output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
    const char *size, *crop, *grow, *kind, *engine, *device, *csv, *json;
    double memory_mib;
    int batch, candidates, threads;
    bool swap_axes, no_measure, fresh, no_cache;
} settings;

static const cli_positional positionals[] = {
    {.name = "SIZE",
     .offset = offsetof(settings, size),
     .help = "the size wanted, in points along x, y and z: 4096, 4096x4092 or 180x168x180; x is contiguous in memory"},
    {0}};

static const cli_option options[] = {
    {.name = "crop",
     .letter = 'c',
     .type = CLI_TEXT,
     .argument = "PERCENT",
     .offset = offsetof(settings, crop),
     .help = "how much the size may shrink: 10% on every axis, or one for each axis: 10%,0,5%"},
    {.name = "grow",
     .letter = 'g',
     .type = CLI_TEXT,
     .argument = "PERCENT",
     .offset = offsetof(settings, grow),
     .help = "how much the size may grow, written likewise"},
    {.name = "kind",
     .letter = 'k',
     .type = CLI_CHOICE,
     .argument = "KIND",
     .offset = offsetof(settings, kind),
     .choices = "real real-inverse complex complex-inverse",
     .help = "the transform: real to half spectrum, back, or complex to complex; single precision"},
    {.name = "batch",
     .letter = 'b',
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = offsetof(settings, batch),
     .least = 1,
     .most = 1 << 24,
     .help = "transforms computed together"},
    {.name = "swap-axes",
     .letter = 's',
     .type = CLI_FLAG,
     .offset = offsetof(settings, swap_axes),
     .help = "axes may change places"},
    {.name = "memory",
     .letter = 'M',
     .type = CLI_NUMBER,
     .argument = "MIB",
     .offset = offsetof(settings, memory_mib),
     .least = 0.001,
     .most = 1e9,
     .default_text = "the device's memory",
     .help = "limit of data and work memory together, in MiB"},
    {.name = "engine",
     .letter = 'e',
     .type = CLI_CHOICE,
     .argument = "ENGINE",
     .offset = offsetof(settings, engine),
     .choices = "auto own fftw vkfft cufft",
     .help = "what computes the transforms; auto is what other commands use"},
    {.name = "device",
     .letter = 'd',
     .type = CLI_TEXT,
     .argument = "DEVICE",
     .offset = offsetof(settings, device),
     .help = "auto, host, opencl:N or cuda:N"},
    {.name = "candidates",
     .letter = 'n',
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = offsetof(settings, candidates),
     .least = 1,
     .most = QN_FFT_ADVICE_ROWS_MAX - 1,
     .help = "sizes shown, and measured in turns with the wanted size: the best by estimate"},
    {.name = "no-measure",
     .type = CLI_FLAG,
     .offset = offsetof(settings, no_measure),
     .help = "answer by estimates alone"},
    {.name = "fresh",
     .letter = 'f',
     .type = CLI_FLAG,
     .offset = offsetof(settings, fresh),
     .help = "measure even when this question was answered before on this device"},
    {.name = "no-cache",
     .type = CLI_FLAG,
     .offset = offsetof(settings, no_cache),
     .help = "neither use nor keep earlier answers"},
    {.name = "csv",
     .type = CLI_TEXT,
     .argument = "FILE",
     .offset = offsetof(settings, csv),
     .default_text = "",
     .help = "write the table to FILE as comma-separated values; - prints that instead of the table"},
    {.name = "json",
     .type = CLI_TEXT,
     .argument = "FILE",
     .offset = offsetof(settings, json),
     .default_text = "",
     .help = "write the table to FILE as JSON; - prints that instead of the table"},
    {.name = "threads",
     .letter = 't',
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = offsetof(settings, threads),
     .least = 0,
     .most = 4096,
     .default_text = "every processor this process may use",
     .help = "CPU threads of the host device"},
    {0}};

static void set_defaults(void *memory)
{
    *(settings *)memory = (settings){
        .crop = "0%", .grow = "20%", .kind = "real", .batch = 1, .engine = "auto", .device = "auto", .candidates = 8};
}

static int refuse_size(const char *text, const char *part)
{
    return cli_error(
        CLI_USAGE,
        "fft advise: SIZE is \"%s\", and \"%.24s\" is no length of an axis; expected one to three whole numbers "
        "from 1 to %d joined by x, such as 4096x4092",
        text, part, QN_FFT_SIZE_MAX);
}

static int read_size(const char *text, int size[3])
{
    const char *next = text;
    for (int axis = 0; axis < 3; axis++) {
        char *end;
        errno = 0;
        const long long number = strtoll(next, &end, 10);
        const bool plain = *next >= '0' && *next <= '9';
        if (!plain || errno || number < 1 || number > QN_FFT_SIZE_MAX || (*end && *end != 'x'))
            return refuse_size(text, next);
        size[axis] = (int)number;
        if (!*end) return CLI_DONE;
        next = end + 1;
    }
    return cli_error(CLI_USAGE, "fft advise: SIZE is \"%s\", which has more than three axes; expected one to three",
                     text);
}

static int refuse_percent(const char *name, const char *text, double most)
{
    return cli_error(
        CLI_USAGE,
        "fft advise: --%s is \"%s\"; expected percents from 0 to %g, one for all axes or one for each of the "
        "size's axes joined by commas",
        name, text, most);
}

static int read_percents(const char *name, const char *text, double most, int axes, double percent[3])
{
    int count = 0;
    for (const char *next = text; count < 3; count++) {
        char *end;
        const double number = strtod(next, &end);
        if (end == next || !isfinite(number) || number < 0 || number > most) return refuse_percent(name, text, most);
        if (*end == '%') end++;
        if (*end && *end != ',') return refuse_percent(name, text, most);
        percent[count] = number;
        if (!*end) break;
        next = end + 1;
    }
    if (count == 3 || (count > 0 && count + 1 != axes)) return refuse_percent(name, text, most);
    for (int axis = count + 1; axis < 3; axis++) percent[axis] = count == 0 ? percent[0] : 0;
    return CLI_DONE;
}

static int place_of(const char *word, const char *const *words)
{
    int place = 0;
    while (strcmp(words[place], word) != 0) place++; /* the parser let nothing else through */
    return place;
}

static int read_question(const settings *chosen, qn_fft_advice_options *question)
{
    static const char *const kinds[] = {"complex", "complex-inverse", "real", "real-inverse"}; /* as qn_fft_kind */
    static const char *const engines[] = {"auto", "own", "fftw", "vkfft", "cufft"};            /* as qn_fft_engine */
    int axes = 1;
    *question = (qn_fft_advice_options){.batch = chosen->batch,
                                        .candidates = chosen->candidates,
                                        .swap_axes = chosen->swap_axes,
                                        .without_measuring = chosen->no_measure,
                                        .without_cache = chosen->no_cache,
                                        .measure_again = chosen->fresh,
                                        .memory_limit_bytes = (uint64_t)(chosen->memory_mib * 1024 * 1024 + 0.5)};
    for (const char *c = chosen->size; *c; c++) axes += *c == 'x';
    question->kind = (qn_fft_kind)place_of(chosen->kind, kinds);
    question->engine = (qn_fft_engine)place_of(chosen->engine, engines);
    int exit_code = read_size(chosen->size, question->size);
    if (exit_code == CLI_DONE) exit_code = read_percents("crop", chosen->crop, 99.9, axes, question->crop_percent);
    if (exit_code == CLI_DONE) exit_code = read_percents("grow", chosen->grow, 400, axes, question->grow_percent);
    return exit_code;
}

/* "4096 x 4092": as many axes as were asked for. */
static const char *size_text(const int size[3], int axes, char text[48])
{
    int length = snprintf(text, 48, "%d", size[0]);
    for (int axis = 1; axis < axes; axis++) length += snprintf(text + length, 48 - (size_t)length, " x %d", size[axis]);
    return text;
}

static int axes_of(const settings *chosen)
{
    int axes = 1;
    for (const char *c = chosen->size; *c; c++) axes += *c == 'x';
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
    if (row->measured)
        snprintf(measured, sizeof measured, "%.4g +- %.2g", 1e3 * row->seconds, 1e3 * row->spread_seconds);
    if (row->speed_up > 0) snprintf(speed_up, sizeof speed_up, "%.2f", row->speed_up);
    printf("%4zu  %-20s  %-22s  %6d  %9.3f  %18s  %10.1f  %8s  %s", rank, size_text(row->size, axes, size),
           change_text(row, axes, change), row->passes, row->predicted_ratio, measured,
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

static void print_table(const settings *chosen, const qn_device_info *device, const qn_fft_advice_report *report)
{
    const int axes = axes_of(chosen);
    printf("%s (%s), %s, batch %d, engine %s, crop %s, grow %s; %zu sizes compared%s\n\n", device->identifier,
           device->name, chosen->kind, chosen->batch, chosen->engine, chosen->crop, chosen->grow, report->considered,
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

static int write_json(const char *path, const settings *chosen, const qn_device_info *device,
                      const qn_fft_advice_report *report)
{
    cli_document document;
    int exit_code = cli_document_open(&document, path);
    if (exit_code != CLI_DONE) return exit_code;
    FILE *stream = document.stream;
    const struct {
        const char *name, *value;
    } texts[] = {{"quern", qn_version()},       {"device", device->identifier},
                 {"device_name", device->name}, {"driver_version", device->driver_version},
                 {"kind", chosen->kind},        {"engine", chosen->engine},
                 {"crop", chosen->crop},        {"grow", chosen->grow}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        fprintf(stream, "%s\"%s\": ", i == 0 ? "{" : ", ", texts[i].name);
        cli_json_text(stream, texts[i].value);
    }
    fprintf(stream, ", \"batch\": %d, \"sizes_compared\": %zu, \"from_cache\": %s,\n \"rows\": [\n", chosen->batch,
            report->considered, report->from_cache ? "true" : "false");
    for (size_t i = 0; i < report->row_count; i++) {
        write_json_row(stream, &report->rows[i]);
        fputs(i + 1 < report->row_count ? ",\n" : "\n", stream);
    }
    fputs(" ]}\n", stream);
    return cli_document_close(&document);
}

static int advise(qn_device *device, const settings *chosen, const qn_fft_advice_options *question)
{
    qn_fft_advice_report report = {0};
    int exit_code = cli_report(qn_fft_advise(device, question, &report));
    if (exit_code != CLI_DONE) return exit_code;
    const qn_device_info *info = qn_device_get_info(device);
    const bool to_output =
        (chosen->csv && strcmp(chosen->csv, "-") == 0) || (chosen->json && strcmp(chosen->json, "-") == 0);
    if (!to_output) print_table(chosen, info, &report);
    if (chosen->csv) exit_code = write_csv(chosen->csv, &report);
    if (exit_code == CLI_DONE && chosen->json) exit_code = write_json(chosen->json, chosen, info, &report);
    qn_fft_advice_report_clear(&report);
    return exit_code;
}

static int run(void *memory)
{
    const settings *chosen = memory;
    qn_context *context = NULL;
    qn_device *device = NULL;
    qn_fft_advice_options question;
    int exit_code = read_question(chosen, &question);
    if (exit_code != CLI_DONE) return exit_code;
    exit_code = cli_report(
        qn_context_create(&(qn_context_options){.threads = chosen->threads, .log = cli_log_warning}, &context));
    if (exit_code == CLI_DONE) exit_code = cli_report(qn_device_open(context, chosen->device, &device));
    if (exit_code == CLI_DONE) exit_code = advise(device, chosen, &question);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return exit_code;
}

static const cli_command fft_advise = {
    .name = "fft advise",
    .summary = "say which transform size near a wanted one is fastest",
    .description =
        "Find the transform size that a device computes fastest among those that a wanted size may be cropped "
        "or padded to. Sizes are compared by an estimate, the best are measured in turns with the wanted "
        "size, and the last line says which to use; the wanted size stays the advice unless another is "
        "faster beyond the noise.",
    .positionals = positionals,
    .options = options,
    .settings_bytes = sizeof(settings),
    .set_defaults = set_defaults,
    .run = run,
};

static const cli_command *const actions[] = {&fft_advise, NULL};

const cli_command cli_fft = {
    .name = "fft",
    .summary = "choose fast sizes of Fourier transforms",
    .description = "What is worth knowing about Fourier transforms before computing them.",
    .actions = actions,
};

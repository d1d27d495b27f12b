/* quern devices: the devices of this machine and their measured rates. */
#include <quern/device.h>
#include <quern/version.h>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/output.h"

#include <stdlib.h>
#include <string.h>

typedef struct settings {
    qn_devices_options devices;
    cli_files files;
} settings;

/* A listed device with its measured rates. */
typedef struct row {
    qn_device_listing listing;
    bool measured;
    qn_device_rates rates;
} row;

static const qn_option file_rows[] = {
    {.like = &cli_json_row, .meaning = "write all facts about the devices to FILE; - prints them instead of the table"},
    {0}};
static const qn_option_table file_table = {"devices", sizeof(cli_files), file_rows, NULL};

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_devices_option_table(), .offset = offsetof(settings, devices)};
    parts[1] = (cli_part){.table = &file_table, .offset = offsetof(settings, files)};
}

static const char *kind_name(qn_device_kind kind)
{
    switch (kind) {
    case QN_DEVICE_CPU: return "CPU";
    case QN_DEVICE_GPU: return "GPU";
    case QN_DEVICE_ACCELERATOR: return "accelerator";
    }
    return "unknown";
}

/* Get every listed device of the context; the caller frees *rows. */
static int list_devices(qn_context *context, row **rows, size_t *count)
{
    size_t room = 0;
    int exit_code = cli_report(qn_device_list(context, NULL, 0, &room));
    if (exit_code != CLI_DONE) return exit_code;
    qn_device_listing *listings = calloc(room + 1, sizeof *listings);
    *rows = calloc(room + 1, sizeof **rows);
    if (!listings || !*rows) {
        free(listings);
        return cli_error(CLI_FAILED, "out of memory");
    }
    exit_code = cli_report(qn_device_list(context, listings, room, count));
    if (*count > room) *count = room; /* a device may have appeared in between */
    for (size_t i = 0; exit_code == CLI_DONE && i < *count; i++) (*rows)[i].listing = listings[i];
    free(listings);
    return exit_code;
}

static bool keep_listed(row *rows, size_t *count, const char *identifier)
{
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++)
        if (strcmp(rows[i].listing.info.identifier, identifier) == 0) rows[kept++] = rows[i];
    if (kept > 0) *count = kept;
    return kept > 0;
}

/* Keep the row of the device that is asked for, listed or, as "auto", opened. */
static int keep_one(qn_context *context, row *rows, size_t *count, const char *asked)
{
    qn_device *device = NULL;
    if (keep_listed(rows, count, asked)) return CLI_DONE;
    int exit_code = cli_report(qn_device_open(context, asked, &device));
    if (exit_code == CLI_DONE && !keep_listed(rows, count, qn_device_get_info(device)->identifier))
        exit_code = cli_error(CLI_FAILED, "no device \"%s\" is listed on this machine (see quern devices)", asked);
    qn_device_release(&device);
    return exit_code;
}

/* A device that cannot be measured stays in the table, with the reason. */
static void measure(qn_context *context, row *entry)
{
    qn_device *device = NULL;
    qn_status status = qn_device_open(context, entry->listing.info.identifier, &device);
    if (status == QN_OK) status = qn_device_measure(device, &entry->rates);
    entry->measured = status == QN_OK;
    if (!entry->measured) cli_error(CLI_FAILED, "%s: %s", entry->listing.info.identifier, qn_error_message());
    qn_device_release(&device);
}

/* Print the driver with its version. PoCL's has the name of the processor, which stands in the column before, in full
 * or cut off: "OpenCL 3.0 PoCL HSTR: pthread-x86_64-pc-lin; 3.1+debian" is said without the part from HSTR to the
 * semicolon. */
static void print_driver(const qn_device_info *info)
{
    const char *version = info->driver_version, *name = strstr(version, " HSTR:");
    const char *rest = name ? strchr(name, ';') : NULL;
    const int shown = (int)(rest ? name - version : (ptrdiff_t)strlen(version));
    printf("%s%s%.*s%s\n", info->driver, *version ? ", " : "", shown, version, rest ? rest : "");
}

static void print_table(const row *rows, size_t count)
{
    printf("%-12s  %-11s  %11s  %-36s  %s\n", "Device", "Kind", "Memory", "Name", "Driver");
    for (size_t i = 0; i < count; i++) {
        const qn_device_info *info = &rows[i].listing.info;
        if (!rows[i].listing.usable) continue;
        printf("%-12s  %-11s  %7.1f GiB  %-36s  ", info->identifier, kind_name(info->kind),
               (double)info->memory_bytes / (1024.0 * 1024 * 1024), info->name);
        print_driver(info);
    }
    bool titled = false;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].listing.usable) continue;
        if (!titled) printf("\nNot usable:\n");
        titled = true;
        printf("  %-10s  %s\n", rows[i].listing.info.identifier, rows[i].listing.reason);
    }
}

static void print_rates(const row *rows, size_t count)
{
    printf("\n%-12s  %10s  %10s  %18s  %18s  %18s\n", "Measured", "copy", "read", "multiply-adds", "1/sqrt",
           "local atomic adds");
    printf("%-12s  %10s  %10s  %18s  %18s  %18s\n", "", "GB/s", "GB/s", "10^9/s", "10^9/s", "10^9/s");
    for (size_t i = 0; i < count; i++) {
        const qn_device_rates *rates = &rows[i].rates;
        if (!rows[i].measured) continue;
        printf("%-12s  %10.1f  %10.1f  %18.1f  %18.1f  %18.1f\n", rows[i].listing.info.identifier,
               1e-9 * rates->copy_bytes_per_s, 1e-9 * rates->read_bytes_per_s, 1e-9 * rates->multiply_adds_per_s,
               1e-9 * rates->reciprocal_roots_per_s, 1e-9 * rates->local_atomics_per_s);
    }
}

static void write_text_member(FILE *stream, const char *name, const char *text)
{
    fprintf(stream, ", \"%s\": ", name);
    cli_json_text(stream, text);
}

static void write_rates(FILE *stream, const qn_device_rates *rates)
{
    const struct {
        const char *name;
        double value;
    } members[] = {{"copy_bytes_per_s", rates->copy_bytes_per_s},
                   {"read_bytes_per_s", rates->read_bytes_per_s},
                   {"multiply_adds_per_s", rates->multiply_adds_per_s},
                   {"reciprocal_roots_per_s", rates->reciprocal_roots_per_s},
                   {"local_atomics_per_s", rates->local_atomics_per_s}};
    fputs(",\n     \"rates\": {", stream);
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        fprintf(stream, "%s\"%s\": ", i ? ", " : "", members[i].name);
        cli_json_number(stream, members[i].value);
    }
    fputs("}", stream);
}

static void write_row(FILE *stream, const row *entry)
{
    const qn_device_info *info = &entry->listing.info;
    fputs("    {\"identifier\": ", stream);
    cli_json_text(stream, info->identifier);
    write_text_member(stream, "driver", info->driver);
    fprintf(stream, ", \"usable\": %s", entry->listing.usable ? "true" : "false");
    if (!entry->listing.usable) {
        write_text_member(stream, "reason", entry->listing.reason);
        fputs("}", stream);
        return;
    }
    write_text_member(stream, "name", info->name);
    write_text_member(stream, "vendor", info->vendor);
    write_text_member(stream, "driver_version", info->driver_version);
    write_text_member(stream, "architecture", info->architecture);
    write_text_member(stream, "kind", kind_name(info->kind));
    write_text_member(stream, "pci_address", info->pci_address);
    fprintf(stream,
            ",\n     \"memory_bytes\": %llu, \"largest_buffer_bytes\": %llu, \"local_memory_bytes\": %llu, "
            "\"compute_units\": %d, \"largest_group\": %d, \"subgroup_size\": %d, \"vector_width\": %d",
            (unsigned long long)info->memory_bytes, (unsigned long long)info->largest_buffer_bytes,
            (unsigned long long)info->local_memory_bytes, info->compute_units, info->largest_group, info->subgroup_size,
            info->vector_width);
    if (entry->measured) write_rates(stream, &entry->rates);
    fputs("}", stream);
}

static int write_json(const char *path, const row *rows, size_t count)
{
    cli_document document;
    int exit_code = cli_document_open(&document, path);
    if (exit_code != CLI_DONE) return exit_code;
    fprintf(document.stream, "{\"quern\": \"%s\",\n \"devices\": [\n", qn_version());
    for (size_t i = 0; i < count; i++) {
        write_row(document.stream, &rows[i]);
        fputs(i + 1 < count ? ",\n" : "\n", document.stream);
    }
    fputs(" ]}\n", document.stream);
    return cli_document_close(&document);
}

static int show(qn_context *context, const settings *chosen)
{
    const qn_devices_options *asked = &chosen->devices;
    row *rows = NULL;
    size_t count = 0;
    int exit_code = list_devices(context, &rows, &count);
    if (exit_code == CLI_DONE && asked->run.device) exit_code = keep_one(context, rows, &count, asked->run.device);
    if (exit_code == CLI_DONE) {
        bool table = !cli_files_are_output(&chosen->files);
        for (size_t i = 0; asked->measure && i < count; i++)
            if (rows[i].listing.usable) measure(context, &rows[i]);
        if (table) print_table(rows, count);
        if (table && asked->measure) print_rates(rows, count);
        if (chosen->files.json) exit_code = write_json(chosen->files.json, rows, count);
    }
    free(rows);
    return exit_code;
}

static int run(void *memory)
{
    const settings *chosen = memory;
    qn_context *context = NULL;
    int exit_code = cli_report(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options),
                                                                       .threads = chosen->devices.run.threads,
                                                                       .log = cli_log_warning},
                                                 &context));
    if (exit_code == CLI_DONE) exit_code = show(context, chosen);
    qn_context_destroy(&context);
    return exit_code;
}

const cli_command cli_devices = {
    .name = "devices",
    .summary = "list the CPUs and GPUs quern can use, and why others cannot be used",
    .description = "List the devices of this machine that quern can use, and the reason for each driver that cannot be "
                   "used. Other commands take a device's identifier as their option --device.",
    .list_parts = list_parts,
    .settings_bytes = sizeof(settings),
    .run = run,
};

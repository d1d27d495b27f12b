/* quern tune export and quern tune import: results to and from other tuners. */
#include "cli/tune.h"

#include "cli/output.h"

#include <stdlib.h>

typedef struct settings {
    const char *name, *file;
    const char *device, *size, *store, *format, *output;
} settings;

static const cli_positional export_positionals[] = {
    {.name = "NAME", .offset = offsetof(settings, name), .help = "a workload of quern tune list that was tuned here"},
    {0}};

static const cli_positional import_positionals[] = {
    {.name = "NAME", .offset = offsetof(settings, name), .help = "the workload that the results are of"},
    {.name = "FILE",
     .offset = offsetof(settings, file),
     .help = "a T4 result, a Kernel Tuner cache or KTT's JSON, gzipped or not, or the text form of quern"},
    {0}};

static const cli_option export_options[] = {
    {.name = "format",
     .letter = 'f',
     .type = CLI_CHOICE,
     .argument = "FORMAT",
     .offset = offsetof(settings, format),
     .choices = "t4 kernel-tuner ktt quern",
     .help = "format of the file; quern is the text form of shipped results and has the best alone"},
    {.name = "output",
     .letter = 'o',
     .type = CLI_TEXT,
     .argument = "FILE",
     .offset = offsetof(settings, output),
     .required = true,
     .help = "file to write"},
    {.name = "device",
     .letter = 'd',
     .type = CLI_TEXT,
     .argument = "DEVICE",
     .offset = offsetof(settings, device),
     .help = "the device it was tuned on"},
    {.name = "size",
     .letter = 's',
     .type = CLI_TEXT,
     .argument = "N[xNxN]",
     .offset = offsetof(settings, size),
     .default_text = "the workload's own, larger on GPUs",
     .help = "size of the problem it was tuned for"},
    {.name = "store",
     .type = CLI_TEXT,
     .argument = "FILE",
     .offset = offsetof(settings, store),
     .default_text = "the user's",
     .help = "store to read"},
    {0}};

static const cli_option import_options[] = {{.name = "device",
                                             .letter = 'd',
                                             .type = CLI_TEXT,
                                             .argument = "DEVICE",
                                             .offset = offsetof(settings, device),
                                             .help = "the device they were measured on"},
                                            {.name = "size",
                                             .letter = 's',
                                             .type = CLI_TEXT,
                                             .argument = "N[xNxN]",
                                             .offset = offsetof(settings, size),
                                             .default_text = "the workload's own, larger on GPUs",
                                             .help = "size of the problem they were measured with"},
                                            {.name = "store",
                                             .type = CLI_TEXT,
                                             .argument = "FILE",
                                             .offset = offsetof(settings, store),
                                             .default_text = "the user's",
                                             .help = "store to add to"},
                                            {0}};

static void set_defaults(void *memory)
{
    *(settings *)memory = (settings){.device = "auto", .format = "t4"};
}

typedef struct exchange {
    qn_context *context;
    qn_device *device;
    qn_tune_store *store;
    const qn_workload *workload;
    int sizes[QN_WORKLOAD_SIZES];
} exchange;

static int begin(const settings *chosen, exchange *with)
{
    int exit_code = cli_report(qn_workload_find(chosen->name, &with->workload));
    if (exit_code == CLI_DONE) exit_code = cli_tune_sizes(chosen->size, with->workload, with->sizes);
    if (exit_code == CLI_DONE)
        exit_code = cli_report(qn_context_create(&(qn_context_options){.log = cli_log_warning}, &with->context));
    if (exit_code == CLI_DONE) exit_code = cli_tune_open_store(with->context, chosen->store, &with->store);
    if (exit_code == CLI_DONE && !with->store) exit_code = cli_error(CLI_USAGE, "--store is off; expected a file");
    if (exit_code == CLI_DONE) exit_code = cli_report(qn_device_open(with->context, chosen->device, &with->device));
    return exit_code;
}

static void end(exchange *with)
{
    qn_device_release(&with->device);
    qn_context_destroy(&with->context);
    qn_tune_store_close(&with->store);
}

static int run_export(void *memory)
{
    const settings *chosen = memory;
    exchange with = {0};
    int exit_code = begin(chosen, &with);
    if (exit_code == CLI_DONE)
        exit_code = cli_report(
            qn_tune_export(with.device, with.store, with.workload, with.sizes, chosen->format, chosen->output));
    end(&with);
    return exit_code;
}

static int run_import(void *memory)
{
    const settings *chosen = memory;
    exchange with = {0};
    uint64_t taken = 0, left_out = 0;
    int exit_code = begin(chosen, &with);
    if (exit_code == CLI_DONE)
        exit_code = cli_report(
            qn_tune_import(with.device, with.store, with.workload, with.sizes, chosen->file, &taken, &left_out));
    if (exit_code == CLI_DONE) printf("%llu results taken", (unsigned long long)taken);
    if (exit_code == CLI_DONE && left_out > 0)
        printf(", %llu left out because they are no valid configurations of the kernel here",
               (unsigned long long)left_out);
    if (exit_code == CLI_DONE) putchar('\n');
    end(&with);
    return exit_code;
}

const cli_command cli_tune_export = {
    .name = "tune export",
    .summary = "write results for other tuners",
    .description = "Write every test that the store has of a workload on a device to a file that other tuners and "
                   "their analysis tools read.",
    .positionals = export_positionals,
    .options = export_options,
    .settings_bytes = sizeof(settings),
    .set_defaults = set_defaults,
    .run = run_export,
};

const cli_command cli_tune_import = {
    .name = "tune import",
    .summary = "take results of other tuners",
    .description = "Add the tests of a file to the store, as results of a workload on a device of this machine. Only "
                   "results whose parameters and values are those of the workload are taken.",
    .positionals = import_positionals,
    .options = import_options,
    .settings_bytes = sizeof(settings),
    .set_defaults = set_defaults,
    .run = run_import,
};

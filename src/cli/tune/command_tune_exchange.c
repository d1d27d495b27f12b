/* quern tune export and quern tune import: exchange of results with other tuners. */
#include "cli/tune/tune.h"

#include "cli/output.h"

#include <stdlib.h>

static void list_export_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_tune_export_option_table()};
}

static void list_import_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_tune_import_option_table()};
}

typedef struct exchange {
    qn_context *context;
    qn_device *device;
    qn_tune_store *store;
    const qn_workload *workload; /* NULL: a T1 file */
} exchange;

static int begin(const qn_tune_request *chosen, bool is_file, exchange *with)
{
    int exit_code = is_file ? CLI_DONE : cli_tune_find_workload(chosen->name, &with->workload);
    if (exit_code == CLI_DONE && is_file && chosen->tune.sizes[0] > 0)
        exit_code = cli_error(CLI_USAGE, "--size is given; a T1 file has its own problem size");
    if (exit_code == CLI_DONE && is_file && chosen->format == QN_TUNE_SHIPPED)
        exit_code = cli_error(CLI_USAGE,
                              "--format is \"quern\"; expected t4, kernel-tuner, ktt or header for a T1 file, because "
                              "shipped results are of Quern's own kernels");
    if (exit_code == CLI_DONE && with->workload) exit_code = cli_tune_check_sizes(with->workload, chosen->tune.sizes);
    if (exit_code == CLI_DONE)
        exit_code = cli_report(qn_context_create(
            &(qn_context_options){.size = sizeof(qn_context_options), .log = cli_log_warning}, &with->context));
    if (exit_code == CLI_DONE) exit_code = cli_tune_open_store(with->context, chosen->store, &with->store);
    if (exit_code == CLI_DONE) exit_code = cli_report(qn_device_open(with->context, chosen->run.device, &with->device));
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
    const qn_tune_request *chosen = memory;
    exchange with = {0};
    int exit_code = cli_tune_check_output(chosen->name, "output", chosen->file);
    if (exit_code == CLI_DONE) exit_code = begin(chosen, cli_tune_is_file(chosen->name), &with);
    if (exit_code == CLI_DONE && with.workload)
        exit_code = cli_report(
            qn_tune_export(with.device, with.store, with.workload, chosen->tune.sizes, chosen->format, chosen->file));
    else if (exit_code == CLI_DONE)
        exit_code =
            cli_report(qn_tune_export_file(with.device, with.store, chosen->name, chosen->format, chosen->file));
    end(&with);
    return exit_code;
}

static int run_import(void *memory)
{
    const qn_tune_request *chosen = memory;
    exchange with = {0};
    uint64_t taken = 0, left_out = 0;
    int exit_code = begin(chosen, false, &with);
    if (exit_code == CLI_DONE)
        exit_code = cli_report(qn_tune_import(with.device, with.store, with.workload, chosen->tune.sizes, chosen->file,
                                              &taken, &left_out));
    if (exit_code == CLI_DONE) printf("%llu results taken", (unsigned long long)taken);
    if (exit_code == CLI_DONE && left_out > 0)
        printf(", %llu left out because they are not valid configurations of the kernel here",
               (unsigned long long)left_out);
    if (exit_code == CLI_DONE) putchar('\n');
    end(&with);
    return exit_code;
}

const cli_command cli_tune_export = {
    .name = "tune export",
    .summary = "write results for other tuners",
    .description = "Write every stored test of a workload, or of a kernel of your own, on a device to a file that "
                   "other tuners and their analysis tools read, and quern tune simulate replays; or write the best "
                   "parameters as a C header.",
    .list_parts = list_export_parts,
    .settings_bytes = sizeof(qn_tune_request),
    .run = run_export,
};

const cli_command cli_tune_import = {
    .name = "tune import",
    .summary = "take results of other tuners",
    .description = "Add the tests of a file to the store, as results of a workload on a device of this machine. Only "
                   "results whose parameters and values are those of the workload are taken.",
    .list_parts = list_import_parts,
    .settings_bytes = sizeof(qn_tune_request),
    .run = run_import,
};

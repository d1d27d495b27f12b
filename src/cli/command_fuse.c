/* quern fuse: short scripts of vector and matrix steps as a few kernels. */
#include <math.h>
#include <quern/fuse.h>

#include "cli/commands.h"
#include "cli/output.h"

/* ---- explain ---- */

static void list_explain_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_fuse_explain_option_table()};
}

static int run_explain(void *options)
{
    qn_context *context = NULL;
    qn_fuse_explanation *explanation = NULL;
    int exit_code = cli_report(qn_context_create(NULL, &context));
    if (exit_code == CLI_DONE) exit_code = cli_report(qn_fuse_explain(context, options, &explanation));
    if (exit_code == CLI_DONE) fputs(explanation->text, stdout);
    qn_fuse_explanation_destroy(&explanation);
    qn_context_destroy(&context);
    return exit_code;
}

static const cli_command fuse_explain = {
    .name = "fuse explain",
    .summary = "show which steps of a script share a kernel, and why others do not",
    .description =
        "Show the calls of a script, the kernels that they are fused into, the words of four bytes that these "
        "move, and the rule that keeps each two kernels apart.",
    .list_parts = list_explain_parts,
    .settings_bytes = sizeof(qn_fuse_options),
    .run = run_explain,
};

/* ---- run ---- */

static void list_run_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_fuse_run_option_table()};
}

static void print_result(const qn_fuse_result *result)
{
    printf("%s; compiled in %.2f s\n", result->device, result->compile_seconds);
    printf("            kernels       time    moved at least\n");
    printf("fused     %9d  %9.3g ms  %9.3g GB/s\n", result->kernel_count, 1e3 * result->seconds,
           1e-9 * result->bytes / result->seconds);
    if (result->unfused_kernel_count > 0)
        printf("unfused   %9d  %9.3g ms  %9.3g GB/s\n", result->unfused_kernel_count, 1e3 * result->unfused_seconds,
               1e-9 * result->unfused_bytes / result->unfused_seconds);
    printf("kernels %d of %d candidates", result->candidate, result->candidate_count);
    if (result->new_tests > 0)
        printf("; %llu measured in %.3g s\n", (unsigned long long)result->new_tests, result->search_seconds);
    else if (result->tests > 0)
        printf("; of %llu measured earlier\n", (unsigned long long)result->tests);
    else
        printf("; not measured\n");
    if (result->rounds > 0) printf("%lld rounds\n", (long long)result->rounds);
    if (!result->is_checked) printf("too large to be checked\n");
    for (size_t i = 0; result->is_checked && i < result->difference_count; i++) {
        const qn_fuse_difference *one = &result->differences[i];
        if (one->undecided > 0)
            printf("%s: %llu of %llu are no numbers or have no bound\n", one->name, (unsigned long long)one->undecided,
                   (unsigned long long)one->count);
        if (one->undecided == one->count) continue;
        if (one->unequal == 0 && one->undecided == 0)
            printf("%s: all %llu equal\n", one->name, (unsigned long long)one->count);
        else
            printf("%s: %llu of %llu beyond rounding; largest difference %.2g of the bound\n", one->name,
                   (unsigned long long)one->beyond, (unsigned long long)one->count, one->largest);
    }
}

static void print_peers(const qn_fuse_result *result)
{
    if (result->peer_count > 1)
        printf("in turns                  calls       time      least    moved at least      times  difference\n");
    if (result->peer_count > 1 && result->limit_seconds > 0)
        printf("%-20s  %9s  %9.3g ms  %9.3g ms  %9.3g GB/s  %9.2f\n", "limit", "", 1e3 * result->limit_seconds,
               1e3 * result->limit_seconds, 1e-9 * result->bytes / result->limit_seconds,
               result->limit_seconds / result->peers[0].seconds);
    for (size_t i = 0; i < result->peer_count && result->peer_count > 1; i++) {
        const qn_fuse_peer *peer = &result->peers[i];
        if (peer->reason) continue;
        printf("%-20s  %9lld  %9.3g ms  %9.3g ms  %9.3g GB/s  %9.2f", peer->name, (long long)peer->calls,
               1e3 * peer->seconds, 1e3 * peer->least_seconds, 1e-9 * peer->bytes / peer->seconds,
               peer->seconds / result->peers[0].seconds);
        if (isnan(peer->difference))
            printf("%12s\n", "-");
        else
            printf("  %10.2g\n", peer->difference);
    }
    for (size_t i = 0; i < result->peer_count; i++)
        if (result->peers[i].reason) printf("%s did not run: %s\n", result->peers[i].name, result->peers[i].reason);
}

static int run_run(void *memory)
{
    const qn_fuse_options *options = memory;
    const qn_context_options of_context = {
        .size = sizeof of_context, .threads = options->run.threads, .log = cli_log_warning};
    qn_context *context = NULL;
    qn_fuse_result *result = NULL;
    int exit_code = cli_report(qn_context_create(&of_context, &context));
    if (exit_code == CLI_DONE) exit_code = cli_report(qn_fuse_run(context, options, &result));
    if (result) print_result(result);
    if (result) print_peers(result);
    qn_fuse_result_destroy(&result);
    qn_context_destroy(&context);
    return exit_code;
}

static const cli_command fuse_run = {
    .name = "fuse run",
    .summary = "run a script on random values, check it, and time it fused and not",
    .description =
        "Compile a script, run it on random values, compare its results with their meaning in double precision, "
        "and time its kernels beside a kernel for each call. The host device needs a C compiler.",
    .list_parts = list_run_parts,
    .settings_bytes = sizeof(qn_fuse_options),
    .run = run_run,
};

/* ---- list ---- */

static void list_list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_fuse_list_option_table()};
}

static int run_list(void *options)
{
    qn_context *context = NULL;
    qn_fuse_listing *listing = NULL;
    int exit_code = cli_report(qn_context_create(NULL, &context));
    if (exit_code == CLI_DONE) exit_code = cli_report(qn_fuse_list(context, options, &listing));
    if (exit_code == CLI_DONE) fputs(listing->text, stdout);
    qn_fuse_listing_destroy(&listing);
    qn_context_destroy(&context);
    return exit_code;
}

static const cli_command fuse_list = {
    .name = "fuse list",
    .summary = "list the functions that scripts can call",
    .description = "List the functions of the library with their arguments' indices. An output that lacks an index is "
                   "reduced over it; functions without indices work on elements of any shape.",
    .list_parts = list_list_parts,
    .settings_bytes = sizeof(qn_fuse_options),
    .run = run_list,
};

/* ---- measure ---- */

static void list_measure_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_fuse_measure_option_table()};
}

static void print_rates(const qn_fuse_rates *rates)
{
    printf("%s: %.3g µs a launch\n", rates->device, 1e6 * rates->launch_s);
    printf("%-12s  %-16s  %10s  %10s\n", "function", "by", "time", "rate");
    for (size_t i = 0; i < rates->rate_count; i++) {
        const qn_fuse_rate *one = &rates->rates[i];
        if (one->reason)
            printf("%-12s  %-16s  not used: %s\n", one->function, one->implementation, one->reason);
        else
            printf("%-12s  %-16s  %7.3g ms  %5.4g GB/s\n", one->function, one->implementation, 1e3 * one->seconds,
                   1e-9 * one->bytes / one->seconds);
    }
}

static int run_measure(void *memory)
{
    const qn_fuse_options *options = memory;
    const qn_context_options of_context = {
        .size = sizeof of_context, .threads = options->run.threads, .log = cli_log_warning};
    qn_context *context = NULL;
    qn_fuse_rates *rates = NULL;
    int exit_code = cli_report(qn_context_create(&of_context, &context));
    if (exit_code == CLI_DONE) exit_code = cli_report(qn_fuse_measure(context, options, &rates));
    if (rates) print_rates(rates);
    qn_fuse_rates_destroy(&rates);
    qn_context_destroy(&context);
    return exit_code;
}

static const cli_command fuse_measure = {
    .name = "fuse measure",
    .summary = "measure the functions that scripts can call on a device",
    .description =
        "Time the functions of the library on a device, by each implementation, and keep the rates in the tuning "
        "store. The planner compares kernels for this device by these rates.",
    .list_parts = list_measure_parts,
    .settings_bytes = sizeof(qn_fuse_options),
    .run = run_measure,
};

/* ---- files of another language ---- */

static void list_write_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_fuse_write_option_table()};
}

static int run_write(void *memory)
{
    const qn_fuse_options *options = memory;
    const qn_context_options of_context = {.size = sizeof of_context, .log = cli_log_warning};
    qn_context *context = NULL;
    qn_fuse_written *written = NULL;
    int exit_code = cli_report(qn_context_create(&of_context, &context));
    if (exit_code == CLI_DONE) exit_code = cli_report(qn_fuse_write(context, options, &written));
    for (size_t i = 0; written && !options->run.quiet && i < written->file_count; i++)
        printf("%s%s", i > 0 ? ", " : "wrote ", written->files[i]);
    if (written && !options->run.quiet) printf("\n");
    qn_fuse_written_destroy(&written);
    qn_context_destroy(&context);
    return exit_code;
}

static const cli_command *const actions[] = {&fuse_run, &fuse_explain, &fuse_list, &fuse_measure, NULL};

const cli_command cli_fuse = {
    .name = "fuse",
    .summary = "fuse vector and matrix steps into kernels that read memory once",
    .description =
        "Compile a short script of vector and matrix steps into a few kernels, and write them with a launcher in C. "
        "Steps that read the same arrays share a kernel where the rules allow it.",
    .actions = actions,
    .list_parts = list_write_parts,
    .settings_bytes = sizeof(qn_fuse_options),
    .run = run_write,
};

/* quern tune list and quern tune explain: known results, and the configurations that would run. */
#define _DEFAULT_SOURCE 1
#include "cli/tune/tune.h"

#include "cli/convergence.h"
#include "cli/output.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KNOWN_MAX = 256 };

static void list_list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_tune_list_option_table()};
}

static void list_explain_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_tune_explain_option_table()};
}

/* "3 days", "2 h 05 min"; "" when the time is not known */
static void format_age(int64_t when, char *text, size_t bytes)
{
    const int64_t day = 86400, age = (int64_t)time(NULL) - when;
    text[0] = '\0';
    if (when <= 0) return;
    if (age < 3600)
        snprintf(text, bytes, "%d min", age < 0 ? 0 : (int)(age / 60));
    else if (age < 2 * day)
        snprintf(text, bytes, "%d h", (int)(age / 3600));
    else
        snprintf(text, bytes, "%lld days", (long long)(age / day));
}

static const qn_workload *workload_of(const qn_family *family)
{
    size_t count;
    const qn_workload *const *all = qn_workload_list(&count);
    for (size_t i = 0; i < count; i++)
        if (all[i]->family == family) return all[i];
    return NULL;
}

/* "rows x columns"; "" for a family without a workload, which is tuned by running its program. */
static void describe_sizes(const qn_workload *workload, char *text, size_t bytes)
{
    text[0] = '\0';
    for (int i = 0; workload && i < QN_WORKLOAD_SIZES && workload->size_names[i]; i++) {
        size_t used = strlen(text);
        snprintf(text + used, bytes - used, "%s%s", i ? " x " : "", workload->size_names[i]);
    }
}

static const char *const origins[] = {[QN_TUNE_ORIGIN_FALLBACK] = "fallback",
                                      [QN_TUNE_ORIGIN_SHIPPED] = "shipped",
                                      [QN_TUNE_ORIGIN_STORE] = "store",
                                      [QN_TUNE_ORIGIN_RUN] = "this run"};

static int list_one(qn_device *device, qn_tune_store *store, const qn_family *family)
{
    qn_space *space = NULL;
    qn_tune_known *known = calloc(KNOWN_MAX, sizeof *known);
    size_t count = 0;
    char sizes[64], age[32], found[256];
    if (!known) return cli_error(CLI_FAILED, "out of memory");
    int exit_code = cli_report(qn_tune_family_space(family, qn_device_get_info(device), &space));
    if (exit_code == CLI_DONE)
        exit_code = cli_report(qn_tune_lookup(device, store, family, NULL, known, KNOWN_MAX, &count));
    if (exit_code == CLI_DONE) {
        const qn_tune_known *used = known;
        while (used->use != QN_TUNE_USABLE && used + 1 < known + count) used++;
        describe_sizes(workload_of(family), sizes, sizeof sizes);
        format_age(used->time, age, sizeof age);
        qn_tune_origin_text(used->origin, used->nearness, used->found_on, found, sizeof found);
        printf("%-34s  %10llu  %-41s  %-9s  %-9s  %s", family->name, (unsigned long long)qn_space_size(space), sizes,
               origins[used->origin], age, used->text);
        if (used->nearness != QN_TUNE_THIS_DEVICE) printf(" (%s)", found);
        putchar('\n');
    }
    qn_space_destroy(&space);
    free(known);
    return exit_code;
}

static int open_all(const qn_tune_request *chosen, qn_context **context, qn_device **device, qn_tune_store **store)
{
    int exit_code = cli_report(
        qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .log = cli_log_warning}, context));
    if (exit_code == CLI_DONE) exit_code = cli_tune_open_store(*context, chosen->store, store);
    if (exit_code == CLI_DONE) exit_code = cli_report(qn_device_open(*context, chosen->run.device, device));
    if (exit_code == CLI_DONE)
        printf("%s: %s, %s\n\n", qn_device_get_info(*device)->identifier, qn_device_get_info(*device)->name,
               qn_device_get_info(*device)->driver_version);
    return exit_code;
}

static void close_all(qn_context **context, qn_device **device, qn_tune_store **store)
{
    qn_device_release(device);
    qn_context_destroy(context);
    qn_tune_store_close(store);
}

static int run_list(void *memory)
{
    const qn_tune_request *chosen = memory;
    qn_context *context = NULL;
    qn_device *device = NULL;
    qn_tune_store *store = NULL;
    size_t count;
    const qn_family *const *families = qn_family_list(&count);
    int exit_code = open_all(chosen, &context, &device, &store);
    if (exit_code == CLI_DONE)
        printf("%-34s  %10s  %-41s  %-9s  %-9s  %s\n", "family", "valid", "sizes to tune for", "best from", "age",
               "configuration");
    for (size_t i = 0; i < count && exit_code == CLI_DONE; i++)
        if (families[i]->tunable_count > 0) exit_code = list_one(device, store, families[i]);
    close_all(&context, &device, &store);
    return exit_code;
}

static int find_family(const char *name, const qn_family **family)
{
    size_t count;
    const qn_family *const *families = qn_family_list(&count);
    const char *names[256];
    for (size_t i = 0; i < count; i++) {
        const char *slash = strchr(families[i]->name, '/');
        *family = families[i];
        if (strcmp(families[i]->name, name) == 0 || (slash && strcmp(slash + 1, name) == 0)) return CLI_DONE;
        if (i < 256) names[i] = slash ? slash + 1 : families[i]->name;
    }
    const char *nearest = cli_nearest_word(name, names, count < 256 ? count : 256);
    if (nearest) return cli_error(CLI_USAGE, "there is no kernel family \"%s\"; did you mean %s?", name, nearest);
    return cli_error(CLI_USAGE, "there is no kernel family \"%s\" (see quern tune list)", name);
}

static void explain_one(const qn_tune_known *known, bool used)
{
    char seconds[32], age[32];
    cli_format_seconds(known->seconds, seconds, sizeof seconds);
    format_age(known->time, age, sizeof age);
    printf("%-2s %-9s  %-24s  %s\n", used ? "->" : "", origins[known->origin], known->problem_class, known->text);
    if (known->seconds > 0) printf("   %-9s  %-24s  %s", "", "", seconds);
    if (known->seconds > 0 && known->tests > 0) printf(", the best of %llu", (unsigned long long)known->tests);
    if (known->seconds > 0 && age[0]) printf(", %s ago", age);
    if (known->seconds > 0) putchar('\n');
    if (known->nearness != QN_TUNE_THIS_DEVICE)
        printf("   %-9s  %-24s  found on %s, of the same %s\n", "", "", known->found_on,
               known->nearness == QN_TUNE_SAME_ARCHITECTURE ? "architecture" : "vendor");
    if (known->use == QN_TUNE_STALE) printf("   %-9s  %-24s  not used: the kernel has changed since\n", "", "");
    if (known->use == QN_TUNE_MISFIT) printf("   %-9s  %-24s  not used: it does not fit this device\n", "", "");
}

/* Print entries grouped by problem class, in the order in which the tuner would use them. */
static void explain_all(const qn_tune_known *known, size_t count)
{
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && strcmp(known[i].problem_class, known[i - 1].problem_class) != 0) found = false;
        explain_one(&known[i], known[i].use == QN_TUNE_USABLE && !found);
        found |= known[i].use == QN_TUNE_USABLE;
    }
}

static int run_explain(void *memory)
{
    const qn_tune_request *chosen = memory;
    qn_context *context = NULL;
    qn_device *device = NULL;
    qn_tune_store *store = NULL;
    const qn_family *family = NULL;
    size_t count = 0;
    qn_tune_known *known = calloc(KNOWN_MAX, sizeof *known);
    if (!known) return cli_error(CLI_FAILED, "out of memory");
    const bool is_file = cli_tune_is_file(chosen->name);
    int exit_code = is_file ? CLI_DONE : find_family(chosen->name, &family);
    if (exit_code == CLI_DONE && is_file && chosen->problem_class)
        exit_code = cli_error(CLI_USAGE, "--class is \"%s\"; a T1 file has no problem classes", chosen->problem_class);
    if (exit_code == CLI_DONE) exit_code = open_all(chosen, &context, &device, &store);
    if (exit_code == CLI_DONE)
        exit_code = cli_report(
            is_file ? qn_tune_lookup_file(device, store, chosen->name, known, KNOWN_MAX, &count)
                    : qn_tune_lookup(device, store, family, chosen->problem_class, known, KNOWN_MAX, &count));
    if (exit_code == CLI_DONE) {
        explain_all(known, count < KNOWN_MAX ? count : KNOWN_MAX);
        puts(is_file ? "\nquern tune export --format header writes the best of each device for your own build."
                     : "\nA configuration that a program sets takes precedence over all of these.");
    }
    close_all(&context, &device, &store);
    free(known);
    return exit_code;
}

const cli_command cli_tune_list = {
    .name = "tune list",
    .summary = "list the kernel families, the sizes of their spaces and their best configurations",
    .description = "List the kernel families of this build: how many configurations are valid on the device, which "
                   "sizes quern tune run takes for them, and the configuration that would run, with where it is from.",
    .list_parts = list_list_parts,
    .settings_bytes = sizeof(qn_tune_request),
    .run = run_list,
};

const cli_command cli_tune_explain = {
    .name = "tune explain",
    .summary = "show which configuration would run, and why",
    .description = "Show every configuration known for a kernel family, or for a kernel of your own, on a device, by "
                   "problem class, in the order in "
                   "which they would be taken: of this device, first from the user's store, then shipped; of the "
                   "nearest device of the same architecture; of one of the same vendor; the fallback. An arrow marks "
                   "the one that runs.",
    .list_parts = list_explain_parts,
    .settings_bytes = sizeof(qn_tune_request),
    .run = run_explain,
};

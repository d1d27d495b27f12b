/* quern trajectory list: the available queries with their parameters. */
#include "cli/output.h"
#include "cli/trajectory/trajectory.h"

#include <string.h>

typedef struct settings {
    size_t size; /* of this struct in bytes */
    const char *query;
} settings;

static const qn_option rows[] = {{.name = "query",
                                  .kind = QN_OPTION_TEXT,
                                  .group = QN_OPTION_ARGUMENT,
                                  .argument = "QUERY",
                                  .offset = offsetof(settings, query),
                                  .meaning = "show only this query"},
                                 {0}};
static const qn_option_table table = {"trajectory list", sizeof(settings), rows, NULL};

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = &table};
}

static void print_needs(const qn_query_class *query_class)
{
    static const struct {
        unsigned need;
        const char *name;
    } needs[] = {{QN_QUERY_MASSES, "masses"},         {QN_QUERY_CHARGES, "charges"},
                 {QN_QUERY_BOX, "a periodic box"},    {QN_QUERY_FIXED_ATOMS, "the same atoms in every frame"},
                 {QN_QUERY_WHOLE, "whole molecules"}, {QN_QUERY_BONDS, "bonds"}};
    const char *between = "; needs ";
    static const char *const selections[] = {"no selection", "one selection", "one or two selections"};
    printf("    %s", selections[query_class->selections]);
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (query_class->needs & needs[i].need) {
            printf("%s%s", between, needs[i].name);
            between = ", ";
        }
    printf("%s\n", query_class->on_device ? "; measured by the device" : "");
}

static void print_parameter(const qn_query_parameter *parameter)
{
    static const char *const kinds[] = {
        [QN_PARAMETER_NUMBER] = "number", [QN_PARAMETER_LENGTH] = "length", [QN_PARAMETER_INTEGER] = "count",
        [QN_PARAMETER_FLAG] = "flag",     [QN_PARAMETER_CHOICE] = "word",   [QN_PARAMETER_TEXT] = "text",
        [QN_PARAMETER_FILE] = "file"};
    printf("    %-16s %-7s %s", parameter->name, kinds[parameter->kind], parameter->meaning);
    if (parameter->kind == QN_PARAMETER_CHOICE) printf("; one of: %s", parameter->choices);
    if (!parameter->fallback)
        printf(" (required)");
    else if (parameter->fallback[0] && parameter->kind != QN_PARAMETER_FLAG)
        printf(" (default %s%s)", parameter->fallback, parameter->kind == QN_PARAMETER_LENGTH ? " nm" : "");
    putchar('\n');
}

static int run(void *memory)
{
    const settings *chosen = memory;
    const qn_query_class *const *classes = qn_query_classes();
    const char *names[CLI_TRAJECTORY_CLASSES];
    size_t count = 0, shown = 0;
    for (; classes[count] && count < CLI_TRAJECTORY_CLASSES; count++) {
        names[count] = classes[count]->name;
        if (chosen->query && strcmp(chosen->query, names[count]) != 0) continue;
        printf("%s%s: %s\n", shown++ ? "\n" : "", names[count], classes[count]->meaning);
        print_needs(classes[count]);
        for (const qn_query_parameter *one = classes[count]->parameters; one && one->name; one++) print_parameter(one);
    }
    if (shown > 0) return CLI_DONE;
    const char *nearest = cli_nearest_word(chosen->query, names, count);
    if (nearest) return cli_error(CLI_FAILED, "there is no query \"%s\"; did you mean %s?", chosen->query, nearest);
    return cli_error(CLI_FAILED, "there is no query \"%s\" (see quern trajectory list)", chosen->query);
}

const cli_command cli_trajectory_list = {
    .name = "trajectory list",
    .summary = "list the queries with what they need and their parameters",
    .description = "List the queries that plans and short forms know: what they measure, how many selections they "
                   "take, what they need of topology and frames, and their parameters. Parameters have the same names "
                   "in plans and, behind dashes, on the command line.",
    .list_parts = list_parts,
    .settings_bytes = sizeof(settings),
    .run = run,
};

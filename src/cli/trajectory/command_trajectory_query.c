/* quern trajectory QUERY: one query as a command; its options are the parameters of its class. */
#include "cli/output.h"
#include "cli/trajectory/trajectory.h"

typedef struct settings {
    const cli_trajectory_made *made; /* the subject */
    qn_query_request request;
    qn_trajectory_options trajectory;
    qn_trajectory_query query;
    qn_trajectory_parameter parameters[QN_QUERY_PARAMETERS_MAX];
} settings;

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    const cli_trajectory_made *made = subject;
    parts[0] = (cli_part){.table = &made->table, .offset = offsetof(settings, request)};
    parts[1] = (cli_part){.table = qn_trajectory_option_table(), .offset = offsetof(settings, trajectory)};
}

/* Give the run this one query and an output folder named like it. */
static int prepare(void *memory)
{
    settings *chosen = memory;
    const qn_query_class *query_class = chosen->made->query_class;
    chosen->query.size = sizeof chosen->query;
    qn_query_of_request(&chosen->request, query_class, chosen->parameters, &chosen->query);
    chosen->trajectory.queries = &chosen->query;
    chosen->trajectory.query_count = 1;
    if (!chosen->trajectory.output) chosen->trajectory.output = query_class->name;
    return CLI_DONE;
}

static int run(void *memory)
{
    settings *chosen = memory;
    return cli_trajectory_start(&chosen->trajectory);
}

void cli_trajectory_make_query(const qn_query_class *query_class, cli_trajectory_made *made)
{
    made->query_class = query_class;
    snprintf(made->name, sizeof made->name, "trajectory %s", query_class->name);
    snprintf(made->description, sizeof made->description,
             "One query on every frame: %s. The same as a plan with this query alone. Writes its tables, run.json and "
             "report.html into the output folder.",
             query_class->meaning);
    qn_query_option_rows(query_class, made->rows);
    made->table = (qn_option_table){made->name, sizeof(qn_query_request), made->rows, NULL};
    made->command = (cli_command){.name = made->name,
                                  .summary = query_class->meaning,
                                  .description = made->description,
                                  .subject = made,
                                  .list_parts = list_parts,
                                  .settings_bytes = sizeof(settings),
                                  .prepare = prepare,
                                  .run = run,
                                  .many_processes = true};
}

/* quern trajectory run: a plan. */
#include "cli/output.h"
#include "cli/trajectory/trajectory.h"

#include <stdlib.h>
#include <string.h>

/* The command's input. */
typedef struct plan_file {
    size_t size; /* of this struct in bytes */
    const char *path;
} plan_file;

typedef struct settings {
    plan_file file;
    qn_trajectory_plan *plan;
    char *folder;
    qn_trajectory_options trajectory;
} settings;

static const qn_option plan_rows[] = {
    {.name = "plan",
     .kind = QN_OPTION_PATH,
     .group = QN_OPTION_ARGUMENT,
     .argument = "PLAN",
     .offset = offsetof(plan_file, path),
     .required = true,
     .meaning = "YAML file with inputs, selections and queries (see docs/commands/trajectory.md); options given here "
                "take precedence over the file's"},
    {0}};
static const qn_option_table plan_table = {"trajectory run", sizeof(plan_file), plan_rows, NULL};

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = &plan_table, .offset = offsetof(settings, file)};
    parts[1] = (cli_part){
        .table = qn_trajectory_option_table(), .offset = offsetof(settings, trajectory), .without_arguments = true};
}

/* The output folder: the plan's name without its ending. */
static char *folder_of_plan(const char *plan)
{
    const char *slash = strrchr(plan, '/'), *name = slash ? slash + 1 : plan, *dot = strrchr(name, '.');
    const size_t length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    char *folder = calloc(length + 16, 1);
    if (!folder) return NULL;
    memcpy(folder, name, length);
    if (!dot || dot == name) strcat(folder, "_results"); /* the folder must differ from the plan itself */
    return folder;
}

/* The plan's options replace the defaults. */
static int prepare(void *memory)
{
    settings *chosen = memory;
    const char *live = chosen->trajectory.live; /* of the command line; replaces the plan's trajectories */
    if (!chosen->file.path) return CLI_DONE;    /* the option table's check reports it */
    const qn_status status = qn_trajectory_plan_read(chosen->file.path, &chosen->plan);
    const int exit_code = cli_report(status);
    if (exit_code != CLI_DONE) return status == QN_BAD_FORMAT ? CLI_USAGE : exit_code; /* a plan is a command line */
    qn_trajectory_plan_options(chosen->plan, &chosen->trajectory);
    if (live) chosen->trajectory.trajectory_count = 0;
    if (chosen->trajectory.output) return CLI_DONE;
    chosen->folder = folder_of_plan(chosen->file.path);
    chosen->trajectory.output = chosen->folder;
    return chosen->folder ? CLI_DONE : cli_error(CLI_FAILED, "out of memory");
}

static void clear(void *memory)
{
    settings *chosen = memory;
    free(chosen->folder);
    qn_trajectory_plan_destroy(&chosen->plan);
}

static int run(void *memory)
{
    settings *chosen = memory;
    return cli_trajectory_start(&chosen->trajectory);
}

const cli_command cli_trajectory_run = {
    .name = "trajectory run",
    .summary = "run a plan: every frame is read once, for all its queries",
    .description =
        "Run the queries of a plan on the frames of trajectory files or of a running simulation. Each frame is "
        "read and decoded once and passed to all queries. Writes each query's tables, run.json and "
        "report.html into the output folder. Under mpirun the frames are dealt to all processes.",
    .list_parts = list_parts,
    .settings_bytes = sizeof(settings),
    .prepare = prepare,
    .run = run,
    .many_processes = true,
    .clear = clear,
};

/* quern trajectory: its actions, one of them for every class of queries, and runs of plans. */
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/trajectory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(name) offsetof(cli_trajectory_settings, name)

const cli_option cli_trajectory_frame_options[] = {
    {.name = "live",
     .letter = 'l',
     .type = CLI_TEXT,
     .argument = "HOST:PORT",
     .offset = FIELD(live),
     .default_text = "",
     .help = "analyse a running simulation over IMD, version 2 or 3, instead of files; results are rewritten while it "
             "runs"},
    {.name = "live-every",
     .type = CLI_INTEGER,
     .argument = "STEPS",
     .offset = FIELD(live_every),
     .least = 1,
     .most = 1e9,
     .default_text = "as it does",
     .help = "ask the simulation to send every STEPS-th step"},
    {.name = "live-step",
     .type = CLI_NUMBER,
     .argument = "PS",
     .offset = FIELD(live_step_ps),
     .least = 1e-9,
     .most = 1e9,
     .default_text = "",
     .help = "time in ps that a step takes, for simulations of IMD version 2, which send no times"},
    {.name = "live-timeout",
     .type = CLI_NUMBER,
     .argument = "SECONDS",
     .offset = FIELD(live_timeout_s),
     .least = 0.1,
     .most = 1e7,
     .default_text = "600",
     .help = "end when the simulation sends nothing for so long"},
    {.name = "live-interval",
     .type = CLI_NUMBER,
     .argument = "SECONDS",
     .offset = FIELD(live_interval_s),
     .least = 0.1,
     .most = 1e7,
     .default_text = "5",
     .help = "time between results that are written while the simulation runs"},
    {.name = "begin",
     .letter = 'b',
     .type = CLI_NUMBER,
     .argument = "PS",
     .offset = FIELD(begin_ps),
     .least = -1e300,
     .most = 1e300,
     .default_text = "",
     .help = "leave out frames before this time in ps"},
    {.name = "end",
     .letter = 'e',
     .type = CLI_NUMBER,
     .argument = "PS",
     .offset = FIELD(end_ps),
     .least = -1e300,
     .most = 1e300,
     .default_text = "",
     .help = "leave out frames after this time in ps"},
    {.name = "first",
     .type = CLI_SEED,
     .argument = "FRAME",
     .offset = FIELD(first_frame),
     .default_text = "",
     .help = "leave out frames before this one; the first of the first file is 0"},
    {.name = "last",
     .type = CLI_SEED,
     .argument = "FRAME",
     .offset = FIELD(last_frame),
     .default_text = "",
     .help = "leave out frames after this one"},
    {.name = "stride",
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(stride),
     .least = 1,
     .most = 1e9,
     .default_text = "1",
     .help = "analyse every COUNT-th of these frames"},
    {.name = "keep-overlaps",
     .type = CLI_FLAG,
     .offset = FIELD(keep_overlaps),
     .help = "keep frames of a later file at times that an earlier one has reached; by default they are left out"},
    {0}};

const cli_option cli_trajectory_run_options[] = {
    {.name = "output",
     .letter = 'o',
     .type = CLI_TEXT,
     .argument = "FOLDER",
     .offset = FIELD(output),
     .default_text = "named like the query, or the plan",
     .help = "folder for the results, made when absent, and must be empty without --resume"},
    {.name = "format",
     .type = CLI_CHOICE,
     .argument = "FORMAT",
     .offset = FIELD(format),
     .choices = "xvg csv both",
     .default_text = "xvg",
     .help = "of tables"},
    {.name = "resume",
     .type = CLI_FLAG,
     .offset = FIELD(resume),
     .help = "go on with an interrupted run in the output folder"},
    {.name = "device",
     .letter = 'd',
     .type = CLI_TEXT,
     .argument = "DEVICE",
     .offset = FIELD(device),
     .default_text = "auto",
     .help = "auto, host, opencl:N or cuda:N (see quern devices), several apart by commas, or all for every GPU; "
             "checking:DEVICE verifies every kernel and is slow"},
    {.name = "threads",
     .letter = 't',
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(threads),
     .least = 0,
     .most = 4096,
     .default_text = "every processor this process may use",
     .help = "CPU threads, which decode frames and measure"},
    {.name = "memory",
     .type = CLI_INTEGER,
     .argument = "MIB",
     .offset = FIELD(memory_mib),
     .least = 1,
     .most = 1 << 24,
     .default_text = "an eighth of the machine's, up to 1024",
     .help = "memory in MiB for frames under way; it does not grow with their number"},
    {.name = "tune",
     .type = CLI_CHOICE,
     .argument = "HOW",
     .offset = FIELD(tune),
     .choices = "auto online offline known off",
     .default_text = "auto",
     .help = "how kernels find their fastest configurations: online tries some on live work, offline before, known "
             "uses what earlier runs found, off uses defaults (also QUERN_TUNE)"},
    {.name = "tune-budget",
     .type = CLI_TEXT,
     .argument = "SHARE",
     .offset = FIELD(tune_budget),
     .default_text = "",
     .help = "share of the run that trying configurations may cost, such as 5%"},
    {.name = "explain",
     .type = CLI_FLAG,
     .offset = FIELD(explain),
     .help = "say which kernel configurations are used, and where they came from"},
    {.name = "quiet",
     .letter = 'q',
     .type = CLI_FLAG,
     .offset = FIELD(quiet),
     .help = "print warnings and errors only"},
    {0}};

static const cli_positional run_positionals[] = {
    {.name = "PLAN",
     .offset = FIELD(plan),
     .help = "YAML file with inputs, selections and queries (see docs/commands/trajectory.md); what is given here "
             "comes before what it says"},
    {0}};

/* ---- runs ---- */

static void apply_frames(const cli_trajectory_settings *chosen, qn_trajectory_options *options)
{
    if (chosen->live) {
        options->live = chosen->live;
        options->trajectory_count = 0; /* of the plan */
    }
    if (chosen->live_every > 0) options->live_every = chosen->live_every;
    if (!isnan(chosen->live_step_ps)) options->live_step_ps = chosen->live_step_ps;
    if (!isnan(chosen->live_timeout_s)) options->live_timeout_s = chosen->live_timeout_s;
    if (!isnan(chosen->live_interval_s)) options->live_interval_s = chosen->live_interval_s;
    if (!isnan(chosen->begin_ps)) options->begin_ps = chosen->begin_ps;
    if (!isnan(chosen->end_ps)) options->end_ps = chosen->end_ps;
    if (chosen->first_frame != UINT64_MAX) options->first_frame = chosen->first_frame;
    if (chosen->last_frame != UINT64_MAX) options->last_frame = chosen->last_frame;
    if (chosen->stride > 0) options->stride = (uint64_t)chosen->stride;
    options->keep_overlaps |= chosen->keep_overlaps;
}

static void apply_run(const cli_trajectory_settings *chosen, qn_trajectory_options *options)
{
    if (chosen->output) options->output = chosen->output;
    if (chosen->format) options->format = chosen->format;
    if (chosen->device) options->run.device = chosen->device;
    if (chosen->tune) options->run.tune = chosen->tune;
    if (chosen->tune_budget) options->run.tune_budget = chosen->tune_budget;
    if (chosen->memory_mib > 0) options->run.memory_bytes = (uint64_t)chosen->memory_mib << 20;
    options->run.resume |= chosen->resume;
    options->run.explain |= chosen->explain;
}

static void print_summary(const qn_trajectory_options *options, const qn_trajectory_summary *summary)
{
    char duration[48];
    cli_format_duration(summary->seconds, duration, sizeof duration);
    if (!summary->report[0]) return; /* another process of the run says it */
    printf("%llu %s of %zu atoms, %zu %s: %.4g frames/s, %s in all\n", (unsigned long long)summary->frames,
           summary->frames == 1 ? "frame" : "frames", summary->atoms, summary->queries,
           summary->queries == 1 ? "query" : "queries", summary->frames_per_s, duration);
    printf("results in %s, report in %s\n", options->output, summary->report);
}

typedef struct analysis {
    qn_trajectory_options *options;
    qn_trajectory_summary summary;
} analysis;

static qn_status run_analysis(qn_context *context, cli_progress *progress, void *user)
{
    analysis *job = user;
    job->options->run.progress = cli_progress_on_progress;
    job->options->run.progress_user = progress;
    for (size_t i = 0; i < job->options->trajectory_count; i++)
        progress->final |= strcmp(job->options->trajectories[i], "-") == 0; /* which cannot be read again */
    const qn_status status = qn_trajectory_run(context, job->options, &job->summary);
    progress->mute = status != QN_OK && !job->summary.report[0];
    return status;
}

int cli_trajectory_start(const cli_trajectory_settings *chosen, qn_trajectory_options *options)
{
    analysis job = {.options = options};
    apply_frames(chosen, options);
    apply_run(chosen, options);
    const qn_context_options of_context = {.threads = chosen->threads, .explain = options->run.explain};
    const int exit_code = cli_progress_run(&of_context, chosen->quiet, run_analysis, &job);
    if (exit_code == CLI_DONE && !chosen->quiet) print_summary(options, &job.summary);
    return exit_code;
}

/* The plan's name without its ending. */
static char *folder_of_plan(const char *plan)
{
    const char *slash = strrchr(plan, '/'), *name = slash ? slash + 1 : plan, *dot = strrchr(name, '.');
    const size_t length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    char *folder = calloc(length + 16, 1);
    if (!folder) return NULL;
    memcpy(folder, name, length);
    if (!dot || dot == name) strcat(folder, "_results"); /* which must not be the plan itself */
    return folder;
}

static int run_plan(void *memory)
{
    const cli_trajectory_settings *chosen = memory;
    qn_trajectory_plan *plan = NULL;
    int exit_code = cli_report(qn_trajectory_plan_read(chosen->plan, &plan));
    if (exit_code != CLI_DONE) return exit_code;
    qn_trajectory_options options = qn_trajectory_plan_options(plan);
    char *folder = folder_of_plan(chosen->plan);
    if (!options.output) options.output = folder;
    exit_code = folder ? cli_trajectory_start(chosen, &options) : cli_error(CLI_FAILED, "out of memory");
    free(folder);
    qn_trajectory_plan_destroy(&plan);
    return exit_code;
}

/* ---- tables ---- */

static void set_run_defaults(void *memory)
{
    const double none = (double)NAN;
    *(cli_trajectory_settings *)memory = (cli_trajectory_settings){.live_step_ps = none,
                                                                   .live_timeout_s = none,
                                                                   .live_interval_s = none,
                                                                   .begin_ps = none,
                                                                   .end_ps = none,
                                                                   .first_frame = UINT64_MAX,
                                                                   .last_frame = UINT64_MAX};
}

static void append_options(const cli_option *part, cli_option *options)
{
    while (options->name) options++;
    while (part->name) *options++ = *part++;
}

/* All that is made when the program runs. */
typedef struct made_actions {
    const cli_command *list[CLI_TRAJECTORY_CLASSES + 4];
    cli_trajectory_made queries[CLI_TRAJECTORY_CLASSES];
    cli_command run;
    cli_option run_options[CLI_TRAJECTORY_OPTIONS];
} made_actions;

/* Plans first, then what else is not a query, then every class in the library's order. */
static const cli_command *const *make_actions(void)
{
    static made_actions *made;
    size_t count = 0;
    if (made) return made->list;
    made = calloc(1, sizeof *made);
    if (!made) return NULL;
    append_options(cli_trajectory_frame_options, made->run_options);
    append_options(cli_trajectory_run_options, made->run_options);
    made->run = (cli_command){
        .name = "trajectory run",
        .summary = "run a plan: every frame is read once, for all its queries",
        .description =
            "Run the queries of a plan on the frames of trajectory files or of a running simulation. Each frame is "
            "read and decoded once and pushed through all queries. Writes each query's tables, run.json and "
            "report.html into the output folder. Under mpirun the frames are dealt to all processes.",
        .positionals = run_positionals,
        .options = made->run_options,
        .settings_bytes = sizeof(cli_trajectory_settings),
        .set_defaults = set_run_defaults,
        .run = run_plan};
    made->list[count++] = &made->run;
    made->list[count++] = &cli_trajectory_list;
    made->list[count++] = &cli_trajectory_convert;
    const qn_query_class *const *classes = qn_query_classes();
    for (size_t i = 0; classes[i] && i < CLI_TRAJECTORY_CLASSES; i++) {
        cli_trajectory_make_query(classes[i], &made->queries[i]);
        made->list[count++] = &made->queries[i].command;
    }
    return made->list;
}

const cli_command cli_trajectory = {
    .name = "trajectory",
    .summary = "analyse trajectories: distances, densities, sizes, dipoles, motion",
    .description = "Analyse trajectories of molecular dynamics, from files or from a running simulation. A plan asks "
                   "many queries of every frame at once; each query also has a short form of its own. Lengths are in "
                   "nm, times in ps, masses in amu and charges in e unless told otherwise.",
    .make_actions = make_actions,
};

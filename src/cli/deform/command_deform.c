/* quern deform: deformable bodies under a tool. */
#include <math.h>
#include <quern/deform.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"

/* ---- solve ---- */

static void list_solve_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_deform_solve_option_table()};
}

typedef struct solving {
    qn_deform_options *options;
    qn_deform_result *result;
} solving;

static qn_status run_solving(qn_context *context, cli_progress *progress, void *user)
{
    solving *job = user;
    job->options->run.progress = cli_progress_on_progress;
    job->options->run.progress_user = progress;
    return qn_deform_solve(context, job->options, &job->result);
}

static void print_result(const qn_deform_options *options, const qn_deform_result *result)
{
    const double *force = result->force;
    char duration[48];
    cli_format_elapsed(result->seconds, duration, sizeof duration);
    printf("%zu nodes, %zu tetrahedra, %zu unknowns%s\n", result->node_count, result->element_count,
           result->freedom_count, result->mixed ? ", with pressures" : "");
    printf("force on the body  %.6g %.6g %.6g N, |f| %.6g N\n", force[0], force[1], force[2],
           sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]));
    printf("stiffness          %.6g %.6g %.6g N/m on the diagonal\n", result->stiffness[0], result->stiffness[4],
           result->stiffness[8]);
    printf("energy %.6g J, least J %.4f, least stretch %.4f\n", result->energy, result->least_volume,
           result->least_stretch);
    printf("%d Newton step%s, relative residual %.1e\n", result->newton_steps, result->newton_steps == 1 ? "" : "s",
           result->residual);
    if (!isnan(result->other_force[0])) {
        const double *other = result->other_force;
        const double length = sqrt(other[0] * other[0] + other[1] * other[1] + other[2] * other[2]);
        printf("with order %d |f| is %.6g N; ratio %.3f\n", 3 - options->order, length,
               sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]) / length);
    }
    printf("%s, %s\n", result->folder, duration);
}

static int run_solve(void *memory)
{
    solving job = {.options = memory};
    const qn_run_options *wanted = &job.options->run;
    const qn_context_options of_context = {.size = sizeof of_context, .threads = wanted->threads};
    const int exit_code = cli_progress_run(&of_context, wanted->quiet, run_solving, &job);
    if (exit_code == CLI_DONE && !wanted->quiet && job.result) print_result(job.options, job.result);
    qn_deform_result_destroy(&job.result);
    return exit_code;
}

static const cli_command deform_solve = {
    .name = "deform solve",
    .summary = "find the shape and the force where a tool holds a body at a place",
    .description =
        "Move a tool that holds nodes of a body of soft tissue, and find the balance: the shape, the force on the tool "
        "and how it changes with the place. Writes the shape as VTU, pictures, a table and a report.",
    .list_parts = list_solve_parts,
    .settings_bytes = sizeof(qn_deform_options),
    .run = run_solve,
    .many_processes = true,
};

/* ---- space ---- */

static void list_space_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_deform_space_option_table()};
}

typedef struct filling {
    qn_deform_options *options;
    qn_deform_space_result *result;
} filling;

static qn_status run_filling(qn_context *context, cli_progress *progress, void *user)
{
    filling *job = user;
    job->options->run.progress = cli_progress_on_progress;
    job->options->run.progress_user = progress;
    return qn_deform_space(context, job->options, &job->result);
}

static void print_space(const qn_deform_space_result *result)
{
    char duration[48];
    cli_format_elapsed(result->seconds, duration, sizeof duration);
    printf("%llu states, step %.4g m, from %.4g %.4g %.4g to %.4g %.4g %.4g m\n",
           (unsigned long long)result->state_count, result->step, result->step * result->least[0],
           result->step * result->least[1], result->step * result->least[2], result->step * result->most[0],
           result->step * result->most[1], result->step * result->most[2]);
    printf("%llu unsolved, %llu folds; largest force %.4g N\n", (unsigned long long)result->unsolved_count,
           (unsigned long long)result->fold_count, result->largest_force);
    if (!isnan(result->error))
        printf("largest error of interpolated forces at the checked places %.2g %%\n", 100 * result->error);
    printf("%s, %s\n", result->file, duration);
}

static int run_space(void *memory)
{
    filling job = {.options = memory};
    const qn_run_options *wanted = &job.options->run;
    const qn_context_options of_context = {.size = sizeof of_context, .threads = wanted->threads};
    const int exit_code = cli_progress_run(&of_context, wanted->quiet, run_filling, &job);
    if (exit_code == CLI_DONE && !wanted->quiet && job.result) print_space(job.result);
    qn_deform_space_result_destroy(&job.result);
    return exit_code;
}

static const cli_command deform_space = {
    .name = "deform space",
    .summary = "find the states of a grid of places, from which any force follows",
    .description =
        "Solve a body for a grid of places of the tool, each with its force, the change of the force, and the shape. "
        "The states are a file (.qcs) that simulate and serve read. Neighbours with two answers between them are "
        "flagged.",
    .list_parts = list_space_parts,
    .settings_bytes = sizeof(qn_deform_options),
    .run = run_space,
    .many_processes = true,
};

/* ---- simulate ---- */

static void list_simulate_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_deform_simulate_option_table()};
}

typedef struct feeling {
    qn_deform_options *options;
    qn_deform_live_result *result;
    qn_status (*run)(qn_context *context, const qn_deform_options *options, qn_deform_live_result **result);
} feeling;

static qn_status run_feeling(qn_context *context, cli_progress *progress, void *user)
{
    feeling *job = user;
    job->options->run.progress = cli_progress_on_progress;
    job->options->run.progress_user = progress;
    return job->run(context, job->options, &job->result);
}

static void print_times(const char *what, const double parts[3])
{
    printf("%-22s median %.1f, 99 %% %.1f, 99.9 %% %.1f µs\n", what, parts[0], parts[1], parts[2]);
}

static void print_feeling(const qn_deform_live_result *result)
{
    char duration[48];
    cli_format_elapsed(result->seconds, duration, sizeof duration);
    printf("%llu ticks, %llu late after the first second, %llu in it; %llu states\n", (unsigned long long)result->ticks,
           (unsigned long long)result->late, (unsigned long long)result->late_at_first,
           (unsigned long long)result->solved);
    printf("%llu extrapolated, %llu at folds, %llu limited, %llu beyond the reach, %llu missed; largest force %.4g N\n",
           (unsigned long long)result->extrapolated, (unsigned long long)result->fold,
           (unsigned long long)result->limited, (unsigned long long)result->clamped, (unsigned long long)result->missed,
           result->largest_force);
    if (!isnan(result->error))
        printf("largest error of felt forces at the checked places %.2g %%\n", 100 * result->error);
    if (!isnan(result->work_us[0])) {
        print_times("work of a tick", result->work_us);
        if (!isnan(result->lateness_us[0])) print_times("lateness of a tick", result->lateness_us);
        print_times("of an empty loop", result->machine_lateness_us);
    }
    printf("%s%s%s\n", result->folder, *result->folder ? ", " : "", duration);
}

static int run_live(void *memory, qn_status (*run)(qn_context *, const qn_deform_options *, qn_deform_live_result **))
{
    feeling job = {.options = memory, .run = run};
    const qn_run_options *wanted = &job.options->run;
    const qn_context_options of_context = {.size = sizeof of_context, .threads = wanted->threads};
    const int exit_code = cli_progress_run(&of_context, wanted->quiet, run_feeling, &job);
    if (exit_code == CLI_DONE && !wanted->quiet && job.result) print_feeling(job.result);
    qn_deform_live_result_destroy(&job.result);
    return exit_code;
}

static int run_simulate(void *memory)
{
    return run_live(memory, qn_deform_simulate);
}

static const cli_command deform_simulate = {
    .name = "deform simulate",
    .summary = "move a hand through a body, and write the force that it feels at each tick",
    .description =
        "Move a hand as a file says or at random, and find the force at each of 1,000 ticks a second: in real time, "
        "with states solved ahead of the hand, or with a simulated clock, which gives the same bytes on any machine. "
        "Writes ticks, states and a report with late ticks and the error of the felt forces.",
    .list_parts = list_simulate_parts,
    .settings_bytes = sizeof(qn_deform_options),
    .run = run_simulate,
};

/* ---- serve ---- */

static void list_serve_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_deform_serve_option_table()};
}

static int run_serve(void *memory)
{
    return run_live(memory, qn_deform_serve);
}

static const cli_command deform_serve = {
    .name = "deform serve",
    .summary = "give the hand of another program its force through a socket, 1,000 times a second",
    .description = "Listen at a socket. A client sends the place of a hand and gets the force that it feels; a second "
                   "connection gets the shape to draw. Ends with Ctrl-C.",
    .list_parts = list_serve_parts,
    .settings_bytes = sizeof(qn_deform_options),
    .run = run_serve,
};

static const cli_command *const actions[] = {&deform_solve, &deform_space, &deform_simulate, &deform_serve, NULL};

const cli_command cli_deform = {
    .name = "deform",
    .summary = "soft tissue under a tool: shapes, forces, and forces at 1 kHz",
    .description =
        "Deformable bodies: meshes of tetrahedra with non-linear materials, fixed at some nodes and held by a "
        "tool at others.",
    .actions = actions,
};

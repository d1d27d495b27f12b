/* quern deform simulate and serve: a hand that feels a body. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "deform/live_run.h"
#include "report/json.h"
#include "report/options.h"

/* ---- simulate ---- */

static void move_hand(void *user, double time_s, qn_hand_sample *sample)
{
    qn_live_run *run = user;
    qn_hand_place(run->hand, time_s, sample->place);
    sample->is_there = sample->is_held = true;
}

static json_t *three(const double values[3])
{
    json_t *list = json_array();
    for (int i = 0; list && i < 3; i++)
        json_array_append_new(list, isnan(values[i]) ? json_null() : json_real(values[i]));
    return list;
}

static qn_status write_run_json(qn_live_run *run)
{
    size_t solved;
    qn_loop_solves(run->loop, &solved);
    const bool is_simulated = run->options->clock == QN_DEFORM_SIMULATED;
    return qn_job_facts(
        run->job,
        json_pack("{s:s, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f}", "clock",
                  is_simulated ? "simulated" : "real", "step_m", run->grid.step, "ticks",
                  qn_json_unsigned(run->facts.ticks), "late", qn_json_unsigned(run->facts.late - run->late_at_first),
                  "late_in_the_first_second", qn_json_unsigned(run->late_at_first), "extrapolated",
                  qn_json_unsigned(run->facts.extrapolated), "fold", qn_json_unsigned(run->facts.fold), "limited",
                  qn_json_unsigned(run->facts.limited), "clamped", qn_json_unsigned(run->facts.clamped), "missed",
                  qn_json_unsigned(run->facts.missed), "solved", qn_json_unsigned(solved), "work_us",
                  three(run->work_us), "lateness_us", three(run->lateness_us), "machine_lateness_us",
                  three(run->machine_us), "error", isnan(run->error) ? json_null() : json_real(run->error), "options",
                  qn_json_options(qn_deform_simulate_option_table(), run->options), "largest_force_N",
                  run->largest_force));
}

static qn_status read_hand(qn_live_run *run)
{
    const qn_deform_options *options = run->options;
    QN_TRY(qn_option_check(qn_deform_simulate_option_table(), options));
    QN_TRY(qn_hand_create(options->hand, &run->hand));
    run->duration_s = fmin(options->duration_s, qn_hand_duration_s(run->hand));
    if (strncmp(options->hand, "min-jerk:", strlen("min-jerk:")) != 0)
        QN_TRY(qn_job_input_add(run->job, "hand", options->hand, QN_JOB_READ_ALL));
    QN_TRY(qn_live_prepare(run));
    return qn_job_key(run->job, "hand=%s\nclock=%d\nrate=%.17g\nduration=%.17g\nstep=%.17g\n", options->hand,
                      (int)options->clock, options->rate_hz, run->duration_s, run->grid.step);
}

static qn_status warn(qn_live_run *run)
{
    if (run->facts.clamped > 0)
        QN_TRY(qn_job_warn(run->job, "the hand was beyond the reach in %s; forces there are those of the nearest place",
                           qn_count_of(run->facts.clamped, "tick").text));
    if (run->facts.fold > 0)
        QN_TRY(qn_job_warn(run->job, "%s in cells with a fold or without a balance; forces there are extrapolated",
                           qn_count_of(run->facts.fold, "tick").text));
    return QN_OK;
}

static qn_status work(qn_live_run *run)
{
    const qn_loop_options hands = {.input = move_hand, .user = run};
    if (!qn_job_is_first(run->job)) return QN_OK;
    QN_TRY(qn_live_open_loop(run, &hands));
    QN_TRY(qn_live_go(run));
    QN_TRY(qn_live_measure(run));
    QN_TRY(warn(run));
    if (run->job->in_memory) return QN_OK;
    QN_TRY(qn_live_write(run));
    return write_run_json(run);
}

static qn_status run_simulation(qn_live_run *run)
{
    const qn_output output = {.folder = run->options->output};
    QN_TRY(qn_job_agree(run->job, read_hand(run)));
    QN_TRY(qn_job_output(run->job, &output, false));
    return qn_job_agree(run->job, work(run));
}

/* ---- serve ---- */

static qn_status run_server(qn_live_run *run)
{
    const qn_output nothing = {0};
    const qn_deform_options *options = run->options;
    QN_TRY(qn_option_check(qn_deform_serve_option_table(), options));
    QN_TRY(qn_live_prepare(run));
    QN_TRY(qn_job_output(run->job, &nothing, false));
    run->duration_s = INFINITY;
    const qn_server_options of_server = {.address = options->listen,
                                         .grid = run->grid,
                                         .rate_hz = options->rate_hz,
                                         .node_count = run->setup.mesh->node_count,
                                         .freedom_count = run->setup.body->freedom_count,
                                         .first_freedom = run->setup.body->pattern.first_freedom};
    QN_TRY(qn_server_open(&of_server, &run->server));
    const qn_loop_options hands = {.wait = qn_server_wait,
                                   .input = qn_server_input,
                                   .output = qn_server_output,
                                   .user = run->server,
                                   .tick_capacity = (size_t)(60 * options->rate_hz)};
    QN_TRY(qn_live_open_loop(run, &hands));
    QN_TRY(qn_server_start(run->server, run->loop));
    qn_log(QN_LOG_NOTE, "%s: %zu nodes, step %.4g m; listening at %s", run->setup.name, run->setup.mesh->node_count,
           run->grid.step, options->listen);
    QN_TRY(qn_live_go(run));
    return qn_live_measure(run);
}

/* ---- the calls ---- */

static qn_status run_live(qn_context *context, const qn_option_table *table, const qn_deform_options *options,
                          qn_status (*stages)(qn_live_run *), qn_deform_live_result **result)
{
    qn_job job;
    qn_deform_options own;
    if (result) *result = NULL;
    QN_TRY(qn_option_take(table, options, &own));
    qn_live_run run = {.options = &own, .job = &job};
    qn_status status = qn_job_open(context, "deform", &own.run, &job);
    if (status == QN_OK) status = stages(&run);
    if (status == QN_OK && result && run.loop) status = qn_live_make_result(&run, result);
    qn_live_clear(&run);
    status = qn_job_close(&job, status);
    if (status != QN_OK && result) qn_deform_live_result_destroy(result);
    return status;
}

qn_status qn_deform_simulate(qn_context *context, const qn_deform_options *options, qn_deform_live_result **result)
{
    return run_live(context, qn_deform_simulate_option_table(), options, run_simulation, result);
}

qn_status qn_deform_serve(qn_context *context, const qn_deform_options *options, qn_deform_live_result **result)
{
    return run_live(context, qn_deform_serve_option_table(), options, run_server, result);
}

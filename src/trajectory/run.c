#include "trajectory/run.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/device.h"
#include "trajectory/engine.h"

/* Pairs of atoms per second that a query measures: rough and rather low estimates, to tell whether a run is long. */
static const double cpu_core_rate = 2e8, gpu_rate = 1e11;

/* ---- preparing ---- */

static qn_status open_selections(qn_trajectory_state *run)
{
    const qn_trajectory_options *options = run->options;
    QN_TRY(qn_selections_create(run->topology, qn_trajectory_unit_nm(options), options->periodic, &run->selections));
    if (!options->index_file) return QN_OK;
    return qn_trajectory_blame(options, options->index_file,
                               qn_selections_add_index_file(run->selections, options->index_file));
}

/* Name the line of the plan that gives the trajectory with whose path the message of a failure begins. */
static qn_status blame_trajectory(const qn_trajectory_options *options, qn_status status)
{
    if (status == QN_OK) return QN_OK;
    for (size_t i = 0; i < options->trajectory_count; i++) {
        const char *path = options->trajectories[i];
        const size_t length = strlen(path);
        if (strncmp(qn_error_message(), path, length) == 0 && qn_error_message()[length] == ':')
            return qn_trajectory_blame(options, path, status);
    }
    return status;
}

static qn_status open_source(qn_trajectory_state *run)
{
    const qn_trajectory_options *options = run->options;
    if (qn_ranks_count(run->job->ranks) > 1 && options->live)
        return QN_FAIL(QN_UNSUPPORTED,
                       "a live simulation is analysed by one process; expected no launcher such as mpirun");
    const qn_source_options frames = {.trajectories = options->trajectories,
                                      .trajectory_count = options->trajectory_count,
                                      .frames = options->frames,
                                      .next_frame = options->next_frame,
                                      .next_frame_user = options->next_frame_user,
                                      .live = options->live,
                                      .live_every = options->live_every,
                                      .live_step_ps = options->live_step_ps,
                                      .live_timeout_s = options->live_timeout_s,
                                      .begin_ps = options->begin_ps,
                                      .end_ps = options->end_ps,
                                      .first_frame = options->first_frame,
                                      .last_frame = options->last_frame,
                                      .stride = options->stride,
                                      .keep_overlaps = options->keep_overlaps};
    QN_TRY(blame_trajectory(options, qn_source_open(run->job->context, &frames, run->topology, &run->source)));
    if (qn_source_is_repeatable(run->source)) return QN_OK;
    if (qn_ranks_count(run->job->ranks) > 1)
        return QN_FAIL(QN_UNSUPPORTED,
                       "frames of a pipe or a function are analysed by one process; expected plain files");
    if (options->run.resume)
        return QN_FAIL(QN_UNSUPPORTED, "frames of a pipe or a function cannot be read again; expected plain files");
    return QN_OK;
}

static qn_status make_frame(const qn_trajectory_state *run, qn_trajectory_frame *frame)
{
    void *memory;
    QN_TRY(qn_allocate(3 * run->topology->atom_count, sizeof(float), &memory));
    *frame = (qn_trajectory_frame){.atom_count = run->topology->atom_count, .positions_nm = memory};
    return QN_OK;
}

/* Count the atoms that each query measures in the first frame. */
static qn_status count_atoms(qn_trajectory_state *run)
{
    qn_selection_atoms *selected = NULL;
    qn_status status = QN_OK;
    if (run->any_geometric) status = qn_selection_atoms_create(run->selections, &selected);
    if (selected && status == QN_OK) status = qn_selection_atoms_evaluate(selected, &run->first);
    for (size_t i = 0; i < run->client_count && status == QN_OK; i++) {
        qn_trajectory_client *client = &run->clients[i];
        for (int which = 0; which < 2; which++) {
            const uint32_t *indices;
            client->first_counts[which] = client->atoms[which].count;
            if (client->nodes[which] >= 0 && !client->atoms[which].fixed)
                qn_selection_atoms_view(selected, client->nodes[which], &indices, &client->first_counts[which]);
        }
    }
    qn_selection_atoms_destroy(&selected);
    return status;
}

static qn_status refuse_without_frames(const qn_trajectory_options *options)
{
    const char *name = options->live               ? options->live
                       : options->trajectory_count ? options->trajectories[0]
                       : options->frames           ? options->frames->name
                       : options->next_frame       ? "the function that makes frames"
                                                   : options->topology;
    return QN_FAIL(QN_BAD_FORMAT, "%s has no frame %s", name ? name : "the array in memory",
                   options->begin_ps > -INFINITY || options->end_ps < INFINITY || options->first_frame > 0
                       ? "in the chosen range of times and numbers"
                       : "to analyse; expected at least one");
}

/* Take over the warnings and facts of a source after its end. */
static qn_status hear_warnings(qn_trajectory_state *run)
{
    qn_live_facts live;
    for (const char *warning; (warning = qn_source_warning(run->source));) QN_TRY(qn_job_warn(run->job, "%s", warning));
    const bool is_live = qn_source_live_facts(run->source, &live);
    if (is_live && live.ending[0]) qn_log(QN_LOG_NOTE, "%s", live.ending);
    if (is_live && live.dropped > 0)
        QN_TRY(qn_job_warn(run->job, "%s: %s that the simulation announced %s missing", run->options->live,
                           qn_count_of(live.dropped, "frame").text, live.dropped == 1 ? "is" : "are"));
    return QN_OK;
}

/* Make the first frame whole; results that need whole molecules get a warning where there is one without an end. */
static qn_status make_first_whole(qn_trajectory_state *run)
{
    size_t bond;
    QN_TRY(make_frame(run, &run->first_whole));
    float *positions = run->first_whole.positions_nm;
    run->first_whole = run->first;
    run->first_whole.positions_nm = positions;
    memcpy(positions, run->first.positions_nm, 3 * run->first.atom_count * sizeof(float));
    QN_TRY(qn_whole_apply(run->whole_plan, &run->first_whole));
    if (!qn_whole_find_endless(run->topology, &run->first_whole, &bond)) return QN_OK;
    return qn_job_warn(run->job, "%s", qn_whole_describe_endless(run->topology, bond).text);
}

/* Read the first frame. Queries are created from it, and the engine analyses it later like all others. */
static qn_status read_first_frame(qn_trajectory_state *run)
{
    const qn_trajectory_options *options = run->options;
    bool end;
    QN_TRY(make_frame(run, &run->first));
    QN_TRY(blame_trajectory(options, qn_source_next(run->source, &run->first_item, &run->first, &end)));
    if (end) QN_TRY(hear_warnings(run)); /* they may say why */
    if (end) return refuse_without_frames(options);
    QN_TRY(qn_source_decode(&run->first_item, &run->first));
    if (!options->periodic) memset(run->first.box_nm, 0, sizeof run->first.box_nm);
    return run->any_whole ? make_first_whole(run) : QN_OK;
}

/* Estimate the length of the run: pairs of atoms in all frames over the rates of the devices. */
static double expected_seconds(const qn_trajectory_state *run)
{
    double pairs = 0, rate = 0, bytes = 0;
    size_t file_count;
    const qn_frame_file_facts *files = qn_source_file_facts(run->source, &file_count);
    for (size_t i = 0; i < file_count; i++) bytes += (double)files[i].bytes;
    for (size_t i = 0; i < run->client_count; i++) {
        const qn_trajectory_client *client = &run->clients[i];
        const double first = (double)client->first_counts[0];
        if (!client->query_class->on_device) continue;
        pairs += client->nodes[1] >= 0 ? first * (double)client->first_counts[1] : first * first / 2;
    }
    for (int i = 0; i < run->job->device_count; i++) {
        const qn_device_info *info = qn_device_get_info(run->job->devices[i]);
        rate += info->kind == QN_DEVICE_CPU ? cpu_core_rate * info->compute_units : gpu_rate;
    }
    const double frames = run->first_item.size > 0 ? bytes / (double)run->first_item.size : 1;
    return rate > 0 ? pairs * frames / (double)run->options->stride / rate : 0;
}

static qn_status start_tuning(qn_trajectory_state *run)
{
    return run->any_on_device ? qn_job_tune(run->job, expected_seconds(run)) : QN_OK;
}

static qn_status take_topology(qn_trajectory_state *run)
{
    run->topology = run->options->topology_in_memory;
    if (run->topology) return qn_topology_check(run->topology);
    QN_TRY(qn_trajectory_blame(run->options, run->options->topology,
                               qn_topology_read(run->job->context, run->options->topology, &run->own_topology)));
    run->topology = run->own_topology;
    return QN_OK;
}

/* Read and check all inputs before anything is written. */
static qn_status read_inputs(qn_trajectory_state *run)
{
    QN_TRY(take_topology(run));
    QN_TRY(open_selections(run));
    QN_TRY(qn_trajectory_clients_prepare(run));
    if (run->any_on_device)
        QN_TRY(qn_trajectory_blame(run->options, run->options->run.device, qn_job_devices(run->job)));
    QN_TRY(open_source(run));
    QN_TRY(read_first_frame(run));
    QN_TRY(count_atoms(run));
    QN_TRY(start_tuning(run));
    QN_TRY(qn_trajectory_clients_create(run));
    run->records = qn_source_is_repeatable(run->source) && run->options->output;
    return qn_trajectory_make_key(run);
}

/* ---- stages ---- */

/* Fail if a file is damaged and there are several ranks: they may not have all frames before the damaged place. */
static qn_status hear_of_damage(const qn_trajectory_state *run)
{
    if (run->damage.status == QN_OK || qn_ranks_count(run->job->ranks) == 1) return QN_OK;
    return qn_error_restore(&run->damage);
}

static qn_status analyse(qn_trajectory_state *run)
{
    qn_job *job = run->job;
    QN_TRY(qn_job_agree(job, qn_trajectory_find_known(run)));
    run->collects = run->job->done.count == 0 && qn_ranks_count(job->ranks) == 1;
    qn_status status = qn_trajectory_engine_run(run);
    qn_job_records_end(job);
    if (status == QN_OK) status = hear_of_damage(run);
    return qn_job_agree(job, status);
}

/* Collect and write the results on rank 0. */
static qn_status finish(qn_trajectory_state *run)
{
    QN_TRY(hear_warnings(run));
    if (!qn_job_is_first(run->job)) return QN_OK;
    if (run->damage.status != QN_OK) run->expected = 0; /* the number of frames is unknown then */
    if (!run->collects) {
        const uint64_t before = run->analysed_here;
        QN_TRY(qn_trajectory_gather(run));
        run->resumed = qn_ranks_count(run->job->ranks) == 1 ? run->frames - before : 0;
    }
    if (run->damage.status != QN_OK && run->frames == 0) return QN_OK;
    if (run->damage.status != QN_OK) {
        /* The warning is for the report; it is not logged, as the run fails with the same sentence. */
        const qn_log_scope outer = qn_log_turn_off();
        const qn_status status =
            qn_job_warn(run->job, "%s; the results are those of the frames before that place", run->damage.message);
        qn_log_return(outer);
        QN_TRY(status);
    }
    if (run->interrupted)
        QN_TRY(qn_job_warn(run->job, "stopped by the user; the results are those of the %s until then",
                           qn_count_of(run->frames, "frame").text));
    return qn_trajectory_write_results(run, true);
}

/* Fail if the written results lack the frames after a damaged place. */
static qn_status tell_what_is_missing(const qn_trajectory_state *run)
{
    const unsigned long long frames = (unsigned long long)run->frames;
    if (run->damage.status != QN_OK && frames == 0)
        return QN_FAIL(run->damage.status, "%s; no frame was read before that place", run->damage.message);
    if (run->damage.status != QN_OK && !run->options->output) return qn_error_restore(&run->damage);
    if (run->damage.status != QN_OK)
        return QN_FAIL(run->damage.status, "%s; %s has the results of the %s before that place", run->damage.message,
                       run->options->output, qn_count_of(frames, "frame").text);
    return QN_OK;
}

/* Options of a running simulation have no effect on files. A plan may be for both, so they are not refused. */
static qn_status warn_of_idle_options(qn_trajectory_state *run)
{
    const qn_trajectory_options *options = run->options, usual = qn_trajectory_default_options();
    const struct {
        const char *name;
        double value, usual;
    } numbers[] = {{"live-every", options->live_every, usual.live_every},
                   {"live-step", options->live_step_ps, usual.live_step_ps},
                   {"live-timeout", options->live_timeout_s, usual.live_timeout_s},
                   {"live-interval", options->live_interval_s, usual.live_interval_s}};
    for (size_t i = 0; !options->live && i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].value != numbers[i].usual)
            QN_TRY(qn_job_warn(
                run->job, "--%s is \"%g\" and has no effect, as no running simulation is analysed (--live HOST:PORT)",
                numbers[i].name, numbers[i].value));
    return QN_OK;
}

static qn_status run_stages(qn_trajectory_state *run)
{
    qn_job *job = run->job;
    double since = job->started_s;
    QN_TRY(qn_job_agree(job, qn_option_check(qn_trajectory_option_table(), run->options)));
    QN_TRY(warn_of_idle_options(run));
    QN_TRY(qn_job_agree(job, read_inputs(run)));
    QN_TRY(qn_trajectory_blame(run->options, run->options->output,
                               qn_job_output(job, &(qn_output){.folder = run->options->output}, run->records)));
    if (run->records) QN_TRY(qn_job_journal(job));
    if (job->over) return QN_OK;
    run->timings.prepare_s = qn_clock_lap_s(&since);
    QN_TRY(analyse(run));
    qn_tuning_finish(&job->tuning);
    run->timings.analyse_s = qn_clock_lap_s(&since);
    QN_TRY(qn_job_agree(job, finish(run)));
    return tell_what_is_missing(run);
}

/* The facts of the run beside the results of its queries. */
static qn_status fill_result(const qn_trajectory_state *run, qn_trajectory_result **out)
{
    const double analyse_s = run->timings.analyse_s;
    if (!*out) { /* another rank or an earlier run has the results of the queries */
        void *none = NULL;
        QN_TRY(qn_trajectory_result_create(&(qn_trajectory_results){.options = run->options}, none, out));
    }
    qn_trajectory_result *result = *out;
    result->atom_count = run->topology->atom_count;
    result->frame_count = run->frames;
    result->resumed_count = run->resumed;
    result->overlapping_count = qn_source_overlapping(run->source);
    result->bytes = run->bytes;
    result->first_ps = run->first_ps;
    result->last_ps = run->last_ps;
    result->seconds = qn_clock_s() - run->job->started_s;
    if (analyse_s > 0) result->frames_per_s = (double)(run->frames - run->resumed) / analyse_s;
    qn_job_report_path(run->job, QN_OK, result->report, sizeof result->report);
    return qn_trajectory_result_warn(result, &run->job->warnings);
}

static void clear(qn_trajectory_state *run)
{
    qn_trajectory_clients_clear(run);
    if (run->source) qn_source_let_go(run->source, &run->first_item);
    qn_source_item_clear(&run->first_item);
    qn_source_close(&run->source);
    qn_release(&run->first.positions_nm);
    qn_release(&run->first_whole.positions_nm);
    qn_text_clear(&run->tail);
    qn_whole_plan_destroy(&run->whole_plan);
    qn_selections_destroy(&run->selections);
    qn_topology_destroy(&run->own_topology);
}

qn_status qn_trajectory_run_to(qn_context *context, const qn_trajectory_options *options, qn_trajectory_output output,
                               void *user, qn_trajectory_result **result)
{
    qn_job job;
    qn_trajectory_options own;
    if (result) *result = NULL;
    QN_TRY(qn_option_take(qn_trajectory_option_table(), options, &own));
    qn_trajectory_state run = {.options = &own, .job = &job, .output = output, .output_user = user, .result = result};
    run.first_ps = run.last_ps = NAN;
    qn_status status = qn_job_open(context, "trajectory", &own.run, &job);
    if (status == QN_OK) status = run_stages(&run);
    if (status == QN_OK && result) status = fill_result(&run, result);
    clear(&run);
    status = qn_job_close(&job, status);
    if (status != QN_OK && result) qn_trajectory_result_destroy(result);
    return status;
}

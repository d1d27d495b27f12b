#include "trajectory/run.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "runtime/device.h"
#include "trajectory/engine.h"

/* Rough, and low rather than high; they only decide whether a run is long: pairs of atoms that a query measures. */
static const double cpu_core_rate = 2e8, gpu_rate = 1e11;

/* ---- preparing ---- */

static qn_status open_selections(qn_trajectory_state *run)
{
    const qn_trajectory_options *options = run->options;
    QN_TRY(qn_selections_create(run->topology, qn_trajectory_unit_nm(options), options->periodic, &run->selections));
    return options->index_file ? qn_selections_add_index_file(run->selections, options->index_file) : QN_OK;
}

static qn_status open_source(qn_trajectory_state *run)
{
    const qn_trajectory_options *options = run->options;
    if (qn_ranks_count(run->job->ranks) > 1 && options->live)
        QN_FAIL(QN_UNSUPPORTED, "a live simulation is analysed by one process; expected no launcher such as mpirun");
    const qn_source_options frames = {.trajectories = options->trajectories,
                                      .trajectory_count = options->trajectory_count,
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
    QN_TRY(qn_source_open(run->job->context, &frames, run->topology, &run->source));
    if (qn_source_is_repeatable(run->source)) return QN_OK;
    if (qn_ranks_count(run->job->ranks) > 1)
        QN_FAIL(QN_UNSUPPORTED, "a trajectory that is no plain file is analysed by one process; expected plain files");
    if (options->run.resume)
        QN_FAIL(QN_UNSUPPORTED, "a trajectory that is no plain file cannot be read again; expected plain files");
    return QN_OK;
}

static qn_status make_frame(const qn_trajectory_state *run, qn_trajectory_frame *frame)
{
    void *memory;
    QN_TRY(qn_allocate(3 * run->topology->atom_count, sizeof(float), &memory));
    *frame = (qn_trajectory_frame){.atom_count = run->topology->atom_count, .positions_nm = memory};
    return QN_OK;
}

/* How many atoms each query measures, by the first frame. */
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
                                                   : options->topology;
    QN_FAIL(QN_BAD_FORMAT, "%s has no frame %s", name,
            options->begin_ps > -INFINITY || options->end_ps < INFINITY || options->first_frame > 0
                ? "in the range of times and numbers that is asked for"
                : "to analyse; expected at least one");
}

/* Queries are created from the first frame, which is analysed like all others afterwards. */
static qn_status read_first_frame(qn_trajectory_state *run)
{
    const qn_trajectory_options *options = run->options;
    bool end;
    QN_TRY(make_frame(run, &run->first));
    QN_TRY(qn_source_next(run->source, &run->first_item, &run->first, &end));
    if (end) return refuse_without_frames(options);
    QN_TRY(qn_source_decode(&run->first_item, &run->first));
    if (!options->periodic) memset(run->first.box_nm, 0, sizeof run->first.box_nm);
    if (!run->any_whole) return QN_OK;
    QN_TRY(make_frame(run, &run->first_whole));
    float *positions = run->first_whole.positions_nm;
    run->first_whole = run->first;
    run->first_whole.positions_nm = positions;
    memcpy(positions, run->first.positions_nm, 3 * run->first.atom_count * sizeof(float));
    return qn_whole_apply(run->whole_plan, &run->first_whole);
}

/* Pairs of atoms in all frames, over the devices' rates. */
static double expected_seconds(const qn_trajectory_state *run)
{
    double pairs = 0, rate = 0, bytes = 0;
    const qn_frame_file_facts *files = qn_source_file_facts(run->source);
    for (size_t i = 0; files && i < run->options->trajectory_count; i++) bytes += (double)files[i].bytes;
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

/* Everything that can be wrong with what was given. */
static qn_status read_inputs(qn_trajectory_state *run)
{
    QN_TRY(qn_topology_read(run->job->context, run->options->topology, &run->topology));
    QN_TRY(open_selections(run));
    QN_TRY(qn_trajectory_clients_prepare(run));
    if (run->any_on_device) QN_TRY(qn_job_devices(run->job));
    QN_TRY(open_source(run));
    QN_TRY(read_first_frame(run));
    QN_TRY(count_atoms(run));
    QN_TRY(start_tuning(run));
    QN_TRY(qn_trajectory_clients_create(run));
    run->records = qn_source_is_repeatable(run->source);
    return qn_trajectory_make_key(run);
}

/* ---- stages ---- */

/* A file that was damaged somewhere: what several processes have of it is not known to be all before that place. */
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

/* What a source says once it is read. */
static qn_status hear_warnings(qn_trajectory_state *run)
{
    qn_live_facts live;
    for (const char *warning; (warning = qn_source_warning(run->source));) QN_TRY(qn_job_warn(run->job, "%s", warning));
    const bool is_live = qn_source_live_facts(run->source, &live);
    if (is_live && live.ending[0]) qn_log(QN_LOG_NOTE, "%s", live.ending);
    if (is_live && live.dropped > 0)
        QN_TRY(qn_job_warn(run->job, "%s: %llu frames that the simulation announced never came", run->options->live,
                           (unsigned long long)live.dropped));
    return QN_OK;
}

/* The first rank has the results. */
static qn_status finish(qn_trajectory_state *run)
{
    QN_TRY(hear_warnings(run));
    if (!qn_job_is_first(run->job)) return QN_OK;
    if (run->damage.status != QN_OK) run->expected = 0; /* how many frames there are is not known then */
    if (!run->collects) {
        const uint64_t before = run->analysed_here;
        QN_TRY(qn_trajectory_gather(run));
        run->resumed = qn_ranks_count(run->job->ranks) == 1 ? run->frames - before : 0;
    }
    if (run->damage.status != QN_OK && run->frames == 0) return QN_OK;
    if (run->damage.status != QN_OK) {
        const qn_log_scope outer = qn_log_turn_off(); /* for the report alone: the run fails with the same sentence */
        const qn_status status =
            qn_job_warn(run->job, "%s; the results are those of the frames before that place", run->damage.message);
        qn_log_return(outer);
        QN_TRY(status);
    }
    if (run->interrupted)
        QN_TRY(qn_job_warn(run->job, "stopped when asked to; the results are those of the %llu frames until then",
                           (unsigned long long)run->frames));
    return qn_trajectory_write_results(run, true);
}

/* Results stand, but not of all that was asked for. */
static qn_status tell_what_is_missing(const qn_trajectory_state *run)
{
    const unsigned long long frames = (unsigned long long)run->frames;
    if (run->damage.status != QN_OK && frames == 0)
        QN_FAIL(run->damage.status, "%s; no frame was read before that place", run->damage.message);
    if (run->damage.status != QN_OK)
        QN_FAIL(run->damage.status, "%s; %s has the results of the %llu %s before that place", run->damage.message,
                run->options->output, frames, frames == 1 ? "frame" : "frames");
    return QN_OK;
}

static qn_status run_stages(qn_trajectory_state *run)
{
    qn_job *job = run->job;
    double since = job->started_s;
    QN_TRY(qn_job_agree(job, qn_option_check(qn_trajectory_option_table(), run->options)));
    QN_TRY(qn_job_agree(job, read_inputs(run)));
    QN_TRY(qn_job_output(job, &(qn_output){.folder = run->options->output}, run->records));
    if (run->records) QN_TRY(qn_job_journal(job));
    if (job->over) return QN_OK;
    run->timings.prepare_s = qn_clock_lap_s(&since);
    QN_TRY(analyse(run));
    qn_tuning_finish(&job->tuning);
    run->timings.analyse_s = qn_clock_lap_s(&since);
    QN_TRY(qn_job_agree(job, finish(run)));
    return tell_what_is_missing(run);
}

static void summarise(const qn_trajectory_state *run, qn_status status, qn_trajectory_summary *summary)
{
    const double analyse_s = run->timings.analyse_s;
    *summary = (qn_trajectory_summary){.frames = run->frames,
                                       .resumed = run->resumed,
                                       .bytes = run->bytes,
                                       .atoms = run->topology ? run->topology->atom_count : 0,
                                       .queries = run->client_count,
                                       .warnings = run->job->warnings.count,
                                       .seconds = qn_clock_s() - run->job->started_s};
    if (analyse_s > 0) summary->frames_per_s = (double)(run->frames - run->resumed) / analyse_s;
    qn_job_report_path(run->job, status, summary->report, sizeof summary->report);
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
    qn_topology_destroy(&run->topology);
}

qn_status qn_trajectory_run_to(qn_context *context, const qn_trajectory_options *options, qn_trajectory_output output,
                               void *user, qn_trajectory_summary *summary)
{
    qn_job job;
    qn_trajectory_state run = {.options = options, .job = &job, .output = output, .output_user = user};
    run.first_ps = run.last_ps = NAN;
    qn_status status = qn_job_open(context, "trajectory", &options->run, &job);
    if (status == QN_OK) status = run_stages(&run);
    if (summary) summarise(&run, status, summary);
    clear(&run);
    return qn_job_close(&job, status);
}

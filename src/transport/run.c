/* The stages of quern transport. */
#include "transport/run.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "report/json.h"
#include "report/options.h"

/* ---- stages ---- */

static qn_status read_inputs(qn_transport_state *run)
{
    const qn_transport_options *options = run->options;
    QN_TRY(qn_option_check(qn_transport_option_table(), options));
    run->inwards = strcmp(options->direction, "in") == 0;
    QN_TRY(qn_transport_read_inputs(run));
    return qn_job_key(run->job,
                      "direction=%s\nbound=%d\ntypes=%d\ndrag=%s\ndelta=%.17g\nextend=%.17g\neffort=%.17g\nposes=%"
                      "d\ncontinuity=%.17g\nrounds=%d\nobjective=%d\nschedule=%d\nseed=%llu\n",
                      options->direction, (int)options->bound, (int)options->types, options->drag ? options->drag : "",
                      options->delta_angstrom, options->extend_angstrom, options->effort, options->poses,
                      options->continuity_angstrom, options->rounds, (int)options->objective, (int)options->schedule,
                      (unsigned long long)options->run.seed);
}

static qn_status write_run_json(qn_transport_state *run)
{
    return qn_job_facts(
        run->job,
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:f, s:o}", "receptors", qn_json_unsigned(run->snapshot_count), "tunnels",
                  qn_json_unsigned(run->tunnel_count), "ligands", qn_json_unsigned(run->ligand_count), "rejected",
                  qn_json_unsigned(run->rejection_count), "passages", qn_json_unsigned(run->passage_count), "search_s",
                  run->search_s, "options", qn_json_options(qn_transport_option_table(), run->options)));
}

static qn_status finish(qn_transport_state *run)
{
    if (!qn_job_is_first(run->job)) return QN_OK;
    QN_TRY(qn_transport_gather(run));
    if (!run->job->in_memory) {
        QN_TRY(qn_transport_write_results(run));
        QN_TRY(qn_transport_write_report(run));
        QN_TRY(write_run_json(run));
    }
    if (run->options->run.strict && run->rejection_count > 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s left out; the first: %s", qn_count_of(run->rejection_count, "ligand").text,
                       run->rejections[0].reason);
    return QN_OK;
}

static qn_status note_done(uint64_t piece, const void *data, size_t size, void *user)
{
    qn_transport_state *run = user;
    (void)data, (void)size;
    return qn_piece_set_add(&run->job->done, piece);
}

static qn_status run_stages(qn_transport_state *run)
{
    qn_job *job = run->job;
    const qn_output output = {.folder = run->options->output, .journal_folder = "unfinished"};
    QN_TRY(qn_job_agree(job, read_inputs(run)));
    QN_TRY(qn_job_output(job, &output, true));
    QN_TRY(qn_job_journal(job));
    if (job->over) return QN_OK;
    QN_TRY(qn_job_agree(job, qn_job_scan(job, note_done, run)));
    const qn_status status = qn_transport_search(run);
    qn_job_records_end(job);
    QN_TRY(qn_job_agree(job, status));
    return qn_job_agree(job, finish(run));
}

/* ---- the call ---- */

/* The result, with what it points to. */
typedef struct owned_result {
    qn_transport_result result;
    qn_transport_passage *passages;
    qn_transport_state kept; /* inputs' names and summaries */
    char *folder;
} owned_result;

static void describe(const qn_transport_state *run, const qn_passage_summary *summary, qn_transport_passage *passage)
{
    const qn_passage_inputs inputs = qn_transport_piece(run, summary->piece);
    *passage = (qn_transport_passage){.receptor = inputs.snapshot->name,
                                      .tunnel = inputs.tunnel->name,
                                      .ligand = inputs.ligand->name,
                                      .disc_count = summary->disc_count,
                                      .bound = summary->bound,
                                      .highest = summary->highest,
                                      .surface = summary->surface,
                                      .gap = summary->gap};
    if (!summary->distances) return;
    passage->distances_angstrom = summary->distances;
    passage->radii_angstrom = summary->radii;
    passage->lower = summary->lower;
    passage->upper_least = summary->upper_least;
    passage->upper_most = summary->upper_most;
}

/* Move the state's inputs and summaries into the result. */
static qn_status make_result(qn_transport_state *run, qn_transport_result **out)
{
    owned_result *own;
    qn_passage_reader_clear(&run->reader);
    QN_TRY(qn_allocate(1, sizeof *own, (void **)&own));
    *out = &own->result;
    QN_TRY(qn_text_copy(run->options->output ? run->options->output : "", &own->folder));
    own->result = (qn_transport_result){.receptor_count = run->snapshot_count,
                                        .tunnel_count = run->tunnel_count,
                                        .ligand_count = run->ligand_count,
                                        .folder = own->folder,
                                        .seconds = qn_clock_s() - run->job->started_s};
    if (run->job->over) /* a finished run has its facts in run.json */
        own->result.earlier_passage_count =
            (uint64_t)json_integer_value(json_object_get(run->job->found.run, "passages"));
    if (run->passage_count == 0) return QN_OK;
    QN_TRY(qn_allocate(run->passage_count, sizeof *own->passages, (void **)&own->passages));
    for (size_t i = 0; i < run->passage_count; i++) describe(run, &run->passages[i], &own->passages[i]);
    own->result.passages = own->passages;
    own->result.passage_count = run->passage_count;
    own->kept = *run;
    *run = (qn_transport_state){.options = run->options, .job = run->job};
    return QN_OK;
}

static void clear(qn_transport_state *run)
{
    qn_transport_clear_passages(run);
    qn_transport_clear_inputs(run);
}

qn_status qn_transport_run(qn_context *context, const qn_transport_options *options, qn_transport_result **result)
{
    qn_job job;
    qn_transport_options own;
    if (result) *result = NULL;
    QN_TRY(qn_option_take(qn_transport_option_table(), options, &own));
    qn_transport_state run = {.options = &own, .job = &job};
    qn_status status = qn_job_open(context, "transport", &own.run, &job);
    if (status == QN_OK) status = run_stages(&run);
    if (status == QN_OK && result) status = qn_job_agree(&job, make_result(&run, result));
    clear(&run);
    status = qn_job_close(&job, status);
    if (status != QN_OK && result) qn_transport_result_destroy(result);
    return status;
}

void qn_transport_result_destroy(qn_transport_result **pointer)
{
    owned_result *own = (owned_result *)*pointer;
    if (!own) return;
    clear(&own->kept);
    qn_release(&own->passages);
    qn_release(&own->folder);
    qn_release(pointer);
}

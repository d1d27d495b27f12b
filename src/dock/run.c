#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "dock/masks.h"
#include "dock/output_zdock.h"
#include "dock/run.h"
#include "score/coefficients.h"

/* Poses of one rotation are at least this far apart on some axis (Å). */
static const double exclusion_angstrom = 3.6;

static qn_status check_options(const qn_dock_options *options, qn_dock_transforms *asked)
{
    QN_TRY(qn_option_check(qn_dock_option_table(), options));
    if (!qn_dock_read_transforms(options->fft_engine, asked))
        QN_FAIL(QN_INTERNAL, "--fft is \"%s\", which no path is known for", options->fft_engine);
    return QN_OK;
}

/* By rule, without a stopwatch, for every engine alike: the grid decides which poses are found, so it must be the same
 * on every machine. qn_fft_advise, which measures, is not for here. */
static int next_fast_size(int least, void *user)
{
    return qn_fft_next_fast_size(*(const qn_fft_engine *)user, least);
}

/* The sets that the options name; "auto" goes by what the partners are. */
static qn_status find_coefficients(qn_dock_state *run, size_t *count)
{
    const char *names = run->options->coefficients;
    bool antibody;
    if (strcmp(names, "auto") == 0) {
        QN_TRY(qn_dock_masks_antibody(&run->receptor, &run->ligand, &antibody));
        names = antibody ? "antibody" : "others";
        qn_log(QN_LOG_NOTE, "coefficients: %s", names);
    }
    return qn_coefficients_find(names, &run->coefficients, count);
}

/* The energy that the options name. */
static qn_status make_energy(qn_dock_state *run)
{
    size_t count = 0;
    const qn_dock_options *options = run->options;
    const bool rpsc = strcmp(options->score, "rpsc") == 0;
    qn_dock_masks masks = {0};
    if (!rpsc) QN_TRY(find_coefficients(run, &count));
    qn_status status = qn_dock_masks_create(options, &run->receptor, &run->ligand, run->coefficients, count, &masks);
    if (status == QN_OK)
        status = rpsc ? qn_dock_energy_rpsc(&run->receptor, &run->ligand, &masks, &run->energy)
                      : qn_dock_energy_piper(&run->receptor, &run->ligand, run->coefficients, count,
                                             options->pair_terms, &masks, &run->energy);
    qn_dock_masks_clear(&masks);
    return status;
}

/* Read both partners, lay out the grid, make the rotations. */
static qn_status read_inputs(qn_dock_state *run)
{
    const qn_dock_options *options = run->options;
    double receptor_radius, ligand_radius, centre[3], contact_angstrom, reach_angstrom;
    QN_TRY(qn_job_devices(run->job));
    QN_TRY(qn_dock_partner_read(options->receptor, options->model, "receptor", &run->receptor));
    QN_TRY(qn_dock_partner_read(options->ligand, options->model, "ligand", &run->ligand));
    qn_dock_bounding_sphere(&run->receptor, centre, &receptor_radius);
    qn_dock_bounding_sphere(&run->ligand, centre, &ligand_radius);
    if (ligand_radius > receptor_radius)
        QN_TRY(qn_job_warn(run->job,
                           "the ligand (radius %.1f Å) is larger than the receptor (%.1f Å); the search is faster with "
                           "the larger one as receptor",
                           ligand_radius, receptor_radius));
    QN_TRY(make_energy(run));
    if (options->restraints_file)
        QN_TRY(qn_dock_restraints_read(options->restraints_file, run->receptor.molecule, run->ligand.molecule,
                                       &run->restraints));
    if ((size_t)options->restraints_required > run->restraints.count)
        QN_FAIL(QN_INVALID_ARGUMENT, "%s: %d restraints are required, but there are %zu; expected at most that many",
                options->restraints_file ? options->restraints_file : "no restraints file",
                options->restraints_required, run->restraints.count);
    qn_dock_energy_reach(&run->energy, &run->receptor, &contact_angstrom, &reach_angstrom);
    QN_TRY(qn_dock_grid_plan(&run->receptor, &run->ligand, options->spacing_angstrom, contact_angstrom, reach_angstrom,
                             options->grid_cells, next_fast_size, &run->transforms.engine, &run->grid));
    run->exclusion_cells = (int)ceil(exclusion_angstrom / options->spacing_angstrom);
    qn_log(QN_LOG_NOTE, "grid: %d x %d x %d cells of %g Å, %d grids a rotation, %zu coefficient set%s",
           run->grid.cells[0], run->grid.cells[1], run->grid.cells[2], run->grid.spacing_angstrom,
           run->energy.grid_count, run->energy.set_count, run->energy.set_count == 1 ? "" : "s");
    QN_TRY(qn_dock_make_rotations(run));
    return qn_dock_make_key(run);
}

/* Receptor grids and ligand integers, and the tuner of the search. */
static qn_status prepare(qn_dock_state *run)
{
    QN_TRY(qn_dock_energy_fill(&run->energy, &run->receptor, &run->grid, run->job->pool));
    QN_TRY(qn_dock_ligand_create(&run->ligand, &run->energy, &run->grid, &run->ligand_sites));
    return qn_dock_tuning_start(run);
}

/* Poses on the grid, as the search found them. */
static qn_status write_zdock(const qn_dock_state *run, const qn_dock_result *result)
{
    char *path;
    QN_TRY(qn_dock_result_path(run, result, "zdock.out", &path));
    qn_status status = qn_dock_write_zdock(path, &run->grid, run->receptor.molecule->name, run->ligand.molecule->name,
                                           result->poses, result->pose_count);
    qn_release(&path);
    return status;
}

static qn_status write_result(qn_dock_state *run, const qn_dock_result *result)
{
    QN_TRY(qn_dock_write_models(run, result));
    if (run->options->write_zdock) QN_TRY(write_zdock(run, result));
    return qn_dock_write_tables(run, result);
}

/* From hits to files, on the first rank. */
static qn_status make_results(qn_dock_state *run)
{
    double since = qn_clock_s();
    if (!qn_job_is_first(run->job)) return QN_OK;
    QN_TRY(qn_dock_rank_results(run));
    run->timings.rank_s = qn_clock_lap_s(&since);
    QN_TRY(qn_dock_cluster_results(run));
    run->timings.cluster_s = qn_clock_lap_s(&since);
    if (run->options->refinement) QN_TRY(qn_dock_refine_results(run));
    run->timings.refine_s = qn_clock_lap_s(&since);
    for (size_t i = 0; i < run->result_count; i++) QN_TRY(write_result(run, &run->results[i]));
    run->timings.write_s = qn_clock_lap_s(&since);
    run->timings.total_s = since - run->job->started_s;
    for (size_t i = 0; i < run->result_count; i++) QN_TRY(qn_dock_write_report(run, &run->results[i]));
    return qn_dock_write_run_json(run);
}

static qn_status run_stages(qn_dock_state *run)
{
    qn_job *job = run->job;
    QN_TRY(qn_job_agree(job, check_options(run->options, &run->asked)));
    run->transforms = run->asked;
    QN_TRY(qn_job_agree(job, read_inputs(run)));
    QN_TRY(qn_job_output(job, &(qn_output){.folder = run->options->output}, true));
    QN_TRY(qn_job_agree(job, prepare(run)));
    run->timings.prepare_s = qn_clock_s() - job->started_s;
    QN_TRY(qn_dock_search_all(run));
    if (job->over) return QN_OK;
    qn_tuning_finish(&job->tuning);
    return qn_job_agree(job, make_results(run));
}

static void clear(qn_dock_state *run)
{
    qn_dock_results_clear(run);
    qn_dock_energy_clear(&run->energy);
    qn_release(&run->coefficients);
    qn_dock_restraints_clear(&run->restraints);
    qn_dock_partner_clear(&run->receptor);
    qn_dock_partner_clear(&run->ligand);
    qn_dock_ligand_clear(&run->ligand_sites);
    qn_release(&run->matrices);
    qn_release(&run->rotations);
    qn_release(&run->hits);
}

static void summarise(const qn_dock_state *run, qn_status status, qn_dock_summary *summary)
{
    const int searched = run->rotation_count - run->resumed_rotations;
    *summary = (qn_dock_summary){.seconds = qn_clock_s() - run->job->started_s};
    qn_job_report_path(run->job, status, summary->report, sizeof summary->report);
    if (status != QN_OK || run->result_count == 0) return;
    const qn_dock_result *result = qn_dock_main_result(run);
    summary->pose_count = result->pose_count;
    summary->cluster_count = result->cluster_count;
    summary->best_energy = result->pose_count ? result->poses[0].energy : 0;
    memcpy(summary->grid, run->grid.cells, sizeof summary->grid);
    summary->rotations_per_s = searched > 0 ? searched / run->timings.search_s : 0;
}

qn_status qn_dock_run(qn_context *context, const qn_dock_options *options, qn_dock_summary *summary)
{
    qn_job job;
    qn_dock_state run = {.options = options, .job = &job};
    qn_status status = qn_job_open(context, "dock", &options->run, &job);
    if (status == QN_OK) status = run_stages(&run);
    if (summary) summarise(&run, status, summary);
    clear(&run);
    return qn_job_close(&job, status);
}

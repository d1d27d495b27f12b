#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "dock/masks.h"
#include "dock/output_zdock.h"
#include "dock/run.h"
#include "job/options.h"
#include "job/pieces.h"
#include "runtime/device.h"
#include "score/coefficients.h"

/* Poses of one rotation are at least this far apart on some axis (Å). */
static const double exclusion_angstrom = 3.6;

qn_dock_options qn_dock_default_options(void)
{
    return (qn_dock_options){.run.device = "auto",
                             .score = "piper",
                             .coefficients = "auto",
                             .fft_engine = "auto",
                             .run.tune = "auto",
                             .run.tune_budget = "2%",
                             .block_penalty = 1,
                             .attract_bonus = 1,
                             .pair_terms = 4,
                             .rotations = 70000,
                             .spacing_angstrom = 1.0,
                             .per_rotation = 1,
                             .keep = 1000,
                             .clusters = 30,
                             .radius_angstrom = 9};
}

static qn_status check_options(const qn_dock_options *options, qn_dock_transforms *asked)
{
    if (!options->receptor || !options->ligand || !options->output)
        QN_FAIL(QN_INVALID_ARGUMENT, "receptor, ligand and output folder must be given");
    if (!options->score || (strcmp(options->score, "piper") != 0 && strcmp(options->score, "rpsc") != 0))
        QN_FAIL(QN_INVALID_ARGUMENT, "score is \"%s\"; expected piper or rpsc", options->score ? options->score : "");
    QN_TRY(qn_option_in_range("block penalty", options->block_penalty, 0, 1e6));
    QN_TRY(qn_option_in_range("attract bonus", options->attract_bonus, 0, 1e6));
    QN_TRY(qn_option_in_range("number of restraints required", options->restraints_required, 0, 1e6));
    QN_TRY(qn_option_in_range("number of pair terms", options->pair_terms, 0, QN_ATOM_TYPES));
    QN_TRY(qn_option_in_range("number of rotations", options->rotations, 1, 1e7));
    QN_TRY(qn_option_in_range("spacing in Å", options->spacing_angstrom, 0.3, 4));
    QN_TRY(qn_option_in_range("grid side in cells", options->grid_cells, 0, 1024));
    QN_TRY(qn_option_in_range("poses per rotation", options->per_rotation, 1, 16));
    QN_TRY(qn_option_in_range("poses kept", options->keep, 1, 20000));
    QN_TRY(qn_option_in_range("clusters", options->clusters, 1, 1000));
    QN_TRY(qn_option_in_range("cluster radius in Å", options->radius_angstrom, 0.1, 100));
    QN_TRY(qn_option_in_range("batch", options->run.batch, 0, 4096));
    QN_TRY(qn_tuning_check(options->run.tune, options->run.tune_budget));
    if (!options->fft_engine || !qn_dock_read_transforms(options->fft_engine, asked))
        QN_FAIL(QN_INVALID_ARGUMENT,
                "transforms are \"%s\"; expected auto, fused, fused-half, own, fftw, vkfft or cufft",
                options->fft_engine ? options->fft_engine : "");
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
    if (rpsc && strcmp(options->coefficients, qn_dock_default_options().coefficients) != 0)
        QN_FAIL(QN_INVALID_ARGUMENT, "coefficients are \"%s\", but the score rpsc has none; expected the score piper",
                options->coefficients);
    if (!rpsc) QN_TRY(find_coefficients(run, &count));
    qn_status status = qn_dock_masks_create(options, &run->receptor, &run->ligand, run->coefficients, count, &masks);
    if (status == QN_OK)
        status = rpsc ? qn_dock_energy_rpsc(&run->receptor, &run->ligand, &masks, &run->energy)
                      : qn_dock_energy_piper(&run->receptor, &run->ligand, run->coefficients, count,
                                             options->pair_terms, &masks, &run->energy);
    qn_dock_masks_clear(&masks);
    return status;
}

/* Read both partners, lay out the grid, make receptor grids, ligand integers and rotations. */
static qn_status prepare(qn_dock_state *run)
{
    const qn_dock_options *options = run->options;
    double receptor_radius, ligand_radius, centre[3], contact_angstrom, reach_angstrom;
    QN_TRY(qn_dock_partner_read(options->receptor, options->model, "receptor", &run->receptor));
    QN_TRY(qn_dock_partner_read(options->ligand, options->model, "ligand", &run->ligand));
    qn_dock_bounding_sphere(&run->receptor, centre, &receptor_radius);
    qn_dock_bounding_sphere(&run->ligand, centre, &ligand_radius);
    if (ligand_radius > receptor_radius)
        qn_log(QN_LOG_WARNING,
               "the ligand (radius %.1f Å) is larger than the receptor (%.1f Å); the search is faster with "
               "the larger one as receptor",
               ligand_radius, receptor_radius);
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
    QN_TRY(qn_dock_energy_fill(&run->energy, &run->receptor, &run->grid, run->pool));
    QN_TRY(qn_dock_ligand_create(&run->ligand, &run->energy, &run->grid, &run->ligand_sites));
    return qn_dock_make_rotations(run);
}

/* Poses on the grid, as the search found them. */
static qn_status write_zdock(const qn_dock_state *run, const qn_dock_result *result)
{
    char *path;
    QN_TRY(qn_path_join(result->folder, "zdock.out", &path));
    qn_status status = qn_dock_write_zdock(path, &run->grid, run->receptor.molecule->name, run->ligand.molecule->name,
                                           result->poses, result->pose_count);
    qn_release(&path);
    return status;
}

static qn_status write_result(qn_dock_state *run, const qn_dock_result *result)
{
    QN_TRY(qn_folder_create(result->folder));
    QN_TRY(qn_dock_write_models(run, result));
    if (run->options->write_zdock) QN_TRY(write_zdock(run, result));
    return qn_dock_write_tables(run, result);
}

static qn_status open_devices(qn_dock_state *run)
{
    qn_device *devices[QN_MOST_DEVICES];
    QN_TRY(qn_devices_open(run->context, run->options->run.device, run->ranks, devices, &run->worker_count));
    for (int i = 0; i < run->worker_count; i++) run->workers[i].device = devices[i];
    if (qn_ranks_rank(run->ranks) != 0) return QN_OK; /* the first one asks, and may have made the folder by now */
    return qn_option_output(run->options->output, run->options->run.resume, NULL); /* made only once inputs are good */
}

/* Refuse ranks that would find other things. */
static qn_status compare_ranks(qn_dock_state *run)
{
    qn_text key = {0};
    qn_status status = qn_agree(&run->agreement, qn_dock_make_key(run, &key));
    if (status == QN_OK) status = qn_agree(&run->agreement, qn_ranks_same_key(run->ranks, key.data, NULL));
    qn_text_clear(&key);
    return status;
}

static qn_status make_folder(const qn_dock_state *run)
{
    return qn_ranks_rank(run->ranks) == 0 ? qn_folder_create(run->options->output) : QN_OK;
}

/* From hits to files, on the first rank. */
static qn_status make_results(qn_dock_state *run)
{
    double since = qn_clock_s();
    if (qn_ranks_rank(run->ranks) != 0) return QN_OK;
    QN_TRY(qn_dock_rank_results(run));
    run->timings.rank_s = qn_clock_lap_s(&since);
    QN_TRY(qn_dock_cluster_results(run));
    run->timings.cluster_s = qn_clock_lap_s(&since);
    if (!run->options->without_refinement) QN_TRY(qn_dock_refine_results(run));
    run->timings.refine_s = qn_clock_lap_s(&since);
    for (size_t i = 0; i < run->result_count; i++) QN_TRY(write_result(run, &run->results[i]));
    run->timings.write_s = qn_clock_lap_s(&since);
    run->timings.total_s = since - run->started_s;
    for (size_t i = 0; i < run->result_count; i++) QN_TRY(qn_dock_write_report(run, &run->results[i]));
    return qn_dock_write_run_json(run);
}

static qn_status run_stages(qn_dock_state *run)
{
    double since = run->started_s;
    QN_TRY(qn_agree(&run->agreement, open_devices(run)));
    QN_TRY(qn_agree(&run->agreement, prepare(run)));
    QN_TRY(compare_ranks(run));
    QN_TRY(qn_agree(&run->agreement, make_folder(run)));
    run->timings.prepare_s = qn_clock_lap_s(&since);
    QN_TRY(qn_agree(&run->agreement, qn_dock_tuning_start(run)));
    QN_TRY(qn_dock_search_all(run));
    qn_tuning_finish(&run->tuning);
    return qn_agree(&run->agreement, make_results(run));
}

static void clear(qn_dock_state *run)
{
    qn_tuning_finish(&run->tuning);
    for (int i = 0; i < run->worker_count; i++) qn_device_release(&run->workers[i].device);
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
    qn_agreement_end(&run->agreement);
    qn_ranks_close(&run->ranks);
}

static void describe_answer(const qn_dock_state *run, qn_dock_summary *summary)
{
    const qn_dock_result *result = qn_dock_main_result(run);
    const int searched = run->rotation_count - run->resumed_rotations;
    summary->pose_count = result->pose_count;
    summary->cluster_count = result->cluster_count;
    summary->best_energy = result->pose_count ? result->poses[0].energy : 0;
    memcpy(summary->grid, run->grid.cells, sizeof summary->grid);
    summary->rotations_per_s = searched > 0 ? searched / run->timings.search_s : 0;
}

/* Without the name of a report where another process says how the run ended. */
static void summarise(const qn_dock_state *run, qn_status status, qn_dock_summary *summary)
{
    const bool first = qn_ranks_rank(run->ranks) == 0;
    *summary = (qn_dock_summary){.seconds = qn_clock_s() - run->started_s};
    if (first && status == QN_OK) describe_answer(run, summary);
    if ((first || status != QN_OK) && !run->agreement.mute)
        snprintf(summary->report, sizeof summary->report, "%s/report.html",
                 run->options->output ? run->options->output : "");
}

qn_status qn_dock_run(qn_context *context, const qn_dock_options *options, qn_dock_summary *summary)
{
    qn_dock_state run = {.options = options, .context = context, .pool = qn_context_pool(context)};
    run.started_s = qn_clock_s();
    QN_TRY(qn_ranks_open(&run.ranks));
    qn_agreement_begin(run.ranks, &run.agreement);
    const qn_log_scope outer = qn_context_enter_log(context);
    if (qn_ranks_rank(run.ranks) != 0) qn_log_turn_off(); /* all ranks log the same */
    qn_status status = qn_agree(&run.agreement, check_options(options, &run.asked));
    run.transforms = run.asked;
    if (status == QN_OK && qn_ranks_count(run.ranks) > 1)
        qn_log(QN_LOG_NOTE, "%d processes, of which the first speaks", qn_ranks_count(run.ranks));
    if (status == QN_OK) status = run_stages(&run);
    if (summary) summarise(&run, status, summary);
    clear(&run);
    qn_log_return(outer);
    return status;
}

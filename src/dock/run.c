#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "dock/known/confidence.h"
#include "dock/masks.h"
#include "dock/output_zdock.h"
#include "dock/run.h"
#include "job/input.h"
#include "score/coefficients.h"

/* Poses of one rotation are at least this far apart along at least one axis (Å). */
static const double exclusion_angstrom = 3.6;

static qn_status check_options(const qn_dock_options *options)
{
    QN_TRY(qn_option_check(qn_dock_option_table(), options));
    QN_TRY(qn_input_check_one("receptor", options->receptor, "receptor_molecule", options->receptor_molecule));
    QN_TRY(qn_input_check_one("ligand", options->ligand, "ligand_molecule", options->ligand_molecule));
    if (options->write_zdock && !options->output)
        return QN_FAIL(QN_INVALID_ARGUMENT, "--zdock asks for a file, but there is no output; expected an output");
    return QN_OK;
}

const char *qn_dock_restraints_source(const qn_dock_options *options)
{
    return options->restraints_file ? options->restraints_file
           : options->active_count  ? "the active residues"
                                    : "no restraints file";
}

/* Choose a size by a rule, not by measured times as qn_fft_advise does: poses depend on the grid, so that the grid must
 * be the same on every machine. */
static int next_fast_size(int least, void *user)
{
    return qn_fft_next_fast_size(*(const qn_fft_engine *)user, least);
}

/* Find the coefficient sets that the options name. "auto" depends on whether a partner is an antibody. */
static qn_status find_coefficients(qn_dock_state *run, size_t *count)
{
    const char *names = run->options->coefficients;
    bool antibody;
    if (strcmp(names, "auto") == 0) {
        QN_TRY(qn_dock_masks_antibody(&run->receptor, &run->ligand, &antibody));
        antibody = antibody || run->options->antibody_count > 0;
        names = antibody ? "antibody" : "others";
        qn_log(QN_LOG_NOTE, "coefficients: %s", names);
    }
    return qn_coefficients_find(names, &run->coefficients, count);
}

/* Make the energy that the options name. */
static qn_status make_energy(qn_dock_state *run)
{
    size_t count = 0;
    const qn_dock_options *options = run->options;
    const bool rpsc = options->score == QN_DOCK_RPSC;
    qn_dock_masks masks = {0};
    if (!rpsc) QN_TRY(find_coefficients(run, &count));
    qn_status status = qn_dock_masks_create(options, &run->receptor, &run->ligand, run->coefficients, count, &masks);
    if (status == QN_OK) status = qn_dock_masks_attract(&run->restraints, &run->receptor, &run->ligand, &masks);
    if (status == QN_OK)
        status = rpsc ? qn_dock_energy_rpsc(&run->receptor, &run->ligand, &masks, &run->energy)
                      : qn_dock_energy_piper(&run->receptor, &run->ligand, run->coefficients, count,
                                             options->pair_terms, &masks, &run->energy);
    qn_dock_masks_clear(&masks);
    return status;
}

static qn_status read_partner(const qn_dock_options *options, const char *role, const char *path,
                              const qn_molecule *molecule, qn_dock_partner *partner)
{
    return path ? qn_dock_partner_read(path, options->model, role, partner)
                : qn_dock_partner_from_molecule(molecule, role, partner);
}

static qn_status mask_uncertain(const qn_dock_options *options, const char *role, const char *path,
                                qn_dock_partner *partner)
{
    return qn_dock_confidence_mask(options->plddt, options->plddt_count, role, path, partner);
}

static qn_status read_restraints(qn_dock_state *run)
{
    const qn_dock_options *options = run->options;
    const qn_molecule *receptor = run->receptor.molecule, *ligand = run->ligand.molecule;
    if (options->restraints_file)
        QN_TRY(qn_dock_restraints_read(options->restraints_file, receptor, ligand, &run->restraints));
    QN_TRY(qn_dock_restraints_add_active(options->active, options->active_count, options->passive,
                                         options->passive_count, receptor, ligand, &run->restraints));
    run->restraints.strength = options->attract_bonus;
    return qn_dock_restraints_require(options->restraints_required, qn_dock_restraints_source(options),
                                      &run->restraints);
}

/* Read both partners, lay out the grid, make the rotations. */
static qn_status read_inputs(qn_dock_state *run)
{
    const qn_dock_options *options = run->options;
    double receptor_radius, ligand_radius, centre[3], contact_angstrom, reach_angstrom;
    QN_TRY(qn_job_devices(run->job));
    QN_TRY(read_partner(options, "receptor", options->receptor, options->receptor_molecule, &run->receptor));
    QN_TRY(read_partner(options, "ligand", options->ligand, options->ligand_molecule, &run->ligand));
    QN_TRY(mask_uncertain(options, "receptor", options->receptor, &run->receptor));
    QN_TRY(mask_uncertain(options, "ligand", options->ligand, &run->ligand));
    qn_dock_bounding_sphere(&run->receptor, centre, &receptor_radius);
    qn_dock_bounding_sphere(&run->ligand, centre, &ligand_radius);
    if (ligand_radius > receptor_radius)
        QN_TRY(qn_job_warn(run->job,
                           "the ligand (radius %.1f Å) is larger than the receptor (%.1f Å); the search is faster with "
                           "the larger one as receptor",
                           ligand_radius, receptor_radius));
    QN_TRY(read_restraints(run));
    QN_TRY(make_energy(run));
    qn_dock_energy_reach(&run->energy, &run->receptor, &contact_angstrom, &reach_angstrom);
    QN_TRY(qn_dock_grid_plan(&run->receptor, &run->ligand, options->spacing_angstrom, contact_angstrom, reach_angstrom,
                             options->grid_cells, next_fast_size, &run->transforms.engine, &run->grid));
    run->exclusion_cells = (int)ceil(exclusion_angstrom / options->spacing_angstrom);
    qn_log(QN_LOG_NOTE, "grid: %d x %d x %d cells of %g Å, %d %s a rotation, %zu coefficient %s", run->grid.cells[0],
           run->grid.cells[1], run->grid.cells[2], run->grid.spacing_angstrom, run->energy.grid_count,
           qn_plural((size_t)run->energy.grid_count, "grid", "grids"), run->energy.set_count,
           qn_plural(run->energy.set_count, "set", "sets"));
    QN_TRY(qn_dock_make_rotations(run));
    QN_TRY(qn_ranking_model_read(options->ranking_model, &run->ranking));
    return qn_dock_make_key(run);
}

/* Compute the receptor grids and the ligand's integers, and attach the tuner. */
static qn_status prepare(qn_dock_state *run)
{
    QN_TRY(qn_dock_energy_fill(&run->energy, &run->receptor, &run->grid, run->job->pool));
    QN_TRY(qn_dock_ligand_create(&run->ligand, &run->energy, &run->grid, &run->ligand_sites));
    return qn_dock_tuning_start(run);
}

/* Write the poses as the search found them on the grid, not refined. */
static qn_status write_zdock(const qn_dock_state *run, const qn_dock_answer *answer)
{
    char *path;
    QN_TRY(qn_dock_answer_path(run, answer, "zdock.out", &path));
    qn_status status = qn_dock_write_zdock(path, &run->grid, run->receptor.molecule->name, run->ligand.molecule->name,
                                           answer->poses, answer->pose_count);
    qn_release(&path);
    return status;
}

static qn_status write_answer(qn_dock_state *run, const qn_dock_answer *answer)
{
    QN_TRY(qn_dock_write_models(run, answer));
    if (run->options->write_zdock) QN_TRY(write_zdock(run, answer));
    return qn_dock_write_tables(run, answer);
}

static qn_status write_files(qn_dock_state *run)
{
    double since = qn_clock_s();
    for (size_t i = 0; i < run->answer_count; i++) QN_TRY(write_answer(run, &run->answers[i]));
    run->timings.write_s = qn_clock_lap_s(&since);
    run->timings.total_s = since - run->job->started_s;
    for (size_t i = 0; i < run->answer_count; i++) QN_TRY(qn_dock_write_report(run, &run->answers[i]));
    return qn_dock_write_run_json(run);
}

/* Make the answers from the hits, and write them, on the first rank. */
static qn_status make_answers(qn_dock_state *run)
{
    double since = qn_clock_s();
    if (!qn_job_is_first(run->job)) return QN_OK;
    QN_TRY(qn_dock_rank_answers(run));
    run->timings.rank_s = qn_clock_lap_s(&since);
    QN_TRY(qn_dock_cluster_answers(run));
    run->timings.cluster_s = qn_clock_lap_s(&since);
    if (run->options->refinement) QN_TRY(qn_dock_refine_answers(run));
    run->timings.refine_s = qn_clock_lap_s(&since);
    if (!run->job->in_memory) return write_files(run);
    run->timings.total_s = since - run->job->started_s;
    return run->answer_count ? qn_dock_report_page(run, qn_dock_main_answer(run), &run->page) : QN_OK;
}

static qn_status run_stages(qn_dock_state *run)
{
    qn_job *job = run->job;
    QN_TRY(qn_job_agree(job, check_options(run->options)));
    run->asked = qn_dock_transforms_of(run->options->fft_engine);
    run->transforms = run->asked;
    QN_TRY(qn_job_agree(job, read_inputs(run)));
    QN_TRY(qn_job_agree(job, qn_dock_check_memory(run)));
    QN_TRY(qn_job_output(job, &(qn_output){.folder = run->options->output}, true));
    QN_TRY(qn_job_agree(job, prepare(run)));
    run->timings.prepare_s = qn_clock_s() - job->started_s;
    QN_TRY(qn_dock_search_all(run));
    if (job->over) return QN_OK;
    qn_tuning_finish(&job->tuning);
    return qn_job_agree(job, make_answers(run));
}

static void clear(qn_dock_state *run)
{
    qn_dock_answers_clear(run);
    qn_dock_cells_clear(&run->cells);
    qn_dock_energy_clear(&run->energy);
    qn_release(&run->coefficients);
    qn_dock_restraints_clear(&run->restraints);
    qn_dock_partner_clear(&run->receptor);
    qn_dock_partner_clear(&run->ligand);
    qn_dock_ligand_clear(&run->ligand_sites);
    qn_release(&run->matrices);
    qn_release(&run->rotations);
    qn_release(&run->hits);
    qn_text_clear(&run->page);
}

qn_status qn_dock_run(qn_context *context, const qn_dock_options *options, qn_dock_result **result)
{
    qn_job job;
    qn_dock_options own;
    if (result) *result = NULL;
    QN_TRY(qn_option_take(qn_dock_option_table(), options, &own));
    qn_dock_state run = {.options = &own, .job = &job};
    qn_status status = qn_job_open(context, "dock", &own.run, &job);
    if (status == QN_OK) status = run_stages(&run);
    if (status == QN_OK && result) status = qn_dock_result_make(&run, result);
    clear(&run);
    return qn_job_close(&job, status);
}

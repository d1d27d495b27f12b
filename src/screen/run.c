#include "screen/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "flexible/energy.h"
#include "flexible/stated.h"
#include "job/input.h"
#include "runtime/device.h"
#include "score/autodock/atoms.h"
#include "score/bude.h"
#include "score/vina.h"
#include "screen/box.h"
#include "screen/enrichment.h"
#include "screen/library.h"
#include "screen/output.h"
#include "screen/pipeline.h"
#include "screen/results.h"
#include "screen/sources.h"

/* Rough estimates, low rather than high. They are used only to decide whether a run is long enough for online tuning.
 */
static const double cpu_core_rate = 2e9, gpu_rate = 5e11; /* interactions per second */
static const double culling_gain = 4;
static const double cpu_core_steps = 4e4, gpu_steps = 2e7; /* steps of flexible chains per second */
static const double steps_share = 0.775; /* of the steps that all walkers would take, had they whole chains */
static const double bytes_per_molecule = 2500, usual_rounds = 4;
enum { ATOMS_PER_MOLECULE = 25, TORSIONS_PER_MOLECULE = 5 };

double qn_screen_scoring_share(const qn_screen_state *run)
{
    const double device_s = run->timings.search_s * run->job->device_count;
    return device_s > 0 ? fmin(1, run->scoring_s / device_s) : 0;
}

/* Set the parameters of the search from the options, with all defaults filled in, since results depend on them. */
static qn_status set_search(qn_screen_state *run)
{
    const qn_screen_options *options = run->options;
    qn_screen_search_options *search = &run->search;
    *search = qn_screen_search_default_options();
    search->seed = options->run.seed;
    if (options->score_only || options->local_only) return QN_OK;
    QN_TRY(qn_screen_box_find(options, &run->receptor, search->box_centre_angstrom, search->box_side_angstrom));
    const double *centre = search->box_centre_angstrom, *side = search->box_side_angstrom;
    qn_log(QN_LOG_NOTE, "box for centroids: %.1f x %.1f x %.1f Å around %.2f, %.2f, %.2f", side[0], side[1], side[2],
           centre[0], centre[1], centre[2]);
    search->generations = options->generations;
    search->poses = options->poses ? options->poses : qn_screen_search_default_poses(side);
    search->rounds = options->rounds;
    search->exact = options->exact;
    search->cull = options->cull;
    search->batch = options->run.batch;
    return QN_OK;
}

/* Remove the ligand of the site from the receptor, which may be a complex with that ligand. */
static qn_status empty_site(qn_screen_state *run)
{
    double *positions;
    size_t count;
    if (!qn_screen_has_site(run->options)) return QN_OK;
    QN_TRY(qn_screen_site_read(run->options, &positions, &count));
    qn_status status = qn_score_receptor_make_room(&run->receptor, positions, count);
    qn_release(&positions);
    return status;
}

static qn_status open_devices(qn_screen_state *run)
{
    qn_job *job = run->job;
    QN_TRY(qn_job_devices(job));
    for (int i = 1; i < job->device_count && run->options->rigid && !run->options->exact; i++)
        if (!qn_devices_are_alike(job->devices[0], job->devices[i]))
            return qn_job_warn(job,
                               "devices of several models round differently, and it is random which of these "
                               "takes a molecule: results may differ from run to run; exact arithmetic avoids this");
    return QN_OK;
}

const char *qn_screen_receptor_name(const qn_screen_options *options)
{
    if (options->receptor) return qn_path_name(options->receptor);
    return options->receptor_molecule->name ? options->receptor_molecule->name : "receptor";
}

static qn_status check_options(const qn_screen_options *options)
{
    QN_TRY(qn_option_check(qn_screen_option_table(), options));
    QN_TRY(qn_input_check_one("receptor", options->receptor, "receptor_molecule", options->receptor_molecule));
    QN_TRY(qn_screen_sources_check(options->library_count, options->library_contents, options->library_content_count));
    if (options->site && strcmp(options->site, "-") == 0)
        return QN_FAIL(QN_UNSUPPORTED, "the site is standard input, which cannot be read twice; expected a file");
    if (qn_screen_has_site(options))
        QN_TRY(qn_input_check_one("site", options->site, "site_content", options->site_content));
    if (options->actives && options->active_name_count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "actives and active_names are both given; expected at most one of the two");
    return QN_OK;
}

static qn_status read_receptor(qn_screen_state *run)
{
    const qn_screen_options *options = run->options;
    if (!options->receptor && options->types == QN_SCREEN_TYPES_FILE)
        return QN_FAIL(QN_INVALID_ARGUMENT, "a receptor in memory states no types of AutoDock; expected a PDBQT file, "
                                            "or types of our own");
    if (options->types == QN_SCREEN_TYPES_FILE) return qn_flexible_stated_receptor(options->receptor, &run->receptor);
    return options->receptor ? qn_score_receptor_read(options->receptor, &run->score, &run->receptor)
                             : qn_score_receptor_from_molecule(options->receptor_molecule, &run->score, &run->receptor);
}

/* Take the side chains that turn out of the receptor. */
static qn_status take_sides(qn_screen_state *run)
{
    const qn_screen_options *options = run->options;
    const bool stated = options->types == QN_SCREEN_TYPES_FILE;
    qn_autodock_atoms atoms = {0};
    if (options->flex_count == 0) return QN_OK;
    qn_status status = stated ? qn_flexible_stated_residues(options->receptor, &run->receptor, &atoms) : QN_OK;
    if (status == QN_OK)
        status = qn_flexible_sides_take(&run->receptor, stated ? &atoms : NULL, options->flex, options->flex_count,
                                        "--flex", qn_screen_receptor_name(options), &run->sides);
    qn_autodock_atoms_clear(&atoms);
    return status;
}

/* Read and check all inputs, and make the key. */
static qn_status read_inputs(qn_screen_state *run)
{
    const qn_screen_options *options = run->options;
    run->score.kind = options->score == QN_SCREEN_VINA ? QN_SCORE_VINA : QN_SCORE_BUDE;
    run->score.force_field = qn_bude_find("2016");
    run->term_count = qn_screen_term_names(run->score.kind, !options->rigid, &run->term_names);
    QN_TRY(read_receptor(run));
    QN_TRY(empty_site(run));
    QN_TRY(take_sides(run));
    if (!options->rigid) QN_TRY(qn_flexible_receptor_create(&run->receptor, &run->sorted));
    QN_TRY(set_search(run));
    if (options->actives) QN_TRY(qn_screen_labels_read(options->actives, &run->labels));
    if (options->active_name_count)
        QN_TRY(qn_screen_labels_of_names(options->active_names, options->active_name_count, &run->labels));
    return qn_screen_make_key(run);
}

/* Seconds that the search of a molecule takes on all devices of the rank. */
static double rigid_seconds(const qn_screen_state *run, double cores, double gpus)
{
    const double gain = run->search.cull && run->score.kind == QN_SCORE_BUDE ? culling_gain : 1;
    const double poses = (double)run->search.poses * run->search.generations * fmin(usual_rounds, run->search.rounds) *
                         fmax(1, run->options->conformers);
    const double pairs = ATOMS_PER_MOLECULE * (double)run->receptor.atom_count;
    return poses * pairs / (gain * (cores * cpu_core_rate + gpus * gpu_rate));
}

static double flexible_seconds(const qn_screen_state *run, double cores, double gpus)
{
    const qn_screen_options *options = run->options;
    const qn_flexible_tree usual = {.ligand_count = ATOMS_PER_MOLECULE, .piece_count = 1 + TORSIONS_PER_MOLECULE};
    if (options->score_only || options->local_only) return 0; /* no kernel that is tuned */
    return steps_share * options->walkers * qn_flexible_steps(&usual, options->effort) /
           (cores * cpu_core_steps + gpus * gpu_steps);
}

static qn_status start_tuning(qn_screen_state *run)
{
    const qn_screen_sources sources = qn_screen_sources_of(run->options);
    qn_job *job = run->job;
    qn_screen_library *library;
    double cores = 0, gpus = 0;
    QN_TRY(qn_screen_library_open(&sources, &library));
    const double molecules = (double)qn_screen_library_bytes(library) / bytes_per_molecule;
    qn_screen_library_close(&library);
    for (int i = 0; i < job->device_count; i++) {
        const qn_device_info *info = qn_device_get_info(job->devices[i]);
        if (info->kind == QN_DEVICE_CPU)
            cores += info->compute_units;
        else
            gpus++;
    }
    const double each = run->options->rigid ? rigid_seconds(run, cores, gpus) : flexible_seconds(run, cores, gpus);
    return qn_job_tune(job, molecules * each);
}

/* Prepare all ranks in the same way. */
static qn_status prepare(qn_screen_state *run)
{
    qn_job *job = run->job;
    QN_TRY(qn_job_agree(job, check_options(run->options)));
    QN_TRY(qn_job_agree(job, open_devices(run)));
    QN_TRY(qn_job_agree(job, read_inputs(run)));
    return qn_job_agree(job, start_tuning(run));
}

/* Pieces in the journals of an earlier run. */
typedef struct known_pieces {
    qn_piece_set *done;
    uint64_t molecules;
} known_pieces;

static qn_status know_piece(const qn_screen_piece *piece, void *user)
{
    known_pieces *known = user;
    if (piece->broken_off) return QN_OK;
    known->molecules += piece->molecule_count;
    return qn_piece_set_add(known->done, piece->number);
}

static qn_status find_known(qn_screen_state *run)
{
    known_pieces known = {.done = &run->job->done};
    const qn_screen_scan scan = {.piece = know_piece, .user = &known};
    if (!run->options->run.resume) return QN_OK;
    QN_TRY(qn_screen_results_scan(run, &scan));
    if (run->job->done.count)
        qn_log(QN_LOG_NOTE, "resuming: %llu %s done", (unsigned long long)known.molecules,
               known.molecules == 1 ? "molecule is" : "molecules are");
    return QN_OK;
}

/* Find the lowest rank that could not read a library to its end; that rank reports the damage. */
static qn_status find_damage(qn_screen_state *run)
{
    const int mine = run->damage.status != QN_OK ? qn_ranks_count(run->job->ranks) - qn_ranks_rank(run->job->ranks) : 0;
    int most;
    QN_TRY(qn_ranks_max(run->job->ranks, mine, &most));
    run->damaged = most > 0;
    run->tells_damage = run->damaged && most == mine;
    return QN_OK;
}

static qn_status report_damage(const qn_screen_state *run)
{
    const qn_error_trail *damage = &run->damage;
    if (!run->tells_damage) return QN_OK;
    if (run->molecules_before_damage == 0)
        return QN_FAIL(damage->status, "%s; no molecule was seen before that place", damage->message);
    if (run->job->in_memory)
        return QN_FAIL(damage->status, "%s; expected a library that can be read to its end", damage->message);
    return QN_FAIL(damage->status, "%s; %s has the results of the %llu %s before that place", damage->message,
                   run->options->output, (unsigned long long)run->molecules_before_damage,
                   qn_screen_molecules(run->molecules_before_damage));
}

static qn_status search(qn_screen_state *run)
{
    qn_job *job = run->job;
    QN_TRY(qn_job_agree(job, find_known(run)));
    qn_status status = qn_screen_pipeline_run(run);
    qn_job_records_end(job);
    QN_TRY(qn_job_agree(job, status));
    return qn_job_agree(job, find_damage(run));
}

static qn_status write_files(qn_screen_state *run, double *since)
{
    QN_TRY(qn_screen_write_tables(run));
    QN_TRY(qn_screen_write_hits(run));
    run->timings.write_s = qn_clock_lap_s(since);
    run->timings.total_s = *since - run->job->started_s;
    QN_TRY(qn_screen_write_report(run));
    return qn_screen_write_run_json(run);
}

/* Make the report of a run in memory. */
static qn_status make_page(qn_screen_state *run, double *since)
{
    run->timings.write_s = qn_clock_lap_s(since);
    run->timings.total_s = *since - run->job->started_s;
    return qn_screen_report_page(run, &run->page);
}

/* Count the molecules that no atom of the receptor reaches: a box or poses in another frame look like poor binders. */
static qn_status look_for_far(qn_screen_state *run)
{
    const qn_screen_row *first = NULL;
    char name[64];
    const double reach =
        run->score.kind == QN_SCORE_VINA ? QN_VINA_CUTOFF_ANGSTROM : qn_bude_reach_angstrom(run->score.force_field);
    run->far = 0;
    for (size_t i = 0; i < run->row_count; i++) {
        if (run->rows[i].least_distance_angstrom < reach) continue;
        if (run->far++ == 0) first = &run->rows[i];
    }
    if (run->far == 0) return QN_OK;
    snprintf(name, sizeof name, "molecule %llu", (unsigned long long)first->index + 1);
    if (first->name[0]) snprintf(name, sizeof name, "%s", first->name);
    return qn_job_warn(run->job,
                       "%llu of %zu %s %s nothing, %g Å or more away from the receptor; the first, %s, is %.1f Å away; "
                       "expected %s",
                       (unsigned long long)run->far, run->row_count, qn_screen_molecules(run->row_count),
                       run->far == 1 ? "touches" : "touch", reach, name, first->least_distance_angstrom,
                       run->options->score_only || run->options->local_only ? "poses in the receptor's frame"
                                                                            : "a box at the receptor");
}

/* The first rank reads all journals and writes the results. */
static qn_status finish(qn_screen_state *run, double *since)
{
    const qn_screen_sources sources = qn_screen_sources_of(run->options);
    const char *folder = run->options->output;
    if (!qn_job_is_first(run->job)) return QN_OK;
    QN_TRY(qn_screen_results_gather(run));
    QN_TRY(look_for_far(run));
    if (run->molecules == 0 && run->damaged) return QN_OK;
    if (run->molecules == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: no molecules; expected at least one", qn_screen_sources_name(&sources, 0));
    if (!run->job->in_memory || run->wants_result) QN_TRY(qn_screen_hits_make(run, &run->hits));
    if (!run->job->in_memory) QN_TRY(write_files(run, since));
    if (run->damaged) return QN_OK; /* reported by report_damage, instead of the errors below */
    if (run->row_count == 0)
        return QN_FAIL(QN_BAD_FORMAT, "none of %llu %s could be used%s because: %s", (unsigned long long)run->molecules,
                       qn_screen_molecules(run->molecules), run->molecules == 1 ? "," : ", the first",
                       run->rejections[0].reason);
    if (run->options->run.strict && run->rejection_count)
        return QN_FAIL(QN_BAD_FORMAT, "%zu of %llu %s %s rejected%s%s%s; the first because: %s", run->rejection_count,
                       (unsigned long long)run->molecules, qn_screen_molecules(run->molecules),
                       run->rejection_count == 1 ? "was" : "were", folder ? ", see " : "", folder ? folder : "",
                       folder ? "/rejected.csv" : "", run->rejections[0].reason);
    return run->job->in_memory && run->wants_result && !run->options->without_page ? make_page(run, since) : QN_OK;
}

static qn_status run_stages(qn_screen_state *run)
{
    qn_job *job = run->job;
    double since = job->started_s;
    QN_TRY(prepare(run));
    QN_TRY(qn_job_output(job, &(qn_output){.folder = run->options->output}, true));
    QN_TRY(qn_job_journal(job));
    if (job->over) return QN_OK;
    run->timings.prepare_s = qn_clock_lap_s(&since);
    QN_TRY(search(run));
    qn_tuning_finish(&job->tuning);
    run->timings.search_s = qn_clock_lap_s(&since);
    QN_TRY(qn_job_agree(job, finish(run, &since)));
    return run->damaged ? qn_job_agree(job, report_damage(run)) : QN_OK;
}

static void clear(qn_screen_state *run)
{
    qn_screen_results_clear(run);
    qn_screen_hits_clear(&run->hits);
    qn_text_clear(&run->page);
    qn_screen_labels_destroy(&run->labels);
    qn_flexible_receptor_destroy(&run->sorted);
    qn_flexible_sides_clear(&run->sides);
    qn_score_receptor_clear(&run->receptor);
}

qn_status qn_screen_run(qn_context *context, const qn_screen_options *options, qn_screen_result **result)
{
    qn_job job;
    qn_screen_options own;
    if (result) *result = NULL;
    QN_TRY(qn_option_take(qn_screen_option_table(), options, &own));
    qn_screen_state run = {.options = &own, .job = &job, .wants_result = result != NULL};
    qn_status status = qn_job_open(context, "screen", &own.run, &job);
    if (status == QN_OK) status = run_stages(&run);
    if (status == QN_OK) status = qn_job_agree(&job, result ? qn_screen_result_make(&run, result) : QN_OK);
    clear(&run);
    status = qn_job_close(&job, status);
    if (status != QN_OK && result) qn_screen_result_destroy(result);
    return status;
}

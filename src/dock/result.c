/* Results for the caller, which own their memory. */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "dock/run.h"

/* Memory that one answer points into. */
typedef struct owned_answer {
    qn_dock_result_pose *poses;
    qn_dock_result_cluster *clusters;
    double *terms;    /* term_count for each pose, then for each cluster's model */
    double *contacts; /* share of poses for the receptor's residues, then for the ligand's */
    char name[QN_COEFFICIENTS_NAME];
} owned_answer;

/* A result with the memory that it points into. */
typedef struct owned_result {
    qn_dock_result result; /* the caller has its address */
    qn_molecule *receptor, *ligand;
    owned_answer *answers;    /* those of the sets, then the merged one */
    qn_dock_result_set *sets; /* one for each answer */
    size_t answer_count;
    double *scores; /* of the main answer's clusters */
    char *page;     /* of the report */
    size_t *satisfied;
    const char *term_names[QN_DOCK_TERMS_MAX];
} owned_result;

static void fill_pose(const qn_dock_pose *from, size_t cluster, size_t term_count, double *terms,
                      qn_dock_result_pose *pose)
{
    *pose = (qn_dock_result_pose){.energy = from->energy,
                                  .terms = terms,
                                  .set = from->set,
                                  .rotation_index = from->rotation,
                                  .cluster = cluster == SIZE_MAX ? -1 : (int)cluster};
    memcpy(pose->rotation, from->matrix, sizeof pose->rotation);
    memcpy(pose->translation_angstrom, from->translation_angstrom, sizeof pose->translation_angstrom);
    memcpy(terms, from->terms, term_count * sizeof *terms);
}

static void fill_answer(const qn_dock_answer *from, size_t term_count, owned_answer *owned)
{
    double *terms = owned->terms;
    for (size_t i = 0; i < from->pose_count; i++, terms += term_count)
        fill_pose(&from->poses[i], from->assignment[i], term_count, terms, &owned->poses[i]);
    for (size_t i = 0; i < from->cluster_count; i++, terms += term_count) {
        qn_dock_result_cluster *cluster = &owned->clusters[i];
        *cluster = (qn_dock_result_cluster){.pose_count = from->clusters[i].size,
                                            .centre = from->clusters[i].centre,
                                            .lowest_energy = qn_dock_lowest_energy(from, i)};
        fill_pose(qn_dock_model_pose(from, i), i, term_count, terms, &cluster->model);
    }
}

static qn_status make_answer(qn_dock_answer *from, size_t term_count, size_t receptor_residues, owned_answer *owned,
                             qn_dock_result_set *set)
{
    void *memory;
    QN_TRY(qn_allocate(from->pose_count, sizeof *owned->poses, &memory));
    owned->poses = memory;
    QN_TRY(qn_allocate(from->cluster_count, sizeof *owned->clusters, &memory));
    owned->clusters = memory;
    QN_TRY(qn_allocate((from->pose_count + from->cluster_count) * term_count, sizeof *owned->terms, &memory));
    owned->terms = memory;
    fill_answer(from, term_count, owned);
    snprintf(owned->name, sizeof owned->name, "%s", from->name);
    owned->contacts = from->receptor_contact;
    from->receptor_contact = from->ligand_contact = NULL;
    *set = (qn_dock_result_set){.name = owned->name,
                                .poses = owned->poses,
                                .pose_count = from->pose_count,
                                .clusters = owned->clusters,
                                .cluster_count = from->cluster_count,
                                .receptor_contacts = owned->contacts,
                                .ligand_contacts = owned->contacts + receptor_residues};
    return QN_OK;
}

static qn_status add_answers(qn_dock_state *run, owned_result *owned)
{
    qn_dock_result *result = &owned->result;
    void *memory;
    if (run->answer_count == 0) return QN_OK;
    QN_TRY(qn_allocate(run->answer_count, sizeof *owned->answers, &memory));
    owned->answers = memory;
    owned->answer_count = run->answer_count;
    QN_TRY(qn_allocate(run->answer_count, sizeof *owned->sets, &memory));
    owned->sets = memory;
    for (size_t i = 0; i < run->answer_count; i++)
        QN_TRY(make_answer(&run->answers[i], result->term_count, run->receptor.molecule->residue_count,
                           &owned->answers[i], &owned->sets[i]));
    const qn_dock_result_set *main_answer = &owned->sets[run->answer_count - 1];
    result->poses = main_answer->poses;
    result->pose_count = main_answer->pose_count;
    result->clusters = main_answer->clusters;
    result->cluster_count = main_answer->cluster_count;
    result->receptor_contacts = main_answer->receptor_contacts;
    result->ligand_contacts = main_answer->ligand_contacts;
    result->sets = owned->sets;
    result->set_count = run->energy.set_count;
    result->cluster_scores = owned->scores = qn_dock_main_answer(run)->scores;
    qn_dock_main_answer(run)->scores = NULL;
    if (result->pose_count) result->best_energy = result->poses[0].energy;
    return QN_OK;
}

/* Count the restraints that the models of the main answer satisfy, as clusters.csv has them. */
static qn_status add_satisfied(const qn_dock_state *run, owned_result *owned)
{
    const qn_dock_restraints *restraints = &run->restraints;
    const size_t total = qn_dock_restraints_total(restraints);
    void *memory;
    if (total == 0 || run->answer_count == 0) return QN_OK;
    const qn_dock_answer *answer = qn_dock_main_answer(run);
    QN_TRY(qn_allocate(answer->cluster_count, sizeof *owned->satisfied, &memory));
    owned->result.restraints_satisfied = owned->satisfied = memory;
    owned->result.restraint_total = total;
    for (size_t i = 0; i < answer->cluster_count; i++) {
        const qn_dock_pose *model = qn_dock_model_pose(answer, i);
        owned->satisfied[i] = qn_dock_restraints_satisfied(restraints, model->matrix, model->translation_angstrom);
    }
    return QN_OK;
}

static void add_facts(const qn_dock_state *run, owned_result *owned)
{
    const int searched = run->rotation_count - run->resumed_rotations;
    qn_dock_result *result = &owned->result;
    memcpy(owned->term_names, run->energy.term_names, sizeof owned->term_names);
    result->term_names = owned->term_names;
    result->term_count = (size_t)run->energy.term_count;
    memcpy(result->grid, run->grid.cells, sizeof result->grid);
    result->rotation_count = run->rotation_count;
    result->resumed_rotations = run->resumed_rotations;
    if (searched > 0 && run->timings.search_s > 0) result->rotations_per_s = searched / run->timings.search_s;
    result->seconds = qn_clock_s() - run->job->started_s;
    qn_job_report_path(run->job, QN_OK, result->report, sizeof result->report);
}

qn_status qn_dock_result_make(qn_dock_state *run, qn_dock_result **result)
{
    void *memory;
    *result = NULL;
    QN_TRY(qn_allocate(1, sizeof(owned_result), &memory));
    owned_result *owned = memory;
    *result = &owned->result;
    add_facts(run, owned);
    qn_status status = add_answers(run, owned);
    if (status == QN_OK) status = add_satisfied(run, owned);
    if (status != QN_OK) {
        qn_dock_result_destroy(result);
        return status;
    }
    owned->result.page = owned->page = run->page.data;
    run->page = (qn_text){0};
    owned->receptor = run->receptor.molecule;
    owned->ligand = run->ligand.molecule;
    run->receptor.molecule = run->ligand.molecule = NULL;
    owned->result.receptor = owned->receptor;
    owned->result.ligand = owned->ligand;
    return QN_OK;
}

void qn_dock_result_destroy(qn_dock_result **result)
{
    owned_result *owned = (owned_result *)*result;
    if (!owned) return;
    for (size_t i = 0; i < owned->answer_count; i++) {
        qn_release(&owned->answers[i].poses);
        qn_release(&owned->answers[i].clusters);
        qn_release(&owned->answers[i].terms);
        qn_release(&owned->answers[i].contacts);
    }
    qn_release(&owned->answers);
    qn_release(&owned->sets);
    qn_release(&owned->scores);
    qn_release(&owned->page);
    qn_release(&owned->satisfied);
    qn_molecule_destroy(&owned->receptor);
    qn_molecule_destroy(&owned->ligand);
    qn_release(&owned);
    *result = NULL;
}

/* ---- models ---- */

static qn_status append_molecule(const qn_molecule *from, qn_molecule *to)
{
    for (size_t r = 0; r < from->residue_count; r++) {
        const qn_residue *residue = &from->residues[r];
        QN_TRY(qn_molecule_append_residue(to, residue));
        for (size_t i = 0; i < residue->atom_count; i++)
            QN_TRY(qn_molecule_append_atom(to, &from->atoms[residue->first_atom + i]));
    }
    if (to->residue_count) to->residues[to->residue_count - 1].chain_break = true;
    return QN_OK;
}

static qn_status place_ligand(const qn_dock_result *result, const qn_dock_result_pose *pose, qn_molecule *placed)
{
    qn_text remarks = {0};
    const qn_status status = qn_dock_rename_chains(result->receptor, result->ligand, placed, &remarks);
    qn_text_clear(&remarks);
    if (status == QN_OK) qn_molecule_transform(placed, pose->rotation, pose->translation_angstrom);
    return status;
}

qn_status qn_dock_result_model(const qn_dock_result *result, const qn_dock_result_cluster *cluster, qn_molecule **model)
{
    qn_molecule *placed = NULL;
    *model = NULL;
    qn_status status = qn_molecule_copy(result->ligand, &placed);
    if (status == QN_OK) status = place_ligand(result, &cluster->model, placed);
    if (status == QN_OK) status = qn_molecule_create("model", model);
    if (status == QN_OK) status = append_molecule(result->receptor, *model);
    if (status == QN_OK) status = append_molecule(placed, *model);
    qn_molecule_destroy(&placed);
    if (status != QN_OK) qn_molecule_destroy(model);
    return status;
}

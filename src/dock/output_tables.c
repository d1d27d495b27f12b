/* poses.csv, clusters.csv, contacts.csv. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "dock/run.h"
#include "report/csv.h"

static qn_status write_csv(const qn_dock_state *run, const qn_dock_answer *answer, const char *name, qn_text *csv,
                           qn_status status)
{
    char *path;
    if (status == QN_OK) status = qn_dock_answer_path(run, answer, name, &path);
    if (status == QN_OK) {
        status = qn_csv_write(csv, path);
        qn_release(&path);
    }
    qn_text_clear(csv);
    return status;
}

/* Add `headers`, then a header for each term: `prefix` and the name of the term. */
static qn_status add_headers(const qn_dock_state *run, const char *const *headers, size_t count, const char *prefix,
                             qn_text *csv)
{
    char name[64];
    for (size_t i = 0; i < count; i++) QN_TRY(qn_csv_text(csv, headers[i]));
    for (int term = 0; term < run->energy.term_count; term++) {
        snprintf(name, sizeof name, "%s%s", prefix, run->energy.term_names[term]);
        QN_TRY(qn_csv_text(csv, name));
    }
    return QN_OK;
}

static qn_status add_energies(const qn_dock_state *run, const qn_dock_pose *pose, qn_text *csv)
{
    QN_TRY(qn_csv_number(csv, pose->energy, 6));
    for (int term = 0; term < run->energy.term_count; term++) QN_TRY(qn_csv_number(csv, pose->terms[term], 6));
    return QN_OK;
}

static qn_status add_pose(const qn_dock_state *run, const qn_dock_answer *answer, size_t index, qn_text *csv)
{
    const qn_dock_pose *pose = &answer->poses[index];
    QN_TRY(qn_csv_integer(csv, (long long)index + 1));
    if (answer->assignment[index] == SIZE_MAX)
        QN_TRY(qn_csv_text(csv, ""));
    else
        QN_TRY(qn_csv_integer(csv, (long long)answer->assignment[index] + 1));
    QN_TRY(qn_csv_integer(csv, pose->rotation));
    for (int i = 0; i < 9; i++) QN_TRY(qn_csv_number(csv, pose->matrix[i], 10));
    for (int axis = 0; axis < 3; axis++) QN_TRY(qn_csv_number(csv, pose->translation_angstrom[axis], 5));
    QN_TRY(qn_csv_text(csv, run->energy.sets[pose->set].name));
    QN_TRY(add_energies(run, pose, csv));
    return qn_csv_end_row(csv);
}

static qn_status write_poses(const qn_dock_state *run, const qn_dock_answer *answer)
{
    static const char *const headers[] = {"rank",        "cluster",     "rotation",    "r11",          "r12",   "r13",
                                          "r21",         "r22",         "r23",         "r31",          "r32",   "r33",
                                          "tx_angstrom", "ty_angstrom", "tz_angstrom", "coefficients", "energy"};
    qn_text csv = {0};
    qn_status status = add_headers(run, headers, sizeof headers / sizeof *headers, "", &csv);
    if (status == QN_OK) status = qn_csv_end_row(&csv);
    for (size_t i = 0; i < answer->pose_count && status == QN_OK; i++) status = add_pose(run, answer, i, &csv);
    return write_csv(run, answer, "poses.csv", &csv, status);
}

/* Add how many restraints the model satisfies and their share; nothing if no restraint counts. */
static qn_status add_satisfied(const qn_dock_restraints *restraints, const qn_dock_pose *model, qn_text *csv)
{
    const size_t total = qn_dock_restraints_total(restraints);
    if (total == 0) {
        QN_TRY(qn_csv_text(csv, ""));
        return qn_csv_text(csv, "");
    }
    const size_t satisfied = qn_dock_restraints_satisfied(restraints, model->matrix, model->translation_angstrom);
    QN_TRY(qn_csv_integer(csv, (long long)satisfied));
    return qn_csv_number(csv, (double)satisfied / (double)total, 4);
}

static qn_status add_cluster(const qn_dock_state *run, const qn_dock_answer *answer, size_t index, qn_text *csv)
{
    const qn_cluster *cluster = &answer->clusters[index];
    const qn_dock_pose *centre = &answer->poses[cluster->centre];
    char name[32];
    qn_dock_model_name(run, index, name);
    QN_TRY(qn_csv_integer(csv, (long long)index + 1));
    QN_TRY(qn_csv_integer(csv, (long long)cluster->size));
    QN_TRY(qn_csv_integer(csv, (long long)cluster->centre + 1));
    QN_TRY(qn_csv_text(csv, run->energy.sets[centre->set].name));
    QN_TRY(add_energies(run, centre, csv));
    QN_TRY(qn_csv_number(csv, qn_dock_lowest_energy(answer, index), 6));
    QN_TRY(qn_csv_number(csv, answer->refined ? answer->refined[index].energy : (double)NAN, 6));
    QN_TRY(qn_csv_text(csv, name));
    QN_TRY(qn_csv_number(csv, answer->scores ? answer->scores[index] : (double)NAN, 6));
    QN_TRY(add_satisfied(&run->restraints, qn_dock_model_pose(answer, index), csv));
    return qn_csv_end_row(csv);
}

static qn_status write_clusters(const qn_dock_state *run, const qn_dock_answer *answer)
{
    static const char *const headers[] = {"cluster", "size", "centre_rank", "coefficients", "centre_energy"};
    static const char *const last[] = {"lowest_energy", "refined_energy",       "model",
                                       "score",         "restraints_satisfied", "restraints_share"};
    qn_text csv = {0};
    qn_status status = add_headers(run, headers, sizeof headers / sizeof *headers, "centre_", &csv);
    if (status == QN_OK) status = qn_csv_row(&csv, sizeof last / sizeof *last, last);
    for (size_t i = 0; i < answer->cluster_count && status == QN_OK; i++) status = add_cluster(run, answer, i, &csv);
    return write_csv(run, answer, "clusters.csv", &csv, status);
}

static qn_status add_contacts(const qn_molecule *molecule, const char *partner, const double *shares, qn_text *csv)
{
    for (size_t i = 0; i < molecule->residue_count; i++) {
        const qn_residue *residue = &molecule->residues[i];
        char insertion[2] = {residue->insertion, '\0'};
        QN_TRY(qn_csv_text(csv, partner));
        QN_TRY(qn_csv_text(csv, residue->chain));
        QN_TRY(qn_csv_integer(csv, residue->number));
        QN_TRY(qn_csv_text(csv, insertion));
        QN_TRY(qn_csv_text(csv, residue->name));
        QN_TRY(qn_csv_number(csv, shares[i], 4));
        QN_TRY(qn_csv_end_row(csv));
    }
    return QN_OK;
}

static qn_status write_contacts(const qn_dock_state *run, const qn_dock_answer *answer)
{
    static const char *const headers[] = {"partner", "chain", "residue", "insertion", "name", "share_of_poses"};
    qn_text csv = {0};
    qn_status status = qn_csv_row(&csv, sizeof headers / sizeof *headers, headers);
    if (status == QN_OK) status = add_contacts(run->receptor.molecule, "receptor", answer->receptor_contact, &csv);
    if (status == QN_OK) status = add_contacts(run->ligand.molecule, "ligand", answer->ligand_contact, &csv);
    return write_csv(run, answer, "contacts.csv", &csv, status);
}

qn_status qn_dock_write_tables(const qn_dock_state *run, const qn_dock_answer *answer)
{
    QN_TRY(write_poses(run, answer));
    QN_TRY(write_clusters(run, answer));
    return write_contacts(run, answer);
}

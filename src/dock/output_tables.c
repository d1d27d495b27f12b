/* poses.csv, clusters.csv, contacts.csv. */
#include <stdint.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "dock/run.h"
#include "report/csv.h"

static qn_status write_csv(const qn_dock_state *run, const char *name, qn_text *csv, qn_status status)
{
    char *path;
    if (status == QN_OK) status = qn_path_join(run->options->output, name, &path);
    if (status == QN_OK) {
        status = qn_csv_write(csv, path);
        qn_release(&path);
    }
    qn_text_clear(csv);
    return status;
}

static qn_status add_energies(qn_text *csv, const qn_dock_pose *pose)
{
    QN_TRY(qn_csv_number(csv, pose->energy, 6));
    for (int term = 0; term < QN_RPSC_TERMS; term++) QN_TRY(qn_csv_number(csv, pose->terms[term], 6));
    return QN_OK;
}

static qn_status add_pose(const qn_dock_state *run, size_t index, qn_text *csv)
{
    const qn_dock_pose *pose = &run->poses[index];
    QN_TRY(qn_csv_integer(csv, (long long)index + 1));
    if (run->assignment[index] == SIZE_MAX)
        QN_TRY(qn_csv_text(csv, ""));
    else
        QN_TRY(qn_csv_integer(csv, (long long)run->assignment[index] + 1));
    QN_TRY(qn_csv_integer(csv, pose->rotation));
    for (int i = 0; i < 9; i++) QN_TRY(qn_csv_number(csv, pose->matrix[i], 10));
    for (int axis = 0; axis < 3; axis++) QN_TRY(qn_csv_number(csv, pose->translation_angstrom[axis], 5));
    QN_TRY(add_energies(csv, pose));
    return qn_csv_end_row(csv);
}

static qn_status write_poses(const qn_dock_state *run)
{
    static const char *const headers[] = {
        "rank", "cluster", "rotation", "r11",         "r12",         "r13",         "r21",    "r22",   "r23",
        "r31",  "r32",     "r33",      "tx_angstrom", "ty_angstrom", "tz_angstrom", "energy", "shape", "electrostatic"};
    qn_text csv = {0};
    qn_status status = qn_csv_row(&csv, sizeof headers / sizeof *headers, headers);
    for (size_t i = 0; i < run->pose_count && status == QN_OK; i++) status = add_pose(run, i, &csv);
    return write_csv(run, "poses.csv", &csv, status);
}

static qn_status add_cluster(const qn_dock_state *run, size_t index, qn_text *csv)
{
    const qn_cluster *cluster = &run->clusters[index];
    double lowest = run->poses[cluster->centre].energy;
    char name[32];
    for (size_t i = 0; i < run->pose_count; i++)
        if (run->assignment[i] == index && run->poses[i].energy < lowest) lowest = run->poses[i].energy;
    qn_dock_model_name(run, index, name);
    QN_TRY(qn_csv_integer(csv, (long long)index + 1));
    QN_TRY(qn_csv_integer(csv, (long long)cluster->size));
    QN_TRY(qn_csv_integer(csv, (long long)cluster->centre + 1));
    QN_TRY(add_energies(csv, &run->poses[cluster->centre]));
    QN_TRY(qn_csv_number(csv, lowest, 6));
    QN_TRY(qn_csv_text(csv, name));
    return qn_csv_end_row(csv);
}

static qn_status write_clusters(const qn_dock_state *run)
{
    static const char *const headers[] = {"cluster",       "size",         "centre_rank",
                                          "centre_energy", "centre_shape", "centre_electrostatic",
                                          "lowest_energy", "model"};
    qn_text csv = {0};
    qn_status status = qn_csv_row(&csv, sizeof headers / sizeof *headers, headers);
    for (size_t i = 0; i < run->cluster_count && status == QN_OK; i++) status = add_cluster(run, i, &csv);
    return write_csv(run, "clusters.csv", &csv, status);
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

static qn_status write_contacts(const qn_dock_state *run)
{
    static const char *const headers[] = {"partner", "chain", "residue", "insertion", "name", "share_of_poses"};
    qn_text csv = {0};
    qn_status status = qn_csv_row(&csv, sizeof headers / sizeof *headers, headers);
    if (status == QN_OK) status = add_contacts(run->receptor.molecule, "receptor", run->receptor_contact, &csv);
    if (status == QN_OK) status = add_contacts(run->ligand.molecule, "ligand", run->ligand_contact, &csv);
    return write_csv(run, "contacts.csv", &csv, status);
}

qn_status qn_dock_write_tables(const qn_dock_state *run)
{
    QN_TRY(write_poses(run));
    QN_TRY(write_clusters(run));
    return write_contacts(run);
}

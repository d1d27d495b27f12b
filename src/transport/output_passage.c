/* Files of one passage: its profile, and its poses. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/written_file.h"
#include "format/compound/compound_stream.h"
#include "model/residue_text.h"
#include "report/csv.h"
#include "transport/run.h"

/* Path of a file of the passage. */
static qn_status path_of(const qn_transport_state *run, const qn_passage_summary *summary, const char *name,
                         char **path)
{
    qn_text text = {0};
    QN_TRY(qn_text_append(&text, "%s%s", summary->folder, name));
    const qn_status status = qn_job_path(run->job, text.data, path);
    qn_text_clear(&text);
    return status;
}

static qn_status write_text(const qn_transport_state *run, const qn_passage_summary *summary, const char *name,
                            const qn_text *text)
{
    qn_written_file file;
    char *path;
    QN_TRY(path_of(run, summary, name, &path));
    qn_status status = qn_written_file_open(path, false, &file);
    if (status == QN_OK) {
        status = qn_written_file_write(&file, text->data, text->length);
        if (status == QN_OK)
            status = qn_written_file_finish(&file);
        else
            qn_written_file_discard(&file);
    }
    qn_release(&path);
    return status;
}

/* ---- profiles ---- */

/* CaverDock's columns: distance, disc, upper least, upper most, radius, lower. Without an upper bound it has the lower
 * in its place. */
static qn_status fill_dat(const qn_passage_summary *summary, qn_text *text)
{
    const bool has_way = !isnan(summary->upper_most[0]);
    for (size_t i = 0; i < summary->disc_count; i++) {
        const double least = has_way ? summary->upper_least[i] : summary->lower[i];
        const double most = has_way ? summary->upper_most[i] : summary->lower[i];
        QN_TRY(qn_text_append(text, "%.4f %zu %.3f %.3f %.3f %.3f\n", summary->distances[i], i, least, most,
                              summary->radii[i], summary->lower[i]));
    }
    return QN_OK;
}

static qn_status fill_csv(const qn_passage_summary *summary, const qn_discs *discs, qn_text *csv)
{
    static const char *const head[] = {"disc",
                                       "distance_angstrom",
                                       "x_angstrom",
                                       "y_angstrom",
                                       "z_angstrom",
                                       "radius_angstrom",
                                       "lower_kcal_per_mol",
                                       "upper_least_kcal_per_mol",
                                       "upper_most_kcal_per_mol"};
    QN_TRY(qn_csv_row(csv, sizeof head / sizeof *head, head));
    for (size_t i = 0; i < summary->disc_count; i++) {
        QN_TRY(qn_csv_integer(csv, (long long)i));
        QN_TRY(qn_csv_number(csv, summary->distances[i], 4));
        for (int k = 0; k < 3; k++) QN_TRY(qn_csv_number(csv, discs->discs[i].centre[k], 3));
        QN_TRY(qn_csv_number(csv, summary->radii[i], 3));
        QN_TRY(qn_csv_number(csv, summary->lower[i], 4));
        QN_TRY(qn_csv_number(csv, summary->upper_least[i], 4));
        QN_TRY(qn_csv_number(csv, summary->upper_most[i], 4));
        QN_TRY(qn_csv_end_row(csv));
    }
    return QN_OK;
}

qn_status qn_transport_write_profile(qn_transport_state *run, const qn_passage_summary *summary, const qn_discs *discs)
{
    qn_text dat = {0}, csv = {0};
    qn_status status = fill_dat(summary, &dat);
    if (status == QN_OK) status = fill_csv(summary, discs, &csv);
    if (status == QN_OK) status = write_text(run, summary, "profile.dat", &dat);
    if (status == QN_OK) status = write_text(run, summary, "profile.csv", &csv);
    qn_text_clear(&dat);
    qn_text_clear(&csv);
    return status;
}

/* ---- the highest place ---- */

static qn_status fill_bottleneck(const qn_score_receptor *receptor, const qn_bottleneck_residue *residues, size_t count,
                                 qn_text *csv)
{
    static const char *const head[] = {"residue", "positive_kcal_per_mol", "energy_kcal_per_mol", "nearest_angstrom"};
    QN_TRY(qn_csv_row(csv, sizeof head / sizeof *head, head));
    for (size_t i = 0; i < count; i++) {
        QN_TRY(qn_csv_text(csv, qn_residue_label(&receptor->molecule->residues[residues[i].residue]).text));
        QN_TRY(qn_csv_number(csv, residues[i].positive, 4));
        QN_TRY(qn_csv_number(csv, residues[i].energy, 4));
        QN_TRY(qn_csv_number(csv, residues[i].nearest, 3));
        QN_TRY(qn_csv_end_row(csv));
    }
    return QN_OK;
}

qn_status qn_transport_write_bottleneck(qn_transport_state *run, const qn_passage_summary *summary,
                                        const qn_bottleneck_residue *residues, size_t count)
{
    qn_text csv = {0};
    qn_status status = fill_bottleneck(&run->reader.receptor, residues, count, &csv);
    if (status == QN_OK) status = write_text(run, summary, "bottlenecks.csv", &csv);
    qn_text_clear(&csv);
    return status;
}

/* ---- poses ---- */

static qn_status add_model(const qn_passage_reader *ligand, const qn_disc_pose *pose, int number, double unbound,
                           const double *positions, qn_text *pdbqt)
{
    QN_TRY(qn_text_append(pdbqt, "MODEL %d\nREMARK QUERN DISC %d ENERGY %.4f INTER %.4f INTRA %.4f\n", number,
                          pose->disc, qn_passage_energy(&ligand->tree, unbound, pose), pose->inter, pose->intra));
    QN_TRY(qn_compound_write_pdbqt(ligand->compound, positions, "LIG", pdbqt));
    return qn_text_append(pdbqt, "ENDMDL\n");
}

static qn_status add_record(const qn_passage_reader *ligand, const qn_disc_pose *pose, double unbound,
                            const double *positions, qn_text *sdf)
{
    enum { END = 5 }; /* "$$$$\n" */
    QN_TRY(qn_compound_write_sdf(ligand->compound, positions, sdf));
    sdf->length -= END;
    return qn_text_append(sdf, ">  <disc>\n%d\n\n>  <energy>\n%.4f\n\n>  <inter>\n%.4f\n\n>  <intra>\n%.4f\n\n$$$$\n",
                          pose->disc, qn_passage_energy(&ligand->tree, unbound, pose), pose->inter, pose->intra);
}

static qn_status fill_poses(const qn_passage_reader *ligand, const qn_disc_pose *poses, int count, double unbound,
                            qn_text *pdbqt, qn_text *sdf)
{
    double *positions;
    QN_TRY(qn_allocate(3 * ligand->compound->atom_count, sizeof *positions, (void **)&positions));
    qn_status status = QN_OK;
    for (int i = 0; i < count && status == QN_OK; i++) {
        qn_flexible_compound_positions(&ligand->tree, &poses[i].pose, positions);
        status = add_model(ligand, &poses[i], i + 1, unbound, positions, pdbqt);
        if (status == QN_OK) status = add_record(ligand, &poses[i], unbound, positions, sdf);
    }
    qn_release(&positions);
    return status;
}

qn_status qn_transport_write_poses(qn_transport_state *run, const qn_passage_summary *summary, const char *stem,
                                   const qn_disc_pose *poses, int count, double unbound)
{
    const qn_passage_reader *ligand = &run->reader;
    qn_text pdbqt = {0}, sdf = {0};
    char name[32];
    qn_status status = fill_poses(ligand, poses, count, unbound, &pdbqt, &sdf);
    snprintf(name, sizeof name, "%s.pdbqt", stem);
    if (status == QN_OK) status = write_text(run, summary, name, &pdbqt);
    snprintf(name, sizeof name, "%s.sdf", stem);
    if (status == QN_OK) status = write_text(run, summary, name, &sdf);
    qn_text_clear(&pdbqt);
    qn_text_clear(&sdf);
    return status;
}

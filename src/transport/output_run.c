/* Tables of the whole run: results.csv, rejected.csv. */
#include "base/error.h"
#include "base/memory.h"
#include "report/csv.h"
#include "transport/run.h"

/* ---- tables ---- */

static qn_status add_result(const qn_transport_state *run, const qn_passage_summary *summary, qn_text *csv)
{
    const qn_passage_inputs inputs = qn_transport_piece(run, summary->piece);
    QN_TRY(qn_csv_text(csv, inputs.snapshot->name));
    QN_TRY(qn_csv_text(csv, inputs.tunnel->name));
    QN_TRY(qn_csv_text(csv, inputs.ligand->name));
    QN_TRY(qn_csv_integer(csv, (long long)summary->disc_count));
    QN_TRY(qn_csv_number(csv, summary->bound, 3));
    QN_TRY(qn_csv_number(csv, summary->highest, 3));
    QN_TRY(qn_csv_integer(csv, (long long)summary->highest_disc));
    QN_TRY(qn_csv_number(csv, summary->surface, 3));
    QN_TRY(qn_csv_number(csv, summary->highest - summary->bound, 3));
    QN_TRY(qn_csv_number(csv, summary->highest - summary->surface, 3));
    QN_TRY(qn_csv_number(csv, summary->bound - summary->surface, 3));
    QN_TRY(qn_csv_number(csv, summary->gap, 3));
    const double terms[] = {summary->terms.gauss1,      summary->terms.gauss2,        summary->terms.repulsion,
                            summary->terms.hydrophobic, summary->terms.hydrogen_bond, summary->intra};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) QN_TRY(qn_csv_number(csv, terms[i], 3));
    QN_TRY(qn_csv_text(csv, summary->resisting));
    return qn_csv_end_row(csv);
}

static qn_status fill_results(const qn_transport_state *run, qn_text *csv)
{
    static const char *const head[] = {"receptor",
                                       "tunnel",
                                       "ligand",
                                       "discs",
                                       "e_bound_kcal_per_mol",
                                       "e_max_kcal_per_mol",
                                       "e_max_disc",
                                       "e_surface_kcal_per_mol",
                                       "barrier_out_kcal_per_mol",
                                       "barrier_in_kcal_per_mol",
                                       "delta_e_kcal_per_mol",
                                       "gap_kcal_per_mol",
                                       "max_gauss1_kcal_per_mol",
                                       "max_gauss2_kcal_per_mol",
                                       "max_repulsion_kcal_per_mol",
                                       "max_hydrophobic_kcal_per_mol",
                                       "max_hydrogen_bond_kcal_per_mol",
                                       "max_intra_kcal_per_mol",
                                       "bottleneck_residues"};
    QN_TRY(qn_csv_row(csv, sizeof head / sizeof *head, head));
    for (size_t i = 0; i < run->passage_count; i++) QN_TRY(add_result(run, &run->passages[i], csv));
    return QN_OK;
}

static qn_status fill_rejections(const qn_transport_state *run, qn_text *csv)
{
    static const char *const head[] = {"file", "line", "reason"};
    QN_TRY(qn_csv_row(csv, sizeof head / sizeof *head, head));
    for (size_t i = 0; i < run->rejection_count; i++) {
        QN_TRY(qn_csv_text(csv, run->rejections[i].path));
        QN_TRY(qn_csv_integer(csv, (long long)run->rejections[i].line));
        QN_TRY(qn_csv_text(csv, run->rejections[i].reason));
        QN_TRY(qn_csv_end_row(csv));
    }
    return QN_OK;
}

static qn_status write_table(qn_transport_state *run, const char *name,
                             qn_status (*fill)(const qn_transport_state *, qn_text *))
{
    qn_text csv = {0};
    char *path = NULL;
    qn_status status = fill(run, &csv);
    if (status == QN_OK) status = qn_job_path(run->job, name, &path);
    if (status == QN_OK) status = qn_csv_write(&csv, path);
    qn_release(&path);
    qn_text_clear(&csv);
    return status;
}

qn_status qn_transport_write_results(qn_transport_state *run)
{
    QN_TRY(write_table(run, "results.csv", fill_results));
    return run->rejection_count > 0 ? write_table(run, "rejected.csv", fill_rejections) : QN_OK;
}

/* scores.csv, rejected.csv, hits.sdf and hits.pdbqt. */
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "report/csv.h"
#include "screen/output.h"

static qn_status write_csv(const qn_screen_state *run, const char *name, qn_text *csv, qn_status status)
{
    char *path;
    if (status == QN_OK) status = qn_job_path(run->job, name, &path);
    if (status == QN_OK) {
        status = qn_csv_write(csv, path);
        qn_release(&path);
    }
    qn_text_clear(csv);
    return status;
}

/* Append the name of an energy with its unit, as in "energy_kcal_per_mol". */
static qn_status add_energy_name(const qn_screen_state *run, const char *name, qn_text *csv)
{
    char with_unit[64];
    snprintf(with_unit, sizeof with_unit, "%s_%s", name,
             run->score.kind == QN_SCORE_VINA ? "kcal_per_mol" : "kj_per_mol");
    return qn_csv_text(csv, with_unit);
}

static qn_status add_headers(const qn_screen_state *run, qn_text *csv)
{
    static const char *const first[] = {"rank", "name", "index"};
    static const char *const last[] = {"conformer", "conformers", "clashes", "least_distance_angstrom", "file", "line"};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) QN_TRY(qn_csv_text(csv, first[i]));
    QN_TRY(add_energy_name(run, "energy", csv));
    for (int term = 0; term < run->term_count; term++) QN_TRY(add_energy_name(run, run->term_names[term], csv));
    QN_TRY(qn_csv_text(csv, "heavy_atoms"));
    QN_TRY(add_energy_name(run, "ligand_efficiency", csv));
    if (!run->options->rigid) QN_TRY(qn_csv_text(csv, "torsions"));
    for (size_t i = 0; i < sizeof last / sizeof *last; i++) QN_TRY(qn_csv_text(csv, last[i]));
    if (run->labels) QN_TRY(qn_csv_text(csv, "active"));
    return qn_csv_end_row(csv);
}

static qn_status add_row(const qn_screen_state *run, size_t place, qn_text *csv)
{
    const qn_screen_row *row = &run->rows[place];
    QN_TRY(qn_csv_integer(csv, (long long)place + 1));
    QN_TRY(qn_csv_text(csv, row->name));
    QN_TRY(qn_csv_integer(csv, (long long)row->index));
    QN_TRY(qn_csv_number(csv, row->energy, 4));
    for (int term = 0; term < run->term_count; term++) QN_TRY(qn_csv_number(csv, row->terms[term], 4));
    QN_TRY(qn_csv_integer(csv, row->heavy_atoms));
    QN_TRY(qn_csv_number(csv, row->energy / row->heavy_atoms, 4));
    if (!run->options->rigid) QN_TRY(qn_csv_number(csv, row->torsion_count, 1)); /* halves occur */
    QN_TRY(qn_csv_integer(csv, row->conformer + 1));
    QN_TRY(qn_csv_integer(csv, row->conformers));
    QN_TRY(qn_csv_integer(csv, row->clashes));
    QN_TRY(qn_csv_number(csv, row->least_distance_angstrom, 3));
    QN_TRY(qn_csv_text(csv, row->path));
    QN_TRY(qn_csv_integer(csv, (long long)row->line));
    if (run->labels) QN_TRY(qn_csv_integer(csv, row->active));
    return qn_csv_end_row(csv);
}

static qn_status write_scores(const qn_screen_state *run)
{
    qn_text csv = {0};
    qn_status status = add_headers(run, &csv);
    for (size_t i = 0; i < run->row_count && status == QN_OK; i++) status = add_row(run, i, &csv);
    return write_csv(run, "scores.csv", &csv, status);
}

static qn_status add_rejection(const qn_screen_rejection *rejection, qn_text *csv)
{
    QN_TRY(qn_csv_integer(csv, (long long)rejection->index));
    QN_TRY(qn_csv_text(csv, rejection->path));
    QN_TRY(qn_csv_integer(csv, (long long)rejection->line));
    QN_TRY(qn_csv_text(csv, rejection->name));
    QN_TRY(qn_csv_text(csv, rejection->reason));
    return qn_csv_end_row(csv);
}

qn_status qn_screen_write_tables(const qn_screen_state *run)
{
    static const char *const headers[] = {"index", "file", "line", "name", "reason"};
    qn_text csv = {0};
    QN_TRY(write_scores(run));
    qn_status status = qn_csv_row(&csv, sizeof headers / sizeof *headers, headers);
    for (size_t i = 0; i < run->rejection_count && status == QN_OK; i++)
        status = add_rejection(&run->rejections[i], &csv);
    return write_csv(run, "rejected.csv", &csv, status);
}

static qn_status write_text(const qn_screen_state *run, const char *name, qn_text *text, qn_status status)
{
    char *path = NULL;
    if (status == QN_OK) status = qn_job_path(run->job, name, &path);
    if (status == QN_OK) status = qn_file_write(path, text->data ? text->data : "", text->length);
    qn_text_clear(text);
    qn_release(&path);
    return status;
}

static qn_status write_sdf(const qn_screen_state *run)
{
    qn_text text = {0};
    qn_status status = QN_OK;
    for (size_t i = 0; i < run->hits.count && status == QN_OK; i++) {
        const qn_screen_hit *hit = &run->hits.hits[i];
        for (int pose = 0; pose < hit->pose_count && status == QN_OK; pose++)
            status = qn_text_append_bytes(&text, hit->records[pose].data, hit->records[pose].length);
    }
    return write_text(run, "hits.sdf", &text, status);
}

static qn_status write_pdbqt(const qn_screen_state *run)
{
    qn_text text = {0};
    qn_status status = QN_OK;
    int number = 0, left_out = 0;
    for (size_t i = 0; i < run->hits.count && status == QN_OK; i++) {
        const qn_screen_hit *hit = &run->hits.hits[i];
        for (int pose = 0; pose < hit->pose_count && status == QN_OK; pose++) {
            left_out += hit->models[pose].length == 0;
            if (hit->models[pose].length == 0) continue;
            status = qn_text_append(&text, "MODEL %d\n", ++number);
            if (status == QN_OK) status = qn_text_append_bytes(&text, hit->models[pose].data, hit->models[pose].length);
            if (status == QN_OK) status = qn_text_append(&text, "ENDMDL\n");
        }
    }
    if (status == QN_OK && left_out > 0)
        status = qn_job_warn(run->job, "hits.pdbqt lacks %d %s, whose coordinates do not fit into a PDBQT", left_out,
                             left_out == 1 ? "pose" : "poses");
    return write_text(run, "hits.pdbqt", &text, status);
}

qn_status qn_screen_write_hits(const qn_screen_state *run)
{
    QN_TRY(write_sdf(run));
    return run->options->rigid ? QN_OK : write_pdbqt(run);
}

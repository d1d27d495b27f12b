/* scores.csv, rejected.csv, hits.sdf, hits.pdbqt, and scripts that show the hits. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <quern/file.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "math/view.h"
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

/* ---- scripts ---- */

/* Absolute path of the receptor's file, which viewers start in another folder; without the chains of "file:AB". */
static qn_status receptor_of(const qn_screen_state *run, qn_text *path)
{
    char *file, *absolute;
    QN_TRY(qn_text_copy(run->options->receptor, &file));
    char *colon = strrchr(file, ':');
    if (!qn_file_exists(file) && colon) *colon = '\0';
    absolute = realpath(file, NULL);
    const qn_status status = qn_text_append(path, "%s", absolute ? absolute : file);
    free(absolute);
    qn_release(&file);
    return status;
}

/* Look at the hits from the side on which they are: along the direction from the middle of the receptor to theirs. */
static void find_view(const qn_screen_state *run, qn_view *view)
{
    const qn_score_receptor *receptor = &run->receptor;
    double towards[3] = {0}, sum[3] = {0}, count = 0;
    qn_view_from(receptor->positions_angstrom, receptor->atom_count, towards, view);
    for (size_t i = 0; i < run->hits.count; i++) {
        const qn_screen_hit *hit = &run->hits.hits[i];
        for (size_t atom = 0; hit->pose_count > 0 && atom < hit->atom_count; atom++, count++) /* of the best pose */
            for (size_t axis = 0; axis < 3; axis++) sum[axis] += hit->positions[3 * atom + axis];
    }
    for (int axis = 0; axis < 3; axis++) towards[axis] = sum[axis] / count - view->centre[axis];
    qn_view_from(receptor->positions_angstrom, receptor->atom_count, towards, view);
}

static qn_status describe_pymol(const char *receptor, const qn_view *view, qn_text *text)
{
    QN_TRY(qn_text_append(text,
                          "# Made by quern screen: open this file in PyMOL from its folder. The hits are states of one "
                          "object, the best first.\n"
                          "load %s, receptor\nload hits.sdf, hits\nhide everything\nshow cartoon, receptor\n"
                          "color grey80, receptor\nshow lines, byres (receptor within 5 of hits)\nshow sticks, hits\n"
                          "color marine, hits and elem C\n",
                          receptor));
    QN_TRY(qn_view_append_pymol(view, text));
    return qn_text_append(text, "zoom hits, 6\n");
}

static qn_status describe_chimerax(const char *receptor, const qn_view *view, qn_text *text)
{
    QN_TRY(qn_text_append(text,
                          "# Made by quern screen: open this file in ChimeraX from its folder. The hits are models "
                          "#2.1, #2.2 …, the best first.\n"
                          "open \"%s\"%s\nopen hits.sdf\nhide #1 atoms\nshow #1 cartoons\ncolor #1 #bbbbbb\n"
                          "style #2 stick\nshow #2 atoms\ncolor #2 cornflower blue\ncolor #2 byhetero\n",
                          receptor, strstr(receptor, ".pdbqt") ? " format pdb" : ""));
    QN_TRY(qn_view_append_chimerax(view, text));
    return qn_text_append(text, "view #2\n");
}

/* A receptor in memory has no file that a viewer could open. */
static qn_status write_views(const qn_screen_state *run)
{
    qn_view view;
    qn_text receptor = {0}, pymol = {0}, chimerax = {0};
    if (!run->options->receptor || run->hits.count == 0 || !run->hits.hits[0].positions) return QN_OK;
    qn_status status = receptor_of(run, &receptor);
    find_view(run, &view);
    if (status == QN_OK) status = describe_pymol(receptor.data, &view, &pymol);
    if (status == QN_OK) status = describe_chimerax(receptor.data, &view, &chimerax);
    status = write_text(run, "view.pml", &pymol, status);
    status = write_text(run, "view.cxc", &chimerax, status);
    qn_text_clear(&receptor);
    return status;
}

qn_status qn_screen_write_hits(const qn_screen_state *run)
{
    QN_TRY(write_sdf(run));
    if (!run->options->rigid) QN_TRY(write_pdbqt(run));
    return write_views(run);
}

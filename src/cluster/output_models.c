/* The medoids of the largest clusters as files with all their atoms, and scripts that show them in one place. */
#include <quern/molecule.h>
#include <quern/version.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "cluster/run.h"
#include "cluster/whole_models.h"
#include "math/superpose.h"
#include "report/number.h"

/* Colours of the clusters in scripts, those of the report (Okabe and Ito 2008). */
static const char *const colours[] = {"0072b2", "d55e00", "009e73", "e69f00", "cc79a7", "56b4e9", "4a4f55"};
enum { COLOURS = sizeof colours / sizeof *colours };

qn_representative_name qn_clustering_representative(const qn_clustering *run, size_t cluster, bool with_ending)
{
    qn_representative_name name;
    snprintf(name.text, sizeof name.text, "cluster_%0*zu%s", run->represented > 99 ? 3 : 2, cluster + 1,
             with_ending ? run->endings[cluster] : "");
    return name;
}

/* ---- files ---- */

typedef struct writing {
    qn_clustering *run;
    bool *is_trace; /* of each represented cluster: has as many atoms as residues, such as a model of CA atoms */
} writing;

static qn_status append_remarks(const qn_clustering *run, size_t cluster, qn_text *remarks)
{
    const qn_cluster_result *result = run->result;
    const qn_cluster_facts *facts = &result->clusters[cluster];
    QN_TRY(qn_text_append(remarks, "QUERN %s CLUSTER, METHOD %s, MEASURE %s\n", QN_VERSION,
                          qn_clustering_method_name(run), run->measure->name));
    QN_TRY(qn_text_append(remarks, "QUERN CLUSTER %zu OF %zu, %zu OF %zu STRUCTURES\n", cluster + 1,
                          result->cluster_count, facts->size, run->count));
    return qn_text_append(remarks, "QUERN MEDOID %s\n", result->names[facts->medoid]);
}

static qn_status write_medoid(size_t index, const qn_molecule *molecule, void *user)
{
    writing *self = user;
    const qn_clustering *run = self->run;
    const size_t cluster = run->result->labels[index];
    const bool as_pdb = qn_molecule_fits_pdb(molecule);
    qn_text remarks = {0}, name = {0};
    char *path = NULL;
    run->endings[cluster] = as_pdb ? ".pdb" : ".cif";
    self->is_trace[cluster] = molecule->atom_count == molecule->residue_count;
    qn_status status = append_remarks(run, cluster, &remarks);
    if (status == QN_OK)
        status = qn_text_append(&name, "representatives/%s", qn_clustering_representative(run, cluster, true).text);
    if (status == QN_OK) status = qn_job_path(run->job, name.data, &path);
    if (status == QN_OK)
        status = qn_molecule_write(path, as_pdb ? QN_STRUCTURE_PDB : QN_STRUCTURE_MMCIF, &molecule, 1, remarks.data);
    qn_release(&path);
    qn_text_clear(&name);
    qn_text_clear(&remarks);
    return status;
}

/* ---- scripts ---- */

/* Motion of a medoid onto that of the largest cluster, by the compared atoms. False: there are too few of them. */
static bool find_motion(const qn_clustering *run, size_t cluster, double rotation[9], double translation[3])
{
    const qn_structures *structures = &run->models->structures;
    const size_t atoms = structures->atom_count;
    const size_t items[2] = {run->result->clusters[cluster].medoid, run->result->clusters[0].medoid};
    void *memory;
    if (atoms < 3 || structures->sequences || qn_allocate(6 * atoms, sizeof(double), &memory) != QN_OK) return false;
    double *points = memory;
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < atoms; i++)
            for (size_t axis = 0; axis < 3; axis++)
                points[3 * (s * atoms + i) + axis] =
                    (double)structures->positions_angstrom[(3 * items[s] + axis) * atoms + i];
    const qn_status status = qn_superpose(points, points + 3 * atoms, atoms, rotation, translation, NULL);
    qn_release(&memory);
    if (status != QN_OK) qn_error_clear();
    return status == QN_OK;
}

/* Put a model into the place of the first one. PyMOL: rows of a rotation, each with its shift, and a row
 * of zeros; it crashes if one of the numbers is an integer. */
static qn_status append_motion(const qn_clustering *run, size_t cluster, bool pymol, qn_text *text)
{
    double rotation[9], translation[3];
    if (cluster == 0 || !qn_clustering_superposes(run) || !find_motion(run, cluster, rotation, translation))
        return QN_OK;
    if (pymol)
        QN_TRY(qn_text_append(text, "cmd.transform_selection(\"%s\", [",
                              qn_clustering_representative(run, cluster, false).text));
    else
        QN_TRY(qn_text_append(text, "view matrix models #%zu", cluster + 1));
    for (size_t row = 0; row < 3; row++)
        for (size_t column = 0; column < 4; column++) {
            char number[QN_NUMBER_LENGTH];
            qn_number_format(column < 3 ? rotation[3 * row + column] : translation[row], QN_NUMBER_FIXED, 6, number);
            QN_TRY(qn_text_append(text, "%s%s", pymol && row + column == 0 ? "" : pymol ? ", " : ",", number));
        }
    return qn_text_append(text, pymol ? ", 0.0, 0.0, 0.0, 1.0], homogenous=0)\n" : "\n");
}

static qn_status append_model(const writing *self, size_t cluster, bool pymol, qn_text *text)
{
    const qn_clustering *run = self->run;
    const qn_representative_name file = qn_clustering_representative(run, cluster, true);
    const char *colour = colours[cluster % COLOURS];
    if (pymol) {
        const qn_representative_name name = qn_clustering_representative(run, cluster, false);
        QN_TRY(qn_text_append(text, "load representatives/%s, %s\n", file.text, name.text));
        QN_TRY(append_motion(run, cluster, pymol, text));
        if (self->is_trace[cluster]) QN_TRY(qn_text_append(text, "set cartoon_trace_atoms, 1, %s\n", name.text));
        return qn_text_append(text, "color 0x%s, %s\n", colour, name.text);
    }
    QN_TRY(qn_text_append(text, "open representatives/%s\n", file.text));
    QN_TRY(append_motion(run, cluster, pymol, text));
    return qn_text_append(text, "color #%zu #%s\n", cluster + 1, colour);
}

static qn_status write_script(const writing *self, const char *file, bool pymol)
{
    const qn_clustering *run = self->run;
    qn_text text = {0};
    char *path = NULL;
    qn_status status = qn_text_append(
        &text,
        "# Made by quern cluster: open this file in %s from its folder.\n"
        "# The medoids of the clusters, the largest cluster first, %s.\n",
        pymol ? "PyMOL" : "ChimeraX",
        qn_clustering_superposes(run) ? "superposed on the first one by the compared atoms" : "in their places");
    for (size_t c = 0; c < run->represented && status == QN_OK; c++) status = append_model(self, c, pymol, &text);
    if (status == QN_OK)
        status =
            qn_text_append(&text, pymol ? "hide everything\nshow cartoon\nshow sticks, not polymer and not solvent\n"
                                          "orient\n"
                                        : "hide solvent atoms\nhide atoms\nshow ligand atoms\nshow cartoons\nview\n");
    if (status == QN_OK) status = qn_job_path(run->job, file, &path);
    if (status == QN_OK) status = qn_file_write(path, text.data, text.length);
    qn_release(&path);
    qn_text_clear(&text);
    return status;
}

static qn_status write_all(writing *self, const size_t *medoids)
{
    qn_clustering *run = self->run;
    if (run->models->poses)
        QN_TRY(qn_clustering_write_poses(run));
    else
        QN_TRY(qn_whole_models_read(run->job, &run->options->structures, run->models, medoids, run->represented,
                                    write_medoid, self));
    QN_TRY(write_script(self, "view.pml", true));
    return write_script(self, "view.cxc", false);
}

qn_status qn_clustering_write_models(qn_clustering *run)
{
    writing self = {.run = run};
    void *endings = NULL, *is_trace = NULL, *medoids = NULL;
    const size_t most = (size_t)run->options->representatives, clusters = run->result->cluster_count;
    run->represented = clusters < most ? clusters : most;
    if (run->represented == 0) return QN_OK;
    qn_status status = qn_allocate(run->represented, sizeof *run->endings, &endings);
    run->endings = endings;
    if (status == QN_OK) status = qn_allocate(run->represented, sizeof *self.is_trace, &is_trace);
    if (status == QN_OK) status = qn_allocate(run->represented, sizeof(size_t), &medoids);
    self.is_trace = is_trace;
    for (size_t c = 0; c < run->represented && status == QN_OK; c++)
        ((size_t *)medoids)[c] = run->result->clusters[c].medoid;
    if (status == QN_OK) status = write_all(&self, medoids);
    qn_release(&is_trace);
    qn_release(&medoids);
    return status;
}

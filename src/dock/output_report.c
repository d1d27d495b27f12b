/* report.html: distribution of energies, clusters, terms and contacts of an answer on one page. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "dock/output_scene.h"
#include "dock/run.h"
#include "report/html.h"

enum { TEXT = 48, FACTS = 8 };

static bool is_merged(const qn_dock_state *run, const qn_dock_answer *answer)
{
    return run->answer_count > 1 && answer == qn_dock_main_answer(run);
}

/* Compute the distances of all poses to the pose `centre`: RMSD over all atoms of the ligand, without superposition. */
static void distances_to(const qn_dock_state *run, const qn_dock_answer *answer, size_t centre, double *distances)
{
    const qn_molecule *ligand = run->ligand.molecule;
    const qn_dock_pose *from = &answer->poses[centre];
    size_t atoms = ligand->atom_count;
    for (size_t pose = 0; pose < answer->pose_count; pose++) {
        const qn_dock_pose *to = &answer->poses[pose];
        double sum = 0;
        for (size_t i = 0; i < atoms; i++) {
            const double *x = ligand->atoms[i].position_angstrom;
            for (int axis = 0; axis < 3; axis++) {
                double apart = to->translation_angstrom[axis] - from->translation_angstrom[axis];
                for (int k = 0; k < 3; k++) apart += (to->matrix[3 * axis + k] - from->matrix[3 * axis + k]) * x[k];
                sum += apart * apart;
            }
        }
        distances[pose] = sqrt(sum / (double)atoms);
    }
}

/* Format the best energy. Energies of several sets have no common scale; the merged answer gets the names of the sets,
 * or their number if there are more than NAMED. */
static void say_energy(const qn_dock_state *run, const qn_dock_answer *answer, char *text, size_t size)
{
    enum { NAMED = 4 };
    const size_t sets = run->energy.set_count;
    if (!is_merged(run, answer))
        snprintf(text, size, "%.1f", answer->pose_count ? answer->poses[0].energy : 0);
    else if (sets > NAMED)
        snprintf(text, size, "%zu", sets);
    else
        for (size_t i = 0, used = 0; i < sets; i++) /* names have fewer than 32 letters */
            used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", run->energy.sets[i].name);
}

static void say_partner(const qn_molecule *molecule, char *text, size_t size)
{
    snprintf(text, size, "%s, %zu %s", molecule->name, molecule->residue_count,
             qn_plural(molecule->residue_count, "residue", "residues"));
}

static qn_status add_facts(const qn_dock_state *run, const qn_dock_answer *answer, qn_report *report)
{
    const bool merged = is_merged(run, answer);
    const char *const labels[FACTS] = {"Receptor",
                                       "Ligand",
                                       "Rotations",
                                       "Grid",
                                       merged ? "Coefficient sets" : "Best energy",
                                       merged || answer->scores ? "First cluster" : "Largest cluster",
                                       "Search speed",
                                       run->job->device_count > 1 ? "Devices" : "Device"};
    char values[FACTS][160];
    const char *pointers[FACTS];
    int searched = run->rotation_count - run->resumed_rotations;
    const char *device = qn_device_get_info(run->job->devices[0])->name;
    say_partner(run->receptor.molecule, values[0], sizeof values[0]);
    say_partner(run->ligand.molecule, values[1], sizeof values[1]);
    snprintf(values[2], sizeof values[2], "%d (%.1f° apart)", run->rotation_count, run->neighbour_degrees);
    snprintf(values[3], sizeof values[3], "%d × %d × %d of %g\xc2\xa0Å", run->grid.cells[0], run->grid.cells[1],
             run->grid.cells[2], run->grid.spacing_angstrom);
    say_energy(run, answer, values[4], sizeof values[4]);
    snprintf(values[5], sizeof values[5], "%zu of %zu %s", answer->cluster_count ? answer->clusters[0].size : 0,
             answer->pose_count, qn_plural(answer->pose_count, "pose", "poses"));
    if (searched > 0)
        snprintf(values[6], sizeof values[6], "%.0f rotations/s", searched / run->timings.search_s);
    else
        snprintf(values[6], sizeof values[6], "all rotations were searched in an earlier run");
    snprintf(values[7], sizeof values[7], run->job->device_count > 1 ? "%s and %d more" : "%s", device,
             run->job->device_count - 1);
    for (int i = 0; i < FACTS; i++) pointers[i] = values[i];
    return qn_report_facts(report, labels, pointers, FACTS);
}

/* Compute the energies of the poses for the plot. In the merged answer, these are differences from the mean of the set,
 * in standard deviations of the set, because sets have no common scale. */
static void comparable_energies(const qn_dock_state *run, const qn_dock_answer *answer, double *energies)
{
    const size_t count = answer->pose_count;
    for (size_t i = 0; i < count; i++) energies[i] = answer->poses[i].energy;
    for (size_t set = 0; is_merged(run, answer) && set < run->energy.set_count; set++) {
        double sum = 0, squares = 0;
        size_t members = 0;
        for (size_t i = 0; i < count; i++)
            if (answer->poses[i].set == set) {
                sum += energies[i];
                members++;
            }
        const double mean = members ? sum / (double)members : 0;
        for (size_t i = 0; i < count; i++)
            if (answer->poses[i].set == set) squares += (energies[i] - mean) * (energies[i] - mean);
        const double deviation = squares > 0 ? sqrt(squares / (double)members) : 1;
        for (size_t i = 0; i < count; i++)
            if (answer->poses[i].set == set) energies[i] = (energies[i] - mean) / deviation;
    }
}

/* Plot energies against distances from the centre of the first cluster. The plot has the form of a funnel if energies
 * fall towards this centre. */
static qn_status add_funnel(const qn_dock_state *run, const qn_dock_answer *answer, qn_report *report)
{
    enum { SHOWN = 6 };
    const bool merged = is_merged(run, answer);
    void *memory;
    size_t count = answer->pose_count, used = 0;
    qn_report_series series[SHOWN + 1];
    char names[SHOWN + 1][TEXT];
    QN_TRY(qn_allocate(4 * count, sizeof(double), &memory));
    double *distance = memory, *energy = distance + count, *x = energy + count, *y = x + count;
    size_t shown = answer->cluster_count < SHOWN ? answer->cluster_count : SHOWN;
    distances_to(run, answer, answer->clusters[0].centre, distance);
    comparable_energies(run, answer, energy);
    for (size_t s = 0; s <= shown; s++) {
        size_t first = used;
        for (size_t i = 0; i < count; i++) {
            bool mine = s < shown ? answer->assignment[i] == s : answer->assignment[i] >= shown;
            if (!mine) continue;
            x[used] = distance[i];
            y[used++] = energy[i];
        }
        snprintf(names[s], TEXT, s < shown ? "cluster %zu" : "other poses", s + 1);
        series[s] = (qn_report_series){names[s], x + first, y + first, NULL, used - first};
    }
    qn_report_plot plot = {
        "Score funnel",
        "ligand RMSD to the centre of cluster 1 (Å)",
        merged ? "energy (standard deviations from the mean of the set)" : "energy",
        merged ? "Each mark is a pose. A dense group at low energy, apart from the others, is a place that the scoring "
                 "function prefers. The energies of different sets have no common scale; each is given in standard "
                 "deviations of its own set."
               : "Each mark is a pose. A dense group at low energy, apart from the others, is a place that the scoring "
                 "function prefers.",
        series,
        shown + 1};
    qn_status status = qn_report_scatter(report, &plot);
    qn_release(&memory);
    return status;
}

/* Contribution of a term to the energy of a cluster's centre. */
static double weighted_term(const qn_dock_state *run, const qn_dock_answer *answer, size_t cluster, size_t term)
{
    const qn_dock_pose *pose = &answer->poses[answer->clusters[cluster].centre];
    return run->energy.sets[pose->set].weight[term] * pose->terms[term];
}

/* List the terms that have a layer; without masks, the term of masks has none. Returns their number. */
static size_t used_terms(const qn_dock_state *run, size_t terms[QN_DOCK_TERMS_MAX])
{
    size_t count = 0;
    for (int term = 0; term < run->energy.term_count; term++) {
        bool used = false;
        for (size_t i = 0; i < run->energy.layer_count; i++) used = used || run->energy.layers[i].term == term;
        if (used) terms[count++] = (size_t)term;
    }
    return count;
}

static qn_status add_bars(const qn_dock_state *run, const qn_dock_answer *answer, qn_report *report)
{
    size_t used[QN_DOCK_TERMS_MAX], term_count = used_terms(run, used), count = answer->cluster_count;
    const bool merged = is_merged(run, answer);
    void *memory;
    QN_TRY(qn_allocate(count * (TEXT + sizeof(char *) + (1 + QN_DOCK_TERMS_MAX) * sizeof(double)), 1, &memory));
    double *sizes = memory, *terms = sizes + count;
    const char **categories = (const char **)(void *)(terms + QN_DOCK_TERMS_MAX * count);
    char *names = (char *)(categories + count);
    qn_report_series series[QN_DOCK_TERMS_MAX];
    for (size_t i = 0; i < count; i++) {
        snprintf(names + TEXT * i, TEXT, "%zu", i + 1);
        categories[i] = names + TEXT * i;
        sizes[i] = (double)answer->clusters[i].size;
        for (size_t t = 0; t < term_count; t++) terms[t * count + i] = weighted_term(run, answer, i, used[t]);
    }
    for (size_t t = 0; t < term_count; t++)
        series[t] = (qn_report_series){run->energy.term_names[used[t]], NULL, terms + t * count, NULL, count};
    qn_report_series size_series = {"poses", NULL, sizes, NULL, count};
    qn_report_plot size_plot = {
        "Cluster sizes",
        "cluster",
        "poses",
        answer->scores ? "Poses of the cluster. The clusters are in the order of their scores."
        : merged ? "Poses of all sets. Clusters are in the order of their ranks in the sets, not of their merged sizes."
                 : "Clusters are ranked by size: the more low-energy poses agree, the more reliable the model.",
        &size_series,
        1};
    qn_report_plot term_plot = {
        "Energy terms of the cluster centres, weighted",
        "cluster",
        "energy",
        merged ? "Negative is favourable. Each centre has the weights of its own set: compare bars of "
                 "one set only."
               : "Negative is favourable.",
        series,
        term_count};
    qn_status status = qn_report_bars(report, &size_plot, categories, count);
    if (status == QN_OK) status = qn_report_bars(report, &term_plot, categories, count);
    qn_release(&memory);
    return status;
}

/* The columns of the table of clusters: names, a score where the answer has scores, terms, the model. */
enum { TABLE_COLUMNS = 5 + QN_DOCK_TERMS_MAX + 2 };

static size_t name_columns(const qn_dock_state *run, const qn_dock_answer *answer, const size_t *used, size_t terms,
                           char names[QN_DOCK_TERMS_MAX][TEXT], const char *headers[TABLE_COLUMNS])
{
    size_t columns = 0;
    headers[columns++] = "Cluster";
    headers[columns++] = "Poses";
    if (answer->scores) headers[columns++] = answer->by_weight ? "Score (weight)" : "Score";
    headers[columns++] = "Coefficients";
    headers[columns++] = "Energy";
    for (size_t t = 0; t < terms; t++) {
        snprintf(names[t], TEXT, "Weighted %s", run->energy.term_names[used[t]]);
        headers[columns++] = names[t];
    }
    headers[columns++] = "Pose rank";
    headers[columns++] = "Model";
    return columns;
}

static void fill_row(const qn_dock_state *run, const qn_dock_answer *answer, size_t cluster, const size_t *used,
                     size_t terms, char *cell)
{
    const qn_cluster *of = &answer->clusters[cluster];
    const qn_dock_pose *pose = &answer->poses[of->centre];
    snprintf(cell, TEXT, "%zu", cluster + 1);
    snprintf(cell += TEXT, TEXT, "%zu", of->size);
    if (answer->scores) snprintf(cell += TEXT, TEXT, "%.4g", answer->scores[cluster]);
    snprintf(cell += TEXT, TEXT, "%s", run->energy.sets[pose->set].name);
    snprintf(cell += TEXT, TEXT, "%.1f", pose->energy);
    for (size_t t = 0; t < terms; t++)
        snprintf(cell += TEXT, TEXT, "%.1f", weighted_term(run, answer, cluster, used[t]));
    snprintf(cell += TEXT, TEXT, "%zu", of->centre + 1);
    qn_dock_model_name(run, cluster, cell + TEXT);
}

static qn_status add_cluster_table(const qn_dock_state *run, const qn_dock_answer *answer, qn_report *report)
{
    const char *headers[TABLE_COLUMNS];
    char names[QN_DOCK_TERMS_MAX][TEXT];
    size_t used[QN_DOCK_TERMS_MAX], terms = used_terms(run, used), rows = answer->cluster_count;
    const size_t columns = name_columns(run, answer, used, terms, names, headers);
    void *memory;
    QN_TRY(qn_allocate(rows * columns, TEXT + sizeof(char *), &memory));
    const char **cells = memory;
    char *texts = (char *)(cells + rows * columns);
    for (size_t i = 0; i < rows; i++) fill_row(run, answer, i, used, terms, texts + i * columns * TEXT);
    for (size_t i = 0; i < rows * columns; i++) cells[i] = texts + i * TEXT;
    qn_status status =
        qn_report_table_of_files(report, headers, columns, cells, rows, run->job->in_memory ? SIZE_MAX : columns - 1);
    qn_release(&memory);
    if (status != QN_OK || run->job->in_memory) return status;
    return qn_report_paragraph(report, "The terms of the table add up to the energy, with the weights of the "
                                       "coefficient set. `clusters.csv` and the remarks of the models have the terms "
                                       "without weights.");
}

typedef struct hot_residue {
    const qn_residue *residue;
    const char *partner;
    double share;
    size_t order;
} hot_residue;

static int by_share(const void *left, const void *right)
{
    const hot_residue *a = left, *b = right;
    if (a->share != b->share) return a->share > b->share ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

/* Add a table of the residues that are in the interface of most poses. */
static qn_status add_contact_table(const qn_dock_state *run, const qn_dock_answer *answer, qn_report *report)
{
    static const char *const headers[] = {"Partner", "Chain", "Residue", "Share of poses"};
    enum { COLUMNS = 4, ROWS = 20 };
    const qn_molecule *molecules[2] = {run->receptor.molecule, run->ligand.molecule};
    const double *shares[2] = {answer->receptor_contact, answer->ligand_contact};
    size_t count = molecules[0]->residue_count + molecules[1]->residue_count, used = 0;
    char texts[ROWS * COLUMNS][TEXT];
    const char *cells[ROWS * COLUMNS];
    void *memory;
    QN_TRY(qn_allocate(count, sizeof(hot_residue), &memory));
    hot_residue *residues = memory;
    for (int m = 0; m < 2; m++)
        for (size_t i = 0; i < molecules[m]->residue_count; i++, used++)
            residues[used] = (hot_residue){&molecules[m]->residues[i], m ? "ligand" : "receptor", shares[m][i], used};
    qsort(residues, count, sizeof *residues, by_share);
    size_t rows = count < ROWS ? count : ROWS;
    for (size_t i = 0; i < rows; i++) {
        const qn_residue *residue = residues[i].residue;
        char insertion[2] = {residue->insertion, '\0'};
        snprintf(texts[COLUMNS * i], TEXT, "%s", residues[i].partner);
        snprintf(texts[COLUMNS * i + 1], TEXT, "%s", residue->chain);
        snprintf(texts[COLUMNS * i + 2], TEXT, "%s %d%s", residue->name, residue->number, insertion);
        snprintf(texts[COLUMNS * i + 3], TEXT, "%.3f", residues[i].share);
        for (size_t c = COLUMNS * i; c < COLUMNS * (i + 1); c++) cells[c] = texts[c];
    }
    qn_release(&memory);
    return qn_report_table(report, headers, COLUMNS, cells, rows);
}

static qn_status fill_report(const qn_dock_state *run, const qn_dock_answer *answer, qn_report *report)
{
    const int threads = qn_context_threads(run->job->context);
    const size_t unknown = run->receptor.summary.without_entry + run->ligand.summary.without_entry;
    QN_TRY(add_facts(run, answer, report));
    QN_TRY(qn_job_report_warnings(run->job, report));
    if (unknown > 0)
        QN_TRY(qn_report_warning(report, "%zu %s no entry in the atom table and %s treated by element, without charge.",
                                 unknown, qn_plural(unknown, "atom has", "atoms have"),
                                 qn_plural(unknown, "was", "were")));
    if (answer->cluster_count == 0) return qn_report_warning(report, "No pose brings the partners into contact.");
    QN_TRY(qn_report_heading(report, "Models"));
    QN_TRY(qn_report_paragraph(
        report, "%s%s%s",
        answer->by_weight
            ? "Models ordered by the weight of the poses around them: the poses of all coefficient sets count, those "
              "of low energy more. A cluster has the poses around its model."
        : answer->scores
            ? "Models ordered by the score of their interface, which was fitted to known complexes. A cluster "
              "has the poses around its model."
        : is_merged(run, answer)
            ? "Centres of the clusters of all coefficient sets, ordered by their ranks in the sets; "
              "a cluster that several sets found is listed once. Each set's own answer is in the "
              "folder of its name. Energies of different sets cannot be compared."
            : "Cluster centres, largest cluster first.",
        answer->refined ? " Energies are those of the centres before refinement." : "",
        run->job->in_memory ? ""
                            : " The model files have both partners, with the receptor in its input position; view.pml "
                              "and view.cxc open them in PyMOL and ChimeraX."));
    QN_TRY(qn_dock_report_scene(run, answer, report));
    QN_TRY(add_cluster_table(run, answer, report));
    QN_TRY(qn_report_heading(report, "Energies"));
    QN_TRY(add_funnel(run, answer, report));
    QN_TRY(add_bars(run, answer, report));
    QN_TRY(qn_report_heading(report, "Interface"));
    QN_TRY(qn_report_paragraph(report,
                               "Share of the %zu best poses in which a residue has a heavy atom within 5 Å of the "
                               "partner%s.",
                               answer->pose_count, run->job->in_memory ? "" : "; contacts.csv lists all residues"));
    QN_TRY(add_contact_table(run, answer, report));
    QN_TRY(qn_report_heading(report, "Run"));
    return qn_report_paragraph(report, "Quern %s, score %s, %d %s, %s transforms, %.1f s in all (search %.1f s).%s",
                               QN_VERSION, qn_dock_score_name(run->options->score), threads,
                               qn_plural((size_t)threads, "thread", "threads"),
                               qn_dock_transforms_name(&run->transforms), run->timings.total_s, run->timings.search_s,
                               run->job->in_memory ? "" : " run.json holds every option and the inputs' SHA-256.");
}

qn_status qn_dock_report_page(const qn_dock_state *run, const qn_dock_answer *answer, qn_text *page)
{
    qn_report *report;
    qn_text title = {0};
    QN_TRY(qn_text_append(&title, "%s with %s", run->receptor.molecule->name, run->ligand.molecule->name));
    qn_status status = qn_report_create(title.data, &report);
    qn_text_clear(&title);
    QN_TRY(status);
    status = fill_report(run, answer, report);
    if (status == QN_OK) status = qn_job_report_kernels(run->job, report);
    if (status == QN_OK) status = qn_report_page(report, page);
    qn_report_destroy(&report);
    return status;
}

qn_status qn_dock_write_report(const qn_dock_state *run, const qn_dock_answer *answer)
{
    qn_text page = {0};
    char *path = NULL;
    qn_status status = qn_dock_report_page(run, answer, &page);
    if (status == QN_OK) status = qn_dock_answer_path(run, answer, "report.html", &path);
    if (status == QN_OK) status = qn_file_write(path, page.data, page.length);
    qn_release(&path);
    qn_text_clear(&page);
    return status;
}

/* Models of the cluster centres. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "dock/run.h"

enum { CHAIN_BYTES = 8 };

static bool has_chain(const qn_molecule *molecule, const char *chain)
{
    for (size_t i = 0; i < molecule->residue_count; i++)
        if (strcmp(molecule->residues[i].chain, chain) == 0) return true;
    return false;
}

/* Find a chain name that is in none of the molecules: one letter or digit, else "L" and a number. */
static void free_chain_name(const qn_molecule *receptor, const qn_molecule *ligand, const qn_molecule *renamed,
                            char name[CHAIN_BYTES])
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    for (const char *letter = letters; *letter; letter++) {
        name[0] = *letter;
        name[1] = '\0';
        if (!has_chain(receptor, name) && !has_chain(ligand, name) && !has_chain(renamed, name)) return;
    }
    for (int number = 1; number < 100000; number++) {
        snprintf(name, CHAIN_BYTES, "L%d", number);
        if (!has_chain(receptor, name) && !has_chain(ligand, name) && !has_chain(renamed, name)) return;
    }
}

static qn_status list_chains(const qn_molecule *molecule, qn_text *text)
{
    for (size_t i = 0; i < molecule->residue_count; i++) {
        const char *chain = molecule->residues[i].chain;
        bool listed = false;
        for (size_t j = 0; j < i && !listed; j++) listed = strcmp(molecule->residues[j].chain, chain) == 0;
        if (!listed) QN_TRY(qn_text_append(text, "%s%s", i ? "," : "", chain));
    }
    return QN_OK;
}

qn_status qn_dock_rename_chains(const qn_molecule *receptor, const qn_molecule *ligand, qn_molecule *renamed,
                                qn_text *remarks)
{
    char chain[CHAIN_BYTES], name[CHAIN_BYTES];
    for (size_t i = 0; i < ligand->residue_count; i++) {
        memcpy(chain, renamed->residues[i].chain, CHAIN_BYTES);
        if (strcmp(chain, ligand->residues[i].chain) != 0 || !has_chain(receptor, chain)) continue;
        free_chain_name(receptor, ligand, renamed, name);
        for (size_t j = i; j < ligand->residue_count; j++)
            if (strcmp(ligand->residues[j].chain, chain) == 0) memcpy(renamed->residues[j].chain, name, CHAIN_BYTES);
        QN_TRY(qn_text_append(remarks, "QUERN LIGAND CHAIN %s WAS %s\n", name, chain));
    }
    return QN_OK;
}

void qn_dock_model_name(const qn_dock_state *run, size_t cluster, char name[32])
{
    snprintf(name, 32, "cluster_%02zu.%s", cluster + 1, run->models_as_mmcif ? "cif" : "pdb");
}

static qn_status model_remarks(const qn_dock_state *run, const qn_dock_answer *answer, size_t cluster,
                               const char *chains, qn_text *remarks)
{
    const qn_cluster *of = &answer->clusters[cluster];
    const qn_dock_pose *pose = qn_dock_model_pose(answer, cluster);
    QN_TRY(qn_text_append(remarks, "QUERN %s DOCK, SCORE %s, COEFFICIENTS %s\n", QN_VERSION,
                          qn_dock_score_name(run->options->score), run->energy.sets[pose->set].name));
    QN_TRY(qn_text_append(remarks, "QUERN CLUSTER %zu OF %zu, %zu %s, CENTRE IS POSE %zu\n", cluster + 1,
                          answer->cluster_count, of->size, qn_plural(of->size, "POSE", "POSES"), of->centre + 1));
    if (answer->refined)
        QN_TRY(qn_text_append(remarks, "QUERN REFINED, ENERGY OF THE CENTRE %.3f\n", answer->poses[of->centre].energy));
    QN_TRY(qn_text_append(remarks, "QUERN ENERGY %.3f, UNWEIGHTED", pose->energy));
    for (int term = 0; term < run->energy.term_count; term++)
        QN_TRY(qn_text_append(remarks, "%s %s %.3f", term ? "," : "", run->energy.term_names[term], pose->terms[term]));
    return qn_text_append(remarks, "\n%s", chains);
}

/* The models of one answer, of which each is a task: a large complex has megabytes of text for each model. */
typedef struct models_job {
    const qn_dock_state *run;
    const qn_dock_answer *answer;
    const qn_molecule *ligand;
    const char *chains;
} models_job;

static qn_status write_model(size_t cluster, int worker, void *user)
{
    const models_job *job = user;
    const qn_dock_state *run = job->run;
    const qn_dock_pose *pose = qn_dock_model_pose(job->answer, cluster);
    qn_text remarks = {0};
    qn_molecule *placed = NULL;
    char name[32], *path = NULL;
    (void)worker;
    qn_dock_model_name(run, cluster, name);
    qn_status status = model_remarks(run, job->answer, cluster, job->chains, &remarks);
    if (status == QN_OK) status = qn_molecule_copy(job->ligand, &placed);
    if (status == QN_OK) status = qn_dock_answer_path(run, job->answer, name, &path);
    if (status == QN_OK) {
        const qn_molecule *partners[2] = {run->receptor.molecule, placed};
        qn_molecule_transform(placed, pose->matrix, pose->translation_angstrom);
        status = qn_molecule_write(path, run->models_as_mmcif ? QN_STRUCTURE_MMCIF : QN_STRUCTURE_PDB, partners, 2,
                                   remarks.data);
    }
    qn_release(&path);
    qn_molecule_destroy(&placed);
    qn_text_clear(&remarks);
    return status;
}

/* Whether the columns of the PDB format are too narrow for the partners, with the ligand anywhere around the receptor.
 */
static bool needs_mmcif(const qn_dock_state *run)
{
    const qn_molecule *receptor = run->receptor.molecule, *ligand = run->ligand.molecule;
    const double largest_pdb_angstrom = 9000;
    double low[3], high[3], centre[3], radius;
    qn_dock_bounding_box(&run->receptor, low, high);
    qn_dock_bounding_sphere(&run->ligand, centre, &radius);
    if (!qn_molecule_fits_pdb(receptor) || !qn_molecule_fits_pdb(ligand)) return true;
    if (receptor->atom_count + ligand->atom_count > 99990) return true;
    for (int axis = 0; axis < 3; axis++)
        if (high[axis] + 2 * radius > largest_pdb_angstrom || low[axis] - 2 * radius < -largest_pdb_angstrom / 10)
            return true;
    return false;
}

/* Choose the format of the models: PDB if its columns can hold them, else mmCIF. `renamed` is the ligand with the names
 * that its chains have in the models; there may be more chains than names of one letter. */
static qn_status choose_format(qn_dock_state *run, const qn_molecule *renamed, bool warn)
{
    const bool partners_need = needs_mmcif(run), names_need = !qn_molecule_fits_pdb(renamed);
    run->models_as_mmcif = partners_need || names_need;
    if (partners_need || !names_need || !warn) return QN_OK;
    return qn_job_warn(run->job, "the models are written as mmCIF: receptor and ligand have more chains than PDB's "
                                 "names of one letter or digit, of which there are 62");
}

qn_status qn_dock_write_models(qn_dock_state *run, const qn_dock_answer *answer)
{
    const qn_molecule *receptor = run->receptor.molecule, *ligand = run->ligand.molecule;
    qn_molecule *renamed = NULL;
    qn_text names = {0}, ligand_chains = {0}, renames = {0};
    qn_status status = qn_molecule_copy(ligand, &renamed);
    if (status == QN_OK) status = qn_dock_rename_chains(receptor, ligand, renamed, &renames);
    if (status == QN_OK) status = choose_format(run, renamed, answer == qn_dock_main_answer(run));
    if (status == QN_OK && renames.data && answer == qn_dock_main_answer(run))
        qn_log(QN_LOG_NOTE,
               "ligand chains with names of receptor chains are renamed in the models (see their remarks)");
    if (status == QN_OK) status = qn_text_append(&names, "QUERN RECEPTOR CHAINS ");
    if (status == QN_OK) status = list_chains(receptor, &names);
    if (status == QN_OK) status = list_chains(renamed, &ligand_chains);
    if (status == QN_OK)
        status = qn_text_append(&names, "\nQUERN LIGAND CHAINS %s\n%s", ligand_chains.data,
                                renames.data ? renames.data : "");
    if (status == QN_OK) {
        models_job job = {run, answer, renamed, names.data};
        status = qn_pool_run(run->job->pool, answer->cluster_count, write_model, &job);
    }
    if (status == QN_OK && answer->cluster_count > 0)
        status = qn_dock_write_views(run, answer, renamed, ligand_chains.data);
    qn_molecule_destroy(&renamed);
    qn_text_clear(&names);
    qn_text_clear(&ligand_chains);
    qn_text_clear(&renames);
    return status;
}

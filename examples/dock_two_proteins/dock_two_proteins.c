/* Docking with inputs and results in memory: dock_two_proteins RECEPTOR LIGAND [ROTATIONS]. No file is written.
 *
 * Shows the life cycle of a context, molecules in memory as inputs, poses, clusters, contacts and models as results,
 * error messages, and the progress of a long call. */
#include <quern/dock.h>
#include <stdio.h>
#include <stdlib.h>

static int on_progress(const qn_progress *state, void *user)
{
    (void)user;
    fprintf(stderr, "%s: %zu of %zu %s\n", state->stage, state->done, state->total, state->unit);
    return 0; /* nonzero would stop the run */
}

static void on_log(qn_log_level level, const char *message, void *user)
{
    (void)user;
    if (level == QN_LOG_WARNING) fprintf(stderr, "warning: %s\n", message);
}

/* Print the pose of a cluster's model: the ligand's translation and the energy. */
static void print_cluster(const qn_dock_result *result, size_t index)
{
    const qn_dock_result_cluster *cluster = &result->clusters[index];
    const double *t = cluster->model.translation_angstrom;
    printf("cluster %zu: %zu poses, set %s, energy %.3f, translation %.2f %.2f %.2f Å\n", index + 1,
           cluster->pose_count, result->sets[cluster->model.set].name, cluster->model.energy, t[0], t[1], t[2]);
}

/* Print the receptor's residue that is in the interface of most poses. */
static void print_most_frequent_contact(const qn_dock_result *result)
{
    const qn_molecule *receptor = result->receptor;
    size_t most = 0;
    for (size_t i = 1; i < receptor->residue_count; i++)
        if (result->receptor_contacts[i] > result->receptor_contacts[most]) most = i;
    printf("%.0f %% of the poses touch %s %s %d of the receptor\n", 100 * result->receptor_contacts[most],
           receptor->residues[most].chain, receptor->residues[most].name, receptor->residues[most].number);
}

/* Make the complex of the first cluster, which a run with an output writes as cluster_01.pdb, and print its size. */
static qn_status print_model(const qn_dock_result *result)
{
    qn_molecule *model;
    const qn_status status = qn_dock_result_model(result, &result->clusters[0], &model);
    if (status != QN_OK) return status;
    printf("the first model has %zu atoms in %zu residues\n", model->atom_count, model->residue_count);
    qn_molecule_destroy(&model);
    return QN_OK;
}

static qn_status print_result(const qn_dock_result *result)
{
    size_t clustered = 0;
    for (size_t i = 0; i < result->pose_count; i++) clustered += result->poses[i].cluster >= 0;
    printf("%zu poses, %zu of them in %zu clusters\n", result->pose_count, clustered, result->cluster_count);
    for (size_t i = 0; i < result->cluster_count && i < 5; i++) print_cluster(result, i);
    print_most_frequent_contact(result);
    return result->cluster_count ? print_model(result) : QN_OK;
}

int main(int count, char **arguments)
{
    if (count < 3) {
        fprintf(stderr, "usage: %s RECEPTOR LIGAND [ROTATIONS]\n", arguments[0]);
        return 2;
    }
    qn_context *context = NULL;
    qn_molecule *receptor = NULL, *ligand = NULL;
    qn_dock_result *result = NULL;
    qn_status status =
        qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .log = on_log}, &context);
    if (status == QN_OK) status = qn_molecule_read(context, arguments[1], NULL, &receptor);
    if (status == QN_OK) status = qn_molecule_read(context, arguments[2], NULL, &ligand);

    qn_dock_options options = qn_dock_default_options();
    options.receptor_molecule = receptor;
    options.ligand_molecule = ligand;
    options.run.progress = on_progress;
    if (count > 3) options.rotations = atoi(arguments[3]);
    if (status == QN_OK) status = qn_dock_run(context, &options, &result);
    if (status == QN_OK) status = print_result(result);
    if (status != QN_OK) fprintf(stderr, "%s: %s\n", qn_status_name(status), qn_error_message());

    qn_dock_result_destroy(&result);
    qn_molecule_destroy(&ligand);
    qn_molecule_destroy(&receptor);
    qn_context_destroy(&context);
    return status == QN_OK ? 0 : 1;
}

/* Judging docking models against the known complex. Models and references are files or molecules in memory; results
 * come back in memory.
 *
 *     qn_evaluate_options options = qn_evaluate_default_options();
 *     qn_evaluate_result *result;
 *     options.models = (const char *const[]){"model.pdb"}, options.model_count = 1;
 *     options.receptor_reference = "receptor_bound.pdb", options.ligand_reference = "ligand_bound.pdb";
 *     if (qn_evaluate_run(context, &options, &result) == QN_OK) printf("DockQ %.2f\n", result->models[0].dockq);
 *     qn_evaluate_result_destroy(&result);
 */
#ifndef QUERN_EVALUATE_H
#define QUERN_EVALUATE_H

#include <quern/device.h>
#include <quern/molecule.h>
#include <quern/option.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct qn_evaluate_options {
    size_t size;               /* of this struct in bytes */
    const char *const *models; /* output folders of quern dock (their cluster_* files), or model files */
    size_t model_count;
    const qn_molecule *const *model_molecules; /* instead of `models`: complexes in memory; read only */
    size_t model_molecule_count;
    const char *receptor_reference;                 /* bound receptor, a path or path:chains */
    const char *ligand_reference;                   /* bound ligand */
    const qn_molecule *receptor_reference_molecule; /* instead of `receptor_reference`; read only */
    const qn_molecule *ligand_reference_molecule;   /* instead of `ligand_reference`; read only */
    const char *receptor_chains; /* chains of a model that are the receptor ("A" or "A,BB"); NULL: as the quern */
    const char *ligand_chains;   /* remarks of the file say, else the names of the reference's chains */
} qn_evaluate_options;

const qn_option_table *qn_evaluate_option_table(void); /* see <quern/option.h> */

static inline qn_evaluate_options qn_evaluate_default_options(void)
{
    qn_evaluate_options options;
    qn_option_defaults(qn_evaluate_option_table(), &options, sizeof options);
    return options;
}

/* CAPRI's classes of models (Lensink, Méndez and Wodak 2007, with the limits that DockQ's authors use): acceptable
 * needs Fnat ≥ 0.1 and L-RMSD ≤ 10 Å or i-RMSD ≤ 4 Å; medium 0.3 and 5 or 2 Å; high 0.5 and 1 or 1 Å. */
typedef enum qn_capri_class { QN_CAPRI_INCORRECT, QN_CAPRI_ACCEPTABLE, QN_CAPRI_MEDIUM, QN_CAPRI_HIGH } qn_capri_class;

const char *qn_capri_class_name(qn_capri_class capri); /* "incorrect", "acceptable", "medium", "high" */

typedef struct qn_evaluate_model {
    const char *name; /* path, file within a folder, or name of the molecule */
    double fnat, interface_rmsd_angstrom, ligand_rmsd_angstrom, dockq;
    qn_capri_class capri;
} qn_evaluate_model;

typedef struct qn_evaluate_result {
    const qn_evaluate_model *models; /* in the order of the options; those of a folder in the order of their numbers */
    size_t model_count;
} qn_evaluate_result;

/* Compare every model with the references. Nothing is written. *result is released by qn_evaluate_result_destroy;
 * `result` may be NULL. On failure *result is NULL. Errors: QN_NOT_FOUND, QN_BAD_FORMAT (with file or molecule and the
 * reason), QN_INVALID_ARGUMENT (options; an input that is given neither or both ways), QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_evaluate_run(qn_context *context, const qn_evaluate_options *options,
                                        qn_evaluate_result **result);
void qn_evaluate_result_destroy(qn_evaluate_result **result);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

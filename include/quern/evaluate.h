/* Judging docking models against the known complex.
 *
 *     qn_evaluate_run(&(qn_evaluate_options){.models = models, .model_count = 1, .receptor_reference = "r_b.pdb",
 *                                            .ligand_reference = "l_b.pdb"}, &report);
 *     printf("%s: DockQ %.2f\n", report->models[0].name, report->models[0].dockq);
 *     qn_evaluate_report_destroy(&report);
 */
#ifndef QUERN_EVALUATE_H
#define QUERN_EVALUATE_H

#include <quern/device.h>
#include <quern/option.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qn_evaluate_options {
    const char *const *models; /* output folders of quern dock (their cluster_* files), or model files */
    size_t model_count;
    const char *receptor_reference; /* bound receptor, a path or path:chains */
    const char *ligand_reference;   /* bound ligand */
    const char *receptor_chains;    /* which chains of a plain model file are the receptor ("A" or "A,BB"); NULL: the */
    const char *ligand_chains;      /* file's own quern remarks, else the references' chain names */
} qn_evaluate_options;

const qn_option_table *qn_evaluate_option_table(void); /* see <quern/option.h> */

typedef struct qn_evaluate_model {
    char *name;
    double fnat, interface_rmsd_angstrom, ligand_rmsd_angstrom, dockq;
    const char *capri; /* "incorrect", "acceptable", "medium", "high" */
} qn_evaluate_model;

typedef struct qn_evaluate_report {
    qn_evaluate_model *models; /* in order of their names for a folder */
    size_t model_count;
} qn_evaluate_report;

/* Errors: QN_NOT_FOUND, QN_BAD_FORMAT with file and reason; nothing is written. */
QN_MUST_CHECK qn_status qn_evaluate_run(qn_context *context, const qn_evaluate_options *options,
                                        qn_evaluate_report **report);
void qn_evaluate_report_destroy(qn_evaluate_report **report);

#ifdef __cplusplus
}
#endif
#endif

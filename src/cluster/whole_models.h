/* Some of a run's structures once more, with all their atoms. */
#ifndef QN_CLUSTER_WHOLE_MODELS_H
#define QN_CLUSTER_WHOLE_MODELS_H

#include <quern/molecule.h>

#include "cluster/matrix/models.h"

/* Use of a structure, a number of `models`. */
typedef qn_status (*qn_whole_model_use)(size_t index, const qn_molecule *molecule, void *user);

/* Call `use` for each of the structures `indices`, file by file, each file being read once. Structures of PDB and mmCIF
 * files have everything that the file says of their atoms; others have what the topology says. Errors: those of
 * reading, and of `use`; QN_BAD_FORMAT if a file has changed since it was read. */
QN_MUST_CHECK qn_status qn_whole_models_read(qn_job *job, const qn_structure_input *input, const qn_models *models,
                                             const size_t *indices, size_t count, qn_whole_model_use use, void *user);

#endif

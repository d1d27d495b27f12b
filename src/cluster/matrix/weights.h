/* Weights of the selected atoms, as --weights gives them. */
#ifndef QN_CLUSTER_MATRIX_WEIGHTS_H
#define QN_CLUSTER_MATRIX_WEIGHTS_H

#include "cluster/matrix/models.h"

/* Give the structures that were read from `input` their weights, and put these into the job's key. `weights`: "none" or
 * NULL, "mass", "occupancy", "b-factor", or a text file. QN_INVALID_ARGUMENT for weights that the first structure does
 * not have or whose sum is 0, QN_BAD_FORMAT naming file, line and value; QN_NOT_FOUND, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_models_weigh(qn_job *job, const qn_structure_input *input, const char *weights,
                                        qn_models *models);

#endif

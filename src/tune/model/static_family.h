/* The static model of a kernel family that is computed point by point and learns: for spaces that are too large for a
 * table, and while configurations are built. See static_model.h for what it describes.
 *
 * Thread rule: one thread at a time. */
#ifndef QN_TUNE_MODEL_STATIC_FAMILY_H
#define QN_TUNE_MODEL_STATIC_FAMILY_H

#include "tune/model/model.h"

typedef struct qn_static_family qn_static_family;

/* Everything must outlive the model, to which *description belongs. Errors: QN_UNSUPPORTED when a kernel states no
 * geometry. */
QN_MUST_CHECK qn_status qn_static_family_create(const qn_family *family, const void *problem,
                                                const qn_device_info *device, const qn_space *space,
                                                qn_static_family **description, qn_tuning_model **model);

/* Predict a point by what its compiler said instead of guesses: resources[kernel_count]. */
QN_MUST_CHECK qn_status qn_static_family_learn(qn_static_family *description, qn_point point,
                                               const qn_kernel_resources *resources);

#endif

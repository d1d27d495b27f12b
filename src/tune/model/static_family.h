/* The static model of a kernel family, computed point by point, for spaces that are too large for a table. It can learn
 * the compiler's reports on configurations that are built. static_model.h explains static models.
 *
 * Thread rule: one thread at a time. */
#ifndef QN_TUNE_MODEL_STATIC_FAMILY_H
#define QN_TUNE_MODEL_STATIC_FAMILY_H

#include "tune/model/model.h"

typedef struct qn_static_family qn_static_family;

/* All arguments must outlive the model, which owns *description. Errors: QN_UNSUPPORTED when a kernel states no
 * geometry. */
QN_MUST_CHECK qn_status qn_static_family_create(const qn_family *family, const void *problem,
                                                const qn_device_info *device, const qn_space *space,
                                                qn_static_family **description, qn_tuning_model **model);

/* From now on predict a point from the compiler's report, resources[kernel_count], instead of guesses. */
QN_MUST_CHECK qn_status qn_static_family_learn(qn_static_family *description, qn_point point,
                                               const qn_kernel_resources *resources);

#endif

/* The model that guides the searcher `profile` while a kernel is tuned: a model from a file, or the static model of the
 * kernel's family, which gets the compiler's resources of each configuration.
 *
 * Thread rule: one thread at a time. */
#ifndef QN_TUNE_GUIDE_H
#define QN_TUNE_GUIDE_H

#include "tune/model/static_family.h"
#include "tune/tuner.h"

typedef struct qn_guide {
    qn_tuning_model *model;        /* owned by the tuner once that is created; NULL: none */
    qn_static_family *description; /* of a static model, which owns it; NULL: none */
} qn_guide;

/* Make the model for a searcher; do nothing for a searcher that uses none. path: a model's file; NULL: make the static
 * model, for which `problem` (NULL: not known) and the other arguments must outlive the tuner. If no static model can
 * be made, log a warning and return QN_OK without a model. Errors: those of qn_tuning_model_read. */
QN_MUST_CHECK qn_status qn_guide_make(const char *searcher, const char *path, const qn_family *family,
                                      const void *problem, const qn_device_info *device, const qn_space *space,
                                      qn_guide *guide);

/* The same for a problem that does not outlive the call: the model is a table. It is made only for spaces of at most
 * 16384 points.
 */
QN_MUST_CHECK qn_status qn_guide_make_table(const char *searcher, const qn_family *family, const void *problem,
                                            const qn_device_info *device, const qn_space *space,
                                            qn_tuning_model **model);

/* Let the static model learn the compiler's report on a configuration that was built. */
void qn_guide_learn(const qn_guide *guide, const qn_family *family, qn_device *device, const qn_space *space,
                    qn_point point);

#endif

/* What steers the searcher `profile` while a kernel is tuned: a model from a file, or the static model of its family,
 * which learns of each configuration what the compiler made of it.
 *
 * Thread rule: one thread at a time. */
#ifndef QN_TUNE_GUIDE_H
#define QN_TUNE_GUIDE_H

#include "tune/model/static_family.h"
#include "tune/tuner.h"

typedef struct qn_guide {
    qn_tuning_model *model;        /* the tuner's once that is made; NULL: none */
    qn_static_family *description; /* of a static model, and part of it; NULL */
} qn_guide;

/* Nothing for a searcher that needs none. path: of a model's file; NULL: the static model, for which problem (NULL: not
 * known) and the rest must outlive the tuner; where there can be none a warning says that `profile` goes without.
 * Errors: those of qn_tuning_model_read. */
QN_MUST_CHECK qn_status qn_guide_make(const char *searcher, const char *path, const qn_family *family,
                                      const void *problem, const qn_device_info *device, const qn_space *space,
                                      qn_guide *guide);

/* The same for a problem that does not outlive the call: a table, of spaces that are small enough to make it at once.
 */
QN_MUST_CHECK qn_status qn_guide_make_table(const char *searcher, const qn_family *family, const void *problem,
                                            const qn_device_info *device, const qn_space *space,
                                            qn_tuning_model **model);

/* A configuration was built. */
void qn_guide_learn(const qn_guide *guide, const qn_family *family, qn_device *device, const qn_space *space,
                    qn_point point);

#endif

/* A tuner with a guide for the searcher `profile`, for the parts of the tuner that know a device and a kernel. */
#ifndef QN_TUNE_TUNER_H
#define QN_TUNE_TUNER_H

#include "tune/model/model.h"

typedef struct qn_tuner_guide {
    qn_tuning_model *model;       /* NULL: none */
    const qn_device_info *device; /* NULL: not known */
    const qn_device_rates *rates; /* NULL: not known, or objectives are not seconds of one run */
    uint64_t expected_tests;      /* tests that there is time for; 0: as many as the stop conditions allow */
    uint64_t least_tests;         /* tests before the estimate of the remaining gain may end the search */
} qn_tuner_guide;

/* The same as qn_tuner_create, with a guide. The tuner owns the model from now on, also when this call fails. */
QN_MUST_CHECK qn_status qn_tuner_create_guided(const qn_space *space, const qn_tuner_options *options,
                                               const qn_tuner_guide *guide, qn_tuner **tuner);

/* Whether the test of a point was told. */
bool qn_tuner_was_told(const qn_tuner *tuner, qn_point point);

/* Whether a searcher (NULL: the default) uses a guide. */
bool qn_tuner_is_guided(const char *searcher);

#endif

/* What the parts of the tuner share: keys, texts of points, building and classing of failures. */
#ifndef QN_TUNE_SESSION_H
#define QN_TUNE_SESSION_H

#include "base/text.h"
#include "tune/store.h"

/* Sizes of a workload's problem on a device: those wanted, the workload's own where they are 0. */
void qn_tune_workload_sizes(const qn_workload *workload, const qn_device_info *device,
                            const int wanted[QN_WORKLOAD_SIZES], int sizes[QN_WORKLOAD_SIZES]);

/* The key of a family's results on a device. */
QN_MUST_CHECK qn_status qn_tune_key_make(const qn_family *family, qn_device *device, const char *problem_class,
                                         qn_tune_key *key);

/* "NAME=VALUE NAME=VALUE" of a configuration, and back: false when a name or value is unknown or one is missing. */
void qn_tune_configuration_text(const qn_family *family, const qn_configuration *configuration, char *text,
                                size_t capacity);
bool qn_tune_configuration_read(const qn_family *family, const char *text, qn_configuration *configuration);

/* The same of a space's points. */
void qn_tune_point_text(const qn_space *space, qn_point point, char *text, size_t capacity);
bool qn_tune_point_read(const qn_space *space, const char *text, qn_point *point);
bool qn_tune_point_of(const qn_space *space, const qn_configuration *configuration, qn_point *point);

/* What a failure of building, launching or running counts as. */
qn_test_outcome qn_tune_outcome_of(qn_status status);

/* The time of a tuner's stop condition counts from now on. */
void qn_tuner_start_clock(qn_tuner *tuner);

#endif

/* Functions that the parts of the tuner share: keys, texts of points, building, and classes of failures. */
#ifndef QN_TUNE_SESSION_H
#define QN_TUNE_SESSION_H

#include "base/text.h"
#include "tune/store.h"

/* Get the sizes of a workload's problem on a device: the wanted sizes; a 0 is replaced by the workload's own size. */
void qn_tune_workload_sizes(const qn_workload *workload, const qn_device_info *device,
                            const int wanted[QN_WORKLOAD_SIZES], int sizes[QN_WORKLOAD_SIZES]);

/* Get the hash of a family's source as the compiler of `driver` ("host", "opencl", "cuda") gets it: with the prelude,
 * without values of tunables, and without comments and blanks, which change no result. `kernel_folder` NULL: the
 * embedded source. */
QN_MUST_CHECK qn_status qn_tune_source_hash(const qn_family *family, const char *kernel_folder, const char *driver,
                                            char digits[QN_TUNE_SOURCE_DIGITS + 1]);

/* Set the fields of a key that name the device and its driver, and clear the others. */
void qn_tune_key_of_device(qn_device *device, qn_tune_key *key);

/* Make the key under which a family's results on a device are stored. */
QN_MUST_CHECK qn_status qn_tune_key_make(const qn_family *family, qn_device *device, const char *problem_class,
                                         qn_tune_key *key);

/* Write a configuration as "NAME=VALUE NAME=VALUE", and read it back: false if a name or value is unknown, or a name is
 * missing. */
void qn_tune_configuration_text(const qn_family *family, const qn_configuration *configuration, char *text,
                                size_t capacity);
bool qn_tune_configuration_read(const qn_family *family, const char *text, qn_configuration *configuration);

/* The same for points of a space. */
void qn_tune_values_text(const qn_space *space, const uint16_t *numbers, char *text, size_t capacity);
void qn_tune_point_text(const qn_space *space, qn_point point, char *text, size_t capacity);
bool qn_tune_point_read(const qn_space *space, const char *text, qn_point *point);
bool qn_tune_point_of(const qn_space *space, const qn_configuration *configuration, qn_point *point);

/* Outcome of a test whose building, launch or run failed with `status`. */
qn_test_outcome qn_tune_outcome_of(qn_status status);

/* Start the clock of a tuner's time limit. */
void qn_tuner_start_clock(qn_tuner *tuner);

#endif

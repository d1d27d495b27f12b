/* Portable models predict what a kernel does in a configuration. They are trained once, on any device.
 *
 * A model predicts columns - counts such as sectors read or instructions executed - from the values of the tuning
 * parameters, by extremely randomised trees (Geurts, Ernst, Wehenkel 2006). Counts hardly depend on the device, but
 * times do. So a model that was trained on a device with readable counters guides the search on a device without them
 * (Filipovič, Hozzová, Nezarat, Oľha, Petrovič 2022).
 *
 * Counts span decades and are learned as log(1 + count), each column scaled by its own standard deviation. The mean of
 * the trees' predicted logarithms is the logarithm of the geometric mean of their values of 1 + count.
 *
 * Life cycle: train or read (or static_model.h) → bind to a space → predict → destroy. Thread rule: constant once made.
 *
 *     qn_tuning_model_train(record, &(qn_tuning_model_options){.seed = 1}, &model);
 *     qn_tuning_model_bind(model, space, &binding);
 *     qn_tuning_model_predict(model, binding, point, columns);
 */
#ifndef QN_TUNE_MODEL_MODEL_H
#define QN_TUNE_MODEL_MODEL_H

#include <quern/space.h>

#include "base/text.h"
#include "tune/recorded/recorded_space.h"

typedef struct qn_tuning_model qn_tuning_model;

typedef struct qn_tuning_model_options {
    uint64_t seed;
    int trees;                    /* 0: 10 */
    int least_leaf;               /* fewest samples in a leaf; 0: 1, and one more per 1000 samples */
    const unsigned char *learned; /* [points of the record] nonzero: may be used for training; NULL: all */
} qn_tuning_model_options;

/* Learn every counter of the record from the correct points whose counters are known. Equal records and options give
 * the same model, bit by bit. Errors: QN_INVALID_ARGUMENT when there are fewer than two such points. */
QN_MUST_CHECK qn_status qn_tuning_model_train(const qn_recorded_space *record, const qn_tuning_model_options *options,
                                              qn_tuning_model **model);

/* Read and write models as text, described in docs/formats/tuning_model.md. A model that is read gives exactly the
 * predictions of the model that was written. Errors: QN_NOT_FOUND, QN_BAD_FORMAT with file and line. */
QN_MUST_CHECK qn_status qn_tuning_model_read(const char *path, qn_tuning_model **model);
QN_MUST_CHECK qn_status qn_tuning_model_read_memory(const char *name, const char *data, size_t size,
                                                    qn_tuning_model **model);
QN_MUST_CHECK qn_status qn_tuning_model_write(const qn_tuning_model *model, const char *path);
QN_MUST_CHECK qn_status qn_tuning_model_append(const qn_tuning_model *model, qn_text *text);

/* Read a model that the library ships, by its name ("ktt-convolution"), else a file. Errors: those of
 * qn_tuning_model_read. */
QN_MUST_CHECK qn_status qn_tuning_model_find(const char *name, qn_tuning_model **model);

/* Make a model from the columns of every point of one space: values[point][column], copied. */
QN_MUST_CHECK qn_status qn_tuning_model_from_table(const qn_space *space, const char *const *names, size_t column_count,
                                                   const double *values, qn_tuning_model **model);
/* The same, with columns that `function` computes for each prediction; `drop` frees `user`, also when this call
 * fails. */
typedef void (*qn_tuning_model_function)(const void *user, qn_point point, double *columns);
QN_MUST_CHECK qn_status qn_tuning_model_from_function(const qn_space *space, const char *const *names,
                                                      size_t column_count, qn_tuning_model_function function,
                                                      void *user, void (*drop)(void **user), qn_tuning_model **model);
void qn_tuning_model_destroy(qn_tuning_model **model);

size_t qn_tuning_model_sample_count(const qn_tuning_model *model); /* points that it was trained on */
size_t qn_tuning_model_column_count(const qn_tuning_model *model);
const char *qn_tuning_model_column_name(const qn_tuning_model *model, size_t column);

/* The places of a model's parameters in a space, found by name. The space may have more parameters and other values. */
typedef struct qn_tuning_model_binding qn_tuning_model_binding;

/* Model and space must outlive the binding. Errors: QN_INVALID_ARGUMENT naming a parameter that the space lacks, or,
 * of a table, a space of another size. */
QN_MUST_CHECK qn_status qn_tuning_model_bind(const qn_tuning_model *model, const qn_space *space,
                                             qn_tuning_model_binding **binding);
void qn_tuning_model_unbind(qn_tuning_model_binding **binding);

/* Predict columns[column_count] of a point of the binding's space. Allocates nothing. */
void qn_tuning_model_predict(const qn_tuning_model *model, const qn_tuning_model_binding *binding, qn_point point,
                             double *columns);

#endif

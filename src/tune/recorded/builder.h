/* Builder of recorded spaces: the reader of a format adds configurations one by one, and the builder makes a
 * qn_recorded_space of them. Also functions that all formats need. */
#ifndef QN_TUNE_RECORDED_BUILDER_H
#define QN_TUNE_RECORDED_BUILDER_H

#include <jansson.h>

#include "base/text.h"
#include "tune/recorded/recorded_space.h"

typedef struct qn_recorded_space_builder {
    const char *path; /* for messages */
    char *name, *device;
    char *parameters[QN_SPACE_PARAMETERS_MAX];
    size_t parameter_count;
    qn_value *orders[QN_SPACE_PARAMETERS_MAX]; /* a parameter's values in the file's own order; NULL: sorted */
    size_t order_counts[QN_SPACE_PARAMETERS_MAX];
    qn_value *values; /* [row][parameter]; texts belong to the JSON document */
    qn_test *tests;   /* [row] */
    size_t row_count, value_capacity, test_capacity;
    char **counter_names;
    size_t counter_count, counter_name_capacity;
    struct qn_recorded_space_counter {
        size_t row, counter;
        double value;
    } * counters;
    size_t counter_value_count, counter_value_capacity;
} qn_recorded_space_builder;

/* Make the recorded space of all that was added. *record is NULL on failure. Errors: QN_BAD_FORMAT naming `path`. */
QN_MUST_CHECK qn_status qn_recorded_space_build(qn_recorded_space_builder *builder, qn_recorded_space **record);
/* Release the content of a builder. */
void qn_recorded_space_builder_clear(qn_recorded_space_builder *builder);

/* Add the name of a parameter. All configurations must have the parameters of the first one. */
QN_MUST_CHECK qn_status qn_recorded_space_add_parameter(qn_recorded_space_builder *builder, const char *name);
QN_MUST_CHECK qn_status qn_recorded_space_add_row(qn_recorded_space_builder *builder, const qn_value *values,
                                                  const qn_test *test);
/* Add a counter to the row that was added last. */
QN_MUST_CHECK qn_status qn_recorded_space_add_counter(qn_recorded_space_builder *builder, const char *name,
                                                      double value);

/* Convert a JSON value; `where` ("result 3") is for messages. */
QN_MUST_CHECK qn_status qn_recorded_space_value(const qn_recorded_space_builder *builder, const char *where,
                                                const char *name, const json_t *json, qn_value *value);
json_t *qn_recorded_space_value_to_json(const qn_value *value);

/* Seconds in a unit of time as files write it ("miliseconds", "ms", "Microseconds"); 0 if it is not known. */
double qn_recorded_space_unit_seconds(const char *unit);
/* A number of an object times `unit`; 0 if the object has no number above 0 for the key. */
double qn_recorded_space_seconds(const json_t *object, const char *key, double unit);
/* Half width of the 95 % confidence interval of the mean of `times`; 0 for fewer than two times, or if their mean
 * differs from `objective` by more than 5 %. */
double qn_recorded_space_spread(const json_t *times, double unit, double objective);
bool qn_recorded_space_is_objective(const json_t *json);
double qn_recorded_space_counter_of(const qn_recorded_space *record, qn_point point, const char *name,
                                    double otherwise);

QN_MUST_CHECK qn_status qn_recorded_space_read_t4(qn_recorded_space_builder *builder, const json_t *root);
QN_MUST_CHECK qn_status qn_recorded_space_read_kernel_tuner(qn_recorded_space_builder *builder, const json_t *root);
QN_MUST_CHECK qn_status qn_recorded_space_read_ktt(qn_recorded_space_builder *builder, const json_t *root);
QN_MUST_CHECK qn_status qn_recorded_space_write_t4(const qn_recorded_space *record, qn_text *text);
QN_MUST_CHECK qn_status qn_recorded_space_write_kernel_tuner(const qn_recorded_space *record, qn_text *text);
QN_MUST_CHECK qn_status qn_recorded_space_write_ktt(const qn_recorded_space *record, qn_text *text);

/* Names of the counter columns that hold the launch geometry and the compiler's report: global_size, local_size,
 * registers, local_memory_bytes, private_memory_bytes. */
extern const char *const qn_recorded_space_launch_columns[5];

/* Append a JSON value and release it. Fails only when memory runs out. */
QN_MUST_CHECK qn_status qn_recorded_space_append_json(qn_text *text, json_t *json);

#endif

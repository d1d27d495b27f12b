/* The rows of the options that say how structures are measured, qn_measure_options: a program's table lists them at the
 * offset of its own `measuring`. */
#ifndef QN_CLUSTER_MATRIX_MEASURE_ROWS_H
#define QN_CLUSTER_MATRIX_MEASURE_ROWS_H

#include <quern/distance.h>

#include "cluster/matrix/models.h"
#include "cluster/measure/measure.h"

typedef enum qn_measure_row {
    QN_MEASURE_ALIGN,
    QN_MEASURE_WEIGHTS,
    QN_MEASURE_CONTACT_CUTOFF,
    QN_MEASURE_CONTACT_SEPARATION,
    QN_MEASURE_CONTACT_SHARE,
    QN_MEASURE_DRMSD_FORM,
    QN_MEASURE_ROWS
} qn_measure_row;

extern const qn_option qn_measure_rows[QN_MEASURE_ROWS];

/* Check options that do not go together, for the `check` of a program's table. `has_references`: structures are
 * compared with references. QN_INVALID_ARGUMENT. */
QN_MUST_CHECK qn_status qn_measure_options_check(const qn_measure_options *options, const qn_structure_input *input,
                                                 qn_distance_measure measure, bool has_references);

/* The measure for number `measure` of qn_measures: with `align`, the one for aligned structures. */
const qn_measure *qn_measure_choose(const qn_measure_options *options, qn_distance_measure measure);

/* The kind of structures that the measure compares, for qn_models_read. */
qn_models_kind qn_measure_kind(const qn_measure_options *options, const qn_measure *measure);

/* The parameters of measures that options give, and the equivalent atoms of `models`. `has_references` as above. */
qn_measure_settings qn_measure_settings_of(const qn_measure_options *options, const qn_models *models,
                                           bool has_references);

#endif

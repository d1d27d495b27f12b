/* The rows of the options that name structures, qn_structure_input: a program's table lists them at the offset of its
 * own `structures`. */
#ifndef QN_CLUSTER_MATRIX_INPUT_ROWS_H
#define QN_CLUSTER_MATRIX_INPUT_ROWS_H

#include <quern/distance.h>

typedef enum qn_structure_row {
    QN_STRUCTURE_FILES,
    QN_STRUCTURE_LIST,
    QN_STRUCTURE_SELECT,
    QN_STRUCTURE_INDEX,
    QN_STRUCTURE_BEGIN,
    QN_STRUCTURE_END,
    QN_STRUCTURE_FIRST,
    QN_STRUCTURE_LAST,
    QN_STRUCTURE_STRIDE,
    QN_STRUCTURE_WHOLE,
    QN_STRUCTURE_MOLECULE,
    QN_STRUCTURE_ROWS
} qn_structure_row;

extern const qn_option qn_structure_rows[QN_STRUCTURE_ROWS];

/* Check options that do not go together, for the `check` of a program's table. QN_INVALID_ARGUMENT. */
QN_MUST_CHECK qn_status qn_structure_input_check(const qn_structure_input *input);

#endif

/* Results of a query, which its `finish` fills: tables, grids and single numbers, in the order in which they were
 * added.
 *
 * Life cycle: create → begin, row, grid, number → read → destroy. Thread rule: one thread at a time.
 */
#ifndef QN_TRAJECTORY_QUERY_TABLES_H
#define QN_TRAJECTORY_QUERY_TABLES_H

#include <quern/query.h>

/* The label of a column with the errors of another column, for printf with that column's label. */
#define QN_ERROR_COLUMN "error of %s"

typedef struct qn_query_filled_table {
    qn_query_table table; /* copies */
    double *values;       /* [row_count][table.column_count] */
    size_t row_count, capacity;
    bool over_frames; /* a row for each frame, whose mean over frames is of interest */
} qn_query_filled_table;

typedef struct qn_query_number {
    const char *label, *unit;
    double value;
    int length_power;
} qn_query_number;

struct qn_query_tables {
    qn_query_filled_table *tables;
    qn_query_grid *grids; /* copies */
    qn_query_number *numbers;
    size_t table_count, grid_count, number_count;
    size_t table_capacity, grid_capacity, number_capacity;
    void **owned; /* texts, columns and values of grids that the members above point to */
    size_t owned_count, owned_capacity;
};

QN_MUST_CHECK qn_status qn_query_tables_create(qn_query_tables **tables);
void qn_query_tables_destroy(qn_query_tables **tables);

#endif

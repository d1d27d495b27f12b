/* Time series: what queries have in common that give one row of numbers a frame. The state of such a query begins with
 * a qn_series, so partial_count, collect and, for most, finish of its class are those of the series.
 *
 * Life cycle: set the layout → collect rows in frame order → finish → clear.
 */
#ifndef QN_TRAJECTORY_QUERY_SERIES_H
#define QN_TRAJECTORY_QUERY_SERIES_H

#include <quern/query.h>

enum { QN_SERIES_TABLES = 2, QN_SERIES_COLUMNS = 24 };

/* Tables that share a row: the first takes its first columns, and so on. */
typedef struct qn_series_layout {
    struct {
        const char *name, *title; /* NULL: no further table */
        const qn_query_column *columns;
        size_t column_count, plotted;
        const char *note;
    } tables[QN_SERIES_TABLES];
} qn_series_layout;

typedef struct qn_series {
    const qn_series_layout *layout;
    size_t value_count; /* of a row */
    double *rows;       /* [row_count][2 + value_count]: time in ps, frame number, values */
    size_t row_count, capacity;
    bool untimed; /* a frame says no time: x is the frames' numbers */
} qn_series;

void qn_series_start(qn_series *series, const qn_series_layout *layout);
void qn_series_clear(qn_series *series);

/* Functions of a class whose state begins with a qn_series. */
size_t qn_series_partial_count(const void *state);
qn_status qn_series_collect(void *state, const qn_trajectory_frame *frame, const double *partial);
qn_status qn_series_finish(const void *state, qn_query_tables *tables);

const double *qn_series_values(const qn_series *series, size_t row);
double qn_series_x(const qn_series *series, size_t row);

/* Begin a table over time whose columns behind x are `columns`, at most QN_SERIES_COLUMNS. */
QN_MUST_CHECK qn_status qn_series_begin(const qn_series *series, qn_query_tables *tables, const qn_query_table *table);

/* A row of it. */
QN_MUST_CHECK qn_status qn_series_row(const qn_series *series, qn_query_tables *tables, size_t row,
                                      const double *values, size_t count);

#endif

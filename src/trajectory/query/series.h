/* Time series: common code of queries that give one row of numbers per frame. The state of such a query begins with a
 * qn_series, so its class uses the series' partial_count and collect, and mostly its finish.
 *
 * Life cycle: set the layout → collect rows in frame order → finish → clear.
 */
#ifndef QN_TRAJECTORY_QUERY_SERIES_H
#define QN_TRAJECTORY_QUERY_SERIES_H

#include <quern/query.h>

enum { QN_SERIES_TABLES = 2, QN_SERIES_COLUMNS = 24 };

/* Tables that share a row: the first table takes the first columns of the row, the second the next ones. */
typedef struct qn_series_layout {
    struct {
        const char *name, *title;       /* NULL: no further table */
        const qn_query_column *columns; /* without x */
        size_t column_count, plotted;
        const char *note;
    } tables[QN_SERIES_TABLES];
} qn_series_layout;

typedef struct qn_series {
    const qn_series_layout *layout;
    size_t value_count; /* of a row */
    double *rows;       /* [row_count][2 + value_count]: time in ps, frame number, values */
    size_t row_count, capacity;
    bool untimed; /* a frame has no time: x is the frame number */
} qn_series;

void qn_series_start(qn_series *series, const qn_series_layout *layout);
void qn_series_clear(qn_series *series);

/* Functions of a class whose state begins with a qn_series. */
size_t qn_series_partial_count(const void *state);
qn_status qn_series_collect(void *state, const qn_trajectory_frame *frame, const double *partial);
qn_status qn_series_finish(const void *state, qn_query_tables *tables);

const double *qn_series_values(const qn_series *series, size_t row);
double qn_series_x(const qn_series *series, size_t row);
double qn_series_time_ps(const qn_series *series, size_t row); /* NaN: not known */
double qn_series_frame_number(const qn_series *series, size_t row);

/* Begin a table over time. `table` has the columns after x, at most QN_SERIES_COLUMNS. */
QN_MUST_CHECK qn_status qn_series_begin(const qn_series *series, qn_query_tables *tables, const qn_query_table *table);

/* Append a row to this table: x of row `row` of the series, then `values`. */
QN_MUST_CHECK qn_status qn_series_row(const qn_series *series, qn_query_tables *tables, size_t row,
                                      const double *values, size_t count);

#endif

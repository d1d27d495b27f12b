#include "trajectory/query/series.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "trajectory/query/tables.h"

void qn_series_start(qn_series *series, const qn_series_layout *layout)
{
    *series = (qn_series){.layout = layout};
    for (int k = 0; k < QN_SERIES_TABLES && layout->tables[k].title; k++)
        series->value_count += layout->tables[k].column_count;
}

void qn_series_clear(qn_series *series)
{
    qn_release(&series->rows);
}

size_t qn_series_partial_count(const void *state)
{
    const qn_series *series = state;
    return series->value_count;
}

qn_status qn_series_collect(void *state, const qn_trajectory_frame *frame, const double *partial)
{
    qn_series *series = state;
    const size_t width = 2 + series->value_count;
    void *memory = series->rows;
    QN_TRY(qn_grow(&memory, &series->capacity, series->row_count + 1, width * sizeof(double)));
    series->rows = memory;
    double *row = series->rows + series->row_count++ * width;
    row[0] = frame->time_ps;
    row[1] = (double)frame->number;
    memcpy(row + 2, partial, series->value_count * sizeof(double));
    if (isnan(frame->time_ps)) series->untimed = true;
    return QN_OK;
}

const double *qn_series_values(const qn_series *series, size_t row)
{
    return series->rows + row * (2 + series->value_count) + 2;
}

double qn_series_time_ps(const qn_series *series, size_t row)
{
    return series->rows[row * (2 + series->value_count)];
}

double qn_series_frame_number(const qn_series *series, size_t row)
{
    return series->rows[row * (2 + series->value_count) + 1];
}

double qn_series_x(const qn_series *series, size_t row)
{
    return series->rows[row * (2 + series->value_count) + series->untimed];
}

qn_status qn_series_begin(const qn_series *series, qn_query_tables *tables, const qn_query_table *table)
{
    qn_query_column columns[1 + QN_SERIES_COLUMNS];
    qn_query_table with_x = *table;
    columns[0] = series->untimed ? (qn_query_column){"frame", "", 0} : (qn_query_column){"time", "ps", 0};
    memcpy(columns + 1, table->columns, table->column_count * sizeof *columns);
    with_x.columns = columns;
    with_x.column_count++;
    return qn_query_tables_begin(tables, &with_x);
}

qn_status qn_series_row(const qn_series *series, qn_query_tables *tables, size_t row, const double *values,
                        size_t count)
{
    double with_x[1 + QN_SERIES_COLUMNS];
    with_x[0] = qn_series_x(series, row);
    memcpy(with_x + 1, values, count * sizeof *values);
    return qn_query_tables_row(tables, with_x);
}

qn_status qn_series_finish(const void *state, qn_query_tables *tables)
{
    const qn_series *series = state;
    size_t first = 0;
    for (int k = 0; k < QN_SERIES_TABLES && series->layout->tables[k].title; k++) {
        const size_t count = series->layout->tables[k].column_count;
        const qn_query_table table = {.name = series->layout->tables[k].name,
                                      .title = series->layout->tables[k].title,
                                      .columns = series->layout->tables[k].columns,
                                      .column_count = count,
                                      .plotted = series->layout->tables[k].plotted,
                                      .note = series->layout->tables[k].note};
        QN_TRY(qn_series_begin(series, tables, &table));
        tables->tables[tables->table_count - 1].over_frames = true;
        for (size_t row = 0; row < series->row_count; row++)
            QN_TRY(qn_series_row(series, tables, row, qn_series_values(series, row) + first, count));
        first += count;
    }
    return QN_OK;
}

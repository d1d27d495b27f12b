#include "trajectory/query/tables.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

qn_status qn_query_tables_create(qn_query_tables **tables)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof **tables, &memory));
    *tables = memory;
    return QN_OK;
}

void qn_query_tables_destroy(qn_query_tables **tables)
{
    qn_query_tables *old = *tables;
    if (!old) return;
    for (size_t i = 0; i < old->table_count; i++) qn_release(&old->tables[i].values);
    for (size_t i = 0; i < old->owned_count; i++) qn_release(&old->owned[i]);
    qn_release(&old->tables);
    qn_release(&old->grids);
    qn_release(&old->numbers);
    qn_release(&old->owned);
    qn_release(tables);
}

/* Memory that lives as long as the tables. */
static qn_status own(qn_query_tables *tables, size_t count, size_t size, void **memory)
{
    void *list = tables->owned;
    QN_TRY(qn_grow(&list, &tables->owned_capacity, tables->owned_count + 1, sizeof *tables->owned));
    tables->owned = list;
    QN_TRY(qn_allocate(count, size, memory));
    tables->owned[tables->owned_count++] = *memory;
    return QN_OK;
}

static qn_status own_text(qn_query_tables *tables, const char *text, const char **copy)
{
    const size_t bytes = text ? strlen(text) + 1 : 1;
    void *memory;
    QN_TRY(own(tables, bytes, 1, &memory));
    if (text) memcpy(memory, text, bytes);
    *copy = memory;
    return QN_OK;
}

static qn_status check_table(const qn_query_tables *tables, const qn_query_table *table)
{
    const char *name = table->name ? table->name : "";
    if (table->column_count == 0 || !table->columns)
        return QN_FAIL(QN_INVALID_ARGUMENT, "table \"%s\" has no columns; expected x and at least one more", name);
    if (table->plotted >= table->column_count)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "table \"%s\" has %zu plotted columns; expected at most the %zu columns after x", name,
                       table->plotted, table->column_count - 1);
    for (size_t i = 0; i < tables->table_count; i++)
        if (strcmp(tables->tables[i].table.name, name) == 0)
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "two tables are named \"%s\"; expected a name of its own for each, as files "
                           "are named by it",
                           name);
    return QN_OK;
}

qn_status qn_query_tables_begin(qn_query_tables *tables, const qn_query_table *table)
{
    qn_query_table copy = *table;
    void *memory = tables->tables;
    QN_TRY(check_table(tables, table));
    QN_TRY(qn_grow(&memory, &tables->table_capacity, tables->table_count + 1, sizeof *tables->tables));
    tables->tables = memory;
    QN_TRY(own_text(tables, table->name, &copy.name));
    QN_TRY(own_text(tables, table->title, &copy.title));
    if (table->note) QN_TRY(own_text(tables, table->note, &copy.note));
    QN_TRY(own(tables, table->column_count, sizeof *table->columns, &memory));
    qn_query_column *columns = memory;
    for (size_t i = 0; i < table->column_count; i++) {
        columns[i] = table->columns[i];
        QN_TRY(own_text(tables, table->columns[i].label, &columns[i].label));
        QN_TRY(own_text(tables, table->columns[i].unit, &columns[i].unit));
    }
    copy.columns = columns;
    tables->tables[tables->table_count++] = (qn_query_filled_table){.table = copy};
    return QN_OK;
}

qn_status qn_query_tables_row(qn_query_tables *tables, const double *values)
{
    if (tables->table_count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "a row came before its table; expected a table first");
    qn_query_filled_table *filled = &tables->tables[tables->table_count - 1];
    const size_t columns = filled->table.column_count;
    void *memory = filled->values;
    QN_TRY(qn_grow(&memory, &filled->capacity, filled->row_count + 1, columns * sizeof(double)));
    filled->values = memory;
    memcpy(filled->values + filled->row_count++ * columns, values, columns * sizeof(double));
    return QN_OK;
}

qn_status qn_query_tables_grid(qn_query_tables *tables, const qn_query_grid *grid)
{
    const int *counts = grid->counts;
    qn_query_grid copy = *grid;
    void *memory = tables->grids;
    if (counts[0] < 1 || counts[1] < 1 || counts[2] < 1)
        return QN_FAIL(QN_INVALID_ARGUMENT, "grid \"%s\" has %d x %d x %d cells; expected at least one along each axis",
                       grid->name ? grid->name : "", counts[0], counts[1], counts[2]);
    QN_TRY(qn_grow(&memory, &tables->grid_capacity, tables->grid_count + 1, sizeof *tables->grids));
    tables->grids = memory;
    QN_TRY(own_text(tables, grid->name, &copy.name));
    QN_TRY(own_text(tables, grid->title, &copy.title));
    QN_TRY(own_text(tables, grid->unit, &copy.unit));
    const size_t plane = (size_t)counts[1] * (size_t)counts[2];
    if (plane > SIZE_MAX / sizeof(double))
        return QN_FAIL(QN_OUT_OF_MEMORY, "grid \"%s\" has %d x %d x %d cells, more than memory can hold", copy.name,
                       counts[0], counts[1], counts[2]);
    QN_TRY(own(tables, (size_t)counts[0], plane * sizeof(double), &memory));
    memcpy(memory, grid->values, (size_t)counts[0] * plane * sizeof(double));
    copy.values = memory;
    tables->grids[tables->grid_count++] = copy;
    return QN_OK;
}

qn_status qn_query_tables_number(qn_query_tables *tables, const char *label, double value, const char *unit,
                                 int length_power)
{
    qn_query_number number = {.value = value, .length_power = length_power};
    void *memory = tables->numbers;
    QN_TRY(qn_grow(&memory, &tables->number_capacity, tables->number_count + 1, sizeof *tables->numbers));
    tables->numbers = memory;
    QN_TRY(own_text(tables, label, &number.label));
    QN_TRY(own_text(tables, unit, &number.unit));
    tables->numbers[tables->number_count++] = number;
    return QN_OK;
}

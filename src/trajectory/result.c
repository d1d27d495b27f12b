/* Make the result that the caller of qn_trajectory_run gets. It owns its memory. */
#include <string.h>

#include "base/memory.h"
#include "trajectory/output.h"
#include "trajectory/run.h"

/* A result with the memory that it points into. */
typedef struct owned_result {
    qn_trajectory_result result; /* the caller has its address */
    qn_query_tables **tables;    /* of each query: texts, values of tables and of grids */
    size_t table_count;
    void **owned; /* all other memory of the result */
    size_t owned_count, owned_capacity;
} owned_result;

static qn_status own(owned_result *owned, size_t count, size_t size, void **memory)
{
    void *list = owned->owned;
    const qn_status status = qn_grow(&list, &owned->owned_capacity, owned->owned_count + 1, sizeof *owned->owned);
    owned->owned = list;
    QN_TRY(status);
    QN_TRY(qn_allocate(count, size, memory));
    owned->owned[owned->owned_count++] = *memory;
    return QN_OK;
}

static qn_status own_text(owned_result *owned, const char *text, const char **copy)
{
    void *memory;
    *copy = NULL;
    if (!text) return QN_OK;
    QN_TRY(own(owned, strlen(text) + 1, 1, &memory));
    memcpy(memory, text, strlen(text) + 1);
    *copy = memory;
    return QN_OK;
}

static qn_status own_unit(owned_result *owned, const qn_trajectory_results *results, const char *unit,
                          const char **copy)
{
    qn_text text = {0};
    qn_status status = qn_output_unit(results, unit, &text);
    if (status == QN_OK) status = own_text(owned, text.data ? text.data : "", copy);
    qn_text_clear(&text);
    return status;
}

/* Convert lengths in place to the run's unit, as in files. The result owns the tables. */
static qn_status add_table(owned_result *owned, const qn_trajectory_results *results, qn_query_filled_table *filled,
                           qn_trajectory_result_table *table)
{
    const size_t count = filled->table.column_count;
    void *memory;
    QN_TRY(own(owned, count, sizeof(qn_query_column), &memory));
    qn_query_column *columns = memory;
    *table = (qn_trajectory_result_table){.name = filled->table.name,
                                          .title = filled->table.title,
                                          .note = filled->table.note ? filled->table.note : "",
                                          .column_count = count,
                                          .row_count = filled->row_count,
                                          .columns = columns,
                                          .values = filled->values};
    for (size_t i = 0; i < count; i++) {
        const double factor = qn_output_factor(results, filled->table.columns[i].length_power);
        columns[i] = filled->table.columns[i];
        QN_TRY(own_unit(owned, results, filled->table.columns[i].unit, &columns[i].unit));
        for (size_t row = 0; row < filled->row_count; row++) filled->values[row * count + i] *= factor;
    }
    return QN_OK;
}

static qn_status add_grid(owned_result *owned, const qn_trajectory_results *results, qn_query_grid *grid)
{
    const size_t count = (size_t)grid->counts[0] * (size_t)grid->counts[1] * (size_t)grid->counts[2];
    const double factor = qn_output_factor(results, grid->length_power);
    double *values = (double *)(uintptr_t)grid->values; /* a copy that the tables made */
    for (size_t i = 0; i < count; i++) values[i] = factor * values[i];
    return own_unit(owned, results, grid->unit, &grid->unit);
}

static qn_status add_number(owned_result *owned, const qn_trajectory_results *results, const qn_query_number *number,
                            qn_trajectory_result_number *added)
{
    added->label = number->label;
    added->value = number->value * qn_output_factor(results, number->length_power);
    return own_unit(owned, results, number->unit, &added->unit);
}

static qn_status add_tables(owned_result *owned, const qn_trajectory_results *results, qn_query_tables *tables,
                            qn_trajectory_result_query *query)
{
    void *memory;
    QN_TRY(own(owned, tables->table_count, sizeof *query->tables, &memory));
    qn_trajectory_result_table *list = memory;
    QN_TRY(own(owned, tables->number_count, sizeof *query->numbers, &memory));
    qn_trajectory_result_number *numbers = memory;
    for (size_t i = 0; i < tables->table_count; i++) QN_TRY(add_table(owned, results, &tables->tables[i], &list[i]));
    for (size_t i = 0; i < tables->grid_count; i++) QN_TRY(add_grid(owned, results, &tables->grids[i]));
    for (size_t i = 0; i < tables->number_count; i++)
        QN_TRY(add_number(owned, results, &tables->numbers[i], &numbers[i]));
    query->tables = list;
    query->table_count = tables->table_count;
    query->grids = tables->grids;
    query->grid_count = tables->grid_count;
    query->numbers = numbers;
    query->number_count = tables->number_count;
    return QN_OK;
}

static qn_status add_query(owned_result *owned, const qn_query_result *from, qn_trajectory_result_query *query)
{
    query->atom_counts[0] = from->atom_counts[0];
    query->atom_counts[1] = from->atom_counts[1];
    query->whole = from->whole;
    query->seconds = from->seconds;
    QN_TRY(own_text(owned, from->name, &query->name));
    QN_TRY(own_text(owned, from->query_class->name, &query->query_class));
    QN_TRY(own_text(owned, from->select, &query->select));
    QN_TRY(own_text(owned, from->with, &query->with));
    return own_text(owned, from->device, &query->device);
}

static qn_status fill(owned_result *owned, const qn_trajectory_results *results, qn_query_tables **tables)
{
    const size_t count = results->query_count;
    void *memory;
    QN_TRY(qn_allocate(count, sizeof(qn_query_tables *), &memory));
    owned->tables = memory;
    QN_TRY(own(owned, count, sizeof(qn_trajectory_result_query), &memory));
    qn_trajectory_result_query *queries = memory;
    for (; owned->table_count < count; owned->table_count++) {
        owned->tables[owned->table_count] = tables[owned->table_count];
        tables[owned->table_count] = NULL;
    }
    for (size_t i = 0; i < count; i++) {
        QN_TRY(add_query(owned, &results->queries[i], &queries[i]));
        QN_TRY(add_tables(owned, results, owned->tables[i], &queries[i]));
    }
    owned->result.queries = queries;
    owned->result.query_count = count;
    return own_text(owned, results->page, &owned->result.page);
}

qn_status qn_trajectory_result_create(const qn_trajectory_results *results, qn_query_tables **tables,
                                      qn_trajectory_result **result)
{
    void *memory;
    *result = NULL;
    QN_TRY(qn_allocate(1, sizeof(owned_result), &memory));
    *result = memory;
    const qn_status status = fill(memory, results, tables);
    if (status != QN_OK) qn_trajectory_result_destroy(result);
    return status;
}

qn_status qn_trajectory_result_warn(qn_trajectory_result *result, const qn_job_texts *warnings)
{
    owned_result *owned = (owned_result *)result;
    void *memory;
    QN_TRY(own(owned, warnings->count, sizeof(const char *), &memory));
    const char **list = memory;
    for (size_t i = 0; i < warnings->count; i++) QN_TRY(own_text(owned, warnings->text[i], &list[i]));
    result->warnings = list;
    result->warning_count = warnings->count;
    return QN_OK;
}

void qn_trajectory_result_destroy(qn_trajectory_result **result)
{
    owned_result *owned = result ? (owned_result *)*result : NULL;
    if (!owned) return;
    for (size_t i = 0; i < owned->table_count; i++) qn_query_tables_destroy(&owned->tables[i]);
    for (size_t i = 0; i < owned->owned_count; i++) qn_release(&owned->owned[i]);
    qn_release(&owned->tables);
    qn_release(&owned->owned);
    qn_release(&owned);
    *result = NULL;
}

#include "trajectory/query/tables.h"

#include <string.h>

#include "check.h"

static void tables_grow_and_keep_copies(void)
{
    char label[] = "time";
    qn_query_column columns[] = {{label, "ps", 0}, {"radius of gyration", "nm", 1}};
    const qn_query_table table = {"", "Radius of gyration", columns, 2, 0, NULL};
    qn_query_tables *tables;
    if (!CHECK_OK(qn_query_tables_create(&tables))) return;
    CHECK_OK(qn_query_tables_begin(tables, &table));
    strcpy(label, "xxxx");
    for (int i = 0; i < 1000; i++) CHECK_OK(qn_query_tables_row(tables, (const double[]){i, 0.5 * i}));
    CHECK_OK(qn_query_tables_begin(tables, &(qn_query_table){"histogram", "Sizes", columns, 2, 1, "Of all frames."}));
    CHECK_OK(qn_query_tables_row(tables, (const double[]){7, 8}));
    CHECK(tables->table_count == 2);
    CHECK_TEXT(tables->tables[0].table.columns[0].label, "time");
    CHECK(tables->tables[0].table.columns[1].length_power == 1);
    CHECK(tables->tables[0].row_count == 1000 && tables->tables[0].values[2 * 999 + 1] == 499.5);
    CHECK_TEXT(tables->tables[1].table.note, "Of all frames.");
    CHECK(tables->tables[1].row_count == 1 && tables->tables[1].values[1] == 8);
    qn_query_tables_destroy(&tables);
    CHECK(!tables);
}

static void grids_and_numbers_are_kept(void)
{
    double values[6] = {0, 1, 2, 3, 4, 5};
    qn_query_grid grid = {"", "Density", "1/nm³", -3, {1, 2, 3}, {0, 0, 0}, {0.1, 0.1, 0.1}, values};
    qn_query_tables *tables;
    if (!CHECK_OK(qn_query_tables_create(&tables))) return;
    CHECK_OK(qn_query_tables_grid(tables, &grid));
    values[5] = 99;
    CHECK_OK(qn_query_tables_number(tables, "dielectric constant", 71.2, "", 0));
    CHECK(tables->grid_count == 1 && tables->grids[0].values[5] == 5 && tables->grids[0].counts[1] == 2);
    CHECK(tables->number_count == 1 && tables->numbers[0].value == 71.2);
    CHECK_TEXT(tables->numbers[0].label, "dielectric constant");
    grid.counts[1] = 0;
    CHECK_FAILS(qn_query_tables_grid(tables, &grid), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("1 x 0 x 3 cells");
    qn_query_tables_destroy(&tables);
}

static void impossible_tables_are_refused(void)
{
    const qn_query_column column = {"time", "ps", 0};
    const qn_query_table table = {"sizes", "Sizes", &column, 1, 0, NULL};
    qn_query_tables *tables;
    if (!CHECK_OK(qn_query_tables_create(&tables))) return;
    CHECK_FAILS(qn_query_tables_row(tables, (const double[]){1}), QN_INVALID_ARGUMENT);
    CHECK_OK(qn_query_tables_begin(tables, &table));
    CHECK_FAILS(qn_query_tables_begin(tables, &table), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("two tables are named \"sizes\"");
    CHECK_FAILS(qn_query_tables_begin(tables, &(qn_query_table){"a", "A", &column, 0, 0, NULL}), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_query_tables_begin(tables, &(qn_query_table){"a", "A", &column, 1, 1, NULL}), QN_INVALID_ARGUMENT);
    qn_query_tables_destroy(&tables);
}

int main(void)
{
    RUN(tables_grow_and_keep_copies);
    RUN(grids_and_numbers_are_kept);
    RUN(impossible_tables_are_refused);
    return check_finish();
}

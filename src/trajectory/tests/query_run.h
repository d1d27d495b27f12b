/* Run one query over frames as the engine does, on one thread, for tests of query classes. */
#ifndef QN_TRAJECTORY_TESTS_QUERY_RUN_H
#define QN_TRAJECTORY_TESTS_QUERY_RUN_H

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "trajectory/query/setup.h"
#include "trajectory/query/tables.h"
#include "trajectory/tests/query_parameters.h"

typedef struct query_run {
    const qn_query_class *query_class;
    const qn_topology *topology;
    qn_query_atoms atoms[2];
    const qn_trajectory_frame *first_frame;
    void *state, *scratch;
    qn_query_tables *tables;
} query_run;

/* Create the query; `run` must have class, topology, atoms and first frame. */
static inline qn_status query_create(query_run *run, const char *parameters)
{
    char words[QUERY_PARAMETERS_BYTES];
    qn_trajectory_parameter list[16];
    size_t count = query_parameters(parameters, words, list);
    qn_query_setup setup;
    qn_status status = qn_query_setup_read(run->query_class->name, run->query_class, list, count, 1, &setup);
    if (status != QN_OK) return status;
    setup.topology = run->topology;
    setup.first_frame = run->first_frame;
    memcpy(setup.atoms, run->atoms, sizeof setup.atoms);
    status = run->query_class->create(&setup, &run->state);
    qn_query_setup_clear(&setup);
    return status;
}

static inline void query_push(query_run *run, const qn_trajectory_frame *frame)
{
    double *partial = calloc(run->query_class->partial_count(run->state) + 1, sizeof *partial);
    const qn_query_frame view = {.frame = frame,
                                 .topology = run->topology,
                                 .atoms = {run->atoms[0].indices, run->atoms[1].indices},
                                 .atom_count = {run->atoms[0].count, run->atoms[1].count},
                                 .scratch = &run->scratch};
    qn_trajectory_frame bare = *frame;
    bare.positions_nm = NULL;
    CHECK_OK(run->query_class->measure(run->state, &view, partial));
    CHECK_OK(run->query_class->collect(run->state, &bare, partial));
    free(partial);
}

static inline void query_finish(query_run *run)
{
    qn_query_tables_destroy(&run->tables);
    CHECK_OK(qn_query_tables_create(&run->tables));
    CHECK_OK(run->query_class->finish(run->state, run->tables));
}

static inline void query_end(query_run *run)
{
    qn_query_tables_destroy(&run->tables);
    if (run->scratch && run->query_class->scratch_destroy) run->query_class->scratch_destroy(run->scratch);
    if (run->state) run->query_class->destroy(run->state);
    run->state = run->scratch = NULL;
}

/* Find the table of this name; NULL, after a failed check, if there is none. */
static inline const qn_query_filled_table *query_table(const query_run *run, const char *name)
{
    for (size_t k = 0; k < run->tables->table_count; k++)
        if (strcmp(run->tables->tables[k].table.name, name) == 0) return &run->tables->tables[k];
    CHECK(!"a table of that name");
    return NULL;
}

/* A value of the table `name`; NAN, after a failed check, if there is no such table, row or column. */
static inline double query_value(const query_run *run, const char *name, size_t row, size_t column)
{
    const qn_query_filled_table *table = query_table(run, name);
    if (!table || !CHECK(row < table->row_count && column < table->table.column_count)) return 0.0 / 0.0;
    return table->values[row * table->table.column_count + column];
}

static inline double query_number(const query_run *run, const char *label)
{
    for (size_t k = 0; k < run->tables->number_count; k++)
        if (strcmp(run->tables->numbers[k].label, label) == 0) return run->tables->numbers[k].value;
    CHECK(!"a number of that label");
    return 0.0 / 0.0;
}

#endif

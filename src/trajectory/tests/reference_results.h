/* Read reference data of a system and compare tables of queries with them. Used by tests and by the program that checks
 * all of the data. Functions here do not fail on a difference: they keep the largest ratio of an error to its
 * tolerance.
 *
 * onebody.json was computed in double precision from the coordinates in the files. The tolerance is 1e-6 of the
 * quantity's scale, such as the box length, trace(I) or Σ|q||r − com|. GROMACS 2022.5 sums in single precision and
 * prints few digits, so some tolerances are larger (its commands are in ref/commands.txt).
 */
#ifndef QN_TRAJECTORY_TESTS_REFERENCE_RESULTS_H
#define QN_TRAJECTORY_TESTS_REFERENCE_RESULTS_H

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trajectory/query/tables.h"

/* ---- the worst of many values ---- */

typedef struct reference_comparison {
    size_t count;
    double difference, allowed; /* of the value with the largest share */
    double share;               /* difference / allowed */
} reference_comparison;

static inline void reference_compare(reference_comparison *all, double value, double expected, double allowed)
{
    const double difference = fabs(value - expected);
    const double share = difference <= allowed ? (allowed > 0 ? difference / allowed : 0)
                         : allowed > 0         ? difference / allowed
                                               : INFINITY;
    if (all->count++ > 0 && share <= all->share) return;
    all->difference = difference;
    all->allowed = allowed;
    all->share = isnan(share) ? INFINITY : share;
}

static inline bool reference_holds(const reference_comparison *all)
{
    return all->count > 0 && all->share <= 1;
}

/* A value of a table; NAN, which fails every comparison, if there is no such table, row or column. */
static inline double reference_value(const qn_query_filled_table *table, size_t row, size_t column)
{
    if (!table || row >= table->row_count || column >= table->table.column_count) return NAN;
    return table->values[row * table->table.column_count + column];
}

/* Find a table by its name; NULL: there is none. */
static inline const qn_query_filled_table *reference_table(const qn_query_tables *tables, const char *name)
{
    for (size_t k = 0; k < tables->table_count; k++)
        if (strcmp(tables->tables[k].table.name, name) == 0) return &tables->tables[k];
    return NULL;
}

/* ---- columns of numbers: GROMACS' .xvg, MDAnalysis' functions, histograms ---- */

enum { REFERENCE_ROWS = 1024, REFERENCE_COLUMNS = 5 };

typedef struct reference_columns {
    size_t rows;
    char head[512]; /* the first line */
    double values[REFERENCE_ROWS][REFERENCE_COLUMNS];
} reference_columns;

/* Read a file of columns; `rows` is 0 if there is no such file. */
static inline void reference_read(const char *path, reference_columns *columns)
{
    char line[512];
    FILE *file = fopen(path, "r");
    memset(columns, 0, sizeof *columns);
    if (!file) return;
    while (columns->rows < REFERENCE_ROWS && fgets(line, sizeof line, file)) {
        char *at = line;
        if (!columns->head[0]) memcpy(columns->head, line, sizeof line);
        if (line[0] == '#' || line[0] == '@') continue;
        double *values = columns->values[columns->rows++];
        if (isalpha((unsigned char)line[0])) at += strcspn(line, " "); /* "overflow 12" */
        for (int k = at > line; k < REFERENCE_COLUMNS; k++) values[k] = strtod(at, &at);
    }
    fclose(file);
}

/* √(M / M'), where M' is the sum of masses in single precision, by which gyrate divides: M' is off by 1.8e-5 for 3,162
 * atoms. */
static inline double reference_mass_rounding(const qn_topology *topology)
{
    double mass = 0;
    float rounded = 0;
    for (size_t i = 0; i < topology->atom_count; i++) {
        mass += topology->atoms[i].mass_u;
        rounded += (float)topology->atoms[i].mass_u;
    }
    return sqrt(mass / rounded);
}

/* Compare columns 1 … count of each row with `scale` times the table's columns from `first` on; `tolerance` is relative
 * to the largest value of the row. Also compare column 0, the time. */
static inline void reference_compare_columns(const reference_columns *expected, const qn_query_filled_table *table,
                                             size_t first, size_t count, double scale, double tolerance,
                                             reference_comparison *all)
{
    for (size_t row = 0; row < expected->rows; row++) {
        const double *values = expected->values[row];
        double largest = 0;
        for (size_t k = 1; k <= count; k++) largest = fmax(largest, fabs(values[k]));
        reference_compare(all, reference_value(table, row, 0), values[0], 1e-5 * (1 + values[0]));
        for (size_t k = 0; k < count; k++)
            reference_compare(all, scale * reference_value(table, row, first + k), values[1 + k], tolerance * largest);
    }
}

/* Compare moments of inertia. A row of gyrate -moi has the time, the norm of the three moments, then each of them. */
static inline void reference_compare_moments(const reference_columns *expected, const qn_query_filled_table *table,
                                             reference_comparison *all)
{
    for (size_t row = 0; row < expected->rows; row++)
        for (size_t k = 1; k <= 3; k++)
            reference_compare(all, reference_value(table, row, k), expected->values[row][1 + k],
                              1e-5 * expected->values[row][1 + k]);
}

/* Parameters to compare with gmx dipoles -d, whose bins are centred on k · bin: two of our bins of half the width, 5 D
 * / 1002, make one of them. By rounding, a few molecules are in a neighbouring bin. */
#define REFERENCE_DIPOLE_PARAMETERS "bin=0.00499001996007984 max=5"

static inline void reference_compare_distribution(const reference_columns *expected, const qn_query_filled_table *table,
                                                  reference_comparison *all)
{
    double largest = 0, sum = 0;
    for (size_t row = 0; row < expected->rows; row++) largest = fmax(largest, expected->values[row][1]);
    for (size_t row = 1; row < expected->rows; row++) {
        const double molecules = reference_value(table, 2 * row - 1, 2) + reference_value(table, 2 * row, 2);
        reference_compare(all, molecules, expected->values[row][1], 0.002 * largest);
        sum += molecules - expected->values[row][1];
    }
    reference_compare(all, sum, 0, 0.01);
}

/* ---- slabs ---- */

enum { REFERENCE_SLABS = 50, REFERENCE_EDGE_KINDS = 3 };

/* Add the atoms within 2e-6 nm of an edge between slabs to `edges`: single precision may put them on the other side.
 * There are many, as positions in XTC files are multiples of 0.001 nm. The sums are densities in one slab, summed over
 * frames, of mass (kg/m³), number (1/nm³) and absolute charge (e/nm³). The first edge is also the last one. */
static inline void reference_add_edges(const qn_topology *topology, const qn_trajectory_frame *frame,
                                       double edges[REFERENCE_SLABS][REFERENCE_EDGE_KINDS])
{
    const double height = frame->box_nm[8], slab_nm3 = frame->box_nm[0] * frame->box_nm[4] * height / REFERENCE_SLABS;
    for (size_t i = 0; i < topology->atom_count; i++) {
        const double z = frame->positions_nm[3 * i + 2], place = (z / height - floor(z / height)) * REFERENCE_SLABS;
        const int edge = (int)(place + 0.5);
        if (fabs(place - edge) * height / REFERENCE_SLABS > 2e-6) continue;
        double *weights = edges[edge % REFERENCE_SLABS];
        weights[0] += 1.66054 * topology->atoms[i].mass_u / slab_nm3;
        weights[1] += 1 / slab_nm3;
        weights[2] += fabs(topology->atoms[i].charge_e) / slab_nm3;
    }
}

/* Compare a density profile. Atoms of `edges`, which are sums over `frames`, may be in either slab. */
static inline void reference_compare_density(const reference_columns *expected, const qn_query_filled_table *table,
                                             double edges[REFERENCE_SLABS][REFERENCE_EDGE_KINDS], int kind,
                                             size_t frames, reference_comparison *all)
{
    double sum = 0, expected_sum = 0, largest = 0;
    reference_compare(all, (double)expected->rows, REFERENCE_SLABS, 0);
    for (size_t row = 0; row < expected->rows; row++) largest = fmax(largest, fabs(expected->values[row][1]));
    for (size_t row = 0; row < expected->rows && row < REFERENCE_SLABS; row++) {
        const double moved = edges[row][kind] + edges[(row + 1) % REFERENCE_SLABS][kind];
        reference_compare(all, reference_value(table, row, 0), expected->values[row][0],
                          2e-5 * expected->values[row][0]);
        reference_compare(all, reference_value(table, row, 1), expected->values[row][1],
                          2e-5 * largest + moved / (double)frames);
        sum += reference_value(table, row, 1);
        expected_sum += expected->values[row][1];
    }
    reference_compare(all, sum, expected_sum, REFERENCE_SLABS * 1e-5 * largest);
}

/* ---- onebody.json ---- */

enum {
    REFERENCE_MASS,
    REFERENCE_CHARGE,
    REFERENCE_COM,
    REFERENCE_COG,
    REFERENCE_INERTIA,
    REFERENCE_GYRATION,
    REFERENCE_DIPOLE,
    REFERENCE_ONEBODY
};
static const char *const reference_onebody_classes[REFERENCE_ONEBODY] = {"mass",    "charge",   "com",   "cog",
                                                                         "inertia", "gyration", "dipole"};

static inline double reference_number(const json_t *array, size_t i)
{
    const json_t *value = json_array_get(array, i);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Σ|q||r − com| of these atoms. */
static inline double reference_dipole_scale(const qn_topology *topology, const qn_trajectory_frame *frame,
                                            const uint32_t *atoms, size_t count)
{
    double scale = 0, mass = 0, com[3] = {0};
    for (size_t i = 0; i < count; i++) {
        mass += topology->atoms[atoms[i]].mass_u;
        for (int axis = 0; axis < 3; axis++)
            com[axis] += topology->atoms[atoms[i]].mass_u * frame->positions_nm[3 * (size_t)atoms[i] + axis];
    }
    for (size_t i = 0; i < count; i++) {
        double square = 0;
        for (int axis = 0; axis < 3; axis++)
            square += pow(frame->positions_nm[3 * (size_t)atoms[i] + axis] - com[axis] / mass, 2);
        scale += fabs(topology->atoms[atoms[i]].charge_e) * sqrt(square);
    }
    return scale;
}

/* A selection of onebody.json, and the main table of each query for it. */
typedef struct reference_onebody {
    const char *selection;
    double mass;
    const qn_query_filled_table *tables[REFERENCE_ONEBODY];
} reference_onebody;

static inline void reference_compare_tensor(const reference_onebody *selection, const json_t *expected, size_t row,
                                            reference_comparison *all)
{
    static const size_t rows[6] = {0, 0, 0, 1, 1, 2}, columns[6] = {0, 1, 2, 1, 2, 2};
    const json_t *inertia = json_object_get(expected, "inertia");
    double trace = 0;
    for (size_t k = 0; k < 3; k++) trace += reference_number(json_array_get(inertia, k), k);
    for (size_t k = 0; k < 3; k++)
        reference_compare(all, reference_value(selection->tables[REFERENCE_INERTIA], row, 1 + k),
                          reference_number(json_object_get(expected, "principal_moments"), k), 1e-6 * trace);
    for (size_t k = 0; k < 6; k++)
        reference_compare(all, reference_value(selection->tables[REFERENCE_INERTIA], row, 4 + k),
                          reference_number(json_array_get(inertia, rows[k]), columns[k]), 1e-6 * trace);
}

/* Compare one of the frames of onebody.json with row `row` of each table. `dipole_scale` is Σ|q||r − com| of the frame.
 */
static inline void reference_compare_onebody(const reference_onebody *selection, const json_t *frame, size_t row,
                                             double dipole_scale, reference_comparison all[REFERENCE_ONEBODY])
{
    const qn_query_filled_table *const *tables = selection->tables;
    const json_t *expected = json_object_get(frame, selection->selection), *box = json_object_get(frame, "box9");
    const double rg = json_number_value(json_object_get(expected, "rg"));
    const double length = json_is_array(box) ? reference_number(box, 0) : 4 * rg;
    reference_compare(&all[REFERENCE_MASS], reference_value(tables[REFERENCE_MASS], row, 1), selection->mass,
                      1e-6 * selection->mass);
    reference_compare(&all[REFERENCE_GYRATION], reference_value(tables[REFERENCE_GYRATION], row, 1), rg, 1e-6 * rg);
    for (size_t k = 0; k < 3; k++) {
        reference_compare(&all[REFERENCE_COM], reference_value(tables[REFERENCE_COM], row, 1 + k),
                          reference_number(json_object_get(expected, "com"), k), 1e-6 * length);
        reference_compare(&all[REFERENCE_COG], reference_value(tables[REFERENCE_COG], row, 1 + k),
                          reference_number(json_object_get(expected, "cog"), k), 1e-6 * length);
    }
    reference_compare_tensor(selection, expected, row, &all[REFERENCE_INERTIA]);
    if (!json_object_get(expected, "dipole_about_com")) return;
    reference_compare(&all[REFERENCE_CHARGE], reference_value(tables[REFERENCE_CHARGE], row, 1),
                      json_number_value(json_object_get(expected, "charge")), 1e-6 * dipole_scale / rg);
    for (size_t k = 0; k < 3; k++)
        reference_compare(&all[REFERENCE_DIPOLE], reference_value(tables[REFERENCE_DIPOLE], row, 1 + k),
                          reference_number(json_object_get(expected, "dipole_about_com"), k), 1e-6 * dipole_scale);
}

#endif

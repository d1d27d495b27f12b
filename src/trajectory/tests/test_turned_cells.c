/* Cells in a general orientation, which CHARMM writes into DCD files as symmetric matrices: queries are compared with
 * brute force in double precision in the cell as it is in the file. */
#include <math.h>
#include <quern/trajectory.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { ATOMS = 120, FRAMES = 3, SLABS = 7, BINS = 24 };
static const double BIN_NM = 0.05;

static float positions_angstrom[FRAMES][ATOMS][3];
static qn_context *context;

static double random_of(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) / 16777216.0;
}

/* ---- the file ---- */

static void put_record(FILE *file, const void *data, uint32_t bytes)
{
    fwrite(&bytes, 4, 1, file);
    fwrite(data, 1, bytes, file);
    fwrite(&bytes, 4, 1, file);
}

/* Write a DCD file as CHARMM does. `symmetric` is the matrix in nm. */
static const char *write_dcd(const double symmetric[9])
{
    static char path[512];
    snprintf(path, sizeof path, "%s/charmm.dcd", check_scratch_folder());
    FILE *file = fopen(path, "wb");
    char head[84] = "CORD", titles[84] = {1};
    const int32_t frames = FRAMES, one = 1, version = 24, atoms = ATOMS;
    const float step = (float)(1 / 0.04888821);
    memcpy(head + 4, &frames, 4);
    memcpy(head + 8, &one, 4);
    memcpy(head + 12, &one, 4);
    memcpy(head + 40, &step, 4);
    memcpy(head + 44, &one, 4);
    memcpy(head + 80, &version, 4);
    put_record(file, head, sizeof head);
    put_record(file, titles, sizeof titles);
    put_record(file, &atoms, sizeof atoms);
    for (int f = 0; f < FRAMES; f++) {
        static const int places[6] = {0, 1, 4, 2, 5, 8};
        double cell[6];
        float axis_of[ATOMS];
        for (int k = 0; k < 6; k++) cell[k] = 10 * symmetric[places[k]];
        put_record(file, cell, sizeof cell);
        for (int axis = 0; axis < 3; axis++) {
            for (int i = 0; i < ATOMS; i++) axis_of[i] = positions_angstrom[f][i][axis];
            put_record(file, axis_of, sizeof axis_of);
        }
    }
    fclose(file);
    return path;
}

static void make_positions(const double cell[9])
{
    uint32_t state = 5;
    for (int f = 0; f < FRAMES; f++)
        for (int i = 0; i < ATOMS; i++) {
            double fraction[3];
            for (int k = 0; k < 3; k++) fraction[k] = 2 * random_of(&state) - 0.5;
            for (int axis = 0; axis < 3; axis++) {
                double p = 0;
                for (int k = 0; k < 3; k++) p += 10 * fraction[k] * cell[3 * k + axis];
                if (f > 0) p = (double)positions_angstrom[f - 1][i][axis] + 0.6 * p / fabs(10 * cell[4 * axis]);
                positions_angstrom[f][i][axis] = (float)p;
            }
        }
}

static qn_topology *make_topology(void)
{
    qn_topology *topology;
    if (!CHECK_OK(qn_topology_create("atoms", &topology))) return NULL;
    topology->masses = QN_MASSES_FROM_FILE;
    for (int i = 0; i < ATOMS; i++) {
        const qn_topology_residue residue = {.number = i + 1, .name = "AR"};
        const qn_topology_atom atom = {.name = "AR", .mass_u = 40};
        CHECK_OK(qn_topology_append_residue(topology, &residue));
        CHECK_OK(qn_topology_append_atom(topology, &atom));
    }
    qn_topology_complete_elements(topology);
    CHECK_OK(qn_topology_finish(topology, QN_MOLECULES_OF_BONDS));
    return topology;
}

/* ---- brute force ---- */

/* Vector from a to b to the nearest of 7³ images, in nm. */
static void nearest(const double cell[9], const float *a, const float *b, double shortest[3])
{
    double best = INFINITY;
    for (int image = 0; image < 343; image++) {
        const int n[3] = {image % 7 - 3, image / 7 % 7 - 3, image / 49 - 3};
        double d[3], square = 0;
        for (int axis = 0; axis < 3; axis++) {
            d[axis] = ((double)b[axis] - (double)a[axis]) / 10;
            for (int k = 0; k < 3; k++) d[axis] += n[k] * cell[3 * k + axis];
            square += d[axis] * d[axis];
        }
        if (square >= best) continue;
        best = square;
        memcpy(shortest, d, sizeof d);
    }
}

static double length_of(const double d[3])
{
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static double volume_of(const double c[9])
{
    return c[0] * (c[4] * c[8] - c[5] * c[7]) - c[1] * (c[3] * c[8] - c[5] * c[6]) + c[2] * (c[3] * c[7] - c[4] * c[6]);
}

/* Pairs of all frames by distance. */
static void count_pairs(const double cell[9], double counts[BINS])
{
    memset(counts, 0, BINS * sizeof *counts);
    for (int f = 0; f < FRAMES; f++)
        for (int i = 0; i < ATOMS; i++)
            for (int j = i + 1; j < ATOMS; j++) {
                double d[3];
                nearest(cell, positions_angstrom[f][i], positions_angstrom[f][j], d);
                const int bin = (int)(length_of(d) / BIN_NM);
                if (bin < BINS) counts[bin]++;
            }
}

/* Mean square displacement after `last` frames, from the steps to nearest images. */
static double displacement(const double cell[9], int last)
{
    double sum = 0;
    for (int i = 0; i < ATOMS; i++) {
        double moved[3] = {0};
        for (int f = 1; f <= last; f++) {
            double d[3];
            nearest(cell, positions_angstrom[f - 1][i], positions_angstrom[f][i], d);
            for (int axis = 0; axis < 3; axis++) moved[axis] += d[axis];
        }
        sum += length_of(moved) * length_of(moved);
    }
    return sum / ATOMS;
}

/* Atoms per slab between the faces that a and b span, of all frames. The third fraction is (a × b) · r / V. */
static void count_slabs(const double c[9], double counts[SLABS])
{
    const double normal[3] = {c[1] * c[5] - c[2] * c[4], c[2] * c[3] - c[0] * c[5], c[0] * c[4] - c[1] * c[3]};
    memset(counts, 0, SLABS * sizeof *counts);
    for (int f = 0; f < FRAMES; f++)
        for (int i = 0; i < ATOMS; i++) {
            double fraction = 0;
            for (int axis = 0; axis < 3; axis++)
                fraction += normal[axis] * (double)positions_angstrom[f][i][axis] / 10 / volume_of(c);
            counts[(int)(SLABS * (fraction - floor(fraction)))]++;
        }
}

/* ---- comparison ---- */

static const double *row_of(const qn_trajectory_result *result, size_t query, size_t row)
{
    const qn_trajectory_result_table *table = &result->queries[query].tables[0];
    return table->values + row * table->column_count;
}

/* Turned positions are rounded to floats once more, so a pair may cross the edge of a bin; none does here. */
static void compare(const double cell[9], double angle_degrees, const qn_trajectory_result *result)
{
    double pairs[BINS], slabs[SLABS];
    count_pairs(cell, pairs);
    count_slabs(cell, slabs);
    const double volume = volume_of(cell), edge = length_of(cell);
    for (size_t f = 0; f < FRAMES; f++) {
        const double *row = row_of(result, 0, f);
        CHECK_NEAR(row[1], volume, 1e-12 * volume);
        for (int k = 2; k < 5; k++) CHECK_NEAR(row[k], edge, 1e-12 * edge);
        for (int k = 5; k < 8; k++) CHECK_NEAR(row[k], angle_degrees, 1e-9);
        CHECK_NEAR(row_of(result, 4, f)[1], displacement(cell, (int)f), 1e-6);
    }
    double within = 0;
    for (size_t k = 0; k < BINS; k++) {
        within += pairs[k];
        CHECK_NEAR(row_of(result, 1, k)[1], pairs[k] / FRAMES, 1e-9);
        CHECK_NEAR(row_of(result, 2, k)[2], 2 * within / FRAMES / ATOMS, 1e-9);
    }
    for (size_t k = 0; k < SLABS; k++) CHECK_NEAR(row_of(result, 3, k)[1], slabs[k] / FRAMES / (volume / SLABS), 1e-9);
}

static void check_cell(double diagonal, double other, double angle_degrees)
{
    const double cell[9] = {diagonal, other, other, other, diagonal, other, other, other, diagonal};
    const qn_trajectory_parameter sdh[] = {{"bin", "0.05"}, {"max", "1.2"}},
                                  slabs[] = {{"bins", "7"}, {"quantity", "number"}};
    const size_t size = sizeof(qn_trajectory_query);
    const qn_trajectory_query queries[] = {
        {.size = size, .query_class = "volume"},
        {.size = size, .query_class = "sdh", .parameters = sdh, .parameter_count = 2},
        {.size = size, .query_class = "rdf", .parameters = sdh, .parameter_count = 2},
        {.size = size, .query_class = "density", .parameters = slabs, .parameter_count = 2},
        {.size = size, .query_class = "msd"}};
    make_positions(cell);
    const char *path = write_dcd(cell);
    qn_topology *topology = make_topology();
    qn_trajectory_options options = qn_trajectory_default_options();
    qn_trajectory_result *result;
    options.topology_in_memory = topology;
    options.trajectories = &path;
    options.trajectory_count = 1;
    options.queries = queries;
    options.query_count = sizeof queries / sizeof *queries;
    options.run.device = "host";
    options.run.tune = QN_TUNE_OFF;
    if (CHECK_OK(qn_trajectory_run(context, &options, &result))) {
        compare(cell, angle_degrees, result);
        CHECK(result->warning_count == 1 && strstr(result->warnings[0], "none of whose edges lies along x"));
        qn_trajectory_result_destroy(&result);
    }
    qn_topology_destroy(&topology);
}

/* All angles are arccos(−1/3); the square root of the metric tensor has these elements. */
static void a_truncated_octahedron_in_a_symmetric_matrix(void)
{
    const double edge = 3, part = (sqrt(1.0 / 3) - sqrt(4.0 / 3)) / 3;
    check_cell(edge * (sqrt(4.0 / 3) + part), edge * part, acos(-1.0 / 3) * 180 / acos(-1));
}

/* All angles are 60°. The elements beside the diagonal are 7.07 Å, which would be small angles in degrees. */
static void a_rhombic_dodecahedron_in_a_symmetric_matrix(void)
{
    const double edge = 3, part = (sqrt(2) - sqrt(0.5)) / 3;
    check_cell(edge * (sqrt(0.5) + part), edge * part, 60);
}

int main(void)
{
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    RUN(a_truncated_octahedron_in_a_symmetric_matrix);
    RUN(a_rhombic_dodecahedron_in_a_symmetric_matrix);
    qn_context_destroy(&context);
    return check_finish();
}

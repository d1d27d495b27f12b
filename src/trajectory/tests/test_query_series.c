/* Queries with one row per frame, compared with values calculated by hand. */
#include <math.h>

#include "trajectory/query/queries.h"
#include "trajectory/tests/query_run.h"

/* Four atoms in three residues; atom 2 has no mass. */
static qn_topology_atom atoms[4] = {
    {.name = "A", .residue = 0, .mass_u = 1, .charge_e = 0.5},
    {.name = "B", .residue = 0, .mass_u = 3, .charge_e = -1},
    {.name = "V", .residue = 1, .mass_u = 0, .charge_e = 0.25},
    {.name = "C", .residue = 2, .mass_u = 4, .charge_e = 2},
};
static const qn_topology topology = {.atom_count = 4,
                                     .residue_count = 3,
                                     .molecule_count = 1,
                                     .atoms = atoms,
                                     .masses = QN_MASSES_FROM_FILE,
                                     .has_charges = true,
                                     .name = (char *)"hand"};
static float positions[12] = {0, 0, 0, 4, 0, 0, 9, 9, 9, 0, 2, 0};
static const qn_trajectory_frame frame = {
    .number = 5, .time_ps = 2.5, .box_nm = {4, 0, 0, 1, 3, 0, 0, 0, 2}, .atom_count = 4, .positions_nm = positions};
static const uint32_t all[4] = {0, 1, 2, 3}, two[2] = {0, 1}, apart[2] = {0, 3}, none[1] = {2};

static query_run start(const qn_query_class *query_class, const uint32_t *indices, size_t count, bool fixed)
{
    query_run run = {.query_class = query_class,
                     .topology = &topology,
                     .first_frame = &frame,
                     .atoms = {{fixed, indices, count}, {0}}};
    CHECK_OK(query_create(&run, ""));
    query_push(&run, &frame);
    query_finish(&run);
    return run;
}

static void sums_of_masses_and_charges(void)
{
    for (int fixed = 0; fixed < 2; fixed++) {
        query_run mass = start(&qn_query_mass, all, 4, fixed), charge = start(&qn_query_charge, apart, 2, fixed);
        CHECK_NEAR(query_value(&mass, "", 0, 0), 2.5, 0);
        CHECK_NEAR(query_value(&mass, "", 0, 1), 8, 0);
        CHECK_NEAR(query_value(&charge, "", 0, 1), 2.5, 0);
        query_end(&mass);
        query_end(&charge);
    }
}

static void centres_and_moment(void)
{
    for (int fixed = 0; fixed < 2; fixed++) {
        query_run moment = start(&qn_query_moment, all, 4, fixed), com = start(&qn_query_com, all, 4, fixed);
        query_run cog = start(&qn_query_cog, all, 4, fixed), part = start(&qn_query_com, apart, 2, fixed);
        const double expected[4][3] = {{12, 8, 0}, {1.5, 1, 0}, {13.0 / 4, 11.0 / 4, 9.0 / 4}, {0, 1.6, 0}};
        for (int axis = 0; axis < 3; axis++) {
            CHECK_NEAR(query_value(&moment, "", 0, 1 + axis), expected[0][axis], 1e-15);
            CHECK_NEAR(query_value(&com, "", 0, 1 + axis), expected[1][axis], 1e-15);
            CHECK_NEAR(query_value(&cog, "", 0, 1 + axis), expected[2][axis], 1e-15);
            CHECK_NEAR(query_value(&part, "", 0, 1 + axis), expected[3][axis], 1e-15);
        }
        CHECK(query_table(&moment, "")->table.columns[1].length_power == 1);
        query_end(&moment);
        query_end(&com);
        query_end(&cog);
        query_end(&part);
    }
}

/* Masses 1 and 3, 4 nm apart along x: reduced mass 3/4, I = 12 amu nm² about y and z, and 0 about x. */
static void inertia_and_gyration_of_two_atoms(void)
{
    query_run inertia = start(&qn_query_inertia, two, 2, true), gyration = start(&qn_query_gyration, two, 2, true);
    const double expected[10] = {2.5, 0, 12, 12, 0, 0, 0, 12, 0, 12};
    for (size_t k = 0; k < 10; k++) CHECK_NEAR(query_value(&inertia, "", 0, k), expected[k], 1e-14);
    CHECK_NEAR(query_value(&inertia, "axes", 0, 1), 1, 1e-15); /* the axis of the least moment is x */
    CHECK_NEAR(query_value(&inertia, "axes", 0, 2), 0, 1e-15);
    const double radii[8] = {2.5, sqrt(3), 0, sqrt(3), sqrt(3), 0, sqrt(3), sqrt(3)};
    for (size_t k = 0; k < 8; k++) CHECK_NEAR(query_value(&gyration, "", 0, k), radii[k], 1e-14);
    CHECK(query_table(&inertia, "")->table.columns[1].length_power == 2);
    query_end(&inertia);
    query_end(&gyration);
}

/* The centre of mass is (1.5, 1, 0), so Σ m x² = 2.25 + 3·6.25 + 4·2.25; Σ m y² and Σ m x y likewise. */
static void tensor_of_three_masses(void)
{
    query_run run = start(&qn_query_inertia, all, 4, false);
    const double xx = 1 * 2.25 + 3 * 6.25 + 4 * 2.25, yy = 1 * 1 + 3 * 1 + 4 * 1, xy = 1 * 1.5 - 3 * 2.5 - 4 * 1.5;
    const double expected[6] = {yy, -xy, 0, xx, 0, xx + yy};
    for (size_t k = 0; k < 6; k++) CHECK_NEAR(query_value(&run, "", 0, 4 + k), expected[k], 1e-13);
    /* moments in the plane solve λ² − (xx + yy) λ + xx yy − xy² = 0; the third is their sum */
    const double root = sqrt((xx - yy) * (xx - yy) / 4 + xy * xy);
    CHECK_NEAR(query_value(&run, "", 0, 1), (xx + yy) / 2 - root, 1e-13);
    CHECK_NEAR(query_value(&run, "", 0, 2), (xx + yy) / 2 + root, 1e-13);
    CHECK_NEAR(query_value(&run, "", 0, 3), xx + yy, 1e-13);
    query_end(&run);
}

static void counts_of_atoms_and_residues(void)
{
    query_run run = start(&qn_query_count, all, 4, false), part = start(&qn_query_count, apart, 2, true);
    CHECK_NEAR(query_value(&run, "", 0, 1), 4, 0);
    CHECK_NEAR(query_value(&run, "", 0, 2), 3, 0);
    CHECK_NEAR(query_value(&part, "", 0, 1), 2, 0);
    CHECK_NEAR(query_value(&part, "", 0, 2), 2, 0);
    query_end(&run);
    query_end(&part);
}

static void volume_edges_and_angles(void)
{
    query_run run = start(&qn_query_volume, NULL, 0, true);
    CHECK_NEAR(query_value(&run, "", 0, 1), 24, 1e-13);
    CHECK_NEAR(query_value(&run, "", 0, 2), 4, 1e-15);
    CHECK_NEAR(query_value(&run, "", 0, 3), sqrt(10), 1e-15);
    CHECK_NEAR(query_value(&run, "", 0, 4), 2, 1e-15);
    CHECK_NEAR(query_value(&run, "", 0, 5), 90, 1e-12);
    CHECK_NEAR(query_value(&run, "", 0, 6), 90, 1e-12);
    CHECK_NEAR(query_value(&run, "", 0, 7), atan(3) * 180 / acos(-1), 1e-12);
    query_end(&run);
}

/* If a frame has no time, x is the frame number. The centre of no atoms is NaN. */
static void untimed_and_empty_frames(void)
{
    qn_trajectory_frame untimed = frame;
    untimed.time_ps = NAN;
    query_run run = start(&qn_query_com, none, 0, false);
    CHECK(isnan(query_value(&run, "", 0, 1)));
    query_push(&run, &untimed);
    query_finish(&run);
    CHECK_TEXT(query_table(&run, "")->table.columns[0].label, "frame");
    CHECK_NEAR(query_value(&run, "", 0, 0), 5, 0);
    query_end(&run);
    query_run count = start(&qn_query_count, none, 0, false);
    CHECK_NEAR(query_value(&count, "", 0, 1) + query_value(&count, "", 0, 2), 0, 0);
    CHECK_TEXT(query_table(&count, "")->table.columns[0].label, "time");
    CHECK_TEXT(query_table(&count, "")->table.columns[0].unit, "ps");
    query_end(&count);
}

static void queries_without_their_data_are_refused(void)
{
    qn_topology poor = topology;
    query_run run = {.query_class = &qn_query_charge, .topology = &poor, .atoms = {{true, all, 4}, {0}}};
    poor.has_charges = false;
    CHECK_FAILS(query_create(&run, ""), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("charges");
    CHECK_MESSAGE_HAS("hand has no charges");
    poor.masses = QN_MASSES_ABSENT;
    run.query_class = &qn_query_gyration;
    CHECK_FAILS(query_create(&run, ""), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("masses");
    poor.masses = QN_MASSES_FROM_FILE;
    run.query_class = &qn_query_com;
    run.atoms[0] = (qn_query_atoms){true, none, 1};
    CHECK_FAILS(query_create(&run, ""), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("no mass");
    query_end(&run);
}

/* More atoms than a block holds, selected unevenly and far from the origin, compared with plain sums in long double. */
static void sums_of_many_atoms_are_accurate(void)
{
    enum { COUNT = 3000 };
    static qn_topology_atom many[COUNT];
    static float places[3 * COUNT];
    static uint32_t picked[COUNT];
    qn_topology large = topology;
    qn_trajectory_frame far = frame;
    uint32_t state = 5;
    size_t count = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        state = state * 1664525u + 1013904223u;
        many[i].mass_u = 1 + (state >> 24);
        for (uint32_t axis = 0; axis < 3; axis++)
            places[3 * i + axis] = 1000 + (float)((state >> (axis * 8)) & 255) / 64;
        if (i < 700 || state % 3 == 0) picked[count++] = i;
    }
    large.atom_count = far.atom_count = COUNT;
    large.atoms = many;
    far.positions_nm = places;
    query_run run = {.query_class = &qn_query_inertia, .topology = &large, .atoms = {{true, picked, count}, {0}}};
    CHECK_OK(query_create(&run, ""));
    query_push(&run, &far);
    query_finish(&run);
    long double mass = 0, centre[3] = {0}, tensor[3][3] = {{0}};
    for (size_t k = 0; k < count; k++) {
        mass += many[picked[k]].mass_u;
        for (int axis = 0; axis < 3; axis++)
            centre[axis] += many[picked[k]].mass_u * (long double)places[3 * picked[k] + axis];
    }
    for (int axis = 0; axis < 3; axis++) centre[axis] /= mass;
    for (size_t k = 0; k < count; k++) {
        long double d[3], square = 0;
        for (int axis = 0; axis < 3; axis++) {
            d[axis] = places[3 * picked[k] + axis] - centre[axis];
            square += d[axis] * d[axis];
        }
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) tensor[i][j] += many[picked[k]].mass_u * ((i == j ? square : 0) - d[i] * d[j]);
    }
    const double scale = (double)(tensor[0][0] + tensor[1][1] + tensor[2][2]);
    for (int k = 0; k < 6; k++) {
        static const int rows[6] = {0, 0, 0, 1, 1, 2}, columns[6] = {0, 1, 2, 1, 2, 2};
        CHECK_NEAR(query_value(&run, "", 0, 4 + k), (double)tensor[rows[k]][columns[k]], 1e-13 * scale);
    }
    query_end(&run);
}

int main(void)
{
    RUN(sums_of_masses_and_charges);
    RUN(centres_and_moment);
    RUN(inertia_and_gyration_of_two_atoms);
    RUN(tensor_of_three_masses);
    RUN(counts_of_atoms_and_residues);
    RUN(volume_edges_and_angles);
    RUN(untimed_and_empty_frames);
    RUN(queries_without_their_data_are_refused);
    RUN(sums_of_many_atoms_are_accurate);
    return check_finish();
}

/* Densities: single atoms in known slabs and cells, boxes that change, images in skewed cells, centring. */
#include <math.h>
#include <stdio.h>

#include "trajectory/query/queries.h"
#include "trajectory/tests/query_run.h"

enum { COUNT = 400 };

static qn_topology_atom atoms[COUNT];
static float positions[3 * COUNT];
static uint32_t indices[COUNT];
static const qn_topology topology = {.atom_count = COUNT,
                                     .residue_count = 1,
                                     .molecule_count = 1,
                                     .atoms = atoms,
                                     .masses = QN_MASSES_FROM_FILE,
                                     .has_charges = true,
                                     .name = (char *)"hand"};

static qn_trajectory_frame make_frame(const double box[9])
{
    qn_trajectory_frame frame = {.time_ps = 1, .atom_count = COUNT, .positions_nm = positions};
    memcpy(frame.box_nm, box, sizeof frame.box_nm);
    return frame;
}

static query_run start(const qn_query_class *query_class, size_t count, bool fixed, const qn_trajectory_frame *frame,
                       const char *parameters)
{
    for (uint32_t i = 0; i < COUNT; i++) indices[i] = i;
    query_run run = {.query_class = query_class,
                     .topology = &topology,
                     .first_frame = frame,
                     .atoms = {{fixed, indices, count}, {0}}};
    CHECK_OK(query_create(&run, parameters));
    return run;
}

static void place(uint32_t atom, float x, float y, float z)
{
    positions[3 * atom] = x;
    positions[3 * atom + 1] = y;
    positions[3 * atom + 2] = z;
}

/* Two atoms in a box of 2 × 3 × 4 nm, then in a box twice as high. Slabs scale with the box. */
static void two_atoms_in_known_slabs(void)
{
    const double box[9] = {2, 0, 0, 0, 3, 0, 0, 0, 4}, high[9] = {2, 0, 0, 0, 3, 0, 0, 0, 8};
    qn_trajectory_frame first = make_frame(box), second = make_frame(high);
    atoms[0] = (qn_topology_atom){.element = "O", .mass_u = 16, .charge_e = -0.5};
    atoms[1] = (qn_topology_atom){.element = "H", .mass_u = 1, .charge_e = 0.25};
    place(0, 0, 0, 4.5f);  /* wraps to 0.5, slab 1 of 8; in the high box slab 4 */
    place(1, 0, 0, -0.3f); /* wraps to 3.7, slab 7; in the high box to 7.7, slab 7 */
    const struct {
        const char *parameters;
        double oxygen, hydrogen;
    } cases[] = {{"quantity=number bins=8", 1, 1},
                 {"quantity=mass bin=0.5", 16 * 1.66053906660, 1.66053906660},
                 {"quantity=charge bins=8", -0.5, 0.25},
                 {"quantity=electron bins=8", 8.5, 0.75}};
    for (int k = 0; k < 4; k++) {
        query_run run = start(&qn_query_density, 2, k % 2, &first, cases[k].parameters);
        query_push(&run, &first);
        query_push(&run, &second);
        query_finish(&run);
        CHECK(query_table(&run, "")->row_count == 8);
        for (size_t slab = 0; slab < 8; slab++) {
            /* a slab is 3 nm³ in the first frame, 6 in the second; the mean height is 6 nm */
            double expected = (slab == 1) * cases[k].oxygen / 3 / 2 + (slab == 4) * cases[k].oxygen / 6 / 2 +
                              (slab == 7) * cases[k].hydrogen * (1.0 / 3 + 1.0 / 6) / 2;
            CHECK_NEAR(query_value(&run, "", slab, 0), (double)(slab + 0.5) * 0.75, 1e-12);
            CHECK_NEAR(query_value(&run, "", slab, 1), expected, 1e-12 * 30);
            CHECK(isnan(query_value(&run, "", slab, 2))); /* two frames are too few for an error */
        }
        query_end(&run);
    }
}

/* Positions on the lattice of XTC files, z = n / 1000 nm as a decoder computes it, in boxes that are a multiple of it.
 * Every boundary of slabs is on the lattice, with atoms on it. Slabs are those of integer arithmetic. */
static void atoms_on_boundaries_are_in_the_slab_above(void)
{
    static const int edges[] = {4400, 3200, 10000, 2850};
    for (size_t k = 0; k < sizeof edges / sizeof *edges; k++) {
        const double edge = (double)((float)edges[k] / 1000.0f), box[9] = {edge, 0, 0, 0, edge, 0, 0, 0, edge};
        qn_trajectory_frame frame = make_frame(box);
        int expected[50] = {0};
        uint32_t state = 17;
        for (uint32_t i = 0; i < COUNT; i++) {
            state = state * 1664525u + 1013904223u;
            const int boundary = (int)(i % 101) - 25, beside = (int)(state >> 30) - 2;
            const int z = boundary * (edges[k] / 50) + (i % 3 == 0 ? beside : 0);
            place(i, 0.5f, 0.5f, (float)z * (1.0f / 1000.0f));
            expected[((z + edges[k]) % edges[k]) * 50 / edges[k]]++;
        }
        query_run run = start(&qn_query_density, COUNT, true, &frame, "quantity=number bins=50");
        query_push(&run, &frame);
        query_finish(&run);
        for (size_t slab = 0; slab < 50; slab++)
            CHECK_NEAR(query_value(&run, "", slab, 1) * edge * edge * edge / 50, expected[slab], 1e-9);
        query_end(&run);
    }
}

/* In a skewed cell, all images of an atom are in one slab, and the profile counts every atom. */
static void images_share_a_slab_of_a_skewed_cell(void)
{
    const double box[9] = {4, 0, 0, 1.5, 3, 0, -1.2, 0.9, 5};
    const char *axes[3] = {"axis=x bins=7", "axis=y bins=7", "axis=z bins=7"};
    qn_trajectory_frame frame = make_frame(box);
    uint32_t state = 3;
    for (uint32_t i = 0; i < 200; i++) {
        float p[3];
        for (int axis = 0; axis < 3; axis++) p[axis] = (float)((state = state * 1664525u + 1013904223u) >> 8) / 4194304;
        place(i, p[0], p[1], p[2]);
        int a = (int)(state >> 30) - 1, b = (int)(state >> 28 & 3) - 1, c = (int)(state >> 26 & 3) - 2;
        place(200 + i, (float)(p[0] + a * box[0] + b * box[3] + c * box[6]), (float)(p[1] + b * box[4] + c * box[7]),
              (float)(p[2] + c * box[8]));
        atoms[i].charge_e = 1;
        atoms[200 + i].charge_e = -1;
    }
    for (int axis = 0; axis < 3; axis++) {
        char parameters[64];
        for (int charge = 0; charge < 2; charge++) {
            snprintf(parameters, sizeof parameters, "%s quantity=%s", axes[axis], charge ? "charge" : "number");
            query_run run = start(&qn_query_density, COUNT, true, &frame, parameters);
            double sum = 0, largest = 0;
            query_push(&run, &frame);
            query_finish(&run);
            for (size_t slab = 0; slab < 7; slab++) {
                sum += query_value(&run, "", slab, 1) * 60 / 7;
                largest = fmax(largest, fabs(query_value(&run, "", slab, 1) * 60 / 7));
            }
            CHECK_NEAR(sum, charge ? 0 : COUNT, 1e-9);
            if (charge) CHECK_NEAR(largest, 0, 1e-9);
            query_end(&run);
        }
    }
}

/* A group across the boundary is moved to the middle, and with it an atom 0.45 nm above its centre. */
static void centring_follows_a_group_across_the_boundary(void)
{
    const double box[9] = {2, 0, 0, 0, 2, 0, 0, 0, 4};
    qn_trajectory_frame frame = make_frame(box);
    for (int i = 0; i < 3; i++) atoms[i].mass_u = 1;
    place(0, 0, 0, 0.1f);
    place(1, 0, 0, 3.9f);
    place(2, 0, 0, 0.45f);
    query_run run = start(&qn_query_density, 3, true, &frame, "quantity=number bins=8 centre=yes");
    run.atoms[1] = (qn_query_atoms){true, indices, 2};
    query_push(&run, &frame);
    query_finish(&run);
    const double counts[8] = {0, 0, 0, 1, 2, 0, 0, 0}; /* atoms of each slab of 2 nm³ */
    for (size_t k = 0; k < 8; k++) {
        CHECK_NEAR(query_value(&run, "", k, 0), -1.75 + 0.5 * (double)k, 1e-12);
        CHECK_NEAR(query_value(&run, "", k, 1), counts[k] / 2, 1e-12);
    }
    query_end(&run);
}

static void grid_cells_hold_their_atoms(void)
{
    const double box[9] = {2, 0, 0, 0, 3, 0, 0, 0, 4};
    qn_trajectory_frame frame = make_frame(box);
    atoms[0].mass_u = 16;
    atoms[1].mass_u = 1;
    place(0, 0.6f, 1.7f, 4.5f);  /* cell 0 1 0 of 2 × 3 × 4 */
    place(1, -0.1f, 3.1f, 3.2f); /* cell 1 0 3 */
    for (int fixed = 0; fixed < 2; fixed++) {
        query_run run = start(&qn_query_density_grid, 2, fixed, &frame, "quantity=mass bin=1");
        query_push(&run, &frame);
        query_push(&run, &frame);
        query_finish(&run);
        CHECK(run.tables->grid_count == 1);
        const qn_query_grid *grid = run.tables->grids;
        CHECK(grid->counts[0] == 2 && grid->counts[1] == 3 && grid->counts[2] == 4);
        for (int k = 0; k < 24; k++) {
            double expected = k == 4 ? 16 : k == 12 + 3 ? 1 : 0;
            CHECK_NEAR(grid->values[k], expected * 1.66053906660, 1e-12);
        }
        for (int k = 0; k < 3; k++) CHECK(grid->step_nm[k] == 1 && grid->origin_nm[k] == 0);
        query_end(&run);
    }
}

/* In a skewed box, all images of a position are in the same cell of the brick. */
static void images_share_a_cell_of_the_brick(void)
{
    const double box[9] = {4, 0, 0, 1.5, 3, 0, -1.2, 0.9, 5};
    qn_trajectory_frame frame = make_frame(box);
    atoms[0].charge_e = 1;
    atoms[1].charge_e = -1;
    place(0, 0.33f, 2.21f, 4.44f);
    place(1, (float)(0.33 + 4 - 2 * 1.5 - 1.2), (float)(2.21 - 6 + 0.9), (float)(4.44 + 5));
    query_run run = start(&qn_query_density_grid, 2, true, &frame, "quantity=charge bin=0.5");
    query_push(&run, &frame);
    query_finish(&run);
    const qn_query_grid *grid = run.tables->grids;
    CHECK(grid->counts[0] == 8 && grid->counts[1] == 6 && grid->counts[2] == 10);
    for (int k = 0; k < 480; k++) CHECK_NEAR(grid->values[k], 0, 1e-12);
    query_end(&run);
}

static void positions_that_are_not_finite_or_huge_are_left_out(void)
{
    const double box[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
    qn_trajectory_frame frame = make_frame(box);
    place(0, NAN, NAN, NAN);
    place(1, 1, 1, INFINITY);
    place(2, 1, 1, 3e38f);
    place(3, 1, 1, 1.5f);
    query_run run = start(&qn_query_density, 4, true, &frame, "quantity=number bins=2");
    query_run grid = start(&qn_query_density_grid, 4, true, &frame, "bin=1");
    query_push(&run, &frame);
    query_push(&grid, &frame);
    query_finish(&run);
    query_finish(&grid);
    CHECK_NEAR(query_value(&run, "", 0, 1), 0, 0);
    CHECK_NEAR(query_value(&run, "", 1, 1), 0.25, 0);
    CHECK(grid.tables->grids[0].values[7] >= 1);
    query_end(&run);
    query_end(&grid);
}

static void large_grids_and_missing_boxes_are_refused(void)
{
    const double box[9] = {20, 0, 0, 0, 20, 0, 0, 0, 20}, zero[9] = {0};
    qn_trajectory_frame frame = make_frame(box), open = make_frame(zero);
    query_run run = {.query_class = &qn_query_density_grid, .topology = &topology, .first_frame = &frame};
    CHECK_FAILS(query_create(&run, "bin=0.01"), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("8000000000 cells");
    run.first_frame = &open;
    CHECK_FAILS(query_create(&run, ""), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("no box");
    run.query_class = &qn_query_density;
    CHECK_FAILS(query_create(&run, "bin=0.1"), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("no box");
    CHECK_FAILS(query_create(&run, "quantity=spin"), QN_INVALID_ARGUMENT);
}

/* An atom is in slab 0 of 8, each of 3 nm³, or in slab 4. Of 21 frames there are ten blocks of two; the last frame is
 * in none. The error is the scatter of their means. */
static void errors_come_from_blocks_of_frames(void)
{
    static const char in_slab_0[] = "110100011011100001010";
    const double box[9] = {2, 0, 0, 0, 3, 0, 0, 0, 4};
    double mean = 0, squares = 0;
    qn_trajectory_frame frame = make_frame(box);
    query_run run = start(&qn_query_density, 1, true, &frame, "quantity=number bins=8");
    for (int i = 0; i < 21; i++) {
        place(0, 0.5f, 0.5f, in_slab_0[i] == '1' ? 0.25f : 2.25f);
        query_push(&run, &frame);
    }
    query_finish(&run);
    for (int b = 0; b < 10; b++) mean += ((in_slab_0[2 * b] == '1') + (in_slab_0[2 * b + 1] == '1')) / 6.0 / 10;
    for (int b = 0; b < 10; b++)
        squares += pow(((in_slab_0[2 * b] == '1') + (in_slab_0[2 * b + 1] == '1')) / 6.0 - mean, 2);
    CHECK_TEXT(query_table(&run, "")->table.columns[2].label, "error of number density");
    CHECK_NEAR(query_value(&run, "", 0, 2), sqrt(squares / 90), 1e-12);
    CHECK_NEAR(query_value(&run, "", 4, 2), sqrt(squares / 90), 1e-12);
    CHECK(query_value(&run, "", 1, 2) == 0);
    query_end(&run);
}

int main(void)
{
    RUN(errors_come_from_blocks_of_frames);
    RUN(two_atoms_in_known_slabs);
    RUN(atoms_on_boundaries_are_in_the_slab_above);
    RUN(images_share_a_slab_of_a_skewed_cell);
    RUN(centring_follows_a_group_across_the_boundary);
    RUN(grid_cells_hold_their_atoms);
    RUN(images_share_a_cell_of_the_brick);
    RUN(positions_that_are_not_finite_or_huge_are_left_out);
    RUN(large_grids_and_missing_boxes_are_refused);
    return check_finish();
}

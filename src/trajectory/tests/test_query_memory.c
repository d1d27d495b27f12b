/* Queries that compare frames: displacements of made-up walks that cross the boundary, and RMSD of moved structures. */
#include <math.h>

#include "trajectory/query/queries.h"
#include "trajectory/tests/query_run.h"

enum { COUNT = 40 };

static qn_topology_atom atoms[COUNT];
static uint32_t indices[COUNT];
static float positions[3 * COUNT], reference[3 * COUNT];
static qn_topology topology = {.atom_count = COUNT,
                               .residue_count = 1,
                               .molecule_count = 1,
                               .atoms = atoms,
                               .masses = QN_MASSES_FROM_FILE,
                               .name = (char *)"hand"};
static qn_trajectory_frame frame = {
    .time_ps = 0, .box_nm = {2, 0, 0, 0, 3, 0, 0, 0, 4}, .atom_count = COUNT, .positions_nm = positions};
static uint32_t random_state = 9;

static double uniform(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) / 16777216.0 * 2 - 1;
}

static query_run start(const qn_query_class *query_class, size_t count, const char *parameters)
{
    for (uint32_t i = 0; i < COUNT; i++) indices[i] = i;
    query_run run = {.query_class = query_class,
                     .topology = &topology,
                     .first_frame = &frame,
                     .atoms = {{true, indices, count}, {0}}};
    CHECK_OK(query_create(&run, parameters));
    return run;
}

/* One atom moves by 0.5 nm per frame along x, where the box has 2 nm; the other by −0.9 nm along z, where it has 4 nm.
 */
static void displacements_are_unwrapped_across_the_boundary(void)
{
    query_run run = start(&qn_query_msd, 2, ""), flat = start(&qn_query_msd, 2, "axes=xy fit-begin=0 fit-end=2");
    for (int step = 0; step < 11; step++) {
        const double x = 0.3 + 0.5 * step, z = 0.2 - 0.9 * step;
        positions[0] = (float)(x - 2 * floor(x / 2));
        positions[5] = (float)(z - 4 * floor(z / 4));
        frame.time_ps = 10 + 0.5 * step;
        query_push(&run, &frame);
        query_push(&flat, &frame);
    }
    query_finish(&run);
    query_finish(&flat);
    for (size_t step = 0; step < 11; step++) {
        const double squares[2] = {0.25 * (double)(step * step) / 2, 0.81 * (double)(step * step) / 2};
        CHECK_NEAR(query_value(&run, "", step, 0), 0.5 * (double)step, 1e-12);
        CHECK_NEAR(query_value(&run, "", step, 1), squares[0] + squares[1], 3e-5);
        CHECK_NEAR(query_value(&run, "", step, 2), squares[0], 3e-5);
        CHECK_NEAR(query_value(&run, "", step, 3), 0, 0);
        CHECK_NEAR(query_value(&run, "", step, 4), squares[1], 3e-5);
        CHECK_NEAR(query_value(&flat, "", step, 1), squares[0], 3e-5);
    }
    /* the line through t²/2 (t in ps, from 0 to 2 in steps of 0.5) has the slope 1; D = 1 / (2 · 2 dimensions) */
    CHECK_NEAR(query_number(&flat, "diffusion coefficient"), 1000.0 / 4, 0.01);
    query_end(&run);
    query_end(&flat);
}

/* A fitted range without lags would give a line through nothing; a short run has no coefficient. */
static void ranges_of_the_fit_must_have_lags(void)
{
    static const char *const parameters[] = {"", "fit-begin=1e9", "fit-begin=0.9 fit-end=1.1", "fit-begin=0 fit-end=1"};
    for (size_t k = 0; k < 4; k++) {
        query_run run = start(&qn_query_msd, 2, parameters[k]);
        for (int step = 0; step < 3; step++) {
            positions[0] = 0.1f * (float)step;
            frame.time_ps = step;
            query_push(&run, &frame);
        }
        CHECK_OK(qn_query_tables_create(&run.tables));
        const qn_status status = run.query_class->finish(run.state, run.tables);
        CHECK(status == (k == 1 || k == 2 ? QN_INVALID_ARGUMENT : QN_OK));
        if (k == 1)
            CHECK_MESSAGE_HAS("0 of the lags from 0 to 2 ps lie between fit-begin, 1e+09 ps, and fit-end, 1.8 ps; "
                              "expected a range with at least two");
        if (k == 2) CHECK_MESSAGE_HAS("1 of the lags from 0 to 2 ps lies between fit-begin, 0.9 ps");
        CHECK(run.tables->number_count == (k == 3 ? 1 : 0)); /* the lags 0 and 1 ps; halves have one each */
        query_end(&run);
    }
}

static void times_that_do_not_grow_are_refused(void)
{
    query_run run = start(&qn_query_msd, 2, "");
    double partial[6] = {0};
    qn_trajectory_frame bare = frame;
    bare.positions_nm = NULL;
    bare.time_ps = 3;
    CHECK_OK(run.query_class->collect(run.state, &bare, partial));
    CHECK_FAILS(run.query_class->collect(run.state, &bare, partial), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("the first two frames are at 3 ps and 3 ps; expected times that grow");
    query_end(&run);
}

static void displacement_in_a_triclinic_box_and_without_one(void)
{
    const double box[9] = {3, 0, 0, 1.4, 3, 0, -1.3, 1.2, 3}, zero[9] = {0};
    double true_place[3] = {1, 1, 1}, free_place[3];
    query_run run = start(&qn_query_msd, 1, ""), open = start(&qn_query_msd, 1, "");
    qn_trajectory_frame skewed = frame, unbound = frame;
    float free_positions[3 * COUNT] = {0};
    memcpy(skewed.box_nm, box, sizeof box);
    memcpy(unbound.box_nm, zero, sizeof zero);
    unbound.positions_nm = free_positions;
    for (int step = 0; step < 60; step++) {
        for (int axis = 0; axis < 3; axis++) {
            if (step) true_place[axis] += 0.5 * uniform();
            free_place[axis] = true_place[axis] * 100;
            free_positions[axis] = (float)free_place[axis];
        }
        int a = (int)lrint(1.4 * uniform()), b = (int)lrint(1.4 * uniform()), c = (int)lrint(1.4 * uniform());
        for (int axis = 0; axis < 3; axis++)
            positions[axis] = (float)(true_place[axis] + a * box[axis] + b * box[3 + axis] + c * box[6 + axis]);
        skewed.time_ps = unbound.time_ps = step;
        query_push(&run, &skewed);
        query_push(&open, &unbound);
    }
    query_finish(&run);
    query_finish(&open);
    double expected = 0;
    for (int axis = 0; axis < 3; axis++) expected += (true_place[axis] - 1) * (true_place[axis] - 1);
    CHECK_NEAR(query_value(&run, "", 59, 1), expected, 1e-4);
    CHECK_NEAR(query_value(&open, "", 59, 1), expected * 1e4, 1);
    query_end(&run);
    query_end(&open);
}

/* Every third of 20 frames is a starting frame and is followed for 8 frames. Expected squares follow the definition. */
static void displacements_are_averaged_over_starting_frames(void)
{
    enum { FRAMES = 20, PARTICLES = 5 };
    double walk[FRAMES][3 * PARTICLES] = {{0}};
    query_run run = start(&qn_query_msd, PARTICLES, "restart=1.5 longest=4"),
              plain = start(&qn_query_msd, PARTICLES, "");
    for (int step = 0; step < FRAMES; step++) {
        for (int k = 0; k < 3 * PARTICLES; k++) {
            walk[step][k] = (step ? walk[step - 1][k] : 1) + 0.3 * uniform();
            const double edge = frame.box_nm[4 * (k % 3)];
            positions[k] = (float)(walk[step][k] - edge * floor(walk[step][k] / edge));
        }
        frame.time_ps = 3 + 0.5 * step;
        query_push(&run, &frame);
        query_push(&plain, &frame);
    }
    query_finish(&run);
    query_finish(&plain);
    CHECK(query_table(&run, "")->row_count == 9 && query_table(&plain, "")->row_count == FRAMES);
    for (int lag = 0; lag < FRAMES; lag++) {
        double sum = 0, first = 0;
        int starts = 0;
        for (int begin = 0; begin + lag < FRAMES; begin += 3, starts++)
            for (int k = 0; k < 3 * PARTICLES; k++) {
                const double square = pow(walk[begin + lag][k] - walk[begin][k], 2) / PARTICLES;
                sum += square;
                if (begin == 0) first += square;
            }
        CHECK_NEAR(query_value(&plain, "", (size_t)lag, 1), first, 1e-5);
        CHECK_NEAR(query_value(&plain, "", (size_t)lag, 5), 1, 0);
        if (lag > 8) continue;
        CHECK_NEAR(query_value(&run, "", (size_t)lag, 0), 0.5 * lag, 1e-12);
        CHECK_NEAR(query_value(&run, "", (size_t)lag, 1), sum / starts, 1e-5);
        CHECK_NEAR(query_value(&run, "", (size_t)lag, 5), starts, 0);
    }
    query_end(&run);
    query_end(&plain);
}

static void frame_numbers_replace_missing_times(void)
{
    query_run run = start(&qn_query_msd, 1, "");
    memset(positions, 0, sizeof positions);
    frame.time_ps = NAN;
    for (frame.number = 4; frame.number < 7; frame.number++) {
        positions[0] = 0.1f * (float)frame.number;
        query_push(&run, &frame);
    }
    query_finish(&run);
    CHECK_NEAR(query_value(&run, "", 2, 0), 2, 0);
    CHECK_NEAR(query_value(&run, "", 2, 1), 0.04, 1e-7);
    CHECK(run.tables->number_count == 0);
    query_end(&run);
    run = start(&qn_query_msd, 1, "restart=2");
    CHECK_FAILS(qn_query_msd.collect(run.state, &frame, (const double[3]){0}), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("frame 7 has no time");
    query_end(&run);
    frame.time_ps = 0;
    frame.number = 0;
}

/* Atoms 0 and 1 (masses 1, 3) are a molecule, atom 2 is another. Molecule 0 rotates about its centre of mass, which is
 * no displacement; molecule 1 moves by 0.4 nm. */
static void molecules_are_followed_by_their_centres(void)
{
    for (uint32_t i = 0; i < 3; i++) atoms[i] = (qn_topology_atom){.molecule = i / 2, .mass_u = i == 1 ? 3 : 1};
    topology.molecule_count = 2;
    memset(positions, 0, sizeof positions);
    query_run run = start(&qn_query_msd, 3, "of=molecules");
    positions[0] = 0.3f;
    positions[3] = -0.1f;
    query_push(&run, &frame);
    frame.time_ps = 1;
    positions[0] = -0.3f;
    positions[3] = 0.1f;
    positions[7] = 0.4f;
    query_push(&run, &frame);
    query_finish(&run);
    CHECK_NEAR(query_value(&run, "", 1, 1), 0.16 / 2, 1e-7);
    CHECK_NEAR(query_value(&run, "", 1, 2), 0, 1e-12);
    CHECK_NEAR(query_value(&run, "", 1, 3), 0.08, 1e-7);
    query_end(&run);
    topology.molecule_count = 1;
}

static void turn_structure(double angle, double shift)
{
    const double c = cos(angle), s = sin(angle);
    for (int i = 0; i < COUNT; i++) {
        const float *from = reference + 3 * i;
        positions[3 * i] = (float)(c * from[0] - s * from[1] + shift);
        positions[3 * i + 1] = (float)(s * from[0] + c * from[1] - shift);
        positions[3 * i + 2] = from[2];
    }
}

static void make_structure(void)
{
    for (int i = 0; i < COUNT; i++) atoms[i] = (qn_topology_atom){.mass_u = 1 + i % 7};
    for (int k = 0; k < 3 * COUNT; k++) positions[k] = reference[k] = (float)uniform();
}

static void rmsd_is_zero_after_fitting_rigid_motions(void)
{
    make_structure();
    query_run fitted = start(&qn_query_rmsd, COUNT, ""), shifted = start(&qn_query_rmsd, COUNT, "fit=translation");
    query_run plain = start(&qn_query_rmsd, COUNT, "fit=none weights=none");
    turn_structure(0, 0.5);
    query_push(&shifted, &frame);
    query_push(&plain, &frame);
    turn_structure(1, 0.5);
    query_push(&fitted, &frame);
    query_push(&shifted, &frame);
    query_finish(&fitted);
    query_finish(&shifted);
    query_finish(&plain);
    CHECK_NEAR(query_value(&fitted, "", 0, 1), 0, 2e-7);
    CHECK_NEAR(query_value(&shifted, "", 0, 1), 0, 2e-7);
    CHECK_NEAR(query_value(&plain, "", 0, 1), sqrt(0.5), 2e-7);
    CHECK(query_value(&shifted, "", 1, 1) > 0.1);
    query_end(&fitted);
    query_end(&shifted);
    query_end(&plain);
}

/* The second selection is fitted, so a shift of the first selection alone by 0.3 nm is the deviation. */
static void deviation_after_fitting_another_group(void)
{
    make_structure();
    query_run run = start(&qn_query_rmsd, 10, "");
    query_end(&run);
    run.atoms[1] = (qn_query_atoms){true, indices + 10, COUNT - 10};
    CHECK_OK(query_create(&run, ""));
    turn_structure(2, -0.7);
    for (int i = 0; i < 10; i++) positions[3 * i + 2] += 0.3f;
    query_push(&run, &frame);
    query_finish(&run);
    CHECK_NEAR(query_value(&run, "", 0, 1), 0.3, 3e-7);
    query_end(&run);
}

/* Masses 1 and 3, moved by 0.2 and 0.1: weighted √((0.04 + 0.03) / 4), plain √(0.05 / 2). */
static void masses_weight_deviations(void)
{
    make_structure();
    atoms[0].mass_u = 1;
    atoms[1].mass_u = 3;
    query_run weighted = start(&qn_query_rmsd, 2, "fit=none"),
              plain = start(&qn_query_rmsd, 2, "fit=none weights=none");
    positions[0] += 0.2f;
    positions[5] -= 0.1f;
    query_push(&weighted, &frame);
    query_push(&plain, &frame);
    query_finish(&weighted);
    query_finish(&plain);
    CHECK_NEAR(query_value(&weighted, "", 0, 1), sqrt(0.07 / 4), 1e-7);
    CHECK_NEAR(query_value(&plain, "", 0, 1), sqrt(0.05 / 2), 1e-7);
    query_end(&weighted);
    query_end(&plain);
}

static void the_topology_can_be_the_reference(void)
{
    make_structure();
    query_run run = {.query_class = &qn_query_rmsd,
                     .topology = &topology,
                     .first_frame = &frame,
                     .atoms = {{true, indices, 5}, {0}}};
    CHECK_FAILS(query_create(&run, "reference=topology"), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("no positions");
    topology.positions_nm = reference;
    positions[0] += 0.5f;
    CHECK_OK(query_create(&run, "reference=topology fit=none weights=none"));
    query_push(&run, &frame);
    query_finish(&run);
    CHECK_NEAR(query_value(&run, "", 0, 1), sqrt(0.25 / 5), 1e-7);
    query_end(&run);
    topology.positions_nm = NULL;
    run.atoms[0].count = 2;
    CHECK_FAILS(query_create(&run, ""), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("at least 3");
    run.query_class = &qn_query_msd;
    CHECK_FAILS(query_create(&run, "fit-begin=5 fit-end=4"), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("begin before the end");
}

int main(void)
{
    RUN(displacements_are_unwrapped_across_the_boundary);
    RUN(ranges_of_the_fit_must_have_lags);
    RUN(times_that_do_not_grow_are_refused);
    RUN(displacement_in_a_triclinic_box_and_without_one);
    RUN(displacements_are_averaged_over_starting_frames);
    RUN(frame_numbers_replace_missing_times);
    RUN(molecules_are_followed_by_their_centres);
    RUN(rmsd_is_zero_after_fitting_rigid_motions);
    RUN(deviation_after_fitting_another_group);
    RUN(masses_weight_deviations);
    RUN(the_topology_can_be_the_reference);
    return check_finish();
}

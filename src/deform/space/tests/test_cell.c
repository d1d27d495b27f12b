/* Interpolation in a cell, against fields of forces whose energies and derivatives are known. */
#include "deform/space/cell.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "deform/space/tests/field.h"
#include "math/random.h"

typedef struct corners {
    qn_grid_state states[8];
    float x[8][FIELD_FREEDOMS], change[8][3 * FIELD_FREEDOMS];
    qn_cell cell;
} corners;

static void fill(const field *of, double step, const int32_t index[3], corners *filled)
{
    memset(filled, 0, sizeof *filled);
    filled->cell.step = step;
    memcpy(filled->cell.index, index, sizeof filled->cell.index);
    for (int corner = 0; corner < 8; corner++) {
        int32_t at[3];
        CHECK(qn_cell_corner(&filled->cell, corner, at));
        filled->states[corner].x = filled->x[corner];
        filled->states[corner].change = filled->change[corner];
        field_state(of, step, at, &filled->states[corner]);
        filled->cell.corners[corner] = &filled->states[corner];
    }
}

/* Place number `draw` in the cell. */
static void place_in(const qn_cell *cell, uint64_t draw, double place[3])
{
    for (int axis = 0; axis < 3; axis++)
        place[axis] = cell->step * (cell->index[axis] + qn_random_uniform(3, (uint64_t)axis, draw));
}

/* Largest error of a way at 1,000 places of a cell, relative to the largest force there. */
static double error_of(const field *of, double step, const int32_t index[3], qn_interpolation way)
{
    corners filled;
    double worst = 0, largest = 0;
    fill(of, step, index, &filled);
    for (uint64_t draw = 0; draw < 1000; draw++) {
        double place[3], force[3], expected[3], stiffness[9], energy;
        place_in(&filled.cell, draw, place);
        field_at(of, place, &energy, expected, stiffness);
        qn_cell_force(&filled.cell, way, place, force);
        for (int axis = 0; axis < 3; axis++) {
            worst = fmax(worst, fabs(force[axis] - expected[axis]));
            largest = fmax(largest, fabs(expected[axis]));
        }
    }
    return worst / largest;
}

static const int32_t somewhere[3] = {2, -1, 1};

static void quadratic_forces_are_exact(void)
{
    const field quadratic = {.cubic = 900}, straight = {0};
    CHECK(error_of(&quadratic, 0.01, somewhere, QN_INTERPOLATION_GRADIENT) < 1e-14);
    CHECK(error_of(&quadratic, 0.01, somewhere, QN_INTERPOLATION_ENERGY) < 1e-13);
    CHECK(error_of(&quadratic, 0.01, somewhere, QN_INTERPOLATION_LINEAR) > 1e-3);
    CHECK(error_of(&straight, 0.01, somewhere, QN_INTERPOLATION_LINEAR) < 1e-14);
}

static void cubic_forces_are_exact_with_the_energy(void)
{
    const field cubic = {.cubic = 900, .quartic = 6e4};
    CHECK(error_of(&cubic, 0.01, somewhere, QN_INTERPOLATION_ENERGY) < 1e-13);
    CHECK(error_of(&cubic, 0.01, somewhere, QN_INTERPOLATION_GRADIENT) > 1e-4);
}

/* Errors of other fields fall as h³, h⁴ and h² at a fixed place when the step is halved. */
static void errors_have_the_order_of_the_way(void)
{
    const field waves = {.cubic = 900, .wave = 2e-3};
    static const int32_t twice[3] = {4, -2, 2};
    double ratios[3];
    for (int way = QN_INTERPOLATION_GRADIENT; way <= QN_INTERPOLATION_LINEAR; way++)
        ratios[way] = error_of(&waves, 0.002, somewhere, (qn_interpolation)way) /
                      error_of(&waves, 0.001, twice, (qn_interpolation)way);
    CHECK(ratios[QN_INTERPOLATION_GRADIENT] > 6 && ratios[QN_INTERPOLATION_GRADIENT] < 11);
    CHECK(ratios[QN_INTERPOLATION_ENERGY] > 12 && ratios[QN_INTERPOLATION_ENERGY] < 22);
    CHECK(ratios[QN_INTERPOLATION_LINEAR] > 3 && ratios[QN_INTERPOLATION_LINEAR] < 5.5);
}

static void the_energy_way_is_the_gradient_of_its_energy(void)
{
    const field waves = {.cubic = 900, .wave = 2e-3};
    corners filled;
    double worst = 0;
    fill(&waves, 0.01, somewhere, &filled);
    for (uint64_t draw = 0; draw < 50; draw++) {
        double place[3], force[3];
        place_in(&filled.cell, draw, place);
        qn_cell_force(&filled.cell, QN_INTERPOLATION_ENERGY, place, force);
        for (int axis = 0; axis < 3; axis++) {
            double up[3], down[3], unused[3];
            memcpy(up, place, sizeof up);
            memcpy(down, place, sizeof down);
            up[axis] += 1e-6;
            down[axis] -= 1e-6;
            const double rise = qn_cell_energy(&filled.cell, up, unused) - qn_cell_energy(&filled.cell, down, unused);
            worst = fmax(worst, fabs(rise / 2e-6 - force[axis]));
        }
    }
    CHECK_NEAR(worst, 0, 1e-8); /* N, of forces of 1 N */
}

/* Work along a closed triangle in the cell: Gauss's rule of three points on 40 parts of each side. */
static double work_around(const corners *filled, qn_interpolation way)
{
    static const double corner_parts[4][3] = {{0.1, 0.1, 0.2}, {0.9, 0.3, 0.4}, {0.3, 0.95, 0.8}, {0.1, 0.1, 0.2}};
    static const double points[3] = {0.1127016653792583, 0.5, 0.8872983346207417},
                        weights[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    double work = 0;
    for (int side = 0; side < 3; side++)
        for (int part = 0; part < 40; part++)
            for (int point = 0; point < 3; point++) {
                const double t = (part + points[point]) / 40;
                double place[3], force[3], way_length[3];
                for (int axis = 0; axis < 3; axis++) {
                    const double from = corner_parts[side][axis], to = corner_parts[side + 1][axis];
                    place[axis] = filled->cell.step * (filled->cell.index[axis] + from + t * (to - from));
                    way_length[axis] = filled->cell.step * (to - from) / 40 * weights[point];
                }
                qn_cell_force(&filled->cell, way, place, force);
                for (int axis = 0; axis < 3; axis++) work += force[axis] * way_length[axis];
            }
    return work;
}

static void a_closed_way_takes_no_work_with_the_energy(void)
{
    const field waves = {.cubic = 900, .wave = 2e-3};
    corners filled;
    fill(&waves, 0.01, somewhere, &filled);
    CHECK_NEAR(work_around(&filled, QN_INTERPOLATION_ENERGY), 0, 1e-15);
    CHECK(fabs(work_around(&filled, QN_INTERPOLATION_GRADIENT)) > 1e-9);
}

/* Both cells beside a face have the same force and energy there, on its edges too. */
static void forces_and_energies_are_continuous_over_faces(void)
{
    const field waves = {.cubic = 900, .quartic = 6e4, .wave = 2e-3};
    double jump[2] = {0, 0}, jump_of_energy = 0;
    for (int axis = 0; axis < 3; axis++) {
        corners lower, upper;
        int32_t next[3] = {somewhere[0], somewhere[1], somewhere[2]};
        next[axis]++;
        fill(&waves, 0.01, somewhere, &lower);
        fill(&waves, 0.01, next, &upper);
        for (uint64_t draw = 0; draw < 50; draw++) {
            double place[3], below[3], above[3];
            place_in(&lower.cell, draw, place);
            place[axis] = 0.01 * next[axis];
            if (draw >= 40) place[(axis + 1) % 3] = 0.01 * (next[(axis + 1) % 3] + draw % 2); /* an edge */
            for (int way = QN_INTERPOLATION_GRADIENT; way <= QN_INTERPOLATION_ENERGY; way++) {
                qn_cell_force(&lower.cell, (qn_interpolation)way, place, below);
                qn_cell_force(&upper.cell, (qn_interpolation)way, place, above);
                for (int i = 0; i < 3; i++) jump[way] = fmax(jump[way], fabs(above[i] - below[i]));
            }
            jump_of_energy = fmax(jump_of_energy, fabs(qn_cell_energy(&lower.cell, place, below) -
                                                       qn_cell_energy(&upper.cell, place, above)));
        }
    }
    CHECK_NEAR(jump[QN_INTERPOLATION_GRADIENT], 0, 1e-14);
    CHECK_NEAR(jump[QN_INTERPOLATION_ENERGY], 0, 1e-13); /* N, of forces of 1 N: sums of W over the step */
    CHECK_NEAR(jump_of_energy, 0, 1e-15);
}

/* At the corners all ways give what the states have, the energy too. */
static void corners_have_their_states(void)
{
    const field waves = {.cubic = 900, .quartic = 6e4, .wave = 2e-3};
    corners filled;
    fill(&waves, 0.01, somewhere, &filled);
    for (int corner = 0; corner < 8; corner++) {
        const qn_grid_state *state = &filled.states[corner];
        double place[3], force[3];
        for (int axis = 0; axis < 3; axis++) place[axis] = 0.01 * state->index[axis];
        CHECK_NEAR(qn_cell_energy(&filled.cell, place, force), state->energy, 1e-16);
        for (int axis = 0; axis < 3; axis++) CHECK_NEAR(force[axis], state->force[axis], 1e-13);
    }
}

static void the_shape_follows_as_the_force_does(void)
{
    const field quadratic = {.cubic = 900};
    corners filled;
    double worst = 0;
    fill(&quadratic, 0.01, somewhere, &filled);
    for (uint64_t draw = 0; draw < 50; draw++) {
        double place[3], force[3];
        float x[FIELD_FREEDOMS];
        place_in(&filled.cell, draw, place);
        qn_cell_force(&filled.cell, QN_INTERPOLATION_GRADIENT, place, force);
        qn_cell_shape(&filled.cell, place, FIELD_FREEDOMS, x);
        for (int i = 0; i < FIELD_FREEDOMS; i++) worst = fmax(worst, fabs((double)x[i] - force[i]));
    }
    CHECK_NEAR(worst, 0, 1e-6); /* single precision of 1 N */
}

static void one_state_tells_the_force_beside_it(void)
{
    const field straight = {0};
    const double place[3] = {0.013, -0.02, 0.031};
    double force[3], expected[3], stiffness[9], energy;
    qn_grid_state state = {0};
    field_state(&straight, 0.01, somewhere, &state);
    field_at(&straight, place, &energy, expected, stiffness);
    qn_grid_state_extrapolate(&state, 0.01, place, force);
    for (int axis = 0; axis < 3; axis++) CHECK_NEAR(force[axis], expected[axis], 1e-14);
}

static void cells_with_gaps_and_folds_are_not_whole(void)
{
    static const uint32_t folds[3] = {QN_GRID_FOLD_X, QN_GRID_FOLD_Y, QN_GRID_FOLD_Z};
    const field quadratic = {.cubic = 900};
    corners filled;
    fill(&quadratic, 0.01, somewhere, &filled);
    CHECK(qn_cell_is_whole(&filled.cell));
    for (int corner = 0; corner < 8; corner++) {
        filled.cell.corners[corner] = NULL;
        CHECK(!qn_cell_is_whole(&filled.cell));
        filled.cell.corners[corner] = &filled.states[corner];
        filled.states[corner].flags = QN_GRID_UNSOLVED;
        CHECK(!qn_cell_is_whole(&filled.cell));
        filled.states[corner].flags = QN_GRID_COMPRESSED;
        CHECK(qn_cell_is_whole(&filled.cell));
        for (int axis = 0; axis < 3; axis++) { /* a fold towards + crosses the cell from its lower corners only */
            filled.states[corner].flags = folds[axis];
            CHECK(qn_cell_is_whole(&filled.cell) == (corner >> axis & 1));
        }
        filled.states[corner].flags = 0;
    }
}

static void fill_flat(const field *of, corners *filled)
{
    fill(of, 0.01, somewhere, filled);
    filled->cell.is_flat[1] = true;
    for (int corner = 0; corner < 8; corner++)
        if (corner & 2) filled->cell.corners[corner] = NULL;
    filled->states[0].flags = QN_GRID_FOLD_Y; /* outside of the layer */
}

/* Largest error of a way in a flat cell, N. */
static double error_of_flat(const field *of, qn_interpolation way)
{
    corners filled;
    double worst = 0;
    fill_flat(of, &filled);
    for (uint64_t draw = 0; draw < 50; draw++) {
        double place[3], force[3], expected[3], stiffness[9], energy;
        place_in(&filled.cell, draw, place);
        place[1] = 0.01 * somewhere[1];
        field_at(of, place, &energy, expected, stiffness);
        qn_cell_force(&filled.cell, way, place, force);
        for (int axis = 0; axis < 3; axis++) worst = fmax(worst, fabs(force[axis] - expected[axis]));
    }
    return worst;
}

/* A cell of a grid of one layer in y: forces are exact where those of whole cells are, across the layer too, though the
 * energy beside it is not known. */
static void flat_cells_have_four_corners(void)
{
    const field quadratic = {.cubic = 900}, cubic = {.cubic = 900, .quartic = 6e4};
    corners filled;
    CHECK_NEAR(error_of_flat(&quadratic, QN_INTERPOLATION_GRADIENT), 0, 1e-13);
    CHECK_NEAR(error_of_flat(&cubic, QN_INTERPOLATION_ENERGY), 0, 1e-13);
    CHECK(error_of_flat(&cubic, QN_INTERPOLATION_GRADIENT) > 1e-5);
    fill_flat(&quadratic, &filled);
    CHECK(qn_cell_is_whole(&filled.cell));
    for (uint64_t draw = 0; draw < 50; draw++) {
        double place[3], expected[3], stiffness[9], energy;
        float x[FIELD_FREEDOMS];
        place_in(&filled.cell, draw, place);
        place[1] = 0.01 * somewhere[1];
        field_at(&quadratic, place, &energy, expected, stiffness);
        qn_cell_shape(&filled.cell, place, FIELD_FREEDOMS, x);
        for (int i = 0; i < 3; i++) CHECK_NEAR((double)x[i], expected[i], 1e-6);
    }
    filled.cell.corners[4] = NULL;
    CHECK(!qn_cell_is_whole(&filled.cell));
}

int main(void)
{
    RUN(quadratic_forces_are_exact);
    RUN(cubic_forces_are_exact_with_the_energy);
    RUN(errors_have_the_order_of_the_way);
    RUN(the_energy_way_is_the_gradient_of_its_energy);
    RUN(a_closed_way_takes_no_work_with_the_energy);
    RUN(forces_and_energies_are_continuous_over_faces);
    RUN(corners_have_their_states);
    RUN(the_shape_follows_as_the_force_does);
    RUN(one_state_tells_the_force_beside_it);
    RUN(cells_with_gaps_and_folds_are_not_whole);
    RUN(flat_cells_have_four_corners);
    return check_finish();
}

/* States of bodies: Newton's method, force, stiffness and change, held nodes and means. */
#include "deform/body/tests/box_mesh.h"

#include <math.h>
#include <stdio.h>

#include "deform/state/state.h"

static box_mesh box;
static qn_body *body;
static qn_problem *problem;
static qn_solver *solver;

typedef struct body_case {
    const char *material;
    int order;
    bool mixed;
} body_case;

static const body_case cases[] = {
    {"svk:10000,0.45", 1, false},
    {"svk:10000,0.3", 2, false},
    {"mooney-rivlin:1400,280,20000", 1, true},
    {"mooney-rivlin:1400,280,inf", 2, true},
};
enum { CASES = sizeof cases / sizeof *cases };

/* A box of 3 × 2 × 2 cubes, fixed at x = 0, whose nodes at the other end are held. */
static void make(const body_case *c, bool mean, double tolerance)
{
    static const int counts[3] = {3, 2, 2};
    qn_material material;
    uint32_t fixed[BOX_NODES_MAX], held[BOX_NODES_MAX];
    size_t fixed_count = 0, held_count = 0;
    box_make(&box, counts, 0.02, 0.1, c->order);
    for (uint32_t i = 0; i < box.mesh.node_count; i++) {
        if (box.grid[3 * i] < 1e-9) fixed[fixed_count++] = i;
        if (box.grid[3 * i] > 0.06 - 1e-9) held[held_count++] = i;
    }
    CHECK_OK(qn_material_parse(c->material, &material));
    const qn_solver_options options = {.tolerance = tolerance, .newton_steps_max = 25, .halvings_max = 10};
    if (!CHECK_OK(qn_body_create(&box.mesh, &material, c->mixed, &body)) ||
        !CHECK_OK(qn_problem_create(body, fixed, fixed_count, held, held_count, mean, &problem)) ||
        !CHECK_OK(qn_solver_create(problem, &options, &solver)))
        exit(check_finish());
}

static void clear(void)
{
    qn_solver_destroy(&solver);
    qn_problem_destroy(&problem);
    qn_body_destroy(&body);
}

/* The state at a place from rest. */
static qn_state state_at(const double place[3])
{
    qn_state rest, state;
    CHECK_OK(qn_state_create(problem, &rest));
    CHECK_OK(qn_state_create(problem, &state));
    CHECK_OK(qn_solver_rest(solver, &rest));
    CHECK_OK(qn_solver_solve(solver, &rest, place, &state));
    CHECK(state.converged);
    qn_state_clear(&rest);
    return state;
}

/* Residual at free unknowns, reactions at the others. */
static void states_are_in_balance(void)
{
    for (int k = 0; k < CASES; k++) {
        make(&cases[k], false, 1e-10);
        qn_state state = state_at((const double[]){0.006, -0.004, 0.003});
        double *r = malloc(body->freedom_count * sizeof *r), free_sum = 0, total[3] = {0}, held[3] = {0};
        qn_body_residual(body, state.x, r, NULL);
        for (size_t node = 0; node < body->pattern.node_count; node++)
            for (unsigned axis = 0; axis < 3; axis++) {
                const size_t freedom = body->pattern.first_freedom[node] + axis;
                if (problem->is_free[freedom]) free_sum += r[freedom] * r[freedom];
                if (problem->is_held[freedom]) held[axis] += r[freedom];
                total[axis] += r[freedom];
            }
        const double force = sqrt(held[0] * held[0] + held[1] * held[1] + held[2] * held[2]);
        CHECK(force > 1e-2);
        CHECK(sqrt(free_sum) < 1e-9 * force);
        for (int axis = 0; axis < 3; axis++) {
            CHECK_NEAR(total[axis], 0, 1e-11 * force + 1e-8 * force); /* inner forces add up to nothing */
            CHECK_NEAR(state.force[axis], held[axis], 1e-12 * force);
            CHECK_NEAR(state.place[axis], ((const double[]){0.006, -0.004, 0.003})[axis], 0);
        }
        free(r);
        qn_state_clear(&state);
        clear();
    }
}

/* Each residual is at most a constant times the square of the one before: the last three of a long way. */
static void last_steps_are_quadratic(void)
{
    for (int k = 0; k < CASES; k++) {
        double history[64];
        make(&cases[k], false, 1e-12);
        qn_state state = state_at((const double[]){0.01, -0.006, 0.004});
        const size_t count = qn_solver_history(solver, history, 64);
        size_t checked = 0;
        for (size_t i = 1; i < count; i++) {
            if (history[i - 1] > 0.05 || history[i - 1] < 1e-6) continue; /* far away; rounding */
            CHECK(history[i] <= fmax(30 * history[i - 1] * history[i - 1], 1e-12));
            checked++;
        }
        if (!CHECK(checked >= 1)) fprintf(stderr, "case %d: %zu residuals\n", k, count);
        CHECK(state.residual <= 1e-12);
        qn_state_clear(&state);
        clear();
    }
}

/* H and Z equal central differences of the force and of x. */
static void changes_are_differences(void)
{
    const double h = 1e-5;
    for (int k = 0; k < 2 * CASES; k++) {
        double place[3] = {0.004, -0.003, 0.002};
        make(&cases[k / 2], k % 2, 1e-13);
        qn_state state = state_at(place);
        double scale = 0, largest_change = 0;
        for (int i = 0; i < 9; i++) scale = fmax(scale, fabs(state.stiffness[i]));
        for (size_t axis = 0; axis < 3; axis++) {
            qn_state ends[2];
            for (int end = 0; end < 2; end++) {
                double moved[3] = {place[0], place[1], place[2]};
                moved[axis] += end ? h : -h;
                ends[end] = state_at(moved);
            }
            for (size_t i = 0; i < 3; i++)
                CHECK_NEAR(state.stiffness[3 * i + axis], (ends[1].force[i] - ends[0].force[i]) / (2 * h),
                           1e-5 * scale);
            double worst = 0;
            for (size_t i = 0; i < body->freedom_count; i++) {
                if (body->sign[i] < 0) continue;
                const double difference = (ends[1].x[i] - ends[0].x[i]) / (2 * h);
                worst = fmax(worst, fabs(state.change[axis * body->freedom_count + i] - difference));
                largest_change = fmax(largest_change, fabs(difference));
            }
            if (!CHECK(worst < 1e-5)) fprintf(stderr, "case %d, axis %zu: %g\n", k, axis, worst);
            qn_state_clear(&ends[0]);
            qn_state_clear(&ends[1]);
        }
        CHECK(largest_change > 0.9);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < i; j++)
                CHECK_NEAR(state.stiffness[3 * i + j], state.stiffness[3 * j + i], 1e-7 * scale);
        qn_state_clear(&state);
        clear();
    }
}

/* The force is the change of the energy with the place. */
static void force_is_the_change_of_energy(void)
{
    const double h = 1e-4;
    for (int k = 0; k < 2 * CASES; k++) {
        make(&cases[k / 2], k % 2, 1e-12);
        const double place[3] = {-0.004, 0.003, 0.002};
        qn_state state = state_at(place);
        for (int axis = 0; axis < 3; axis++) {
            double energies[2];
            for (int end = 0; end < 2; end++) {
                double moved[3] = {place[0], place[1], place[2]};
                moved[axis] += end ? h : -h;
                qn_state at_end = state_at(moved);
                energies[end] = at_end.energy;
                qn_state_clear(&at_end);
            }
            CHECK_NEAR((energies[1] - energies[0]) / (2 * h), state.force[axis], 2e-4 * fabs(state.force[axis]) + 1e-6);
        }
        qn_state_clear(&state);
        clear();
    }
}

/* With a mean, the mean of the displacements is the place, and every held node carries the same force. */
static void means_move_as_asked(void)
{
    for (int k = 0; k < CASES; k++) {
        const double place[3] = {0.003, -0.004, 0.005};
        double *r, sum[3] = {0};
        make(&cases[k], true, 1e-11);
        qn_state state = state_at(place);
        r = malloc(body->freedom_count * sizeof *r);
        qn_body_residual(body, state.x, r, NULL);
        const double count = (double)problem->held_count, force = fabs(state.force[2]);
        CHECK(force > 1e-3);
        for (size_t i = 0; i < problem->held_count; i++)
            for (unsigned axis = 0; axis < 3; axis++) {
                const size_t freedom = body->pattern.first_freedom[problem->held[i]] + axis;
                sum[axis] += state.x[freedom] / count;
                CHECK_NEAR(r[freedom], state.force[axis] / count, 1e-8 * force);
            }
        for (int axis = 0; axis < 3; axis++) CHECK_NEAR(sum[axis], place[axis], 1e-14);
        free(r);
        qn_state_clear(&state);
        clear();
    }
}

/* A slender box whose end is pushed by its mean buckles under that force, and is in balance while the mean is held: the
 * stiffness of the mean is that of differences, and the energy is the work of the force. */
static void means_hold_what_buckles(void)
{
    static const int counts[3] = {8, 1, 1};
    const double end = -0.012, h = 1e-5;
    const qn_solver_options options = {.tolerance = 1e-12, .newton_steps_max = 25, .halvings_max = 10};
    qn_material material;
    uint32_t fixed[BOX_NODES_MAX], held[BOX_NODES_MAX];
    size_t fixed_count = 0, held_count = 0, wrong = 0;
    box_make(&box, counts, 0.02, 0.1, 1);
    for (uint32_t i = 0; i < box.mesh.node_count; i++) {
        if (box.grid[3 * i] < 1e-9) fixed[fixed_count++] = i;
        if (box.grid[3 * i] > 0.16 - 1e-9) held[held_count++] = i;
    }
    CHECK_OK(qn_material_parse("svk:10000,0.3", &material));
    CHECK_OK(qn_body_create(&box.mesh, &material, false, &body));
    CHECK_OK(qn_problem_create(body, fixed, fixed_count, held, held_count, true, &problem));
    CHECK_OK(qn_solver_create(problem, &options, &solver));
    qn_state middle = state_at((const double[3]){end, 0, 0}), near = state_at((const double[3]){end + h, 0, 0});
    qn_factor *factor;
    double *values =
        calloc(body->pattern.block_start[body->pattern.row_start[body->pattern.node_count]], sizeof(double));
    qn_body_tangent(body, middle.x, values);
    CHECK_OK(qn_factor_create(problem->plan, &factor));
    CHECK_OK(qn_factor_compute(factor, values, &wrong));
    CHECK(wrong != SIZE_MAX); /* the body alone is not stable under that force */
    for (int axis = 0; axis < 3; axis++)
        CHECK_NEAR((near.force[axis] - middle.force[axis]) / h,
                   0.5 * (near.stiffness[3 * axis] + middle.stiffness[3 * axis]), 1e-5 * fabs(middle.stiffness[0]));
    CHECK_NEAR((near.energy - middle.energy) / h, 0.5 * (near.force[0] + middle.force[0]), 1e-6 * fabs(near.force[0]));
    free(values);
    qn_factor_destroy(&factor);
    qn_state_clear(&middle);
    qn_state_clear(&near);
    clear();
}

/* The same state from another parent, by halved ways where one is too long. */
static void parents_do_not_matter(void)
{
    const double place[3] = {0.012, 0.01, -0.008}, other[3] = {-0.006, 0.002, 0.004};
    for (int k = 0; k < CASES; k++) {
        make(&cases[k], false, 1e-11);
        qn_state direct = state_at(place), parent = state_at(other), state;
        CHECK_OK(qn_state_create(problem, &state));
        CHECK_OK(qn_solver_solve(solver, &parent, place, &state));
        CHECK(state.converged && state.load_steps >= 1);
        for (int axis = 0; axis < 3; axis++)
            CHECK_NEAR(state.force[axis], direct.force[axis], 1e-7 * fabs(direct.force[0]));
        qn_state_clear(&direct);
        qn_state_clear(&parent);
        qn_state_clear(&state);
        clear();
    }
}

/* Stiffness and change are those at the found x, also where Newton's method ends early and the way there was halved. A
 * state that is solved from itself takes no step, so it has them of x. Changes on the way lead to the place: with one
 * factor for all of them, 48 of these places are found instead of 57. */
static void stiffness_is_that_of_the_found_state(void)
{
    enum { PLACES = 40, LEAST = 53 };
    int found = 0, halved = 0;
    for (int k = 0; k < 2; k++) {
        make(&cases[k], false, 0.2);
        const size_t freedoms = body->freedom_count;
        qn_state rest, state, again;
        CHECK_OK(qn_state_create(problem, &rest));
        CHECK_OK(qn_state_create(problem, &state));
        CHECK_OK(qn_state_create(problem, &again));
        CHECK_OK(qn_solver_rest(solver, &rest));
        for (uint64_t i = 0; i < PLACES; i++) {
            double place[3];
            for (uint64_t axis = 0; axis < 3; axis++) place[axis] = 0.15 * box_random(91, 3 * i + axis);
            CHECK_OK(qn_solver_solve(solver, &rest, place, &state));
            if (!state.converged) continue;
            found++, halved += state.load_steps > 1;
            CHECK_OK(qn_solver_solve(solver, &state, place, &again));
            CHECK(again.newton_steps == 0);
            CHECK(memcmp(again.stiffness, state.stiffness, sizeof state.stiffness) == 0);
            CHECK(memcmp(again.change, state.change, 3 * freedoms * sizeof *state.change) == 0);
        }
        qn_state_clear(&rest);
        qn_state_clear(&state);
        qn_state_clear(&again);
        clear();
    }
    CHECK(found >= LEAST && halved > 0);
}

/* A tool that would turn the box inside out is not followed, and the last place is told. */
static void impossible_places_are_told(void)
{
    const double place[3] = {-0.2, 0, 0};
    qn_state rest, state;
    make(&cases[0], false, 1e-8);
    CHECK_OK(qn_state_create(problem, &rest));
    CHECK_OK(qn_state_create(problem, &state));
    CHECK_OK(qn_solver_rest(solver, &rest));
    CHECK_OK(qn_solver_solve(solver, &rest, place, &state));
    CHECK(!state.converged);
    CHECK(state.place[0] > place[0] && state.place[0] <= 0);
    qn_state_clear(&rest);
    qn_state_clear(&state);
    clear();
}

static void loose_bodies_are_refused(void)
{
    const uint32_t fixed[] = {0}, held[] = {1};
    qn_material material;
    qn_state rest;
    const qn_solver_options options = {.tolerance = 1e-8, .newton_steps_max = 25, .halvings_max = 10};
    box_make(&box, (const int[]){1, 1, 1}, 0.02, 0, 1);
    CHECK_OK(qn_material_parse("svk:10000,0.3", &material));
    CHECK_OK(qn_body_create(&box.mesh, &material, false, &body));
    CHECK_FAILS(qn_problem_create(body, fixed, 0, held, 1, false, &problem), QN_INVALID_ARGUMENT);
    CHECK_OK(qn_problem_create(body, fixed, 1, held, 1, true, &problem)); /* it can turn about one node */
    CHECK_OK(qn_solver_create(problem, &options, &solver));
    CHECK_OK(qn_state_create(problem, &rest));
    CHECK_FAILS(qn_solver_rest(solver, &rest), QN_BAD_FORMAT);
    qn_state_clear(&rest);
    clear();
}

int main(void)
{
    RUN(states_are_in_balance);
    RUN(last_steps_are_quadratic);
    RUN(changes_are_differences);
    RUN(force_is_the_change_of_energy);
    RUN(means_move_as_asked);
    RUN(means_hold_what_buckles);
    RUN(parents_do_not_matter);
    RUN(stiffness_is_that_of_the_found_state);
    RUN(impossible_places_are_told);
    RUN(loose_bodies_are_refused);
    return check_finish();
}

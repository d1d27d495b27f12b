/* devices: host opencl:0 cuda:0 checking:host */
/* labels: unsanitized@checking */
/* States of batches on a device against those of the solver in double precision. */
#include "deform/body/tests/box_mesh.h"

#include <math.h>
#include <stdio.h>

#include "deform/batch/batch.h"
#include "deform/state/state.h"

static qn_device *device;
static qn_queue *queue;
static box_mesh box;
static qn_body *body;
static qn_problem *problem;
static qn_solver *solver;
static qn_state rest;

typedef struct body_case {
    const char *material;
    int order;
    bool mixed;
} body_case;

static const body_case cases[] = {
    {"svk:10000,0.45", 1, false},
    {"mooney-rivlin:1400,280,200000", 1, true},
    {"svk:10000,0.3", 2, false},
    {"mooney-rivlin:1400,280,20000", 2, true},
};
enum { CASES = sizeof cases / sizeof *cases, MOST = 40 };

static void make(const body_case *c, bool mean)
{
    qn_material material;
    uint32_t fixed[BOX_NODES_MAX], held[BOX_NODES_MAX];
    size_t fixed_count = 0, held_count = 0;
    box_make(&box, (const int[]){3, 2, 2}, 0.02, 0.1, c->order);
    for (uint32_t i = 0; i < box.mesh.node_count; i++) {
        if (box.grid[3 * i] < 1e-9) fixed[fixed_count++] = i;
        if (box.grid[3 * i] > 0.06 - 1e-9 && box.grid[3 * i + 1] < 0.03) held[held_count++] = i;
    }
    const qn_solver_options options = {.tolerance = 1e-11, .newton_steps_max = 25, .halvings_max = 10};
    CHECK_OK(qn_material_parse(c->material, &material));
    if (!CHECK_OK(qn_body_create(&box.mesh, &material, c->mixed, &body)) ||
        !CHECK_OK(qn_problem_create(body, fixed, fixed_count, held, held_count, mean, &problem)) ||
        !CHECK_OK(qn_solver_create(problem, &options, &solver)) || !CHECK_OK(qn_state_create(problem, &rest)) ||
        !CHECK_OK(qn_solver_rest(solver, &rest)))
        exit(check_finish());
}

static void clear(void)
{
    qn_state_clear(&rest);
    qn_solver_destroy(&solver);
    qn_problem_destroy(&problem);
    qn_body_destroy(&body);
}

/* Wanted states from rest; arrays[state][8][freedom_count]. */
static float *want(qn_batch_state states[], int count, double reach)
{
    const size_t freedoms = body->freedom_count;
    float *arrays = calloc((size_t)count * 8 * freedoms, sizeof *arrays);
    for (int s = 0; s < count; s++) {
        float *own = arrays + (size_t)s * 8 * freedoms;
        for (size_t i = 0; i < freedoms; i++) own[i] = (float)rest.x[i];
        for (size_t i = 0; i < 3 * freedoms; i++) own[freedoms + i] = (float)rest.change[i];
        states[s] = (qn_batch_state){
            .parent_x = own, .parent_change = own + freedoms, .x = own + 4 * freedoms, .change = own + 5 * freedoms};
        for (int axis = 0; axis < 3; axis++)
            states[s].place[axis] = reach * box_random(90, 3 * (uint64_t)s + (uint64_t)axis);
    }
    return arrays;
}

static void solve_to(double tolerance, qn_batch_state states[], int count, int capacity)
{
    const qn_batch_options options = {.tolerance = tolerance, .newton_steps_max = 20};
    qn_batch *batch = NULL;
    if (!CHECK_OK(qn_batch_create(queue, problem, capacity, &options, &batch))) return;
    CHECK_OK(qn_batch_solve(batch, states, count));
    qn_batch_destroy(&batch);
}

static void solve(qn_batch_state states[], int count, int capacity)
{
    solve_to(1e-4, states, count, capacity);
}

static double largest(const double *values, int count)
{
    double found = 0;
    for (int i = 0; i < count; i++) found = fmax(found, fabs(values[i]));
    return found;
}

static void compare(const qn_batch_state *state)
{
    const size_t freedoms = body->freedom_count;
    qn_state exact;
    CHECK_OK(qn_state_create(problem, &exact));
    CHECK_OK(qn_solver_solve(solver, &rest, state->place, &exact));
    CHECK(exact.converged && state->converged);
    const double force = largest(exact.force, 3), stiffness = largest(exact.stiffness, 9);
    for (int i = 0; i < 3; i++) CHECK_NEAR(state->force[i], exact.force[i], 1e-4 * force);
    for (int i = 0; i < 9; i++) CHECK_NEAR(state->stiffness[i], exact.stiffness[i], 1e-3 * stiffness);
    CHECK_NEAR(state->energy, exact.energy, 1e-3 * exact.energy);
    CHECK_NEAR(state->least_volume, exact.least_volume, 1e-3);
    double of_x = 0, of_change = 0;
    for (size_t i = 0; i < freedoms; i++) {
        if (body->sign[i] < 0) continue;
        of_x = fmax(of_x, fabs((double)state->x[i] - exact.x[i]));
        for (size_t axis = 0; axis < 3; axis++)
            of_change =
                fmax(of_change, fabs((double)state->change[axis * freedoms + i] - exact.change[axis * freedoms + i]));
    }
    if (!CHECK(of_x < 1e-4 * largest(state->place, 3) && of_change < 1e-3))
        fprintf(stderr, "order %d, mixed %d: x %g, change %g\n", body->mesh->order, body->mixed, of_x, of_change);
    qn_state_clear(&exact);
}

static void states_are_those_of_the_solver(void)
{
    static const int counts[CASES] = {33, 5, 3, 2};
    for (int k = 0; k < CASES; k++) {
        qn_batch_state states[MOST];
        make(&cases[k], false);
        float *arrays = want(states, counts[k], 0.008);
        solve(states, counts[k], MOST);
        for (int s = 0; s < counts[k]; s++) compare(&states[s]);
        free(arrays);
        clear();
    }
}

/* A state has the same bits alone and among others. */
static void bits_depend_on_the_state_alone(void)
{
    for (int k = 0; k < 2; k++) {
        enum { COUNT = 11, ALONE = 7 };
        qn_batch_state states[COUNT], alone[COUNT];
        make(&cases[k], false);
        float *arrays = want(states, COUNT, 0.01), *others = want(alone, COUNT, 0.01);
        solve(states, COUNT, COUNT);
        solve(alone + ALONE, 1, 3);
        CHECK(memcmp(states[ALONE].x, alone[ALONE].x, body->freedom_count * sizeof(float)) == 0);
        CHECK(memcmp(states[ALONE].change, alone[ALONE].change, 3 * body->freedom_count * sizeof(float)) == 0);
        CHECK(memcmp(states[ALONE].force, alone[ALONE].force, sizeof states->force) == 0);
        CHECK(memcmp(states[ALONE].stiffness, alone[ALONE].stiffness, sizeof states->stiffness) == 0);
        CHECK(states[ALONE].newton_steps == alone[ALONE].newton_steps && alone[ALONE].newton_steps > 0);
        free(arrays);
        free(others);
        clear();
    }
}

/* States of an earlier and larger batch leave nothing behind. */
static void batches_follow_each_other(void)
{
    enum { FIRST = 33, SECOND = 2 };
    const qn_batch_options options = {.tolerance = 1e-4, .newton_steps_max = 20};
    qn_batch_state first[FIRST], second[SECOND], alone[SECOND];
    qn_batch *batch = NULL;
    make(&cases[0], false);
    float *arrays[3] = {want(first, FIRST, 0.008), want(second, SECOND, 0.01), want(alone, SECOND, 0.01)};
    if (!CHECK_OK(qn_batch_create(queue, problem, FIRST, &options, &batch))) return;
    CHECK_OK(qn_batch_solve(batch, first, FIRST));
    CHECK_OK(qn_batch_solve(batch, second, SECOND));
    solve(alone, SECOND, SECOND);
    for (int s = 0; s < SECOND; s++) {
        CHECK(second[s].converged && second[s].newton_steps == alone[s].newton_steps);
        CHECK(memcmp(second[s].x, alone[s].x, body->freedom_count * sizeof(float)) == 0);
        CHECK(memcmp(second[s].change, alone[s].change, 3 * body->freedom_count * sizeof(float)) == 0);
    }
    qn_batch_destroy(&batch);
    for (int k = 0; k < 3; k++) free(arrays[k]);
    clear();
}

/* Steps of a long way overshoot. With full steps alone 8 of these states are found, with shortened ones 10. */
static void long_ways_need_short_steps(void)
{
    enum { COUNT = 16, LEAST = 9 };
    qn_batch_state states[COUNT];
    int converged = 0;
    make(&cases[1], false);
    float *arrays = want(states, COUNT, 0.06);
    solve(states, COUNT, COUNT);
    for (int s = 0; s < COUNT; s++) converged += states[s].converged;
    CHECK(converged >= LEAST);
    free(arrays);
    clear();
}

/* Single precision keeps residuals above some of these tolerances. Such states are found all the same, and soon:
 * without a rule for them they take 6.6 steps in the mean. */
static void rounding_does_not_hold_states_up(void)
{
    enum { COUNT = 33, TOLERANCES = 7 };
    int kept = 0, steps = 0;
    make(&cases[0], false);
    for (int k = 0; k < TOLERANCES; k++) {
        const double tolerance = ldexp(1e-5, -k);
        qn_batch_state states[COUNT];
        float *arrays = want(states, COUNT, 0.008);
        solve_to(tolerance, states, COUNT, COUNT);
        for (int s = 0; s < COUNT; s++) {
            if (states[s].residual <= tolerance || states[s].residual > 3 * tolerance) continue;
            CHECK(states[s].converged);
            steps += states[s].newton_steps;
            kept++;
        }
        free(arrays);
    }
    CHECK(kept > COUNT && steps <= 5 * kept);
    clear();
}

/* A state that cannot be reached is told, and its neighbours in the batch are as they would be. */
static void impossible_places_are_told(void)
{
    qn_batch_state states[3];
    make(&cases[0], false);
    float *arrays = want(states, 3, 0.006);
    states[1].place[0] = -0.2;
    solve(states, 3, 3);
    CHECK(!states[1].converged);
    compare(&states[0]);
    compare(&states[2]);
    free(arrays);
    clear();
}

static void impossible_problems_are_refused(void)
{
    static const body_case stiff = {"mooney-rivlin:1400,280,inf", 2, true};
    const qn_batch_options options = {.tolerance = 1e-4, .newton_steps_max = 20};
    qn_batch *batch = NULL;
    make(&cases[0], true);
    CHECK_FAILS(qn_batch_create(queue, problem, 4, &options, &batch), QN_UNSUPPORTED);
    clear();
    make(&stiff, false);
    CHECK_FAILS(qn_batch_create(queue, problem, 4, &options, &batch), QN_UNSUPPORTED);
    CHECK(batch == NULL);
    clear();
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(states_are_those_of_the_solver);
    RUN(bits_depend_on_the_state_alone);
    RUN(batches_follow_each_other);
    RUN(long_ways_need_short_steps);
    RUN(rounding_does_not_hold_states_up);
    RUN(impossible_places_are_told);
    RUN(impossible_problems_are_refused);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}

/* labels: threads */
/* Many threads that wait for states of one device: each gets its own, with the bits that it has alone. */
#include "deform/body/tests/box_mesh.h"

#include <stdio.h>

#include "base/thread.h"
#include "deform/live_device.h"
#include "deform/state/state.h"

enum { THREADS = 12, ROUNDS = 3 };

static box_mesh box;
static qn_body *body;
static qn_problem *problem;
static qn_state rest;
static float *parent; /* [4][freedom_count]: x and its change at rest */
static qn_live_device *live;

static void make_problem(void)
{
    qn_material material;
    qn_solver *solver;
    uint32_t fixed[BOX_NODES_MAX], held[BOX_NODES_MAX];
    size_t fixed_count = 0, held_count = 0;
    box_make(&box, (const int[]){2, 1, 1}, 0.02, 0, 1);
    for (uint32_t i = 0; i < box.mesh.node_count; i++) {
        if (box.grid[3 * i] < 1e-9) fixed[fixed_count++] = i;
        if (box.grid[3 * i] > 0.04 - 1e-9) held[held_count++] = i;
    }
    const qn_solver_options options = {.tolerance = 1e-8, .newton_steps_max = 25};
    CHECK_OK(qn_material_parse("svk:10000,0.3", &material));
    if (!CHECK_OK(qn_body_create(&box.mesh, &material, false, &body)) ||
        !CHECK_OK(qn_problem_create(body, fixed, fixed_count, held, held_count, false, &problem)) ||
        !CHECK_OK(qn_solver_create(problem, &options, &solver)) || !CHECK_OK(qn_state_create(problem, &rest)) ||
        !CHECK_OK(qn_solver_rest(solver, &rest)))
        exit(check_finish());
    const size_t count = body->freedom_count;
    parent = calloc(4 * count, sizeof *parent);
    for (size_t i = 0; i < 3 * count; i++) parent[count + i] = (float)rest.change[i];
    qn_solver_destroy(&solver);
}

typedef struct caller {
    int number;
    float *found; /* [round][4][freedom_count] */
    double force[ROUNDS][3];
    bool converged[ROUNDS];
} caller;

static qn_status call(void *user)
{
    caller *own = user;
    const size_t count = body->freedom_count;
    for (int round = 0; round < ROUNDS; round++) {
        float *found = own->found + (size_t)round * 4 * count;
        qn_batch_state state = {
            .parent_x = parent, .parent_change = parent + count, .x = found, .change = found + count};
        for (int axis = 0; axis < 3; axis++)
            state.place[axis] = 0.004 * box_random(60 + (uint64_t)own->number, (uint64_t)(3 * round + axis));
        QN_TRY(qn_live_device_solve(live, &state));
        memcpy(own->force[round], state.force, sizeof state.force);
        own->converged[round] = state.converged;
    }
    return QN_OK;
}

static void each_thread_gets_its_own(void)
{
    static caller together[THREADS], alone;
    static qn_thread threads[THREADS];
    const size_t size = (size_t)ROUNDS * 4 * body->freedom_count;
    for (int i = 0; i < THREADS; i++) {
        together[i] = (caller){.number = i, .found = calloc(size, sizeof(float))};
        CHECK_OK(qn_thread_start(&threads[i], call, &together[i]));
    }
    CHECK_OK(qn_threads_join(threads, THREADS));
    for (int i = 0; i < THREADS; i++) {
        alone = (caller){.number = i, .found = calloc(size, sizeof(float))};
        CHECK_OK(call(&alone));
        for (int round = 0; round < ROUNDS; round++) CHECK(together[i].converged[round] && alone.converged[round]);
        CHECK(memcmp(alone.force, together[i].force, sizeof alone.force) == 0);
        CHECK(memcmp(alone.found, together[i].found, size * sizeof(float)) == 0);
        CHECK(i == 0 || memcmp(together[i].force, together[i - 1].force, sizeof alone.force) != 0);
        free(alone.found);
        free(together[i].found);
    }
}

int main(void)
{
    qn_context *context = NULL;
    qn_device *device = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context)) || !CHECK_OK(qn_device_open(context, "host", &device)))
        return check_finish();
    make_problem();
    CHECK_OK(qn_live_device_create(device, problem, 1e-4, NULL, &live));
    RUN(each_thread_gets_its_own);
    qn_live_device_destroy(&live);
    qn_state_clear(&rest);
    qn_problem_destroy(&problem);
    qn_body_destroy(&body);
    free(parent);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}

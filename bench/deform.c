/* States of a deformable body from a neighbour, on the host in double precision and in batches on a device.
 *
 *     quern_bench_deform MESH MATERIAL mixed|plain DEVICE BATCH [REPEAT] [ORDER] [THREADS] [REFINE]
 *
 * The body is fixed where x > 0.02 m, and the tool holds the surface within 0.03 m of (−0.0662, 0.1042, 0.0215) m, as
 * both livers of the published experiments are. The parent is 10 mm inside; wanted places are a step of 10 mm or less
 * from it. Prints milliseconds a state by the solver on one core, and seconds and states a second of batches.
 * QUERN_TRACE=1 adds the share of the device's limit of every kernel. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "deform/batch/batch.h"
#include "deform/sets/sets.h"
#include "deform/state/state.h"
#include "math/random.h"

#define DO(call)                                                       \
    do {                                                               \
        if ((call) != QN_OK) {                                         \
            fprintf(stderr, "bench_deform: %s\n", qn_error_message()); \
            exit(1);                                                   \
        }                                                              \
    } while (0)

static qn_body *body;
static qn_problem *problem;
static qn_state rest, parent;

static void make(const char *path, const char *material_text, bool mixed, int order, int refine)
{
    static qn_mesh *given, *fine, *mesh;
    static qn_mesh_surface surface;
    uint32_t *fixed, *held;
    size_t fixed_count, held_count;
    qn_material material;
    DO(qn_mesh_read(path, 1, &given));
    DO(refine > 0 ? qn_mesh_refine(given, refine, &fine) : qn_mesh_with_order(given, 1, &fine));
    DO(qn_mesh_with_order(fine, order, &mesh));
    DO(qn_mesh_surface_find(mesh, &surface));
    DO(qn_node_set_find(mesh, &surface, "x>0.02", "fix", &fixed, &fixed_count));
    DO(qn_node_set_find(mesh, &surface, "near:-0.06622422,0.10415821,0.0215251,0.03", "contact", &held, &held_count));
    DO(qn_material_parse(material_text, &material));
    DO(qn_body_create(mesh, &material, mixed, &body));
    const double began = qn_clock_s();
    DO(qn_problem_create(body, fixed, fixed_count, held, held_count, false, &problem));
    const qn_factor_facts facts = qn_factor_plan_facts(problem->plan);
    printf("%zu nodes, %zu elements of order %d, %s%s: %zu unknowns, %zu values of the factor, %.3g multiply-adds; "
           "planned in %.2f s\n",
           mesh->node_count, mesh->element_count, order, material_text, mixed ? ", mixed" : "", facts.freedom_count,
           facts.value_count, facts.multiply_adds, qn_clock_s() - began);
}

/* A place within 5 mm along each axis of that of the parent. */
static void choose_place(int number, double place[3])
{
    for (int axis = 0; axis < 3; axis++)
        place[axis] =
            parent.place[axis] + 0.01 * (qn_random_uniform(1, 0, 3 * (uint64_t)number + (uint64_t)axis) - 0.5);
}

static void time_solver(int repeat, double tolerance)
{
    const qn_solver_options options = {.tolerance = tolerance, .newton_steps_max = 25, .halvings_max = 10};
    qn_solver *solver;
    qn_state state;
    double total = 0, least = INFINITY;
    int steps = 0;
    DO(qn_solver_create(problem, &options, &solver));
    DO(qn_state_create(problem, &rest));
    DO(qn_state_create(problem, &parent));
    DO(qn_state_create(problem, &state));
    DO(qn_solver_rest(solver, &rest));
    DO(qn_solver_solve(solver, &rest, (const double[]){-0.00374, 0.00927, -0.00013}, &parent));
    for (int i = 0; i < repeat; i++) {
        double place[3];
        choose_place(i, place);
        const double began = qn_clock_s();
        DO(qn_solver_solve(solver, &parent, place, &state));
        const double seconds = qn_clock_s() - began;
        total += seconds;
        least = fmin(least, seconds);
        steps += state.newton_steps;
    }
    printf("solver, double precision, one core, to %g: %.2f ms a state, least %.2f, %.2f Newton steps\n", tolerance,
           1e3 * total / repeat, 1e3 * least, (double)steps / repeat);
    qn_state_clear(&state);
    qn_solver_destroy(&solver);
}

static void print_log(qn_log_level level, const char *message, void *user)
{
    (void)level, (void)user;
    fprintf(stderr, "%s\n", message);
}

static void time_batches(const char *device_name, int size, int repeat, int threads)
{
    const size_t freedoms = body->freedom_count;
    qn_batch_options options = {.tolerance = 1e-4, .newton_steps_max = 20};
    const qn_context_options of_context = {.size = sizeof of_context, .threads = threads, .log = print_log};
    qn_context *context;
    qn_device *device;
    qn_queue *queue;
    qn_batch *batch;
    DO(qn_context_create(&of_context, &context));
    DO(qn_device_open(context, device_name, &device));
    DO(qn_queue_create(device, &queue));
    DO(qn_pool_create(threads, &options.pool));
    const double planned = qn_clock_s();
    DO(qn_batch_create(queue, problem, size, &options, &batch));
    printf("%s: planned in %.2f s, about %.2f GiB\n", qn_device_get_info(device)->name, qn_clock_s() - planned,
           qn_batch_bytes(batch) / 0x1p30);
    qn_batch_state *states = calloc((size_t)size, sizeof *states);
    float *shared = malloc(4 * freedoms * sizeof *shared), *found = malloc((size_t)size * 4 * freedoms * sizeof *found);
    for (size_t i = 0; i < freedoms; i++) shared[i] = (float)parent.x[i];
    for (size_t i = 0; i < 3 * freedoms; i++) shared[freedoms + i] = (float)parent.change[i];
    double least = INFINITY, total = 0;
    for (int round = 0; round < repeat + 1; round++) {
        for (int s = 0; s < size; s++) {
            states[s] = (qn_batch_state){.parent_x = shared,
                                         .parent_change = shared + freedoms,
                                         .x = found + (size_t)s * 4 * freedoms,
                                         .change = found + ((size_t)s * 4 + 1) * freedoms};
            memcpy(states[s].parent_place, parent.place, sizeof parent.place);
            choose_place(s, states[s].place);
        }
        const double began = qn_clock_s();
        DO(qn_batch_solve(batch, states, size));
        const double seconds = qn_clock_s() - began;
        if (round == 0) continue; /* compiles */
        least = fmin(least, seconds);
        total += seconds;
    }
    int converged = 0, steps = 0;
    double worst = 0;
    for (int s = 0; s < size; s++) {
        converged += states[s].converged;
        steps += states[s].newton_steps;
        worst = fmax(worst, states[s].residual);
    }
    printf("batches of %d, %d threads: %.2f ms a batch, least %.2f; %.0f states/s; %d converged, %.2f Newton steps, "
           "largest "
           "residual %.1e\n",
           size, threads, 1e3 * total / repeat, 1e3 * least, size / (total / repeat), converged, (double)steps / size,
           worst);
    qn_batch_destroy(&batch);
    qn_pool_destroy(&options.pool);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    free(states);
    free(shared);
    free(found);
}

int main(int count, char **arguments)
{
    if (count < 6) {
        fprintf(
            stderr,
            "usage: quern_bench_deform MESH MATERIAL mixed|plain DEVICE BATCH [REPEAT] [ORDER] [THREADS] [REFINE]\n");
        return 2;
    }
    const int repeat = count > 6 ? atoi(arguments[6]) : 5, order = count > 7 ? atoi(arguments[7]) : 1;
    const int threads = count > 8 ? atoi(arguments[8]) : 1;
    make(arguments[1], arguments[2], strcmp(arguments[3], "mixed") == 0, order, count > 9 ? atoi(arguments[9]) : 0);
    time_solver(repeat, 1e-4);
    time_solver(repeat, 1e-8);
    time_batches(arguments[4], atoi(arguments[5]), repeat, threads);
    return 0;
}

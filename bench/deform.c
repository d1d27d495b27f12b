/* States of a deformable body from a neighbour, on the host in double precision and in batches on a device.
 *
 *     quern_bench_deform MESH MATERIAL mixed|plain DEVICE BATCH [REPEAT] [ORDER] [THREADS] [REFINE] [LANES]
 *                        [FAMILY:TUNABLE=VALUE …]
 *
 * The body is fixed where x > 0.02 m, and the tool holds the surface within 0.03 m of (−0.0662, 0.1042, 0.0215) m, as
 * both livers of the published experiments are. The parent is 10 mm inside; wanted places are a step of 10 mm or less
 * from it. Prints milliseconds a state by the solver on one core, and seconds and states a second of batches. LANES
 * (1) batches are in flight at once, each with a thread and a queue. Kernels have the values that are given, such as
 * deform/factor:PANEL=48, instead of their fallbacks.
 * QUERN_TRACE=1 adds the share of the device's limit of every kernel. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/thread.h"
#include "base/thread_pool.h"
#include "deform/batch/batch.h"
#include "deform/sets/sets.h"
#include "deform/state/state.h"
#include "math/random.h"
#include <quern/family.h>

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

/* ---- batches ---- */

/* Values of tunables: "FAMILY:TUNABLE=VALUE". */
static int forced_count;
static char **forced;

static const char *force(qn_family_launch *launch, void *user)
{
    const size_t length = strlen(launch->family->name);
    const char *origin = NULL;
    (void)user;
    for (int i = 0; i < forced_count; i++) {
        const char *value = strchr(forced[i], '=');
        if (!value || strncmp(forced[i], launch->family->name, length) != 0 || forced[i][length] != ':') continue;
        for (int t = 0; t < launch->family->tunable_count; t++) {
            const char *name = launch->family->tunables[t].name;
            if (strlen(name) != (size_t)(value - forced[i]) - length - 1) continue;
            if (strncmp(forced[i] + length + 1, name, strlen(name)) != 0) continue;
            launch->configuration.value[t] = atoi(value + 1);
            origin = "command line";
        }
    }
    return origin;
}

/* A batch in flight. */
typedef struct lane {
    qn_queue *queue;
    qn_batch *batch;
    qn_batch_state *states;
    float *found;
    int size, rounds;
    double least, total; /* seconds of a batch */
} lane;

static float *shared; /* the parent, as batches take it */

static qn_status solve_rounds(void *user)
{
    lane *own = user;
    const size_t freedoms = body->freedom_count;
    own->least = INFINITY;
    own->total = 0;
    for (int round = 0; round < own->rounds; round++) {
        for (int s = 0; s < own->size; s++) {
            qn_batch_state *state = &own->states[s];
            *state = (qn_batch_state){.parent_x = shared,
                                      .parent_change = shared + freedoms,
                                      .x = own->found + (size_t)s * 4 * freedoms,
                                      .change = own->found + ((size_t)s * 4 + 1) * freedoms};
            memcpy(state->parent_place, parent.place, sizeof parent.place);
            choose_place(s, state->place);
        }
        const double began = qn_clock_s();
        QN_TRY(qn_batch_solve(own->batch, own->states, own->size));
        const double seconds = qn_clock_s() - began;
        own->least = fmin(own->least, seconds);
        own->total += seconds;
    }
    return QN_OK;
}

static void open_lane(qn_device *device, qn_pool *pool, int size, lane *own)
{
    const qn_batch_options options = {.tolerance = 1e-4, .newton_steps_max = 20, .pool = pool};
    const double planned = qn_clock_s();
    *own = (lane){.size = size, .rounds = 1};
    DO(qn_queue_create(device, &own->queue));
    DO(qn_batch_create(own->queue, problem, size, &options, &own->batch));
    own->states = calloc((size_t)size, sizeof *own->states);
    own->found = malloc((size_t)size * 4 * body->freedom_count * sizeof *own->found);
    printf("%s: planned in %.2f s, about %.2f GiB\n", qn_device_get_info(device)->name, qn_clock_s() - planned,
           qn_batch_bytes(own->batch) / 0x1p30);
    DO(solve_rounds(own)); /* compiles */
}

static void close_lane(lane *own)
{
    qn_batch_destroy(&own->batch);
    qn_queue_destroy(&own->queue);
    free(own->states);
    free(own->found);
}

static void report_lanes(const lane *lanes, int count, int threads, int repeat, double seconds)
{
    const int size = lanes->size;
    int converged = 0, steps = 0;
    double worst = 0, least = INFINITY, total = 0;
    for (int i = 0; i < count; i++) {
        least = fmin(least, lanes[i].least);
        total += lanes[i].total;
        for (int s = 0; s < size; s++) {
            converged += lanes[i].states[s].converged;
            steps += lanes[i].states[s].newton_steps;
            worst = fmax(worst, lanes[i].states[s].residual);
        }
    }
    printf("batches of %d, %d in flight, %d threads: %.2f ms a batch, least %.2f; %.0f states/s; %d converged, %.2f "
           "Newton steps, largest residual %.1e\n",
           size, count, threads, 1e3 * total / (repeat * count), 1e3 * least, (double)size * count * repeat / seconds,
           converged, (double)steps / (size * count), worst);
}

static void time_batches(const char *device_name, int size, int repeat, int threads, int lane_count)
{
    enum { LANES_MAX = 16 };
    const size_t freedoms = body->freedom_count;
    const qn_context_options of_context = {.size = sizeof of_context, .threads = threads, .log = print_log};
    const qn_configuration_source source = {.choose = force};
    static lane lanes[LANES_MAX];
    static qn_thread helpers[LANES_MAX];
    qn_context *context;
    qn_device *device;
    qn_pool *pool;
    if (lane_count > LANES_MAX) lane_count = LANES_MAX;
    DO(qn_context_create(&of_context, &context));
    if (forced_count > 0) qn_context_set_configuration_source(context, &source);
    DO(qn_device_open(context, device_name, &device));
    DO(qn_pool_create(threads, &pool));
    shared = malloc(4 * freedoms * sizeof *shared);
    for (size_t i = 0; i < freedoms; i++) shared[i] = (float)parent.x[i];
    for (size_t i = 0; i < 3 * freedoms; i++) shared[freedoms + i] = (float)parent.change[i];
    for (int i = 0; i < lane_count; i++) open_lane(device, pool, size, &lanes[i]);
    const double began = qn_clock_s();
    for (int i = 0; i < lane_count; i++) lanes[i].rounds = repeat;
    for (int i = 1; i < lane_count; i++) DO(qn_thread_start(&helpers[i], solve_rounds, &lanes[i]));
    DO(solve_rounds(&lanes[0]));
    DO(qn_threads_join(helpers, LANES_MAX));
    report_lanes(lanes, lane_count, threads, repeat, qn_clock_s() - began);
    for (int i = 0; i < lane_count; i++) close_lane(&lanes[i]);
    qn_pool_destroy(&pool);
    qn_device_release(&device);
    qn_context_destroy(&context);
    free(shared);
}

int main(int count, char **arguments)
{
    if (count < 6) {
        fprintf(stderr,
                "usage: quern_bench_deform MESH MATERIAL mixed|plain DEVICE BATCH [REPEAT] [ORDER] [THREADS] [REFINE] "
                "[LANES] [FAMILY:TUNABLE=VALUE ...]\n");
        return 2;
    }
    const int repeat = count > 6 ? atoi(arguments[6]) : 5, order = count > 7 ? atoi(arguments[7]) : 1;
    const int threads = count > 8 ? atoi(arguments[8]) : 1;
    make(arguments[1], arguments[2], strcmp(arguments[3], "mixed") == 0, order, count > 9 ? atoi(arguments[9]) : 0);
    time_solver(repeat, 1e-4);
    time_solver(repeat, 1e-8);
    const int lanes = count > 10 ? atoi(arguments[10]) : 1;
    forced = arguments + 11;
    forced_count = count > 11 ? count - 11 : 0;
    time_batches(arguments[4], atoi(arguments[5]), repeat, threads, lanes > 0 ? lanes : 1);
    return 0;
}

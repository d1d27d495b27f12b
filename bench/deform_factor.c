/* Time factors of one pattern: quern_bench_deform_factor PATTERN [DEVICE [STATES [NAME=VALUE …]]]
 *
 * PATTERN: see deform_factor_parts/pattern.h.
 * Without DEVICE: the double precision factor of the host, on 1 and 2 threads. With one: batched factors and solutions
 * of STATES states (256) with the device's usual configuration and the values given, or of all blocks, panels and
 * shapes of groups of interest with NAME=all. Times are the shortest of several runs; shares are of the device's
 * measured rate of multiply-adds. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "deform/factor/kernels/substitute.h"

#include "deform_factor_parts/pattern.h"

enum { RUNS = 3, HOST_RUNS = 30 };

static double clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- host, double precision ---- */

static qn_status time_host(const qn_factor_box *box, const qn_factor_plan *plan)
{
    const qn_factor_facts facts = qn_factor_plan_facts(plan);
    double *x;
    qn_factor *factor;
    QN_TRY(qn_allocate(4 * box->freedoms, sizeof(double), (void **)&x));
    QN_TRY(qn_factor_create(plan, &factor));
    for (int threads = 1; threads <= 2; threads++) {
        double best = INFINITY;
        qn_pool *pool;
        size_t wrong;
        QN_TRY(qn_pool_create(threads, &pool));
        QN_TRY(qn_factor_use_pool(factor, pool));
        for (int run = 0; run < HOST_RUNS; run++) {
            const double started = clock_s();
            QN_TRY(qn_factor_compute(factor, box->values, &wrong));
            best = fmin(best, clock_s() - started);
        }
        printf("double, %d thread%s: %.2f ms, %.3g multiply-adds/s\n", threads, threads > 1 ? "s" : "", 1e3 * best,
               facts.multiply_adds / best);
        QN_TRY(qn_factor_use_pool(factor, NULL));
        qn_pool_destroy(&pool);
    }
    for (int sides = 1; sides <= 4; sides += 3) {
        double best = INFINITY;
        for (int run = 0; run < HOST_RUNS; run++) {
            const double started = clock_s();
            qn_factor_solve(factor, x, sides, x);
            best = fmin(best, clock_s() - started);
        }
        printf("solve, %d side%s: %.3f ms\n", sides, sides > 1 ? "s" : "", 1e3 * best);
    }
    qn_factor_destroy(&factor);
    qn_release(&x);
    return QN_OK;
}

/* ---- devices ---- */

typedef struct device_bench {
    const qn_factor_box *box;
    const qn_factor_plan *plan;
    qn_queue *queue;
    int states;
    double rate;
    qn_buffer *values;
} device_bench;

/* The same values for all states, a state's block at a time. */
static qn_status make_values(device_bench *bench)
{
    const size_t states = (size_t)bench->states, bytes = bench->box->value_count * states * sizeof(float);
    float *values;
    QN_TRY(qn_allocate(bench->box->value_count * states, sizeof(float), (void **)&values));
    for (size_t v = 0; v < bench->box->value_count; v++)
        for (size_t s = 0; s < states; s++)
            values[v * states + s] = isnan(bench->box->values[v]) ? 0 : (float)bench->box->values[v];
    QN_TRY(qn_buffer_create(qn_queue_device(bench->queue), bytes, &bench->values));
    QN_TRY(qn_queue_write(bench->queue, bench->values, 0, values, bytes, NULL));
    QN_TRY(qn_queue_finish(bench->queue));
    qn_release(&values);
    return QN_OK;
}

static qn_status time_sides(const device_bench *bench, const qn_factor_lists *lists, const qn_factor_arrays *arrays,
                            const qn_configuration *configuration, int sides)
{
    const double values = 2 * (double)qn_factor_plan_facts(bench->plan).value_count * bench->states;
    const size_t bytes = bench->box->freedoms * (size_t)(bench->states * sides) * sizeof(float);
    double best = INFINITY, wall = INFINITY, seconds;
    qn_buffer *x;
    QN_TRY(qn_buffer_create(qn_queue_device(bench->queue), bytes, &x));
    QN_TRY(qn_queue_fill(bench->queue, x, 0, bytes, 0, NULL));
    for (int run = 0; run < RUNS; run++) {
        QN_TRY(qn_substitute_states(bench->queue, configuration, lists, arrays, sides, x, &seconds));
        best = fmin(best, seconds);
        const double started = clock_s();
        QN_TRY(qn_substitute_states(bench->queue, configuration, lists, arrays, sides, x, NULL));
        QN_TRY(qn_queue_finish(bench->queue));
        wall = fmin(wall, clock_s() - started);
    }
    printf("    solve, STATES=%d TEAMS=%d, %d side%s: %.3f ms of kernels, %.3f ms in all, %.3g bytes of G/s\n",
           configuration->value[QN_SUBSTITUTE_STATES], configuration->value[QN_SUBSTITUTE_TEAMS], sides,
           sides > 1 ? "s" : "", 1e3 * best, 1e3 * wall, 4 * values / wall);
    qn_buffer_release(&x);
    return QN_OK;
}

/* Level by level, and in one launch with groups of several shapes. */
static qn_status time_solution(const device_bench *bench, const qn_factor_lists *lists, const qn_factor_arrays *arrays)
{
    static const int shapes[][2] = {{32, 0}, {8, 2}, {8, 4}, {8, 8}, {16, 2}, {16, 4}, {32, 2}};
    qn_configuration configuration = qn_substitute_configuration(bench->queue, lists->schedule, bench->states);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        bool allowed;
        configuration.value[QN_SUBSTITUTE_STATES] = shapes[k][0];
        configuration.value[QN_SUBSTITUTE_TEAMS] = shapes[k][1];
        QN_TRY(qn_family_allows(&qn_deform_substitute_family, qn_device_get_info(qn_queue_device(bench->queue)),
                                &configuration, &allowed, NULL));
        for (int sides = 1; allowed && sides <= 3; sides += 2)
            QN_TRY(time_sides(bench, lists, arrays, &configuration, sides));
    }
    return QN_OK;
}

static qn_status time_configuration(const device_bench *bench, const qn_configuration *configuration)
{
    const qn_factor_facts facts = qn_factor_plan_facts(bench->plan);
    qn_device *device = qn_queue_device(bench->queue);
    qn_factor_arrays arrays = {bench->states, bench->states, bench->values, NULL, NULL, NULL};
    qn_factor_schedule *schedule;
    qn_factor_lists lists;
    double best = INFINITY, wall = INFINITY, seconds;
    QN_TRY(qn_factor_schedule_for(bench->plan, configuration, &schedule));
    QN_TRY(qn_factor_lists_create(bench->queue, schedule, &lists));
    QN_TRY(qn_buffer_create(device, qn_factor_tiles_bytes(schedule, bench->states), &arrays.tiles));
    QN_TRY(qn_buffer_create(device, qn_factor_diagonals_bytes(schedule, bench->states), &arrays.diagonals));
    QN_TRY(qn_buffer_create(device, (size_t)bench->states * sizeof(int32_t), &arrays.wrong));
    for (int run = 0; run < RUNS; run++) {
        QN_TRY(qn_factor_states(bench->queue, configuration, &lists, &arrays, &seconds));
        best = fmin(best, seconds);
        const double started = clock_s();
        QN_TRY(qn_factor_states(bench->queue, configuration, &lists, &arrays, NULL));
        QN_TRY(qn_queue_finish(bench->queue));
        wall = fmin(wall, clock_s() - started);
    }
    for (int t = 0; t < QN_FACTOR_TUNABLES; t++)
        printf("%s=%d ", qn_deform_factor_family.tunables[t].name, configuration->value[t]);
    printf(": %.3f ms of kernels, %.3f ms in all, share %.3f; %d levels, %.2f of the values, %d runs\n", 1e3 * best,
           1e3 * wall, facts.multiply_adds * bench->states / wall / bench->rate, schedule->level_count,
           (double)schedule->stored_count * schedule->block * schedule->block / (double)facts.value_count,
           schedule->run_count);
    QN_TRY(time_solution(bench, &lists, &arrays));
    fflush(stdout);
    qn_buffer_release(&arrays.tiles);
    qn_buffer_release(&arrays.diagonals);
    qn_buffer_release(&arrays.wrong);
    qn_factor_lists_release(&lists);
    qn_factor_schedule_destroy(&schedule);
    return QN_OK;
}

static qn_status time_if_allowed(const device_bench *bench, const qn_configuration *configuration)
{
    bool allowed;
    QN_TRY(qn_family_allows(&qn_deform_factor_family, qn_device_get_info(qn_queue_device(bench->queue)), configuration,
                            &allowed, NULL));
    return allowed ? time_configuration(bench, configuration) : QN_OK;
}

/* Values given as "NAME=VALUE"; a value of "all" is left to loops, and its tunable's index is returned in `loops`. */
static qn_status time_configurations(const device_bench *bench, int count, char **texts)
{
    qn_configuration configuration;
    bool loops[QN_FACTOR_TUNABLES] = {false};
    qn_factor_configuration(bench->queue, bench->plan, bench->states, &configuration);
    for (int i = 0; i < count; i++)
        for (int t = 0; t < QN_FACTOR_TUNABLES; t++) {
            const char *name = qn_deform_factor_family.tunables[t].name, *value = strchr(texts[i], '=');
            if (!value || strncmp(texts[i], name, strlen(name)) != 0) continue;
            loops[t] = strcmp(value + 1, "all") == 0;
            if (!loops[t]) configuration.value[t] = atoi(value + 1);
        }
    int index[QN_FACTOR_TUNABLES] = {0};
    for (;;) {
        int t = 0;
        for (int u = 0; u < QN_FACTOR_TUNABLES; u++)
            if (loops[u]) configuration.value[u] = qn_deform_factor_family.tunables[u].values[index[u]];
        QN_TRY(time_if_allowed(bench, &configuration));
        while (t < QN_FACTOR_TUNABLES && (!loops[t] || ++index[t] == qn_deform_factor_family.tunables[t].value_count))
            index[t++] = 0;
        if (t == QN_FACTOR_TUNABLES) return QN_OK;
    }
}

static qn_status time_device(const qn_factor_box *box, const qn_factor_plan *plan, int argc, char **argv)
{
    device_bench bench = {.box = box, .plan = plan, .states = argc > 3 ? atoi(argv[3]) : 256};
    qn_context *context;
    qn_device *device;
    qn_device_rates rates;
    QN_TRY(qn_context_create(NULL, &context));
    QN_TRY(qn_device_open(context, argv[2], &device));
    QN_TRY(qn_queue_create(device, &bench.queue));
    QN_TRY(qn_device_measure(device, &rates));
    bench.rate = rates.multiply_adds_per_s;
    printf("%s: %.3g multiply-adds/s; %d states\n", qn_device_get_info(device)->name, bench.rate, bench.states);
    QN_TRY(make_values(&bench));
    QN_TRY(time_configurations(&bench, argc > 4 ? argc - 4 : 0, argv + 4));
    qn_buffer_release(&bench.values);
    qn_queue_destroy(&bench.queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return QN_OK;
}

static qn_status run(int argc, char **argv)
{
    qn_factor_box box = {0};
    qn_factor_plan *plan;
    QN_TRY(bench_open_pattern(argv[1], &box));
    const double started = clock_s();
    QN_TRY(qn_factor_plan_create(&box.pattern, box.is_free, box.sign, &plan));
    const qn_factor_facts facts = qn_factor_plan_facts(plan);
    printf("%zu freedoms, %zu values, %.3g multiply-adds; plan made in %.1f ms\n", facts.freedom_count,
           facts.value_count, facts.multiply_adds, 1e3 * (clock_s() - started));
    const qn_status status = argc > 2 ? time_device(&box, plan, argc, argv) : time_host(&box, plan);
    qn_factor_plan_destroy(&plan);
    qn_factor_box_release(&box);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: quern_bench_deform_factor " BENCH_PATTERNS " [DEVICE [STATES [NAME=VALUE ...]]]\n");
        return 2;
    }
    if (run(argc, argv) == QN_OK) return 0;
    fprintf(stderr, "quern_bench_deform_factor: %s\n", qn_error_message());
    return 1;
}

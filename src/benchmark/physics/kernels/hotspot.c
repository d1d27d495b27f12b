#include "benchmark/physics/kernels/hotspot.h"

#include <stdio.h>

#include "base/error.h"
#include "runtime/host_variant.h"

#include "benchmark/physics/kernels/hotspot.dev.h"

extern const char qn_benchmark_hotspot_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_benchmark_hotspot_host);

enum { BLOCK_X, BLOCK_Y, TILE_X, TILE_Y, STEPS, UNROLL_STEPS, POWER_MEMORY, EDGE_BUFFERS, TUNABLES };
_Static_assert((int)STEPS == (int)QN_HOTSPOT_STEPS, "hotspot.h names the tunable");

static const qn_tunable tunables[TUNABLES] = {
    [BLOCK_X] = {"BLOCK_X",
                 {1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 160, 192, 256, 384, 512, 1024},
                 16,
                 16,
                 "work-items of a group along x"},
    [BLOCK_Y] = {"BLOCK_Y", {1, 2, 4, 8, 16, 32}, 6, 4, "work-items of a group along y"},
    [TILE_X] = {"TILE_X", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16}, 12, 2, "cells of an item along x"},
    [TILE_Y] = {"TILE_Y", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16}, 12, 8, "cells of an item along y"},
    [STEPS] = {"STEPS", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10, 2, "steps of a launch"},
    [UNROLL_STEPS] = {"UNROLL_STEPS", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10, 1, "steps unrolled"},
    [POWER_MEMORY] = {"POWER_MEMORY", {0, 1, 2}, 3, 1, "power is kept in 0 global memory, 1 registers, 2 local memory"},
    [EDGE_BUFFERS] = {"EDGE_BUFFERS", {1, 2}, 2, 2, "sets of edges in local memory"},
};

static const char *const constraints[] = {
    "BLOCK_X * BLOCK_Y <= device.largest_group",
    "BLOCK_X * BLOCK_Y >= device.subgroup_size",
    "TILE_X * TILE_Y <= 64",
    "STEPS % UNROLL_STEPS == 0 && UNROLL_STEPS * TILE_X * TILE_Y <= 200",
    /* the cells that a group writes are at least a quarter of its region */
    "BLOCK_X * TILE_X > 2 * STEPS && BLOCK_Y * TILE_Y > 2 * STEPS",
    "device.is_host || "
    "4 * (BLOCK_X * TILE_X - 2 * STEPS) * (BLOCK_Y * TILE_Y - 2 * STEPS) >= BLOCK_X * TILE_X * BLOCK_Y * TILE_Y",
    "4 * BLOCK_X * BLOCK_Y * (2 * EDGE_BUFFERS * (TILE_X + TILE_Y) + (POWER_MEMORY == 2) * TILE_X * TILE_Y) <= "
    "device.local_memory_bytes",
    /* the host's kernel uses only STEPS */
    "!device.is_host || (BLOCK_X == 16 && BLOCK_Y == 4 && TILE_X == 2 && TILE_Y == 8)",
    "!device.is_host || (UNROLL_STEPS == 1 && POWER_MEMORY == 1 && EDGE_BUFFERS == 2)",
};

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const qn_hotspot_problem *problem = user;
    const int *value = configuration->value;
    const size_t block_x = (size_t)value[BLOCK_X], block_y = (size_t)value[BLOCK_Y];
    const size_t inner_width = block_x * (size_t)value[TILE_X] - 2 * (size_t)value[STEPS];
    const size_t inner_height = block_y * (size_t)value[TILE_Y] - 2 * (size_t)value[STEPS];
    return (qn_geometry){{((size_t)problem->width + inner_width - 1) / inner_width * block_x,
                          ((size_t)problem->height + inner_height - 1) / inner_height * block_y, 1},
                         {block_x, block_y, 1}};
}

/* Least work of all steps of a problem: each cell is read once and written once. A step has two additions and three
 * fused multiply-adds per cell. */
static void work_of(const void *user, qn_work *work)
{
    const qn_hotspot_problem *problem = user;
    const double cells = (double)problem->width * problem->height;
    *work = (qn_work){.bytes_read = 8 * cells, .bytes_written = 4 * cells, .multiply_adds = 5 * cells * problem->steps};
}

static qn_status host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_benchmark_hotspot_host)[0](launch);
}

_Static_assert(sizeof(hotspot_scalars) == 8 * 4, "no padding");

static const qn_argument_declaration arguments_of_hotspot[HOTSPOT_ARGUMENTS] = {
    [HOTSPOT_POWER] = {"power", QN_IN, QN_FLOAT32},
    [HOTSPOT_FROM] = {"from", QN_IN, QN_FLOAT32},
    [HOTSPOT_TO] = {"to", QN_OUT, QN_FLOAT32},
    [HOTSPOT_DONE] = {"done", QN_OUT, QN_INT32},
    [HOTSPOT_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(hotspot_scalars)},
};

static const qn_kernel_declaration kernels[] = {
    {"hotspot", arguments_of_hotspot, HOTSPOT_ARGUMENTS, geometry, host, work_of}};

const qn_family qn_benchmark_hotspot_family = {
    .name = "benchmark/hotspot",
    .source = qn_benchmark_hotspot_source,
    .source_path = "benchmark/physics/kernels/hotspot.cl",
    .kernels = kernels,
    .kernel_count = 1,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

static qn_status check_buffer(const char *name, const qn_buffer *buffer, const qn_hotspot_problem *problem)
{
    const size_t needed = (size_t)problem->width * (size_t)problem->height * sizeof(float);
    if (qn_buffer_bytes(buffer) < needed)
        return QN_FAIL(QN_INVALID_ARGUMENT, "benchmark/hotspot: %s has %zu bytes; expected %zu for %d x %d cells", name,
                       qn_buffer_bytes(buffer), needed, problem->width, problem->height);
    return QN_OK;
}

/* Launch once; *left gets the number of `steps` that remain. */
static qn_status launch(qn_queue *queue, const qn_configuration *configuration, const qn_hotspot_problem *problem,
                        qn_buffer *const buffers[4], int steps, int *left, double *seconds)
{
    const size_t bytes = (size_t)problem->width * (size_t)problem->height * sizeof(float);
    const float centre = 1 - 2 * problem->across - 2 * problem->down - problem->loss;
    const hotspot_scalars scalars = {
        .width = problem->width,
        .height = problem->height,
        .steps = steps,
        .across = problem->across,
        .down = problem->down,
        .centre = centre,
        .heating = problem->heating,
        .cooling = problem->loss * problem->air,
    };
    const qn_argument arguments[HOTSPOT_ARGUMENTS] = {
        [HOTSPOT_POWER] = qn_argument_buffer(buffers[0]),
        [HOTSPOT_FROM] = qn_argument_buffer(buffers[1]),
        [HOTSPOT_TO] = qn_argument_range(buffers[2], 0, bytes),
        [HOTSPOT_DONE] = qn_argument_range(buffers[3], 0, sizeof(int32_t)),
        [HOTSPOT_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    qn_family_call call = {.kernel = 0,
                           .arguments = arguments,
                           .argument_count = HOTSPOT_ARGUMENTS,
                           .problem = problem,
                           .configuration = configuration};
    qn_event *event = NULL;
    double time = 0;
    int32_t done = 0;
    qn_status status = qn_family_run(&qn_benchmark_hotspot_family, queue, &call, &event);
    if (status == QN_OK) status = qn_event_seconds(event, &time);
    qn_event_destroy(&event);
    if (status == QN_OK) status = qn_queue_read(queue, buffers[3], 0, &done, sizeof done, NULL);
    if (status == QN_OK) status = qn_queue_finish(queue);
    if (status == QN_OK && (done < 1 || done > steps))
        return QN_FAIL(QN_LAUNCH_FAILED, "benchmark/hotspot: a launch reported %d of %d steps", done, steps);
    *left = steps - done;
    if (seconds) *seconds += time;
    return status;
}

qn_status qn_hotspot(qn_queue *queue, const qn_configuration *configuration, const qn_hotspot_problem *problem,
                     qn_buffer *power, qn_buffer **temperature, qn_buffer **scratch, qn_buffer *done, double *seconds)
{
    if (seconds) *seconds = 0;
    if (problem->width < 1 || problem->height < 1 || problem->steps < 1)
        return QN_FAIL(QN_INVALID_ARGUMENT, "benchmark/hotspot: %d x %d cells, %d steps; expected at least 1 of each",
                       problem->width, problem->height, problem->steps);
    QN_TRY(check_buffer("power", power, problem));
    QN_TRY(check_buffer("temperature", *temperature, problem));
    QN_TRY(check_buffer("scratch", *scratch, problem));
    for (int left = problem->steps; left > 0;) {
        qn_buffer *const buffers[] = {power, *temperature, *scratch, done};
        QN_TRY(launch(queue, configuration, problem, buffers, left, &left, seconds));
        *temperature = buffers[2];
        *scratch = buffers[1];
    }
    return QN_OK;
}

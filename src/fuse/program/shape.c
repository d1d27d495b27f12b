/* Shapes of groups that suit a device and the sizes of a plan. The tuner begins with them. */
#include <math.h>
#include <string.h>

#include "fuse/program/program.h"

enum {
    GROUP_ITEMS = 512, /* work-items of a group on a GPU: with 128 registers each they fill a compute unit */
    REGISTERS = 96,    /* of these for elements of matrices and vectors; others are for addresses */
    LEAST_PANEL = 16,
    LARGEST_PANEL = 256,  /* local memory has a sum for each line and each 32 work-items along it */
    LOCAL_FLOATS = 12000, /* of 48 KiB of local memory */
    MOST_LOADED_LINES = 8,
    WHOLE_ELEMENTS = 64, /* sums of columns in registers of a work-item that has whole lines with its group */
    WHOLE_PANEL = 32768, /* numbers of its panel, for the nearest cache */
    MOST_ELEMENTS = 32,
    VECTOR_GROUPS = 32,  /* of a compute unit that has vectors alone: most are over before the last ones begin */
    ROW_ITEMS_Y = 4,     /* of groups with sparse rows, which wait for all of their work-items: 128 with 32 along x */
    ROW_GROUPS = 10,     /* of a compute unit at once, see RESIDENT of the kernels */
    LONG_ROW_GROUPS = 8, /* with more than SHORT_TERMS */
    SHORT_TERMS = 6,
    MOST_TERMS = 8 /* elements of sparse rows in registers, each with the loads of its term */
};

/* Needs of the plan's kernels in two dimensions: the most of each. */
typedef struct needs {
    int64_t lines, columns; /* sizes */
    int64_t kept;           /* lines that a cache keeps for a further sweep */
    int matrices;           /* read and written */
    int vectors;            /* along axis 1, read and added up */
    int line_sums;
    bool has_parts; /* vectors leave as partial sums */
    bool has_again; /* a kernel sweeps over its lines again */
} needs;

static bool is_along(const qn_plan *plan, const qn_kernel_plan *kernel, int call, const qn_use *use, int axis)
{
    return use->index_count == 1 && qn_layout_axis(plan->graph, &kernel->layout, call, use) == axis;
}

/* Vectors along axis 1 that matrix calls read; sums along lines. */
static void count_vectors(const qn_plan *plan, const qn_kernel_plan *kernel, int *vectors, int *line_sums)
{
    bool seen[QN_GRAPH_VALUES_MAX] = {false};
    for (int call = 0; call < plan->graph->call_count; call++) {
        const qn_call *of = &plan->graph->calls[call];
        if (!qn_calls_have(kernel->calls, call) || of->space_count < 2) continue;
        for (int i = 0; i < of->input_count; i++) {
            if (!is_along(plan, kernel, call, &of->inputs[i], 1) || seen[of->inputs[i].value]) continue;
            seen[of->inputs[i].value] = true;
            ++*vectors;
        }
        for (int i = 0; i < of->output_count; i++) *line_sums += is_along(plan, kernel, call, &of->outputs[i], 0);
    }
}

static void raise(int value, int *most)
{
    if (value > *most) *most = value;
}

static void note_kernel(const qn_plan *plan, const qn_kernel_plan *kernel, const qn_sizes *sizes, needs *of)
{
    const int64_t lines = sizes->of[kernel->layout.extents[0]], columns = sizes->of[kernel->layout.extents[1]];
    int matrices = 0, vectors = 0, line_sums = 0;
    for (int value = 0; value < plan->graph->value_count; value++) {
        const qn_shape_kind kind = plan->graph->values[value].kind;
        if (kind == QN_MATRIX) matrices += kernel->reads[value] + kernel->writes[value];
        if (kind != QN_VECTOR || !kernel->partial[value]) continue;
        vectors++;
        of->has_parts = true;
    }
    count_vectors(plan, kernel, &vectors, &line_sums);
    raise(matrices, &of->matrices);
    raise(vectors, &of->vectors);
    raise(line_sums, &of->line_sums);
    if (lines > of->lines) of->lines = lines;
    if (columns > of->columns) of->columns = columns;
    if (kernel->again.count == 0) return;
    of->has_again = true;
    const int64_t fit =
        kernel->again.line_bytes < QN_PLAN_PANEL_BYTES ? QN_PLAN_PANEL_BYTES / kernel->again.line_bytes : 1;
    if (fit < of->kept) of->kept = fit;
}

static void find_needs(const qn_plan *plan, const qn_sizes *sizes, needs *of)
{
    *of = (needs){.kept = INT32_MAX};
    for (int k = 0; k < plan->kernel_count; k++)
        if (plan->kernels[k].layout.dimensions == 2) note_kernel(plan, &plan->kernels[k], sizes, of);
}

qn_shape qn_program_default_shape(const qn_device_info *device)
{
    if (qn_program_form(device) == QN_EMIT_LOOPS) return (qn_shape){1, 1, 2048, 16, 64, 64, 2048, 1, 1, 1};
    if (device->kind == QN_DEVICE_CPU) return (qn_shape){64, 1, 8, 16, 64, 64, 8, 1, 1, 1};
    return (qn_shape){32, 8, 8, 8, 256, 512, 8, 1, 4, 8};
}

/* Work-items along the lines as far as these go, and elements of each as far as registers go; then lines. */
static void fit_group(const needs *of, qn_shape *shape)
{
    const int arrays = of->matrices + of->vectors;
    shape->group_x = 32, shape->elements = MOST_ELEMENTS, shape->rows = 1;
    while (shape->group_x < GROUP_ITEMS && shape->group_x * shape->vector_width < of->columns) shape->group_x *= 2;
    shape->group_y = GROUP_ITEMS / shape->group_x;
    while (shape->elements > shape->vector_width &&
           (shape->elements * arrays > REGISTERS || (int64_t)shape->group_x * shape->elements / 2 >= of->columns))
        shape->elements /= 2;
    while (2 * shape->rows * shape->elements <= MOST_ELEMENTS && shape->rows < MOST_LOADED_LINES &&
           shape->elements * (2 * shape->rows * of->matrices + of->vectors) <= REGISTERS)
        shape->rows *= 2;
}

/* For a kernel that sweeps again: a group has whole lines, whose columns' sums stay in registers, so few lines at a
 * time do not make more parts, and the nearest cache keeps them. Returns whether lines are as long as a chunk can be.
 */
static bool fit_whole_lines(const needs *of, int units, qn_shape *shape)
{
    const int64_t step = (int64_t)GROUP_ITEMS * shape->vector_width;
    if (of->columns % step != 0 || of->columns > (int64_t)GROUP_ITEMS * WHOLE_ELEMENTS) return false;
    shape->group_x = GROUP_ITEMS, shape->group_y = 1;
    shape->elements = (int)(of->columns / GROUP_ITEMS);
    shape->panel = 1, shape->tile = 1, shape->rows = 1;
    while (2 * shape->panel * of->columns <= WHOLE_PANEL && shape->panel < LEAST_PANEL) shape->panel *= 2;
    while (2 * shape->tile <= shape->panel && shape->tile < 4) shape->tile *= 2;
    shape->parts = units;
    return true;
}

static int local_floats(const needs *of, const qn_shape *shape)
{
    const int segments = shape->group_x > 32 ? shape->group_x / 32 : 1;
    const int sums = shape->group_y * shape->tile * (shape->group_x + 1) + shape->panel * segments;
    return of->line_sums * (sums + shape->panel) +
           (shape->group_y > 1 ? GROUP_ITEMS * (shape->elements + 1) : GROUP_ITEMS);
}

/* A group for each compute unit with equally many lines, in as few panels as local memory allows. Without partial sums
 * panels may be small, which lets the groups end together. */
static void fit_panel(const needs *of, int units, qn_shape *shape)
{
    const int64_t share = (of->lines + units - 1) / units;
    const int64_t most = of->has_parts ? LARGEST_PANEL : LARGEST_PANEL / 4;
    const int64_t pieces = (share + most - 1) / most;
    shape->panel = pieces > 0 ? (int)((share + pieces - 1) / pieces) : LEAST_PANEL;
    if (shape->panel < LEAST_PANEL) shape->panel = LEAST_PANEL;
    if (of->kept < shape->panel) shape->panel = (int)of->kept;
    while (shape->tile > 1 && shape->tile > shape->panel) shape->tile /= 2;
    if (shape->rows > shape->tile) shape->rows = shape->tile;
    while (shape->tile > shape->rows && local_floats(of, shape) > LOCAL_FLOATS) shape->tile /= 2;
    while (shape->panel > LEAST_PANEL && local_floats(of, shape) > LOCAL_FLOATS) shape->panel = (shape->panel + 1) / 2;
}

/* On a processor a group for each thread comes before few parts where lines are few. */
static void fit_processor(const needs *of, int units, qn_shape *shape)
{
    const int64_t share = of->lines / units > LEAST_PANEL ? (of->lines + units - 1) / units : LEAST_PANEL;
    if (share < shape->panel) shape->panel = (int)share;
    if (of->kept < shape->panel) shape->panel = (int)of->kept;
    if (shape->panel >= 3 && shape->panel < LEAST_PANEL) shape->panel = (shape->panel + 3) / 4 * 4; /* lines by fours */
    if (shape->tile > shape->panel) shape->tile = shape->panel;
    shape->panel -= shape->panel % shape->tile;
}

/* Vectors alone. A group's elements of sparse rows at once are those of rows of usual length, in as few turns as can
 * be. Such kernels have as many groups as are on a compute unit at once, because further groups would not fill the
 * device. */
static void fit_vectors(const qn_graph *graph, const qn_sizes *sizes, const double *stored, int units, qn_shape *shape)
{
    double longest = 0;
    for (int value = 0; value < graph->value_count; value++) {
        const double rows =
            graph->values[value].kind == QN_CSR ? (double)sizes->of[graph->values[value].extents[0]] : 0;
        if (rows > 0 && stored[value] / rows > longest) longest = stored[value] / rows;
    }
    shape->parts = VECTOR_GROUPS * units;
    if (longest <= 0) return;
    const double turns = ceil(longest / MOST_TERMS);
    shape->terms = (int)ceil(longest / turns);
    shape->group_y = ROW_ITEMS_Y;
    shape->parts = (shape->terms <= SHORT_TERMS ? ROW_GROUPS : LONG_ROW_GROUPS) * units;
}

qn_shape qn_program_fitted_shape(const qn_plan *plan, const qn_device_info *device, const qn_sizes *sizes,
                                 const double *stored)
{
    qn_shape shape = qn_program_default_shape(device);
    const int units = device->compute_units > 0 ? device->compute_units : 1;
    needs of;
    find_needs(plan, sizes, &of);
    shape.parts = 4 * units;
    if (device->kind != QN_DEVICE_GPU || qn_program_form(device) == QN_EMIT_LOOPS) {
        fit_processor(&of, units, &shape);
    } else if (of.columns > 0) {
        if (of.has_again && fit_whole_lines(&of, units, &shape)) return shape;
        fit_group(&of, &shape);
        fit_panel(&of, units, &shape);
    } else {
        fit_vectors(plan->graph, sizes, stored, units, &shape);
    }
    return shape;
}

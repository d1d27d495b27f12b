#include "cluster/measure/kernels/drmsd_products.h"

#include "base/error.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "cluster/measure/kernels/drmsd.dev.h"
#include "cluster/measure/kernels/drmsd_products.dev.h"
#include "cluster/measure/kernels/panel_tiles.h"

extern const char qn_cluster_drmsd_products_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_cluster_drmsd_products_host);

enum { REPEAT_GROUPS = 1024 }; /* more pairs take turns */

size_t qn_drmsd_norm_bytes(size_t count)
{
    return qn_panel_count(count) * DRMSD_PANEL * sizeof(float);
}

size_t qn_drmsd_centre_offset(int slice)
{
    return (size_t)slice * DRMSD_SLICE * sizeof(float);
}

size_t qn_drmsd_centre_bytes(int atoms)
{
    return qn_drmsd_centre_offset(qn_drmsd_slices(atoms));
}

/* ---- geometry and work ---- */

/* Sizes of the kernel centre. */
typedef struct set_problem {
    int count;
    int slice; /* rows */
} set_problem;

static qn_geometry centre_geometry(const qn_configuration *configuration, const void *user)
{
    const set_problem *problem = user;
    (void)configuration;
    return (qn_geometry){{qn_panel_count((size_t)problem->count) * DRMSD_PANEL, PRODUCTS_PARTS, 1},
                         {DRMSD_PANEL, PRODUCTS_PARTS, 1}};
}

static void centre_work(const void *user, qn_work *least)
{
    const set_problem *problem = user;
    const double distances = (double)problem->slice * problem->count;
    *least = (qn_work){.bytes_read = 4 * distances, .bytes_written = 4 * distances, .multiply_adds = 2 * distances};
}

/* A multiply-add for each pair of structures and each pair of atoms. */
static void multiply_work(const void *user, qn_work *least)
{
    qn_panel_work(user, 1, least);
}

static qn_geometry repeat_geometry(const qn_configuration *configuration, const void *user)
{
    (void)configuration;
    (void)user;
    return (qn_geometry){{(size_t)REPEAT_GROUPS * PRODUCTS_GROUP, 1, 1}, {PRODUCTS_GROUP, 1, 1}};
}

/* ---- the family ---- */

static qn_status centre_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_cluster_drmsd_products_host)[QN_DRMSD_CENTRE](launch);
}

static qn_status multiply_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_cluster_drmsd_products_host)[QN_DRMSD_MULTIPLY](launch);
}

static qn_status repeat_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_cluster_drmsd_products_host)[QN_DRMSD_REPEAT](launch);
}

_Static_assert(sizeof(centre_scalars) == 3 * 4 && sizeof(multiply_scalars) == 9 * 4 && sizeof(repeat_scalars) == 4 * 4,
               "no padding");
_Static_assert(DRMSD_STEP % (PRODUCTS_PARTS * CENTRE_RUN) == 0, "parts of a slice are equal, and of whole runs");

static const qn_argument_declaration centre_arguments[CENTRE_ARGUMENTS] = {
    [CENTRE_DISTANCES] = {"distances", QN_INOUT, QN_FLOAT32},
    [CENTRE_CENTRE] = {"centre_distances", QN_IN, QN_FLOAT32},
    [CENTRE_NORMS] = {"norms", QN_INOUT, QN_FLOAT32},
    [CENTRE_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(centre_scalars)},
};

static const qn_argument_declaration multiply_arguments[MULTIPLY_ARGUMENTS] = {
    [MULTIPLY_ROWS] = {"rows", QN_IN, QN_FLOAT32},
    [MULTIPLY_COLUMNS] = {"columns", QN_IN, QN_FLOAT32},
    [MULTIPLY_ROW_NORMS] = {"row_norms", QN_IN, QN_FLOAT32},
    [MULTIPLY_COLUMN_NORMS] = {"column_norms", QN_IN, QN_FLOAT32},
    [MULTIPLY_VALUES] = {"values", QN_INOUT, QN_FLOAT32},
    [MULTIPLY_NEAR] = {"near", QN_INOUT, QN_INT32},
    [MULTIPLY_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(multiply_scalars)},
};

static const qn_argument_declaration repeat_arguments[REPEAT_ARGUMENTS] = {
    [REPEAT_ROWS] = {"rows", QN_IN, QN_FLOAT32},
    [REPEAT_COLUMNS] = {"columns", QN_IN, QN_FLOAT32},
    [REPEAT_WEIGHTS] = {"weights", QN_IN, QN_FLOAT32},
    [REPEAT_NEAR] = {"near", QN_IN, QN_INT32},
    [REPEAT_VALUES] = {"values", QN_INOUT, QN_FLOAT32},
    [REPEAT_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(repeat_scalars)},
};

static const qn_kernel_declaration kernels[] = {
    [QN_DRMSD_CENTRE] = {"centre", centre_arguments, CENTRE_ARGUMENTS, centre_geometry, centre_host, centre_work},
    [QN_DRMSD_MULTIPLY] = {"multiply", multiply_arguments, MULTIPLY_ARGUMENTS, qn_panel_geometry, multiply_host,
                           multiply_work},
    [QN_DRMSD_REPEAT] = {"repeat", repeat_arguments, REPEAT_ARGUMENTS, repeat_geometry, repeat_host, NULL},
};

const qn_family qn_cluster_drmsd_products_family = {
    .name = "cluster/drmsd_products",
    .source = qn_cluster_drmsd_products_source,
    .source_path = "cluster/measure/kernels/drmsd_products.cl",
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof *kernels,
    .tunables = qn_panel_tunables,
    .tunable_count = PANEL_TUNABLES,
    .constraints = qn_panel_constraints,
    .constraint_count = PANEL_CONSTRAINTS,
};

/* ---- launches ---- */

qn_status qn_drmsd_centre(qn_queue *queue, const qn_configuration *configuration, int atoms, int count, int slice,
                          qn_buffer *distances, qn_buffer *centre, qn_buffer *norms, qn_event **event)
{
    const set_problem problem = {.count = count, .slice = qn_panel_slice_rows(atoms, slice)};
    const centre_scalars scalars = {
        .panels = (int)qn_panel_count((size_t)count), .slice = problem.slice, .first = slice == 0};
    const qn_argument values[CENTRE_ARGUMENTS] = {
        [CENTRE_DISTANCES] = qn_argument_range(distances, 0, qn_panel_slice_bytes(atoms, slice, count)),
        [CENTRE_CENTRE] =
            qn_argument_range(centre, qn_drmsd_centre_offset(slice), (size_t)problem.slice * sizeof(float)),
        [CENTRE_NORMS] = qn_argument_range(norms, 0, qn_drmsd_norm_bytes((size_t)count)),
        [CENTRE_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    const qn_family_call call = {.kernel = QN_DRMSD_CENTRE,
                                 .arguments = values,
                                 .argument_count = CENTRE_ARGUMENTS,
                                 .problem = &problem,
                                 .problem_class = qn_drmsd_problem_class(count),
                                 .configuration = configuration};
    return qn_family_run(&qn_cluster_drmsd_products_family, queue, &call, event);
}

static size_t value_bytes(const qn_drmsd_problem *problem)
{
    return (size_t)problem->row_count * (size_t)problem->column_count * sizeof(float);
}

qn_status qn_drmsd_multiply(qn_queue *queue, const qn_configuration *configuration, const qn_drmsd_problem *problem,
                            const qn_drmsd_tile *tile, qn_event **event)
{
    const int atoms = problem->atoms, slice = problem->slice;
    const multiply_scalars scalars = {.row_count = problem->row_count,
                                      .column_count = problem->column_count,
                                      .slice = qn_panel_slice_rows(atoms, slice),
                                      .diagonal = problem->diagonal,
                                      .first = slice == 0,
                                      .last = slice + 1 == qn_drmsd_slices(atoms),
                                      .near_room = tile->near_room,
                                      .near_share = QN_DRMSD_NEAR_SHARE,
                                      .reciprocal = (float)(1 / problem->weight)};
    const size_t rows = qn_panel_slice_bytes(atoms, slice, problem->row_count);
    const size_t columns = qn_panel_slice_bytes(atoms, slice, problem->column_count);
    const qn_argument values[MULTIPLY_ARGUMENTS] = {
        [MULTIPLY_ROWS] = qn_argument_range(tile->distances[0], 0, rows),
        [MULTIPLY_COLUMNS] = qn_argument_range(tile->distances[1], 0, columns),
        [MULTIPLY_ROW_NORMS] = qn_argument_range(tile->norms[0], 0, qn_drmsd_norm_bytes((size_t)problem->row_count)),
        [MULTIPLY_COLUMN_NORMS] =
            qn_argument_range(tile->norms[1], 0, qn_drmsd_norm_bytes((size_t)problem->column_count)),
        [MULTIPLY_VALUES] = qn_argument_range(tile->values, 0, value_bytes(problem)),
        [MULTIPLY_NEAR] = qn_argument_buffer(tile->near),
        [MULTIPLY_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    const qn_family_call call = {.kernel = QN_DRMSD_MULTIPLY,
                                 .arguments = values,
                                 .argument_count = MULTIPLY_ARGUMENTS,
                                 .problem = problem,
                                 .problem_class = qn_drmsd_problem_class(problem->row_count),
                                 .configuration = configuration};
    return qn_family_run(&qn_cluster_drmsd_products_family, queue, &call, event);
}

qn_status qn_drmsd_repeat(qn_queue *queue, const qn_configuration *configuration, const qn_drmsd_problem *problem,
                          const qn_drmsd_tile *tile, qn_buffer *weights, qn_event **event)
{
    const size_t structure = 3 * (size_t)problem->atoms * sizeof(float);
    const repeat_scalars scalars = {.atoms = problem->atoms,
                                    .column_count = problem->column_count,
                                    .near_room = tile->near_room,
                                    .reciprocal = (float)(1 / problem->weight)};
    const qn_argument values[REPEAT_ARGUMENTS] = {
        [REPEAT_ROWS] = qn_argument_range(tile->positions[0], 0, (size_t)problem->row_count * structure),
        [REPEAT_COLUMNS] = qn_argument_range(tile->positions[1], 0, (size_t)problem->column_count * structure),
        [REPEAT_WEIGHTS] = qn_argument_range(weights, 0, (size_t)problem->atoms * sizeof(float)),
        [REPEAT_NEAR] = qn_argument_buffer(tile->near),
        [REPEAT_VALUES] = qn_argument_range(tile->values, 0, value_bytes(problem)),
        [REPEAT_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    const qn_family_call call = {.kernel = QN_DRMSD_REPEAT,
                                 .arguments = values,
                                 .argument_count = REPEAT_ARGUMENTS,
                                 .problem = problem,
                                 .problem_class = qn_drmsd_problem_class(problem->row_count),
                                 .configuration = configuration};
    return qn_family_run(&qn_cluster_drmsd_products_family, queue, &call, event);
}

#include "cluster/measure/kernels/drmsd.h"

#include "base/error.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "cluster/measure/kernels/drmsd.dev.h"
#include "cluster/measure/kernels/panel_tiles.h"

extern const char qn_cluster_drmsd_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_cluster_drmsd_host);

/* Sizes of the kernels pack and measure. */
typedef struct set_problem {
    int atoms, count;
    int pairs; /* of atoms, in the slice */
    int slice; /* pairs with the zeros that follow them */
} set_problem;

/* ---- sizes ---- */

int qn_drmsd_slices(int atoms)
{
    return (qn_panel_pairs(atoms) + DRMSD_SLICE - 1) / DRMSD_SLICE;
}

size_t qn_drmsd_panel_bytes(int atoms, size_t count)
{
    return qn_panel_count(count) * DRMSD_PANEL * 3 * (size_t)atoms * sizeof(float);
}

size_t qn_drmsd_distance_bytes(int atoms, size_t count)
{
    return qn_panel_count(count) * DRMSD_PANEL * (size_t)qn_panel_slice_rows(atoms, 0) * sizeof(float);
}

/* ---- geometry and work ---- */

static qn_geometry pack_geometry(const qn_configuration *configuration, const void *user)
{
    const set_problem *problem = user;
    (void)configuration;
    return (qn_geometry){{qn_panel_count((size_t)problem->count) * DRMSD_PANEL, 3 * (size_t)problem->atoms, 1},
                         {DRMSD_PANEL, 1, 1}};
}

static void pack_work(const void *user, qn_work *least)
{
    const set_problem *problem = user;
    const double bytes = 12.0 * problem->atoms * problem->count;
    *least = (qn_work){.bytes_read = bytes, .bytes_written = bytes};
}

static qn_geometry measure_geometry(const qn_configuration *configuration, const void *user)
{
    const set_problem *problem = user;
    (void)configuration;
    return (qn_geometry){{qn_panel_count((size_t)problem->count) * DRMSD_PANEL, (size_t)problem->slice / DRMSD_RUN, 1},
                         {DRMSD_PANEL, 1, 1}};
}

/* Three subtractions, a product, two multiply-adds and the product with the weight; a root. */
static void measure_work(const void *user, qn_work *least)
{
    const set_problem *problem = user;
    const double distances = (double)problem->pairs * problem->count;
    *least = (qn_work){.bytes_read = 12.0 * problem->atoms * problem->count,
                       .bytes_written = 4 * distances,
                       .multiply_adds = 7 * distances,
                       .reciprocal_roots = distances};
}

/* A subtraction and a multiply-add for each pair of structures and each pair of atoms. */
static void compare_work(const void *user, qn_work *least)
{
    qn_panel_work(user, 2, least);
}

/* ---- the family ---- */

static qn_status pack_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_cluster_drmsd_host)[QN_DRMSD_PACK](launch);
}

static qn_status measure_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_cluster_drmsd_host)[QN_DRMSD_MEASURE](launch);
}

static qn_status compare_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_cluster_drmsd_host)[QN_DRMSD_COMPARE](launch);
}

_Static_assert(sizeof(pack_scalars) == 2 * 4 && sizeof(measure_scalars) == 5 * 4 && sizeof(compare_scalars) == 7 * 4,
               "no padding");
_Static_assert(DRMSD_SLICE % DRMSD_STEP == 0 && DRMSD_STEP % DRMSD_RUN == 0, "slices have whole steps");

static const qn_argument_declaration pack_arguments[PACK_ARGUMENTS] = {
    [PACK_POSITIONS] = {"positions", QN_IN, QN_FLOAT32},
    [PACK_PANELS] = {"panels", QN_OUT, QN_FLOAT32},
    [PACK_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(pack_scalars)},
};

static const qn_argument_declaration measure_arguments[MEASURE_ARGUMENTS] = {
    [MEASURE_PANELS] = {"panels", QN_IN, QN_FLOAT32},
    [MEASURE_WEIGHTS] = {"weights", QN_IN, QN_FLOAT32},
    [MEASURE_DISTANCES] = {"distances", QN_OUT, QN_FLOAT32},
    [MEASURE_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(measure_scalars)},
};

static const qn_argument_declaration compare_arguments[COMPARE_ARGUMENTS] = {
    [COMPARE_ROWS] = {"rows", QN_IN, QN_FLOAT32},
    [COMPARE_COLUMNS] = {"columns", QN_IN, QN_FLOAT32},
    [COMPARE_VALUES] = {"values", QN_INOUT, QN_FLOAT32},
    [COMPARE_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(compare_scalars)},
};

static const qn_kernel_declaration kernels[] = {
    [QN_DRMSD_PACK] = {"pack", pack_arguments, PACK_ARGUMENTS, pack_geometry, pack_host, pack_work},
    [QN_DRMSD_MEASURE] = {"measure", measure_arguments, MEASURE_ARGUMENTS, measure_geometry, measure_host,
                          measure_work},
    [QN_DRMSD_COMPARE] = {"compare", compare_arguments, COMPARE_ARGUMENTS, qn_panel_geometry, compare_host,
                          compare_work},
};

const qn_family qn_cluster_drmsd_family = {
    .name = "cluster/drmsd",
    .source = qn_cluster_drmsd_source,
    .source_path = "cluster/measure/kernels/drmsd.cl",
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof *kernels,
    .tunables = qn_panel_tunables,
    .tunable_count = PANEL_TUNABLES,
    .constraints = qn_panel_constraints,
    .constraint_count = PANEL_CONSTRAINTS,
};

/* ---- launches ---- */

static qn_status check_sizes(int atoms, int count)
{
    if (atoms >= 2 && atoms <= QN_DRMSD_ATOMS_MAX && count > 0) return QN_OK;
    return QN_FAIL(QN_INVALID_ARGUMENT, "%s: %d structures of %d atoms; expected at least 1 of 2 to %d atoms",
                   qn_cluster_drmsd_family.name, count, atoms, QN_DRMSD_ATOMS_MAX);
}

const char *qn_drmsd_problem_class(int structures)
{
    return structures > 1024 ? "structures>1024" : structures > 256 ? "structures>256" : "structures<=256";
}

qn_status qn_drmsd_pack(qn_queue *queue, const qn_configuration *configuration, int atoms, int count,
                        qn_buffer *positions, qn_buffer *panels, qn_event **event)
{
    const set_problem problem = {.atoms = atoms, .count = count};
    const pack_scalars scalars = {.count = count, .rows = 3 * atoms};
    QN_TRY(check_sizes(atoms, count));
    const qn_argument values[PACK_ARGUMENTS] = {
        [PACK_POSITIONS] = qn_argument_range(positions, 0, (size_t)count * 3 * (size_t)atoms * sizeof(float)),
        [PACK_PANELS] = qn_argument_range(panels, 0, qn_drmsd_panel_bytes(atoms, (size_t)count)),
        [PACK_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    const qn_family_call call = {.kernel = QN_DRMSD_PACK,
                                 .arguments = values,
                                 .argument_count = PACK_ARGUMENTS,
                                 .problem = &problem,
                                 .problem_class = qn_drmsd_problem_class(count),
                                 .configuration = configuration};
    return qn_family_run(&qn_cluster_drmsd_family, queue, &call, event);
}

qn_status qn_drmsd_measure(qn_queue *queue, const qn_configuration *configuration, int atoms, int count, int slice,
                           qn_buffer *panels, qn_buffer *weights, qn_buffer *distances, qn_event **event)
{
    QN_TRY(check_sizes(atoms, count));
    const set_problem problem = {.atoms = atoms,
                                 .count = count,
                                 .pairs = qn_panel_slice_pairs(atoms, slice),
                                 .slice = qn_panel_slice_rows(atoms, slice)};
    const size_t panel_number = qn_panel_count((size_t)count);
    const measure_scalars scalars = {.atoms = atoms,
                                     .panels = (int)panel_number,
                                     .first_pair = slice * DRMSD_SLICE,
                                     .end_pair = slice * DRMSD_SLICE + problem.pairs,
                                     .slice = problem.slice};
    const size_t bytes = qn_panel_slice_bytes(atoms, slice, count);
    const qn_argument values[MEASURE_ARGUMENTS] = {
        [MEASURE_PANELS] = qn_argument_range(panels, 0, qn_drmsd_panel_bytes(atoms, (size_t)count)),
        [MEASURE_WEIGHTS] = qn_argument_range(weights, 0, (size_t)atoms * sizeof(float)),
        [MEASURE_DISTANCES] = qn_argument_range(distances, 0, bytes),
        [MEASURE_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    const qn_family_call call = {.kernel = QN_DRMSD_MEASURE,
                                 .arguments = values,
                                 .argument_count = MEASURE_ARGUMENTS,
                                 .problem = &problem,
                                 .problem_class = qn_drmsd_problem_class(count),
                                 .configuration = configuration};
    return qn_family_run(&qn_cluster_drmsd_family, queue, &call, event);
}

qn_status qn_drmsd_compare(qn_queue *queue, const qn_configuration *configuration, const qn_drmsd_problem *problem,
                           qn_buffer *rows, qn_buffer *columns, qn_buffer *values_buffer, qn_event **event)
{
    QN_TRY(check_sizes(problem->atoms, MIN(problem->row_count, problem->column_count)));
    const compare_scalars scalars = {.row_count = problem->row_count,
                                     .column_count = problem->column_count,
                                     .slice = qn_panel_slice_rows(problem->atoms, problem->slice),
                                     .diagonal = problem->diagonal,
                                     .first = problem->slice == 0,
                                     .last = problem->slice + 1 == qn_drmsd_slices(problem->atoms),
                                     .reciprocal = (float)(1 / problem->weight)};
    const size_t bytes = (size_t)problem->row_count * (size_t)problem->column_count * sizeof(float);
    const qn_argument values[COMPARE_ARGUMENTS] = {
        [COMPARE_ROWS] =
            qn_argument_range(rows, 0, qn_panel_slice_bytes(problem->atoms, problem->slice, problem->row_count)),
        [COMPARE_COLUMNS] =
            qn_argument_range(columns, 0, qn_panel_slice_bytes(problem->atoms, problem->slice, problem->column_count)),
        [COMPARE_VALUES] = qn_argument_range(values_buffer, 0, bytes),
        [COMPARE_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    const qn_family_call call = {.kernel = QN_DRMSD_COMPARE,
                                 .arguments = values,
                                 .argument_count = COMPARE_ARGUMENTS,
                                 .problem = problem,
                                 .problem_class = qn_drmsd_problem_class(problem->row_count),
                                 .configuration = configuration};
    return qn_family_run(&qn_cluster_drmsd_family, queue, &call, event);
}

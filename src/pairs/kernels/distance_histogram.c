#include "pairs/kernels/distance_histogram.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#define VECTOR_WIDTH 1
#include "pairs/kernels/distance_histogram.dev.h"

extern const char qn_pairs_distance_histogram_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_pairs_distance_histogram_host);

enum { GROUP_SIZE, ATOMS, TILE, COPIES, HISTOGRAM_WORDS, VECTORS, UNORDERED_MAP, GROUPS };

static const int ATOMS_MAX = 1 << 30;

/* Relative error of a guessed bin in single precision: 1e-6 of FAST_RSQRT, four roundings, and those of the table. */
static const double GUESS_ERROR = 1.5e-6;

static size_t side_of(const qn_configuration *configuration)
{
    const int *value = configuration->value;
    return (size_t)value[GROUP_SIZE] * (size_t)value[ATOMS] * (size_t)value[VECTORS];
}

/* One group per pair of tiles, but at most GROUPS per compute unit. */
static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const qn_histogram_problem *problem = user;
    const size_t side = side_of(configuration), group = (size_t)configuration->value[GROUP_SIZE];
    const size_t rows = ((size_t)problem->first_count + side - 1) / side;
    const size_t columns = ((size_t)problem->second_count + side - 1) / side;
    size_t groups =
        (size_t)configuration->value[GROUPS] * (size_t)(problem->compute_units > 0 ? problem->compute_units : 1);
    const size_t units = problem->second_count ? rows * columns : rows * (rows + 1) / 2;
    if (groups > units) groups = units;
    return (qn_geometry){{groups * group, 1, 1}, {group, 1, 1}};
}

static double pairs_of(const qn_histogram_problem *problem)
{
    const double first = problem->first_count;
    return problem->second_count ? first * problem->second_count : first * (first - 1) / 2;
}

/* Least work of a pair: three differences, three steps of the square, a product with the root and a step to the bin.
 * The nearest image takes two operations per axis in an orthorhombic cell, and at least five in a triclinic one. Then a
 * root and a count. */
static void work(const void *user, qn_work *least)
{
    const qn_histogram_problem *problem = user;
    const double pairs = pairs_of(problem);
    const qn_box_shape shape = problem->cell->shape;
    const double nearest = shape == QN_BOX_NONE ? 0 : shape == QN_BOX_ORTHORHOMBIC ? 6 : 15;
    *least = (qn_work){.bytes_read = 16.0 * (problem->first_count + (double)problem->second_count),
                       .bytes_written = 8.0 * problem->bins->count,
                       .multiply_adds = (8 + nearest) * pairs,
                       .reciprocal_roots = pairs,
                       .local_atomics = pairs};
}

static qn_status host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_pairs_distance_histogram_host)[0](launch);
}

_Static_assert(sizeof(distance_scalars) == 8 * 4, "no padding");

static const qn_argument_declaration arguments[DISTANCE_ARGUMENTS] = {
    [DISTANCE_FIRST] = {"first", QN_IN, QN_FLOAT32},
    [DISTANCE_SECOND] = {"second", QN_IN, QN_FLOAT32},
    [DISTANCE_SQUARED_EDGES] = {"squared_edges", QN_IN, QN_FLOAT32},
    [DISTANCE_CELL] = {"cell", QN_IN, QN_FLOAT32},
    [DISTANCE_COUNTS] = {"counts", QN_INOUT, QN_UINT32},
    [DISTANCE_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(distance_scalars)},
};

static const qn_kernel_declaration kernels[] = {
    {"distance_histogram", arguments, DISTANCE_ARGUMENTS, geometry, host, work}};

static const qn_tunable tunables[] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {16, 32, 64, 128, 256, 512, 1024}, 7, 128, "work-items per group"},
    [ATOMS] = {"ATOMS", {1, 2, 4, 8, 16}, 5, 4, "vectors of atoms of a work-item"},
    [TILE] = {"TILE", {16, 32, 64, 128, 256, 512}, 6, 128, "atoms of the other set in local memory"},
    [COPIES] = {"COPIES", {1, 2, 4, 8, 16, 32}, 6, 16, "histograms of a group, at most"},
    [HISTOGRAM_WORDS] = {"HISTOGRAM_WORDS", {512, 1024, 2048, 4096, 6656, 8192, 11264}, 7, 6656, "counters of a group"},
    [VECTORS] = {"VECTOR_WIDTH", {1, 2, 4, 8, 16}, 5, 1, "floats per vector"},
    [UNORDERED_MAP] = {"UNORDERED_MAP", {0, 1}, 2, 1, "pairs of tiles are listed once, not in both orders"},
    [GROUPS] = {"GROUPS", {1, 2, 4, 8, 16, 32, 64, 128}, 8, 64, "groups for each compute unit, at most"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group",
    "GROUP_SIZE >= device.subgroup_size",
    "GROUP_SIZE <= 256 || !device.is_opencl", /* NVIDIA's OpenCL runs this kernel in groups of at most 256 */
    "4 * HISTOGRAM_WORDS + 16 * TILE <= device.local_memory_bytes",
    "VECTOR_WIDTH == 1 || device.is_opencl",
    "ATOMS * VECTOR_WIDTH <= 32",                /* they must fit into registers */
    "GROUP_SIZE * ATOMS * VECTOR_WIDTH <= 8192", /* two tiles then have at most 2^26 pairs */
    "COPIES <= HISTOGRAM_WORDS",
    "!device.is_host || (GROUP_SIZE == 128 && ATOMS == 4 && TILE == 128 && HISTOGRAM_WORDS == 6656)",
    "!device.is_host || (UNORDERED_MAP == 1 && GROUPS == 64 && COPIES <= 16)",
};

const qn_family qn_pairs_distance_histogram_family = {
    .name = "pairs/distance_histogram",
    .source = qn_pairs_distance_histogram_source,
    .source_path = "pairs/kernels/distance_histogram.cl",
    .kernels = kernels,
    .kernel_count = 1,
    .tunables = tunables,
    .tunable_count = sizeof tunables / sizeof *tunables,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
    .check_definitions = "PERIODICITY=2",
};

/* ---- cells ---- */

static void set_lattice(const qn_box *box, qn_histogram_cell *cell)
{
    const double(*v)[3] = box->vectors_nm;
    float *values = cell->values;
    for (int axis = 0; axis < 3; axis++) {
        values[HISTOGRAM_EDGE_X + axis] = (float)v[axis][axis];
        values[HISTOGRAM_INVERSE_X + axis] = (float)(1 / v[axis][axis]);
    }
    values[HISTOGRAM_SLANT_BX] = (float)v[1][0];
    values[HISTOGRAM_SLANT_CX] = (float)v[2][0];
    values[HISTOGRAM_SLANT_CY] = (float)v[2][1];
    const double inner =
        0.999 * box->inscribed_radius_nm; /* smaller, so that rounding makes no other image the nearest */
    values[HISTOGRAM_INNER_SQUARE] = (float)(inner * inner);
}

/* Whether some d of the brick with d_z ≥ 0 has |d + s| < |d|, that is, |s|² < max −2 d·s. Vectors at which both sides
 * are equal are left out: they are nearer by less than the rounding of d. */
static bool can_be_nearer(const qn_box *box, const double s[3])
{
    const double(*v)[3] = box->vectors_nm;
    const double square = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    const double gain = v[0][0] * fabs(s[0]) + v[1][1] * fabs(s[1]) + (s[2] < 0 ? -s[2] * v[2][2] : 0);
    return square > 0 && square < (1 - 3e-7) * gain;
}

/* Find all lattice vectors s that can give a nearer image. |s|² ≤ 2 |s| |d| bounds |s| by the diagonal of the brick. */
static qn_status find_shifts(const qn_box *box, qn_histogram_cell *cell)
{
    const double(*v)[3] = box->vectors_nm;
    const double reach = sqrt(v[0][0] * v[0][0] + v[1][1] * v[1][1] + v[2][2] * v[2][2]);
    const int layers = (int)ceil(reach / v[2][2]);
    for (int k = -layers; k <= layers; k++) {
        const double y = k * v[2][1];
        for (int j = (int)floor((-reach - y) / v[1][1]); j <= (int)ceil((reach - y) / v[1][1]); j++) {
            const double x = k * v[2][0] + j * v[1][0];
            for (int i = (int)floor((-reach - x) / v[0][0]); i <= (int)ceil((reach - x) / v[0][0]); i++) {
                const double s[3] = {x + i * v[0][0], y + j * v[1][1], k * v[2][2]};
                if (!can_be_nearer(box, s)) continue;
                if (cell->shift_count == QN_HISTOGRAM_SHIFTS_MAX)
                    return QN_FAIL(
                        QN_UNSUPPORTED,
                        "box with edges %g, %g, %g nm is so flat that more than %d images can be nearest; expected "
                        "edges of a similar size",
                        v[0][0], v[1][1], v[2][2], QN_HISTOGRAM_SHIFTS_MAX);
                float *to = cell->values + HISTOGRAM_SHIFTS + 4 * cell->shift_count++;
                for (int axis = 0; axis < 3; axis++) to[axis] = (float)s[axis];
            }
        }
    }
    return QN_OK;
}

qn_status qn_histogram_cell_make(const qn_box *box, qn_histogram_cell *cell)
{
    memset(cell, 0, sizeof *cell);
    cell->shape = box->shape;
    cell->values[HISTOGRAM_SHAPE] = (float)box->shape;
    if (box->shape == QN_BOX_NONE) return QN_OK;
    set_lattice(box, cell);
    return box->shape == QN_BOX_TRICLINIC ? find_shifts(box, cell) : QN_OK;
}

/* Wrap to −½ … ½ of every edge: floats are finest around 0. */
void qn_histogram_pack(const qn_box *box, const float *positions_nm, const uint32_t *atoms, size_t count, float *packed)
{
    for (size_t i = 0; i < count; i++) {
        const float *from = positions_nm + 3 * (atoms ? (size_t)atoms[i] : i);
        double at[3] = {from[0], from[1], from[2]};
        for (int row = 2; row >= 0 && box->shape != QN_BOX_NONE; row--) {
            const double turns = nearbyint(at[row] * box->inverse[row][row]);
            for (int axis = 0; axis <= row; axis++) at[axis] -= turns * box->vectors_nm[row][axis];
        }
        for (int axis = 0; axis < 3; axis++) packed[4 * i + (size_t)axis] = (float)at[axis];
        packed[4 * i + 3] = 0;
    }
}

/* ---- bins ---- */

double qn_histogram_bins_edge(const qn_histogram_bins *bins, int k)
{
    return k == 0 ? 0 : (k - (bins->centred ? 0.5 : 0)) * bins->width_nm;
}

void qn_histogram_bins_squared_edges(const qn_histogram_bins *bins, float *squared_edges)
{
    for (int k = 0; k <= bins->count; k++) {
        const double edge = qn_histogram_bins_edge(bins, k);
        squared_edges[k] = (float)(edge * edge);
    }
}

/* ---- launch ---- */

qn_status qn_histogram_problem_check(const char *family, const qn_histogram_problem *problem)
{
    const qn_histogram_bins *bins = problem->bins;
    if (bins->count < 1 || bins->count > QN_HISTOGRAM_BINS_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: %d bins; expected 1 to %d", family, bins->count,
                       QN_HISTOGRAM_BINS_MAX);
    if (!(bins->width_nm >= 1e-6 && bins->width_nm <= 1e6))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: bins of %g nm; expected 1e-6 to 1e6 nm", family, bins->width_nm);
    if (problem->first_count < 0 || problem->second_count < 0 || problem->first_count > ATOMS_MAX ||
        problem->second_count > ATOMS_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: sets of %d and %d atoms; expected 0 to %d", family,
                       problem->first_count, problem->second_count, ATOMS_MAX);
    return QN_OK;
}

/* Largest distance of a guess from the middle of its bin, in bins, at which it is certainly right: half a bin minus the
 * error of the guess at the largest distance that can occur. */
static double sure_half_bin(const qn_histogram_problem *problem)
{
    const float *values = problem->cell->values;
    const qn_histogram_bins *bins = problem->bins;
    double most = bins->count + 1.0;
    if (problem->cell->shape != QN_BOX_NONE) { /* nearest images lie in the brick */
        const double diagonal = sqrt((double)values[HISTOGRAM_EDGE_X] * values[HISTOGRAM_EDGE_X] +
                                     (double)values[HISTOGRAM_EDGE_Y] * values[HISTOGRAM_EDGE_Y] +
                                     (double)values[HISTOGRAM_EDGE_Z] * values[HISTOGRAM_EDGE_Z]);
        most = fmin(most, 0.501 * diagonal / bins->width_nm + 1);
    }
    return 0.5 - GUESS_ERROR * most - 1e-6;
}

/* Number of shifts that can matter: none if the last bin ends within the inscribed sphere, because a nearest image
 * within that sphere is the one in the brick. */
static int needed_shifts(const qn_histogram_problem *problem)
{
    const double most = qn_histogram_bins_edge(problem->bins, problem->bins->count);
    return most * most <= (double)problem->cell->values[HISTOGRAM_INNER_SQUARE] ? 0 : problem->cell->shift_count;
}

qn_histogram_guess qn_histogram_guess_of(const qn_histogram_problem *problem)
{
    const qn_histogram_bins *bins = problem->bins;
    return (qn_histogram_guess){needed_shifts(problem), (float)(1 / bins->width_nm), bins->centred ? 0.0f : -0.5f,
                                (float)sure_half_bin(problem)};
}

const char *qn_histogram_problem_class(int atoms)
{
    return atoms <= 1 << 12   ? "atoms<=4096"
           : atoms <= 1 << 14 ? "atoms<=16384"
           : atoms <= 1 << 17 ? "atoms<=131072"
                              : "atoms>131072";
}

qn_status qn_distance_histogram(qn_queue *queue, const qn_configuration *configuration,
                                const qn_histogram_problem *problem, qn_buffer *first, qn_buffer *second,
                                qn_buffer *squared_edges, qn_buffer *cell, qn_buffer *counts, qn_event **event)
{
    static const char *const definitions[] = {"PERIODICITY=0", "PERIODICITY=1", "PERIODICITY=2"};
    QN_TRY(qn_histogram_problem_check(qn_pairs_distance_histogram_family.name, problem));
    if (event) *event = NULL;
    if (problem->first_count == 0 || (second ? problem->second_count == 0 : problem->first_count < 2)) return QN_OK;
    const qn_histogram_guess guess = qn_histogram_guess_of(problem);
    qn_histogram_problem sized = *problem;
    if (!second) sized.second_count = 0;
    sized.compute_units = qn_device_get_info(qn_queue_device(queue))->compute_units;
    const distance_scalars scalars = {
        .first_count = problem->first_count,
        .second_count = second ? problem->second_count : problem->first_count,
        .unordered = !second,
        .bins = problem->bins->count,
        .shifts = guess.shifts,
        .scale = guess.scale,
        .shift = guess.shift,
        .sure = guess.sure,
    };
    const qn_argument values[DISTANCE_ARGUMENTS] = {
        [DISTANCE_FIRST] = qn_argument_buffer(first),
        [DISTANCE_SECOND] = qn_argument_buffer(second ? second : first),
        [DISTANCE_SQUARED_EDGES] = qn_argument_buffer(squared_edges),
        [DISTANCE_CELL] = qn_argument_buffer(cell),
        [DISTANCE_COUNTS] = qn_argument_buffer(counts),
        [DISTANCE_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    const qn_family_call call = {.arguments = values,
                                 .argument_count = DISTANCE_ARGUMENTS,
                                 .problem = &sized,
                                 .problem_class = qn_histogram_problem_class(problem->first_count),
                                 .definitions = definitions[problem->cell->shape],
                                 .configuration = configuration};
    return qn_family_run(&qn_pairs_distance_histogram_family, queue, &call, event);
}

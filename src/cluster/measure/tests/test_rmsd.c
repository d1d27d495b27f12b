/* devices: host opencl cuda checking:host */
/* labels: unsanitized@checking */
/* RMSD of tiles of pairs, and which pairs are within a cut-off: sets of many kinds, tiles of odd sizes, and corners of
 * the tunables, against double precision. Every bit that is not listed as doubtful must be right. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "check.h"
#include "check_workload.h"
#include "cluster/measure/kernels/rmsd.h"
#include "cluster/measure/superposed.h"
#include "math/random.h"
#include "runtime/configuration.h"

enum { ATOMS_MAX = 230, COUNT_MAX = 330, CORNERS_MAX = 24 };

static qn_device *device;
static qn_queue *queue;
static qn_context *context;
static float positions[3 * ATOMS_MAX * COUNT_MAX], weights[ATOMS_MAX];
static uint64_t drawn;

typedef struct set_kind {
    const char *name;
    double step[3]; /* of a chain, along each axis */
    double change;  /* of each position, Å */
    double bend;    /* of the whole structure, Å */
    double shift;   /* from the origin, Å */
    bool turned;    /* each structure in an orientation of its own */
    bool mirrored;  /* every other structure */
    bool weighted;
    bool ordinary; /* few pairs may be doubtful */
} set_kind;

static const set_kind kinds[] = {
    {"proteins", {3, 3, 3}, 0.7, 4, 30, true, false, false, true},
    {"weights", {3, 3, 3}, 0.7, 4, 30, true, false, true, true},
    {"mirror images", {3, 3, 3}, 0.4, 0, 0, true, true, false, true},
    {"noise", {0, 0, 0}, 10, 0, 0, false, false, false, true},
    {"far away", {3, 3, 3}, 0.3, 1, 5000, true, false, false, true},
    {"rods", {3.8, 0.2, 0.2}, 0.5, 2, 0, true, false, false, false},
    {"planes", {3, 3, 0}, 0, 3, 0, false, false, false, false},
    {"lines", {3, 0, 0}, 0, 1, 0, true, false, false, false},
    {"copies", {3, 3, 3}, 0, 0, 10, true, false, false, false},
    {"points", {0, 0, 0}, 0, 0, 10, false, false, false, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static double uniform(void)
{
    return 2 * qn_random_uniform(3, 1, drawn++) - 1;
}

static void random_rotation(double r[9])
{
    double q[4], length = 0;
    for (int i = 0; i < 4; i++) q[i] = uniform(), length += q[i] * q[i];
    for (int i = 0; i < 4; i++) q[i] /= sqrt(length);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(r, m, sizeof m);
}

/* One chain; each structure bends it by a smooth wave of its own, and moves each atom. Planes stay planes, lines stay
 * lines. */
static qn_structures make(const set_kind *kind, size_t atoms, size_t count)
{
    double chain[3 * ATOMS_MAX], at[3] = {0, 0, 0};
    for (size_t k = 0; k < atoms; k++) {
        weights[k] = (float)(1.5 + uniform());
        for (size_t a = 0; a < 3; a++)
            chain[3 * k + a] = at[a] += kind->step[a] * (a == 0 ? 0.7 + 0.3 * uniform() : uniform());
    }
    for (size_t i = 0; i < count; i++) {
        double r[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, move[3], bend[3], phase = 3 * uniform();
        if (kind->turned) random_rotation(r);
        for (int a = 0; a < 3; a++) {
            move[a] = kind->shift * uniform();
            bend[a] = kind->step[a] > 0 ? kind->bend * uniform() : 0;
        }
        for (size_t k = 0; k < atoms; k++) {
            double x[3];
            for (size_t a = 0; a < 3; a++) {
                x[a] = chain[3 * k + a] + kind->change * uniform();
                x[a] += bend[a] * sin(phase + 6.0 * (double)k / (double)atoms + (double)a);
            }
            if (kind->mirrored && i % 2) x[2] = -x[2];
            for (size_t a = 0; a < 3; a++)
                positions[(3 * i + a) * atoms + k] =
                    (float)(r[3 * a] * x[0] + r[3 * a + 1] * x[1] + r[3 * a + 2] * x[2] + move[a]);
        }
    }
    return (qn_structures){count, atoms, positions, kind->weighted ? weights : NULL};
}

typedef struct pair_tile {
    size_t first_row, rows, first_column, columns;
    bool triangle;
} pair_tile;

typedef struct outputs {
    uint32_t *bits; /* of near */
    float *values;  /* of values */
    bool *doubtful[2];
    size_t words;
} outputs;

static qn_buffer *buffer_of(const void *data, size_t bytes)
{
    qn_buffer *buffer = NULL;
    CHECK_OK(qn_buffer_create(device, bytes, &buffer));
    if (data) CHECK_OK(qn_queue_write(queue, buffer, 0, data, bytes, NULL));
    return buffer;
}

static void read_doubts(const qn_rmsd_doubts *doubts, const pair_tile *tile, bool *doubtful)
{
    uint32_t count = 0, *pairs = NULL;
    CHECK_OK(qn_queue_read(queue, doubts->count, 0, &count, sizeof count, NULL));
    CHECK_OK(qn_queue_finish(queue));
    CHECK(count <= tile->rows * tile->columns);
    CHECK_OK(qn_allocate(count + 1, sizeof *pairs, (void **)&pairs));
    if (count) CHECK_OK(qn_queue_read(queue, doubts->pairs, 0, pairs, count * sizeof *pairs, NULL));
    CHECK_OK(qn_queue_finish(queue));
    for (uint32_t p = 0; p < count; p++) {
        const size_t place = (size_t)(pairs[p] >> 16) * tile->columns + (pairs[p] & 0xffff);
        if (CHECK(place < tile->rows * tile->columns && !doubtful[place])) doubtful[place] = true;
    }
    qn_release(&pairs);
}

static void run_tile(const qn_configuration *configuration, const qn_superposed *set, const pair_tile *tile,
                     double cutoff, outputs *out)
{
    const size_t atoms = set->structures->atom_count, count = set->structures->count,
                 pairs = tile->rows * tile->columns;
    const qn_rmsd_problem problem = {.atoms = (int)atoms,
                                     .first_row = (int)tile->first_row,
                                     .rows = (int)tile->rows,
                                     .first_column = (int)tile->first_column,
                                     .columns = (int)tile->columns,
                                     .triangle = tile->triangle,
                                     .doubtful_capacity = (int)pairs,
                                     .cutoff_angstrom = cutoff};
    qn_rmsd_set own = {buffer_of(set->positions, qn_superposed_position_bytes(atoms, count)),
                       buffer_of(set->terms, qn_superposed_term_bytes(count))};
    out->words = (tile->columns + 31) / 32;
    qn_buffer *bits = buffer_of(NULL, tile->rows * out->words * 4), *values = buffer_of(NULL, pairs * sizeof(float));
    for (int kernel = 0; kernel < 2; kernel++) {
        const uint32_t zero = 0;
        qn_rmsd_doubts doubts = {buffer_of(NULL, pairs * sizeof(uint32_t)), buffer_of(&zero, sizeof zero)};
        CHECK_OK(qn_allocate(pairs, sizeof(bool), (void **)&out->doubtful[kernel]));
        if (kernel == 0)
            CHECK_OK(qn_rmsd_near(queue, configuration, &problem, &own, &own, bits, &doubts, NULL));
        else
            CHECK_OK(qn_rmsd_values(queue, configuration, &problem, &own, &own, values, &doubts, NULL));
        read_doubts(&doubts, tile, out->doubtful[kernel]);
        qn_buffer_release(&doubts.pairs);
        qn_buffer_release(&doubts.count);
    }
    CHECK_OK(qn_allocate(tile->rows * out->words, 4, (void **)&out->bits));
    CHECK_OK(qn_allocate(pairs, sizeof(float), (void **)&out->values));
    CHECK_OK(qn_queue_read(queue, bits, 0, out->bits, tile->rows * out->words * 4, NULL));
    CHECK_OK(qn_queue_read(queue, values, 0, out->values, pairs * sizeof(float), NULL));
    CHECK_OK(qn_queue_finish(queue));
    qn_buffer_release(&own.positions);
    qn_buffer_release(&own.terms);
    qn_buffer_release(&bits);
    qn_buffer_release(&values);
}

/* Compare a tile with double precision; returns the larger share of doubtful pairs. */
static double check_tile(const qn_configuration *configuration, const qn_superposed *set, const pair_tile *tile,
                         double cutoff)
{
    outputs out = {0};
    size_t wrong_bits = 0, wrong_values = 0, in_doubt[2] = {0, 0}, wanted = 0;
    run_tile(configuration, set, tile, cutoff, &out);
    for (size_t r = 0; r < tile->rows; r++)
        for (size_t c = 0; c < tile->columns; c++) {
            const size_t place = r * tile->columns + c;
            const bool bit = out.bits[r * out.words + c / 32] >> c % 32 & 1;
            if (tile->triangle && c <= r) {
                wrong_bits += bit || out.doubtful[0][place];
                wrong_values += out.values[place] != 0 || out.doubtful[1][place];
                continue;
            }
            const double value = qn_rmsd_reference(set->structures, tile->first_row + r, tile->first_column + c);
            wanted++;
            in_doubt[0] += out.doubtful[0][place];
            in_doubt[1] += out.doubtful[1][place];
            wrong_bits += out.doubtful[0][place] ? bit : bit != (value <= cutoff);
            wrong_values += !out.doubtful[1][place] && !(fabs(out.values[place] - value) <= 5.1e-4);
        }
    for (size_t r = 0; r < tile->rows && tile->columns % 32; r++)
        wrong_bits += out.bits[r * out.words + out.words - 1] >> tile->columns % 32 != 0;
    CHECK(wrong_bits == 0);
    CHECK(wrong_values == 0);
    qn_release(&out.bits);
    qn_release(&out.values);
    qn_release(&out.doubtful[0]);
    qn_release(&out.doubtful[1]);
    const size_t most = in_doubt[0] > in_doubt[1] ? in_doubt[0] : in_doubt[1];
    return wanted ? (double)most / (double)wanted : 0;
}

/* An OpenCL device that is a CPU runs these kernels some hundred times slower than the host does. */
static bool is_slow(void)
{
    return corners_to_visit(qn_device_get_info(device), CORNERS_MAX) < CORNERS_MAX;
}

static void check_set(const qn_configuration *configuration, const set_kind *kind, size_t atoms, size_t count,
                      const pair_tile *tile)
{
    const qn_structures structures = make(kind, atoms, count);
    qn_superposed set;
    if (!CHECK_OK(qn_superposed_make(&structures, NULL, &set))) return;
    const size_t column = tile->first_column + tile->columns / 2;
    const double some = qn_rmsd_reference(&structures, tile->first_row, column);
    const double cutoffs[] = {some * 1.05 + 0.01, some, 0, 1e6};
    for (int c = 0; c < (configuration ? 1 : is_slow() ? 2 : 4); c++) {
        const double share = check_tile(configuration, &set, tile, cutoffs[c]);
        if (kind->ordinary && atoms >= 20) CHECK(share < 0.05);
    }
    qn_superposed_clear(&set);
}

static void kinds_of_sets_agree_with_double_precision(void)
{
    static const pair_tile square = {0, 70, 68, 90, false}, whole = {0, 130, 0, 130, true};
    for (int k = 0; k < KINDS; k++) {
        check_set(NULL, &kinds[k], 37, 160, &square);
        if (!is_slow()) check_set(NULL, &kinds[k], 214, 130, &whole);
    }
}

static void one_to_nine_atoms_agree_with_double_precision(void)
{
    static const pair_tile tile = {4, 33, 0, 65, false};
    for (size_t atoms = 1; atoms < 10; atoms += is_slow() ? 4 : 1)
        for (int k = 0; k < KINDS; k++) check_set(NULL, &kinds[k], atoms, 70, &tile);
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    static const pair_tile tiles[] = {
        {0, 1, 0, 1, false}, {0, 131, 192, 130, false}, {64, 77, 64, 77, true}, {0, 3, 4, 300, false}};
    ++*(int *)user;
    for (int t = 0; t < 4; t++) check_set(configuration, &kinds[t % 2], t == 1 ? 50 : 13, 330, &tiles[t]);
    return QN_OK;
}

static void corners_of_the_tunables_agree_with_double_precision(void)
{
    int corners = 0;
    const qn_device_info *info = qn_device_get_info(device);
    CHECK_OK(qn_family_sample_corners(&qn_cluster_rmsd_family, info, corners_to_visit(info, CORNERS_MAX), check_corner,
                                      &corners));
    CHECK(corners >= 1);
}

static void tiles_that_do_not_fit_are_refused(void)
{
    const qn_structures structures = make(&kinds[0], 5, 10);
    qn_superposed set;
    CHECK_OK(qn_superposed_make(&structures, NULL, &set));
    qn_rmsd_set own = {buffer_of(set.positions, qn_superposed_position_bytes(5, 10)),
                       buffer_of(set.terms, qn_superposed_term_bytes(10))};
    qn_rmsd_doubts doubts = {buffer_of(NULL, 4), buffer_of(NULL, 4)};
    CHECK_OK(qn_queue_finish(queue)); /* the set is cleared below */
    qn_rmsd_problem problem = {.atoms = 5, .rows = 10, .columns = 10, .doubtful_capacity = 1};
    CHECK_FAILS(qn_rmsd_near(queue, NULL, &problem, &own, &own, doubts.pairs, &doubts, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("expected 40");
    problem.first_row = 2;
    CHECK_FAILS(qn_rmsd_near(queue, NULL, &problem, &own, &own, doubts.pairs, &doubts, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("multiples of 4");
    problem.first_row = 64;
    CHECK_FAILS(qn_rmsd_near(queue, NULL, &problem, &own, &own, doubts.pairs, &doubts, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("too small");
    qn_buffer_release(&own.positions);
    qn_buffer_release(&own.terms);
    qn_buffer_release(&doubts.pairs);
    qn_buffer_release(&doubts.count);
    qn_superposed_clear(&set);
}

static void the_workload_checks_its_bits(void)
{
    const int sizes[QN_WORKLOAD_SIZES] = {203, 100};
    qn_work work;
    check_workload(queue, "cluster/rmsd", sizes, &work);
    CHECK(work.multiply_adds == 9.0 * 203 * 203 * 100);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(tiles_that_do_not_fit_are_refused);
    RUN(the_workload_checks_its_bits);
    RUN(one_to_nine_atoms_agree_with_double_precision);
    RUN_LONG(kinds_of_sets_agree_with_double_precision);
    RUN(corners_of_the_tunables_agree_with_double_precision);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}

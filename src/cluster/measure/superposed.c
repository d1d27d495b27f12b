#include "cluster/measure/superposed.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "base/memory.h"
#include "cluster/measure/kernels/rmsd.h"
#include "cluster/measure/superposed_host.h"
#include "math/qcp.h"
#include "math/superpose.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "cluster/measure/kernels/rmsd.dev.h"

QN_HOST_DECLARE(const qn_superposed_sums, qn_cluster_superposed_host);

enum {
    SAMPLE = 256,     /* structures whose mean is the reference */
    ROUNDS = 3,       /* of superposing them on their mean */
    TASK = RMSD_PANEL /* structures of a task */
};

typedef struct superposing {
    qn_superposed *set;
    const double *weights; /* atom_count */
    double *reference;     /* atom_count × 3, about its mean */
    double outer[6];       /* Σ r rᵀ: xx, yy, zz, xy, xz, yz */
    double *scratch;       /* of each worker: atom_count × 3 × 2 */
} superposing;

static double weight_of(const qn_structures *structures, size_t atom)
{
    return structures->weights ? structures->weights[atom] : 1;
}

static const float *positions_of(const qn_structures *structures, size_t index)
{
    return structures->positions_angstrom + 3 * structures->atom_count * index;
}

static qn_status check_task(size_t task, int worker, void *user)
{
    const qn_structures *structures = *(const qn_structures *const *)user;
    const size_t floats = 3 * structures->atom_count;
    (void)worker;
    for (size_t i = task * TASK; i < (task + 1) * TASK && i < structures->count; i++) {
        const float *positions = positions_of(structures, i);
        const size_t finite = qn_finite_count(positions, floats);
        if (finite < floats)
            return QN_FAIL(QN_INVALID_ARGUMENT, "structure %zu, atom %zu: position %g is not a finite number", i + 1,
                           finite % structures->atom_count + 1, (double)positions[finite]);
    }
    return QN_OK;
}

qn_status qn_superposed_check(const qn_structures *structures, qn_pool *pool)
{
    double sum = 0;
    if (structures->count < 1 || structures->atom_count < 1)
        return QN_FAIL(QN_INVALID_ARGUMENT, "superposition of %zu structures of %zu atoms; expected at least 1 of each",
                       structures->count, structures->atom_count);
    for (size_t k = 0; k < structures->atom_count; k++) {
        const double weight = weight_of(structures, k);
        if (!(weight >= 0) || !isfinite(weight))
            return QN_FAIL(QN_INVALID_ARGUMENT, "the weight of atom %zu is %g; expected 0 or a positive number", k + 1,
                           weight);
        sum += weight;
    }
    if (!(sum > 0)) return QN_FAIL(QN_INVALID_ARGUMENT, "the weights of all atoms are 0; expected one above 0");
    return qn_pool_run(pool, (structures->count + TASK - 1) / TASK, check_task, &structures);
}

/* The positions about their weighted mean, atom by atom. */
static void centre(const superposing *s, size_t index, double *points)
{
    const size_t atoms = s->set->structures->atom_count;
    const float *positions = positions_of(s->set->structures, index);
    const double *mean = s->set->means + 3 * index;
    for (size_t k = 0; k < atoms; k++)
        for (size_t a = 0; a < 3; a++) points[3 * k + a] = positions[a * atoms + k] - mean[a];
}

static const qn_superposed_sums *sums(void)
{
    return &QN_HOST_SELECT(qn_cluster_superposed_host)[0];
}

static void measure_structure(const superposing *s, size_t index)
{
    const qn_structures *structures = s->set->structures;
    sums()->moments(positions_of(structures, index), structures->weights, structures->atom_count, s->set->weight_sum,
                    s->set->means + 3 * index, &s->set->half_squares[index]);
}

static qn_status measure_task(size_t task, int worker, void *user)
{
    const superposing *s = user;
    (void)worker;
    for (size_t i = task * TASK; i < (task + 1) * TASK && i < s->set->structures->count; i++) measure_structure(s, i);
    return QN_OK;
}

/* Turn the points onto the reference. Fewer than three points stay as they are: any orientation is allowed. */
static qn_status turn(const superposing *s, double *points)
{
    double rotation[9], translation[3];
    const size_t atoms = s->set->structures->atom_count;
    if (atoms < 3) return QN_OK;
    QN_TRY(qn_superpose_weighted(points, s->reference, s->weights, atoms, rotation, translation, NULL));
    for (size_t k = 0; k < atoms; k++) {
        const double x = points[3 * k], y = points[3 * k + 1], z = points[3 * k + 2];
        for (size_t a = 0; a < 3; a++)
            points[3 * k + a] = rotation[3 * a] * x + rotation[3 * a + 1] * y + rotation[3 * a + 2] * z;
    }
    return QN_OK;
}

/* Mean of a sample that is spread over the set, each superposed on the mean so far; it begins with the middle one. */
static qn_status make_reference(superposing *s)
{
    const size_t count = s->set->structures->count, numbers = 3 * s->set->structures->atom_count;
    const size_t sample = count < SAMPLE ? count : SAMPLE;
    double *points = s->scratch, *sum = s->scratch + numbers;
    centre(s, count / 2, s->reference);
    for (int round = 0; round < ROUNDS; round++) {
        memset(sum, 0, numbers * sizeof(double));
        for (size_t i = 0; i < sample; i++) {
            centre(s, i * count / sample, points);
            QN_TRY(turn(s, points));
            for (size_t k = 0; k < numbers; k++) sum[k] += points[k];
        }
        for (size_t k = 0; k < numbers; k++) s->reference[k] = sum[k] / (double)sample;
    }
    for (size_t k = 0; k < numbers / 3; k++) {
        const double *r = s->reference + 3 * k, share = s->weights[k] / s->set->weight_sum;
        const double own[6] = {r[0] * r[0], r[1] * r[1], r[2] * r[2], r[0] * r[1], r[0] * r[2], r[1] * r[2]};
        for (int e = 0; e < 6; e++) s->outer[e] += share * own[e];
    }
    return QN_OK;
}

/* The bound of rounding that a structure brings to ½ RMSD² of its pairs. The sum over atoms: see qn_rmsd_accumulation.
 * Every other number of a pair is rounded at most four times, or comes from positions rounded once. */
static double error_of(size_t atoms, const double symmetric[6], const double skew[3], double half_square)
{
    const double *b = symmetric, unit = 0x1p-24;
    const double norm = sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + 2 * (b[3] * b[3] + b[4] * b[4] + b[5] * b[5]));
    const double skew_norm = sqrt(skew[0] * skew[0] + skew[1] * skew[1] + skew[2] * skew[2]);
    return 1.01 * (qn_rmsd_accumulation(atoms) * half_square + unit * (4 * norm + 4 * skew_norm + 64 * half_square));
}

/* Sums of the structure's rounded rest u, in panels: n[3·a + b] = Σ r_a u_b. */
static void write_terms(const superposing *s, const double n[9], double square, float *terms)
{
    double t[6], symmetric[6];
    const double *c = s->outer, skew[3] = {n[5] - n[7], n[6] - n[2], n[1] - n[3]};
    for (int a = 0; a < 3; a++) t[a] = c[a] + 2 * n[4 * a];
    t[3] = c[3] + n[1] + n[3], t[4] = c[4] + n[2] + n[6], t[5] = c[5] + n[5] + n[7];
    const double trace = t[0] + t[1] + t[2];
    for (int e = 0; e < 6; e++) symmetric[e] = (e < 3 ? trace : 0) - t[e];
    for (int e = 0; e < 6; e++) terms[(RMSD_SYMMETRIC + e) * RMSD_PANEL] = (float)symmetric[e];
    for (int e = 0; e < 3; e++) terms[(RMSD_SKEW + e) * RMSD_PANEL] = (float)skew[e];
    terms[RMSD_HALF_SQUARE * RMSD_PANEL] = (float)(square / 2);
    terms[RMSD_ERROR * RMSD_PANEL] = (float)error_of(s->set->structures->atom_count, symmetric, skew, square / 2);
}

static qn_status superpose_structure(const superposing *s, size_t index, double *points)
{
    const size_t atoms = s->set->structures->atom_count, panel = index / RMSD_PANEL, place = index % RMSD_PANEL;
    float *positions = s->set->positions + panel * 3 * atoms * RMSD_PANEL + place;
    double n[9] = {0}, square = 0;
    centre(s, index, points);
    QN_TRY(turn(s, points));
    for (size_t k = 0; k < atoms; k++) {
        const double root = sqrt(s->weights[k] / s->set->weight_sum), *r = s->reference + 3 * k;
        for (size_t b = 0; b < 3; b++) {
            const float u = (float)(root * (points[3 * k + b] - r[b]));
            positions[(3 * k + b) * RMSD_PANEL] = u;
            square += (double)u * u;
            for (size_t a = 0; a < 3; a++) n[3 * a + b] += root * r[a] * u;
        }
    }
    write_terms(s, n, square, s->set->terms + panel * RMSD_TERMS * RMSD_PANEL + place);
    return QN_OK;
}

static qn_status superpose_task(size_t task, int worker, void *user)
{
    const superposing *s = user;
    const size_t atoms = s->set->structures->atom_count;
    double *points = s->scratch + (size_t)worker * 6 * atoms;
    if ((task + 1) * TASK > s->set->structures->count) { /* the places behind the last structure are zero */
        memset(s->set->positions + task * 3 * atoms * RMSD_PANEL, 0, 3 * atoms * RMSD_PANEL * sizeof(float));
        memset(s->set->terms + task * RMSD_TERMS * RMSD_PANEL, 0, RMSD_TERMS * RMSD_PANEL * sizeof(float));
    }
    for (size_t i = task * TASK; i < (task + 1) * TASK && i < s->set->structures->count; i++)
        QN_TRY(superpose_structure(s, i, points));
    return QN_OK;
}

size_t qn_superposed_position_bytes(size_t atom_count, size_t count)
{
    return (count + RMSD_PANEL - 1) / RMSD_PANEL * RMSD_PANEL * 3 * atom_count * sizeof(float);
}

size_t qn_superposed_term_bytes(size_t count)
{
    return (count + RMSD_PANEL - 1) / RMSD_PANEL * RMSD_PANEL * RMSD_TERMS * sizeof(float);
}

static qn_status allocate(superposing *s, double **weights, qn_pool *pool)
{
    const size_t count = s->set->structures->count, atoms = s->set->structures->atom_count;
    const size_t workers = pool ? (size_t)qn_pool_threads(pool) : 1;
    size_t capacity = 0;
    /* Without the zeros of qn_allocate, which one thread would write. */
    QN_TRY(qn_grow((void **)&s->set->positions, &capacity, qn_superposed_position_bytes(atoms, count), 1));
    capacity = 0;
    QN_TRY(qn_grow((void **)&s->set->terms, &capacity, qn_superposed_term_bytes(count), 1));
    QN_TRY(qn_allocate(count, 3 * sizeof(double), (void **)&s->set->means));
    QN_TRY(qn_allocate(count, sizeof(double), (void **)&s->set->half_squares));
    QN_TRY(qn_allocate(atoms, sizeof(double), (void **)weights));
    QN_TRY(qn_allocate(atoms, 3 * sizeof(double), (void **)&s->reference));
    QN_TRY(qn_allocate(workers, 6 * atoms * sizeof(double), (void **)&s->scratch));
    for (size_t k = 0; k < atoms; k++) {
        (*weights)[k] = weight_of(s->set->structures, k);
        s->set->weight_sum += (*weights)[k];
    }
    s->weights = *weights;
    return QN_OK;
}

qn_status qn_superposed_make(const qn_structures *structures, qn_pool *pool, qn_superposed *set)
{
    const size_t tasks = (structures->count + TASK - 1) / TASK;
    superposing s = {.set = set};
    double *weights = NULL;
    *set = (qn_superposed){.structures = structures};
    QN_TRY(qn_superposed_check(structures, pool));
    qn_status status = allocate(&s, &weights, pool);
    if (status == QN_OK) status = qn_pool_run(pool, tasks, measure_task, &s);
    if (status == QN_OK) status = make_reference(&s);
    if (status == QN_OK) status = qn_pool_run(pool, tasks, superpose_task, &s);
    qn_release(&weights);
    qn_release(&s.reference);
    qn_release(&s.scratch);
    if (status != QN_OK) qn_superposed_clear(set);
    return status;
}

void qn_superposed_clear(qn_superposed *set)
{
    qn_release(&set->positions);
    qn_release(&set->terms);
    qn_release(&set->means);
    qn_release(&set->half_squares);
    *set = (qn_superposed){0};
}

typedef struct gathering {
    const qn_superposed *set;
    const uint32_t *indices;
    size_t count;
    float *positions, *terms;
} gathering;

static void gather_panel(const float *from, size_t lines, const uint32_t *indices, size_t width, float *to)
{
    for (size_t w = 0; w < width; w++) {
        const float *own = from + indices[w] / RMSD_PANEL * lines * RMSD_PANEL + indices[w] % RMSD_PANEL;
        for (size_t k = 0; k < lines; k++) to[k * RMSD_PANEL + w] = own[k * RMSD_PANEL];
    }
    for (size_t w = width; w < RMSD_PANEL; w++)
        for (size_t k = 0; k < lines; k++) to[k * RMSD_PANEL + w] = 0;
}

static qn_status gather_task(size_t panel, int worker, void *user)
{
    const gathering *work = user;
    const size_t first = panel * RMSD_PANEL, left = work->count - first, width = left < RMSD_PANEL ? left : RMSD_PANEL;
    const size_t lines = 3 * work->set->structures->atom_count;
    (void)worker;
    gather_panel(work->set->positions, lines, work->indices + first, width, work->positions + first * lines);
    gather_panel(work->set->terms, RMSD_TERMS, work->indices + first, width, work->terms + first * RMSD_TERMS);
    return QN_OK;
}

qn_status qn_superposed_gather(const qn_superposed *set, const uint32_t *indices, size_t count, qn_pool *pool,
                               float *positions, float *terms)
{
    gathering work = {set, indices, count, positions, terms};
    return qn_pool_run(pool, (count + RMSD_PANEL - 1) / RMSD_PANEL, gather_task, &work);
}

double qn_superposed_rmsd(const qn_superposed *set, size_t i, size_t j)
{
    const qn_structures *structures = set->structures;
    double products[9];
    sums()->products(positions_of(structures, i), positions_of(structures, j), structures->weights,
                     structures->atom_count, set->means + 3 * i, set->means + 3 * j, products);
    return qn_qcp_rmsd(products, set->half_squares[i] + set->half_squares[j], set->weight_sum);
}

double qn_structures_rmsd(const qn_structures *structures, size_t i, size_t j)
{
    const float *first = positions_of(structures, i), *second = positions_of(structures, j);
    const size_t atoms = structures->atom_count;
    double weight_sum = 0, means[2][3], squares[2], products[9];
    for (size_t k = 0; k < atoms; k++) weight_sum += weight_of(structures, k);
    sums()->moments(first, structures->weights, atoms, weight_sum, means[0], &squares[0]);
    sums()->moments(second, structures->weights, atoms, weight_sum, means[1], &squares[1]);
    sums()->products(first, second, structures->weights, atoms, means[0], means[1], products);
    return qn_qcp_rmsd(products, squares[0] + squares[1], weight_sum);
}

#include "cluster/measure/scores.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/measure/kernels/tm_score.h"

enum { TILE_SIDE = 128 };

typedef struct session {
    qn_measure_setup setup;
    qn_score_plan plan;
    float *packed, *results; /* room for the structures of a tile's side; results of a tile */
    qn_buffer *seeds, *phases, *rows, *columns, *found;
} session;

static qn_status check_atoms(const qn_structures *structures, const char *name)
{
    if (structures->atom_count < QN_SCORE_ATOMS_LEAST || structures->atom_count > QN_SCORE_ATOMS_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s of models with %zu atoms; expected %d to %d", name,
                       structures->atom_count, QN_SCORE_ATOMS_LEAST, QN_SCORE_ATOMS_MAX);
    return QN_OK;
}

static void end(void **made)
{
    session *self = *made;
    if (!self) return;
    qn_buffer_release(&self->seeds);
    qn_buffer_release(&self->phases);
    qn_buffer_release(&self->rows);
    qn_buffer_release(&self->columns);
    qn_buffer_release(&self->found);
    qn_score_plan_clear(&self->plan);
    qn_release(&self->packed);
    qn_release(&self->results);
    qn_release(made);
}

static qn_status make_buffers(session *self)
{
    const size_t side = self->setup.tile_side, results = (size_t)qn_score_results(self->plan.score) * side * side;
    const size_t structure = 4 * self->setup.structures->atom_count;
    const size_t seed_bytes = 2 * sizeof(int32_t) * (size_t)self->plan.seed_count;
    qn_device *device = qn_queue_device(self->setup.queue);
    void *memory;
    QN_TRY(qn_allocate(2 * side * structure, sizeof(float), &memory));
    self->packed = memory;
    QN_TRY(qn_allocate(results, sizeof(float), &memory));
    self->results = memory;
    QN_TRY(qn_buffer_create(device, seed_bytes, &self->seeds));
    QN_TRY(qn_buffer_create(device, sizeof self->plan.phases, &self->phases));
    QN_TRY(qn_buffer_create(device, side * structure * sizeof(float), &self->rows));
    QN_TRY(qn_buffer_create(device, side * structure * sizeof(float), &self->columns));
    QN_TRY(qn_buffer_create(device, results * sizeof(float), &self->found));
    QN_TRY(qn_queue_write(self->setup.queue, self->seeds, 0, self->plan.seeds, seed_bytes, NULL));
    return qn_queue_write(self->setup.queue, self->phases, 0, self->plan.phases, sizeof self->plan.phases, NULL);
}

static qn_status begin(qn_score score, const qn_measure_setup *setup, void **made)
{
    const size_t atoms = setup->structures->atom_count;
    QN_TRY(qn_allocate(1, sizeof(session), made));
    session *self = *made;
    self->setup = *setup;
    qn_status status = qn_score_plan_make(score, atoms, (double)atoms, &self->plan);
    if (status == QN_OK) status = make_buffers(self);
    if (status != QN_OK) end(made);
    return status;
}

static qn_status write_structures(session *self, qn_measure_range range, float *packed, qn_buffer *buffer)
{
    const size_t atoms = self->setup.structures->atom_count;
    for (size_t k = 0; k < range.count; k++)
        qn_tm_score_pack(self->setup.structures->positions_angstrom + (range.first + k) * 3 * atoms, atoms,
                         packed + k * 4 * atoms);
    return qn_queue_write(self->setup.queue, buffer, 0, packed, range.count * 4 * atoms * sizeof(float), NULL);
}

/* The structure with the lower number is superposed onto the other one, so the order of a pair does not matter. */
static qn_status start(void *made, const qn_measure_tile *tile)
{
    session *self = made;
    const bool triangle = tile->rows.first == tile->columns.first, swapped = tile->rows.first > tile->columns.first;
    const qn_measure_range low = swapped ? tile->columns : tile->rows, high = swapped ? tile->rows : tile->columns;
    const int width = (int)tile->columns.count;
    const qn_tm_score_problem problem = {.plan = &self->plan,
                                         .row_count = (int)low.count,
                                         .column_count = (int)high.count,
                                         .row_stride = swapped ? 1 : width,
                                         .column_stride = swapped ? width : 1,
                                         .triangle = triangle};
    const size_t bytes = tile->rows.count * tile->columns.count * (size_t)qn_score_results(self->plan.score) * 4;
    float *second = self->packed + self->setup.tile_side * 4 * self->setup.structures->atom_count;
    QN_TRY(write_structures(self, low, self->packed, self->rows));
    if (!triangle) QN_TRY(write_structures(self, high, second, self->columns));
    QN_TRY(qn_queue_fill(self->setup.queue, self->found, 0, bytes, 0, NULL));
    QN_TRY(qn_tm_score(self->setup.queue, NULL, &problem, self->rows, triangle ? self->rows : self->columns,
                       self->seeds, self->phases, self->found, NULL));
    return qn_queue_read(self->setup.queue, self->found, 0, self->results, bytes, NULL);
}

static qn_status values(void *made, const qn_measure_tile *tile)
{
    session *self = made;
    const int count = qn_score_results(self->plan.score);
    QN_TRY(qn_queue_finish(self->setup.queue));
    for (size_t pair = 0; pair < tile->rows.count * tile->columns.count; pair++)
        tile->values[pair] =
            qn_score_value(self->plan.score, self->results + (size_t)count * pair, self->plan.atom_count);
    return QN_OK;
}

static qn_status pair_value(qn_score score, const qn_structures *structures, size_t low, size_t high, double *value)
{
    const size_t atoms = structures->atom_count;
    double results[4], sum = 0;
    qn_score_plan plan;
    void *memory;
    QN_TRY(qn_allocate(8 * atoms, sizeof(float), &memory));
    float *first = memory, *second = first + 4 * atoms;
    qn_tm_score_pack(structures->positions_angstrom + low * 3 * atoms, atoms, first);
    qn_tm_score_pack(structures->positions_angstrom + high * 3 * atoms, atoms, second);
    qn_status status = qn_score_plan_make(score, atoms, (double)atoms, &plan);
    if (status == QN_OK) status = qn_tm_score_reference(&plan, first, second, results);
    qn_score_plan_clear(&plan);
    qn_release(&memory);
    QN_TRY(status);
    for (int k = 0; k < qn_score_results(score); k++) sum += results[k];
    *value = sum / (qn_score_results(score) * (double)atoms);
    return QN_OK;
}

/* NaN after a failure, which only exhausted memory can cause. */
static double pair(qn_score score, const qn_structures *structures, size_t i, size_t j)
{
    double value;
    const qn_status status = pair_value(score, structures, i < j ? i : j, i < j ? j : i, &value);
    return status == QN_OK ? value : (double)NAN;
}

#define FUNCTIONS(name, text, score)                                                                          \
    static qn_status name##_check(const qn_structures *structures, const qn_measure_settings *settings)       \
    {                                                                                                         \
        (void)settings;                                                                                       \
        return check_atoms(structures, text);                                                                 \
    }                                                                                                         \
    static qn_status name##_begin(const qn_measure_setup *setup, void **made)                                 \
    {                                                                                                         \
        return begin(score, setup, made);                                                                     \
    }                                                                                                         \
    static double name##_pair(const qn_structures *structures, const qn_measure_settings *settings, size_t i, \
                              size_t j)                                                                       \
    {                                                                                                         \
        (void)settings;                                                                                       \
        return pair(score, structures, i, j);                                                                 \
    }

FUNCTIONS(tm_score, "TM-score", QN_SCORE_TM)
FUNCTIONS(gdt_ts, "GDT-TS", QN_SCORE_GDT)
FUNCTIONS(maxsub, "MaxSub", QN_SCORE_MAXSUB)

const qn_measure qn_measure_tm_score = {
    .name = "tm-score",
    .unit = "",
    .step = 1e-4f,
    .is_similarity = true,
    .tile_side = TILE_SIDE,
    .cost = 80,
    .check = tm_score_check,
    .begin = tm_score_begin,
    .start = start,
    .values = values,
    .end = end,
    .pair = tm_score_pair,
};

const qn_measure qn_measure_gdt_ts = {
    .name = "gdt-ts",
    .unit = "",
    .step = 1e-4f,
    .is_similarity = true,
    .tile_side = TILE_SIDE,
    .cost = 500,
    .check = gdt_ts_check,
    .begin = gdt_ts_begin,
    .start = start,
    .values = values,
    .end = end,
    .pair = gdt_ts_pair,
};

const qn_measure qn_measure_maxsub = {
    .name = "maxsub",
    .unit = "",
    .step = 1e-4f,
    .is_similarity = true,
    .tile_side = TILE_SIDE,
    .cost = 120,
    .check = maxsub_check,
    .begin = maxsub_begin,
    .start = start,
    .values = values,
    .end = end,
    .pair = maxsub_pair,
};

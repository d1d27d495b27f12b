#include "cluster/measure/aligned_scores.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/measure/kernels/tm_score.h"
#include "compare/residue_match.h"

/* Residues of `low` and `high`, the sequences of a pair: partner[i] is the residue of `high` that is aligned with
 * residue i of `low`, SIZE_MAX: none. */
typedef struct alignment {
    uint32_t low, high;
    size_t *partner;
} alignment;

typedef struct session {
    qn_measure_setup setup;
    qn_score score;
    const qn_measure_tile *tile;
    alignment *alignments; /* of the tile's pairs of sequences */
    size_t count, capacity;
    size_t *places; /* [sequence][sequence]: number of the pair's alignment + 1; 0: not needed so far */
} session;

static const qn_structure_sequence *sequence_of(const qn_structures *structures, size_t structure)
{
    return &structures->sequences->items[structures->sequences->of_structure[structure]];
}

/* ---- alignments ---- */

static qn_status fill_residues(const qn_structure_sequence *sequence, qn_partner_residue **residues)
{
    void *memory;
    QN_TRY(qn_allocate(sequence->length, sizeof **residues, &memory));
    *residues = memory;
    for (size_t i = 0; i < sequence->length; i++) {
        (*residues)[i].kind = QN_RESIDUE_AMINO_ACID;
        memcpy((*residues)[i].name, sequence->names[i], sizeof sequence->names[i]);
    }
    return QN_OK;
}

static qn_status align(const qn_structure_sequences *sequences, alignment *pair)
{
    const qn_structure_sequence *low = &sequences->items[pair->low], *high = &sequences->items[pair->high];
    qn_partner_residue *of_low = NULL, *of_high = NULL;
    size_t identical;
    void *memory;
    QN_TRY(qn_allocate(low->length, sizeof *pair->partner, &memory));
    pair->partner = memory;
    if (pair->low == pair->high) {
        for (size_t i = 0; i < low->length; i++) pair->partner[i] = i;
        return QN_OK;
    }
    qn_status status = fill_residues(low, &of_low);
    if (status == QN_OK) status = fill_residues(high, &of_high);
    if (status == QN_OK)
        status = qn_residue_align(of_low, low->length, of_high, high->length, pair->partner, &identical);
    qn_release(&of_low);
    qn_release(&of_high);
    return status;
}

static qn_status align_pair(size_t index, int worker, void *user)
{
    session *self = user;
    (void)worker;
    if (self->alignments[index].partner) return QN_OK;
    return align(self->setup.structures->sequences, &self->alignments[index]);
}

/* Structures are numbered so that the first of a pair has the lower number, as in scores.c. */
static qn_status need_alignment(session *self, size_t low, size_t high)
{
    const qn_structure_sequences *sequences = self->setup.structures->sequences;
    const uint32_t of_low = sequences->of_structure[low], of_high = sequences->of_structure[high];
    size_t *place = &self->places[of_low * sequences->count + of_high];
    void *memory = self->alignments;
    if (*place) return QN_OK;
    const qn_status status = qn_grow(&memory, &self->capacity, self->count + 1, sizeof *self->alignments);
    self->alignments = memory;
    QN_TRY(status);
    self->alignments[self->count++] = (alignment){of_low, of_high, NULL};
    *place = self->count;
    return QN_OK;
}

static void forget_alignments(session *self)
{
    const size_t sequences = self->setup.structures->sequences->count;
    for (size_t i = 0; i < self->count; i++) {
        self->places[self->alignments[i].low * sequences + self->alignments[i].high] = 0;
        qn_release(&self->alignments[i].partner);
    }
    self->count = 0;
}

/* ---- one pair ---- */

/* Copy the aligned atoms as rows of x, y and z; returns their number. */
static size_t gather(const session *self, const alignment *pair, size_t low, size_t high, float *a, float *b)
{
    const qn_structures *structures = self->setup.structures;
    const size_t room = structures->atom_count, length = structures->sequences->items[pair->low].length;
    size_t count = 0;
    for (size_t i = 0; i < length; i++) count += pair->partner[i] != SIZE_MAX;
    for (size_t axis = 0; axis < 3; axis++)
        for (size_t i = 0, k = 0; i < length; i++) {
            if (pair->partner[i] == SIZE_MAX) continue;
            a[axis * count + k] = structures->positions_angstrom[(3 * low + axis) * room + i];
            b[axis * count + k++] = structures->positions_angstrom[(3 * high + axis) * room + pair->partner[i]];
        }
    return count;
}

static double normal_length(const qn_structures *structures, const qn_measure_settings *settings, size_t row,
                            size_t column)
{
    const size_t of_row = sequence_of(structures, row)->length, of_column = sequence_of(structures, column)->length;
    return (double)(settings->align_to_column || of_column < of_row ? of_column : of_row);
}

/* Fewer than three aligned atoms say nothing: their score is 0. */
static qn_status score_pair(const session *self, const alignment *pair, size_t row, size_t column, float *value)
{
    const size_t low = row < column ? row : column, high = row < column ? column : row;
    const size_t room = self->setup.structures->atom_count;
    const double length = normal_length(self->setup.structures, self->setup.settings, row, column);
    float results[4] = {0};
    void *memory;
    *value = 0;
    QN_TRY(qn_allocate(14 * room, sizeof(float), &memory));
    float *a = memory, *b = a + 3 * room, *packed_a = b + 3 * room, *packed_b = packed_a + 4 * room;
    const size_t count = gather(self, pair, low, high, a, b);
    qn_score_plan plan = {0};
    qn_status status = QN_OK;
    if (count >= QN_SCORE_ATOMS_LEAST) {
        qn_tm_score_pack(a, count, packed_a);
        qn_tm_score_pack(b, count, packed_b);
        status = qn_score_plan_make(self->score, count, length, &plan);
        if (status == QN_OK) status = qn_tm_score_pair(&plan, packed_a, packed_b, results);
        if (status == QN_OK) *value = qn_score_value(self->score, results, length);
    }
    qn_score_plan_clear(&plan);
    qn_release(&memory);
    return status;
}

/* ---- tiles ---- */

static qn_status check(const qn_structures *structures, const qn_measure_settings *settings)
{
    (void)settings;
    if (!structures->sequences)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "aligned scores need the sequences of all models; expected files of models");
    if (structures->atom_count > QN_SCORE_ATOMS_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "aligned scores of models with %zu atoms; expected at most %d",
                       structures->atom_count, QN_SCORE_ATOMS_MAX);
    return QN_OK;
}

static void end(void **made)
{
    session *self = *made;
    if (!self) return;
    forget_alignments(self);
    qn_release(&self->alignments);
    qn_release(&self->places);
    qn_release(made);
}

static qn_status begin(qn_score score, const qn_measure_setup *setup, void **made)
{
    const size_t sequences = setup->structures->sequences->count;
    void *places;
    QN_TRY(qn_allocate(1, sizeof(session), made));
    session *self = *made;
    self->setup = *setup;
    self->score = score;
    const qn_status status = qn_allocate(sequences, sequences * sizeof *self->places, &places);
    self->places = status == QN_OK ? places : NULL;
    if (status != QN_OK) end(made);
    return status;
}

static bool is_needed(const qn_measure_tile *tile, size_t row, size_t column)
{
    return tile->rows.first != tile->columns.first || row < column;
}

static qn_status measure_row(size_t index, int worker, void *user)
{
    const session *self = user;
    const qn_measure_tile *tile = self->tile;
    const qn_structure_sequences *sequences = self->setup.structures->sequences;
    const size_t row = tile->rows.first + index;
    (void)worker;
    for (size_t k = 0; k < tile->columns.count; k++) {
        const size_t column = tile->columns.first + k, low = row < column ? row : column,
                     high = row < column ? column : row;
        if (!is_needed(tile, row, column)) continue;
        const size_t place =
            self->places[sequences->of_structure[low] * sequences->count + sequences->of_structure[high]];
        QN_TRY(score_pair(self, &self->alignments[place - 1], row, column,
                          &tile->values[index * tile->columns.count + k]));
    }
    return QN_OK;
}

static qn_status values(void *made, const qn_measure_tile *tile)
{
    session *self = made;
    qn_status status = QN_OK;
    self->tile = tile;
    for (size_t row = tile->rows.first; row < tile->rows.first + tile->rows.count; row++)
        for (size_t k = 0; k < tile->columns.count && status == QN_OK; k++) {
            const size_t column = tile->columns.first + k;
            if (is_needed(tile, row, column))
                status = need_alignment(self, row < column ? row : column, row < column ? column : row);
        }
    if (status == QN_OK) status = qn_pool_run(self->setup.pool, self->count, align_pair, self);
    if (status == QN_OK) status = qn_pool_run(self->setup.pool, tile->rows.count, measure_row, self);
    forget_alignments(self);
    return status;
}

/* ---- rows of the table ---- */

/* NaN after a failure, which only exhausted memory can cause. */
static double pair(qn_score score, const qn_structures *structures, const qn_measure_settings *settings, size_t i,
                   size_t j)
{
    const qn_structure_sequences *sequences = structures->sequences;
    const size_t low = i < j ? i : j, high = i < j ? j : i;
    session self = {.setup = {.structures = structures, .settings = settings}, .score = score};
    alignment one = {sequences->of_structure[low], sequences->of_structure[high], NULL};
    float value = NAN;
    qn_status status = align(sequences, &one);
    if (status == QN_OK) status = score_pair(&self, &one, i, j, &value);
    qn_release(&one.partner);
    return status == QN_OK ? (double)value : (double)NAN;
}

#define FUNCTIONS(name, score)                                                                                \
    static qn_status name##_begin(const qn_measure_setup *setup, void **made)                                 \
    {                                                                                                         \
        return begin(score, setup, made);                                                                     \
    }                                                                                                         \
    static double name##_pair(const qn_structures *structures, const qn_measure_settings *settings, size_t i, \
                              size_t j)                                                                       \
    {                                                                                                         \
        return pair(score, structures, settings, i, j);                                                       \
    }

FUNCTIONS(tm_score, QN_SCORE_TM)
FUNCTIONS(gdt_ts, QN_SCORE_GDT)
FUNCTIONS(maxsub, QN_SCORE_MAXSUB)

#define ROW(title, functions)                                                                               \
    {                                                                                                       \
        .name = title, .unit = "", .step = 1e-4f, .is_similarity = true, .on_host = true, .tile_side = 128, \
        .check = check, .begin = functions##_begin, .values = values, .end = end, .pair = functions##_pair  \
    }

static const qn_measure rows[] = {ROW("tm-score", tm_score), ROW("gdt-ts", gdt_ts), ROW("maxsub", maxsub)};

const qn_measure *qn_measure_aligned(const qn_measure *measure)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, measure->name) == 0) return &rows[i];
    return NULL;
}

#include "cluster/method/neighbour_rows.h"

#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/method/bit_rows.h"
#include "cluster/method/distance_rows.h"

/* LITTLE: neighbours for which threads do not pay; FEW: rows of bits that are added one by one. */
enum { PARTS = 64, LITTLE = 1 << 16, FEW = 6 };

/* Memory of many rows. */
typedef struct rows_block {
    struct rows_block *next;
    uint32_t words[];
} rows_block;

struct qn_neighbour_rows {
    size_t count;
    qn_pool *pool;
    uint32_t **rows; /* packed */
    uint32_t *counts;
    bool *in_block;        /* of each row: it is not memory of its own */
    pthread_mutex_t mutex; /* guards the blocks */
    rows_block *blocks;
};

static size_t bit_words(size_t count)
{
    return (count + 31) / 32;
}

qn_status qn_neighbour_rows_create(size_t count, qn_pool *pool, qn_neighbour_rows **out)
{
    void *memory, *rows = NULL, *counts = NULL, *in_block = NULL;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_status status = qn_allocate(count, sizeof(uint32_t *), &rows);
    if (status == QN_OK) status = qn_allocate(count, sizeof(uint32_t), &counts);
    if (status == QN_OK) status = qn_allocate(count, sizeof(bool), &in_block);
    *out = memory;
    **out = (qn_neighbour_rows){count, pool, rows, counts, in_block, PTHREAD_MUTEX_INITIALIZER, NULL};
    if (status != QN_OK) qn_neighbour_rows_destroy(out);
    return status;
}

void qn_neighbour_rows_destroy(qn_neighbour_rows **pointer)
{
    qn_neighbour_rows *rows = *pointer;
    if (!rows) return;
    for (size_t i = 0; rows->in_block && i < rows->count; i++)
        if (!rows->in_block[i]) qn_release(&rows->rows[i]);
    for (rows_block *block = rows->blocks, *next; block; block = next) {
        next = block->next;
        qn_release(&block);
    }
    pthread_mutex_destroy(&rows->mutex);
    qn_release(&rows->rows);
    qn_release(&rows->counts);
    qn_release(&rows->in_block);
    qn_release(pointer);
}

/* ---- packed rows ---- */

size_t qn_neighbour_row_words(size_t count)
{
    return 1 + bit_words(count);
}

size_t qn_neighbour_row_length(const uint32_t *packed, size_t count)
{
    return 1 + (packed[0] < bit_words(count) ? packed[0] : bit_words(count));
}

/* Sums of neighbouring bits, then of pairs, of fours: without an instruction for it, the compiler calls a function for
 * each word. */
uint32_t qn_neighbour_bits_count(const uint32_t *bits, size_t words)
{
    uint32_t sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t w = 0; w < words; w++) {
        uint32_t x = bits[w];
        x = x - (x >> 1 & 0x55555555);
        x = (x & 0x33333333) + (x >> 2 & 0x33333333);
        x = (x + (x >> 4)) & 0x0f0f0f0f;
        sum += x * 0x01010101 >> 24;
    }
    return sum;
}

size_t qn_neighbour_row_pack(const uint32_t *bits, size_t count, uint32_t *packed)
{
    const size_t words = bit_words(count);
    const uint32_t found = packed[0] = qn_neighbour_bits_count(bits, words);
    if (found >= words) {
        memcpy(packed + 1, bits, words * sizeof *bits);
        return 1 + words;
    }
    uint32_t *next = packed + 1;
    for (size_t w = 0; w < words; w++)
        for (uint32_t left = bits[w]; left; left &= left - 1)
            *next++ = (uint32_t)(32 * w) + (uint32_t)__builtin_ctz(left);
    return 1 + found;
}

qn_status qn_neighbour_rows_set(qn_neighbour_rows *rows, size_t item, const uint32_t *packed)
{
    const size_t length = qn_neighbour_row_length(packed, rows->count);
    size_t capacity = 0;
    void *memory = NULL;
    QN_TRY(qn_grow(&memory, &capacity, length, sizeof *packed)); /* without the zeros of qn_allocate */
    memcpy(memory, packed, length * sizeof *packed);
    rows->rows[item] = memory;
    rows->counts[item] = packed[0];
    return QN_OK;
}

qn_status qn_neighbour_rows_block(qn_neighbour_rows *rows, size_t words, uint32_t **out)
{
    size_t capacity = 0;
    void *memory = NULL;
    QN_TRY(qn_grow(&memory, &capacity, sizeof(rows_block) + words * sizeof(uint32_t), 1));
    rows_block *block = memory;
    pthread_mutex_lock(&rows->mutex);
    block->next = rows->blocks;
    rows->blocks = block;
    pthread_mutex_unlock(&rows->mutex);
    *out = block->words;
    return QN_OK;
}

void qn_neighbour_rows_put(qn_neighbour_rows *rows, size_t item, uint32_t *packed)
{
    rows->rows[item] = packed;
    rows->counts[item] = packed[0];
    rows->in_block[item] = true;
}

qn_status qn_neighbour_rows_set_list(qn_neighbour_rows *rows, size_t item, const uint32_t *list, size_t length)
{
    const size_t words = bit_words(rows->count);
    void *memory;
    QN_TRY(qn_allocate(1 + (length < words ? length : words), sizeof *list, &memory));
    uint32_t *packed = memory;
    packed[0] = (uint32_t)length;
    if (length < words)
        memcpy(packed + 1, list, length * sizeof *list);
    else
        for (size_t k = 0; k < length; k++) packed[1 + list[k] / 32] |= (uint32_t)1 << list[k] % 32;
    rows->rows[item] = packed;
    rows->counts[item] = packed[0];
    return QN_OK;
}

/* First place of a sorted list whose number is not below `least`. */
static size_t lower_bound(const uint32_t *list, size_t length, size_t least)
{
    size_t begin = 0;
    while (begin < length) {
        const size_t middle = begin + (length - begin) / 2;
        if (list[middle] < least)
            begin = middle + 1;
        else
            length = middle;
    }
    return begin;
}

/* Add `change` to sums[j] of the row's neighbours j, first ≤ j < end; both are multiples of 32 or the count. */
static void add_row(const uint32_t *packed, size_t count, size_t first, size_t end, uint32_t change, uint32_t *sums)
{
    const size_t words = bit_words(count), length = packed[0];
    const uint32_t *body = packed + 1;
    if (length < words) {
        for (size_t k = lower_bound(body, length, first); k < length && body[k] < end; k++) sums[body[k]] += change;
        return;
    }
    for (size_t w = first / 32; w < (end + 31) / 32; w++)
        for (uint32_t left = body[w]; left; left &= left - 1) sums[32 * w + (size_t)__builtin_ctz(left)] += change;
}

/* ---- sums over rows ---- */

typedef struct adding {
    const qn_neighbour_rows *rows;
    const uint32_t *items;
    size_t item_count, part; /* `part`: items of sums that a task changes */
    uint32_t change;
    uint32_t *sums;
} adding;

/* Add rows of bits; `first` and `end` are items. */
static void add_bit_rows(const adding *work, const uint32_t *const *rows, size_t row_count, size_t first, size_t end)
{
    const size_t count = work->rows->count;
    if (row_count > FEW) {
        qn_bit_rows_add(rows, row_count, first / 32, (end + 31) / 32, count, work->change, work->sums);
        return;
    }
    for (size_t r = 0; r < row_count; r++) add_row(rows[r] - 1, count, first, end, work->change, work->sums);
}

static qn_status add_part(size_t index, int worker, void *user)
{
    const adding *work = user;
    const size_t count = work->rows->count, words = bit_words(count), first = index * work->part;
    const size_t end = first + work->part < count ? first + work->part : count;
    const uint32_t *bit_rows[QN_BIT_ROWS_MAX];
    size_t held = 0;
    (void)worker;
    for (size_t k = 0; k < work->item_count; k++) {
        const uint32_t *packed = work->rows->rows[work->items[k]];
        if (work->rows->counts[work->items[k]] == 0) continue;
        if (packed[0] < words) {
            add_row(packed, count, first, end, work->change, work->sums);
            continue;
        }
        bit_rows[held++] = packed + 1;
        if (held < QN_BIT_ROWS_MAX) continue;
        add_bit_rows(work, bit_rows, held, first, end);
        held = 0;
    }
    add_bit_rows(work, bit_rows, held, first, end);
    return QN_OK;
}

static qn_status add(void *user, const uint32_t *items, size_t item_count, const uint32_t *wanted, int factor,
                     uint32_t *sums)
{
    const qn_neighbour_rows *rows = user;
    adding work = {rows, items, item_count, rows->count, (uint32_t)factor, sums};
    uint64_t neighbours = 0;
    (void)wanted;
    for (size_t k = 0; k < item_count; k++) neighbours += rows->counts[items[k]];
    if (neighbours < LITTLE) return add_part(0, 0, &work);
    work.part = (rows->count / PARTS + 32) / 32 * 32;
    return qn_pool_run(rows->pool, (rows->count + work.part - 1) / work.part, add_part, &work);
}

qn_neighbourhood qn_neighbour_rows_view(qn_neighbour_rows *rows)
{
    return (qn_neighbourhood){.count = rows->count, .counts = rows->counts, .add = add, .user = rows};
}

/* ---- from distances ---- */

typedef struct reading {
    qn_neighbour_rows *rows;
    double cutoff;
    bool at_most;
    uint32_t **scratch;  /* of each worker: bits, then a packed row */
    qn_status *statuses; /* of each worker */
} reading;

static void read_row(size_t item, const float *row, int worker, void *user)
{
    const reading *work = user;
    const size_t count = work->rows->count, words = bit_words(count);
    uint32_t *bits = work->scratch[worker], *packed = bits + words;
    memset(bits, 0, words * sizeof *bits);
    for (size_t j = 0; j < count; j++) {
        const bool near = j == item || (work->at_most ? row[j] <= work->cutoff : row[j] < work->cutoff);
        bits[j / 32] |= (uint32_t)near << j % 32;
    }
    qn_neighbour_row_pack(bits, count, packed);
    if (work->statuses[worker] == QN_OK) work->statuses[worker] = qn_neighbour_rows_set(work->rows, item, packed);
}

qn_status qn_neighbour_rows_from_distances(const qn_distance_matrix *matrix, double cutoff, bool at_most, qn_pool *pool,
                                           qn_neighbour_rows **rows)
{
    const size_t workers = pool ? (size_t)qn_pool_threads(pool) : 1;
    void *scratch = NULL, *statuses = NULL, *memory = NULL;
    QN_TRY(qn_neighbour_rows_create(matrix->count, pool, rows));
    qn_status status = qn_allocate(workers, sizeof(uint32_t *), &scratch);
    reading work = {*rows, cutoff, at_most, scratch, NULL};
    if (status == QN_OK) status = qn_allocate(workers, sizeof(qn_status), &statuses);
    work.statuses = statuses;
    for (size_t w = 0; status == QN_OK && w < workers; w++) {
        status = qn_allocate(2 * qn_neighbour_row_words(matrix->count), sizeof(uint32_t), &memory);
        work.scratch[w] = memory;
    }
    if (status == QN_OK) status = qn_distance_each_row(matrix, pool, read_row, &work);
    for (size_t w = 0; work.statuses && w < workers; w++)
        if (status == QN_OK && work.statuses[w] != QN_OK)
            status = QN_FAIL(work.statuses[w], "rows of neighbours of %zu items do not fit into memory", matrix->count);
    for (size_t w = 0; work.scratch && w < workers; w++) qn_release(&work.scratch[w]);
    qn_release(&scratch);
    qn_release(&statuses);
    if (status != QN_OK) qn_neighbour_rows_destroy(rows);
    return status;
}

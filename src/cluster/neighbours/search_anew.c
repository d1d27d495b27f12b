/* Neighbours that are computed anew, because rows of all structures do not fit into memory. */
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/neighbours/search.h"

/* Tiles of some columns with all active structures as rows, dealt to the devices of this rank. */
typedef struct step {
    qn_near_search *search;
    const uint32_t *items; /* columns; NULL: the active structures */
    size_t item_count, tile_rows;
    size_t ranks, rank; /* this rank takes each ranks-th tile, from `rank` on */
    atomic_size_t next_tile;
    qn_neighbour_rows *rows; /* that are kept */
} step;

/* Rows of the next tile; false: there is none. */
static bool next_tile(step *work, qn_measure_range *rows)
{
    const size_t count = work->search->active_count;
    const size_t first = (atomic_fetch_add(&work->next_tile, 1) * work->ranks + work->rank) * work->tile_rows;
    if (first >= count) return false;
    *rows = (qn_measure_range){first, count - first < work->tile_rows ? count - first : work->tile_rows};
    return true;
}

/* ---- active structures ---- */

/* Put the structures that are still wanted on the devices, where these are clearly fewer than those there. */
static qn_status refresh(qn_near_search *search, const uint32_t *wanted)
{
    size_t count = 0;
    void *memory;
    for (size_t i = 0; i < search->count; i++) count += !wanted || wanted[i];
    if (search->active && (double)count > 0.7 * (double)search->active_count) return QN_OK;
    if (!search->active) {
        QN_TRY(qn_allocate(search->count, sizeof(uint32_t), &memory));
        search->active = memory;
        QN_TRY(qn_allocate(search->count, sizeof(float), &memory));
        search->sums = memory;
    }
    search->active_count = 0;
    for (size_t i = 0; i < search->count; i++)
        if (!wanted || wanted[i]) search->active[search->active_count++] = (uint32_t)i;
    for (int d = 0; d < search->job->device_count; d++)
        QN_TRY(qn_near_session_rows(search->sessions[d], search->active, search->active_count));
    return QN_OK;
}

/* ---- sums ---- */

enum { COUNTED_ROWS = 1024 }; /* of a task */

typedef struct counted_tile {
    const uint32_t *bits;
    size_t rows, stride, words;
    float *sums; /* of the first row */
} counted_tile;

static qn_status count_rows(size_t index, int worker, void *user)
{
    const counted_tile *tile = user;
    const size_t end = (index + 1) * COUNTED_ROWS < tile->rows ? (index + 1) * COUNTED_ROWS : tile->rows;
    (void)worker;
    for (size_t r = index * COUNTED_ROWS; r < end; r++)
        tile->sums[r] += (float)qn_neighbour_bits_count(tile->bits + r * tile->stride, tile->words);
    return QN_OK;
}

static qn_status count_tile(const step *work, counted_tile *tile)
{
    return qn_pool_run(work->search->job->pool, (tile->rows + COUNTED_ROWS - 1) / COUNTED_ROWS, count_rows, tile);
}

static qn_status count_tiles(step *work, qn_near_session *session, uint32_t *bits)
{
    qn_near_search *search = work->search;
    const size_t words = (work->item_count + 31) / 32;
    const qn_measure_range columns = {0, work->item_count};
    qn_measure_range rows[2];
    bool busy[2] = {false, false};
    QN_TRY(qn_near_session_columns(session, work->items, work->item_count));
    for (int slot = 0;; slot = 1 - slot) {
        if (busy[slot]) {
            QN_TRY(qn_near_session_finish(session, slot, bits, words));
            counted_tile tile = {bits, rows[slot].count, words, words, search->sums + rows[slot].first};
            QN_TRY(count_tile(work, &tile));
            QN_TRY(qn_near_search_tell(search, "clustering", (uint64_t)rows[slot].count * work->item_count, 0));
        }
        busy[slot] = next_tile(work, &rows[slot]);
        if (busy[slot]) QN_TRY(qn_near_session_start(session, slot, rows[slot], columns));
        if (!busy[0] && !busy[1]) return QN_OK;
    }
}

static qn_status count_on_device(int device, void *user)
{
    step *work = user;
    void *bits;
    QN_TRY(qn_allocate(QN_NEAR_TILE_PAIRS / 32, sizeof(uint32_t), &bits));
    const qn_status status = count_tiles(work, work->search->sessions[device], bits);
    qn_release(&bits);
    return status;
}

/* Sums of all ranks: whole numbers below 2^24, which floats hold exactly. */
static qn_status share_sums(qn_near_search *search)
{
    qn_job *job = search->job;
    if (qn_ranks_count(job->ranks) == 1) return QN_OK;
    QN_TRY(qn_job_agree(job, qn_ranks_sum(job->ranks, search->sums, search->active_count)));
    return qn_job_agree(job, qn_ranks_broadcast(job->ranks, search->sums, search->active_count * sizeof(float)));
}

static size_t largest_multiple(size_t most, size_t step_size)
{
    return most < step_size ? step_size : most / step_size * step_size;
}

/* One step with at most QN_NEAR_TILE_COLUMNS items. */
static qn_status add_some(qn_near_search *search, const uint32_t *items, size_t item_count, int factor, uint32_t *sums)
{
    const size_t columns = (item_count + 31) / 32 * 32;
    size_t rows = largest_multiple(QN_NEAR_TILE_PAIRS / columns, 64);
    if (rows > 1 << 15) rows = 1 << 15;
    step work = {.search = search,
                 .items = items,
                 .item_count = item_count,
                 .tile_rows = rows,
                 .ranks = (size_t)qn_ranks_count(search->job->ranks),
                 .rank = (size_t)qn_ranks_rank(search->job->ranks)};
    atomic_init(&work.next_tile, 0);
    memset(search->sums, 0, search->active_count * sizeof(float));
    QN_TRY(qn_job_agree(search->job, qn_job_each_device(search->job, count_on_device, &work)));
    QN_TRY(share_sums(search));
    for (size_t a = 0; a < search->active_count; a++)
        sums[search->active[a]] += (uint32_t)factor * (uint32_t)search->sums[a];
    return QN_OK;
}

qn_status qn_near_search_add(void *user, const uint32_t *items, size_t item_count, const uint32_t *wanted, int factor,
                             uint32_t *sums)
{
    qn_near_search *search = user;
    QN_TRY(qn_job_agree(search->job, refresh(search, wanted)));
    for (size_t first = 0; first < item_count; first += QN_NEAR_TILE_COLUMNS) {
        const size_t left = item_count - first;
        QN_TRY(
            add_some(search, items + first, left < QN_NEAR_TILE_COLUMNS ? left : QN_NEAR_TILE_COLUMNS, factor, sums));
    }
    return QN_OK;
}

/* ---- rows of the structures that are left ---- */

typedef struct kept_block {
    const step *work;
    size_t first, words;
    uint32_t *bits;    /* [KEPT_ROWS][words], a bit for each active structure */
    uint32_t *scratch; /* [KEPT_ROWS][active_count] */
} kept_block;

enum { KEPT_ROWS = 64 };

/* Numbers of active structures become numbers of the whole set. */
static qn_status keep_row(size_t row, int worker, void *user)
{
    const kept_block *block = user;
    const qn_near_search *search = block->work->search;
    uint32_t *list = block->scratch + row * search->active_count;
    size_t length = 0;
    (void)worker;
    for (size_t w = 0; w < block->words; w++)
        for (uint32_t left = block->bits[row * block->words + w]; left; left &= left - 1)
            list[length++] = search->active[32 * w + (size_t)__builtin_ctz(left)];
    return qn_neighbour_rows_set_list(block->work->rows, search->active[block->first + row], list, length);
}

static qn_status keep_tiles(step *work, qn_near_session *session, kept_block *block)
{
    const qn_near_search *search = work->search;
    const size_t tiles = (search->active_count + QN_NEAR_TILE_COLUMNS - 1) / QN_NEAR_TILE_COLUMNS;
    qn_measure_range rows;
    QN_TRY(qn_near_session_columns(session, NULL, search->active_count));
    while (next_tile(work, &rows)) {
        for (size_t t = 0; t <= tiles; t++) {
            const size_t first = t * QN_NEAR_TILE_COLUMNS, left = search->active_count - first;
            const qn_measure_range columns = {first, left < QN_NEAR_TILE_COLUMNS ? left : QN_NEAR_TILE_COLUMNS};
            if (t < tiles) QN_TRY(qn_near_session_start(session, t % 2, rows, columns));
            if (t == 0) continue;
            uint32_t *bits = block->bits + (t - 1) * (QN_NEAR_TILE_COLUMNS / 32);
            QN_TRY(qn_near_session_finish(session, (t - 1) % 2, bits, block->words));
        }
        block->first = rows.first;
        QN_TRY(qn_pool_run(search->job->pool, rows.count, keep_row, block));
        QN_TRY(qn_near_search_tell(work->search, "clustering", (uint64_t)rows.count * search->active_count, 0));
    }
    return QN_OK;
}

static qn_status keep_on_device(int device, void *user)
{
    step *work = user;
    const size_t words = (work->search->active_count + 31) / 32;
    void *bits = NULL, *scratch = NULL;
    qn_status status = qn_allocate(KEPT_ROWS * words, sizeof(uint32_t), &bits);
    if (status == QN_OK) status = qn_allocate(KEPT_ROWS * work->search->active_count, sizeof(uint32_t), &scratch);
    kept_block block = {work, 0, words, bits, scratch};
    if (status == QN_OK) status = keep_tiles(work, work->search->sessions[device], &block);
    qn_release(&bits);
    qn_release(&scratch);
    return status;
}

qn_status qn_near_search_keep(qn_near_search *search, const uint32_t *counts, qn_neighbour_rows **rows)
{
    uint64_t neighbours = 0;
    *rows = NULL;
    /* A pair of which one structure was taken counts once and is kept twice. */
    for (size_t i = 0; i < search->count; i++) neighbours += counts[i];
    if (2 * sizeof(uint32_t) * neighbours + 64 * (uint64_t)search->count > search->memory_bytes) return QN_OK;
    search->active_count = SIZE_MAX;
    QN_TRY(qn_job_agree(search->job, refresh(search, counts)));
    QN_TRY(qn_job_agree(search->job, qn_neighbour_rows_create(search->count, search->job->pool, rows)));
    step work = {.search = search, .tile_rows = KEPT_ROWS, .ranks = 1, .rows = *rows};
    atomic_init(&work.next_tile, 0);
    const qn_status status = qn_job_agree(search->job, qn_job_each_device(search->job, keep_on_device, &work));
    if (status != QN_OK) qn_neighbour_rows_destroy(rows);
    return status;
}

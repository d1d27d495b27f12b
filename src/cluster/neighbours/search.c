#include "cluster/neighbours/search.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"

enum {
    COLUMNS = QN_NEAR_TILE_COLUMNS,
    ROWS_MAX = QN_NEAR_TILE_PAIRS / COLUMNS, /* of a piece */
    ROWS_MIN = 64,                           /* likewise */
    PIECES = 64,                             /* at least, where a piece keeps ROWS_MIN rows */
    BLOCK_BITS = 1 << 29,                    /* of the rows of a piece */
    STORED = 1                               /* first word of a record: rows follow, else counts */
};

static const double WRITTEN_BYTES_PER_S = 1e9; /* of a fast disk */

qn_status qn_near_search_tell(qn_near_search *search, const char *stage, uint64_t pairs, uint64_t total)
{
    pthread_mutex_lock(&search->mutex);
    search->pairs_done += pairs;
    const qn_progress progress = {.stage = stage,
                                  .unit = "pairs",
                                  .done = (size_t)search->pairs_done,
                                  .total = qn_job_is_first(search->job) ? (size_t)total : 0,
                                  .seconds = qn_clock_s() - search->started_s};
    const bool stopped = qn_job_is_stopped(search->job, &progress);
    pthread_mutex_unlock(&search->mutex);
    if (!stopped) return QN_OK;
    return QN_FAIL(QN_CANCELLED, "stopped after about %zu pairs%s", progress.done,
                   search->job->in_memory ? "" : "; continue with --resume");
}

/* ---- pieces: blocks of rows ---- */

/* Rows of a piece, a multiple of ROWS_MIN; it depends on the number of structures alone, because pieces are recorded.
 */
static size_t rows_of_piece(size_t count)
{
    size_t rows = count / PIECES / ROWS_MIN * ROWS_MIN;
    const size_t fitting = BLOCK_BITS / count / ROWS_MIN * ROWS_MIN;
    if (rows > ROWS_MAX) rows = ROWS_MAX;
    if (rows > fitting) rows = fitting;
    return rows < ROWS_MIN ? ROWS_MIN : rows;
}

static uint64_t piece_count(size_t count)
{
    return (count + rows_of_piece(count) - 1) / rows_of_piece(count);
}

static size_t rows_at(size_t count, uint64_t piece)
{
    const size_t rows = rows_of_piece(count), left = count - (size_t)piece * rows;
    return left < rows ? left : rows;
}

typedef struct row_block {
    qn_near_search *search;
    size_t first, rows, words; /* words of a row of bits */
    uint32_t *bits;            /* [rows][words] */
    size_t *places;            /* [rows]: of each in the record */
    uint32_t *record;          /* [1 + rows] where counts are kept; else in the kept rows */
    int lanes;                 /* of the device, which work on other blocks meanwhile */
} row_block;

/* All tiles of a block of rows; one is computed while the host works on the one before. */
static qn_status compute_block(qn_near_session *session, row_block *block)
{
    const size_t count = block->search->count, tiles = (count + COLUMNS - 1) / COLUMNS;
    for (size_t t = 0; t <= tiles; t++) {
        const size_t first = t * COLUMNS, left = count - first;
        if (t < tiles)
            QN_TRY(qn_near_session_start(session, t % 2, (qn_measure_range){block->first, block->rows},
                                         (qn_measure_range){first, left < COLUMNS ? left : COLUMNS}));
        if (t > 0)
            QN_TRY(qn_near_session_finish(session, (t - 1) % 2, block->bits + (t - 1) * (COLUMNS / 32), block->words));
    }
    return QN_OK;
}

static qn_status count_row(size_t row, int worker, void *user)
{
    const row_block *block = user;
    (void)worker;
    block->search->counts[block->first + row] = qn_neighbour_bits_count(block->bits + row * block->words, block->words);
    return QN_OK;
}

static qn_status pack_row(size_t row, int worker, void *user)
{
    const row_block *block = user;
    qn_near_search *search = block->search;
    uint32_t *packed = block->record + block->places[row];
    (void)worker;
    qn_neighbour_row_pack(block->bits + row * block->words, search->count, packed);
    qn_neighbour_rows_put(search->rows, block->first + row, packed);
    return QN_OK;
}

/* Keep the rows or counts of a block, and make its record, in which the kept rows lie. */
static qn_status keep_block(row_block *block, size_t *length)
{
    qn_near_search *search = block->search;
    qn_pool *pool = search->job->pool;
    const uint32_t *counts = search->counts + block->first;
    QN_TRY(qn_pool_run(pool, block->rows, count_row, block));
    *length = 1;
    for (size_t r = 0; r < block->rows; r++) {
        block->places[r] = *length;
        *length += search->keeps_rows ? qn_neighbour_row_length(&counts[r], search->count) : 1;
    }
    if (search->keeps_rows) QN_TRY(qn_neighbour_rows_block(search->rows, *length, &block->record));
    block->record[0] = search->keeps_rows ? STORED : 0;
    if (search->keeps_rows) return qn_pool_run(pool, block->rows, pack_row, block);
    memcpy(block->record + 1, counts, block->rows * sizeof *counts);
    return QN_OK;
}

/* Whether a block is recorded. On GPUs, rows can be found again in less time than a disk takes to write them; other
 * ranks get them from the record. */
static bool is_recorded(const qn_near_search *search, double seconds, size_t bytes)
{
    if (qn_ranks_count(search->job->ranks) > 1) return true;
    return !search->job->in_memory && (double)bytes < seconds * WRITTEN_BYTES_PER_S;
}

/* Lanes of a device: while the host works on the tile of one, a GPU computes that of another. */
static int lanes_of(const qn_near_search *search, int device)
{
    if (search->set->lanes > 0) return search->set->lanes;
    return qn_device_get_info(search->job->devices[device])->kind == QN_DEVICE_CPU ? 1 : 2;
}

static qn_status compute_piece(qn_near_session *session, row_block *block, uint64_t piece)
{
    qn_near_search *search = block->search;
    const double started_s = qn_clock_s();
    size_t length;
    block->first = (size_t)piece * rows_of_piece(search->count);
    block->rows = rows_at(search->count, piece);
    QN_TRY(compute_block(session, block));
    const double seconds = (qn_clock_s() - started_s) / block->lanes;
    QN_TRY(keep_block(block, &length));
    if (is_recorded(search, seconds, length * sizeof(uint32_t)))
        QN_TRY(qn_job_record(search->job, piece, block->record, length * sizeof(uint32_t)));
    return qn_near_search_tell(search, "comparing", (uint64_t)block->rows * search->count, search->pairs_missing);
}

static qn_status next_piece(qn_near_search *search, uint64_t *piece, bool *none)
{
    qn_job *job = search->job;
    const uint64_t pieces = piece_count(search->count);
    QN_TRY(qn_agreement_poll(&job->agreement));
    do QN_TRY(qn_agreement_deal(&job->agreement, 1, piece, none));
    while (!*none && *piece < pieces && qn_piece_set_has(&job->done, *piece));
    *none |= *piece >= pieces;
    return QN_OK;
}

static qn_status compute_pieces(qn_near_search *search, qn_near_session *session, row_block *block)
{
    QN_TRY(qn_near_session_columns(session, NULL, search->count));
    for (;;) {
        uint64_t piece;
        bool none;
        QN_TRY(next_piece(search, &piece, &none));
        if (none) return QN_OK;
        QN_TRY(compute_piece(session, block, piece));
    }
}

static qn_status open_session(qn_near_search *search, int lane)
{
    return qn_near_session_create(search->job->devices[search->lane_device[lane]], &search->superposed, &search->rule,
                                  search->job->pool, QN_NEAR_TILE_PAIRS, &search->sessions[lane]);
}

/* Put the structures on a device. */
static qn_status prepare_device(int device, void *user)
{
    qn_near_search *search = user;
    QN_TRY(open_session(search, device));
    return qn_near_session_rows(search->sessions[device], NULL, search->count);
}

/* The first lanes are those of the devices. */
static void list_lanes(qn_near_search *search)
{
    for (int lane = 0, listed = 1; listed; lane++) {
        listed = 0;
        for (int d = 0; d < search->job->device_count; d++) {
            if (lane >= lanes_of(search, d) || search->lane_count == QN_JOB_LANES_MAX) continue;
            search->lane_device[search->lane_count++] = d;
            listed = 1;
        }
    }
}

static qn_status compute_on_lane(int lane, void *user)
{
    qn_near_search *search = user;
    const int device = search->lane_device[lane];
    const size_t words = (search->count + 31) / 32, rows = rows_of_piece(search->count);
    void *bits = NULL, *places = NULL, *record = NULL;
    if (lane != device) {
        QN_TRY(open_session(search, lane));
        qn_near_session_share_rows(search->sessions[lane], search->sessions[device]);
    }
    qn_status status = qn_allocate(rows * words, sizeof(uint32_t), &bits);
    if (status == QN_OK) status = qn_allocate(rows, sizeof(size_t), &places);
    if (status == QN_OK) status = qn_allocate(1 + rows, sizeof(uint32_t), &record);
    row_block block = {.search = search,
                       .words = words,
                       .bits = bits,
                       .places = places,
                       .record = record,
                       .lanes = lanes_of(search, device)};
    if (status == QN_OK) status = compute_pieces(search, search->sessions[lane], &block);
    qn_release(&bits);
    qn_release(&places);
    qn_release(&record);
    return status;
}

/* ---- records ---- */

/* A record that a run with more memory can use: rows where rows are kept, else either. */
static bool is_useful(const qn_near_search *search, uint64_t piece, const uint32_t *words, size_t size)
{
    return piece < piece_count(search->count) && size >= sizeof(uint32_t) &&
           (words[0] == STORED || !search->keeps_rows);
}

static qn_status note_done(uint64_t piece, const void *data, size_t size, void *user)
{
    qn_near_search *search = user;
    if (!is_useful(search, piece, data, size)) return QN_OK;
    return qn_piece_set_add(&search->job->done, piece);
}

static qn_status take_record(uint64_t piece, const void *data, size_t size, void *user)
{
    qn_near_search *search = user;
    const uint32_t *words = data, *end = words + size / sizeof(uint32_t), *next = words + 1;
    if (!is_useful(search, piece, words, size)) return QN_OK;
    const size_t first = (size_t)piece * rows_of_piece(search->count), rows = rows_at(search->count, piece);
    if (search->counts[first] > 0) return QN_OK; /* of this rank: kept when it was computed */
    for (size_t r = 0; r < rows; r++) {
        const size_t length = next < end && words[0] == STORED ? qn_neighbour_row_length(next, search->count) : 1;
        if (next + length > end)
            return QN_FAIL(QN_BAD_FORMAT, "the record of block %llu ends in row %zu of %zu",
                           (unsigned long long)piece + 1, r + 1, rows);
        search->counts[first + r] = next[0];
        if (search->keeps_rows) QN_TRY(qn_neighbour_rows_set(search->rows, first + r, next));
        next += length;
    }
    return QN_OK;
}

/* Every rank reads what other ranks and earlier runs recorded. */
static qn_status read_records(qn_near_search *search)
{
    qn_job *job = search->job;
    if (job->done.count > 0 || qn_ranks_count(job->ranks) > 1) QN_TRY(qn_job_scan(job, take_record, search));
    for (size_t i = 0; i < search->count; i++)
        if (search->counts[i] == 0) return QN_FAIL(QN_INTERNAL, "the row of structure %zu was not recorded", i + 1);
    return QN_OK;
}

/* The first rank tells the others which pieces are done. */
static qn_status find_done(qn_near_search *search)
{
    qn_job *job = search->job;
    const uint64_t pieces = piece_count(search->count);
    void *memory;
    if (job->in_memory) return QN_OK;
    QN_TRY(qn_job_agree(job, qn_allocate((size_t)pieces, 1, &memory)));
    unsigned char *done = memory;
    qn_status status = qn_job_agree(job, qn_job_is_first(job) ? qn_job_scan(job, note_done, search) : QN_OK);
    for (uint64_t p = 0; p < pieces; p++) done[p] = qn_piece_set_has(&job->done, p);
    if (status == QN_OK) status = qn_job_agree(job, qn_ranks_broadcast(job->ranks, done, (size_t)pieces));
    for (uint64_t p = 0; p < pieces && status == QN_OK; p++)
        if (done[p]) status = qn_piece_set_add(&job->done, p);
    qn_release(&memory);
    return status;
}

/* ---- begin and end ---- */

static uint64_t half_of_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes / 2 : (uint64_t)1 << 31;
}

static qn_status prepare(qn_near_search *search)
{
    const qn_large_set *set = search->set;
    void *memory;
    if (!(set->cutoff_angstrom > 0) || !isfinite(set->cutoff_angstrom))
        return QN_FAIL(QN_INVALID_ARGUMENT, "the cut-off is %g Å; expected a number above 0", set->cutoff_angstrom);
    if (search->count > (size_t)1 << 24)
        return QN_FAIL(QN_UNSUPPORTED, "%zu structures; expected at most %d", search->count, 1 << 24);
    QN_TRY(qn_superposed_make(set->structures, search->job->pool, &search->superposed));
    QN_TRY(qn_allocate(search->count, sizeof(uint32_t), &memory));
    search->counts = memory;
    search->memory_bytes = set->memory_bytes ? set->memory_bytes : half_of_memory();
    search->keeps_rows = (double)search->count * (double)search->count / 8 <= (double)search->memory_bytes;
    return search->keeps_rows ? qn_neighbour_rows_create(search->count, search->job->pool, &search->rows) : QN_OK;
}

qn_status qn_near_search_begin(qn_job *job, const qn_large_set *set, bool at_most, qn_near_search *search)
{
    *search = (qn_near_search){.job = job,
                               .set = set,
                               .rule = {set->cutoff_angstrom, at_most},
                               .count = set->structures->count,
                               .started_s = qn_clock_s()};
    pthread_mutex_init(&search->mutex, NULL);
    QN_TRY(qn_job_agree(job, prepare(search)));
    QN_TRY(find_done(search));
    for (uint64_t p = 0; p < piece_count(search->count); p++)
        if (!qn_piece_set_has(&job->done, p))
            search->pairs_missing += (uint64_t)rows_at(search->count, p) * search->count;
    if (job->done.count > 0)
        qn_log(QN_LOG_NOTE, "resuming: %llu of %llu blocks of rows are there", (unsigned long long)job->done.count,
               (unsigned long long)piece_count(search->count));
    list_lanes(search);
    qn_status status = qn_job_each_device(job, prepare_device, search);
    if (status == QN_OK) status = qn_job_each_lane(job, search->lane_count, compute_on_lane, search);
    for (int lane = job->device_count; lane < search->lane_count; lane++)
        qn_near_session_destroy(&search->sessions[lane]);
    qn_job_records_end(job);
    QN_TRY(qn_job_agree(job, status));
    return qn_job_agree(job, read_records(search));
}

void qn_near_search_end(qn_near_search *search)
{
    for (int lane = 0; lane < QN_JOB_LANES_MAX; lane++) qn_near_session_destroy(&search->sessions[lane]);
    qn_neighbour_rows_destroy(&search->rows);
    qn_superposed_clear(&search->superposed);
    qn_release(&search->counts);
    qn_release(&search->active);
    qn_release(&search->sums);
    pthread_mutex_destroy(&search->mutex);
}

qn_neighbourhood qn_near_search_view(qn_near_search *search)
{
    if (search->rows) return qn_neighbour_rows_view(search->rows);
    return (qn_neighbourhood){
        .count = search->count, .counts = search->counts, .add = qn_near_search_add, .user = search};
}

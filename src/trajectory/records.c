#include "trajectory/records.h"

#include <string.h>
#include <zlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"

/* ---- records ---- */

/* Head of a journal record, before a frame's partial results. */
typedef struct frame_head {
    uint64_t number;
    int64_t step;
    double time_ps, box_nm[9];
    uint64_t atom_count;
} frame_head;

/* Head of a record, before its compressed frames. */
typedef struct record_head {
    uint32_t frames, reserved;
    uint64_t unpacked_bytes;
} record_head;

qn_status qn_piece_record_add(qn_piece_record *record, const qn_trajectory_frame *frame, const double *partials,
                              size_t count)
{
    frame_head head = {
        .number = frame->number, .step = frame->step, .time_ps = frame->time_ps, .atom_count = frame->atom_count};
    memcpy(head.box_nm, frame->box_nm, sizeof head.box_nm);
    QN_TRY(qn_text_append_bytes(&record->bytes, &head, sizeof head));
    if (count) QN_TRY(qn_text_append_bytes(&record->bytes, partials, count * sizeof *partials));
    record->frames++;
    return QN_OK;
}

/* Counts stored as doubles are mostly zero bytes, so the fastest compression is good enough. */
qn_status qn_piece_record_write(qn_piece_record *record, qn_job *job)
{
    const record_head head = {.frames = record->frames, .unpacked_bytes = record->bytes.length};
    uLongf packed_size = compressBound((uLong)record->bytes.length);
    void *memory;
    QN_TRY(qn_allocate(sizeof head + packed_size, 1, &memory));
    unsigned char *packed = memory;
    memcpy(packed, &head, sizeof head);
    qn_status status = QN_OK;
    if (compress2(packed + sizeof head, &packed_size, (const Bytef *)record->bytes.data, (uLong)record->bytes.length,
                  Z_BEST_SPEED) != Z_OK)
        status = qn_error_set(QN_OUT_OF_MEMORY, __FILE__, __LINE__, "cannot compress %zu bytes", record->bytes.length);
    if (status == QN_OK) status = qn_job_record(job, record->piece, packed, sizeof head + packed_size);
    qn_release(&memory);
    record->bytes.length = 0;
    record->frames = 0;
    return status;
}

/* ---- journals ---- */

static qn_status know_piece(uint64_t piece, const void *data, size_t size, void *user)
{
    (void)data;
    (void)size;
    return qn_piece_set_add(user, piece);
}

qn_status qn_trajectory_find_known(qn_trajectory_state *run)
{
    if (!run->records || !run->options->run.resume) return QN_OK;
    QN_TRY(qn_job_scan(run->job, know_piece, &run->job->done));
    if (run->job->done.count)
        qn_log(QN_LOG_NOTE, "resuming: about %llu frames are done",
               (unsigned long long)run->job->done.count * QN_TRAJECTORY_PIECE);
    return QN_OK;
}

/* ---- gathering ---- */

/* The journals are read in several passes. Each pass takes as many of the next pieces as fit into memory. */
typedef struct piece_gathering {
    qn_trajectory_state *run;
    uint64_t first;            /* first piece of this pass */
    char **pieces;             /* [count] records of the pieces of this pass; NULL: not found yet */
    size_t *sizes, count;      /* sizes of the records; number of pieces of a pass */
    uint64_t behind;           /* number of pieces: the highest piece found so far plus one */
    uint64_t frames;           /* number of frames collected so far */
    uint32_t last_piece_count; /* number of frames of the piece collected last */
} piece_gathering;

static const uint64_t gathering_bytes = (uint64_t)256 << 20;

static qn_status gather_record(uint64_t piece, const void *data, size_t size, void *user)
{
    piece_gathering *gathering = user;
    if (piece >= gathering->behind) gathering->behind = piece + 1;
    if (piece < gathering->first || piece - gathering->first >= gathering->count) return QN_OK;
    char **kept = &gathering->pieces[piece - gathering->first];
    void *memory;
    if (*kept) return QN_OK; /* two ranks may have computed the same piece */
    QN_TRY(qn_allocate(size, 1, &memory));
    memcpy(memory, data, size);
    *kept = memory;
    gathering->sizes[piece - gathering->first] = size;
    return QN_OK;
}

static qn_status bad_record(const qn_trajectory_state *run, uint64_t piece)
{
    return QN_FAIL(QN_BAD_FORMAT, "%s: piece %llu of its journals does not belong to this run", run->options->output,
                   (unsigned long long)piece);
}

/* Pass the decompressed frames of a record to the queries. */
static qn_status collect_unpacked(qn_trajectory_state *run, const char *bytes, uint32_t frames)
{
    const size_t frame_bytes = sizeof(frame_head) + run->partial_count * sizeof(double);
    for (uint32_t i = 0; i < frames; i++) {
        const char *place = bytes + i * frame_bytes;
        frame_head about;
        memcpy(&about, place, sizeof about);
        qn_trajectory_frame frame = {.number = about.number,
                                     .step = about.step,
                                     .time_ps = about.time_ps,
                                     .atom_count = (size_t)about.atom_count};
        memcpy(frame.box_nm, about.box_nm, sizeof frame.box_nm);
        QN_TRY(qn_trajectory_collect(run, &frame, (const double *)(const void *)(place + sizeof about)));
    }
    return QN_OK;
}

/* Decompress a record and collect its frames. */
static qn_status collect_record(piece_gathering *gathering, uint64_t piece, const char *data, size_t size)
{
    qn_trajectory_state *run = gathering->run;
    const size_t partial_bytes = run->partial_count * sizeof(double), frame_bytes = sizeof(frame_head) + partial_bytes;
    record_head head;
    void *memory;
    if (size < sizeof head) return bad_record(run, piece);
    memcpy(&head, data, sizeof head);
    if (head.frames == 0 || head.frames > QN_TRAJECTORY_PIECE || head.unpacked_bytes != head.frames * frame_bytes)
        return bad_record(run, piece);
    QN_TRY(qn_allocate((size_t)head.unpacked_bytes + sizeof(double), 1, &memory));
    uLongf unpacked = (uLongf)head.unpacked_bytes;
    qn_status status = QN_OK;
    if (uncompress(memory, &unpacked, (const Bytef *)data + sizeof head, (uLong)(size - sizeof head)) != Z_OK ||
        unpacked != head.unpacked_bytes)
        status = bad_record(run, piece);
    if (status == QN_OK) status = collect_unpacked(run, memory, head.frames);
    qn_release(&memory);
    gathering->frames += head.frames;
    gathering->last_piece_count = head.frames;
    return status;
}

/* Run one pass: read the records of the next pieces, then collect them in order. */
static qn_status gather_pass(piece_gathering *gathering)
{
    qn_trajectory_state *run = gathering->run;
    QN_TRY(qn_job_scan(run->job, gather_record, gathering));
    for (size_t i = 0; i < gathering->count; i++) {
        const uint64_t piece = gathering->first + i;
        qn_status status = QN_OK;
        if (piece >= gathering->behind) return QN_OK;
        if (!gathering->pieces[i])
            return QN_FAIL(QN_BAD_FORMAT, "%s: its journals lack piece %llu; continue with --resume",
                           run->options->output, (unsigned long long)piece);
        if (piece > 0 && gathering->last_piece_count != QN_TRAJECTORY_PIECE) status = bad_record(run, piece - 1);
        if (status == QN_OK) status = collect_record(gathering, piece, gathering->pieces[i], gathering->sizes[i]);
        qn_release(&gathering->pieces[i]);
        QN_TRY(status);
    }
    return QN_OK;
}

qn_status qn_trajectory_gather(qn_trajectory_state *run)
{
    const uint64_t piece_bytes = QN_TRAJECTORY_PIECE * (sizeof(frame_head) + run->partial_count * sizeof(double));
    const uint64_t fitting = 1 + gathering_bytes / piece_bytes;
    piece_gathering gathering = {.run = run, .count = (size_t)(fitting < 1 << 20 ? fitting : 1 << 20)};
    void *memory;
    qn_status status = qn_allocate(gathering.count, sizeof *gathering.pieces, &memory);
    gathering.pieces = memory;
    if (status == QN_OK) status = qn_allocate(gathering.count, sizeof *gathering.sizes, &memory);
    if (status == QN_OK) gathering.sizes = memory;
    do {
        if (status == QN_OK) status = gather_pass(&gathering);
        gathering.first += gathering.count;
    } while (status == QN_OK && gathering.first < gathering.behind);
    for (size_t i = 0; gathering.pieces && i < gathering.count; i++) qn_release(&gathering.pieces[i]);
    qn_release(&gathering.pieces);
    qn_release(&gathering.sizes);
    QN_TRY(status);
    if (run->expected && gathering.frames != run->expected)
        return QN_FAIL(QN_BAD_FORMAT, "%s: its journals have %s; expected the trajectory's %llu", run->options->output,
                       qn_count_of(gathering.frames, "frame").text, (unsigned long long)run->expected);
    return collect_unpacked(run, run->tail.data, run->tail_frames);
}

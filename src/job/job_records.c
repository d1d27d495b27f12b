/* The records of a run: in journals, or in memory where the run has no output. */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "job/job.h"

/* ---- in memory ---- */

static qn_status keep_record(qn_job *job, uint64_t piece, const qn_journal_part *parts, int count)
{
    void *memory;
    size_t size = 0, done = 0;
    for (int i = 0; i < count; i++) {
        if (parts[i].size > SIZE_MAX - sizeof(qn_job_kept_record) - size)
            return QN_FAIL(QN_OUT_OF_MEMORY, "a record of %zu bytes does not fit into memory", parts[i].size);
        size += parts[i].size;
    }
    QN_TRY(qn_allocate(sizeof(qn_job_kept_record) + size, 1, &memory));
    qn_job_kept_record *record = memory;
    record->piece = piece;
    record->size = size;
    for (int i = 0; i < count; i++) {
        if (parts[i].size > 0) memcpy(record->data + done, parts[i].data, parts[i].size);
        done += parts[i].size;
    }
    pthread_mutex_lock(&job->mutex);
    if (job->latest_kept)
        job->latest_kept->next = record;
    else
        job->first_kept = record;
    job->latest_kept = record;
    pthread_mutex_unlock(&job->mutex);
    return QN_OK;
}

/* Scan the records that exist when the scan begins. `next` of the last one may be written meanwhile and is not read. */
static qn_status scan_kept(qn_job *job, qn_journal_record record, void *user)
{
    pthread_mutex_lock(&job->mutex);
    const qn_job_kept_record *kept = job->first_kept, *last = job->latest_kept;
    pthread_mutex_unlock(&job->mutex);
    while (kept) {
        QN_TRY(record(kept->piece, kept->data, kept->size, user));
        kept = kept == last ? NULL : kept->next;
    }
    return QN_OK;
}

void qn_job_kept_records_clear(qn_job *job)
{
    while (job->first_kept) {
        qn_job_kept_record *next = job->first_kept->next;
        qn_release(&job->first_kept);
        job->first_kept = next;
    }
    job->latest_kept = NULL;
}

/* ---- in journals or in memory ---- */

qn_status qn_job_scan_rank(qn_job *job, int rank, qn_journal_record record, void *user)
{
    char *path;
    if (job->in_memory) return rank == 0 ? scan_kept(job, record, user) : QN_OK;
    QN_TRY(qn_rank_journal_path(job->journal_folder, rank, &path));
    qn_status status = qn_journal_read(path, job->key.data, record, user);
    if (status == QN_BAD_FORMAT) status = qn_error_add_context(status, "%s", path);
    qn_release(&path);
    return status;
}

qn_status qn_job_scan(qn_job *job, qn_journal_record record, void *user)
{
    int *ranks;
    size_t count;
    if (job->in_memory) return scan_kept(job, record, user);
    QN_TRY(qn_rank_journal_list(job->journal_folder, &ranks, &count));
    qn_status status = QN_OK;
    for (size_t i = 0; i < count && status == QN_OK; i++) status = qn_job_scan_rank(job, ranks[i], record, user);
    qn_release(&ranks);
    return status;
}

qn_status qn_job_record(qn_job *job, uint64_t piece, const void *data, size_t size)
{
    const qn_journal_part part = {data, size};
    return qn_job_record_parts(job, piece, &part, 1);
}

qn_status qn_job_record_parts(qn_job *job, uint64_t piece, const qn_journal_part *parts, int count)
{
    if (job->in_memory) return keep_record(job, piece, parts, count);
    const uint32_t checksum = qn_journal_checksum(piece, parts, count, job->pool);
    const double started = qn_clock_s();
    pthread_mutex_lock(&job->mutex);
    qn_status status = qn_journal_append_checked(job->journal, piece, parts, count, checksum);
    if (status == QN_OK) job->recorded++;
    job->sharing.journal_s += qn_clock_s() - started;
    pthread_mutex_unlock(&job->mutex);
    return status;
}

void qn_job_records_end(qn_job *job)
{
    if (!qn_job_is_first(job))
        qn_journal_close(&job->journal); /* on network file systems others read it only after it is closed */
}

#define _POSIX_C_SOURCE 200809L
#include "reconstruct/saved_sums.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

enum { CHUNK = 1 << 22 }; /* floats that are read or written at a time */
enum { NO_HALF = -1 };    /* files are read and checked, but not added */

/* Entry of a file of sums, "sums.<rank>.<number>". The file holds numerator and weight of the first half, then of the
 * second. */
typedef struct saved_file {
    uint32_t rank, number;
    uint32_t checksum; /* CRC-32 of the floats */
    int32_t writer;    /* device of this run that wrote the file; -1: an earlier run */
    uint64_t batch_count;
    uint64_t *batches; /* batches in the sums; in a record they follow the entry */
} saved_file;

struct qn_saved_sums {
    qn_job *job;
    uint32_t rank;
    int side, halves;
    uint64_t generation; /* number of the latest record of this rank */
    uint32_t next_number;
    saved_file *files; /* files that this rank's journal names */
    size_t file_count, file_capacity;
    saved_file *adopted; /* files of ranks that this run does not have, which this rank adds */
    size_t adopted_count, adopted_capacity;
};

static void clear_files(saved_file **files, size_t *count)
{
    for (size_t i = 0; i < *count; i++) qn_release(&(*files)[i].batches);
    *count = 0;
    qn_release(files);
}

static qn_status file_path(const qn_saved_sums *saved, uint32_t rank, uint32_t number, char **path)
{
    char name[64];
    snprintf(name, sizeof name, "sums.%u.%u", rank, number);
    return qn_path_join(saved->job->journal_folder, name, path);
}

/* ---- records: all files of a rank ---- */

typedef struct record_reading {
    saved_file **files;
    size_t *count, *capacity;
    uint64_t *generation;
} record_reading;

static qn_status read_file_entry(const unsigned char **at, size_t *left, saved_file *file)
{
    const size_t head = offsetof(saved_file, batches);
    void *memory;
    if (*left < head) return QN_FAIL(QN_BAD_FORMAT, "a record of saved sums is cut short");
    memcpy(file, *at, head);
    file->batches = NULL;
    file->writer = -1;
    *at += head;
    *left -= head;
    if (file->batch_count > *left / sizeof(uint64_t))
        return QN_FAIL(QN_BAD_FORMAT, "a record of saved sums is cut short");
    QN_TRY(qn_allocate((size_t)file->batch_count, sizeof(uint64_t), &memory));
    file->batches = memory;
    const size_t bytes = (size_t)file->batch_count * sizeof(uint64_t);
    if (bytes > 0) memcpy(file->batches, *at, bytes);
    *at += bytes;
    *left -= bytes;
    return QN_OK;
}

/* Read a record, which replaces the one before. */
static qn_status read_record(uint64_t generation, const void *data, size_t size, void *user)
{
    const record_reading *reading = user;
    const unsigned char *at = data;
    for (size_t i = 0; i < *reading->count; i++) qn_release(&(*reading->files)[i].batches);
    *reading->count = 0;
    *reading->generation = generation;
    while (size > 0) {
        void *memory = *reading->files;
        QN_TRY(qn_grow(&memory, reading->capacity, *reading->count + 1, sizeof(saved_file)));
        *reading->files = memory;
        QN_TRY(read_file_entry(&at, &size, *reading->files + *reading->count));
        ++*reading->count;
    }
    return QN_OK;
}

static qn_status append_record(qn_saved_sums *saved)
{
    qn_text record = {0};
    qn_status status = QN_OK;
    for (size_t i = 0; i < saved->file_count && status == QN_OK; i++) {
        const saved_file *file = &saved->files[i];
        status = qn_text_append_bytes(&record, file, offsetof(saved_file, batches));
        if (status == QN_OK)
            status = qn_text_append_bytes(&record, file->batches, (size_t)file->batch_count * sizeof(uint64_t));
    }
    if (status == QN_OK) status = qn_job_record(saved->job, ++saved->generation, record.data, record.length);
    qn_text_clear(&record);
    return status;
}

/* ---- opening ---- */

static qn_status mark_done(const saved_file *files, size_t count, qn_piece_set *done)
{
    for (size_t i = 0; i < count; i++)
        for (uint64_t b = 0; b < files[i].batch_count; b++)
            if (!qn_piece_set_has(done, files[i].batches[b])) QN_TRY(qn_piece_set_add(done, files[i].batches[b]));
    return QN_OK;
}

/* Read another rank's journal, whose batches are done. If this run has no such rank, one of its ranks adds the files.
 */
static qn_status read_other(qn_saved_sums *saved, int rank)
{
    const int rank_count = qn_ranks_count(saved->job->ranks);
    saved_file *files = NULL;
    size_t count = 0, capacity = 0;
    uint64_t generation = 0;
    record_reading reading = {&files, &count, &capacity, &generation};
    qn_status status = qn_job_scan_rank(saved->job, rank, read_record, &reading);
    if (status == QN_OK) status = mark_done(files, count, &saved->job->done);
    if (status == QN_OK && rank >= rank_count && (uint32_t)(rank % rank_count) == saved->rank) {
        void *memory = saved->adopted;
        status = qn_grow(&memory, &saved->adopted_capacity, saved->adopted_count + count, sizeof(saved_file));
        saved->adopted = memory;
        for (size_t i = 0; i < count && status == QN_OK; i++) {
            saved->adopted[saved->adopted_count++] = files[i];
            files[i].batches = NULL;
        }
    }
    clear_files(&files, &count);
    return status;
}

static qn_status read_own(qn_saved_sums *saved)
{
    record_reading reading = {&saved->files, &saved->file_count, &saved->file_capacity, &saved->generation};
    QN_TRY(qn_job_scan_rank(saved->job, (int)saved->rank, read_record, &reading));
    for (size_t i = 0; i < saved->file_count; i++)
        if (saved->files[i].number >= saved->next_number) saved->next_number = saved->files[i].number + 1;
    return mark_done(saved->files, saved->file_count, &saved->job->done);
}

static qn_status read_journals(qn_saved_sums *saved)
{
    int *ranks = NULL;
    size_t count = 0;
    QN_TRY(qn_rank_journal_list(saved->job->journal_folder, &ranks, &count));
    qn_status status = QN_OK;
    for (size_t i = 0; i < count && status == QN_OK; i++)
        status = (uint32_t)ranks[i] == saved->rank ? read_own(saved) : read_other(saved, ranks[i]);
    qn_release(&ranks);
    return status;
}

qn_status qn_saved_sums_open(qn_job *job, int side, int halves, qn_saved_sums **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof(qn_saved_sums), &memory));
    qn_saved_sums *saved = memory;
    *out = saved;
    saved->job = job;
    saved->rank = (uint32_t)qn_ranks_rank(job->ranks);
    saved->side = side;
    saved->halves = halves;
    if (!job->options->resume) return QN_OK;
    qn_status status = read_journals(saved);
    if (status == QN_OK) status = qn_saved_sums_add(saved, NO_HALF, NULL); /* to find damaged files now */
    if (status != QN_OK) qn_saved_sums_close(out);
    return status;
}

void qn_saved_sums_close(qn_saved_sums **pointer)
{
    qn_saved_sums *saved = *pointer;
    if (!saved) return;
    clear_files(&saved->files, &saved->file_count);
    clear_files(&saved->adopted, &saved->adopted_count);
    qn_release(pointer);
}

/* ---- writing ---- */

typedef qn_status (*chunk_function)(size_t first, size_t count, int half, qn_sum which, float *chunk, void *user);

/* Call `function` for all floats of the sums in the order of the file, a chunk at a time. */
static qn_status go_through(const qn_saved_sums *saved, chunk_function function, void *user)
{
    void *memory;
    const size_t voxels = qn_fourier_sums_voxels(saved->side);
    QN_TRY(qn_allocate(CHUNK, sizeof(float), &memory));
    qn_status status = QN_OK;
    for (int half = 0; half < saved->halves; half++)
        for (int which = 0; which < 2; which++) {
            const size_t floats = which == QN_SUM_NUMERATOR ? 2 * voxels : voxels;
            for (size_t first = 0; first < floats && status == QN_OK; first += CHUNK)
                status =
                    function(first, floats - first < CHUNK ? floats - first : CHUNK, half, (qn_sum)which, memory, user);
        }
    qn_release(&memory);
    return status;
}

typedef struct sums_writing {
    FILE *file;
    const char *path;
    qn_accumulator *accumulator;
    uLong checksum;
} sums_writing;

static qn_status write_chunk(size_t first, size_t count, int half, qn_sum which, float *chunk, void *user)
{
    sums_writing *writing = user;
    QN_TRY(qn_accumulator_read(writing->accumulator, half, which, first, count, chunk));
    writing->checksum = crc32_z(writing->checksum, (const Bytef *)chunk, count * sizeof(float));
    if (fwrite(chunk, sizeof(float), count, writing->file) != count)
        return QN_FAIL(QN_IO_ERROR, "%s: cannot write: %s", writing->path, strerror(errno));
    return QN_OK;
}

static qn_status write_file(const qn_saved_sums *saved, qn_accumulator *accumulator, const char *path,
                            uint32_t *checksum)
{
    sums_writing writing = {.path = path, .accumulator = accumulator, .checksum = crc32_z(0, NULL, 0)};
    writing.file = fopen(path, "wb");
    if (!writing.file) return QN_FAIL(QN_IO_ERROR, "%s: cannot write: %s", path, strerror(errno));
    qn_status status = go_through(saved, write_chunk, &writing);
    if (status == QN_OK && (fflush(writing.file) != 0 || fsync(fileno(writing.file)) != 0))
        status = qn_error_set(QN_IO_ERROR, __FILE__, __LINE__, "%s: cannot write: %s", path, strerror(errno));
    fclose(writing.file);
    if (status != QN_OK) unlink(path);
    *checksum = (uint32_t)writing.checksum;
    return status;
}

/* Find the entry of a writer, or make one. */
static qn_status find_entry(qn_saved_sums *saved, int writer, saved_file **file)
{
    for (size_t i = 0; i < saved->file_count; i++)
        if (saved->files[i].writer == writer) {
            *file = &saved->files[i];
            return QN_OK;
        }
    void *memory = saved->files;
    QN_TRY(qn_grow(&memory, &saved->file_capacity, saved->file_count + 1, sizeof(saved_file)));
    saved->files = memory;
    *file = &saved->files[saved->file_count++];
    **file = (saved_file){.rank = saved->rank, .number = UINT32_MAX, .writer = writer};
    return QN_OK;
}

qn_status qn_saved_sums_write(qn_saved_sums *saved, int writer, qn_accumulator *accumulator, const uint64_t *batches,
                              size_t count)
{
    char *path = NULL, *former = NULL;
    saved_file *file = NULL;
    uint32_t checksum = 0;
    void *copy;
    QN_TRY(qn_allocate(count, sizeof *batches, &copy));
    if (count > 0) memcpy(copy, batches, count * sizeof *batches);
    qn_status status = file_path(saved, saved->rank, saved->next_number, &path);
    if (status == QN_OK) status = write_file(saved, accumulator, path, &checksum);
    if (status == QN_OK) status = find_entry(saved, writer, &file);
    if (status == QN_OK && file->number != UINT32_MAX) status = file_path(saved, saved->rank, file->number, &former);
    if (status == QN_OK) {
        qn_release(&file->batches);
        file->batches = copy;
        copy = NULL;
        file->batch_count = count;
        file->number = saved->next_number++;
        file->checksum = checksum;
        status = append_record(saved);
    }
    if (status == QN_OK && former) unlink(former);
    if (status != QN_OK && path) unlink(path); /* no record names this file */
    qn_release(&copy);
    qn_release(&former);
    qn_release(&path);
    return status;
}

/* ---- reading ---- */

typedef struct sums_reading {
    FILE *file;
    const char *path;
    int half;
    qn_fourier_sums *sums;
    uLong checksum;
} sums_reading;

static qn_status add_chunk(size_t first, size_t count, int half, qn_sum which, float *chunk, void *user)
{
    sums_reading *reading = user;
    if (fread(chunk, sizeof(float), count, reading->file) != count)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: is cut short; expected all sums of the run; begin the run again without --resume",
                       reading->path);
    reading->checksum = crc32_z(reading->checksum, (const Bytef *)chunk, count * sizeof(float));
    if (half != reading->half) return QN_OK;
    float *sums = (which == QN_SUM_NUMERATOR ? reading->sums->numerator : reading->sums->weight) + first;
    for (size_t i = 0; i < count; i++) sums[i] += chunk[i];
    return QN_OK;
}

static qn_status add_file(const qn_saved_sums *saved, const saved_file *file, int half, qn_fourier_sums *sums)
{
    char *path = NULL;
    QN_TRY(file_path(saved, file->rank, file->number, &path));
    sums_reading reading = {.path = path, .half = half, .sums = sums, .checksum = crc32_z(0, NULL, 0)};
    reading.file = fopen(path, "rb");
    qn_status status = QN_OK;
    if (!reading.file)
        status = qn_error_set(QN_NOT_FOUND, __FILE__, __LINE__,
                              "%s: cannot open: %s; begin the run again without --resume", path, strerror(errno));
    if (status == QN_OK) status = go_through(saved, add_chunk, &reading);
    if (status == QN_OK && (uint32_t)reading.checksum != file->checksum)
        status = qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__,
                              "%s: the checksum of its sums is wrong; begin the run again without --resume", path);
    if (reading.file) fclose(reading.file);
    qn_release(&path);
    return status;
}

qn_status qn_saved_sums_add(const qn_saved_sums *saved, int half, qn_fourier_sums *sums)
{
    for (size_t i = 0; i < saved->file_count; i++)
        if (saved->files[i].writer < 0) QN_TRY(add_file(saved, &saved->files[i], half, sums));
    for (size_t i = 0; i < saved->adopted_count; i++) QN_TRY(add_file(saved, &saved->adopted[i], half, sums));
    return QN_OK;
}

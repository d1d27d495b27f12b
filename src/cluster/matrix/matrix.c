#include "cluster/matrix/matrix.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "cluster/matrix/tiles.h"

/* Rough and low estimates of the rates of pairs of atoms. They only decide whether a run counts as long. */
static const double cpu_core_rate = 2e9, gpu_rate = 2e12;

enum { SESSIONS = 3 }; /* of a device: it works on one tile while others are read back and stored */

/* State that the threads of all devices share. */
typedef struct measuring {
    const qn_matrix_request *request;
    qn_tile_plan plan;
    qn_tile_store *store;
    pthread_mutex_t mutex; /* of the next two */
    uint64_t pairs_done, pairs_known;
    double started_s;
} measuring;

/* A session of a device, and the tile that it works on. */
typedef struct measuring_slot {
    void *session;
    qn_queue *queue;
    float *values;
    qn_measure_tile tile;
    uint64_t number;
    bool busy;
} measuring_slot;

/* ---- key ---- */

static size_t reference_count(const qn_matrix_request *request)
{
    return request->structures->count - request->first_count;
}

static qn_tile_plan plan_of(const qn_matrix_request *request)
{
    return qn_tile_plan_make(request->first_count, reference_count(request), request->measure->tile_side);
}

qn_status qn_matrix_key(const qn_matrix_request *request)
{
    const qn_measure *measure = request->measure;
    if (reference_count(request) == 0 && request->first_count < 2)
        return QN_FAIL(QN_INVALID_ARGUMENT, "only 1 structure is given, and no reference; expected two or more");
    if (measure->check) QN_TRY(measure->check(request->structures, request->settings));
    if (request->structures->sequences)
        QN_TRY(qn_job_key(request->job, "align=%s\n", request->settings->align_to_column ? "reference" : "shorter"));
    if (measure->has_contacts)
        QN_TRY(qn_job_key(request->job, "contact=%.9g,%d,%d\n", request->settings->contact_cutoff_angstrom,
                          request->settings->contact_separation, (int)request->settings->contact_share));
    if (request->settings->drmsd_products) QN_TRY(qn_job_key(request->job, "drmsd form=products\n"));
    return qn_job_key(request->job, "measure=%s\nmatrix=%s\ndistances=%d\ntile=%zu\n", measure->name,
                      request->sixteen_bits ? "uint16" : "float32", request->as_distances, measure->tile_side);
}

qn_status qn_matrix_devices(qn_job *job, const qn_measure *measure)
{
    if (!measure->on_host) return qn_job_devices(job);
    job->device_count = 1;
    return qn_device_open(job->context, "host", &job->devices[0]);
}

double qn_matrix_expected_seconds(const qn_matrix_request *request)
{
    const double atoms = (double)request->structures->atom_count;
    double rate = 0;
    for (int i = 0; i < request->job->device_count; i++) {
        const qn_device_info *info = qn_device_get_info(request->job->devices[i]);
        rate += info->kind == QN_DEVICE_CPU ? cpu_core_rate * info->compute_units : gpu_rate;
    }
    const double cost = request->measure->cost > 0 ? request->measure->cost : 1;
    return rate > 0 ? cost * (double)plan_of(request).value_count * atoms * atoms / 2 / rate : 0;
}

/* ---- tiles that earlier runs finished ---- */

/* The latest record of each tile. */
typedef struct known_tiles {
    const qn_tile_plan *plan;
    uint32_t *checksums;
    unsigned char *recorded;
} known_tiles;

static qn_status take_record(uint64_t piece, const void *data, size_t size, void *user)
{
    known_tiles *known = user;
    if (piece >= known->plan->tile_count || size != sizeof *known->checksums)
        return QN_FAIL(QN_BAD_FORMAT, "a record is of tile %llu and has %zu bytes; expected a tile below %llu",
                       (unsigned long long)piece, size, (unsigned long long)known->plan->tile_count);
    memcpy(&known->checksums[piece], data, size);
    known->recorded[piece] = 1;
    return QN_OK;
}

/* Keep those of the recorded tiles whose values are in the file. */
static qn_status check_tiles(measuring *self, known_tiles *known)
{
    uint64_t lost = 0;
    for (uint64_t i = 0; i < self->plan.tile_count; i++) {
        uint32_t checksum;
        if (!known->recorded[i]) continue;
        QN_TRY(qn_tile_store_check(self->store, i, self->request->job->pool, &checksum));
        known->recorded[i] = checksum == known->checksums[i];
        lost += !known->recorded[i];
    }
    if (lost == 0) return QN_OK;
    return qn_job_warn(self->request->job, "%s whose values are damaged in the file; computed again",
                       qn_count_of(lost, "recorded tile").text);
}

static qn_status read_records(measuring *self, known_tiles *known)
{
    qn_job *job = self->request->job;
    void *memory;
    QN_TRY(qn_allocate((size_t)self->plan.tile_count, sizeof *known->checksums, &memory));
    known->checksums = memory;
    QN_TRY(qn_job_scan(job, take_record, known));
    return check_tiles(self, known);
}

/* The first rank reads all records, and tells the others. */
static qn_status find_known(measuring *self)
{
    qn_job *job = self->request->job;
    known_tiles known = {.plan = &self->plan};
    void *memory;
    QN_TRY(qn_allocate((size_t)self->plan.tile_count, 1, &memory));
    known.recorded = memory;
    /* A run that ended after it gave its file the final name left records without values. */
    const bool reads = qn_job_is_first(job) && !qn_tile_store_is_new(self->store);
    qn_status status = qn_job_agree(job, reads ? read_records(self, &known) : QN_OK);
    if (status == QN_OK)
        status = qn_job_agree(job, qn_ranks_broadcast(job->ranks, known.recorded, (size_t)self->plan.tile_count));
    for (uint64_t i = 0; i < self->plan.tile_count && status == QN_OK; i++) {
        if (!known.recorded[i]) continue;
        status = qn_piece_set_add(&job->done, i);
        self->pairs_known += qn_tile_plan_pairs(&self->plan, i);
    }
    qn_release(&known.checksums);
    qn_release(&known.recorded);
    return status;
}

/* ---- one device ---- */

static qn_status tell(measuring *self, uint64_t pairs)
{
    qn_job *job = self->request->job;
    pthread_mutex_lock(&self->mutex);
    self->pairs_done += pairs;
    const qn_progress progress = {.stage = "measuring",
                                  .unit = "pairs",
                                  .done = (size_t)(self->pairs_done + self->pairs_known),
                                  .total = (size_t)self->plan.value_count,
                                  .seconds = qn_clock_s() - self->started_s};
    const bool stopped = qn_job_is_stopped(job, &progress);
    pthread_mutex_unlock(&self->mutex);
    if (!stopped) return QN_OK;
    return QN_FAIL(QN_CANCELLED, "stopped after about %zu of %zu pairs%s", progress.done, progress.total,
                   job->in_memory ? "" : "; continue with --resume");
}

static qn_status begin_slot(const measuring *self, qn_device *device, measuring_slot *slot)
{
    const qn_matrix_request *request = self->request;
    void *memory;
    QN_TRY(qn_queue_create(device, &slot->queue));
    QN_TRY(qn_allocate(self->plan.side * self->plan.side, sizeof(float), &memory));
    slot->values = memory;
    const qn_measure_setup setup = {.structures = request->structures,
                                    .settings = request->settings,
                                    .queue = slot->queue,
                                    .pool = request->job->pool,
                                    .tile_side = self->plan.side};
    return request->measure->begin(&setup, &slot->session);
}

/* The queue may still read memory of the session: constants if the session got no tile, and tiles of a stopped run. */
static void end_slot(const measuring *self, measuring_slot *slot)
{
    qn_queue_settle(slot->queue);
    if (slot->session) self->request->measure->end(&slot->session);
    qn_queue_destroy(&slot->queue);
    qn_release(&slot->values);
}

static qn_status start_tile(const measuring *self, measuring_slot *slot, uint64_t number)
{
    const qn_measure *measure = self->request->measure;
    slot->number = number;
    slot->busy = true;
    slot->tile.values = slot->values;
    qn_tile_plan_ranges(&self->plan, number, &slot->tile.rows, &slot->tile.columns);
    return measure->start ? measure->start(slot->session, &slot->tile) : QN_OK;
}

static qn_status finish_tile(measuring *self, measuring_slot *slot)
{
    qn_job *job = self->request->job;
    uint32_t checksum;
    if (!slot->busy) return QN_OK;
    slot->busy = false;
    QN_TRY(self->request->measure->values(slot->session, &slot->tile));
    QN_TRY(qn_tile_store_put(self->store, slot->number, slot->values, job->pool, &checksum));
    if (!job->in_memory) QN_TRY(qn_job_record(job, slot->number, &checksum, sizeof checksum));
    return tell(self, qn_tile_plan_pairs(&self->plan, slot->number));
}

/* Take the next tile that is not known. */
static qn_status next_tile(const measuring *self, uint64_t *number, bool *none)
{
    qn_job *job = self->request->job;
    QN_TRY(qn_agreement_poll(&job->agreement));
    do QN_TRY(qn_agreement_deal(&job->agreement, 1, number, none));
    while (!*none && *number < self->plan.tile_count && qn_piece_set_has(&job->done, *number));
    *none |= *number >= self->plan.tile_count;
    return QN_OK;
}

static qn_status work(measuring *self, qn_device *device, measuring_slot slots[SESSIONS])
{
    const int sessions = self->request->measure->start ? SESSIONS : 1;
    for (int i = 0; i < sessions; i++) QN_TRY(begin_slot(self, device, &slots[i]));
    for (int turn = 0;; turn = (turn + 1) % sessions) {
        uint64_t number;
        bool none;
        QN_TRY(finish_tile(self, &slots[turn]));
        QN_TRY(next_tile(self, &number, &none));
        if (none) break;
        QN_TRY(start_tile(self, &slots[turn], number));
    }
    for (int i = 0; i < sessions; i++) QN_TRY(finish_tile(self, &slots[i]));
    return QN_OK;
}

static qn_status work_on_device(int device, void *user)
{
    measuring *self = user;
    qn_job *job = self->request->job;
    measuring_slot slots[SESSIONS] = {0};
    qn_status status = work(self, job->devices[device], slots);
    for (int i = 0; i < SESSIONS; i++) end_slot(self, &slots[i]);
    if (status != QN_OK) status = qn_agreement_cancel(&job->agreement, status);
    return status;
}

/* ---- the whole matrix ---- */

static qn_status open_file(measuring *self, const qn_tile_format *format)
{
    char *path;
    QN_TRY(qn_path_join(self->request->job->journal_folder, QN_MATRIX_ASIDE "npy", &path));
    const qn_status status = qn_tile_store_open(&self->plan, format, path, &self->store);
    qn_release(&path);
    return status;
}

static qn_status check_memory(const measuring *self, const qn_tile_format *format)
{
    const uint64_t most = self->request->job->options->memory_bytes;
    const uint64_t bytes = self->plan.value_count * (format->sixteen_bits ? sizeof(uint16_t) : sizeof(float));
    if (most == 0 || bytes <= most) return QN_OK;
    return QN_FAIL(QN_OUT_OF_MEMORY,
                   "%llu values take %.1f MiB, more than --memory, %.1f MiB; expected an output, fewer structures%s",
                   (unsigned long long)self->plan.value_count, (double)bytes / 0x1p20, (double)most / 0x1p20,
                   format->sixteen_bits ? "" : ", or --matrix uint16");
}

/* The first rank makes the file, and the others open it afterwards. */
static qn_status open_store(measuring *self)
{
    const qn_matrix_request *request = self->request;
    qn_job *job = request->job;
    const qn_tile_format format = {.sixteen_bits = request->sixteen_bits,
                                   .step = request->measure->step,
                                   .inverted = request->as_distances && request->measure->is_similarity};
    if (job->in_memory) {
        QN_TRY(check_memory(self, &format));
        return qn_tile_store_create(&self->plan, &format, &self->store);
    }
    QN_TRY(qn_job_agree(job, qn_job_is_first(job) ? open_file(self, &format) : QN_OK));
    return qn_job_agree(job, qn_job_is_first(job) ? QN_OK : open_file(self, &format));
}

/* Compare what the ranks recorded with what the file holds: file systems that several machines share may lose writes of
 * one machine beside those of another. */
static qn_status check_ranks(measuring *self)
{
    qn_job *job = self->request->job;
    known_tiles known = {.plan = &self->plan};
    void *memory;
    if (qn_ranks_count(job->ranks) == 1) return QN_OK;
    QN_TRY(qn_allocate((size_t)self->plan.tile_count, 1, &memory));
    known.recorded = memory;
    qn_status status = read_records(self, &known);
    for (uint64_t i = 0; i < self->plan.tile_count && status == QN_OK; i++)
        if (!known.recorded[i])
            status = QN_FAIL(QN_IO_ERROR,
                             "%s: the file system lost values that one of the processes wrote; expected one that keeps "
                             "writes of several machines to one file: --resume computes them again",
                             job->journal_folder);
    qn_release(&known.checksums);
    qn_release(&known.recorded);
    return status;
}

static qn_status view(measuring *self, qn_matrix *matrix)
{
    const void *values;
    if (!qn_job_is_first(self->request->job)) return QN_OK;
    QN_TRY(check_ranks(self));
    QN_TRY(qn_tile_store_view(self->store, &values));
    if (self->request->sixteen_bits)
        matrix->steps = values;
    else
        matrix->values = values;
    return QN_OK;
}

static qn_status compute(measuring *self, qn_matrix *matrix)
{
    qn_job *job = self->request->job;
    QN_TRY(open_store(self));
    matrix->store = self->store;
    if (!job->in_memory) QN_TRY(find_known(self));
    if (self->pairs_known > 0)
        qn_log(QN_LOG_NOTE, "resuming: %llu of %llu pairs are measured", (unsigned long long)self->pairs_known,
               (unsigned long long)self->plan.value_count);
    self->started_s = qn_clock_s();
    const qn_status status = qn_job_each_device(job, work_on_device, self);
    qn_job_records_end(job);
    QN_TRY(qn_job_agree(job, status));
    matrix->seconds = qn_clock_s() - self->started_s;
    matrix->resumed_pairs = self->pairs_known;
    return qn_job_agree(job, view(self, matrix));
}

static qn_status count_record(uint64_t piece, const void *data, size_t size, void *user)
{
    uint64_t *count = user;
    (void)piece, (void)data, (void)size;
    ++*count;
    return QN_OK;
}

/* Remove the file after a failure, unless a later run can resume from it. */
static void tidy_up(measuring *self)
{
    qn_job *job = self->request->job;
    uint64_t records = 0;
    if (job->in_memory || !self->store || !qn_job_is_first(job)) return;
    if (qn_job_scan(job, count_record, &records) == QN_OK && records == 0) qn_tile_store_discard(self->store);
}

qn_status qn_matrix_compute(const qn_matrix_request *request, qn_matrix **out)
{
    measuring self = {.request = request, .plan = plan_of(request)};
    void *memory;
    *out = NULL;
    QN_TRY(qn_job_agree(request->job, qn_allocate(1, sizeof **out, &memory)));
    qn_matrix *matrix = memory;
    *matrix = (qn_matrix){.count = request->first_count,
                          .reference_count = reference_count(request),
                          .value_count = self.plan.value_count,
                          .step = request->measure->step,
                          .self = request->measure->is_similarity && !request->as_distances ? 1 : 0};
    pthread_mutex_init(&self.mutex, NULL);
    const qn_status status = compute(&self, matrix);
    pthread_mutex_destroy(&self.mutex);
    matrix->store = self.store;
    if (status == QN_OK) {
        *out = matrix;
        return QN_OK;
    }
    qn_error_trail trail;
    qn_error_save(status, &trail);
    tidy_up(&self);
    qn_matrix_destroy(&matrix);
    return qn_error_restore(&trail);
}

void qn_matrix_destroy(qn_matrix **pointer)
{
    qn_matrix *matrix = *pointer;
    if (!matrix) return;
    qn_tile_store_destroy(&matrix->store);
    qn_release(pointer);
}

qn_distance_matrix qn_matrix_distances(const qn_matrix *matrix)
{
    return (qn_distance_matrix){
        .count = matrix->count, .values = matrix->values, .steps = matrix->steps, .step = matrix->step};
}

qn_status qn_matrix_write(const qn_matrix *matrix, qn_job *job, const char *name)
{
    char *path;
    QN_TRY(qn_job_path(job, name, &path));
    const qn_status status = qn_tile_store_finish(matrix->store, path);
    qn_release(&path);
    return status;
}

#include "cluster/matrix/model_frames.h"

#include "base/error.h"
#include "base/memory.h"

/* A batch ends with either number; it has at least FEW frames for each thread. */
enum { BATCH = 1024, BATCH_BYTES = 1 << 26, FEW = 2, TASK = 16 /* frames of a task */ };

static const double angstrom_per_nm = 10;

typedef struct reading {
    const qn_model_frames *frames;
    qn_model_set *set;
    qn_source_item *items; /* [BATCH] */
    size_t item_count;
    bool end;
    size_t workers;
    qn_trajectory_frame *decoded; /* of each worker; it gets its positions at first use */
} reading;

/* ---- room ---- */

static qn_status grow(qn_model_set *set, size_t count)
{
    void *memory = set->positions_angstrom;
    qn_status status = qn_grow(&memory, &set->position_capacity, 3 * set->atom_count * count, sizeof(float));
    set->positions_angstrom = memory;
    QN_TRY(status);
    memory = set->origins;
    status = qn_grow(&memory, &set->origin_capacity, count, sizeof *set->origins);
    set->origins = memory;
    return status;
}

/* Make room for the batch, and for as many frames as the share that was read lets expect, so that positions are not
 * copied again and again. */
static qn_status make_room(const reading *self)
{
    qn_model_set *set = self->set;
    const size_t needed = set->count + self->item_count;
    const double share = qn_source_share(self->frames->source, NULL);
    const double expected = set->count > 0 && share > 0 ? 1.01 * (double)needed / share : 0;
    if (3 * set->atom_count * needed <= set->position_capacity && needed <= set->origin_capacity) return QN_OK;
    if (expected > (double)needed && expected < 0x1p40) {
        if (grow(set, (size_t)expected) == QN_OK) return QN_OK;
        qn_error_clear(); /* the expectation may be wrong */
    }
    return grow(set, needed);
}

/* ---- one frame ---- */

static qn_status prepare(const reading *self, qn_trajectory_frame *frame)
{
    const size_t atoms = self->frames->topology->atom_count;
    void *memory;
    if (frame->positions_nm) return QN_OK;
    QN_TRY(qn_allocate(3 * atoms, sizeof(float), &memory));
    *frame = (qn_trajectory_frame){.atom_count = atoms, .positions_nm = memory};
    return QN_OK;
}

static void take_positions(const qn_model_set *set, const qn_trajectory_frame *frame, float *row)
{
    const size_t atoms = set->atom_count;
    for (size_t i = 0; i < atoms; i++)
        for (size_t axis = 0; axis < 3; axis++)
            row[axis * atoms + i] =
                (float)(angstrom_per_nm * (double)frame->positions_nm[3 * (size_t)set->atoms[i] + axis]);
}

static qn_status decode(const reading *self, size_t index, qn_trajectory_frame *frame)
{
    const qn_model_frames *frames = self->frames;
    const qn_source_item *item = &self->items[index];
    const qn_model_set *set = self->set;
    const size_t place = set->count + index;
    QN_TRY(qn_source_decode(item, frame));
    if (frames->whole) QN_TRY(qn_whole_apply(frames->whole, frame));
    take_positions(set, frame, set->positions_angstrom + 3 * set->atom_count * place);
    set->origins[place] = (qn_model_origin){
        .path = item->path ? item->path : frames->topology_name,
        .number = frames->are_frames ? item->number : item->number + 1,
        .time_ps = frame->time_ps,
    };
    return QN_OK;
}

static qn_status decode_some(size_t task, int worker, void *user)
{
    const reading *self = user;
    qn_trajectory_frame *frame = &self->decoded[worker];
    QN_TRY(prepare(self, frame));
    for (size_t i = task * TASK; i < (task + 1) * TASK && i < self->item_count; i++) QN_TRY(decode(self, i, frame));
    return QN_OK;
}

/* ---- batches ---- */

/* Read frames up to a failure, which is returned after those before it were decoded. The first frame is a batch of its
 * own, so that warnings about it come first. */
static qn_status read_batch(reading *self)
{
    const size_t most = self->set->count > 0 ? BATCH : 1;
    size_t bytes = 0;
    self->item_count = 0;
    QN_TRY(prepare(self, &self->decoded[0]));
    while (self->item_count < most && (bytes < BATCH_BYTES || self->item_count < FEW * self->workers)) {
        qn_source_item *item = &self->items[self->item_count];
        QN_TRY(qn_source_next(self->frames->source, item, &self->decoded[0], &self->end));
        if (self->end) return QN_OK;
        bytes += item->size;
        self->item_count++;
    }
    return QN_OK;
}

static qn_status decode_batch(reading *self)
{
    const qn_model_frames *frames = self->frames;
    size_t bond;
    QN_TRY(make_room(self));
    QN_TRY(qn_pool_run(frames->job->pool, (self->item_count + TASK - 1) / TASK, decode_some, self));
    if (frames->whole && self->set->count == 0 && self->item_count > 0 &&
        qn_whole_find_endless(frames->topology, &self->decoded[0], &bond))
        QN_TRY(qn_job_warn(frames->job, "%s", qn_whole_describe_endless(frames->topology, bond).text));
    self->set->count += self->item_count;
    return QN_OK;
}

static void let_go(reading *self)
{
    for (size_t i = 0; i < BATCH; i++) qn_source_let_go(self->frames->source, &self->items[i]);
}

static qn_status warn(const reading *self)
{
    for (const char *warning; (warning = qn_source_warning(self->frames->source));)
        QN_TRY(qn_job_warn(self->frames->job, "%s", warning));
    return QN_OK;
}

/* Progress is not known, and a user may want to stop. */
static qn_status tell(const reading *self)
{
    const qn_progress progress = {.stage = "reading", .unit = "models", .done = self->set->count, .total = SIZE_MAX};
    if (!self->frames->are_frames || !qn_job_is_stopped(self->frames->job, &progress)) return QN_OK;
    return QN_FAIL(QN_CANCELLED, "stopped while reading; nothing was written");
}

static qn_status read_batches(reading *self)
{
    while (!self->end) {
        qn_error_trail trail;
        const qn_status reading_status = read_batch(self);
        if (reading_status != QN_OK) qn_error_save(reading_status, &trail);
        const qn_status status = decode_batch(self);
        let_go(self);
        QN_TRY(status);
        if (reading_status != QN_OK) return qn_error_restore(&trail);
        QN_TRY(warn(self));
        QN_TRY(tell(self));
    }
    return QN_OK;
}

static void clear(reading *self)
{
    for (size_t i = 0; self->items && i < BATCH; i++) qn_source_item_clear(&self->items[i]);
    for (size_t w = 0; self->decoded && w < self->workers; w++) qn_release(&self->decoded[w].positions_nm);
    qn_release(&self->items);
    qn_release(&self->decoded);
}

qn_status qn_model_frames_read(const qn_model_frames *frames, qn_model_set *set)
{
    reading self = {.frames = frames, .set = set, .workers = (size_t)qn_pool_threads(frames->job->pool)};
    void *items = NULL, *decoded = NULL;
    qn_status status = qn_allocate(BATCH, sizeof *self.items, &items);
    if (status == QN_OK) status = qn_allocate(self.workers, sizeof *self.decoded, &decoded);
    self.items = items;
    self.decoded = decoded;
    if (status == QN_OK) status = read_batches(&self);
    clear(&self);
    for (size_t i = 0; i < set->count; i++) set->origins[i].alone = set->count == 1;
    return status;
}

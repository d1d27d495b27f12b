/* States of a grid on devices: batches in single precision. A state that finds no balance there is solved on the host,
 * in double precision, from the same parent.
 *
 * A device has several lanes. Each has a thread, a queue and a batch, so that the device computes one batch while
 * others are copied, measured and recorded, and launches of small batches overlap. A lane takes states whose parents
 * are solved. Beside the lanes, threads of the host find the states that the devices do not. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/thread.h"
#include "deform/batch/batch.h"
#include "deform/space_run.h"

enum {
    BATCH_GPU = 256,
    BATCH_HOST = 16,
    LANES_GPU = 4,
    LANES_HOST = 2,
    LEAST_SHARE = 32, /* states, of which kernels fill groups */
    LANES_BESIDE = 2, /* of the pool's numbers for the lanes of a device, while the host finds states */
    NEWTON_STEPS_MAX = 12
};

/* Single precision does not reach smaller residuals. */
static const double LEAST_TOLERANCE = 1e-4;

/* Share of a device's memory that the batches of all of its lanes may take. */
static const double MEMORY_SHARE = 0.75;

struct qn_space_lane {
    qn_queue *queue;
    qn_batch *batch;
    qn_batch_state *states; /* size */
    uint64_t *numbers;      /* size */
    qn_space_facts *facts;  /* size */
    int size;
};

/* ---- lanes ---- */

static qn_status open_lane(qn_deform_space_run *run, qn_device *device, int size)
{
    const qn_batch_options of_batch = {.tolerance = fmax(run->options->tolerance, LEAST_TOLERANCE),
                                       .newton_steps_max = NEWTON_STEPS_MAX,
                                       .pool = run->job->pool};
    qn_space_lane *lane = &run->lanes[run->lane_count++];
    lane->size = size;
    QN_TRY(qn_queue_create(device, &lane->queue));
    QN_TRY(qn_batch_create(lane->queue, run->setup.problem, lane->size, &of_batch, &lane->batch));
    QN_TRY(qn_allocate((size_t)lane->size, sizeof *lane->states, (void **)&lane->states));
    QN_TRY(qn_allocate((size_t)lane->size, sizeof *lane->numbers, (void **)&lane->numbers));
    return qn_allocate((size_t)lane->size, sizeof *lane->facts, (void **)&lane->facts);
}

static void close_last_lane(qn_deform_space_run *run)
{
    qn_space_lane *lane = &run->lanes[--run->lane_count];
    qn_batch_destroy(&lane->batch);
    qn_queue_destroy(&lane->queue);
    qn_release(&lane->states);
    qn_release(&lane->numbers);
    qn_release(&lane->facts);
}

/* Open a lane. Without --batch, its batch is halved until the device has memory, and large enough buffers, for it. */
static qn_status open_first_lane(qn_deform_space_run *run, qn_device *device)
{
    const bool is_gpu = qn_device_get_info(device)->kind == QN_DEVICE_GPU;
    const int asked = run->options->run.batch;
    int wanted = asked > 0 ? asked : is_gpu ? BATCH_GPU : BATCH_HOST;
    if (wanted > (int)run->state_count) wanted = (int)run->state_count;
    int size = wanted;
    qn_status status = open_lane(run, device, size);
    while (status == QN_OUT_OF_MEMORY && asked == 0 && size > 1) {
        qn_error_clear();
        close_last_lane(run);
        size /= 2;
        status = open_lane(run, device, size);
    }
    if (status == QN_OK && size < wanted)
        qn_log(QN_LOG_NOTE, "%s has no memory for %d states at once, so it works on %d",
               qn_device_get_info(device)->identifier, wanted, size);
    return status;
}

/* Open more lanes where the device has memory for them. */
static qn_status open_lanes(qn_deform_space_run *run, qn_device *device)
{
    const qn_device_info *about = qn_device_get_info(device);
    const int most = about->kind == QN_DEVICE_GPU ? LANES_GPU : LANES_HOST;
    const qn_space_lane *first = &run->lanes[run->lane_count];
    QN_TRY(open_first_lane(run, device));
    const double allowed = MEMORY_SHARE * (double)about->memory_bytes, each = qn_batch_bytes(first->batch);
    for (int count = 1; count < most && (count + 1) * each <= allowed; count++) {
        const qn_status status = open_lane(run, device, first->size);
        if (status != QN_OUT_OF_MEMORY) QN_TRY(status);
        if (status == QN_OK) continue;
        qn_error_clear();
        close_last_lane(run);
        break;
    }
    return QN_OK;
}

qn_status qn_space_devices_open(qn_deform_space_run *run)
{
    qn_job *job = run->job;
    if (strcmp(run->options->run.device, "host") == 0) return QN_OK;
    QN_TRY(qn_job_devices(job));
    QN_TRY(qn_job_key_devices(job));
    QN_TRY(qn_allocate(QN_JOB_LANES_MAX, sizeof *run->lanes, (void **)&run->lanes));
    for (int i = 0; i < job->device_count; i++) QN_TRY(open_lanes(run, job->devices[i]));
    return QN_OK;
}

void qn_space_devices_close(qn_deform_space_run *run)
{
    while (run->lane_count > 0) close_last_lane(run);
    qn_release(&run->lanes);
}

/* ---- the states that may begin ---- */

/* States of which the device found no balance, and those behind a state without a balance, are found on the host. The
 * latter nearly never have a balance either, and no balance takes longest to see. So those behind a state that the host
 * still works on are found at the same time, as if it had none; they are found anew if it has one. */
typedef enum host_stage {
    NOT_ON_HOST,
    WAITING, /* in a list */
    AT_WORK,
    HELD, /* found, but its parent is not settled */
    SETTLED
} host_stage;

/* A list of numbers, first in, first out. Each state is in it once at most. */
typedef struct number_list {
    uint64_t *numbers; /* run->state_count */
    size_t first, count;
} number_list;

/* State that all threads share. `mutex` guards all members but run and wanted, and the states that are settled. */
typedef struct device_work {
    qn_deform_space_run *run;
    const qn_space_wanted *wanted;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    number_list ready;         /* for devices */
    number_list sure, guessed; /* for the host; guessed: the parent is not settled */
    number_list found;         /* by the host, settled, and not recorded yet */
    unsigned char *stages;     /* [state]: host_stage */
    uint64_t *starts;          /* [state]: the ancestor from which the host found it */
    size_t done;
    int busy;    /* lanes with a batch */
    int solving; /* threads of the host with a state */
    bool failed; /* a thread failed, and the others end */
} device_work;

static void append(const device_work *work, number_list *list, uint64_t number)
{
    list->numbers[(list->first + list->count++) % work->run->state_count] = number;
}

static uint64_t take_first(const device_work *work, number_list *list)
{
    const uint64_t number = list->numbers[list->first];
    list->first = (list->first + 1) % work->run->state_count;
    list->count--;
    return number;
}

static uint64_t parent_of(const qn_deform_space_run *run, uint64_t number)
{
    int32_t index[3], parent[3];
    qn_grid_index(&run->grid, number, index);
    qn_grid_parent(index, parent);
    return qn_grid_number(&run->grid, parent);
}

static bool has_balance(const device_work *work, uint64_t number)
{
    return !(work->run->states[number].flags & QN_GRID_UNSOLVED);
}

/* The nearest ancestor that is settled and has a balance: that of the state itself if its parent is settled. */
static uint64_t settled_ancestor(const device_work *work, uint64_t number)
{
    do number = parent_of(work->run, number);
    while (work->stages[number] != SETTLED || !has_balance(work, number));
    return number;
}

/* Numbers of the states that a state is the parent of; returns how many. */
static int children_of(const device_work *work, uint64_t number, uint64_t children[6])
{
    const qn_deform_space_run *run = work->run;
    int32_t index[3], parent[3];
    int count = 0;
    qn_grid_index(&run->grid, number, index);
    for (int side = 0; side < 6 && work->wanted->follows; side++) {
        int32_t child[3] = {index[0], index[1], index[2]};
        child[side / 2] += side % 2 ? 1 : -1;
        if (!qn_grid_has(&run->grid, child) || !qn_grid_parent(child, parent)) continue;
        if (memcmp(parent, index, sizeof parent) == 0) children[count++] = qn_grid_number(&run->grid, child);
    }
    return count;
}

/* Give a state whose parent is settled to the devices or to the host. */
static void let_begin(device_work *work, uint64_t number)
{
    const bool on_host = !has_balance(work, parent_of(work->run, number));
    work->stages[number] = on_host ? WAITING : NOT_ON_HOST;
    append(work, on_host ? &work->sure : &work->ready, number);
}

static void settle(device_work *work, uint64_t number);

/* Take a state that the host found, and whose parent is settled now, if it was found from the right ancestor. */
static void take_or_repeat(device_work *work, uint64_t number)
{
    if (work->starts[number] != settled_ancestor(work, number)) {
        let_begin(work, number);
        return;
    }
    append(work, &work->found, number);
    settle(work, number);
}

/* A state is found for good: its children may begin. */
static void settle(device_work *work, uint64_t number)
{
    uint64_t children[6];
    const int count = children_of(work, number, children);
    work->stages[number] = SETTLED;
    for (int i = 0; i < count; i++) {
        const unsigned char stage = work->stages[children[i]];
        if (stage == NOT_ON_HOST) let_begin(work, children[i]);
        if (stage == HELD) take_or_repeat(work, children[i]);
    }
}

/* Wait for a change; the thread that tells of the progress does so meanwhile. */
static qn_status wait_and_tell(device_work *work, bool tells)
{
    const size_t done = work->done;
    pthread_cond_wait(&work->changed, &work->mutex);
    if (!tells || work->done == done || work->failed) return QN_OK;
    const size_t now = work->done;
    pthread_mutex_unlock(&work->mutex);
    const qn_status status = work->wanted->tell(work->wanted->user, now);
    pthread_mutex_lock(&work->mutex);
    return status;
}

/* Whether states may come that are not in a list yet. */
static bool may_come(const device_work *work)
{
    return work->busy > 0 || work->solving > 0 || work->sure.count > 0 || work->guessed.count > 0;
}

/* Take states for a lane, waiting for some; *count 0: none will come. Lanes without work share what is ready evenly. */
static qn_status take_states(device_work *work, qn_space_lane *lane, bool tells, int *count)
{
    size_t taken = 0;
    qn_status status = QN_OK;
    pthread_mutex_lock(&work->mutex);
    while (work->ready.count == 0 && may_come(work) && !work->failed && status == QN_OK)
        status = wait_and_tell(work, tells);
    if (!work->failed && status == QN_OK) {
        const size_t ready = work->ready.count, idle = (size_t)(work->run->lane_count - work->busy);
        const size_t even = (ready + idle - 1) / idle, share = even < LEAST_SHARE ? LEAST_SHARE : even;
        taken = share < ready ? share : ready;
        if (taken > (size_t)lane->size) taken = (size_t)lane->size;
    }
    for (size_t i = 0; i < taken; i++) lane->numbers[i] = take_first(work, &work->ready);
    work->busy += taken > 0;
    pthread_mutex_unlock(&work->mutex);
    *count = (int)taken;
    return status;
}

/* A lane has recorded what it found of its batch, or failed. Returns how many states all threads have done. */
static size_t leave(device_work *work, size_t found, qn_status status)
{
    pthread_mutex_lock(&work->mutex);
    work->busy--;
    work->done += found;
    work->failed |= status != QN_OK;
    const size_t done = work->done;
    pthread_cond_broadcast(&work->changed);
    pthread_mutex_unlock(&work->mutex);
    return done;
}

static void fail(device_work *work)
{
    pthread_mutex_lock(&work->mutex);
    work->failed = true;
    pthread_cond_broadcast(&work->changed);
    pthread_mutex_unlock(&work->mutex);
}

/* ---- a batch ---- */

typedef struct lane_work {
    device_work *all;
    qn_space_lane *lane;
} lane_work;

/* Keep a found state. The device does not tell the least stretch. */
static qn_status keep(size_t index, int worker, void *user)
{
    const lane_work *own = user;
    const qn_deform_space_run *run = own->all->run;
    const qn_batch_state *found = &own->lane->states[index];
    qn_grid_state *state = &run->states[own->lane->numbers[index]];
    (void)worker;
    if (!found->converged) return QN_OK;
    *state = (qn_grid_state){.energy = found->energy,
                             .residual = found->residual,
                             .least_volume = found->least_volume,
                             .least_stretch = qn_body_state_stretch(run->setup.body, found->x),
                             .newton_steps = found->newton_steps,
                             .load_steps = 1,
                             .x = found->x,
                             .change = found->change};
    qn_grid_index(&run->grid, own->lane->numbers[index], state->index);
    memcpy(state->force, found->force, sizeof state->force);
    memcpy(state->stiffness, found->stiffness, sizeof state->stiffness);
    if (qn_deform_is_compressed(&run->setup, state->least_stretch)) state->flags = QN_GRID_COMPRESSED;
    if (!run->job->in_memory) qn_space_facts_make(state, run->setup.body->freedom_count, &own->lane->facts[index]);
    return QN_OK;
}

/* Write the found states by the lane's own thread: one file takes one write at a time, and the pool, whose threads
 * would wait for each other, serves other lanes meanwhile. */
static qn_status write_found(const lane_work *own, int count)
{
    qn_deform_space_run *run = own->all->run;
    for (int k = 0; k < count && !run->job->in_memory; k++)
        if (own->lane->states[k].converged)
            QN_TRY(qn_space_state_write(run, own->lane->numbers[k], &own->lane->facts[k]));
    return QN_OK;
}

static void describe_batch(const qn_deform_space_run *run, qn_space_lane *lane, int count)
{
    for (int k = 0; k < count; k++) {
        int32_t index[3];
        qn_grid_index(&run->grid, lane->numbers[k], index);
        const qn_grid_state *parent = qn_space_ancestor(run, index), *own = &run->states[lane->numbers[k]];
        qn_batch_state *state = &lane->states[k];
        *state = (qn_batch_state){
            .parent_x = parent->x, .parent_change = parent->change, .x = own->x, .change = own->change};
        for (int axis = 0; axis < 3; axis++) {
            state->parent_place[axis] = run->grid.step * parent->index[axis];
            state->place[axis] = run->grid.step * index[axis];
        }
    }
}

/* Returns in *found how many states of the batch the device found; the host finds the others. */
static qn_status solve_batch(lane_work *own, int count, int *found)
{
    device_work *work = own->all;
    qn_space_lane *lane = own->lane;
    *found = 0;
    describe_batch(work->run, lane, count);
    QN_TRY(qn_batch_solve(lane->batch, lane->states, count));
    QN_TRY(qn_pool_run(work->run->job->pool, (size_t)count, keep, own));
    pthread_mutex_lock(&work->mutex);
    for (int k = 0; k < count; k++) {
        if (lane->states[k].converged) {
            settle(work, lane->numbers[k]);
            *found += 1;
        } else {
            work->stages[lane->numbers[k]] = WAITING;
            append(work, &work->sure, lane->numbers[k]);
        }
    }
    pthread_cond_broadcast(&work->changed);
    pthread_mutex_unlock(&work->mutex);
    QN_TRY(write_found(own, count));
    for (int k = 0; k < count && work->wanted->follows; k++)
        if (lane->states[k].converged) work->run->is_done[lane->numbers[k]] = true;
    return QN_OK;
}

static qn_status work_on_lane(int lane, void *user)
{
    device_work *work = user;
    lane_work own = {work, &work->run->lanes[lane]};
    for (;;) {
        int count, found;
        qn_status status = take_states(work, own.lane, lane == 0, &count);
        if (status == QN_OK && count == 0) return QN_OK;
        if (status == QN_OK) {
            status = solve_batch(&own, count, &found);
            const size_t done = leave(work, (size_t)found, status);
            if (status == QN_OK && lane == 0) status = work->wanted->tell(work->wanted->user, done);
        }
        if (status != QN_OK) {
            fail(work);
            return status;
        }
    }
}

/* ---- the host's states ---- */

/* A thread that finds states on the host, one at a time. */
typedef struct host_thread {
    device_work *work;
    int worker; /* of the run's workers: the thread's own */
    qn_thread thread;
    uint64_t number, start;
    bool records; /* the state is found, and to be recorded */
} host_thread;

/* Begin a state of a list, unless the devices may find it after all. */
static bool begin_state(host_thread *own, number_list *list)
{
    device_work *work = own->work;
    uint64_t children[6];
    own->number = take_first(work, list);
    const uint64_t parent = parent_of(work->run, own->number);
    if (list == &work->guessed && work->stages[parent] == SETTLED && has_balance(work, parent)) {
        let_begin(work, own->number);
        pthread_cond_broadcast(&work->changed);
        return false;
    }
    own->start = work->starts[own->number] = settled_ancestor(work, own->number);
    work->stages[own->number] = AT_WORK;
    for (int i = 0, count = children_of(work, own->number, children); i < count; i++) {
        if (work->stages[children[i]] != NOT_ON_HOST) continue;
        work->stages[children[i]] = WAITING;
        append(work, &work->guessed, children[i]);
        pthread_cond_signal(&work->changed);
    }
    return true;
}

/* Take what is to be done next, waiting for it; false: nothing will come. After a failure found states are still
 * recorded. */
static bool take_task(host_thread *own)
{
    device_work *work = own->work;
    bool taken = false;
    pthread_mutex_lock(&work->mutex);
    while (!taken && (!work->failed || work->found.count > 0)) {
        own->records = work->found.count > 0;
        if (own->records) {
            own->number = take_first(work, &work->found);
            taken = true;
        } else if (work->sure.count > 0) {
            taken = begin_state(own, &work->sure);
        } else if (work->guessed.count > 0) {
            taken = begin_state(own, &work->guessed);
        } else if (work->ready.count == 0 && !may_come(work)) {
            break;
        } else {
            pthread_cond_wait(&work->changed, &work->mutex);
        }
    }
    work->solving += taken;
    pthread_mutex_unlock(&work->mutex);
    return taken;
}

static qn_status find_state(size_t index, int worker, void *user)
{
    const host_thread *own = user;
    qn_deform_space_run *run = own->work->run;
    (void)index, (void)worker;
    return qn_space_state_find(run, own->number, &run->states[own->start], own->worker);
}

static qn_status do_task(host_thread *own)
{
    device_work *work = own->work;
    qn_deform_space_run *run = work->run;
    if (!own->records) return qn_pool_run_alone(run->job->pool, find_state, own);
    QN_TRY(qn_space_state_record(run, own->number));
    if (work->wanted->follows) run->is_done[own->number] = true;
    return QN_OK;
}

static void end_task(host_thread *own, qn_status status)
{
    device_work *work = own->work;
    pthread_mutex_lock(&work->mutex);
    work->solving--;
    work->failed |= status != QN_OK;
    work->done += own->records;
    if (!own->records && status == QN_OK) {
        work->stages[own->number] = HELD;
        if (work->stages[parent_of(work->run, own->number)] == SETTLED) take_or_repeat(work, own->number);
    }
    pthread_cond_broadcast(&work->changed);
    pthread_mutex_unlock(&work->mutex);
}

static qn_status work_on_host(void *user)
{
    host_thread *own = user;
    while (take_task(own)) {
        const qn_status status = do_task(own);
        end_task(own, status);
        QN_TRY(status);
    }
    return QN_OK;
}

/* ---- all of them ---- */

static qn_status make_list(const device_work *work, number_list *list)
{
    return qn_allocate(work->run->state_count, sizeof *list->numbers, (void **)&list->numbers);
}

static qn_status begin(device_work *work)
{
    const qn_deform_space_run *run = work->run;
    const qn_space_wanted *wanted = work->wanted;
    QN_TRY(make_list(work, &work->ready));
    QN_TRY(make_list(work, &work->sure));
    QN_TRY(make_list(work, &work->guessed));
    QN_TRY(make_list(work, &work->found));
    QN_TRY(qn_allocate(run->state_count, sizeof *work->stages, (void **)&work->stages));
    QN_TRY(qn_allocate(run->state_count, sizeof *work->starts, (void **)&work->starts));
    for (size_t i = 0; i < run->state_count; i++) work->stages[i] = run->is_done[i] ? SETTLED : NOT_ON_HOST;
    for (size_t i = 0; i < wanted->count; i++) let_begin(work, wanted->numbers[i]);
    return QN_OK;
}

static void end(device_work *work)
{
    qn_release(&work->ready.numbers);
    qn_release(&work->sure.numbers);
    qn_release(&work->guessed.numbers);
    qn_release(&work->found.numbers);
    qn_release(&work->stages);
    qn_release(&work->starts);
}

/* Work by the lanes and by threads of the host, of which the lanes' tasks find some of the pool's numbers free. */
static qn_status run_threads(device_work *work)
{
    qn_deform_space_run *run = work->run;
    const int left = run->workers.count - LANES_BESIDE * run->job->device_count, count = left > 1 ? left : 1;
    host_thread *threads;
    QN_TRY(qn_allocate((size_t)count, sizeof *threads, (void **)&threads));
    qn_status status = QN_OK;
    for (int i = 0; i < count && status == QN_OK; i++) {
        threads[i].work = work;
        threads[i].worker = i;
        status = qn_thread_start(&threads[i].thread, work_on_host, &threads[i]);
    }
    if (status == QN_OK)
        status = qn_job_each_lane(run->job, run->lane_count, work_on_lane, work);
    else
        fail(work);
    qn_error_trail trail;
    qn_error_save(status, &trail);
    for (int i = 0; i < count; i++) {
        const qn_status of_host = qn_thread_join(&threads[i].thread);
        if (status != QN_OK || of_host == QN_OK) continue;
        status = of_host;
        qn_error_save(status, &trail);
    }
    qn_release(&threads);
    return qn_error_restore(&trail);
}

qn_status qn_space_devices_solve(qn_deform_space_run *run, const qn_space_wanted *wanted)
{
    device_work work = {
        .run = run, .wanted = wanted, .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    if (wanted->count == 0) return QN_OK;
    qn_status status = begin(&work);
    if (status == QN_OK) status = run_threads(&work);
    end(&work);
    return status;
}

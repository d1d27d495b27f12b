/* States of a grid on devices: batches in single precision. A state that finds no balance there is solved on the host,
 * in double precision, from the same parent.
 *
 * A device has several lanes. Each has a thread, a queue and a batch, so that the device computes one batch while
 * others are copied, measured and recorded, and launches of small batches overlap. A lane takes states whose parents
 * are solved, and adds their children when it has found them. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "deform/batch/batch.h"
#include "deform/space_run.h"

enum {
    BATCH_GPU = 256,
    BATCH_HOST = 16,
    LANES_GPU = 4,
    LANES_HOST = 2,
    LEAST_SHARE = 32, /* states, of which kernels fill groups */
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

static bool is_host(const qn_device *device)
{
    return strcmp(qn_device_get_info(device)->driver, "host") == 0;
}

static qn_status open_lane(qn_deform_space_run *run, qn_device *device)
{
    const qn_run_options *options = &run->options->run;
    const qn_batch_options of_batch = {.tolerance = fmax(run->options->tolerance, LEAST_TOLERANCE),
                                       .newton_steps_max = NEWTON_STEPS_MAX,
                                       .pool = run->job->pool};
    qn_space_lane *lane = &run->lanes[run->lane_count++];
    lane->size = options->batch > 0 ? options->batch : is_host(device) ? BATCH_HOST : BATCH_GPU;
    if (lane->size > (int)run->state_count) lane->size = (int)run->state_count;
    QN_TRY(qn_queue_create(device, &lane->queue));
    QN_TRY(qn_batch_create(lane->queue, run->setup.problem, lane->size, &of_batch, &lane->batch));
    QN_TRY(qn_allocate((size_t)lane->size, sizeof *lane->states, (void **)&lane->states));
    QN_TRY(qn_allocate((size_t)lane->size, sizeof *lane->numbers, (void **)&lane->numbers));
    return qn_allocate((size_t)lane->size, sizeof *lane->facts, (void **)&lane->facts);
}

static qn_status open_lanes(qn_deform_space_run *run, qn_device *device)
{
    const qn_device_info *about = qn_device_get_info(device);
    const int most = about->kind == QN_DEVICE_GPU ? LANES_GPU : LANES_HOST;
    const qn_space_lane *first = &run->lanes[run->lane_count];
    QN_TRY(open_lane(run, device));
    const double allowed = MEMORY_SHARE * (double)about->memory_bytes, each = qn_batch_bytes(first->batch);
    for (int count = 1; count < most && (count + 1) * each <= allowed; count++) QN_TRY(open_lane(run, device));
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
    for (int i = 0; i < run->lane_count; i++) {
        qn_batch_destroy(&run->lanes[i].batch);
        qn_queue_destroy(&run->lanes[i].queue);
        qn_release(&run->lanes[i].states);
        qn_release(&run->lanes[i].numbers);
        qn_release(&run->lanes[i].facts);
    }
    qn_release(&run->lanes);
    run->lane_count = 0;
}

/* ---- the list of states that may begin ---- */

/* State that all lanes share. `mutex` guards all members but run and wanted. */
typedef struct device_work {
    qn_deform_space_run *run;
    const qn_space_wanted *wanted;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint64_t *ready; /* numbers first … end − 1 may begin */
    size_t first, end, done;
    int busy;         /* lanes with a batch */
    bool *has_solver; /* of each of the run's workers: it is taken */
    bool failed;      /* a lane failed, and the others end */
} device_work;

/* A state is solved: its children may begin. The caller holds the mutex. */
static void add_children(device_work *work, uint64_t number)
{
    const qn_deform_space_run *run = work->run;
    int32_t index[3], parent[3];
    qn_grid_index(&run->grid, number, index);
    for (int side = 0; side < 6 && work->wanted->follows; side++) {
        int32_t child[3] = {index[0], index[1], index[2]};
        child[side / 2] += side % 2 ? 1 : -1;
        if (!qn_grid_has(&run->grid, child) || !qn_grid_parent(child, parent)) continue;
        const uint64_t own = qn_grid_number(&run->grid, child);
        if (memcmp(parent, index, sizeof parent) == 0 && !run->is_done[own]) work->ready[work->end++] = own;
    }
    pthread_cond_broadcast(&work->changed);
}

/* Take states for a lane, waiting for some; 0: none will come. Lanes without work share what is ready evenly. */
static int take_states(device_work *work, qn_space_lane *lane)
{
    size_t count = 0;
    pthread_mutex_lock(&work->mutex);
    while (work->first == work->end && work->busy > 0 && !work->failed) pthread_cond_wait(&work->changed, &work->mutex);
    if (!work->failed) {
        const size_t ready = work->end - work->first, idle = (size_t)(work->run->lane_count - work->busy);
        const size_t even = (ready + idle - 1) / idle, share = even < LEAST_SHARE ? LEAST_SHARE : even;
        count = share < ready ? share : ready;
        if (count > (size_t)lane->size) count = (size_t)lane->size;
    }
    memcpy(lane->numbers, work->ready + work->first, count * sizeof *lane->numbers);
    work->first += count;
    work->busy += count > 0;
    pthread_mutex_unlock(&work->mutex);
    return (int)count;
}

/* A lane has recorded its batch, or failed. Returns how many states all lanes have done. */
static size_t leave(device_work *work, size_t count, qn_status status)
{
    pthread_mutex_lock(&work->mutex);
    work->busy--;
    work->done += count;
    work->failed |= status != QN_OK;
    const size_t done = work->done;
    pthread_cond_broadcast(&work->changed);
    pthread_mutex_unlock(&work->mutex);
    return done;
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

/* Solve a state on the host, with a solver that no other thread has. */
static qn_status solve_alone(device_work *work, uint64_t number)
{
    const int count = work->run->workers.count;
    int own = 0;
    pthread_mutex_lock(&work->mutex);
    for (;;) {
        for (own = 0; own < count && work->has_solver[own]; own++) continue;
        if (own < count) break;
        pthread_cond_wait(&work->changed, &work->mutex);
    }
    work->has_solver[own] = true;
    pthread_mutex_unlock(&work->mutex);
    const qn_status status = qn_space_state_solve(work->run, number, own);
    pthread_mutex_lock(&work->mutex);
    work->has_solver[own] = false;
    if (status == QN_OK) add_children(work, number);
    pthread_cond_broadcast(&work->changed);
    pthread_mutex_unlock(&work->mutex);
    return status;
}

/* Find a state on the host that the device did not find. */
static qn_status find_other(size_t index, int worker, void *user)
{
    const lane_work *own = user;
    (void)worker;
    return own->lane->states[index].converged ? QN_OK : solve_alone(own->all, own->lane->numbers[index]);
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

static qn_status solve_batch(lane_work *own, int count)
{
    device_work *work = own->all;
    qn_pool *pool = work->run->job->pool;
    describe_batch(work->run, own->lane, count);
    QN_TRY(qn_batch_solve(own->lane->batch, own->lane->states, count));
    QN_TRY(qn_pool_run(pool, (size_t)count, keep, own));
    int found = 0;
    pthread_mutex_lock(&work->mutex);
    for (int k = 0; k < count; k++) {
        if (!own->lane->states[k].converged) continue;
        add_children(work, own->lane->numbers[k]);
        found++;
    }
    pthread_mutex_unlock(&work->mutex);
    QN_TRY(write_found(own, count));
    return found < count ? qn_pool_run(pool, (size_t)count, find_other, own) : QN_OK;
}

static qn_status work_on_lane(int lane, void *user)
{
    device_work *work = user;
    lane_work own = {work, &work->run->lanes[lane]};
    int count;
    while ((count = take_states(work, own.lane)) > 0) {
        qn_status status = solve_batch(&own, count);
        if (status == QN_OK && work->wanted->follows)
            for (int k = 0; k < count; k++) work->run->is_done[own.lane->numbers[k]] = true;
        const size_t done = leave(work, (size_t)count, status);
        if (status == QN_OK && lane == 0) {
            status = work->wanted->tell(work->wanted->user, done);
            if (status != QN_OK) {
                pthread_mutex_lock(&work->mutex);
                work->failed = true;
                pthread_cond_broadcast(&work->changed);
                pthread_mutex_unlock(&work->mutex);
            }
        }
        QN_TRY(status);
    }
    return QN_OK;
}

/* ---- all of them ---- */

static qn_status begin(device_work *work, size_t room)
{
    QN_TRY(qn_allocate(room, sizeof *work->ready, (void **)&work->ready));
    QN_TRY(qn_allocate((size_t)work->run->workers.count, sizeof *work->has_solver, (void **)&work->has_solver));
    memcpy(work->ready, work->wanted->numbers, work->wanted->count * sizeof *work->ready);
    work->end = work->wanted->count;
    return QN_OK;
}

qn_status qn_space_devices_solve(qn_deform_space_run *run, const qn_space_wanted *wanted)
{
    device_work work = {
        .run = run, .wanted = wanted, .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    if (wanted->count == 0) return QN_OK;
    qn_status status = begin(&work, wanted->follows ? run->state_count : wanted->count);
    if (status == QN_OK) status = qn_job_each_lane(run->job, run->lane_count, work_on_lane, &work);
    qn_release(&work.ready);
    qn_release(&work.has_solver);
    return status;
}

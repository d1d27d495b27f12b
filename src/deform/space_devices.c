/* States of a grid on devices: batches in single precision. A state that finds no balance there is solved on the host,
 * in double precision, from the same parent. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "deform/batch/batch.h"
#include "deform/space_run.h"

enum { BATCH_GPU = 256, BATCH_HOST = 16, NEWTON_STEPS_MAX = 12 };

/* Single precision does not reach smaller residuals. */
static const double LEAST_TOLERANCE = 1e-4;

struct qn_space_device {
    qn_queue *queue;
    qn_batch *batch;
    qn_batch_state *states; /* batch_size */
    double *scratch;        /* [worker][2][freedom_count]: x and residual of the measures */
    int size;
};

static bool is_host(const qn_device *device)
{
    return strcmp(qn_device_get_info(device)->driver, "host") == 0;
}

qn_status qn_space_devices_open(qn_deform_space_run *run)
{
    qn_job *job = run->job;
    const qn_deform_options *options = run->options;
    if (strcmp(options->run.device, "host") == 0) return QN_OK;
    QN_TRY(qn_job_devices(job));
    QN_TRY(qn_job_key_devices(job));
    QN_TRY(qn_allocate((size_t)job->device_count, sizeof *run->devices, (void **)&run->devices));
    run->device_count = job->device_count;
    const qn_batch_options of_batch = {.tolerance = fmax(options->tolerance, LEAST_TOLERANCE),
                                       .newton_steps_max = NEWTON_STEPS_MAX,
                                       .pool = job->pool};
    const size_t freedoms = run->setup.body->freedom_count;
    for (int i = 0; i < run->device_count; i++) {
        qn_space_device *device = &run->devices[i];
        device->size = options->run.batch > 0 ? options->run.batch : is_host(job->devices[i]) ? BATCH_HOST : BATCH_GPU;
        if (device->size > (int)run->state_count) device->size = (int)run->state_count;
        QN_TRY(qn_queue_create(job->devices[i], &device->queue));
        QN_TRY(qn_batch_create(device->queue, run->setup.problem, device->size, &of_batch, &device->batch));
        QN_TRY(qn_allocate((size_t)device->size, sizeof *device->states, (void **)&device->states));
        QN_TRY(qn_allocate(2 * freedoms * (size_t)run->workers.count, sizeof(double), (void **)&device->scratch));
    }
    return QN_OK;
}

void qn_space_devices_close(qn_deform_space_run *run)
{
    for (int i = 0; i < run->device_count; i++) {
        qn_batch_destroy(&run->devices[i].batch);
        qn_queue_destroy(&run->devices[i].queue);
        qn_release(&run->devices[i].states);
        qn_release(&run->devices[i].scratch);
    }
    qn_release(&run->devices);
    run->device_count = 0;
}

/* ---- a batch ---- */

typedef struct device_work {
    qn_deform_space_run *run;
    qn_space_device *device;
    const uint64_t *numbers;
} device_work;

/* Find the least stretch, which the device does not tell. */
static qn_status measure(size_t index, int worker, void *user)
{
    const device_work *all = user;
    const size_t freedoms = all->run->setup.body->freedom_count;
    double *x = all->device->scratch + 2 * freedoms * (size_t)worker, *r = x + freedoms;
    qn_grid_state *state = &all->run->states[all->numbers[index]];
    qn_body_measures measures;
    if (!all->device->states[index].converged) return QN_OK;
    for (size_t i = 0; i < freedoms; i++) x[i] = (double)state->x[i];
    qn_body_residual(all->run->setup.body, x, r, &measures);
    state->least_stretch = measures.least_stretch;
    return QN_OK;
}

static void take(const qn_deform_space_run *run, const qn_batch_state *found, uint64_t number)
{
    const size_t freedoms = run->setup.body->freedom_count;
    qn_grid_state *state = &run->states[number];
    float *const x = state->x, *const change = state->change;
    const double least_stretch = state->least_stretch;
    *state = (qn_grid_state){.energy = found->energy,
                             .residual = found->residual,
                             .least_volume = found->least_volume,
                             .least_stretch = least_stretch,
                             .newton_steps = found->newton_steps,
                             .load_steps = 1,
                             .x = x,
                             .change = change};
    qn_grid_index(&run->grid, number, state->index);
    memcpy(state->force, found->force, sizeof state->force);
    memcpy(state->stiffness, found->stiffness, sizeof state->stiffness);
    if (qn_deform_is_compressed(&run->setup, least_stretch)) state->flags = QN_GRID_COMPRESSED;
    for (size_t i = 0; i < freedoms; i++) x[i] += 0.0f; /* no negative zeros */
    for (size_t i = 0; i < 3 * freedoms; i++) change[i] += 0.0f;
}

static qn_status solve_batch(const device_work *all, int worker, int count)
{
    qn_deform_space_run *run = all->run;
    for (int k = 0; k < count; k++) {
        int32_t index[3];
        qn_grid_index(&run->grid, all->numbers[k], index);
        const qn_grid_state *parent = qn_space_ancestor(run, index);
        qn_batch_state *state = &all->device->states[k];
        *state = (qn_batch_state){.parent_x = parent->x,
                                  .parent_change = parent->change,
                                  .x = run->states[all->numbers[k]].x,
                                  .change = run->states[all->numbers[k]].change};
        for (int axis = 0; axis < 3; axis++) {
            state->parent_place[axis] = run->grid.step * parent->index[axis];
            state->place[axis] = run->grid.step * index[axis];
        }
    }
    QN_TRY(qn_batch_solve(all->device->batch, all->device->states, count));
    QN_TRY(qn_pool_run(run->job->pool, (size_t)count, measure, (void *)all));
    for (int k = 0; k < count; k++) {
        if (!all->device->states[k].converged) {
            QN_TRY(qn_space_state_solve(run, all->numbers[k], worker));
            continue;
        }
        take(run, &all->device->states[k], all->numbers[k]);
        QN_TRY(qn_space_state_record(run, all->numbers[k]));
    }
    return QN_OK;
}

/* ---- a wave ---- */

typedef struct wave_work {
    qn_deform_space_run *run;
    const uint64_t *numbers;
    size_t count;
    atomic_size_t next;
} wave_work;

static qn_status work(int device, void *user)
{
    wave_work *all = user;
    qn_space_device *own = &all->run->devices[device];
    /* Devices share a short wave evenly. */
    const size_t devices = (size_t)all->run->device_count, even = (all->count + devices - 1) / devices;
    const size_t size = even < (size_t)own->size ? even : (size_t)own->size;
    for (;;) {
        const size_t first = atomic_fetch_add(&all->next, size);
        if (first >= all->count) return QN_OK;
        const size_t count = all->count - first < size ? all->count - first : size;
        const device_work batch = {all->run, own, all->numbers + first};
        QN_TRY(solve_batch(&batch, device % all->run->workers.count, (int)count));
    }
}

qn_status qn_space_devices_solve(qn_deform_space_run *run, const uint64_t *numbers, size_t count)
{
    wave_work all = {.run = run, .numbers = numbers, .count = count};
    if (count == 0) return QN_OK;
    return qn_job_each_device(run->job, work, &all);
}

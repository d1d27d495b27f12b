#include "project/images.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "cryoem/view.h"
#include "project/fourier_map.h"
#include "project/noise.h"

enum { BATCH_MAX = 256, BATCH_BYTES = 1 << 24 };
enum { TAPS = 6, FAST_TAPS = 2 };

static qn_status allocate_floats(size_t count, float **floats)
{
    void *memory;
    QN_TRY(qn_allocate(count, sizeof(float), &memory));
    *floats = memory;
    return QN_OK;
}

void qn_projection_plan(qn_projection *run)
{
    const int side = run->map.counts[0];
    const size_t total = run->views.set->particle_count;
    const int padded = qn_fft_next_fast_size(QN_FFT_AUTO, (int)ceil(run->options->padding * side));
    size_t images = BATCH_BYTES / (4 * (size_t)side * (size_t)side);
    if (images > BATCH_MAX) images = BATCH_MAX;
    if (images > total) images = total;
    if (images < 1) images = 1;
    run->window = qn_window_make(run->options->fast ? FAST_TAPS : TAPS, (double)padded / side);
    run->problem = (qn_slices_problem){.side = padded,
                                       .image_side = side,
                                       .images = (int)images,
                                       .taps = run->window.taps,
                                       .most = 0.5f * (float)(side - 1),
                                       .ctf = run->options->ctf};
    run->total = total;
}

static qn_status make_batches(qn_projection *run)
{
    const size_t images = (size_t)run->problem.images, side = (size_t)run->problem.image_side;
    for (int i = 0; i < 2; i++) {
        void *memory;
        qn_projection_batch *batch = &run->batches[i];
        QN_TRY(allocate_floats(6 * images, &batch->steps));
        QN_TRY(allocate_floats(QN_IMAGE_PARAMETERS * images, &batch->parameters));
        QN_TRY(allocate_floats(side * side * images, &batch->images));
        QN_TRY(qn_allocate(2 * images, sizeof(double), &memory));
        batch->sums = memory;
    }
    QN_TRY(qn_buffer_create(run->job->devices[0], 24 * images, &run->steps));
    QN_TRY(qn_buffer_create(run->job->devices[0], 4 * QN_IMAGE_PARAMETERS * images, &run->parameters));
    QN_TRY(qn_buffer_create(run->job->devices[0], 8 * images * side * (side / 2 + 1), &run->slices));
    return qn_buffer_create(run->job->devices[0], 4 * images * side * side, &run->images);
}

static qn_status make_table(qn_projection *run)
{
    float *table = NULL;
    const size_t numbers = (size_t)QN_WINDOW_ROWS * (size_t)run->window.taps;
    QN_TRY(allocate_floats(numbers, &table));
    qn_window_table(&run->window, table);
    qn_status status = qn_buffer_create(run->job->devices[0], 4 * numbers, &run->table);
    if (status == QN_OK) status = qn_queue_write(run->queue, run->table, 0, table, 4 * numbers, NULL);
    if (status == QN_OK) status = qn_queue_finish(run->queue);
    qn_release(&table);
    return status;
}

qn_status qn_projection_prepare(qn_projection *run)
{
    const int side = run->problem.image_side;
    const qn_fft_options options = {.size_bytes = sizeof options,
                                    .size = {side, side},
                                    .batch = run->problem.images,
                                    .kind = QN_FFT_REAL_INVERSE,
                                    .engine = qn_fft_engine_of(run->job->devices[0])};
    QN_TRY(qn_fourier_map_create(run->queue, &run->map, &run->problem, &run->window, &run->volume));
    QN_TRY(make_batches(run));
    QN_TRY(make_table(run));
    return qn_fft_plan_create(run->job->devices[0], &options, &run->plan);
}

/* ---- a batch ---- */

static qn_status describe_image(const qn_projection *run, const qn_particle *particle, float steps[6],
                                float *parameters)
{
    const qn_particle_set *set = run->views.set;
    const double voxel = run->views.voxel_angstrom, scale = (double)run->problem.side / run->problem.image_side;
    const double origin[2] = {particle->origin_angstrom[0] / voxel, particle->origin_angstrom[1] / voxel};
    double matrix[9];
    qn_ctf ctf;
    qn_view_matrix(particle->rot_degrees, particle->tilt_degrees, particle->psi_degrees, matrix);
    for (int i = 0; i < 6; i++) steps[i] = (float)(scale * matrix[i]);
    if (run->options->ctf) {
        qn_status status = qn_ctf_of(particle, &set->optics[particle->optics], &ctf);
        if (status != QN_OK) return qn_error_add_context(status, "%s", set->name);
    }
    qn_image_parameters(run->problem.image_side, voxel, origin, 1, run->options->ctf ? &ctf : NULL, parameters);
    return QN_OK;
}

/* Queue all commands of a batch, up to the copy of its images to the host. */
static qn_status launch(qn_projection *run, qn_projection_batch *batch, size_t first)
{
    const size_t left = run->views.set->particle_count - first, most = (size_t)run->problem.images;
    const size_t pixels = (size_t)run->problem.image_side * (size_t)run->problem.image_side;
    qn_slices_problem problem = run->problem;
    batch->first = first;
    batch->count = left < most ? left : most;
    problem.images = (int)batch->count;
    for (size_t i = 0; i < batch->count; i++)
        QN_TRY(describe_image(run, &run->views.set->particles[first + i], batch->steps + 6 * i,
                              batch->parameters + QN_IMAGE_PARAMETERS * i));
    QN_TRY(qn_queue_write(run->queue, run->steps, 0, batch->steps, 24 * batch->count, NULL));
    QN_TRY(qn_queue_write(run->queue, run->parameters, 0, batch->parameters, 4 * QN_IMAGE_PARAMETERS * batch->count,
                          NULL));
    QN_TRY(qn_project_slices(run->queue, NULL, &problem, run->volume, run->table, run->steps, run->parameters,
                             run->slices, NULL));
    QN_TRY(qn_fft_execute(run->plan, run->queue, run->slices, run->images, NULL));
    return qn_queue_read(run->queue, run->images, 0, batch->images, 4 * pixels * batch->count, &batch->done);
}

typedef struct image_task {
    const qn_projection *run;
    const qn_projection_batch *batch;
} image_task;

static qn_status sum_image(size_t index, int worker, void *user)
{
    const image_task *task = user;
    const size_t pixels = (size_t)task->run->problem.image_side * (size_t)task->run->problem.image_side;
    const float *values = task->batch->images + pixels * index;
    double sum = 0, squares = 0;
    (void)worker;
    for (size_t i = 0; i < pixels; i++) {
        sum += (double)values[i];
        squares += (double)values[i] * (double)values[i];
    }
    task->batch->sums[2 * index] = sum;
    task->batch->sums[2 * index + 1] = squares;
    return QN_OK;
}

static qn_status add_noise(size_t index, int worker, void *user)
{
    const image_task *task = user;
    const size_t pixels = (size_t)task->run->problem.image_side * (size_t)task->run->problem.image_side;
    (void)worker;
    qn_noise_add(task->run->options->run.seed, task->run->views.first + task->batch->first + index,
                 task->run->deviation, task->batch->images + pixels * index, pixels);
    return QN_OK;
}

static qn_status consume(qn_projection *run, qn_projection_batch *batch)
{
    const size_t pixels = (size_t)run->problem.image_side * (size_t)run->problem.image_side;
    image_task task = {run, batch};
    qn_pool *pool = run->job->pool;
    qn_status status = qn_event_wait(batch->done);
    qn_event_destroy(&batch->done);
    QN_TRY(status);
    if (run->measures) {
        QN_TRY(qn_pool_run(pool, batch->count, sum_image, &task));
        for (size_t i = 0; i < batch->count; i++) {
            run->sum += batch->sums[2 * i];
            run->sum_of_squares += batch->sums[2 * i + 1];
        }
        return QN_OK;
    }
    if (run->deviation > 0) QN_TRY(qn_pool_run(pool, batch->count, add_noise, &task));
    if (run->kept) memcpy(run->kept + pixels * batch->first, batch->images, pixels * batch->count * sizeof(float));
    for (size_t i = 0; run->writer && i < batch->count; i++)
        QN_TRY(qn_image_stack_writer_append(run->writer, batch->images + pixels * i));
    return QN_OK;
}

static qn_status report_progress(qn_projection *run, size_t count)
{
    run->done += count;
    const qn_progress state = {.stage = run->stage,
                               .unit = "images",
                               .done = run->done,
                               .total = run->total,
                               .seconds = qn_clock_s() - run->job->started_s};
    if (qn_job_is_stopped(run->job, &state))
        return QN_FAIL(QN_CANCELLED, "stopped after %zu of %zu image%s; nothing was written", run->done, run->total,
                       run->total == 1 ? "" : "s");
    return QN_OK;
}

/* Make all images. The device computes one batch while the host processes the one before. */
qn_status qn_projection_go_through(qn_projection *run, const char *stage)
{
    const size_t count = run->views.set->particle_count, step = (size_t)run->problem.images;
    int turn = 0;
    run->stage = stage;
    run->done = 0; /* each stage makes every image and counts them anew */
    for (size_t first = 0; first < count; first += step, turn ^= 1) {
        QN_TRY(launch(run, &run->batches[turn], first));
        if (first == 0) continue;
        QN_TRY(consume(run, &run->batches[turn ^ 1]));
        QN_TRY(report_progress(run, run->batches[turn ^ 1].count));
    }
    QN_TRY(consume(run, &run->batches[turn ^ 1]));
    return report_progress(run, run->batches[turn ^ 1].count);
}

/* If tuning is to precede the work, try configurations on the first batch. */
qn_status qn_projection_explore(qn_projection *run)
{
    const double started_s = qn_clock_s();
    bool explores;
    run->stage = "tuning";
    QN_TRY(qn_tuning_explores(&run->job->tuning, 0, &explores));
    while (explores) {
        QN_TRY(launch(run, &run->batches[0], 0));
        qn_status status = qn_event_wait(run->batches[0].done);
        qn_event_destroy(&run->batches[0].done);
        QN_TRY(status);
        QN_TRY(report_progress(run, 0));
        QN_TRY(qn_tuning_explores(&run->job->tuning, qn_clock_s() - started_s, &explores));
    }
    return QN_OK;
}

void qn_projection_clear(qn_projection *run)
{
    if (run->queue) qn_queue_destroy(&run->queue); /* before the buffers that its commands write to */
    qn_image_stack_writer_discard(&run->writer);
    qn_fft_plan_destroy(&run->plan);
    qn_buffer_release(&run->volume);
    qn_buffer_release(&run->table);
    qn_buffer_release(&run->steps);
    qn_buffer_release(&run->parameters);
    qn_buffer_release(&run->slices);
    qn_buffer_release(&run->images);
    for (int i = 0; i < 2; i++) {
        qn_projection_batch *batch = &run->batches[i];
        qn_event_destroy(&batch->done);
        qn_release(&batch->steps);
        qn_release(&batch->parameters);
        qn_release(&batch->images);
        qn_release(&batch->sums);
    }
    qn_views_clear(&run->views);
    qn_volume_destroy(&run->own_map);
    qn_release(&run->kept);
}

#include <inttypes.h>
#include <math.h>
#include <quern/fft.h>
#include <quern/project.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "cryoem/view.h"
#include "format/image/image_stack.h"
#include "format/image/particles.h"
#include "job/devices.h"
#include "job/options.h"
#include "job/tuning.h"
#include "project/fourier_map.h"
#include "project/noise.h"
#include "project/views.h"
#include "runtime/device.h"

enum { LARGEST_BATCH = 256, BATCH_BYTES = 1 << 24, LARGEST_MAP_SIDE = 1024, SMALLEST_MAP_SIDE = 8 };
enum { TAPS = 6, FAST_TAPS = 2 };

/* Images on their way: what the device is told of them and where they come back to. */
typedef struct batch {
    size_t first, count;
    float *steps, *parameters, *images;
    double *sums; /* of each image: of its values, of their squares */
    qn_event *done;
} batch;

typedef struct projection {
    qn_context *context;
    const qn_project_options *options;
    qn_volume *map;
    qn_views views;
    qn_device *device;
    qn_queue *queue;
    qn_slices_problem problem; /* of a whole batch */
    qn_window window;
    qn_fft_plan *plan;
    qn_buffer *volume, *table, *steps, *parameters, *slices, *images;
    batch batches[2]; /* taking turns */
    qn_image_stack_writer *writer;
    qn_tuning tuning;
    double deviation; /* of the noise */
    double sum, sum_of_squares, started_s;
    size_t done, total; /* images, of all passes */
    const char *stage;
} projection;

qn_project_options qn_project_default_options(void)
{
    return (qn_project_options){.padding = 2, .first = 1, .last = UINT64_MAX, .run.device = "auto", .run.tune = "auto"};
}

static qn_status check_options(const qn_project_options *options)
{
    if (!options->map) QN_FAIL(QN_INVALID_ARGUMENT, "no map is named; expected an MRC file");
    if (!options->output) QN_FAIL(QN_INVALID_ARGUMENT, "no output is named; expected a stack's name ending in .mrcs");
    if (!options->angles && options->views == 0)
        QN_FAIL(QN_INVALID_ARGUMENT, "no angles are named; expected a .star or .xmd file, or a number of views");
    if (options->angles && options->views > 0)
        QN_FAIL(QN_INVALID_ARGUMENT, "both angles and a number of views (%" PRIu64 ") are named; expected one of them",
                options->views);
    if (options->ctf && !options->angles)
        QN_FAIL(QN_INVALID_ARGUMENT, "a contrast transfer function is wanted of views without one; expected angles "
                                     "from a .star file with defocus");
    QN_TRY(qn_option_in_range("views", (double)options->views, 0, 1e8));
    if (!(options->snr >= 0 && isfinite(options->snr)))
        QN_FAIL(QN_INVALID_ARGUMENT, "the signal-to-noise ratio is %g; expected a number above 0, or 0 for no noise",
                options->snr);
    if (options->padding != 1 && options->padding != 1.5 && options->padding != 2)
        QN_FAIL(QN_INVALID_ARGUMENT, "the padding is %g; expected 1, 1.5 or 2", options->padding);
    return qn_tuning_check(options->run.tune, options->run.tune_budget);
}

static qn_status read_map(projection *p)
{
    QN_TRY(qn_volume_read(p->options->map, &p->map));
    const int *counts = p->map->counts;
    const double *voxel = p->map->voxel_angstrom;
    if (counts[0] != counts[1] || counts[0] != counts[2])
        QN_FAIL(QN_BAD_FORMAT, "%s: has %d x %d x %d voxels; expected a cube", p->map->name, counts[0], counts[1],
                counts[2]);
    if (counts[0] < SMALLEST_MAP_SIDE || counts[0] > LARGEST_MAP_SIDE)
        QN_FAIL(QN_UNSUPPORTED, "%s: has %d voxels a side; expected %d to %d", p->map->name, counts[0],
                SMALLEST_MAP_SIDE, LARGEST_MAP_SIDE);
    if (fabs(voxel[1] / voxel[0] - 1) > 1e-3 || fabs(voxel[2] / voxel[0] - 1) > 1e-3)
        QN_FAIL(QN_BAD_FORMAT, "%s: voxels of %g x %g x %g Å; expected the same along each axis", p->map->name,
                voxel[0], voxel[1], voxel[2]);
    const size_t voxels = (size_t)counts[0] * (size_t)counts[0] * (size_t)counts[0];
    for (size_t i = 0; i < voxels; i++)
        if (!isfinite(p->map->values[i]))
            QN_FAIL(QN_BAD_FORMAT, "%s: voxel %zu, %zu, %zu is %g; expected finite values", p->map->name,
                    i % (size_t)counts[0], i / (size_t)counts[0] % (size_t)counts[0],
                    i / (size_t)counts[0] / (size_t)counts[0], (double)p->map->values[i]);
    return QN_OK;
}

static qn_status open_device(projection *p)
{
    qn_device *devices[QN_MOST_DEVICES];
    int count;
    QN_TRY(qn_devices_open(p->context, p->options->run.device, NULL, devices, &count));
    for (int i = 1; i < count; i++) qn_device_release(&devices[i]);
    p->device = devices[0];
    if (count > 1)
        QN_FAIL(QN_INVALID_ARGUMENT, "the devices \"%s\" are %d; expected one, which projecting keeps busy enough",
                p->options->run.device, count);
    return qn_queue_create(p->device, &p->queue);
}

static qn_status allocate_floats(size_t count, float **floats)
{
    void *memory;
    QN_TRY(qn_allocate(count, sizeof(float), &memory));
    *floats = memory;
    return QN_OK;
}

static void make_problem(projection *p)
{
    const int side = p->map->counts[0];
    const size_t total = p->views.set->particle_count;
    const int padded = qn_fft_next_fast_size(QN_FFT_AUTO, (int)ceil(p->options->padding * side));
    size_t images = BATCH_BYTES / (4 * (size_t)side * (size_t)side);
    if (images > LARGEST_BATCH) images = LARGEST_BATCH;
    if (images > total) images = total;
    if (images < 1) images = 1;
    p->window = qn_window_make(p->options->fast ? FAST_TAPS : TAPS, (double)padded / side);
    p->problem = (qn_slices_problem){.side = padded,
                                     .image_side = side,
                                     .images = (int)images,
                                     .taps = p->window.taps,
                                     .most = 0.5f * (float)(side - 1),
                                     .ctf = p->options->ctf};
    p->total = total * (p->options->snr > 0 ? 2 : 1);
}

static qn_status make_batches(projection *p)
{
    const size_t images = (size_t)p->problem.images, side = (size_t)p->problem.image_side;
    for (int i = 0; i < 2; i++) {
        void *memory;
        batch *b = &p->batches[i];
        QN_TRY(allocate_floats(6 * images, &b->steps));
        QN_TRY(allocate_floats(QN_IMAGE_PARAMETERS * images, &b->parameters));
        QN_TRY(allocate_floats(side * side * images, &b->images));
        QN_TRY(qn_allocate(2 * images, sizeof(double), &memory));
        b->sums = memory;
    }
    QN_TRY(qn_buffer_create(p->device, 24 * images, &p->steps));
    QN_TRY(qn_buffer_create(p->device, 4 * QN_IMAGE_PARAMETERS * images, &p->parameters));
    QN_TRY(qn_buffer_create(p->device, 8 * images * side * (side / 2 + 1), &p->slices));
    return qn_buffer_create(p->device, 4 * images * side * side, &p->images);
}

static qn_status make_table(projection *p)
{
    float *table = NULL;
    const size_t numbers = (size_t)QN_WINDOW_ROWS * (size_t)p->window.taps;
    QN_TRY(allocate_floats(numbers, &table));
    qn_window_table(&p->window, table);
    qn_status status = qn_buffer_create(p->device, 4 * numbers, &p->table);
    if (status == QN_OK) status = qn_queue_write(p->queue, p->table, 0, table, 4 * numbers, NULL);
    if (status == QN_OK) status = qn_queue_finish(p->queue);
    qn_release(&table);
    return status;
}

static qn_status prepare(projection *p)
{
    const int side = p->problem.image_side;
    const qn_fft_options options = {.size = {side, side},
                                    .batch = p->problem.images,
                                    .kind = QN_FFT_REAL_INVERSE,
                                    .engine = qn_fft_engine_of(p->device)};
    QN_TRY(qn_fourier_map_create(p->queue, p->map, &p->problem, &p->window, &p->volume));
    QN_TRY(make_batches(p));
    QN_TRY(make_table(p));
    return qn_fft_plan_create(p->device, &options, &p->plan);
}

/* ---- a batch ---- */

static qn_status describe(const projection *p, const qn_particle *particle, float steps[6], float *parameters)
{
    const qn_particle_set *set = p->views.set;
    const double voxel = p->views.voxel_angstrom, scale = (double)p->problem.side / p->problem.image_side;
    const double origin[2] = {particle->origin_angstrom[0] / voxel, particle->origin_angstrom[1] / voxel};
    double matrix[9];
    qn_ctf ctf;
    qn_view_matrix(particle->rot_degrees, particle->tilt_degrees, particle->psi_degrees, matrix);
    for (int i = 0; i < 6; i++) steps[i] = (float)(scale * matrix[i]);
    if (p->options->ctf) {
        qn_status status = qn_ctf_of(particle, &set->optics[particle->optics], &ctf);
        if (status != QN_OK) return qn_error_add_context(status, "%s", set->name);
    }
    qn_image_parameters(p->problem.image_side, voxel, origin, 1, p->options->ctf ? &ctf : NULL, parameters);
    return QN_OK;
}

/* Queue everything up to the images' coming back. */
static qn_status launch(projection *p, batch *b, size_t first)
{
    const size_t left = p->views.set->particle_count - first, most = (size_t)p->problem.images;
    const size_t pixels = (size_t)p->problem.image_side * (size_t)p->problem.image_side;
    qn_slices_problem problem = p->problem;
    b->first = first;
    b->count = left < most ? left : most;
    problem.images = (int)b->count;
    for (size_t i = 0; i < b->count; i++)
        QN_TRY(describe(p, &p->views.set->particles[first + i], b->steps + 6 * i,
                        b->parameters + QN_IMAGE_PARAMETERS * i));
    QN_TRY(qn_queue_write(p->queue, p->steps, 0, b->steps, 24 * b->count, NULL));
    QN_TRY(qn_queue_write(p->queue, p->parameters, 0, b->parameters, 4 * QN_IMAGE_PARAMETERS * b->count, NULL));
    QN_TRY(qn_project_slices(p->queue, NULL, &problem, p->volume, p->table, p->steps, p->parameters, p->slices, NULL));
    QN_TRY(qn_fft_execute(p->plan, p->queue, p->slices, p->images, NULL));
    return qn_queue_read(p->queue, p->images, 0, b->images, 4 * pixels * b->count, &b->done);
}

typedef struct image_task {
    const projection *p;
    const batch *b;
} image_task;

static qn_status sum_image(size_t index, int worker, void *user)
{
    const image_task *task = user;
    const size_t pixels = (size_t)task->p->problem.image_side * (size_t)task->p->problem.image_side;
    const float *values = task->b->images + pixels * index;
    double sum = 0, squares = 0;
    (void)worker;
    for (size_t i = 0; i < pixels; i++) {
        sum += (double)values[i];
        squares += (double)values[i] * (double)values[i];
    }
    task->b->sums[2 * index] = sum;
    task->b->sums[2 * index + 1] = squares;
    return QN_OK;
}

static qn_status add_noise(size_t index, int worker, void *user)
{
    const image_task *task = user;
    const size_t pixels = (size_t)task->p->problem.image_side * (size_t)task->p->problem.image_side;
    (void)worker;
    qn_noise_add(task->p->options->run.seed, task->p->views.first + task->b->first + index, task->p->deviation,
                 task->b->images + pixels * index, pixels);
    return QN_OK;
}

static qn_status consume(projection *p, batch *b)
{
    const size_t pixels = (size_t)p->problem.image_side * (size_t)p->problem.image_side;
    image_task task = {p, b};
    qn_pool *pool = qn_context_pool(p->context);
    qn_status status = qn_event_wait(b->done);
    qn_event_destroy(&b->done);
    QN_TRY(status);
    if (!p->writer) {
        QN_TRY(qn_pool_run(pool, b->count, sum_image, &task));
        for (size_t i = 0; i < b->count; i++) {
            p->sum += b->sums[2 * i];
            p->sum_of_squares += b->sums[2 * i + 1];
        }
        return QN_OK;
    }
    if (p->deviation > 0) QN_TRY(qn_pool_run(pool, b->count, add_noise, &task));
    for (size_t i = 0; i < b->count; i++) QN_TRY(qn_image_stack_writer_append(p->writer, b->images + pixels * i));
    return QN_OK;
}

static qn_status report(projection *p, size_t count)
{
    p->done += count;
    const qn_progress state = {.stage = p->stage,
                               .unit = "images",
                               .done = p->done,
                               .total = p->total,
                               .seconds = qn_clock_s() - p->started_s};
    if (p->options->run.progress && p->options->run.progress(&state, p->options->run.progress_user) != 0)
        QN_FAIL(QN_CANCELLED, "stopped after %zu of %zu images; nothing was written", p->done, p->total);
    return QN_OK;
}

/* All images: the device makes one batch while the host has the one before. */
static qn_status go_through(projection *p, const char *stage)
{
    const size_t count = p->views.set->particle_count, step = (size_t)p->problem.images;
    int turn = 0;
    p->stage = stage;
    for (size_t first = 0; first < count; first += step, turn ^= 1) {
        QN_TRY(launch(p, &p->batches[turn], first));
        if (first == 0) continue;
        QN_TRY(consume(p, &p->batches[turn ^ 1]));
        QN_TRY(report(p, p->batches[turn ^ 1].count));
    }
    QN_TRY(consume(p, &p->batches[turn ^ 1]));
    return report(p, p->batches[turn ^ 1].count);
}

/* ---- a run ---- */

/* Configurations are tried on the first batch, when they are to be before the work. */
static qn_status explore(projection *p)
{
    const double started_s = qn_clock_s();
    bool explores;
    QN_TRY(qn_tuning_explores(&p->tuning, 0, &explores));
    while (explores) {
        QN_TRY(launch(p, &p->batches[0], 0));
        qn_status status = qn_event_wait(p->batches[0].done);
        qn_event_destroy(&p->batches[0].done);
        QN_TRY(status);
        QN_TRY(report(p, 0));
        QN_TRY(qn_tuning_explores(&p->tuning, qn_clock_s() - started_s, &explores));
    }
    return QN_OK;
}

/* Noise of the same strength in all images, told by the variance of all their values together. */
static qn_status measure_signal(projection *p)
{
    const double side = p->problem.image_side, count = (double)p->views.set->particle_count * side * side;
    QN_TRY(go_through(p, "measuring the signal"));
    const double mean = p->sum / count, variance = p->sum_of_squares / count - mean * mean;
    if (!(variance > 0))
        QN_FAIL(QN_BAD_FORMAT, "%s: its projections are all the same; expected a signal", p->map->name);
    p->deviation = sqrt(variance / p->options->snr);
    return QN_OK;
}

static qn_status write_images(projection *p)
{
    const int side = p->problem.image_side;
    const char *output = p->options->output;
    QN_TRY(qn_image_stack_writer_create(output, side, side, p->views.voxel_angstrom, "quern project", &p->writer));
    QN_TRY(go_through(p, "projecting"));
    QN_TRY(qn_image_stack_writer_finish(&p->writer));
    qn_status status = qn_particles_write(p->views.set, p->views.star);
    if (status != QN_OK) (void)unlink(output); /* without its metadata the stack is not complete */
    return status;
}

/* What a few processor cores take, to guess by whether tuning pays. */
static double expected_seconds(const projection *p)
{
    const double side = p->problem.image_side / 128.0;
    return 1e-3 * (double)p->total * side * side;
}

static qn_status project(projection *p)
{
    QN_TRY(read_map(p));
    QN_TRY(qn_views_create(p->options, p->map, &p->views));
    make_problem(p);
    QN_TRY(qn_tuning_start(p->context, p->options->run.tune, p->options->run.tune_budget, expected_seconds(p),
                           &p->tuning));
    QN_TRY(open_device(p));
    QN_TRY(prepare(p));
    p->stage = "tuning";
    QN_TRY(explore(p));
    if (p->options->snr > 0) QN_TRY(measure_signal(p));
    return write_images(p);
}

static void clear(projection *p)
{
    if (p->queue) qn_queue_destroy(&p->queue); /* before what its commands write to */
    qn_image_stack_writer_discard(&p->writer);
    qn_fft_plan_destroy(&p->plan);
    qn_buffer_release(&p->volume);
    qn_buffer_release(&p->table);
    qn_buffer_release(&p->steps);
    qn_buffer_release(&p->parameters);
    qn_buffer_release(&p->slices);
    qn_buffer_release(&p->images);
    for (int i = 0; i < 2; i++) {
        batch *b = &p->batches[i];
        qn_event_destroy(&b->done);
        qn_release(&b->steps);
        qn_release(&b->parameters);
        qn_release(&b->images);
        qn_release(&b->sums);
    }
    qn_device_release(&p->device);
    qn_views_clear(&p->views);
    qn_volume_destroy(&p->map);
}

qn_status qn_project_run(qn_context *context, const qn_project_options *options, qn_project_summary *summary)
{
    projection p = {.context = context, .options = options, .started_s = qn_clock_s()};
    QN_TRY(check_options(options));
    const qn_log_scope outer = qn_context_enter_log(context);
    qn_status status = project(&p);
    if (status == QN_OK && summary) {
        const double seconds = qn_clock_s() - p.started_s;
        *summary = (qn_project_summary){.images = p.views.set->particle_count,
                                        .image_side = p.problem.image_side,
                                        .voxel_angstrom = p.views.voxel_angstrom,
                                        .seconds = seconds,
                                        .images_per_s = (double)p.views.set->particle_count / seconds};
    }
    clear(&p);
    qn_tuning_finish(&p.tuning);
    qn_log_return(outer);
    return status;
}

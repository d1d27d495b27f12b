#include "movie/warp/warp.h"

#include <math.h>
#include <quern/fft.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/warp/kernels/shift_frame.h"
#include "movie/warp/power_spectrum.h"
#include "movie/warp/warp_plan.h"
#include "runtime/device.h"
#include "runtime/kept_buffer.h"

enum { POWER_ALIGNED, POWER_RECORDED, POWERS };

struct qn_warp {
    qn_device *device;
    qn_queue *queue;
    qn_warp_options options; /* `motion` and `ranks` are NULL; what is needed of them is below */
    qn_warp_plan plan;
    int frame_count, added, waiting; /* frames in all; added so far; of them in grids */
    double *shift_px;                /* [frame][2] */
    qn_warp_pass *passes;            /* every launch */
    double plain_mean, even_mean, weighted_mean;
    double *mean_weights; /* [frame] weight of a frame's mean in the weighted sum */

    qn_buffer *factors, *coefficients, *weights;
    qn_buffer *spectrum, *grids[QN_WARP_FRAMES_MAX], *rows, *sums;
    qn_buffer *group[POWERS], *power[POWERS];
    int inverse_size[2], weigh_size[2]; /* of the transforms that are made */
    qn_fft_plan *inverse;               /* of the fine grid */
    qn_fft_plan *weigh_forward, *weigh_inverse;
};

/* Grids that are needed: weighting takes two. */
static int grid_count(const qn_warp_plan *plan)
{
    return plan->ranks > 0 && plan->frames_a_pass < 2 ? 2 : plan->frames_a_pass;
}

static int power_count(const qn_warp_options *options)
{
    return options->spectrum_side == 0 ? 0 : options->spectrum_recorded ? 2 : 1;
}

uint64_t qn_warp_bytes(const qn_warp_options *options)
{
    qn_warp_plan plan;
    if (qn_warp_plan_make(options, &plan) != QN_OK) return 0;
    const uint64_t grids = (uint64_t)grid_count(&plan) * qn_warp_plan_grid_bytes(&plan);
    const uint64_t powers = 12 * (uint64_t)power_count(options) * qn_warp_plan_power_numbers(&plan);
    const uint64_t tables = 4 * (uint64_t)options->motion->frame_count * QN_WARP_COEFFICIENTS +
                            4 * (uint64_t)plan.ranks * QN_EXPOSURE_BINS +
                            4 * (uint64_t)(plan.limit[0] + plan.limit[1] + 2);
    return grids + powers + tables + qn_warp_plan_spectrum_bytes(&plan) + qn_warp_plan_sum_bytes(&plan) +
           qn_warp_rows_bytes(&plan.warp);
}

/* ---- create ---- */

static qn_status upload(qn_warp *warp, const float *numbers, size_t count, qn_buffer **buffer)
{
    QN_TRY(qn_buffer_reserve(warp->device, count * sizeof(float), buffer));
    QN_TRY(qn_queue_write(warp->queue, *buffer, 0, numbers, count * sizeof(float), NULL));
    return qn_queue_finish(warp->queue);
}

static qn_status make_factors(qn_warp *warp)
{
    void *memory;
    const size_t count = (size_t)(warp->plan.limit[0] + warp->plan.limit[1] + 2);
    QN_TRY(qn_allocate(count, sizeof(float), &memory));
    qn_warp_plan_factors(&warp->plan, warp->options.padded, memory);
    const qn_status status = upload(warp, memory, count, &warp->factors);
    qn_release(&memory);
    return status;
}

/* Coefficients of the field of each frame, in samples of the fine grid. */
static qn_status make_coefficients(qn_warp *warp, const qn_motion *motion)
{
    void *memory;
    double of_frame[QN_WARP_COEFFICIENTS];
    const size_t count = (size_t)motion->frame_count * QN_WARP_COEFFICIENTS;
    if (warp->plan.exact) return QN_OK;
    QN_TRY(qn_allocate(count, sizeof(float), &memory));
    float *numbers = memory;
    for (int t = 0; t < motion->frame_count; t++) {
        qn_motion_frame_coefficients(motion, t, of_frame);
        for (int i = 0; i < QN_WARP_COEFFICIENTS; i++)
            numbers[t * QN_WARP_COEFFICIENTS + i] = (float)(of_frame[i] * warp->plan.fine_per_pixel[i % 2]);
    }
    const qn_status status = upload(warp, numbers, count, &warp->coefficients);
    qn_release(&memory);
    return status;
}

static qn_status make_weights(qn_warp *warp, const qn_exposure_ranks *ranks)
{
    void *memory;
    if (!ranks) return QN_OK;
    const size_t count = (size_t)ranks->count * QN_EXPOSURE_BINS;
    QN_TRY(qn_allocate(count, sizeof(float), &memory));
    float *numbers = memory;
    for (size_t i = 0; i < count; i++) numbers[i] = (float)ranks->frequency[i];
    for (int t = 0; t < ranks->frame_count; t++)
        for (int r = 0; r < ranks->count; r++)
            warp->mean_weights[t] += ranks->frame[t * ranks->count + r] * ranks->frequency[r * QN_EXPOSURE_BINS];
    const qn_status status = upload(warp, numbers, count, &warp->weights);
    qn_release(&memory);
    return status;
}

static qn_status make_tables(qn_warp *warp, const qn_warp_options *options)
{
    void *memory;
    const size_t frames = (size_t)options->motion->frame_count, step = (size_t)warp->plan.frames_a_pass;
    QN_TRY(qn_allocate(3 * frames, sizeof(double), &memory));
    warp->shift_px = memory;
    warp->mean_weights = warp->shift_px + 2 * frames;
    memcpy(warp->shift_px, options->motion->global_px, 2 * frames * sizeof(double));
    QN_TRY(qn_allocate((frames + step - 1) / step, sizeof(qn_warp_pass), &memory));
    warp->passes = memory;
    for (size_t first = 0; first < frames; first += step)
        qn_warp_plan_pass(&warp->plan, options, (int)first, (int)(frames - first < step ? frames - first : step),
                          &warp->passes[first / step]);
    QN_TRY(make_factors(warp));
    QN_TRY(make_coefficients(warp, options->motion));
    return make_weights(warp, options->ranks);
}

static qn_status make_plan(qn_warp *warp, const int size[2], qn_fft_kind kind, qn_fft_plan **plan)
{
    const qn_fft_options options = {.size_bytes = sizeof options,
                                    .size = {size[0], size[1]},
                                    .kind = kind,
                                    .engine = qn_fft_engine_of(warp->device)};
    return qn_fft_plan_create(warp->device, &options, plan);
}

/* Transforms of the sizes of the plan; those of an earlier movie stay if their sizes fit. */
static qn_status make_transforms(qn_warp *warp)
{
    const int *fine = warp->plan.warp.fine, *padded = warp->plan.weigh.padded;
    if (warp->inverse_size[0] != fine[0] || warp->inverse_size[1] != fine[1]) {
        warp->inverse_size[0] = warp->inverse_size[1] = 0;
        qn_fft_plan_destroy(&warp->inverse);
        QN_TRY(make_plan(warp, fine, QN_FFT_REAL_INVERSE, &warp->inverse));
        memcpy(warp->inverse_size, fine, sizeof warp->inverse_size);
    }
    if (warp->plan.ranks > 0 && (warp->weigh_size[0] != padded[0] || warp->weigh_size[1] != padded[1])) {
        warp->weigh_size[0] = warp->weigh_size[1] = 0;
        qn_fft_plan_destroy(&warp->weigh_forward);
        qn_fft_plan_destroy(&warp->weigh_inverse);
        QN_TRY(make_plan(warp, padded, QN_FFT_REAL_FORWARD, &warp->weigh_forward));
        QN_TRY(make_plan(warp, padded, QN_FFT_REAL_INVERSE, &warp->weigh_inverse));
        memcpy(warp->weigh_size, padded, sizeof warp->weigh_size);
    }
    return QN_OK;
}

static qn_status make_buffers(qn_warp *warp)
{
    const qn_warp_plan *plan = &warp->plan;
    const size_t sum_bytes = qn_warp_plan_sum_bytes(plan), numbers = qn_warp_plan_power_numbers(plan);
    QN_TRY(qn_buffer_reserve(warp->device, qn_warp_plan_spectrum_bytes(plan), &warp->spectrum));
    for (int i = 0; i < grid_count(plan); i++)
        QN_TRY(qn_buffer_reserve(warp->device, qn_warp_plan_grid_bytes(plan), &warp->grids[i]));
    QN_TRY(qn_buffer_reserve(warp->device, qn_warp_rows_bytes(&plan->warp), &warp->rows));
    QN_TRY(qn_buffer_reserve(warp->device, sum_bytes, &warp->sums));
    QN_TRY(qn_queue_fill(warp->queue, warp->sums, 0, sum_bytes, 0, NULL));
    for (int i = 0; i < power_count(&warp->options); i++) {
        QN_TRY(qn_buffer_reserve(warp->device, 8 * numbers, &warp->group[i]));
        QN_TRY(qn_buffer_reserve(warp->device, 4 * numbers, &warp->power[i]));
        QN_TRY(qn_queue_fill(warp->queue, warp->power[i], 0, 4 * numbers, 0, NULL));
    }
    return QN_OK;
}

qn_status qn_warp_restart(qn_warp *warp, const qn_warp_options *options)
{
    warp->frame_count = warp->added = warp->waiting = 0; /* nothing can be added after a failure */
    warp->plain_mean = warp->even_mean = warp->weighted_mean = 0;
    qn_release(&warp->shift_px);
    qn_release(&warp->passes);
    QN_TRY(qn_warp_plan_make(options, &warp->plan));
    warp->options = *options;
    warp->options.motion = NULL, warp->options.ranks = NULL;
    QN_TRY(make_transforms(warp));
    QN_TRY(make_buffers(warp));
    QN_TRY(make_tables(warp, options));
    warp->frame_count = options->motion->frame_count;
    return QN_OK;
}

qn_status qn_warp_create(qn_device *device, qn_queue *queue, const qn_warp_options *options, qn_warp **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof(qn_warp), &memory));
    qn_warp *warp = memory;
    warp->device = qn_device_retain(device);
    warp->queue = queue;
    const qn_status status = qn_warp_restart(warp, options);
    if (status == QN_OK)
        *out = warp;
    else
        qn_warp_destroy(&warp);
    return status;
}

void qn_warp_destroy(qn_warp **pointer)
{
    qn_warp *warp = *pointer;
    if (!warp) return;
    qn_fft_plan_destroy(&warp->inverse);
    qn_fft_plan_destroy(&warp->weigh_forward);
    qn_fft_plan_destroy(&warp->weigh_inverse);
    for (int i = 0; i < POWERS; i++) {
        qn_buffer_release(&warp->group[i]);
        qn_buffer_release(&warp->power[i]);
    }
    for (int i = 0; i < QN_WARP_FRAMES_MAX; i++) qn_buffer_release(&warp->grids[i]);
    qn_buffer_release(&warp->factors);
    qn_buffer_release(&warp->coefficients);
    qn_buffer_release(&warp->weights);
    qn_buffer_release(&warp->spectrum);
    qn_buffer_release(&warp->rows);
    qn_buffer_release(&warp->sums);
    qn_device_release(&warp->device);
    qn_release(&warp->shift_px);
    qn_release(&warp->passes);
    qn_release(pointer);
}

/* ---- frames ---- */

static qn_status add_powers(qn_warp *warp, int frame, qn_buffer *spectrum)
{
    const int group = warp->options.spectrum_group;
    for (int i = 0; i < power_count(&warp->options); i++) {
        qn_shift_problem problem = {.first = frame % group == 0,
                                    .last = frame % group == group - 1 || frame == warp->frame_count - 1};
        for (int d = 0; d < 2; d++) {
            problem.from[d] = warp->options.padded[d];
            problem.limit[d] = warp->plan.power_limit[d];
            problem.shift_px[d] = i == POWER_RECORDED ? 0 : warp->shift_px[2 * frame + d];
        }
        QN_TRY(qn_add_power(warp->queue, NULL, &problem, spectrum, warp->group[i], warp->power[i], NULL));
    }
    return QN_OK;
}

/* Add the frames that wait in grids to the sums. */
static qn_status add_pass(qn_warp *warp)
{
    const qn_warp_pass *pass = &warp->passes[(warp->added - 1) / warp->plan.frames_a_pass];
    const qn_warp_problem *problem = &warp->plan.warp;
    warp->waiting = 0;
    if (!warp->plan.exact) QN_TRY(qn_warp_field_rows(warp->queue, problem, pass, warp->coefficients, warp->rows, NULL));
    return qn_warp_frames(warp->queue, NULL, problem, pass, warp->grids, warp->rows, warp->sums, NULL);
}

qn_status qn_warp_add(qn_warp *warp, int frame, qn_buffer *spectrum, double mean)
{
    if (frame != warp->added || frame >= warp->frame_count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "frame %d is added; expected frame %d of %d", frame + 1, warp->added + 1,
                       warp->frame_count);
    qn_shift_problem problem = {.shift_px = {warp->shift_px[2 * frame], warp->shift_px[2 * frame + 1]}};
    for (int d = 0; d < 2; d++) {
        problem.from[d] = warp->options.padded[d];
        problem.to[d] = warp->plan.warp.fine[d];
        problem.limit[d] = warp->plan.limit[d];
    }
    QN_TRY(add_powers(warp, frame, spectrum));
    QN_TRY(qn_shift_frame(warp->queue, NULL, &problem, spectrum, warp->factors, warp->spectrum, NULL));
    QN_TRY(qn_fft_execute(warp->inverse, warp->queue, warp->spectrum, warp->grids[warp->waiting++], NULL));
    warp->added++;
    warp->plain_mean += mean;
    warp->even_mean += frame % 2 == 0 ? mean : 0;
    warp->weighted_mean += warp->mean_weights[frame] * mean;
    return warp->waiting == warp->plan.frames_a_pass || warp->added == warp->frame_count ? add_pass(warp) : QN_OK;
}

/* ---- results ---- */

/* Weigh the sums of the ranks; the result replaces the first of them. */
static qn_status weigh(qn_warp *warp)
{
    const qn_weigh_problem *problem = &warp->plan.weigh;
    qn_buffer *padded = warp->grids[0], *spectrum = warp->grids[1], *weighted = warp->spectrum;
    const double scale = 1.0 / problem->padded[0] / problem->padded[1];
    for (int r = 0; r < warp->plan.ranks; r++) {
        QN_TRY(qn_pad_sum(warp->queue, NULL, problem, r, warp->sums, padded, NULL));
        QN_TRY(qn_fft_execute(warp->weigh_forward, warp->queue, padded, spectrum, NULL));
        QN_TRY(qn_weigh_sum(warp->queue, NULL, problem, r, r == 0, spectrum, warp->weights, weighted, NULL));
    }
    QN_TRY(qn_fft_execute(warp->weigh_inverse, warp->queue, weighted, padded, NULL));
    return qn_crop_sum(warp->queue, NULL, problem, 0, scale, padded, warp->sums, NULL);
}

/* Add the means, which the frames were without. */
static qn_status raise_sums(qn_warp *warp)
{
    const qn_warp_plan *plan = &warp->plan;
    const struct {
        int place;
        double mean;
    } sums[] = {{plan->ranks > 0 ? 0 : -1, warp->weighted_mean},
                {plan->plain, warp->plain_mean},
                {plan->even, warp->even_mean},
                {plan->odd, warp->plain_mean - warp->even_mean}};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if (sums[i].place >= 0)
            QN_TRY(qn_raise_sum(warp->queue, NULL, &plan->weigh, sums[i].place, sums[i].mean, warp->sums, NULL));
    return QN_OK;
}

static qn_status reserve(qn_micrographs *m, int image, size_t bytes, float **numbers)
{
    qn_warp_memory *memory = &m->memory[image];
    if (memory->bytes < bytes) {
        qn_host_memory_destroy(m->device, &memory->numbers);
        memory->bytes = 0;
        QN_TRY(qn_host_memory_create(m->device, bytes, &memory->numbers));
        memory->bytes = bytes;
    }
    *numbers = memory->numbers;
    return QN_OK;
}

static qn_status read_sum(qn_warp *warp, int place, int image, qn_micrographs *m, float **numbers)
{
    const size_t bytes = qn_warp_plan_sum_bytes(&warp->plan) / (size_t)warp->plan.warp.sums;
    QN_TRY(reserve(m, image, bytes, numbers));
    return qn_queue_read(warp->queue, warp->sums, bytes * (size_t)place, *numbers, bytes, NULL);
}

static qn_status read_sums(qn_warp *warp, qn_micrographs *m)
{
    const qn_warp_plan *plan = &warp->plan;
    if (plan->ranks > 0) QN_TRY(read_sum(warp, 0, QN_WARP_WEIGHTED, m, &m->weighted));
    if (plan->plain >= 0) QN_TRY(read_sum(warp, plan->plain, QN_WARP_PLAIN, m, &m->plain));
    if (plan->even >= 0) QN_TRY(read_sum(warp, plan->even, QN_WARP_EVEN, m, &m->even));
    if (plan->odd >= 0) QN_TRY(read_sum(warp, plan->odd, QN_WARP_ODD, m, &m->odd));
    m->adds_halves = plan->even >= 0 && (warp->options.plain || plan->ranks == 0);
    return QN_OK;
}

static qn_status read_powers(qn_warp *warp, qn_micrographs *m)
{
    const qn_warp_plan *plan = &warp->plan;
    const size_t bytes = qn_warp_plan_power_numbers(plan) * sizeof(float);
    for (int d = 0; d < 2; d++) {
        m->power_limit[d] = plan->power_limit[d];
        m->power_step[d] = 1 / (warp->options.padded[d] * warp->options.pixel_angstrom);
    }
    m->power_scale = 1.0 / warp->options.padded[0] / warp->options.padded[1];
    for (int i = 0; i < power_count(&warp->options); i++) {
        float *numbers;
        QN_TRY(reserve(m, QN_WARP_ALIGNED + i, bytes, &numbers));
        QN_TRY(qn_queue_read(warp->queue, warp->power[i], 0, numbers, bytes, NULL));
        m->has_power[i] = true;
    }
    return QN_OK;
}

static qn_status make_results(qn_warp *warp, qn_micrographs *m)
{
    if (warp->plan.ranks > 0) QN_TRY(weigh(warp));
    QN_TRY(raise_sums(warp));
    QN_TRY(read_sums(warp, m));
    QN_TRY(read_powers(warp, m));
    return qn_queue_finish(warp->queue);
}

/* Forget what an earlier movie left, but keep its memory. */
static void begin_results(const qn_warp *warp, qn_micrographs *m)
{
    if (m->device != warp->device) qn_micrographs_release(m);
    if (!m->device) m->device = qn_device_retain(warp->device);
    qn_release(&m->spectrum);
    qn_release(&m->recorded);
    m->weighted = m->plain = m->even = m->odd = NULL;
    m->adds_halves = m->has_power[0] = m->has_power[1] = false;
    m->width = warp->plan.warp.size[0];
    m->height = warp->plan.warp.size[1];
    m->pixel_angstrom = warp->options.bin * warp->options.pixel_angstrom;
    m->spectrum_side = warp->options.spectrum_side;
    m->spectrum_angstrom = warp->plan.power_angstrom;
}

qn_status qn_warp_finish(qn_warp *warp, qn_micrographs *micrographs)
{
    if (warp->added != warp->frame_count || warp->frame_count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%d frames were added; expected %d", warp->added, warp->frame_count);
    begin_results(warp, micrographs);
    const qn_status status = make_results(warp, micrographs);
    if (status == QN_OK) return QN_OK;
    const qn_status finished = qn_queue_finish(warp->queue); /* reads into the micrographs may be under way */
    qn_micrographs_release(micrographs);
    return status != QN_OK ? status : finished;
}

/* ---- results, without the device ---- */

enum { ADDED = 1 << 16 }; /* pixels of a task */

static qn_status add_halves(size_t index, int worker, void *user)
{
    qn_micrographs *m = user;
    const size_t count = (size_t)m->width * (size_t)m->height, first = index * ADDED;
    const size_t end = first + ADDED < count ? first + ADDED : count;
    (void)worker;
    for (size_t i = first; i < end; i++) m->plain[i] = m->even[i] + m->odd[i];
    return QN_OK;
}

static qn_status draw_spectrum(qn_micrographs *m, int which, qn_pool *pool, float **image)
{
    const size_t side = (size_t)m->spectrum_side;
    const qn_power_source source = {.power = m->memory[QN_WARP_ALIGNED + which].numbers,
                                    .limit = {m->power_limit[0], m->power_limit[1]},
                                    .step = {m->power_step[0], m->power_step[1]}};
    void *memory;
    if (!m->has_power[which]) return QN_OK;
    QN_TRY(qn_allocate(side * side, sizeof(float), &memory));
    *image = memory;
    return qn_power_spectrum_make(&source, m->spectrum_side, 1 / (m->spectrum_side * m->spectrum_angstrom),
                                  m->power_scale, pool, *image);
}

qn_status qn_micrographs_complete(qn_micrographs *m, qn_pool *pool)
{
    const size_t count = (size_t)m->width * (size_t)m->height;
    if (m->adds_halves && !m->plain) {
        QN_TRY(reserve(m, QN_WARP_PLAIN, count * sizeof(float), &m->plain));
        QN_TRY(qn_pool_run(pool, (count + ADDED - 1) / ADDED, add_halves, m));
    }
    if (!m->spectrum) QN_TRY(draw_spectrum(m, POWER_ALIGNED, pool, &m->spectrum));
    return m->recorded ? QN_OK : draw_spectrum(m, POWER_RECORDED, pool, &m->recorded);
}

void qn_micrographs_release(qn_micrographs *micrographs)
{
    for (int i = 0; i < QN_WARP_IMAGES && micrographs->device; i++)
        qn_host_memory_destroy(micrographs->device, &micrographs->memory[i].numbers);
    qn_device_release(&micrographs->device);
    qn_release(&micrographs->spectrum);
    qn_release(&micrographs->recorded);
    memset(micrographs, 0, sizeof *micrographs);
}

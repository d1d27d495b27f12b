/* Measurement of candidate sizes on the device, in turns, so that all run under the same conditions.
 *
 * In every round each candidate gives one sample: as many transforms as take some milliseconds, timed by the host's
 * clock from the first to the end of the last, divided by their number. All candidates share two buffers for input and
 * output. The input is 0: it stays 0 through inverse transforms that destroy it, and takes the same time. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "fft/advise.h"

enum { SAMPLES = 9, SAMPLES_LEAST = 3, REPEATS_MAX = 1000 };

/* Data of a measured batch; larger batches are measured with fewer transforms. */
enum { MEASURED_BYTES_MAX = 256 << 20 };

/* Length of a sample; length of a transform that counts as slow; time after which no further samples are taken. */
static const double sample_s = 0.004, slow_s = 1.0, budget_s = 20.0;

/* Candidates that are measured even if planning takes all the time (a slow compiler), with the wanted size among them.
 */
enum { MEASURED_LEAST = 4 };

/* Ratio to the best time above which a candidate is given up; for the wanted size, twice this ratio. */
static const double lost_ratio = 1.5;

typedef struct contender {
    qn_fft_advice *row;
    qn_fft_plan *plan; /* NULL: not planned, or destroyed to make room */
    qn_fft_options options;
    int repeats, sample_count;
    double samples[SAMPLES]; /* seconds of one transform of the measured batch */
    double batch_ratio;      /* wanted batch over measured batch */
    bool is_wanted, done;
} contender;

typedef struct contest {
    qn_device *device;
    qn_queue *queue;
    qn_buffer *input, *output;
    contender *contenders;
    size_t count;
    uint64_t room_bytes; /* memory for the workspaces of all plans */
} contest;

static void refuse(contender *one)
{
    qn_fft_refuse_row(one->row, "%s", qn_error_message());
    qn_error_clear();
    qn_fft_plan_destroy(&one->plan);
    one->done = true;
}

static void put_others_away(contest *all, const contender *but)
{
    for (size_t i = 0; i < all->count; i++)
        if (&all->contenders[i] != but && all->contenders[i].plan) qn_fft_plan_destroy(&all->contenders[i].plan);
}

static uint64_t work_of_all(const contest *all)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < all->count; i++)
        if (all->contenders[i].plan) bytes += qn_fft_plan_workspace_bytes(all->contenders[i].plan);
    return bytes;
}

/* Plan a contender. Plans are kept from round to round while there is memory for their workspaces. */
static qn_status plan_contender(contest *all, contender *one)
{
    if (one->plan) return QN_OK;
    qn_status status = qn_fft_plan_create(all->device, &one->options, &one->plan);
    if (status == QN_OUT_OF_MEMORY) {
        put_others_away(all, one);
        status = qn_fft_plan_create(all->device, &one->options, &one->plan);
    }
    QN_TRY(status);
    if (work_of_all(all) > all->room_bytes) put_others_away(all, one);
    return QN_OK;
}

static qn_status run(contest *all, const contender *one, int times, double *each_s)
{
    const double start_s = qn_clock_s();
    for (int i = 0; i < times; i++) QN_TRY(qn_fft_execute(one->plan, all->queue, all->input, all->output, NULL));
    QN_TRY(qn_queue_finish(all->queue));
    *each_s = (qn_clock_s() - start_s) / times;
    return QN_OK;
}

/* The first run of a contender warms up and sets the number of repeats; for a slow contender it is also a sample. */
static qn_status run_first(contest *all, contender *one)
{
    double seconds;
    QN_TRY(run(all, one, 1, &seconds));
    one->row->engine = qn_fft_plan_engine(one->plan);
    one->row->work_bytes = (uint64_t)((double)qn_fft_plan_workspace_bytes(one->plan) * one->batch_ratio);
    if (seconds > slow_s) {
        one->samples[one->sample_count++] = seconds;
        one->repeats = 1;
        return QN_OK;
    }
    if (seconds < sample_s) QN_TRY(run(all, one, seconds < sample_s / 100 ? 20 : 2, &seconds));
    one->repeats = seconds * REPEATS_MAX < sample_s ? REPEATS_MAX : (int)(sample_s / seconds) + 1;
    return QN_OK;
}

static qn_status take_sample(contest *all, contender *one)
{
    QN_TRY(plan_contender(all, one));
    if (one->repeats == 0) return run_first(all, one);
    QN_TRY(run(all, one, one->repeats, &one->samples[one->sample_count]));
    one->sample_count++;
    return QN_OK;
}

static double best_sample(const contender *one)
{
    double best = one->samples[0];
    for (int i = 1; i < one->sample_count; i++)
        if (one->samples[i] < best) best = one->samples[i];
    return one->sample_count > 0 ? best * one->batch_ratio : 1e30;
}

/* Stop contenders that have all their samples or are clearly slower than the best. */
static void retire(contest *all, double elapsed_s)
{
    double best_s = 1e30;
    for (size_t i = 0; i < all->count; i++) {
        const double seconds = best_sample(&all->contenders[i]);
        if (seconds < best_s) best_s = seconds;
    }
    for (size_t i = 0; i < all->count; i++) {
        contender *one = &all->contenders[i];
        const int least = one->is_wanted ? SAMPLES_LEAST : 2;
        const bool lost =
            one->sample_count >= least && best_sample(one) > (one->is_wanted ? 2 : 1) * lost_ratio * best_s;
        const bool slow = one->sample_count > 0 && best_sample(one) > 3 * slow_s && best_sample(one) > 2 * best_s;
        const bool late = elapsed_s > budget_s && one->sample_count >= SAMPLES_LEAST;
        if (one->done || !(lost || slow || late || one->sample_count == SAMPLES)) continue;
        one->done = true;
        qn_fft_plan_destroy(&one->plan);
    }
}

static qn_status run_rounds(contest *all)
{
    const double start_s = qn_clock_s();
    for (size_t round = 0, open = all->count; open > 0; round++) {
        open = 0;
        for (size_t i = 0; i < all->count; i++) {
            contender *one = &all->contenders[(i + round) % all->count]; /* the order changes from round to round */
            if (round == 0 && i >= MEASURED_LEAST && qn_clock_s() - start_s > budget_s) one->done = true;
            if (one->done) continue;
            const qn_status status = take_sample(all, one);
            if (status == QN_DEVICE_LOST) return status;
            if (status != QN_OK) refuse(one);
            open++;
        }
        retire(all, qn_clock_s() - start_s);
    }
    return QN_OK;
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, int count, double part)
{
    const double at = part * (count - 1);
    const int below = (int)at;
    return below + 1 < count ? sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]) : sorted[count - 1];
}

static void conclude(contender *one, uint64_t limit_bytes)
{
    qn_fft_advice *row = one->row;
    if (!row->usable || one->sample_count == 0) return;
    qsort(one->samples, (size_t)one->sample_count, sizeof one->samples[0], compare_numbers);
    row->measured = true;
    row->seconds = quantile(one->samples, one->sample_count, 0.5) * one->batch_ratio;
    row->spread_seconds =
        0.5 * one->batch_ratio *
        (quantile(one->samples, one->sample_count, 0.75) - quantile(one->samples, one->sample_count, 0.25));
    if (row->data_bytes + row->work_bytes > limit_bytes)
        qn_fft_refuse_row(row, "needs %.1f MiB, more than the %.1f MiB allowed",
                          (double)(row->data_bytes + row->work_bytes) / (1 << 20), (double)limit_bytes / (1 << 20));
}

static void size_bytes(const qn_fft_options *options, uint64_t *input, uint64_t *output)
{
    const uint64_t rows = (uint64_t)options->size[1] * (uint64_t)options->size[2] * (uint64_t)options->batch;
    const uint64_t grid = rows * (uint64_t)options->size[0] * sizeof(float);
    const uint64_t half = rows * ((uint64_t)options->size[0] / 2 + 1) * 2 * sizeof(float);
    *input = options->kind == QN_FFT_REAL_FORWARD ? grid : options->kind == QN_FFT_REAL_INVERSE ? half : 2 * grid;
    *output = options->kind == QN_FFT_REAL_FORWARD ? half : options->kind == QN_FFT_REAL_INVERSE ? grid : 2 * grid;
}

/* Allocate two buffers, large enough for the largest contender. */
static qn_status make_buffers(contest *all)
{
    uint64_t input = 4, output = 4;
    for (size_t i = 0; i < all->count; i++) {
        uint64_t in, out;
        size_bytes(&all->contenders[i].options, &in, &out);
        input = in > input ? in : input;
        output = out > output ? out : output;
    }
    QN_TRY(qn_queue_create(all->device, &all->queue));
    QN_TRY(qn_buffer_create(all->device, (size_t)input, &all->input));
    QN_TRY(qn_buffer_create(all->device, (size_t)output, &all->output));
    QN_TRY(qn_queue_fill(all->queue, all->input, 0, (size_t)input, 0, NULL));
    QN_TRY(qn_queue_fill(all->queue, all->output, 0, (size_t)output, 0, NULL));
    const uint64_t memory = qn_device_get_info(all->device)->memory_bytes, taken = input + output;
    all->room_bytes = memory / 2 > taken ? memory / 2 - taken : 0;
    return qn_queue_finish(all->queue);
}

static void enter(contest *all, const qn_fft_question *question, qn_fft_advice *row, bool is_wanted, int batch)
{
    contender *one = &all->contenders[all->count++];
    *one = (contender){.row = row, .is_wanted = is_wanted};
    one->options = (qn_fft_options){.size_bytes = sizeof(qn_fft_options),
                                    .batch = batch,
                                    .kind = question->options.kind,
                                    .engine = question->options.engine};
    memcpy(one->options.size, row->size, sizeof row->size);
    one->batch_ratio = (double)question->options.batch / batch;
}

qn_status qn_fft_measure_rows(qn_device *device, const qn_fft_question *question, qn_fft_advice *rows, size_t count,
                              size_t wanted)
{
    contest all = {.device = device};
    void *memory;
    uint64_t largest = 1;
    QN_TRY(qn_allocate(count, sizeof *all.contenders, &memory));
    all.contenders = memory;
    for (size_t i = 0; i < count; i++)
        if (rows[i].usable && rows[i].data_bytes > largest) largest = rows[i].data_bytes;
    const double share = (double)MEASURED_BYTES_MAX / (double)largest;
    const int batch = question->options.batch, measured = share >= 1                 ? batch
                                                          : (int)(share * batch) < 1 ? 1
                                                                                     : (int)(share * batch);
    for (size_t i = 0; i < count; i++)
        if (rows[i].usable) enter(&all, question, &rows[i], i == wanted, measured);
    qn_status status = make_buffers(&all);
    if (status == QN_OK) status = run_rounds(&all);
    for (size_t i = 0; i < all.count; i++) {
        if (status == QN_OK) conclude(&all.contenders[i], question->memory_limit_bytes);
        if (all.contenders[i].plan) qn_fft_plan_destroy(&all.contenders[i].plan);
    }
    qn_queue_destroy(&all.queue);
    qn_buffer_release(&all.input);
    qn_buffer_release(&all.output);
    qn_release(&all.contenders);
    return status;
}

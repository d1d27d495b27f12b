#include "movie/correct/correct.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/correct/kernels/correct_frames.h"
#include "runtime/kept_buffer.h"

enum { MEAN_STEP = 256, SAMPLES_STEP = 256 }; /* bytes; ranges of buffers begin at multiples of 256 */

struct qn_corrector {
    qn_queue *queue;
    const qn_detector *detector;
    qn_correct_problem problem;
    qn_correct_buffers buffers; /* `mean` has a place for each frame, MEAN_STEP bytes apart */
    int frames;
    qn_buffer *bad, *bad_values; /* pixels of this movie, and their gain */
    size_t bad_capacity;
};

static size_t pixels_of(const qn_corrector *c)
{
    return (size_t)c->problem.width * (size_t)c->problem.height;
}

static qn_correct_problem problem_of(int width, int height, qn_sample_kind kind, bool dark)
{
    return (qn_correct_problem){
        .width = width, .height = height, .padded = {width, height}, .kind = kind, .dark = dark};
}

size_t qn_corrector_bytes(int width, int height, qn_sample_kind kind, bool dark)
{
    const qn_correct_problem problem = problem_of(width, height, kind, dark);
    const size_t floats = (size_t)(dark ? 2 : 1) * (size_t)width * (size_t)height + qn_correct_sums(&problem);
    return sizeof(float) * floats;
}

size_t qn_corrector_step_bytes(int width, int height, qn_sample_kind kind)
{
    const qn_correct_problem problem = problem_of(width, height, kind, false);
    return (qn_correct_samples_bytes(&problem) + SAMPLES_STEP - 1) / SAMPLES_STEP * SAMPLES_STEP;
}

static qn_status create_buffers(qn_corrector *c)
{
    qn_device *device = qn_queue_device(c->queue);
    const size_t word = sizeof(float), plane = pixels_of(c) * word;
    QN_TRY(qn_buffer_create(device, plane, &c->buffers.gain));
    QN_TRY(qn_buffer_create(device, qn_correct_sums(&c->problem) * word, &c->buffers.block_sums));
    QN_TRY(qn_queue_write(c->queue, c->buffers.gain, 0, c->detector->gain, plane, NULL));
    if (!c->detector->dark) return QN_OK;
    QN_TRY(qn_buffer_create(device, plane, &c->buffers.dark));
    return qn_queue_write(c->queue, c->buffers.dark, 0, c->detector->dark, plane, NULL);
}

qn_status qn_corrector_create(qn_queue *queue, const qn_detector *detector, const int padded[2], qn_sample_kind kind,
                              qn_corrector **out)
{
    void *memory;
    *out = NULL;
    if (padded[0] < detector->width || padded[1] < detector->height)
        return QN_FAIL(QN_INVALID_ARGUMENT, "frames of %d x %d pixels padded to %d x %d; expected as many or more",
                       detector->width, detector->height, padded[0], padded[1]);
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_corrector *c = memory;
    c->queue = queue;
    c->detector = detector;
    c->problem = problem_of(detector->width, detector->height, kind, detector->dark != NULL);
    memcpy(c->problem.padded, padded, sizeof c->problem.padded);
    qn_status status = create_buffers(c);
    if (status == QN_OK) status = qn_queue_finish(queue);
    if (status != QN_OK)
        qn_corrector_destroy(&c);
    else
        *out = c;
    return status;
}

void qn_corrector_destroy(qn_corrector **corrector)
{
    qn_corrector *c = *corrector;
    if (!c) return;
    qn_buffer_release(&c->buffers.gain);
    qn_buffer_release(&c->buffers.dark);
    qn_buffer_release(&c->buffers.moves);
    qn_buffer_release(&c->buffers.block_sums);
    qn_buffer_release(&c->buffers.mean);
    qn_buffer_release(&c->bad);
    qn_buffer_release(&c->bad_values);
    qn_release(corrector);
}

/* Lists that last until the commands which read them are over. */
typedef struct bad_lists {
    int32_t *moves; /* [count][2] */
    float *values;  /* [count] */
} bad_lists;

static void clear_lists(bad_lists *lists)
{
    qn_release(&lists->moves);
    qn_release(&lists->values);
}

static qn_status reserve_bad(qn_corrector *c, size_t count)
{
    qn_device *device = qn_queue_device(c->queue);
    if (count <= c->bad_capacity) return QN_OK;
    qn_buffer_release(&c->bad);
    qn_buffer_release(&c->bad_values);
    qn_buffer_release(&c->buffers.moves);
    c->bad_capacity = 0;
    QN_TRY(qn_buffer_create(device, count * sizeof(int32_t), &c->bad));
    QN_TRY(qn_buffer_create(device, count * sizeof(float), &c->bad_values));
    QN_TRY(qn_buffer_create(device, 2 * count * sizeof(int32_t), &c->buffers.moves));
    c->bad_capacity = count;
    return QN_OK;
}

/* Put the detector's gain back where the latest movie's bad pixels were. */
static qn_status restore_gain(qn_corrector *c)
{
    const size_t count = (size_t)c->problem.bad_count;
    if (count == 0) return QN_OK;
    QN_TRY(qn_set_gain(c->queue, NULL, &c->problem, c->bad, c->bad_values, c->buffers.gain, NULL));
    c->problem.bad_count = 0;
    return QN_OK;
}

static int32_t padded_index(const qn_corrector *c, int32_t pixel)
{
    return pixel < 0 ? -1 : pixel / c->problem.width * c->problem.padded[0] + pixel % c->problem.width;
}

/* Set the gain of the bad pixels to 0, and then leave their own gain in bad_values, for restore_gain. */
static qn_status write_bad(qn_corrector *c, const qn_bad_pixels *bad, bad_lists *lists)
{
    void *memory;
    QN_TRY(reserve_bad(c, bad->count));
    QN_TRY(qn_allocate(2 * bad->count, sizeof *lists->moves, &memory));
    lists->moves = memory;
    QN_TRY(qn_allocate(bad->count, sizeof *lists->values, &memory));
    lists->values = memory;
    for (size_t i = 0; i < bad->count; i++) {
        lists->moves[2 * i] = padded_index(c, bad->pixels[i]);
        lists->moves[2 * i + 1] = padded_index(c, bad->replacements[i]);
        lists->values[i] = c->detector->gain[bad->pixels[i]];
    }
    c->problem.bad_count = (int)bad->count;
    const size_t bytes = bad->count * sizeof(int32_t);
    QN_TRY(qn_queue_write(c->queue, c->bad, 0, bad->pixels, bytes, NULL));
    QN_TRY(qn_queue_write(c->queue, c->buffers.moves, 0, lists->moves, 2 * bytes, NULL));
    QN_TRY(qn_queue_fill(c->queue, c->bad_values, 0, bytes, 0, NULL));
    QN_TRY(qn_set_gain(c->queue, NULL, &c->problem, c->bad, c->bad_values, c->buffers.gain, NULL));
    return qn_queue_write(c->queue, c->bad_values, 0, lists->values, bytes, NULL);
}

static qn_status reserve_means(qn_corrector *c, int frames)
{
    const size_t bytes = (size_t)frames * MEAN_STEP;
    c->frames = 0;
    QN_TRY(qn_buffer_reserve(qn_queue_device(c->queue), bytes, &c->buffers.mean));
    c->frames = frames;
    return qn_queue_fill(c->queue, c->buffers.mean, 0, bytes, 0, NULL);
}

qn_status qn_corrector_begin(qn_corrector *corrector, int frames, const qn_bad_pixels *bad)
{
    bad_lists lists = {0};
    QN_TRY(reserve_means(corrector, frames));
    QN_TRY(restore_gain(corrector));
    qn_status status = bad->count > 0 ? write_bad(corrector, bad, &lists) : QN_OK;
    const qn_status finished = qn_queue_finish(corrector->queue);
    clear_lists(&lists);
    return status != QN_OK ? status : finished;
}

qn_status qn_corrector_run(qn_corrector *corrector, qn_buffer *samples, size_t offset, int number, qn_buffer *frame)
{
    qn_correct_buffers buffers = corrector->buffers;
    if (number < 0 || number >= corrector->frames)
        return QN_FAIL(QN_INVALID_ARGUMENT, "frame %d is corrected; expected 1 to %d", number + 1, corrector->frames);
    buffers.samples = samples;
    buffers.samples_offset = offset;
    buffers.mean_offset = (size_t)number * MEAN_STEP;
    buffers.frame = frame;
    return qn_correct_frame(corrector->queue, NULL, &corrector->problem, &buffers, NULL);
}

qn_status qn_corrector_read_means(qn_corrector *corrector, float *means)
{
    const size_t bytes = (size_t)corrector->frames * MEAN_STEP;
    void *memory;
    QN_TRY(qn_allocate(1, bytes, &memory));
    qn_status status = qn_queue_read(corrector->queue, corrector->buffers.mean, 0, memory, bytes, NULL);
    const qn_status finished = qn_queue_finish(corrector->queue);
    if (status == QN_OK) status = finished;
    for (int t = 0; status == QN_OK && t < corrector->frames; t++)
        memcpy(&means[t], (const char *)memory + (size_t)t * MEAN_STEP, sizeof *means);
    qn_release(&memory);
    return status;
}

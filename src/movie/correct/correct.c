#include "movie/correct/correct.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/correct/kernels/correct_frames.h"

struct qn_corrector {
    qn_queue *queue;
    const qn_detector *detector;
    qn_correct_problem problem;
    size_t stored_bytes; /* of a frame in the caller's memory */
    qn_buffer *staging;  /* samples of one frame */
    qn_buffer *sum;
    qn_correct_buffers buffers;
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
    const size_t floats = (size_t)(dark ? 3 : 2) * (size_t)width * (size_t)height + qn_correct_sums(&problem) + 1;
    return qn_correct_samples_bytes(&problem) + sizeof(float) * floats;
}

size_t qn_corrector_samples_bytes(const qn_corrector *corrector)
{
    return qn_correct_samples_bytes(&corrector->problem);
}

static qn_status create_buffers(qn_corrector *c)
{
    qn_device *device = qn_queue_device(c->queue);
    const size_t word = sizeof(float), plane = pixels_of(c) * word;
    QN_TRY(qn_buffer_create(device, qn_corrector_samples_bytes(c), &c->staging));
    QN_TRY(qn_queue_fill(c->queue, c->staging, 0, qn_corrector_samples_bytes(c), 0, NULL)); /* its last bytes too */
    QN_TRY(qn_buffer_create(device, plane, &c->sum));
    QN_TRY(qn_buffer_create(device, plane, &c->buffers.gain));
    QN_TRY(qn_buffer_create(device, qn_correct_sums(&c->problem) * word, &c->buffers.block_sums));
    QN_TRY(qn_buffer_create(device, word, &c->buffers.mean));
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
    c->stored_bytes = pixels_of(c) * qn_sample_bytes(kind);
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
    qn_buffer_release(&c->staging);
    qn_buffer_release(&c->sum);
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

qn_status qn_corrector_set_bad(qn_corrector *corrector, const qn_bad_pixels *bad)
{
    bad_lists lists = {0};
    QN_TRY(restore_gain(corrector));
    qn_status status = bad->count > 0 ? write_bad(corrector, bad, &lists) : QN_OK;
    const qn_status finished = qn_queue_finish(corrector->queue);
    clear_lists(&lists);
    return status != QN_OK ? status : finished;
}

qn_status qn_corrector_begin(qn_corrector *corrector)
{
    QN_TRY(restore_gain(corrector));
    return qn_queue_fill(corrector->queue, corrector->sum, 0, pixels_of(corrector) * sizeof(float), 0, NULL);
}

static qn_status stage(qn_corrector *c, const void *samples)
{
    return qn_queue_write(c->queue, c->staging, 0, samples, c->stored_bytes, NULL);
}

qn_status qn_corrector_add(qn_corrector *corrector, const void *samples)
{
    QN_TRY(stage(corrector, samples));
    return qn_corrector_add_buffer(corrector, corrector->staging, 0);
}

qn_status qn_corrector_add_buffer(qn_corrector *corrector, qn_buffer *samples, size_t offset)
{
    return qn_sum_frame(corrector->queue, NULL, &corrector->problem, samples, offset, corrector->sum, NULL);
}

qn_status qn_corrector_read_sum(qn_corrector *corrector, float *raw_sum)
{
    QN_TRY(qn_queue_read(corrector->queue, corrector->sum, 0, raw_sum, pixels_of(corrector) * sizeof(float), NULL));
    return qn_queue_finish(corrector->queue);
}

qn_status qn_corrector_run(qn_corrector *corrector, const void *samples, qn_buffer *frame, float *mean,
                           qn_event **event)
{
    if (event) *event = NULL;
    QN_TRY(stage(corrector, samples));
    return qn_corrector_run_buffer(corrector, corrector->staging, 0, frame, mean, event);
}

qn_status qn_corrector_run_buffer(qn_corrector *corrector, qn_buffer *samples, size_t offset, qn_buffer *frame,
                                  float *mean, qn_event **event)
{
    qn_correct_buffers buffers = corrector->buffers;
    buffers.samples = samples;
    buffers.samples_offset = offset;
    buffers.frame = frame;
    if (event) *event = NULL;
    QN_TRY(qn_correct_frame(corrector->queue, NULL, &corrector->problem, &buffers, NULL));
    if (!mean) return event ? QN_FAIL(QN_INVALID_ARGUMENT, "an event of a frame's mean without the mean") : QN_OK;
    return qn_queue_read(corrector->queue, buffers.mean, 0, mean, sizeof *mean, event);
}

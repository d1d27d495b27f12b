/* Plans of transforms: the choice of the engine, and checks that all engines share. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/sized_struct.h"
#include "fft/engine.h"
#include "fft/estimate.h"
#include "runtime/device.h"
#include "runtime/trace.h"

struct qn_fft_plan {
    qn_device *device;
    const qn_fft_backend *backend;
    void *state;
    qn_fft_shape shape;
    qn_buffer *mark; /* buffer of devices other than the host, filled after a transform to make its event */
};

static const qn_fft_backend *const backends[] = {&qn_fft_own_backend, &qn_fft_fftw_backend, &qn_fft_cufft_backend,
                                                 &qn_fft_vkfft_cuda_backend, &qn_fft_vkfft_opencl_backend};

enum { BACKEND_COUNT = sizeof backends / sizeof backends[0] };

enum { MARK_BYTES = 4 };

/* Effort of AUTO for comparing a GPU's engines: number of timed runs of each, and limit of data. */
enum { MEASURED_RUNS = 5, MEASURED_BYTES_MAX = 256 << 20 };

qn_fft_engine qn_fft_engine_of(qn_device *device)
{
    return strcmp(qn_device_inner_driver(device), "host") == 0 ? QN_FFT_OWN : QN_FFT_VKFFT;
}

const char *qn_fft_engine_name(qn_fft_engine engine)
{
    switch (engine) {
    case QN_FFT_AUTO: return "auto";
    case QN_FFT_OWN: return "own";
    case QN_FFT_FFTW: return "fftw";
    case QN_FFT_VKFFT: return "vkfft";
    case QN_FFT_CUFFT: return "cufft";
    }
    return "unknown";
}

static qn_status make_shape(const qn_fft_options *options, qn_fft_shape *shape)
{
    memset(shape, 0, sizeof *shape);
    if ((unsigned)options->kind > QN_FFT_REAL_INVERSE)
        return QN_FAIL(QN_INVALID_ARGUMENT, "kind of the transform is %d; expected a qn_fft_kind, 0 to %d",
                       (int)options->kind, (int)QN_FFT_REAL_INVERSE);
    shape->kind = options->kind;
    shape->real = options->kind == QN_FFT_REAL_FORWARD || options->kind == QN_FFT_REAL_INVERSE;
    shape->forward = options->kind == QN_FFT_REAL_FORWARD || options->kind == QN_FFT_COMPLEX_FORWARD;
    if (options->batch < 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "batch of transforms is %d; expected at least 1", options->batch);
    shape->batch = options->batch > 0 ? options->batch : 1;
    shape->dimensions = 1;
    for (int axis = 0; axis < 3; axis++) {
        int size = options->size[axis];
        if (size == 0 && axis > 0) size = 1;
        if (size < 1)
            return QN_FAIL(QN_INVALID_ARGUMENT, "size of the transform along %c is %d; expected at least 1",
                           "xyz"[axis], size);
        const int filled = options->filled[axis];
        if (filled < 0 || filled > size)
            return QN_FAIL(QN_INVALID_ARGUMENT, "filled part along %c is %d; expected 0 (all) to the size, %d",
                           "xyz"[axis], filled, size);
        shape->size[axis] = size;
        shape->filled[axis] = filled > 0 && shape->forward ? filled : size;
        if (size > 1) shape->dimensions = axis + 1;
    }
    const size_t rows = (size_t)shape->size[1] * (size_t)shape->size[2];
    const size_t width = (size_t)shape->size[0], half_width = 2 * (width / 2 + 1);
    const bool real_input = options->kind == QN_FFT_REAL_FORWARD, real_output = options->kind == QN_FFT_REAL_INVERSE;
    shape->input_floats = rows * (real_input ? width : shape->real ? half_width : 2 * width);
    shape->output_floats = rows * (real_output ? width : shape->real ? half_width : 2 * width);
    return QN_OK;
}

static const qn_fft_backend *find_backend(qn_fft_engine engine, const char *driver)
{
    for (int i = 0; i < BACKEND_COUNT; i++)
        if (backends[i]->engine == engine && strcmp(backends[i]->driver, driver) == 0) return backends[i];
    return NULL;
}

qn_status qn_fft_check_engine(qn_device *device, qn_fft_engine engine)
{
    if (engine != QN_FFT_AUTO && !find_backend(engine, qn_device_inner_driver(device)))
        return QN_FAIL(QN_UNSUPPORTED, "the transform engine \"%s\" does not run on %s", qn_fft_engine_name(engine),
                       qn_device_get_info(device)->identifier);
    return QN_OK;
}

static qn_status use_backend(qn_fft_plan *plan, const qn_fft_backend *backend)
{
    QN_TRY(backend->create(plan->device, &plan->shape, &plan->state));
    plan->backend = backend;
    return strcmp(backend->driver, "host") == 0 ? QN_OK : qn_buffer_create(plan->device, MARK_BYTES, &plan->mark);
}

typedef struct measurement {
    qn_queue *queue;
    qn_buffer *input, *output;
} measurement;

static qn_status time_runs(const qn_fft_backend *backend, void *state, const measurement *on, double *best_s)
{
    QN_TRY(backend->execute(state, on->queue, on->input, on->output, NULL));
    QN_TRY(qn_queue_finish(on->queue));
    *best_s = 1e30;
    for (int run = 0; run < MEASURED_RUNS; run++) {
        const double start_s = qn_clock_s();
        QN_TRY(backend->execute(state, on->queue, on->input, on->output, NULL));
        QN_TRY(qn_queue_finish(on->queue));
        const double seconds = qn_clock_s() - start_s;
        if (seconds < *best_s) *best_s = seconds;
    }
    return QN_OK;
}

static qn_status time_backend(qn_device *device, const qn_fft_backend *backend, const qn_fft_shape *shape,
                              double *best_s)
{
    measurement on = {0};
    void *state = NULL;
    QN_TRY(backend->create(device, shape, &state));
    const size_t batch = (size_t)shape->batch;
    qn_status status = qn_queue_create(device, &on.queue);
    if (status == QN_OK) status = qn_buffer_create(device, batch * shape->input_floats * sizeof(float), &on.input);
    if (status == QN_OK) status = qn_buffer_create(device, batch * shape->output_floats * sizeof(float), &on.output);
    if (status == QN_OK) status = qn_queue_fill(on.queue, on.input, 0, qn_buffer_bytes(on.input), 0, NULL);
    if (status == QN_OK) status = time_runs(backend, state, &on, best_s);
    qn_queue_destroy(&on.queue);
    backend->destroy(state);
    qn_buffer_release(&on.input);
    qn_buffer_release(&on.output);
    return status;
}

/* Try every engine of the driver and take the fastest that works. */
static qn_status choose_by_measuring(qn_fft_plan *plan, const char *driver)
{
    const qn_fft_backend *best = NULL;
    double best_s = 1e30;
    qn_fft_shape shape = plan->shape;
    const size_t element_bytes = (shape.input_floats + shape.output_floats) * sizeof(float);
    const size_t most = MEASURED_BYTES_MAX / element_bytes + 1;
    if ((size_t)shape.batch > most) shape.batch = (int)most;
    for (int i = 0; i < BACKEND_COUNT; i++) {
        if (strcmp(backends[i]->driver, driver) != 0) continue;
        double seconds;
        if (time_backend(plan->device, backends[i], &shape, &seconds) != QN_OK) {
            qn_log(QN_LOG_DEBUG, "transform engine %s: %s", qn_fft_engine_name(backends[i]->engine),
                   qn_error_message());
            continue;
        }
        qn_log(QN_LOG_DEBUG, "transform engine %s: %.3f ms for %d of %d x %d x %d",
               qn_fft_engine_name(backends[i]->engine), 1e3 * seconds, shape.batch, shape.size[0], shape.size[1],
               shape.size[2]);
        if (seconds < best_s) {
            best_s = seconds;
            best = backends[i];
        }
    }
    if (!best) return qn_error_add_context(QN_UNSUPPORTED, "no transform engine works on this device");
    qn_error_clear();
    return use_backend(plan, best);
}

/* The choice on the host follows a rule, so that the bits of a run do not depend on measured times. Our own lines were
 * faster than FFTW for every size with passes for all its primes (bench/fft.c), and their sums of quadratic length are
 * still faster for primes up to about 200; above that FFTW has Rader's algorithm. */
static qn_status choose_on_host(qn_fft_plan *plan)
{
    if (!qn_fft_is_for_own(plan->shape.size)) {
        if (use_backend(plan, &qn_fft_fftw_backend) == QN_OK) return QN_OK;
        qn_log(QN_LOG_DEBUG, "transform engine fftw: %s", qn_error_message());
        qn_error_clear();
    }
    return use_backend(plan, &qn_fft_own_backend);
}

static qn_status choose_engine(qn_fft_plan *plan, qn_fft_engine engine)
{
    const char *driver = qn_device_inner_driver(plan->device);
    if (engine == QN_FFT_AUTO)
        return strcmp(driver, "host") == 0 ? choose_on_host(plan) : choose_by_measuring(plan, driver);
    QN_TRY(qn_fft_check_engine(plan->device, engine));
    return use_backend(plan, find_backend(engine, driver));
}

static qn_status create(qn_device *device, const qn_fft_options *options, qn_fft_plan **out)
{
    *out = NULL;
    qn_fft_shape shape;
    QN_TRY(make_shape(options, &shape));
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(qn_fft_plan), &memory));
    qn_fft_plan *plan = memory;
    plan->device = qn_device_retain(device);
    plan->shape = shape;
    qn_status status = choose_engine(plan, options->engine);
    if (status != QN_OK) {
        qn_fft_plan_destroy(&plan);
        return status;
    }
    *out = plan;
    return QN_OK;
}

qn_status qn_fft_plan_create(qn_device *device, const qn_fft_options *options, qn_fft_plan **out)
{
    qn_fft_options own = {.size_bytes = sizeof own};
    *out = NULL;
    QN_TRY(qn_sized_struct_copy(&own, sizeof own, options, "transform"));
    const qn_log_scope outer = qn_context_enter_log(qn_device_context(device));
    const qn_status status = create(device, &own, out);
    qn_log_return(outer);
    return status;
}

void qn_fft_plan_destroy(qn_fft_plan **plan)
{
    if (!*plan) return;
    if ((*plan)->backend) (*plan)->backend->destroy((*plan)->state);
    qn_buffer_release(&(*plan)->mark);
    qn_device_release(&(*plan)->device);
    qn_release(plan);
}

static qn_status check_buffer(const qn_buffer *buffer, const char *what, size_t floats, int batch)
{
    const size_t needed = floats * (size_t)batch * sizeof(float);
    if (qn_buffer_bytes(buffer) < needed)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the transform's %s has %zu bytes; a batch of %d needs %zu", what,
                       qn_buffer_bytes(buffer), batch, needed);
    return QN_OK;
}

/* Least work: the numbers of the input are read once, those of the output are written once. */
static qn_status trace_execution(const qn_fft_plan *plan, qn_queue *queue, const qn_trace_mark *mark)
{
    const qn_fft_shape *shape = &plan->shape;
    const double batch = sizeof(float) * (double)shape->batch;
    const qn_work work = {.bytes_read = batch * (double)shape->input_floats,
                          .bytes_written = batch * (double)shape->output_floats};
    char name[80];
    if (mark->since_s == 0) return QN_OK;
    snprintf(name, sizeof name, "fft: %s %s %d x %d x %d, %d at once", qn_fft_engine_name(plan->backend->engine),
             shape->forward ? "forward" : "inverse", shape->size[0], shape->size[1], shape->size[2], shape->batch);
    return qn_trace_end(queue, mark, name, &work);
}

qn_status qn_fft_execute(qn_fft_plan *plan, qn_queue *queue, qn_buffer *input, qn_buffer *output, qn_event **event)
{
    const qn_fft_shape *shape = &plan->shape;
    const size_t input_bytes = sizeof(float) * shape->input_floats * (size_t)shape->batch;
    const size_t output_bytes = sizeof(float) * shape->output_floats * (size_t)shape->batch;
    qn_trace_mark mark;
    if (qn_queue_device(queue) != plan->device)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the transform was planned for another device than the queue's");
    if (input == output)
        return QN_FAIL(QN_INVALID_ARGUMENT, "input and output of a transform are the same buffer; expected two");
    QN_TRY(check_buffer(input, "input", shape->input_floats, shape->batch));
    QN_TRY(check_buffer(output, "output", shape->output_floats, shape->batch));
    QN_TRY(qn_queue_note_native_use(queue, input, input_bytes, shape->real && !shape->forward));
    QN_TRY(qn_queue_note_native_use(queue, output, output_bytes, true));
    QN_TRY(qn_trace_begin(queue, &mark));
    QN_TRY(plan->backend->execute(plan->state, queue, input, output, event));
    QN_TRY(trace_execution(plan, queue, &mark));
    return plan->mark && event ? qn_queue_fill(queue, plan->mark, 0, MARK_BYTES, 0, event) : QN_OK;
}

qn_fft_engine qn_fft_plan_engine(const qn_fft_plan *plan)
{
    return plan->backend->engine;
}

size_t qn_fft_plan_workspace_bytes(const qn_fft_plan *plan)
{
    return plan->backend->workspace_bytes(plan->state);
}

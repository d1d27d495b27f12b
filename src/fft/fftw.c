/* FFTW as an engine of the host. The library is under the GPL, so it is never linked: where the user has it, it is
 * loaded at run time through the declarations below.
 *
 * One plan transforms one element; the pool's threads run it on different elements at once, which FFTW allows
 * (its "new-array execute" functions are thread-safe). A batch smaller than the pool leaves threads without work.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "fft/engine.h"
#include "runtime/device.h"

enum { FFTW_MEASURE_FLAG = 0, FFTW_UNALIGNED_FLAG = 1 << 1, FFTW_FORWARD_SIGN = -1, FFTW_BACKWARD_SIGN = +1 };

/* FFTW aligns for the widest vectors it was built for; a cache line covers them. */
enum { FFTW_ALIGNMENT = 64 };

/* Seconds that FFTW's planner may spend on measuring before it goes on with estimates. */
static const double planning_limit_s = 0.5;

typedef float fftw_complex_number[2];
typedef void *fftw_plan;

typedef struct fftw_api {
    void *library;
    fftw_plan (*plan_many_dft)(int rank, const int *n, int howmany, fftw_complex_number *in, const int *inembed,
                               int istride, int idist, fftw_complex_number *out, const int *onembed, int ostride,
                               int odist, int sign, unsigned flags);
    fftw_plan (*plan_many_dft_r2c)(int rank, const int *n, int howmany, float *in, const int *inembed, int istride,
                                   int idist, fftw_complex_number *out, const int *onembed, int ostride, int odist,
                                   unsigned flags);
    fftw_plan (*plan_many_dft_c2r)(int rank, const int *n, int howmany, fftw_complex_number *in, const int *inembed,
                                   int istride, int idist, float *out, const int *onembed, int ostride, int odist,
                                   unsigned flags);
    void (*execute_dft)(fftw_plan plan, fftw_complex_number *in, fftw_complex_number *out);
    void (*execute_dft_r2c)(fftw_plan plan, float *in, fftw_complex_number *out);
    void (*execute_dft_c2r)(fftw_plan plan, fftw_complex_number *in, float *out);
    void (*destroy_plan)(fftw_plan plan);
    void (*set_timelimit)(double seconds);
} fftw_api;

typedef struct fftw_state {
    fftw_api api;
    fftw_plan plan;
    qn_fft_shape shape;
} fftw_state;

/* FFTW's planner works on data of the whole process and is not thread-safe, so its lock is the process's as well. */
static pthread_mutex_t planner_mutex = PTHREAD_MUTEX_INITIALIZER;

static qn_status load(fftw_api *api)
{
    static const char *const name = "libfftw3f.so.3";
    api->library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!api->library) return QN_FAIL(QN_UNSUPPORTED, "%s cannot be loaded: %s", name, dlerror());
    const struct {
        const char *name;
        void *slot;
    } symbols[] = {
        {"fftwf_plan_many_dft", &api->plan_many_dft},         {"fftwf_plan_many_dft_r2c", &api->plan_many_dft_r2c},
        {"fftwf_plan_many_dft_c2r", &api->plan_many_dft_c2r}, {"fftwf_execute_dft", &api->execute_dft},
        {"fftwf_execute_dft_r2c", &api->execute_dft_r2c},     {"fftwf_execute_dft_c2r", &api->execute_dft_c2r},
        {"fftwf_destroy_plan", &api->destroy_plan},           {"fftwf_set_timelimit", &api->set_timelimit}};
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *symbol = dlsym(api->library, symbols[i].name);
        if (!symbol) return QN_FAIL(QN_UNSUPPORTED, "%s has no function %s", name, symbols[i].name);
        memcpy(symbols[i].slot, &symbol, sizeof symbol);
    }
    return QN_OK;
}

static void fftw_destroy(void *pointer)
{
    fftw_state *state = pointer;
    if (!state) return;
    if (state->plan) {
        pthread_mutex_lock(&planner_mutex);
        state->api.destroy_plan(state->plan);
        pthread_mutex_unlock(&planner_mutex);
    }
    if (state->api.library) dlclose(state->api.library);
    qn_release(&state);
}

static qn_status make_plan(fftw_state *state)
{
    const qn_fft_shape *shape = &state->shape;
    const fftw_api *api = &state->api;
    int size[3];
    for (int axis = 0; axis < shape->dimensions; axis++) size[axis] = shape->size[shape->dimensions - 1 - axis];
    const bool aligned = shape->batch == 1 || (shape->input_floats * sizeof(float) % FFTW_ALIGNMENT == 0 &&
                                               shape->output_floats * sizeof(float) % FFTW_ALIGNMENT == 0);
    const unsigned flags = FFTW_MEASURE_FLAG | (aligned ? 0 : FFTW_UNALIGNED_FLAG);
    void *input = NULL, *output = NULL; /* the planner's measurements overwrite these buffers */
    qn_status status = qn_allocate(shape->input_floats, sizeof(float), &input);
    if (status == QN_OK) status = qn_allocate(shape->output_floats, sizeof(float), &output);
    if (status == QN_OK) {
        pthread_mutex_lock(&planner_mutex);
        api->set_timelimit(planning_limit_s);
        if (!shape->real)
            state->plan = api->plan_many_dft(shape->dimensions, size, 1, input, NULL, 1, 0, output, NULL, 1, 0,
                                             shape->forward ? FFTW_FORWARD_SIGN : FFTW_BACKWARD_SIGN, flags);
        else if (shape->forward)
            state->plan =
                api->plan_many_dft_r2c(shape->dimensions, size, 1, input, NULL, 1, 0, output, NULL, 1, 0, flags);
        else
            state->plan =
                api->plan_many_dft_c2r(shape->dimensions, size, 1, input, NULL, 1, 0, output, NULL, 1, 0, flags);
        pthread_mutex_unlock(&planner_mutex);
    }
    qn_release(&input);
    qn_release(&output);
    QN_TRY(status);
    if (!state->plan)
        return QN_FAIL(QN_UNSUPPORTED, "FFTW has no plan for a transform of %d x %d x %d", shape->size[0],
                       shape->size[1], shape->size[2]);
    return QN_OK;
}

static qn_status fftw_create(qn_device *device, const qn_fft_shape *shape, void **out)
{
    (void)device;
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(fftw_state), &memory));
    fftw_state *state = memory;
    state->shape = *shape;
    qn_status status = load(&state->api);
    if (status == QN_OK) status = make_plan(state);
    if (status != QN_OK) {
        fftw_destroy(state);
        return status;
    }
    *out = state;
    return QN_OK;
}

typedef struct fftw_call {
    const fftw_state *state;
    float *input, *output;
} fftw_call;

static qn_status transform_element(size_t element, int worker, void *user)
{
    (void)worker;
    const fftw_call *call = user;
    const fftw_state *state = call->state;
    float *input = call->input + element * state->shape.input_floats;
    float *output = call->output + element * state->shape.output_floats;
    if (!state->shape.real)
        state->api.execute_dft(state->plan, (fftw_complex_number *)input, (fftw_complex_number *)output);
    else if (state->shape.forward)
        state->api.execute_dft_r2c(state->plan, input, (fftw_complex_number *)output);
    else
        state->api.execute_dft_c2r(state->plan, (fftw_complex_number *)input, output);
    return QN_OK;
}

static qn_status transform_batch(void *const *addresses, qn_pool *pool, void *user)
{
    const fftw_state *state = user;
    fftw_call call = {state, addresses[0], addresses[1]};
    return qn_pool_run(pool, (size_t)state->shape.batch, transform_element, &call);
}

static qn_status fftw_execute(void *state, qn_queue *queue, qn_buffer *input, qn_buffer *output, qn_event **event)
{
    return qn_queue_call_host(queue, transform_batch, (qn_buffer *const[]){input, output}, 2, state, event);
}

/* FFTW does not report its scratch memory. */
static size_t fftw_workspace_bytes(const void *state)
{
    (void)state;
    return 0;
}

const qn_fft_backend qn_fft_fftw_backend = {QN_FFT_FFTW,  "host",       fftw_create,
                                            fftw_destroy, fftw_execute, fftw_workspace_bytes};

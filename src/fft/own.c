/* Our own host transform as an engine. */
#include "base/error.h"
#include "base/memory.h"
#include "fft/engine.h"
#include "fft/host_transform.h"
#include "runtime/device.h"

typedef struct own_state {
    qn_host_transform *transform;
    void *scratch; /* scratch of each thread of the context's pool */
    size_t scratch_bytes;
    int batch;
} own_state;

static void own_destroy(void *pointer)
{
    own_state *state = pointer;
    if (!state) return;
    qn_host_transform_destroy(&state->transform);
    qn_release(&state->scratch);
    qn_release(&state);
}

static qn_status own_create(qn_device *device, const qn_fft_shape *shape, void **out)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(own_state), &memory));
    own_state *state = memory;
    const size_t threads = (size_t)qn_pool_threads(qn_context_pool(qn_device_context(device)));
    state->batch = shape->batch;
    qn_status status = qn_host_transform_create(shape->size, shape->filled, shape->kind, &state->transform);
    if (status == QN_OK) {
        state->scratch_bytes = threads * qn_host_transform_scratch_bytes(state->transform);
        status = qn_allocate(state->scratch_bytes, 1, &state->scratch);
    }
    if (status != QN_OK) {
        own_destroy(state);
        return status;
    }
    *out = state;
    return QN_OK;
}

static qn_status own_call(void *const *addresses, qn_pool *pool, void *user)
{
    own_state *state = user;
    return qn_host_transform_run(state->transform, pool, state->batch, addresses[0], addresses[1], state->scratch);
}

static qn_status own_execute(void *state, qn_queue *queue, qn_buffer *input, qn_buffer *output, qn_event **event)
{
    return qn_queue_call_host(queue, own_call, (qn_buffer *const[]){input, output}, 2, state, event);
}

static size_t own_workspace_bytes(const void *state)
{
    return ((const own_state *)state)->scratch_bytes;
}

const qn_fft_backend qn_fft_own_backend = {QN_FFT_OWN,  "host",      own_create,
                                           own_destroy, own_execute, own_workspace_bytes};

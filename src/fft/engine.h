/* Interface of a transform engine. Each engine has one constant struct for each driver; plan.c lists them. */
#ifndef QN_FFT_ENGINE_H
#define QN_FFT_ENGINE_H

#include <quern/fft.h>

/* Shape of a transform, with defaults filled in. */
typedef struct qn_fft_shape {
    int size[3]; /* trailing axes have length 1 */
    int filled[3];
    int dimensions; /* 1 … 3: without trailing axes of length 1 */
    int batch;
    qn_fft_kind kind;
    bool real, forward;
    size_t input_floats, output_floats; /* floats of one element of the batch */
} qn_fft_shape;

typedef struct qn_fft_backend {
    qn_fft_engine engine;
    const char *driver; /* "host", "opencl", "cuda" */

    /* Make a plan. QN_UNSUPPORTED or QN_NO_DEVICE with the reason if the engine's library is absent. */
    qn_status (*create)(qn_device *device, const qn_fft_shape *shape, void **state);
    void (*destroy)(void *state); /* accepts NULL */
    /* Execute a plan. Host engines make the event; for others plan.c does. */
    qn_status (*execute)(void *state, qn_queue *queue, qn_buffer *input, qn_buffer *output, qn_event **event);
    size_t (*workspace_bytes)(const void *state);
} qn_fft_backend;

/* Check that an engine runs on such a device: QN_UNSUPPORTED. AUTO always does. */
QN_MUST_CHECK qn_status qn_fft_check_engine(qn_device *device, qn_fft_engine engine);

/* Local memory that VkFFT uses on a CUDA device, which may be more than the usual 48 KiB of a kernel. 0: unknown. */
uint64_t qn_fft_vkfft_cuda_local_bytes(qn_device *device);

extern const qn_fft_backend qn_fft_own_backend, qn_fft_fftw_backend, qn_fft_vkfft_opencl_backend,
    qn_fft_vkfft_cuda_backend, qn_fft_cufft_backend;

#endif

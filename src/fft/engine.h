/* What a transform engine offers to plan.c. One constant struct an engine and driver; plan.c lists them. */
#ifndef QN_FFT_ENGINE_H
#define QN_FFT_ENGINE_H

#include <quern/fft.h>

/* A transform as asked for, defaults filled in. */
typedef struct qn_fft_shape {
    int size[3]; /* trailing axes 1 */
    int filled[3];
    int dimensions; /* 1 … 3: without trailing axes of length 1 */
    int batch;
    qn_fft_kind kind;
    bool real, forward;
    size_t input_floats, output_floats; /* of one element */
} qn_fft_shape;

typedef struct qn_fft_backend {
    qn_fft_engine engine;
    const char *driver; /* "host", "opencl", "cuda" */

    /* QN_UNSUPPORTED or QN_NO_DEVICE with the reason where the engine's library is absent. */
    qn_status (*create)(qn_device *device, const qn_fft_shape *shape, void **state);
    void (*destroy)(void *state); /* accepts NULL */
    /* Host engines make the event; the others leave it to plan.c. */
    qn_status (*execute)(void *state, qn_queue *queue, qn_buffer *input, qn_buffer *output, qn_event **event);
    size_t (*workspace_bytes)(const void *state);
} qn_fft_backend;

/* QN_UNSUPPORTED when the engine never runs on such a device; AUTO always does. */
QN_MUST_CHECK qn_status qn_fft_check_engine(qn_device *device, qn_fft_engine engine);

/* Local memory that VkFFT uses on a CUDA device: what a kernel may ask for beyond the usual 48 KiB. 0: unknown. */
uint64_t qn_fft_vkfft_cuda_local_bytes(qn_device *device);

extern const qn_fft_backend qn_fft_own_backend, qn_fft_fftw_backend, qn_fft_vkfft_opencl_backend,
    qn_fft_vkfft_cuda_backend, qn_fft_cufft_backend;

#endif

/* VkFFT back ends of a build without VkFFT, which fail with a message. */
#ifndef QN_FFT_VKFFT_ABSENT_H
#define QN_FFT_VKFFT_ABSENT_H

#include "base/error.h"
#include "fft/engine.h"

static qn_status vkfft_create(qn_device *device, const qn_fft_shape *shape, void **state)
{
    (void)device, (void)shape, (void)state;
    return QN_FAIL(QN_UNSUPPORTED,
                   "this build has no VkFFT: vkFFT.h (Debian's libvkfft-dev) was missing at build time");
}

static void vkfft_destroy(void *state)
{
    (void)state;
}

static qn_status vkfft_execute(void *state, qn_queue *queue, qn_buffer *input, qn_buffer *output, qn_event **event)
{
    (void)queue, (void)input, (void)output, (void)event;
    return vkfft_create(NULL, NULL, &state);
}

static size_t vkfft_workspace_bytes(const void *state)
{
    (void)state;
    return 0;
}

#endif

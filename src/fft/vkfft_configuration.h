/* Parts that both VkFFT back ends share: the inclusion of VkFFT, and its configuration for a shape.
 *
 * VkFFT is one large header whose types depend on the back end. So each back end is one file that defines VKFFT_BACKEND
 * and includes this header; nothing else includes it. CMake puts the folder shim/ first in those files' include path.
 */
#ifndef QN_FFT_VKFFT_CONFIGURATION_H
#define QN_FFT_VKFFT_CONFIGURATION_H

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "base/log.h"
#include "fft/engine.h"

/* Log the messages that VkFFT prints: compilers' messages and, after them, whole kernels. */
static void QN_PRINTF_LIKE(1, 2) log_instead(const char *format, ...)
{
    char text[4096];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    qn_log(QN_LOG_DEBUG, "VkFFT: %s", text);
}

/* VkFFT sets the process's locale while it writes numbers into kernels; instead the locale of this thread is set. */
#define printf log_instead
#define setlocale(category, name) ((char *)NULL)
#include <vkFFT.h>
#undef printf
#undef setlocale

/* Fill in sizes and buffers. Axes of length 1 are left out, as VkFFT wants; x always stays for real transforms. */
static qn_status fill_configuration(const qn_fft_shape *shape, VkFFTConfiguration *to)
{
    uint64_t real_step = 1, complex_step = 1;
    int axes = 0;
    for (int axis = 0; axis < 3; axis++) {
        const uint64_t size = (uint64_t)shape->size[axis];
        if (size == 1 && !(axis == 0 && shape->real)) continue;
        to->size[axes] = size;
        real_step *= size;
        complex_step *= axis == 0 && shape->real ? size / 2 + 1 : size;
        to->bufferStride[axes] = complex_step;
        to->inputBufferStride[axes] = shape->real ? real_step : complex_step;
        if (shape->filled[axis] < shape->size[axis]) {
            to->performZeropadding[axes] = 1;
            to->fft_zeropad_left[axes] = (uint64_t)shape->filled[axis];
            to->fft_zeropad_right[axes] = size;
        }
        axes++;
    }
    if (axes == 0 || (shape->real && shape->size[0] == 1))
        return QN_FAIL(QN_UNSUPPORTED, "VkFFT does not support transforms of length 1 along x");
    to->FFTdim = (uint64_t)axes;
    to->numberBatches = (uint64_t)shape->batch;
    /* VkFFT's own rule for 64-bit indices ignores the batch. */
    const size_t most = shape->input_floats > shape->output_floats ? shape->input_floats : shape->output_floats;
    to->useUint64 = most * (size_t)shape->batch >= (size_t)1 << 31;
    to->performR2C = shape->real;
    to->makeForwardPlanOnly = shape->forward;
    to->makeInversePlanOnly = !shape->forward;
    /* The grid is VkFFT's "input buffer", and the half spectrum is the "buffer" that is transformed in place: forward
     * goes from the first to the second, the real inverse back. Complex inverses read the input buffer and do not
     * change it. */
    to->isInputFormatted = 1;
    to->inverseReturnToInputBuffer = shape->real && !shape->forward;
    return QN_OK;
}

/* Numbers in kernel texts need a decimal point whatever the locale. */
static VkFFTResult initialize(VkFFTApplication *application, VkFFTConfiguration configuration)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = plain ? uselocale(plain) : (locale_t)0;
    VkFFTResult result = initializeVkFFT(application, configuration);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    return result;
}

static qn_status check_result(VkFFTResult result, const char *doing, const qn_fft_shape *shape)
{
    if (result == VKFFT_SUCCESS) return QN_OK;
    const qn_status status = result == VKFFT_ERROR_MALLOC_FAILED || result == VKFFT_ERROR_FAILED_TO_ALLOCATE
                                 ? QN_OUT_OF_MEMORY
                             : result == VKFFT_ERROR_FAILED_TO_COMPILE_PROGRAM ? QN_BUILD_FAILED
                             : result == VKFFT_ERROR_FAILED_TO_LAUNCH_KERNEL   ? QN_LAUNCH_FAILED
                                                                               : QN_UNSUPPORTED;
    return QN_FAIL(status, "%s %d transforms of %d x %d x %d failed with VkFFT's error %d", doing, shape->batch,
                   shape->size[0], shape->size[1], shape->size[2], (int)result);
}

#endif

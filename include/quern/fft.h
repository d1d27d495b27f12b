/* Fourier transforms of batches of 1-, 2- and 3-D grids on any device.
 *
 * Sizes are in order x, y, z with x contiguous. Real grids are nx·ny·nz floats; their half spectra are
 * (nx/2 + 1)·ny·nz complex numbers (real, imaginary interleaved), packed without padding. Transforms are not scaled:
 * forward then inverse multiplies by nx·ny·nz. Batch elements follow one another.
 *
 * Zero-padded inputs: `filled` says that only x < filled[0], y < filled[1], z < filled[2] of the grid given to the
 * forward transform can differ from 0; engines that can, skip the rest. The rest must still be 0 in memory.
 *
 * Life cycle: plan create (may compile or measure) → execute many times → destroy.
 * Thread rule: as the queue it runs on.
 *
 *     qn_fft_plan_create(device, &(qn_fft_options){.size = {108, 108, 108}, .batch = 8, .kind = QN_FFT_REAL_FORWARD},
 *                        &plan);
 *     qn_fft_execute(plan, queue, grids, spectra, NULL);
 */
#ifndef QUERN_FFT_H
#define QUERN_FFT_H

#include <quern/queue.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qn_fft_plan qn_fft_plan;

typedef enum qn_fft_kind {
    QN_FFT_COMPLEX_FORWARD,
    QN_FFT_COMPLEX_INVERSE,
    QN_FFT_REAL_FORWARD, /* real grid → half spectrum */
    QN_FFT_REAL_INVERSE  /* half spectrum → real grid; the input may be destroyed */
} qn_fft_kind;

/* The engine that computes: AUTO measures those that can and keeps the fastest. */
typedef enum qn_fft_engine {
    QN_FFT_AUTO,
    QN_FFT_OWN,   /* our lines, host */
    QN_FFT_FFTW,  /* host, when libfftw3f can be loaded */
    QN_FFT_VKFFT, /* opencl, cuda */
    QN_FFT_CUFFT  /* cuda, when libcufft can be loaded */
} qn_fft_engine;

typedef struct qn_fft_options {
    int size[3];   /* x, y, z; trailing 0 or 1 for fewer dimensions */
    int filled[3]; /* 0: the whole axis */
    int batch;     /* 0: 1 */
    qn_fft_kind kind;
    qn_fft_engine engine;
} qn_fft_options;

/* Errors: QN_INVALID_ARGUMENT for sizes < 1; QN_UNSUPPORTED when the engine does not run on this device. */
QN_MUST_CHECK qn_status qn_fft_plan_create(qn_device *device, const qn_fft_options *options, qn_fft_plan **plan);
void qn_fft_plan_destroy(qn_fft_plan **plan);

/* Out of place; input and output must be different buffers large enough for the whole batch. Asynchronous. The event
 * tells when the transform is done; its seconds are the transform's on the host alone. One execution of a plan at a
 * time: a plan has one workspace. */
QN_MUST_CHECK qn_status qn_fft_execute(qn_fft_plan *plan, qn_queue *queue, qn_buffer *input, qn_buffer *output,
                                       qn_event **event);

qn_fft_engine qn_fft_plan_engine(const qn_fft_plan *plan);
const char *qn_fft_engine_name(qn_fft_engine engine); /* "own", "fftw", "vkfft", "cufft", "auto" */

/* Device bytes the plan holds besides its input and output. */
size_t qn_fft_plan_workspace_bytes(const qn_fft_plan *plan);

/* The smallest size ≥ `least` that the engine transforms fast (its prime factors: own and fftw 2 3 5 7; vkfft and cufft
 * 2 3 5 7 as well, even preferred for real transforms along x). */
int qn_fft_next_fast_size(qn_fft_engine engine, int least);

#ifdef __cplusplus
}
#endif
#endif

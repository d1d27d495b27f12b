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
 *     const qn_fft_options options = {.size_bytes = sizeof options, .size = {16, 16, 16}, .kind = QN_FFT_REAL_FORWARD};
 *     qn_fft_plan *plan;
 *     if (qn_fft_plan_create(device, &options, &plan) != QN_OK) return 1;
 *     if (qn_fft_execute(plan, queue, grid, spectrum, NULL) != QN_OK || qn_queue_finish(queue) != QN_OK) return 1;
 *     printf("transformed by %s\n", qn_fft_engine_name(qn_fft_plan_engine(plan)));
 *     qn_fft_plan_destroy(&plan);
 */
#ifndef QUERN_FFT_H
#define QUERN_FFT_H

#include <quern/option.h>
#include <quern/queue.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct qn_fft_plan qn_fft_plan;

typedef enum qn_fft_kind {
    QN_FFT_COMPLEX_FORWARD,
    QN_FFT_COMPLEX_INVERSE,
    QN_FFT_REAL_FORWARD, /* real grid → half spectrum */
    QN_FFT_REAL_INVERSE  /* half spectrum → real grid; the input may be destroyed */
} qn_fft_kind;

/* Engine of a transform. AUTO chooses OWN or FFTW on the host by a fixed rule; on GPUs it measures the engines and
 * keeps the fastest. */
typedef enum qn_fft_engine {
    QN_FFT_AUTO,
    QN_FFT_OWN,   /* Quern's own transform, host */
    QN_FFT_FFTW,  /* host, when libfftw3f can be loaded */
    QN_FFT_VKFFT, /* opencl, cuda */
    QN_FFT_CUFFT  /* cuda, when libcufft can be loaded */
} qn_fft_engine;

typedef struct qn_fft_options {
    size_t size_bytes; /* of this struct */
    int size[3];       /* x, y, z; trailing 0 or 1 for fewer dimensions */
    int filled[3];     /* extent of the numbers that may differ from 0; 0: the whole axis */
    int batch;         /* 0: 1 */
    qn_fft_kind kind;
    qn_fft_engine engine;
} qn_fft_options;

/* Make a plan. QN_INVALID_ARGUMENT for sizes < 1; QN_UNSUPPORTED if the engine does not run on this device. */
QN_MUST_CHECK qn_status qn_fft_plan_create(qn_device *device, const qn_fft_options *options, qn_fft_plan **plan);
void qn_fft_plan_destroy(qn_fft_plan **plan);

/* Run a transform out of place: input and output are different buffers that hold the whole batch. Asynchronous. The
 * event is set when the transform is done; its seconds are the transform's on the host only. A plan has one workspace,
 * so only one execution of it may run at a time. */
QN_MUST_CHECK qn_status qn_fft_execute(qn_fft_plan *plan, qn_queue *queue, qn_buffer *input, qn_buffer *output,
                                       qn_event **event);

/* Engine that the device always has, for results that must not depend on which engine was faster when they were
 * compared. */
qn_fft_engine qn_fft_engine_of(qn_device *device);

qn_fft_engine qn_fft_plan_engine(const qn_fft_plan *plan);
const char *qn_fft_engine_name(qn_fft_engine engine); /* "own", "fftw", "vkfft", "cufft", "auto" */

/* Bytes of device memory that a plan holds besides its input and output. */
size_t qn_fft_plan_workspace_bytes(const qn_fft_plan *plan);

/* Smallest fast size of at least `least` points: the smallest even number ≥ `least` with prime factors 2, 3, 5 and 7
 * only (1 for least ≤ 1, and `least` itself above QN_FFT_SIZE_MAX, where no plan can be made). This is a rule without
 * measurements and the same for every engine, so that a program's grid, and with it its result, is the same on every
 * machine. qn_fft_advise finds faster sizes where results may differ. */
int qn_fft_next_fast_size(qn_fft_engine engine, int least);

/* Advice on sizes: which size near a wanted one is transformed fastest.
 *
 * A size may shrink to ceil(size · (1 − crop)) and grow to floor(size · (1 + grow)) along each axis; an axis of length
 * 1 stays. Sizes in these limits are compared by an estimate of passes and arithmetic, the best of them are measured
 * in turns with the wanted size, and the wanted size stays the advice unless another is faster beyond the noise.
 * Measured answers are kept for the device in $XDG_CACHE_HOME/quern (or ~/.cache/quern).
 *
 *     qn_fft_advice_options options = qn_fft_advice_default_options();
 *     options.size[0] = 4096, options.size[1] = 4092;
 *     qn_fft_advice_report *report;
 *     if (qn_fft_advise(device, &options, &report) == QN_OK) use(report->rows[0].size);
 *     qn_fft_advice_report_destroy(&report);
 */
enum { QN_FFT_SIZE_MAX = 1 << 28, QN_FFT_ADVICE_ROWS_MAX = 32 };

typedef struct qn_fft_advice_options {
    size_t size_bytes;  /* of this struct */
    qn_run_options run; /* `memory_bytes`: limit of data and work memory together, 0: the device's memory; commands use
                           device and threads */
    int size[3];        /* wanted size: x, y, z; trailing 0 or 1 for fewer dimensions; up to QN_FFT_SIZE_MAX */
    double crop_percent[3]; /* most that an axis may shrink; default 0; NaN for axes that are not given */
    double grow_percent[3]; /* most that an axis may grow; default 20; likewise */
    int batch;              /* default 1 */
    qn_fft_kind kind;
    qn_fft_engine engine;
    bool swap_axes;         /* axes may change places */
    bool without_measuring; /* compare by estimates only */
    bool without_cache;     /* neither use nor store measured answers */
    bool measure_again;     /* do not use a stored answer, but store the new one */
    int candidates;         /* number of sizes that are measured besides the wanted one; default 8 */
} qn_fft_advice_options;

const qn_option_table *qn_fft_advice_option_table(void); /* see <quern/option.h> */

static inline qn_fft_advice_options qn_fft_advice_default_options(void)
{
    qn_fft_advice_options options;
    qn_option_defaults(qn_fft_advice_option_table(), &options, sizeof options);
    return options;
}

typedef struct qn_fft_advice {
    int size[3];
    int wanted_axis[3]; /* axis of the wanted size that stands here: 0, 1, 2 unless axes were swapped */
    double change_percent[3];
    int passes;             /* host: radix passes of the lines of all axes; GPU: kernels that go over the whole data */
    double predicted_ratio; /* estimated time over that of the wanted size */
    bool measured;
    double seconds, spread_seconds;  /* time of the whole batch: median, and half the distance of the quartiles */
    qn_fft_engine engine;            /* engine that ran if measured, else the estimated one */
    uint64_t data_bytes, work_bytes; /* input and output; workspace of the engine (estimated if not measured) */
    double speed_up; /* speed over that of the wanted size, measured if both were, else predicted; 0: unknown */
    bool is_wanted;
    bool usable;      /* within the memory limit, and accepted by the engine */
    char reason[192]; /* reason why the size is not usable; "": it is usable */
} qn_fft_advice;

typedef struct qn_fft_advice_report {
    qn_fft_advice *rows; /* rows, the best first; the wanted size is among them */
    size_t row_count;
    size_t wanted;     /* row of the wanted size */
    size_t considered; /* number of sizes compared by the estimate */
    bool from_cache;
} qn_fft_advice_report;

/* Compare sizes. *report is allocated by the library, and NULL on failure. Errors: QN_INVALID_ARGUMENT for sizes and
 * limits out of range, and when nothing may change; QN_UNSUPPORTED when the engine does not run on this device;
 * QN_OUT_OF_MEMORY when no size fits the memory limit. */
QN_MUST_CHECK qn_status qn_fft_advise(qn_device *device, const qn_fft_advice_options *options,
                                      qn_fft_advice_report **report);
void qn_fft_advice_report_destroy(qn_fft_advice_report **report);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

/* What a transform of a size will cost, without running it: passes over the data, relative time, work memory.
 *
 * An engine is described by the primes it has butterflies for, what they cost, how long a line it transforms in one
 * pass over memory (along x, and along y and z where lines lie apart), and what it does about other primes. Costs are
 * arithmetic and loads per complex point in the unit of qn_line_length_cost (10 ps on a 2021 server core); of a GPU
 * only their ratios mean something. Ratios of two sizes on one engine are what estimates are for.
 */
#ifndef QN_FFT_ESTIMATE_H
#define QN_FFT_ESTIMATE_H

#include <quern/fft.h>

typedef struct qn_fft_model {
    qn_fft_engine engine;     /* never AUTO */
    int single_pass_x;        /* longest line done in one pass over memory; 0: any */
    int single_pass_apart;    /* the same along y and z */
    double pass_cost;         /* of a pass over memory, per complex point */
    double far_cost;          /* of a trip over a grid that does not fit the caches of a host, per complex point */
    double launch_cost;       /* of a pass whatever its length; in points */
    int largest_prime;        /* with a butterfly */
    bool even_x_packs;        /* real rows of even length go as complex ones of half the length, odd ones do not */
    bool long_odd_x_refused;  /* real rows of odd length above single_pass_x */
    bool keeps_spectrum_copy; /* transforms of several passes along an axis need work memory as large as the data */
} qn_fft_model;

typedef struct qn_fft_estimate {
    bool possible;
    int passes;  /* host: radix passes of the lines of all axes; GPU: kernels over the whole data */
    double cost; /* of a batch; only ratios mean something */
    uint64_t data_bytes, work_bytes;
} qn_fft_estimate;

/* The model of an engine on a device with so much local memory (GPUs) and so many threads (host). */
qn_fft_model qn_fft_model_of(qn_fft_engine engine, uint64_t local_memory_bytes);

/* Cost per complex point of lines along an axis (0, 1, 2), real rows along x included; *passes as above. Negative when
 * the engine refuses. */
double qn_fft_estimate_axis(const qn_fft_model *model, int length, int axis, bool real, int *passes);

/* What every point costs on top because the grid does not fit the host's caches; 0 where it does, and on GPUs, whose
 * passes all go to memory. */
double qn_fft_estimate_far(const qn_fft_model *model, const int size[3], bool real, int batch);

/* A whole batch of a size of at least 1 along each axis, out of what its axes cost. */
qn_fft_estimate qn_fft_estimate_grid(const qn_fft_model *model, const int size[3], const double axis_cost[3],
                                     const int axis_passes[3], bool real, int batch, int threads);

/* Whether AUTO on the host takes our own transform even where FFTW is installed. */
bool qn_fft_is_for_own(const int size[3]);

/* What is left of `number` when all primes up to `largest` are divided out. */
int qn_fft_without_primes_to(int number, int largest);

#endif

/* Estimate of a transform's cost without running it: passes over the data, relative time, work memory.
 *
 * The model of an engine states the primes it has butterflies for and their cost, the longest line it transforms in one
 * pass over memory (along x, and along y and z where lines lie apart), and its algorithm for other primes. Costs are
 * arithmetic and loads per complex point, in the unit of qn_line_length_cost (10 ps on a 2021 server core); for a GPU
 * only ratios have a meaning. Estimates serve to compare two sizes on one engine. */
#ifndef QN_FFT_ESTIMATE_H
#define QN_FFT_ESTIMATE_H

#include <quern/fft.h>

typedef struct qn_fft_model {
    qn_fft_engine engine;  /* never AUTO */
    int single_pass_x;     /* longest line that one pass over memory transforms; 0: any */
    int single_pass_apart; /* the same along y and z */
    double pass_cost;      /* cost of a pass over memory, per complex point */
    double far_cost;       /* cost of a trip over a grid that does not fit a host's caches, per complex point */
    double launch_cost;    /* fixed cost of a pass, in points */
    int largest_prime;     /* largest prime with a butterfly */
    bool even_x_packs; /* real rows of even length are transformed as complex ones of half the length, odd ones are not
                        */
    bool long_odd_x_refused;  /* whether real rows of odd length above single_pass_x are refused */
    bool keeps_spectrum_copy; /* transforms of several passes along an axis need work memory as large as the data */
} qn_fft_model;

typedef struct qn_fft_estimate {
    bool possible;
    int passes;  /* host: radix passes of the lines of all axes; GPU: kernels over the whole data */
    double cost; /* cost of a batch; only ratios have a meaning */
    uint64_t data_bytes, work_bytes;
} qn_fft_estimate;

/* Model of an engine on a device with this much local memory (GPUs) and these threads (host). */
qn_fft_model qn_fft_model_of(qn_fft_engine engine, uint64_t local_memory_bytes);

/* Cost per complex point of lines along an axis (0, 1, 2), including real rows along x; *passes as above. Negative if
 * the engine refuses. */
double qn_fft_estimate_axis(const qn_fft_model *model, int length, int axis, bool real, int *passes);

/* Additional cost of every point of a grid that does not fit the host's caches; 0 if it fits, and on GPUs, where every
 * pass goes to memory. */
double qn_fft_estimate_far(const qn_fft_model *model, const int size[3], bool real, int batch);

/* Estimate a whole batch from the costs of its axes. Every axis has a length of at least 1. */
qn_fft_estimate qn_fft_estimate_grid(const qn_fft_model *model, const int size[3], const double axis_cost[3],
                                     const int axis_passes[3], bool real, int batch, int threads);

/* Whether AUTO on the host takes our own transform although FFTW is installed. */
bool qn_fft_is_for_own(const int size[3]);

/* Divide `number` by all its prime factors up to `largest` and return the rest. */
int qn_fft_without_primes_to(int number, int largest);

#endif

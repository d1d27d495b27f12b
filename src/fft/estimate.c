#include "fft/estimate.h"

#include <math.h>

#include "fft/line_plan.h"

/* VkFFT loads this many bytes of lines that lie apart at once: a sector of the second-level cache. */
enum { POINT_BYTES = 8, SECTOR_BYTES = 32 };

/* Size of grids that the caches hold: 1 MiB of second-level cache for each of a few cores. Size of planes that stay in
 * one core's caches: the plane buffer of our own transform. */
enum { HOST_CACHE_BYTES = 4 << 20, HOST_PLANE_BYTES = 2 << 20 };

/* Longest lines that cuFFT transforms in one kernel, in single precision (from the names of its kernels on sm_80 and
 * sm_90). */
enum { CUFFT_SINGLE_X = 8192, CUFFT_SINGLE_APART = 4096, CUFFT_PRIME_MAX = 127 };

/* Cost of a radix in addition to a pass's loads. cuFFT, FFTW and VkFFT all have butterflies up to 13. */
static double radix_cost(int prime)
{
    switch (prime) {
    case 2: return 20;
    case 3: return 35;
    case 5: return 60;
    case 7: return 85;
    case 11: return 150;
    case 13: return 180;
    default: return 14.0 * prime;
    }
}

int qn_fft_without_primes_to(int number, int largest)
{
    for (int prime = 2; prime <= largest && number > 1; prime++)
        while (number % prime == 0) number /= prime;
    return number;
}

bool qn_fft_is_for_own(const int size[3])
{
    enum { PRIME_MAX = 200 };
    for (int axis = 0; axis < 3; axis++)
        if (qn_fft_without_primes_to(size[axis], PRIME_MAX) != 1) return false;
    return true;
}

qn_fft_model qn_fft_model_of(qn_fft_engine engine, uint64_t local_memory_bytes)
{
    const int points = local_memory_bytes > 0 && local_memory_bytes < (1u << 30)
                           ? (int)(local_memory_bytes / POINT_BYTES)
                           : 6144; /* 48 KiB, as nearly all GPUs have */
    switch (engine) {
    case QN_FFT_FFTW:
        return (qn_fft_model){
            .engine = engine, .pass_cost = 60, .far_cost = 1500, .largest_prime = 13, .even_x_packs = true};
    case QN_FFT_VKFFT:
        return (qn_fft_model){.engine = engine,
                              .single_pass_x = points,
                              .single_pass_apart = points * POINT_BYTES / SECTOR_BYTES,
                              .pass_cost = 400,
                              .launch_cost = 100000,
                              .largest_prime = 13,
                              .long_odd_x_refused = true,
                              .keeps_spectrum_copy = true};
    case QN_FFT_CUFFT:
        return (qn_fft_model){.engine = engine,
                              .single_pass_x = CUFFT_SINGLE_X,
                              .single_pass_apart = CUFFT_SINGLE_APART,
                              .pass_cost = 400,
                              .launch_cost = 100000,
                              .largest_prime = CUFFT_PRIME_MAX,
                              .even_x_packs = true,
                              .keeps_spectrum_copy = true};
    case QN_FFT_AUTO:
    case QN_FFT_OWN: break;
    }
    return (qn_fft_model){.engine = QN_FFT_OWN, .pass_cost = 60, .far_cost = 1500, .even_x_packs = true};
}

static int power_of_two_to(int number)
{
    int power = 1;
    while (power <= number / 2) power *= 2;
    return power;
}

/* Number of passes over memory: one while a line fits local memory; longer lines are cut into pieces that fit, the
 * first along x. For powers of two VkFFT uses local memory up to a power of two. */
static int memory_passes(const qn_fft_model *model, int length, int axis)
{
    int first = axis == 0 ? model->single_pass_x : model->single_pass_apart, apart = model->single_pass_apart;
    if (first == 0) return 1;
    if (power_of_two_to(length) == length) {
        first = power_of_two_to(first);
        apart = power_of_two_to(apart);
    }
    if (length <= first) return 1;
    return 1 + (int)ceil(log((double)length / first) / log(apart) - 1e-9);
}

static double butterflies_cost(int length)
{
    double cost = 0;
    for (int prime = 2; length > 1; prime++) {
        if ((long long)prime * prime > length) prime = length;
        for (; length % prime == 0; length /= prime) cost += radix_cost(prime);
    }
    return cost;
}

/* Cost of Bluestein's algorithm (1970): a line of any length as a convolution of at least twice the length, forward and
 * back. */
static double convolution_cost(const qn_fft_model *model, int length, int axis, int *passes)
{
    int padded = 2 * length - 1;
    while (qn_fft_without_primes_to(padded, 7) != 1) padded++;
    const double ratio = (double)padded / length;
    const int each = memory_passes(model, padded, axis);
    *passes = each == 1 ? 1 : 2 * each;
    return ratio * (2 * butterflies_cost(padded) + 60) + (each == 1 ? 1 : *passes * ratio) * model->pass_cost;
}

/* Cost of a prime p in FFTW: the cheapest of the defining sum, Bluestein's algorithm, and Rader's algorithm (1968), a
 * convolution of length p − 1, if p − 1 has no prime factors above 13. */
static double fftw_prime_cost(const qn_fft_model *model, int prime)
{
    int passes;
    /* FFTW's sums for small primes and its convolutions use vectors poorly; timed against its radices. */
    const double direct = 400.0 * prime, slowness = 4;
    double best = slowness * convolution_cost(model, prime, 0, &passes);
    if (direct < best) best = direct;
    if (qn_fft_without_primes_to(prime - 1, 13) == 1) {
        const double rader = slowness * (2 * butterflies_cost(prime - 1) + 3 * model->pass_cost);
        if (rader < best) best = rader;
    }
    return best;
}

static double fftw_cost(const qn_fft_model *model, int length, int *passes)
{
    double cost = 0;
    *passes = 0;
    for (int prime = 2; length > 1; prime++) {
        if ((long long)prime * prime > length) prime = length;
        for (; length % prime == 0; length /= prime, ++*passes)
            cost += prime <= model->largest_prime ? radix_cost(prime) + 20 : fftw_prime_cost(model, prime);
    }
    return cost + model->pass_cost;
}

static double line_cost(const qn_fft_model *model, int length, int axis, int *passes)
{
    *passes = 0;
    if (length == 1) return 0;
    if (model->engine == QN_FFT_OWN) return model->pass_cost + qn_line_length_cost(length, passes);
    if (model->engine == QN_FFT_FFTW) return fftw_cost(model, length, passes);
    if (qn_fft_without_primes_to(length, model->largest_prime) != 1)
        return convolution_cost(model, length, axis, passes);
    *passes = memory_passes(model, length, axis);
    return *passes * model->pass_cost + butterflies_cost(length);
}

double qn_fft_estimate_axis(const qn_fft_model *model, int length, int axis, bool real, int *passes)
{
    if (!real || axis > 0) return line_cost(model, length, axis, passes);
    /* Per point of the half spectrum: a packed row of length/2 points, and the pass that splits its spectrum. */
    const double split_cost = 80;
    if (model->even_x_packs) {
        if (length % 2 == 0) return line_cost(model, length / 2, axis, passes) + split_cost;
        return 2 * line_cost(model, length, axis, passes);
    }
    /* VkFFT transforms two real rows as one complex row if a row fits one pass, and otherwise packs rows as above. */
    const int longest = qn_fft_without_primes_to(length, model->largest_prime) == 1 ? length : 2 * length - 1;
    if (longest <= model->single_pass_x) return line_cost(model, length, axis, passes);
    if (length % 2 != 0 && model->long_odd_x_refused) return -1;
    const double cost = line_cost(model, length / 2, axis, passes) + model->pass_cost;
    ++*passes;
    return cost;
}

/* Work memory: for each worker of our own host transform three lines (the third for a prime without a butterfly) in
 * each of 8 lanes, and a plane of at most 2 MiB; otherwise the bytes that a GPU's engine allocates in addition to the
 * data. */
static uint64_t work_bytes(const qn_fft_model *model, const int size[3], bool several_passes, uint64_t output_bytes,
                           int threads)
{
    enum { LANES_MAX = 8 };
    if (model->engine == QN_FFT_OWN) {
        uint64_t longest = 0, plane = (uint64_t)(size[0] + 2) * (uint64_t)size[1] * POINT_BYTES;
        for (int axis = 0; axis < 3; axis++)
            if ((uint64_t)size[axis] > longest) longest = (uint64_t)size[axis];
        if (size[1] == 1 || size[2] == 1 || plane > HOST_PLANE_BYTES) plane = 0;
        return (uint64_t)threads * (3 * longest * LANES_MAX * POINT_BYTES + plane);
    }
    return several_passes && model->keeps_spectrum_copy ? output_bytes : 0;
}

double qn_fft_estimate_far(const qn_fft_model *model, const int size[3], bool real, int batch)
{
    const double width = real ? size[0] / 2 + 1 : size[0];
    const double plane_bytes = width * size[1] * POINT_BYTES, bytes = plane_bytes * size[2] * batch;
    if (bytes <= HOST_CACHE_BYTES) return 0;
    int trips = (size[0] > 1) + (size[1] > 1) + (size[2] > 1);
    if (trips == 3 && plane_bytes <= HOST_PLANE_BYTES) trips = 2; /* rows and columns of a plane in one trip */
    return trips * model->far_cost;
}

qn_fft_estimate qn_fft_estimate_grid(const qn_fft_model *model, const int size[3], const double axis_cost[3],
                                     const int axis_passes[3], bool real, int batch, int threads)
{
    qn_fft_estimate estimate = {.possible = true};
    const double rows = (double)size[1] * size[2] * batch;
    const double width = real ? size[0] / 2 + 1 : size[0];
    bool several_passes = false;
    for (int axis = 0; axis < 3; axis++) {
        if (axis_cost[axis] < 0) estimate.possible = false;
        estimate.cost += axis_cost[axis] * width * rows + axis_passes[axis] * model->launch_cost;
        estimate.passes += axis_passes[axis];
        several_passes = several_passes || axis_passes[axis] > 1;
    }
    estimate.cost += qn_fft_estimate_far(model, size, real, batch) * width * rows;
    if (model->engine == QN_FFT_OWN) estimate.cost /= threads;
    if (model->engine == QN_FFT_FFTW)
        estimate.cost /= batch < threads ? batch : threads; /* each element has one thread */
    const double complex_bytes = width * rows * POINT_BYTES;
    estimate.data_bytes = (uint64_t)(complex_bytes + (real ? size[0] * rows * sizeof(float) : complex_bytes));
    estimate.work_bytes = work_bytes(model, size, several_passes, (uint64_t)complex_bytes, threads);
    return estimate;
}

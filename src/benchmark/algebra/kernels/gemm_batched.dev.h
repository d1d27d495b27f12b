/* Interface between the kernel of gemm_batched and its launch function. */
#ifndef QN_BENCHMARK_GEMM_BATCHED_DEV_H
#define QN_BENCHMARK_GEMM_BATCHED_DEV_H

/* Arguments of `gemm_batched`, in order. */
enum { BATCHED_A, BATCHED_B, BATCHED_C, BATCHED_SCALARS, BATCHED_ARGUMENTS };

typedef struct batched_scalars {
    int matrices;
    int rows, columns, inner; /* for the host kernel; the device's text has them as definitions */
} batched_scalars;

#endif

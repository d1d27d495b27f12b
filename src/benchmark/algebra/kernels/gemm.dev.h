/* Interface between the kernel of gemm and its launch function. */
#ifndef QN_BENCHMARK_GEMM_DEV_H
#define QN_BENCHMARK_GEMM_DEV_H

/* Arguments of `gemm`, in order. */
enum { GEMM_A, GEMM_B, GEMM_C, GEMM_SCALARS, GEMM_ARGUMENTS };

typedef struct gemm_scalars {
    int rows, columns, inner;
} gemm_scalars;

#endif

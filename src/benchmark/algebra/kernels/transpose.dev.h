/* Interface between the kernel of transpose and its launch function. */
#ifndef QN_BENCHMARK_TRANSPOSE_DEV_H
#define QN_BENCHMARK_TRANSPOSE_DEV_H

/* Arguments of `transpose`, in order. */
enum { TRANSPOSE_FROM, TRANSPOSE_TO, TRANSPOSE_ROWS, TRANSPOSE_COLUMNS, TRANSPOSE_ARGUMENTS };

#endif

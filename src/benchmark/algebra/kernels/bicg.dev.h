/* Interface between the kernels of bicg and their launch function. */
#ifndef QN_BENCHMARK_BICG_DEV_H
#define QN_BENCHMARK_BICG_DEV_H

/* Arguments of `multiply` and `gather`, in order. */
enum {
    MULTIPLY_MATRIX,
    MULTIPLY_P,
    MULTIPLY_R,
    MULTIPLY_Q_PARTIAL,
    MULTIPLY_S_PARTIAL,
    MULTIPLY_PARTS,
    MULTIPLY_ROWS,
    MULTIPLY_COLUMNS,
    MULTIPLY_ARGUMENTS
};
enum {
    GATHER_Q_PARTIAL,
    GATHER_S_PARTIAL,
    GATHER_PARTS,
    GATHER_Q,
    GATHER_S,
    GATHER_ROWS,
    GATHER_COLUMNS,
    GATHER_ARGUMENTS
};

#endif

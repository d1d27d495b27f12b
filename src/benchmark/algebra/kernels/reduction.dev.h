/* Interface between the kernels of reduction and their launch function. */
#ifndef QN_BENCHMARK_REDUCTION_DEV_H
#define QN_BENCHMARK_REDUCTION_DEV_H

/* Arguments of `sum_groups` and `sum_partials`, in order. */
enum { GROUPS_FROM, GROUPS_PARTIAL, GROUPS_RESULT, GROUPS_PARTIALS, GROUPS_COUNT, GROUPS_ARGUMENTS };
enum { PARTIALS_PARTIAL, PARTIALS_PARTIALS, PARTIALS_RESULT, PARTIALS_MODE, PARTIALS_ARGUMENTS };

#endif

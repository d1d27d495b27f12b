/* Numbers of a launch of the family deform/factor, and the order of the kernels' arguments. */
#ifndef QN_DEFORM_FACTOR_FACTOR_DEV_H
#define QN_DEFORM_FACTOR_FACTOR_DEV_H

/* A launch works on `count` stored tiles, panels or rows below from `first` on. */
typedef struct factor_scalars {
    int first, count, states, stride;
} factor_scalars;

#endif

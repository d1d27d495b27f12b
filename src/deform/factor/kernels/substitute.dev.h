/* Numbers of a launch of the family deform/substitute. */
#ifndef QN_DEFORM_FACTOR_SUBSTITUTE_DEV_H
#define QN_DEFORM_FACTOR_SUBSTITUTE_DEV_H

/* Partial sums of a gathering, the same on every device. */
#define QN_SUBSTITUTE_PARTS 8

/* A launch works on `count` tiles or panels from `first` on, or on `count` levels; x has `freedoms` numbers for each
 * side. */
typedef struct substitute_scalars {
    int first, count, states, stride, freedoms, block, sides, unused;
} substitute_scalars;

#endif

/* Numbers of the family deform/balance, and kinds of freedoms. */
#ifndef QN_DEFORM_BALANCE_DEV_H
#define QN_DEFORM_BALANCE_DEV_H

/* Kinds of freedoms: fixed at 0; unknown; the tool's place along x, y, z. */
#define BALANCE_FIXED 0
#define BALANCE_FREE 1
#define BALANCE_HELD 2

/* Parts of a sum over freedoms: each is added in order, then the parts. */
#define BALANCE_PARTS 32

/* part: freedoms of a part of a sum. rows: freedoms, or several right sides of them. */
typedef struct balance_numbers {
    int freedoms, rows, stride, part;
} balance_numbers;

#endif

/* Functions of libquern_mumps.so for deform/factor/mumps.c, the only code that calls MUMPS. They have plain C types, so
 * that libquern itself is built and runs without MUMPS.
 *
 * Functions with a message return 0, or another number after writing a sentence into it. Thread rule: one call at a
 * time in a process. */
#ifndef QN_DEFORM_FACTOR_MUMPS_FUNCTIONS_H
#define QN_DEFORM_FACTOR_MUMPS_FUNCTIONS_H

#include <stdint.h>

enum { QN_MUMPS_FUNCTIONS_VERSION = 1, QN_MUMPS_MESSAGE_BYTES = 256 };

typedef struct qn_mumps_functions {
    int version; /* QN_MUMPS_FUNCTIONS_VERSION of the header that it was built with */
    /* Analyse a symmetric matrix of `order` rows whose lower triangle has entries at rows and columns, from 1 on. The
     * arrays must stay until `close`. */
    int (*open)(void **state, int order, int64_t entries, int *rows, int *columns,
                char message[QN_MUMPS_MESSAGE_BYTES]);
    /* Factor with these values, which must stay until the call returns. *negative: number of negative pivots; −1: the
     * matrix is singular. */
    int (*factor)(void *state, double *values, int *negative, char message[QN_MUMPS_MESSAGE_BYTES]);
    /* Replace `count` right sides, one after the other, by solutions. */
    int (*solve)(void *state, double *sides, int count, char message[QN_MUMPS_MESSAGE_BYTES]);
    void (*close)(void *state);
} qn_mumps_functions;

/* The only symbol that deform/factor/mumps.c looks up, "qn_mumps_functions_get". */
const qn_mumps_functions *qn_mumps_functions_get(void);

#endif

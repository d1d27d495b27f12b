/* BLAS libraries, found at run time. One mapping of graphs to calls serves all of them. */
#ifndef QN_FUSE_BLAS_LIBRARY_H
#define QN_FUSE_BLAS_LIBRARY_H

#include "fuse/blas/steps.h"
#include "runtime/device.h"

/* A step with memory and numbers. Matrices lie by rows: `rows` lines of `columns` elements, without gaps. */
typedef struct qn_blas_command {
    qn_blas_kind kind;
    int64_t count; /* of elements; of a product, those of `into` are another number */
    int64_t rows, columns, stored;
    float alpha, beta;
    bool transposed;
    qn_buffer *matrix, *starts, *columns_of, *x, *y, *into;
    qn_buffer *x2, *y2; /* of ger2, with the factor beta */
} qn_blas_command;

typedef struct qn_blas_library qn_blas_library;
struct qn_blas_library {
    const char *name; /* "OpenBLAS" */
    const char *best; /* of what its best sequences consist beside legacy calls; NULL: nothing */
    double settle_s;  /* seconds that its threads spin after a call, which takes cores from others; 0: none do */
    qn_blas_kinds legacy, more; /* kinds of legacy sequences, and of the best ones besides */
    /* Find the library and prepare it for a device and a queue. Errors: QN_UNSUPPORTED with the reason. */
    qn_status (*open)(qn_device *device, qn_queue *queue, void **state);
    void (*close)(void **state);
    /* Begin a command. Scalar results are in *result at once. */
    qn_status (*run)(void *state, const qn_blas_command *command, float *result);
    qn_status (*finish)(void *state);
    /* Record the commands that follow, and run what was recorded; NULL: it cannot. Scalar results of recorded commands
     * are not read. */
    qn_status (*record)(void *state, bool begins);
    qn_status (*replay)(void *state);
};

extern const qn_blas_library qn_blas_openblas, qn_blas_clblast, qn_blas_cublas;

/* The library of a device. */
const qn_blas_library *qn_blas_library_of(const qn_device *device);

/* The functions of a library, in the order of a struct of pointers. */
typedef struct qn_blas_symbol {
    const char *name;
    void *slot;
} qn_blas_symbol;

/* Open the first library that loads; QN_UNSUPPORTED names `title` and what was tried first. */
QN_MUST_CHECK qn_status qn_blas_load(const char *title, const char *const *paths, void **library);
QN_MUST_CHECK qn_status qn_blas_find(void *library, const char *title, const qn_blas_symbol *symbols, size_t count);

/* Libraries with 32-bit numbers of elements do long vectors in pieces. */
enum { QN_BLAS_PIECE = 1 << 30 };

#endif

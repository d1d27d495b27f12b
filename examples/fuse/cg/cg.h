/* The sequence cg with C17, as quern fuse made it:
 *
 *     repeat 500
 *         q = spmv(A, p)
 *         t7 = dot(p, q)
 *         a = rr / t7
 *         next r = r - a * q
 *         next rr = dot(next r, next r)
 *         next x = x + a * p
 *         next p = next r + next rr / rr * p
 *
 * A scalar is a pointer to one number.
 *
 *     cg_plan *plan;
 *     int code = cg_create(threads, &sizes, &plan);
 *     if (code == CG_OK) code = cg_run(plan, &arguments, NULL);
 *     if (code != CG_OK) fprintf(stderr, "%s\n", cg_message(code));
 *     cg_destroy(&plan);
 *
 * A plan may be run again and again, by one thread at a time; plans are independent of each other. */
#ifndef CG_H
#define CG_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cg_code {
    CG_OK,
    CG_BAD_SIZE,    /* a size is below 1 */
    CG_BAD_STEP,    /* the step of a matrix is shorter than its lines */
    CG_NO_ARGUMENT, /* an argument is missing */
    CG_TOO_SMALL,   /* the memory of an argument ends too early, or is not aligned to four bytes */
    CG_OVERLAP,     /* memory that is written overlaps that of another argument */
    CG_NO_MEMORY,   /* out of memory */
    CG_NOT_BUILT,   /* the kernels could not be compiled */
    CG_FAILED       /* the device refused a command */
} cg_code;

/* A sentence for a code. */
const char *cg_message(int code);

typedef struct cg_sizes {
    int32_t n;
    int64_t A_stored; /* numbers that the sparse A has */
} cg_sizes;

typedef struct cg_arguments {
    const float *A; /* csr(n, n), given */
    const int32_t *A_starts; /* of rows, and the end of the last */
    const int32_t *A_columns; /* of the numbers, from 0 */
    const float *limit; /* scalar, given */
    float *x; /* vector(n), given, and replaced */
    float *r; /* vector(n), given, and replaced */
    float *p; /* vector(n), given, and replaced */
    float *rr; /* scalar, given, and replaced */
    int64_t *rounds; /* gets the rounds of all loops; may be NULL */
} cg_arguments;

typedef struct cg_plan cg_plan;

/* Make a plan for some sizes. `threads` work on it, where the compiler has OpenMP (-fopenmp); 0: as OpenMP says.
 * Destroy it with cg_destroy. */
int cg_create(int threads, const cg_sizes *sizes, cg_plan **plan);

/* Run the sequence. *seconds (may be NULL) gets the time that it takes, for which this waits. */
int cg_run(cg_plan *plan, const cg_arguments *arguments, double *seconds);

void cg_destroy(cg_plan **plan);

#ifdef __cplusplus
}
#endif
#endif

/* The sequence bicgk with OpenCL 1.2, as quern fuse made it:
 *
 *     q = gemv(A, p)
 *     s = gemtv(A, r)
 *
 * A scalar is a buffer of one number.
 *
 *     bicgk_plan *plan;
 *     int code = bicgk_create(queue, &sizes, &plan);
 *     if (code == BICGK_OK) code = bicgk_run(plan, &arguments, NULL);
 *     if (code != BICGK_OK) fprintf(stderr, "%s\n", bicgk_message(code));
 *     bicgk_destroy(&plan);
 *
 * A plan may be run again and again, by one thread at a time; plans are independent of each other. */
#ifndef BICGK_H
#define BICGK_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bicgk_code {
    BICGK_OK,
    BICGK_BAD_SIZE,    /* a size is below 1 */
    BICGK_BAD_STEP,    /* the step of a matrix is shorter than its lines */
    BICGK_NO_ARGUMENT, /* an argument is missing */
    BICGK_TOO_SMALL,   /* the memory of an argument ends too early, or is not aligned to four bytes */
    BICGK_OVERLAP,     /* memory that is written overlaps that of another argument */
    BICGK_NO_MEMORY,   /* out of memory */
    BICGK_NOT_BUILT,   /* the kernels could not be compiled */
    BICGK_FAILED       /* the device refused a command */
} bicgk_code;

/* A sentence for a code. */
const char *bicgk_message(int code);

typedef struct bicgk_sizes {
    int32_t m;
    int32_t n;
    int64_t A_step; /* numbers from one row of A to the next; 0: without gaps */
} bicgk_sizes;

typedef struct bicgk_arguments {
    cl_mem A; /* matrix(m, n), given */
    cl_mem p; /* vector(n), given */
    cl_mem r; /* vector(m), given */
    cl_mem q; /* vector(m), result */
    cl_mem s; /* vector(n), result */
} bicgk_arguments;

typedef struct bicgk_plan bicgk_plan;

/* Make a plan for some sizes. It keeps the queue, which must run its commands in order.
 * Destroy it with bicgk_destroy. */
int bicgk_create(cl_command_queue queue, const bicgk_sizes *sizes, bicgk_plan **plan);

/* Run the sequence. *seconds (may be NULL) gets the time that it takes, for which this waits; without it, the queue may
 * still be at work afterwards. */
int bicgk_run(bicgk_plan *plan, const bicgk_arguments *arguments, double *seconds);

void bicgk_destroy(bicgk_plan **plan);

#ifdef __cplusplus
}
#endif
#endif

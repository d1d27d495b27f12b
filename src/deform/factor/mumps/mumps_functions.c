/* libquern_mumps.so: sparse systems through the sequential MUMPS. Built where it is found. */
#include "deform/factor/mumps/mumps_functions.h"

#include <dmumps_c.h>
#include <stdio.h>
#include <stdlib.h>

/* Values of `job`, `comm_fortran`, `sym` and ICNTL of the MUMPS users' guide. */
enum {
    JOB_BEGIN = -1,
    JOB_END = -2,
    JOB_ANALYSE = 1,
    JOB_FACTOR = 2,
    JOB_SOLVE = 3,
    USE_COMM_WORLD = -987654,
    SYMMETRIC = 2,
    MORE_MEMORY_PERCENT = 14, /* ICNTL */
    TRIES = 5
};

/* INFOG(1) */
enum { SINGULAR = -10, REAL_WORKSPACE_SMALL = -9, INTEGER_WORKSPACE_SMALL = -8 };

static int failed(const DMUMPS_STRUC_C *mumps, const char *what, char *message)
{
    if (mumps->infog[0] >= 0) return 0;
    snprintf(message, QN_MUMPS_MESSAGE_BYTES, "MUMPS cannot %s: INFOG(1) is %d and INFOG(2) %d", what,
             (int)mumps->infog[0], (int)mumps->infog[1]);
    return 1;
}

static void close_mumps(void *state)
{
    DMUMPS_STRUC_C *mumps = state;
    if (!mumps) return;
    mumps->job = JOB_END;
    dmumps_c(mumps);
    free(mumps);
}

static int open_mumps(void **state, int order, int64_t entries, int *rows, int *columns, char *message)
{
    DMUMPS_STRUC_C *mumps = calloc(1, sizeof *mumps);
    *state = NULL;
    if (!mumps) {
        snprintf(message, QN_MUMPS_MESSAGE_BYTES, "no memory for a structure of %zu bytes", sizeof *mumps);
        return 1;
    }
    mumps->job = JOB_BEGIN;
    mumps->par = 1;
    mumps->sym = SYMMETRIC;
    mumps->comm_fortran = USE_COMM_WORLD;
    dmumps_c(mumps);
    if (failed(mumps, "begin", message)) {
        free(mumps);
        return 1;
    }
    for (int stream = 0; stream < 4; stream++) mumps->icntl[stream] = stream == 3 ? 0 : -1; /* it prints nothing */
    mumps->n = order;
    mumps->nnz = entries;
    mumps->irn = rows;
    mumps->jcn = columns;
    mumps->job = JOB_ANALYSE;
    dmumps_c(mumps);
    if (failed(mumps, "analyse the matrix", message)) {
        close_mumps(mumps);
        return 1;
    }
    *state = mumps;
    return 0;
}

/* Pivoting may need more memory than the analysis estimates; MUMPS then asks for a larger margin. */
static int factor_mumps(void *state, double *values, int *negative, char *message)
{
    DMUMPS_STRUC_C *mumps = state;
    mumps->a = values;
    mumps->job = JOB_FACTOR;
    for (int try = 0; try < TRIES; try++) {
        dmumps_c(mumps);
        if (mumps->infog[0] != REAL_WORKSPACE_SMALL && mumps->infog[0] != INTEGER_WORKSPACE_SMALL) break;
        mumps->icntl[MORE_MEMORY_PERCENT - 1] = 2 * mumps->icntl[MORE_MEMORY_PERCENT - 1] + 20;
    }
    mumps->a = NULL;
    *negative = -1;
    if (mumps->infog[0] == SINGULAR) return 0;
    if (failed(mumps, "factor the matrix", message)) return 1;
    *negative = mumps->infog[11];
    return 0;
}

static int solve_mumps(void *state, double *sides, int count, char *message)
{
    DMUMPS_STRUC_C *mumps = state;
    mumps->rhs = sides;
    mumps->nrhs = count;
    mumps->lrhs = mumps->n;
    mumps->job = JOB_SOLVE;
    dmumps_c(mumps);
    mumps->rhs = NULL;
    return failed(mumps, "solve", message);
}

static const qn_mumps_functions functions = {QN_MUMPS_FUNCTIONS_VERSION, open_mumps, factor_mumps, solve_mumps,
                                             close_mumps};

const qn_mumps_functions *qn_mumps_functions_get(void)
{
    return &functions;
}

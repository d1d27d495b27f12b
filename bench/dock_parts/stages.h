/* The stages of one way to dock, timed one by one. */
#ifndef DOCK_PARTS_STAGES_H
#define DOCK_PARTS_STAGES_H

#include <quern/family.h>

#include "problem.h"

/* A kernel or transform of a way: how it is launched and the least it has to do. `events` of a launch are NULL unless
 * the stage is two kernels. */
enum { BENCH_STAGE_KERNELS = 2 };
typedef struct bench_stage {
    const char *name;
    qn_status (*launch)(void *way, qn_event **events);
    void (*work)(const void *way, qn_work *work);
    bool destroys_input;                      /* and so cannot be repeated at will */
    const char *kernels[BENCH_STAGE_KERNELS]; /* names of the two; NULL: it is one */
} bench_stage;

/* Order of doubles, for qsort. */
int bench_by_value(const void *left, const void *right);

/* A line each and one of their sum: milliseconds, megabytes, shares of the limits. `start` empties what the stages of a
 * rotation add to. */
void bench_print_stages(const dock_bench *bench, void *way, qn_status (*start)(void *), const bench_stage *stages,
                        int count, int batch);

#endif

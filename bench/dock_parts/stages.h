/* The stages of one way to dock, timed one by one. */
#ifndef DOCK_PARTS_STAGES_H
#define DOCK_PARTS_STAGES_H

#include <quern/family.h>

#include "problem.h"

/* One kernel or transform of a way to dock: its launch function and its least work. `events` of a launch are NULL
 * unless the stage has two kernels. */
enum { BENCH_STAGE_KERNELS = 2 };
typedef struct bench_stage {
    const char *name;
    qn_status (*launch)(void *way, qn_event **events);
    void (*work)(const void *way, qn_work *work);
    bool destroys_input;                      /* overwrites its input, so it cannot be repeated alone */
    const char *kernels[BENCH_STAGE_KERNELS]; /* names of the stage's two kernels; NULL: it has one */
} bench_stage;

/* Compare two doubles, for qsort. */
int bench_by_value(const void *left, const void *right);

/* Print a line for each stage and one for their sum: milliseconds, megabytes, the fraction of the copy rate
 * and the fraction of the limit. `start` clears the buffers that the stages of a rotation add to. */
void bench_print_stages(const dock_bench *bench, void *way, qn_status (*start)(void *), const bench_stage *stages,
                        int count, int batch);

#endif

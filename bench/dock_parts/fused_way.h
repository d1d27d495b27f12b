/* Times the kernels of the fused rotation one by one. */
#ifndef DOCK_PARTS_FUSED_WAY_H
#define DOCK_PARTS_FUSED_WAY_H

#include "problem.h"

/* Time the stages of the fused way and print them as a table. */
void fused_way_print(const dock_bench *bench, int batch);

#endif

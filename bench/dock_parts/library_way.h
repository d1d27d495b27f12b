/* Docking with transforms by a library: the published design and, with pruned inputs, the stages of the search. */
#ifndef DOCK_PARTS_LIBRARY_WAY_H
#define DOCK_PARTS_LIBRARY_WAY_H

#include "problem.h"

QN_MUST_CHECK qn_status library_way_open(const dock_bench *bench, qn_fft_engine engine, bool pruned, int batch,
                                         void **way);
void library_way_close(void **way);

/* Submit and collect a batch, as qn_dock_search_submit and qn_dock_search_collect do. */
QN_MUST_CHECK qn_status library_way_submit(void *way, int first, int slot);
QN_MUST_CHECK qn_status library_way_collect(void *way, int slot, qn_dock_hit *hits);

/* Time the stages of this way and print them as a table. */
void library_way_print(const dock_bench *bench, qn_fft_engine engine, bool pruned, int batch);

#endif

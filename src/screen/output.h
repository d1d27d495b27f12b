/* The files of a screen. Each is complete or absent. */
#ifndef QN_SCREEN_OUTPUT_H
#define QN_SCREEN_OUTPUT_H

#include "screen/run.h"

/* Write scores.csv and rejected.csv. */
QN_MUST_CHECK qn_status qn_screen_write_tables(const qn_screen_state *run);

/* Write hits.sdf and hits.pdbqt, the records of run->hits, and view.pml and view.cxc, which show them. */
QN_MUST_CHECK qn_status qn_screen_write_hits(const qn_screen_state *run);

/* Write run.json: inputs, devices, times. */
QN_MUST_CHECK qn_status qn_screen_write_run_json(const qn_screen_state *run);

/* Reason why the libraries were not read to their end; NULL: they were. */
static inline const char *qn_screen_damage(const qn_screen_state *run)
{
    return !run->damaged                 ? NULL
           : run->damage.status == QN_OK ? "another process could not read a library to its end"
                                         : run->damage.message;
}

/* Number of hits: the first rows, whose poses are written. */
static inline size_t qn_screen_hit_count(const qn_screen_state *run)
{
    return run->row_count < (size_t)run->options->top ? run->row_count : (size_t)run->options->top;
}

#endif

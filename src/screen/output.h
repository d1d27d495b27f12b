/* The files of a screen, each complete or absent. */
#ifndef QN_SCREEN_OUTPUT_H
#define QN_SCREEN_OUTPUT_H

#include "screen/run.h"

/* scores.csv and rejected.csv. */
QN_MUST_CHECK qn_status qn_screen_write_tables(const qn_screen_state *run);

/* hits.sdf: the first options->top rows with their poses. Goes through the libraries a second time. */
QN_MUST_CHECK qn_status qn_screen_write_hits(const qn_screen_state *run);

/* run.json: what went in, what it ran on, how long it took. */
QN_MUST_CHECK qn_status qn_screen_write_run_json(const qn_screen_state *run);

/* Why the libraries were not read to their end; NULL when they were. */
static inline const char *qn_screen_damage(const qn_screen_state *run)
{
    return !run->damaged                 ? NULL
           : run->damage.status == QN_OK ? "another process could not read a library to its end"
                                         : run->damage.message;
}

/* Rows of which hits.sdf has poses. */
static inline size_t qn_screen_hit_count(const qn_screen_state *run)
{
    return run->row_count < (size_t)run->options->top ? run->row_count : (size_t)run->options->top;
}

#endif

/* The grid of --step and --reach, or with a step that --accuracy allows. */
#ifndef QN_DEFORM_GRID_CHOICE_H
#define QN_DEFORM_GRID_CHOICE_H

#include "deform/workers.h"

/* *error: of the trial cells of a chosen step; NaN: the step was given. QN_INVALID_ARGUMENT. */
QN_MUST_CHECK qn_status qn_deform_choose_grid(qn_job *job, const qn_deform_options *options, qn_deform_workers *workers,
                                              qn_grid *grid, double *error);

#endif

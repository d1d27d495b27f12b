/* The stages of quern deform solve, and what its files are made of. */
#ifndef QN_DEFORM_SOLVE_H
#define QN_DEFORM_SOLVE_H

#include "base/text.h"
#include "deform/setup.h"

typedef struct qn_deform_solution {
    const qn_deform_options *options;
    qn_job *job;
    qn_deform_setup setup;
    double place[3];
    qn_state rest, state;
    double *residual;      /* freedom_count, at the state: reactions where nodes are fixed or held */
    double other_force[3]; /* mesh check; NaN: not done */
    double search_s;
} qn_deform_solution;

/* Displacement, reaction and pressure of a node. The pressure is NaN where there is none. */
void qn_deform_node_values(const qn_deform_solution *solution, size_t node, double displacement[3], double reaction[3],
                           double *pressure);

/* Write the problem as a deck of CalculiX. The file appears complete or not at all. QN_INVALID_ARGUMENT (mixed form),
 * QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_deform_write_deck(const qn_deform_setup *setup, const double place[3], const char *path);

/* Write state.vtu and the pictures of a state, of which setup, state.x, state.force and residual are read; append the
 * views as an SVG document. */
QN_MUST_CHECK qn_status qn_deform_write_shape(const qn_deform_solution *solution, qn_text *svg);

/* Write state.vtu, states.csv, pictures and report.html of the run. */
QN_MUST_CHECK qn_status qn_deform_write_solution(qn_deform_solution *solution);

#endif

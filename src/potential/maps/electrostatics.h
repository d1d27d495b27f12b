/* AutoGrid's electrostatic map of a receptor on one device, plane by plane.
 *
 * e(p) = Σ q f(r) / max(r, 0.5 Å) over all atoms, in kcal/mol/e; f comes from a table by (int)(100 r). The result has
 * the same bits on every device that rounds square roots and divisions correctly, for any number of planes at a time.
 * For a protein it differs from the sum in double by less than 2e-4 kcal/mol/e; docs/design/potential.md has the
 * bounds.
 *
 * Life cycle: create → planes, again and again → destroy. Thread rule: that of the queue.
 */
#ifndef QN_POTENTIAL_MAPS_ELECTROSTATICS_H
#define QN_POTENTIAL_MAPS_ELECTROSTATICS_H

#include <quern/family.h>

#include "potential/maps/grid.h"

typedef struct qn_electrostatics qn_electrostatics;

typedef struct qn_electrostatics_input {
    qn_potential_grid grid;
    size_t atom_count;
    const double *positions_angstrom; /* atom_count × 3, relative to the centre of the grid */
    const double *charges_e;
    const double *screening; /* f in kcal/mol Å/e², at n/100 Å; the last entry is for all larger distances */
    size_t entries;
    int planes_max;    /* most planes that are computed at a time */
    bool counts_pairs; /* count the pairs, for the least work of launches */
} qn_electrostatics_input;

/* `input` may change afterwards. QN_INVALID_ARGUMENT: an atom or a point is too far from the centre. */
QN_MUST_CHECK qn_status qn_electrostatics_create(qn_queue *queue, const qn_electrostatics_input *input,
                                                 qn_electrostatics **electrostatics);
void qn_electrostatics_destroy(qn_electrostatics **electrostatics);

/* Let every later launch use a configuration; NULL: chosen as for any family. */
void qn_electrostatics_configure(qn_electrostatics *electrostatics, const qn_configuration *configuration);

/* Forget the nodes that earlier planes computed, so that launches can be timed again. */
void qn_electrostatics_forget(qn_electrostatics *electrostatics);

enum { QN_ELECTROSTATICS_LAUNCHES = 4 }; /* nodes, expand along x, expand along y, points */

/* Compute planes first … first + count − 1 (z) into potential: count × points[1] × points[0] floats from its beginning.
 * events (may be NULL) gets the events of the launches; the first one is NULL where earlier planes left no node to
 * compute. */
QN_MUST_CHECK qn_status qn_electrostatics_planes(qn_electrostatics *electrostatics, int first, int count,
                                                 qn_buffer *potential, qn_event *events[QN_ELECTROSTATICS_LAUNCHES]);

/* The key of tuning results for maps of so many points along x. */
const char *qn_electrostatics_problem_class(int points);

/* Least work of one of the four launches for the last planes. */
void qn_electrostatics_work(const qn_electrostatics *electrostatics, int launch_index, qn_work *least);

#endif

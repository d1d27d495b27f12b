/* Discs across a tunnel, in the order of travel: a ligand's dragged atom goes from disc to disc.
 *
 *     qn_discs discs;
 *     QN_TRY(qn_discs_from_spheres(spheres, count, 0.3, &discs));
 *     QN_TRY(qn_discs_extend(&discs, 2, 0, 0.2));
 *     qn_discs_release(&discs);
 *
 * Sources: Filipovič et al. 2019 (CaverDock), Plhák's thesis. */
#ifndef QN_DISCS_DISCS_H
#define QN_DISCS_DISCS_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>

#include "format/tunnel/tunnel_file.h"

/* Normals point along the order. */
typedef struct qn_discs {
    int count;
    size_t capacity;
    qn_tunnel_disc *discs;
    double longest_step_angstrom; /* of qn_disc_step between neighbours */
} qn_discs;

/* Discs from the first sphere's centre to the last one's. Each holds the tunnel's cut with its plane: the connected
 * part of the circles in which the plane cuts spheres. Neighbours do not cross, and their rims are at most
 * `delta_angstrom` (0.01 to 2) apart, except where the tunnel turns within its width or two parts of a cut meet;
 * warnings say so. Released with qn_discs_release; after a failure there is nothing to release. QN_INVALID_ARGUMENT:
 * fewer than two spheres, centres in one point, neighbours apart, numbers that are none. */
QN_MUST_CHECK qn_status qn_discs_from_spheres(const qn_tunnel_sphere *spheres, int count, double delta_angstrom,
                                              qn_discs *discs);

/* Take discs of a file, as they are ordered; their normals are turned along the order. */
QN_MUST_CHECK qn_status qn_discs_from_file(const qn_tunnel_disc *from, int count, qn_discs *discs);

void qn_discs_release(qn_discs *discs);

/* Turn the order round, with the normals. */
void qn_discs_reverse(qn_discs *discs);

/* Add discs like the first in front of it and like the last behind it, along their normals, at each `step_angstrom`
 * (above 0) up to these lengths (0: none). */
QN_MUST_CHECK qn_status qn_discs_extend(qn_discs *discs, double before_angstrom, double behind_angstrom,
                                        double step_angstrom);

/* The way to each disc: Σ |(c_i+1 − c_i)·n_i+1|, 0 for the first. */
void qn_discs_distances(const qn_discs *discs, double *distances_angstrom);

/* The longest way of a point of the rim of `a` to the rim of `b`, whose points correspond by the shortest turn from one
 * plane to the other. 64 points are tried, so the value may be 0.2 % too small. */
double qn_disc_step_angstrom(const qn_tunnel_disc *a, const qn_tunnel_disc *b);

/* Whether `b` lies wholly ahead of the plane of `a`, and `a` behind the plane of `b`. */
bool qn_disc_is_ahead(const qn_tunnel_disc *b, const qn_tunnel_disc *a);

#endif

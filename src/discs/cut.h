/* Planes through a tunnel of spheres. A plane cuts spheres in circles; those that touch each other are the tunnel's cut
 * at one place, and a tunnel that turns back is cut in several. */
#ifndef QN_DISCS_CUT_H
#define QN_DISCS_CUT_H

#include <quern/status.h>
#include <stdbool.h>

#include "discs/circle.h"
#include "format/tunnel/tunnel_file.h"

typedef struct qn_tunnel_cut {
    const qn_tunnel_sphere *spheres;
    int sphere_count;
    int circle_count;   /* of the latest cut; its connected part comes first */
    int part_count;     /* of the connected part */
    qn_circle *circles; /* in the axes of qn_plane_axes, from the place of the plane */
    int *owners;        /* spheres of the circles */
} qn_tunnel_cut;

/* Released with qn_tunnel_cut_clear, also after a failure. The spheres must stay. */
QN_MUST_CHECK qn_status qn_tunnel_cut_create(const qn_tunnel_sphere *spheres, int count, qn_tunnel_cut *cut);
void qn_tunnel_cut_clear(qn_tunnel_cut *cut);

/* Cut with the plane through `place` across the unit vector `normal`: *disc is the smallest disc that holds the
 * connected part with the circle of sphere `seed`, or if that is −1 with the circle that `place` is deepest in or
 * nearest to. False where the plane does not cut the tunnel, or the seed. */
bool qn_tunnel_cut_at(qn_tunnel_cut *cut, const double place[3], const double normal[3], int seed,
                      qn_tunnel_disc *disc);

/* Whether a sphere is in the connected part of the latest cut. */
bool qn_tunnel_cut_has(const qn_tunnel_cut *cut, int sphere);

#endif

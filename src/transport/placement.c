/* Whether a tunnel belongs to a receptor, told by where its discs lie. */
#include <math.h>

#include "base/error.h"
#include "discs/vector.h"
#include "transport/run.h"

/* Distance of the nucleus of the nearest heavy atom from the rim of a disc. In the tunnel's own structure it is the
 * atom's radius, 1.5 Å and more. */
static const double cut_angstrom = 0.5, alone_angstrom = 4;

/* Of the discs. A side chain that moves into a tunnel takes fewer. */
static const double share_to_warn = 1.0 / 3;

static double nearest_of(const qn_score_receptor *receptor, const double place[3])
{
    double nearest = INFINITY;
    for (size_t i = 0; i < receptor->atom_count; i++)
        nearest = fmin(nearest, qn_distance(receptor->positions_angstrom + 3 * i, place));
    return nearest;
}

static qn_status check_tunnel(const qn_transport_state *run, const char *path, const qn_score_receptor *receptor,
                              const qn_tunnel_input *tunnel)
{
    int cut = 0, alone = 0;
    for (int i = 0; i < tunnel->discs.count; i++) {
        const qn_tunnel_disc *disc = &tunnel->discs.discs[i];
        const double nearest = nearest_of(receptor, disc->centre);
        cut += nearest < disc->radius + cut_angstrom;
        alone += nearest > disc->radius + alone_angstrom;
    }
    if (cut + alone < share_to_warn * tunnel->discs.count) return QN_OK;
    return qn_job_warn(run->job,
                       "%s: of %d discs, atoms of %s are in the way of %d, and %d have no atom within %g Å of their "
                       "rim; expected a tunnel of this structure, in the same place",
                       tunnel->path, tunnel->discs.count, path, cut, alone, alone_angstrom);
}

qn_status qn_transport_check_placement(const qn_transport_state *run, const char *path,
                                       const qn_score_receptor *receptor)
{
    for (size_t i = 0; i < run->tunnel_count; i++) QN_TRY(check_tunnel(run, path, receptor, &run->tunnels[i]));
    return QN_OK;
}

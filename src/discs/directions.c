#include "discs/directions.h"

#include <math.h>

#include "base/error.h"
#include "discs/vector.h"

enum { ROUNDS = 5, TILTS = 8, MOVES = 8 };

static const double reach_angstrom = 6, chord_angstrom = 0.5, gain_angstrom = 1e-6, pi = 3.14159265358979323846;

/* The sphere at least half a chord away, going by `step`; the last sphere where there is none. */
static int far_sphere(const qn_tunnel_cut *cut, int from, int step)
{
    int i = from;
    while (i + step >= 0 && i + step < cut->sphere_count &&
           qn_distance(cut->spheres[i].place, cut->spheres[from].place) < chord_angstrom)
        i += step;
    return i;
}

static bool find_chord(const qn_tunnel_cut *cut, int sphere, double chord[3])
{
    const double *before = cut->spheres[far_sphere(cut, sphere, -1)].place;
    const double *behind = cut->spheres[far_sphere(cut, sphere, 1)].place;
    qn_advance(behind, -1, before, chord);
    if (qn_normalise(chord)) return true;
    qn_advance(cut->spheres[cut->sphere_count - 1].place, -1, cut->spheres[0].place, chord);
    return qn_normalise(chord);
}

/* Tilt the normal to the best of some directions around it; false when none has a smaller disc. */
static bool tilt(qn_tunnel_cut *cut, int sphere, const double chord[3], double angle, double normal[3], double *radius)
{
    double u[3], v[3], best[3];
    bool found = false;
    qn_plane_axes(normal, u, v);
    for (int i = 0; i < TILTS; i++) {
        double towards[3], tilted[3];
        qn_tunnel_disc disc;
        for (int axis = 0; axis < 3; axis++)
            towards[axis] = cos(2 * pi * i / TILTS) * u[axis] + sin(2 * pi * i / TILTS) * v[axis];
        qn_turn_towards(normal, towards, angle, tilted);
        if (qn_dot(tilted, chord) < 0.5 - 1e-9) continue; /* π/3 from the chord at most: else it leads elsewhere */
        if (!qn_tunnel_cut_at(cut, cut->spheres[sphere].place, tilted, sphere, &disc)) continue;
        if (disc.radius >= *radius - gain_angstrom) continue;
        *radius = disc.radius;
        memcpy(best, tilted, sizeof best);
        found = true;
    }
    if (found) memcpy(normal, best, sizeof best);
    return found;
}

qn_status qn_tunnel_directions(qn_tunnel_cut *cut, double (*directions)[3])
{
    for (int i = 0; i < cut->sphere_count; i++) {
        double chord[3];
        qn_tunnel_disc disc = {.radius = INFINITY};
        if (!find_chord(cut, i, chord))
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "sphere %d of the tunnel and its neighbours have one centre; expected "
                           "spheres along a line",
                           i + 1);
        memcpy(directions[i], chord, sizeof chord);
        qn_tunnel_cut_at(cut, cut->spheres[i].place, chord, i, &disc);
        double angle = pi / 3;
        for (int round = 0; round < ROUNDS; round++, angle /= 4)
            for (int move = 0; move < MOVES; move++)
                if (!tilt(cut, i, chord, angle, directions[i], &disc.radius)) break;
    }
    return QN_OK;
}

void qn_tunnel_direction_at(const qn_tunnel_cut *cut, const double (*directions)[3], const double place[3],
                            double direction[3])
{
    double sum[3] = {0, 0, 0}, least = INFINITY;
    int nearest = 0;
    for (int i = 0; i < cut->sphere_count; i++) {
        const double distance = qn_distance(cut->spheres[i].place, place);
        if (distance < least) least = distance, nearest = i;
        const double left = reach_angstrom - distance;
        if (left > 0) qn_advance(sum, left * left * left, directions[i], sum);
    }
    if (least >= reach_angstrom) memcpy(sum, directions[nearest], sizeof sum);
    if (qn_normalise(sum)) memcpy(direction, sum, sizeof sum);
}

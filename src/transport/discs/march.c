/* From disc to disc in small steps of δ/10. A step goes along the normal and turns it towards the direction of the
 * tunnel, at a bend towards that 2 δ ahead, but so little that no point of the disc goes back: at a sharp bend, the
 * disc pivots on the vertex at its inner side. The last of these steps that has its end points within δ of the disc
 * before becomes the next disc. */
#include <math.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "transport/discs/directions.h"
#include "transport/discs/list.h"
#include "transport/discs/vector.h"

enum { HALVINGS = 6 };

/* Share of a step that the inner vertex may lose by the turn, and of δ that a step may have: its rim is sampled. */
static const double most_turn = 0.85, most_step = 0.998;

/* Between the directions here and 2 δ ahead: a difference of unit vectors, 20°. */
static const double bend_difference = 0.35;

typedef struct march {
    qn_tunnel_cut cut;
    double (*directions)[3];
    double delta_angstrom;
    qn_discs *discs;
} march;

/* Whether a disc's plane has reached the last sphere's centre within the part of the tunnel that the disc holds. */
static bool has_arrived(const march *m, const qn_tunnel_disc *disc)
{
    const int last = m->cut.sphere_count - 1;
    return qn_tunnel_cut_has(&m->cut, last) &&
           qn_height(m->cut.spheres[last].place, disc->centre, disc->normal) <= 1e-12;
}

/* Where the tunnel leads, `place` being one small step ahead of `disc`: there, or at a bend 2 δ farther. */
static void find_direction(const march *m, const qn_tunnel_disc *disc, const double place[3], double direction[3])
{
    double ahead[3], far[3], bend[3];
    memcpy(direction, disc->normal, sizeof far);
    qn_tunnel_direction_at(&m->cut, m->directions, place, direction);
    qn_advance(place, 2 * m->delta_angstrom, disc->normal, ahead);
    memcpy(far, direction, sizeof far);
    qn_tunnel_direction_at(&m->cut, m->directions, ahead, far);
    qn_advance(far, -1, direction, bend);
    if (qn_dot(bend, bend) > bend_difference * bend_difference) memcpy(direction, far, sizeof far);
}

/* One small step from `disc`. False outside the tunnel. */
static bool step(march *m, const qn_tunnel_disc *disc, double length_angstrom, bool turns, qn_tunnel_disc *next,
                 bool *arrived)
{
    const double *last = m->cut.spheres[m->cut.sphere_count - 1].place;
    double direction[3], normal[3], place[3];
    memcpy(normal, disc->normal, sizeof normal);
    qn_advance(disc->centre, length_angstrom, disc->normal, place);
    if (turns) {
        find_direction(m, disc, place, direction);
        const double angle = acos(fmin(1, fmax(-1, qn_dot(direction, disc->normal))));
        const double most = asin(fmin(1, most_turn * length_angstrom / disc->radius));
        qn_turn_towards(disc->normal, direction, fmin(angle, most), normal);
    }
    if (!qn_tunnel_cut_at(&m->cut, place, normal, -1, next)) return false;
    *arrived = has_arrived(m, next);
    /* The last disc goes through the last centre, if that lies between this plane and the one before. */
    if (*arrived && qn_height(last, disc->centre, normal) > 0)
        return qn_tunnel_cut_at(&m->cut, last, normal, m->cut.sphere_count - 1, next);
    return true;
}

static bool may_follow(const march *m, const qn_tunnel_disc *next, const qn_tunnel_disc *disc)
{
    return qn_disc_is_ahead(next, disc) && qn_disc_step_angstrom(disc, next) <= most_step * m->delta_angstrom;
}

/* The next disc: false when the tunnel ends before it. *jumps: no small step has its end points within δ. */
static bool find_next(march *m, const qn_tunnel_disc *disc, qn_tunnel_disc *next, bool *arrived, bool *jumps)
{
    const double length = m->delta_angstrom / 10;
    qn_tunnel_disc present = *disc, tried;
    bool found = false, here = false;
    *arrived = *jumps = false;
    while (!*arrived && step(m, &present, length, true, &tried, &here) && may_follow(m, &tried, disc)) {
        present = *next = tried;
        *arrived = here;
        found = true;
    }
    /* A narrow place widens fast: shorter steps without a turn. */
    for (int i = 0; i <= HALVINGS && !found; i++) {
        if (!step(m, disc, ldexp(length, -i), false, &tried, &here)) continue;
        found = may_follow(m, &tried, disc);
        if (found) *next = tried, *arrived = here;
    }
    if (found) return true;
    *jumps = true;
    return step(m, disc, length, false, next, arrived);
}

static qn_status lose(const march *m, const qn_tunnel_disc *disc)
{
    return QN_FAIL(
        QN_UNSUPPORTED,
        "no disc leads on from %.2f,%.2f,%.2f after %d discs of the tunnel; expected spheres in order, each of "
        "them overlapping the next",
        disc->centre[0], disc->centre[1], disc->centre[2], m->discs->count);
}

static qn_status go(march *m)
{
    qn_tunnel_disc disc;
    double normal[3], way = 0;
    bool arrived = false;
    int jumps = 0;
    memcpy(normal, m->directions[0], sizeof normal);
    qn_tunnel_direction_at(&m->cut, m->directions, m->cut.spheres[0].place, normal);
    if (!qn_tunnel_cut_at(&m->cut, m->cut.spheres[0].place, normal, 0, &disc))
        return QN_FAIL(QN_INTERNAL, "the first sphere of a tunnel is not cut by a plane through its centre");
    for (int i = 1; i < m->cut.sphere_count; i++)
        way += qn_distance(m->cut.spheres[i].place, m->cut.spheres[i - 1].place) + m->cut.spheres[i].radius;
    QN_TRY(qn_discs_add(m->discs, &disc));
    const double most_discs = 1000 + 100 * way / m->delta_angstrom;
    while (!arrived) {
        qn_tunnel_disc next;
        bool jump;
        if (m->discs->count > most_discs || !find_next(m, &disc, &next, &arrived, &jump)) return lose(m, &disc);
        jumps += jump;
        QN_TRY(qn_discs_add(m->discs, &next));
        disc = next;
    }
    if (jumps > 0)
        qn_log(QN_LOG_WARNING, "the tunnel's width jumps at %s: end points are up to %.2f Å apart instead of %g",
               qn_count_of((unsigned long long)jumps, "disc").text, m->discs->longest_step_angstrom, m->delta_angstrom);
    return QN_OK;
}

static qn_status march_along(march *m)
{
    void *memory = NULL;
    QN_TRY(qn_allocate((size_t)m->cut.sphere_count, sizeof *m->directions, &memory));
    m->directions = memory;
    QN_TRY(qn_tunnel_directions(&m->cut, m->directions));
    return go(m);
}

qn_status qn_discs_from_spheres(const qn_tunnel_sphere *spheres, int count, double delta_angstrom, qn_discs *discs)
{
    *discs = (qn_discs){0};
    if (count < 2 || count > QN_TUNNEL_MOST)
        return QN_FAIL(QN_INVALID_ARGUMENT, "a tunnel of %s; expected 2 to %d",
                       qn_count_of((unsigned)count, "sphere").text, QN_TUNNEL_MOST);
    if (!(delta_angstrom >= 0.01 && delta_angstrom <= 2))
        return QN_FAIL(QN_INVALID_ARGUMENT, "delta is %g Å; expected 0.01 to 2", delta_angstrom);
    march m = {.delta_angstrom = delta_angstrom, .discs = discs};
    qn_status status = qn_tunnel_cut_create(spheres, count, &m.cut);
    if (status == QN_OK) status = march_along(&m);
    qn_release(&m.directions);
    qn_tunnel_cut_clear(&m.cut);
    if (status != QN_OK) qn_discs_release(discs);
    return status;
}

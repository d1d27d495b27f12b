/* From disc to disc in small steps of δ/10. A step goes along the normal and turns it towards the direction of the
 * tunnel, at a bend towards that 2 δ ahead, but so little that no point of the disc goes back: at a sharp bend, the
 * disc pivots on the vertex at its inner side. The last of these steps that has its end points within δ of the disc
 * before becomes the next disc. */
#include <math.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "discs/directions.h"
#include "discs/list.h"
#include "discs/vector.h"

enum { HALVINGS = 3, BRIDGE_HALVINGS = 8 };

/* Share of a step that the inner vertex may lose by the turn, and of δ that a step may have: its rim is sampled. */
static const double most_turn = 0.85, most_step = 0.998;

/* Between the directions here and 2 δ ahead: a difference of unit vectors, 20°. */
static const double bend_difference = 0.35;

/* Cosine of the angle between a disc's normal and the tunnel's direction beyond which the disc cuts along the tunnel.
 */
static const double least_alignment = 0.17;

typedef struct march {
    qn_tunnel_cut cut;
    double (*directions)[3];
    double delta_angstrom;
    int last; /* sphere */
    int jumps;
    qn_discs *discs;
} march;

/* The latest of the spheres, in their order from `passed` on, whose centres the disc has passed. */
static int count_passed(const march *m, const qn_tunnel_disc *disc, int passed)
{
    for (; passed < m->last; passed++) {
        const qn_tunnel_sphere *next = &m->cut.spheres[passed + 1];
        if (qn_height(next->place, disc->centre, disc->normal) > 1e-12) break;
        if (qn_distance(next->place, disc->centre) > next->radius + disc->radius) break;
    }
    return passed;
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

/* One small step from `disc`, after which *passed spheres are passed. False outside the tunnel. */
static bool step(march *m, const qn_tunnel_disc *disc, double length_angstrom, bool turns, qn_tunnel_disc *next,
                 int *passed)
{
    const double *end = m->cut.spheres[m->last].place;
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
    *passed = count_passed(m, next, *passed);
    /* The last disc goes through the last centre, if that lies between this plane and the one before. */
    if (*passed == m->last && qn_height(end, disc->centre, normal) > 0)
        return qn_tunnel_cut_at(&m->cut, end, normal, m->last, next);
    return true;
}

static bool may_follow(const march *m, const qn_tunnel_disc *next, const qn_tunnel_disc *disc)
{
    return qn_disc_is_ahead(next, disc) && qn_disc_step_angstrom(disc, next) <= most_step * m->delta_angstrom;
}

/* The next disc and the spheres passed with it: the farthest of small steps. A narrow place widens fast and needs
 * shorter ones, without a turn. Where none has its end points within δ, the cut jumps. */
static bool find_next(march *m, const qn_tunnel_disc *disc, qn_tunnel_disc *next, int *passed)
{
    const double length = m->delta_angstrom / 10;
    qn_tunnel_disc present = *disc, tried;
    const int before = *passed;
    int here = before;
    bool found = false;
    while (*passed < m->last && step(m, &present, length, true, &tried, &here) && may_follow(m, &tried, disc)) {
        present = *next = tried;
        *passed = here;
        found = true;
    }
    for (int i = 0; i <= HALVINGS && !found; i++) {
        here = before;
        if (!step(m, disc, ldexp(length, -i), false, &tried, &here)) continue;
        found = may_follow(m, &tried, disc);
        if (found) *next = tried, *passed = here;
    }
    if (found) return true;
    m->jumps++;
    return step(m, disc, length, false, next, passed);
}

/* Whether the march goes round in a wide place: spheres are some Å apart, and half a turn of a disc of 5 Å is a way of
 * 16 Å. */
static bool is_stuck(const march *m, int discs_since)
{
    return discs_since * m->delta_angstrom > 100;
}

/* Whether a disc cuts along the tunnel rather than across it. */
static bool strays(const march *m, const qn_tunnel_disc *disc)
{
    double direction[3];
    memcpy(direction, disc->normal, sizeof direction);
    qn_tunnel_direction_at(&m->cut, m->directions, disc->centre, direction);
    return qn_dot(direction, disc->normal) < least_alignment;
}

/* Append discs between the last one and `to`, and that, halving the way until end points are within δ. */
static qn_status bridge(march *m, const qn_tunnel_disc *to, int halvings)
{
    const qn_tunnel_disc from = m->discs->discs[m->discs->count - 1];
    qn_tunnel_disc middle;
    double place[3], normal[3];
    if (qn_disc_step_angstrom(&from, to) > m->delta_angstrom && halvings > 0) {
        for (int axis = 0; axis < 3; axis++) {
            place[axis] = (from.centre[axis] + to->centre[axis]) / 2;
            normal[axis] = from.normal[axis] + to->normal[axis];
        }
        if (qn_normalise(normal) && qn_tunnel_cut_at(&m->cut, place, normal, -1, &middle)) {
            QN_TRY(bridge(m, &middle, halvings - 1));
            return bridge(m, to, halvings - 1);
        }
    }
    return qn_discs_add(m->discs, to);
}

/* A tunnel that turns within its width leads the march astray: go on with the disc of the next sphere. */
static qn_status go_on_with_sphere(march *m, int sphere, qn_tunnel_disc *disc)
{
    double normal[3];
    memcpy(normal, m->directions[sphere], sizeof normal);
    qn_tunnel_direction_at(&m->cut, m->directions, m->cut.spheres[sphere].place, normal);
    if (!qn_tunnel_cut_at(&m->cut, m->cut.spheres[sphere].place, normal, sphere, disc))
        return QN_FAIL(QN_INTERNAL, "sphere %d of a tunnel is not cut by a plane through its centre", sphere + 1);
    return QN_OK;
}

static void warn(const march *m, int anchors)
{
    const qn_discs *discs = m->discs;
    if (anchors > 0)
        qn_log(QN_LOG_WARNING, "the tunnel turns within its width at %s: some discs cross there",
               qn_count_of((unsigned)anchors, "place").text);
    if (discs->longest_step_angstrom > m->delta_angstrom)
        qn_log(QN_LOG_WARNING, "the tunnel's cut jumps at %s: end points are up to %.2f Å apart; delta is %g",
               qn_count_of((unsigned)m->jumps, "disc").text, discs->longest_step_angstrom, m->delta_angstrom);
}

static qn_status go(march *m)
{
    qn_tunnel_disc disc, next;
    int anchors = 0, since = 0; /* discs since a sphere was passed */
    QN_TRY(go_on_with_sphere(m, 0, &disc));
    QN_TRY(qn_discs_add(m->discs, &disc));
    for (int passed = count_passed(m, &disc, 0); passed < m->last; disc = next) {
        int here = passed;
        if (!is_stuck(m, since) && find_next(m, &disc, &next, &here) && !strays(m, &next)) {
            QN_TRY(qn_discs_add(m->discs, &next));
            since = here > passed ? 0 : since + 1;
            passed = here;
        } else {
            anchors++;
            QN_TRY(go_on_with_sphere(m, ++passed, &next));
            QN_TRY(bridge(m, &next, BRIDGE_HALVINGS));
            passed = count_passed(m, &next, passed);
            since = 0;
        }
    }
    warn(m, anchors);
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

/* A sphere inside its neighbour adds nothing to the tunnel; files are rounded. */
static void warn_of_inner_spheres(const qn_tunnel_sphere *spheres, int count)
{
    int found = 0, first = 0;
    for (int i = 1; i < count; i++) {
        const double apart = qn_distance(spheres[i - 1].place, spheres[i].place);
        if (apart + fmin(spheres[i - 1].radius, spheres[i].radius) + 0.02 >
            fmax(spheres[i - 1].radius, spheres[i].radius))
            continue;
        first = found++ == 0 ? i : first;
    }
    if (found == 0) return;
    const int inner = spheres[first].radius < spheres[first - 1].radius ? first : first - 1;
    const int outer = inner == first ? first - 1 : first;
    qn_log(QN_LOG_WARNING,
           "sphere %d (radius %.2f Å) of the tunnel lies inside sphere %d (radius %.2f Å), their centres %.2f Å "
           "apart%s; expected spheres along a line",
           inner + 1, spheres[inner].radius, outer + 1, spheres[outer].radius,
           qn_distance(spheres[inner].place, spheres[outer].place), found > 1 ? ", and others too" : "");
}

/* Files are checked too, but spheres may come from elsewhere. */
static qn_status check_spheres(const qn_tunnel_sphere *spheres, int count)
{
    for (int i = 0; i < count; i++) {
        const double *p = spheres[i].place;
        if (!(spheres[i].radius > 0 && isfinite(spheres[i].radius + p[0] + p[1] + p[2])))
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "sphere %d at %g,%g,%g has radius %g Å; expected numbers and a radius "
                           "above 0",
                           i + 1, p[0], p[1], p[2], spheres[i].radius);
        const double reach = i > 0 ? spheres[i - 1].radius + spheres[i].radius : 0;
        const double gap = i > 0 ? qn_distance(spheres[i - 1].place, p) - reach : 0;
        if (gap > 0.02) /* files are rounded */
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "spheres %d and %d of the tunnel are apart: %.2f Å lie between them; "
                           "expected neighbours that overlap",
                           i, i + 1, gap);
    }
    return QN_OK;
}

qn_status qn_discs_from_spheres(const qn_tunnel_sphere *spheres, int count, double delta_angstrom, qn_discs *discs)
{
    *discs = (qn_discs){0};
    if (count < 2 || count > QN_TUNNEL_MOST)
        return QN_FAIL(QN_INVALID_ARGUMENT, "a tunnel of %s; expected 2 to %d",
                       qn_count_of((unsigned)count, "sphere").text, QN_TUNNEL_MOST);
    if (!(delta_angstrom >= 0.01 && delta_angstrom <= 2))
        return QN_FAIL(QN_INVALID_ARGUMENT, "delta is %g Å; expected 0.01 to 2", delta_angstrom);
    march m = {.delta_angstrom = delta_angstrom, .last = count - 1, .discs = discs};
    QN_TRY(check_spheres(spheres, count));
    warn_of_inner_spheres(spheres, count);
    qn_status status = qn_tunnel_cut_create(spheres, count, &m.cut);
    if (status == QN_OK) status = march_along(&m);
    qn_release(&m.directions);
    qn_tunnel_cut_clear(&m.cut);
    if (status != QN_OK) qn_discs_release(discs);
    return status;
}

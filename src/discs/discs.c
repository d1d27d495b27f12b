#include "discs/discs.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "discs/list.h"
#include "discs/vector.h"

qn_status qn_discs_add(qn_discs *discs, const qn_tunnel_disc *disc)
{
    if (discs->count == QN_TUNNEL_MOST)
        return QN_FAIL(QN_UNSUPPORTED,
                       "the tunnel needs more than %d discs; expected a shorter tunnel or a larger delta",
                       QN_TUNNEL_MOST);
    void *memory = discs->discs;
    const qn_status status = qn_grow(&memory, &discs->capacity, (size_t)discs->count + 1, sizeof *disc);
    discs->discs = memory;
    QN_TRY(status);
    discs->discs[discs->count++] = *disc;
    if (discs->count > 1)
        discs->longest_step_angstrom =
            fmax(discs->longest_step_angstrom, qn_disc_step_angstrom(&discs->discs[discs->count - 2], disc));
    return QN_OK;
}

void qn_discs_release(qn_discs *discs)
{
    qn_release(&discs->discs);
    *discs = (qn_discs){0};
}

/* Whether the normal leads from the disc before to the disc behind. */
static bool leads_along(const qn_tunnel_disc *discs, int count, int i)
{
    const double *before = discs[i > 0 ? i - 1 : i].centre, *behind = discs[i + 1 < count ? i + 1 : i].centre;
    return qn_height(behind, before, discs[i].normal) >= 0;
}

qn_status qn_discs_from_file(const qn_tunnel_disc *from, int count, qn_discs *discs)
{
    qn_status status = QN_OK;
    *discs = (qn_discs){0};
    for (int i = 0; i < count && status == QN_OK; i++) {
        qn_tunnel_disc disc = from[i];
        for (int axis = 0; axis < 3 && !leads_along(from, count, i); axis++) disc.normal[axis] = -from[i].normal[axis];
        status = qn_discs_add(discs, &disc);
    }
    if (status != QN_OK) qn_discs_release(discs);
    return status;
}

void qn_discs_reverse(qn_discs *discs)
{
    for (int i = 0, j = discs->count - 1; i < j; i++, j--) {
        const qn_tunnel_disc disc = discs->discs[i];
        discs->discs[i] = discs->discs[j];
        discs->discs[j] = disc;
    }
    for (int i = 0; i < discs->count; i++)
        for (int axis = 0; axis < 3; axis++) discs->discs[i].normal[axis] = -discs->discs[i].normal[axis];
}

/* Number of whole steps in a length; rounding loses none. */
static int count_steps(double length_angstrom, double step_angstrom)
{
    return (int)floor(length_angstrom / step_angstrom + 1e-6);
}

static qn_status add_moved(qn_discs *discs, const qn_tunnel_disc *from, double length_angstrom)
{
    qn_tunnel_disc disc = *from;
    qn_advance(from->centre, length_angstrom, from->normal, disc.centre);
    return qn_discs_add(discs, &disc);
}

static qn_status extend(const qn_discs *discs, int before, int behind, double step_angstrom, qn_discs *extended)
{
    const qn_tunnel_disc *first = &discs->discs[0], *last = &discs->discs[discs->count - 1];
    for (int i = before; i > 0; i--) QN_TRY(add_moved(extended, first, -i * step_angstrom));
    for (int i = 0; i < discs->count; i++) QN_TRY(qn_discs_add(extended, &discs->discs[i]));
    for (int i = 1; i <= behind; i++) QN_TRY(add_moved(extended, last, i * step_angstrom));
    return QN_OK;
}

qn_status qn_discs_extend(qn_discs *discs, double before_angstrom, double behind_angstrom, double step_angstrom)
{
    qn_discs extended = {0};
    if (!(step_angstrom > 0 && before_angstrom >= 0 && behind_angstrom >= 0 && discs->count > 0 &&
          fmax(before_angstrom, behind_angstrom) / step_angstrom <= QN_TUNNEL_MOST))
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "discs cannot be extended by %g and %g Å in steps of %g Å; expected lengths from 0 and at most %d "
            "steps",
            before_angstrom, behind_angstrom, step_angstrom, QN_TUNNEL_MOST);
    const qn_status status = extend(discs, count_steps(before_angstrom, step_angstrom),
                                    count_steps(behind_angstrom, step_angstrom), step_angstrom, &extended);
    if (status != QN_OK) {
        qn_discs_release(&extended);
        return status;
    }
    qn_discs_release(discs);
    *discs = extended;
    return QN_OK;
}

void qn_discs_distances(const qn_discs *discs, double *distances_angstrom)
{
    for (int i = 0; i < discs->count; i++) {
        const qn_tunnel_disc *disc = &discs->discs[i];
        distances_angstrom[i] =
            i == 0 ? 0 : distances_angstrom[i - 1] + fabs(qn_height(disc->centre, disc[-1].centre, disc->normal));
    }
}

double qn_disc_step_angstrom(const qn_tunnel_disc *a, const qn_tunnel_disc *b)
{
    enum { POINTS = 64 };
    const double pi = 3.14159265358979323846;
    double along[3], hinge[3], lift_a[3], lift_b[3], most = 0;
    /* Unit vectors: the hinge lies in both planes; across it, lift_a turns into lift_b. */
    qn_advance(b->normal, -qn_dot(a->normal, b->normal), a->normal, along);
    if (!qn_normalise(along)) qn_plane_axes(a->normal, along, hinge);
    for (int axis = 0; axis < 3; axis++) {
        const int next = (axis + 1) % 3, last = (axis + 2) % 3;
        hinge[axis] = a->normal[next] * along[last] - a->normal[last] * along[next];
        lift_a[axis] = along[axis];
    }
    for (int axis = 0; axis < 3; axis++) {
        const int next = (axis + 1) % 3, last = (axis + 2) % 3;
        lift_b[axis] = hinge[next] * b->normal[last] - hinge[last] * b->normal[next];
    }
    for (int i = 0; i < POINTS; i++) {
        const double c = cos(2 * pi * i / POINTS), s = sin(2 * pi * i / POINTS);
        double from[3], to[3];
        qn_advance(a->centre, a->radius * c, lift_a, from);
        qn_advance(from, a->radius * s, hinge, from);
        qn_advance(b->centre, b->radius * c, lift_b, to);
        qn_advance(to, b->radius * s, hinge, to);
        most = fmax(most, qn_distance(from, to));
    }
    return most;
}

bool qn_disc_is_ahead(const qn_tunnel_disc *b, const qn_tunnel_disc *a)
{
    const double cosine = qn_dot(a->normal, b->normal), sine = sqrt(fmax(0, 1 - cosine * cosine));
    return cosine > 0 && qn_height(b->centre, a->centre, a->normal) > b->radius * sine &&
           qn_height(b->centre, a->centre, b->normal) > a->radius * sine;
}

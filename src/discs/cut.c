#include "discs/cut.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "discs/vector.h"

qn_status qn_tunnel_cut_create(const qn_tunnel_sphere *spheres, int count, qn_tunnel_cut *cut)
{
    void *memory = NULL;
    *cut = (qn_tunnel_cut){.spheres = spheres, .sphere_count = count};
    QN_TRY(qn_allocate((size_t)count, sizeof(qn_circle), &memory));
    cut->circles = memory;
    QN_TRY(qn_allocate((size_t)count, sizeof(int), &memory));
    cut->owners = memory;
    return QN_OK;
}

void qn_tunnel_cut_clear(qn_tunnel_cut *cut)
{
    qn_release(&cut->circles);
    qn_release(&cut->owners);
}

static void swap(qn_tunnel_cut *cut, int i, int j)
{
    const qn_circle circle = cut->circles[i];
    const int owner = cut->owners[i];
    cut->circles[i] = cut->circles[j], cut->owners[i] = cut->owners[j];
    cut->circles[j] = circle, cut->owners[j] = owner;
}

/* All circles of the plane; *first is the one that the connected part begins with, −1: none. */
static void find_circles(qn_tunnel_cut *cut, const double place[3], const double normal[3], const double u[3],
                         const double v[3], int seed, int *first)
{
    double deepest = INFINITY;
    *first = -1;
    cut->circle_count = 0;
    for (int i = 0; i < cut->sphere_count; i++) {
        const qn_tunnel_sphere *sphere = &cut->spheres[i];
        const double height = qn_height(sphere->place, place, normal);
        const double square = sphere->radius * sphere->radius - height * height;
        if (square <= 0) continue;
        qn_circle *circle = &cut->circles[cut->circle_count];
        *circle = (qn_circle){{qn_height(sphere->place, place, u), qn_height(sphere->place, place, v)}, sqrt(square)};
        cut->owners[cut->circle_count] = i;
        const double *c = circle->centre, depth = sqrt(c[0] * c[0] + c[1] * c[1]) - circle->radius;
        if (seed >= 0 ? i == seed : depth < deepest) deepest = depth, *first = cut->circle_count;
        cut->circle_count++;
    }
}

/* Bring the circles that are connected with the first to the front. */
static void connect(qn_tunnel_cut *cut)
{
    cut->part_count = 1;
    for (int i = 0; i < cut->part_count; i++)
        for (int j = cut->part_count; j < cut->circle_count; j++) {
            const qn_circle *a = &cut->circles[i], *b = &cut->circles[j];
            const double x = a->centre[0] - b->centre[0], y = a->centre[1] - b->centre[1];
            const double reach = a->radius + b->radius;
            if (x * x + y * y <= reach * reach) swap(cut, j, cut->part_count++);
        }
}

bool qn_tunnel_cut_at(qn_tunnel_cut *cut, const double place[3], const double normal[3], int seed, qn_tunnel_disc *disc)
{
    double u[3], v[3];
    int first;
    qn_plane_axes(normal, u, v);
    find_circles(cut, place, normal, u, v, seed, &first);
    cut->part_count = 0;
    if (first < 0) return false;
    swap(cut, 0, first);
    connect(cut);
    const qn_circle around = qn_circle_around(cut->circles, cut->part_count);
    for (int axis = 0; axis < 3; axis++) {
        disc->centre[axis] = place[axis] + around.centre[0] * u[axis] + around.centre[1] * v[axis];
        disc->normal[axis] = normal[axis];
    }
    disc->radius = around.radius;
    return true;
}

bool qn_tunnel_cut_has(const qn_tunnel_cut *cut, int sphere)
{
    for (int i = 0; i < cut->part_count; i++)
        if (cut->owners[i] == sphere) return true;
    return false;
}

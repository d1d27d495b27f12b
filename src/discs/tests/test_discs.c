/* Discs of tunnels: cylinders and arcs against the analytical answer, random tunnels by their properties with a brute
 * force of the cut, distances and extensions by hand, and the discs that CaverDock made of a tunnel of LinB. */
#include "discs/discs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "discs/vector.h"
#include "math/random.h"

static const double pi = 3.14159265358979323846;

/* The cut around a disc's centre, on a grid: the farthest point of its connected part from the centre, and how many of
 * its points there are. */
enum { GRID = 121 };
static const double grid_angstrom = 0.1;

/* Whether one sphere holds both points, and so the way between them. */
static bool are_joined(const qn_tunnel_sphere *spheres, int count, const double x[3], const double y[3])
{
    for (int i = 0; i < count; i++)
        if (qn_distance(spheres[i].place, x) < spheres[i].radius &&
            qn_distance(spheres[i].place, y) < spheres[i].radius)
            return true;
    return false;
}

static void grid_point(const qn_tunnel_disc *disc, int i, int j, double x[3])
{
    double u[3], v[3];
    qn_plane_axes(disc->normal, u, v);
    qn_advance(disc->centre, (i - GRID / 2) * grid_angstrom, u, x);
    qn_advance(x, (j - GRID / 2) * grid_angstrom, v, x);
}

static double farthest_of_cut(const qn_tunnel_sphere *spheres, int count, const qn_tunnel_disc *disc, int *points)
{
    static double place[GRID][GRID][3];
    static char state[GRID][GRID]; /* 0 outside, 1 inside, 2 reached */
    static int queue[GRID * GRID];
    double farthest = 0, nearest = INFINITY;
    qn_tunnel_sphere cut[256];
    int first = 0, last = 0, cut_count = 0;
    for (int i = 0; i < count; i++)
        if (fabs(qn_height(spheres[i].place, disc->centre, disc->normal)) < spheres[i].radius)
            cut[cut_count++] = spheres[i];
    for (int i = 0; i < GRID; i++)
        for (int j = 0; j < GRID; j++) {
            grid_point(disc, i, j, place[i][j]);
            state[i][j] = are_joined(cut, cut_count, place[i][j], place[i][j]);
            const double distance = qn_distance(place[i][j], disc->centre);
            if (state[i][j] && distance < nearest) nearest = distance, queue[0] = i * GRID + j, last = 1;
        }
    if (last) state[queue[0] / GRID][queue[0] % GRID] = 2;
    for (; first < last; first++) {
        const int i = queue[first] / GRID, j = queue[first] % GRID;
        farthest = fmax(farthest, qn_distance(place[i][j], disc->centre));
        for (int k = 0; k < 4; k++) {
            const int p = i + (k == 0) - (k == 1), q = j + (k == 2) - (k == 3);
            if (p < 0 || q < 0 || p >= GRID || q >= GRID || state[p][q] != 1) continue;
            if (!are_joined(cut, cut_count, place[i][j], place[p][q])) continue;
            state[p][q] = 2;
            queue[last++] = p * GRID + q;
        }
    }
    *points = last;
    return farthest;
}

/* Rules that the discs of every tunnel obey; `delta` 0: for those that turn within their width. Returns the number of
 * discs that break a rule. */
static int count_broken(const qn_tunnel_sphere *spheres, int count, const qn_discs *discs, double delta)
{
    int broken = 0;
    for (int i = 0; i < discs->count; i++) {
        const qn_tunnel_disc *disc = &discs->discs[i];
        int points;
        const double farthest = farthest_of_cut(spheres, count, disc, &points);
        int wrong = fabs(qn_dot(disc->normal, disc->normal) - 1) > 1e-12 || points == 0;
        wrong |= farthest > disc->radius + 1e-9;                           /* the disc holds the cut */
        wrong |= delta > 0 && farthest < disc->radius - 2 * grid_angstrom; /* and is no larger than it must be */
        if (i > 0 && delta > 0)
            wrong |= !qn_disc_is_ahead(disc, disc - 1) || qn_disc_step_angstrom(disc - 1, disc) > delta;
        if (wrong)
            printf("  disc %d: points %d, farthest %g, radius %g, step %g, ahead %d\n", i, points, farthest,
                   disc->radius, i ? qn_disc_step_angstrom(disc - 1, disc) : 0,
                   i ? qn_disc_is_ahead(disc, disc - 1) : 1);
        broken += wrong;
    }
    return broken;
}

static void a_cylinder_has_equal_discs_across_it(void)
{
    enum { COUNT = 101 };
    const double axis[3] = {1.0 / 3, 2.0 / 3, -2.0 / 3}, start[3] = {5, -3, 8};
    qn_tunnel_sphere spheres[COUNT];
    for (int i = 0; i < COUNT; i++) {
        spheres[i].radius = 2;
        qn_advance(start, 0.1 * i, axis, spheres[i].place);
    }
    qn_discs discs;
    if (!CHECK_OK(qn_discs_from_spheres(spheres, COUNT, 0.3, &discs))) return;
    /* Nine steps of 0.03 Å each; the last disc is in the plane of the end: 0, 0.27 … 9.72, 10. */
    CHECK(discs.count == 38);
    for (int i = 0; i < discs.count; i++) {
        const double along = i == 37 ? 10 : 0.27 * i, off = fabs(along - 0.1 * round(10 * along));
        double place[3];
        qn_advance(start, along, axis, place);
        CHECK(qn_distance(place, discs.discs[i].centre) < 1e-9);
        CHECK(qn_dot(axis, discs.discs[i].normal) > 1 - 1e-12);
        CHECK_NEAR(discs.discs[i].radius, sqrt(4 - off * off), 1e-9);
    }
    CHECK_NEAR(discs.longest_step_angstrom, 0.28, 1e-3);
    CHECK(count_broken(spheres, COUNT, &discs, 0.3) == 0);
    qn_discs_release(&discs);
}

/* Three quarters of a torus whose axis is z: its circles have radius 1.5 and lie around a circle of radius 5. Within 6
 * Å of an end, directions are means of one side, and turn less than the tunnel does. */
static void an_arc_has_discs_through_its_axis(void)
{
    enum { COUNT = 236 };
    const double bend = 5, radius = 1.5, whole = 1.5 * pi, end = 6.5 / bend;
    qn_tunnel_sphere spheres[COUNT];
    for (int i = 0; i < COUNT; i++) {
        const double angle = whole * i / (COUNT - 1);
        spheres[i] = (qn_tunnel_sphere){{bend * cos(angle), bend * sin(angle), 0}, radius};
    }
    qn_discs discs;
    if (!CHECK_OK(qn_discs_from_spheres(spheres, COUNT, 0.3, &discs))) return;
    double place = 0, up = 0, radii = 0, turn = 0, end_turn = 0;
    for (int i = 0; i < discs.count; i++) {
        const double *c = discs.discs[i].centre, *n = discs.discs[i].normal, from_axis = hypot(c[0], c[1]);
        const double off = asin(fabs(n[0] * c[0] + n[1] * c[1]) / from_axis);
        double angle = atan2(c[1], c[0]);
        if (angle < -0.1) angle += 2 * pi;
        const bool inner = angle > end && angle < whole - end;
        CHECK(n[1] * c[0] - n[0] * c[1] > 0);
        up = fmax(up, fmax(fabs(n[2]), fabs(c[2])));
        place = fmax(place, fabs(from_axis - bend));
        if (inner) radii = fmax(radii, fabs(discs.discs[i].radius - radius));
        if (inner)
            turn = fmax(turn, off);
        else
            end_turn = fmax(end_turn, off);
    }
    CHECK_NEAR(place, 0, 0.02);
    CHECK_NEAR(up, 0, 0.01);
    CHECK_NEAR(radii, 0, 0.005);
    CHECK_NEAR(turn, 0, 2 * pi / 180);
    CHECK_NEAR(end_turn, 0, 15 * pi / 180);
    /* The outer end points go (bend + radius)·angle, at most 0.3 Å a disc, and less by at most a small step. */
    const double way = whole * (bend + radius);
    CHECK(discs.count >= 0.9 * way / 0.3 && discs.count <= way / (0.3 - 0.03 * 1.3 - 0.001) + 2);
    CHECK(count_broken(spheres, COUNT, &discs, 0.3) == 0);
    qn_discs_release(&discs);
}

/* A smooth random walk with spheres every 0.5 to 1 Å whose radii change less than the place, as clearances do. */
static int random_tunnel(int trial, double bend, qn_tunnel_sphere *spheres)
{
    const int count = 8 + trial % 25;
    const double spacing = 0.5 + 0.5 * qn_random_uniform(11, (uint64_t)trial, 0);
    double direction[3] = {0, 0, 1};
    uint64_t draw = 1;
    spheres[0] = (qn_tunnel_sphere){{20, 30, 10}, 1.2 + qn_random_uniform(11, (uint64_t)trial, draw++)};
    for (int i = 1; i < count; i++) {
        for (int axis = 0; axis < 3; axis++)
            direction[axis] += bend * spacing * (qn_random_uniform(11, (uint64_t)trial, draw++) - 0.5);
        qn_normalise(direction);
        qn_advance(spheres[i - 1].place, spacing, direction, spheres[i].place);
        const double change = 1.2 * spacing * (qn_random_uniform(11, (uint64_t)trial, draw++) - 0.5);
        spheres[i].radius = fmin(3, fmax(0.9, spheres[i - 1].radius + change));
    }
    return count;
}

static void random_tunnels_keep_the_rules(void)
{
    int broken = 0;
    for (int trial = 0; trial < 40; trial++) {
        qn_tunnel_sphere spheres[40];
        qn_discs discs;
        const int count = random_tunnel(trial, 0.9, spheres);
        const double delta = trial % 3 == 2 ? 0.15 : 0.3;
        if (!CHECK_OK(qn_discs_from_spheres(spheres, count, delta, &discs))) continue;
        const int wrong = count_broken(spheres, count, &discs, delta);
        if (wrong) printf("  tunnel %d: %d of %d discs are wrong\n", trial, wrong, discs.count);
        const double *last = discs.discs[discs.count - 1].centre;
        CHECK(qn_distance(discs.discs[0].centre, spheres[0].place) < spheres[0].radius);
        CHECK(fabs(qn_height(spheres[count - 1].place, last, discs.discs[discs.count - 1].normal)) < 1e-9);
        broken += wrong;
        qn_discs_release(&discs);
    }
    CHECK(broken == 0);
}

/* Whether a sphere's centre lies between two neighbours' planes, near their discs. */
static bool is_between(const qn_discs *discs, const qn_tunnel_sphere *sphere)
{
    for (int i = 0; i + 1 < discs->count; i++) {
        const qn_tunnel_disc *a = &discs->discs[i], *b = a + 1;
        const double slack = 1e-9, *x = sphere->place;
        if (qn_height(x, a->centre, a->normal) >= -slack && qn_height(x, b->centre, b->normal) <= slack &&
            qn_distance(x, a->centre) < a->radius + sphere->radius)
            return true;
    }
    return false;
}

/* Tunnels that turn within their width are led through to the end, past every sphere, and the discs hold the cuts. */
static void tangled_tunnels_are_passed(void)
{
    int broken = 0, missed = 0;
    for (int trial = 0; trial < 40; trial++) {
        qn_tunnel_sphere spheres[40];
        qn_discs discs;
        const int count = random_tunnel(trial, 1.5, spheres);
        if (!CHECK_OK(qn_discs_from_spheres(spheres, count, 0.3, &discs))) continue;
        broken += count_broken(spheres, count, &discs, 0);
        for (int i = 0; i < count; i++) missed += !is_between(&discs, &spheres[i]);
        CHECK(discs.count < 1000);
        qn_discs_release(&discs);
    }
    CHECK(broken == 0);
    CHECK(missed == 0);
}

/* Two spheres of radius 3 whose middles are far: the neck is a circle of radius √(9 − 8.41), from where the cut widens
 * by 3.8 Å an Å. */
static void a_narrow_neck_is_passed(void)
{
    const qn_tunnel_sphere spheres[2] = {{{0, 0, 0}, 3}, {{0, 0, 5.8}, 3}};
    qn_discs discs;
    double least = 9;
    if (!CHECK_OK(qn_discs_from_spheres(spheres, 2, 0.3, &discs))) return;
    for (int i = 0; i < discs.count; i++) least = fmin(least, discs.discs[i].radius);
    CHECK_NEAR(least, sqrt(9 - 8.41), 0.12);
    CHECK(count_broken(spheres, 2, &discs, 0.3) == 0);
    qn_discs_release(&discs);
}

/* A right angle that is sharper than the tunnel is wide: discs pivot on the inner vertex. */
static void a_corner_is_passed(void)
{
    enum { LEG = 12 };
    qn_tunnel_sphere spheres[2 * LEG + 1];
    for (int i = 0; i <= 2 * LEG; i++)
        spheres[i] = (qn_tunnel_sphere){{0.5 * fmax(0, i - LEG), 0, 0.5 * fmin(i, LEG)}, 1.8};
    qn_discs discs;
    if (!CHECK_OK(qn_discs_from_spheres(spheres, 2 * LEG + 1, 0.3, &discs))) return;
    CHECK(discs.discs[0].normal[2] > 0.9 && discs.discs[discs.count - 1].normal[0] > 0.9);
    CHECK(count_broken(spheres, 2 * LEG + 1, &discs, 0.3) == 0);
    qn_discs_release(&discs);
}

/* Spheres inside others change nothing but the directions; files of funnels have them. */
static void spheres_inside_others_are_no_trouble(void)
{
    qn_tunnel_sphere spheres[22];
    for (int i = 0; i < 22; i++)
        spheres[i] = (qn_tunnel_sphere){{0, 0, 0.5 * (i / 2)}, i % 2 ? 0.5 : 2}; /* every centre twice */
    qn_discs discs;
    if (!CHECK_OK(qn_discs_from_spheres(spheres, 22, 0.3, &discs))) return;
    CHECK(count_broken(spheres, 22, &discs, 0.3) == 0);
    CHECK(discs.count >= 5 / 0.3 + 1 && discs.discs[discs.count - 1].centre[2] > 5 - 1e-9);
    qn_discs_release(&discs);
}

static void bad_arguments_are_refused(void)
{
    const qn_tunnel_sphere same[3] = {{{1, 1, 1}, 2}, {{1, 1, 1}, 2}, {{1, 1, 1}, 2}};
    const qn_tunnel_sphere apart[3] = {{{0, 0, 0}, 1}, {{0, 0, 1}, 1}, {{0, 0, 9}, 1}};
    qn_discs discs;
    CHECK_FAILS(qn_discs_from_spheres(same, 1, 0.3, &discs), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_discs_from_spheres(same, 3, 0.3, &discs), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("have one centre");
    CHECK_FAILS(qn_discs_from_spheres(apart, 2, 0, &discs), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_discs_from_spheres(apart, 2, NAN, &discs), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_discs_from_spheres(apart, 3, 0.3, &discs), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("spheres 2 and 3 of the tunnel are apart: 6.00");
    CHECK(discs.discs == NULL && discs.count == 0);
}

static void distances_and_extensions_are_right(void)
{
    const qn_tunnel_disc file[3] = {
        {{0, 0, 0}, {0, 0, -1}, 1}, {{1, 0, 0.5}, {0, -0.6, -0.8}, 1.5}, {{1, 1, 1.5}, {0, 1, 0}, 2}};
    qn_discs discs;
    double distances[24];
    if (!CHECK_OK(qn_discs_from_file(file, 3, &discs))) return;
    CHECK(discs.discs[0].normal[2] == 1 && discs.discs[1].normal[1] == 0.6 && discs.discs[2].normal[1] == 1);
    qn_discs_distances(&discs, distances);
    CHECK_NEAR(distances[1], 0.5 * 0.8, 1e-15);
    CHECK_NEAR(distances[2], 0.4 + 1, 1e-15);
    if (!CHECK_OK(qn_discs_extend(&discs, 2, 0.5, 0.2))) return;
    CHECK(discs.count == 10 + 3 + 2);
    CHECK_NEAR(discs.discs[0].centre[2], -2, 1e-15);
    CHECK_NEAR(discs.discs[9].centre[2], -0.2, 1e-15);
    CHECK(discs.discs[9].radius == 1 && discs.discs[13].radius == 2);
    CHECK_NEAR(discs.discs[14].centre[1], 1.4, 1e-15);
    qn_discs_distances(&discs, distances);
    CHECK_NEAR(distances[14], 2 + 1.4 + 0.4, 1e-12);
    qn_discs_reverse(&discs);
    CHECK(discs.discs[14].normal[2] == -1 && discs.discs[0].normal[1] == -1);
    CHECK_NEAR(discs.discs[0].centre[1], 1.4, 1e-15);
    CHECK_FAILS(qn_discs_extend(&discs, 2, 0, 0), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_discs_extend(&discs, -1, 0, 0.2), QN_INVALID_ARGUMENT);
    qn_discs_release(&discs);
}

/* The disc of `discs` whose place is taken where their centres' line meets the plane of `disc`; false: nowhere. */
static bool meet(const qn_discs *discs, const qn_tunnel_disc *disc, qn_tunnel_disc *met)
{
    for (int i = 0; i + 1 < discs->count; i++) {
        const qn_tunnel_disc *a = &discs->discs[i], *b = a + 1;
        const double before = qn_height(a->centre, disc->centre, disc->normal);
        const double behind = qn_height(b->centre, disc->centre, disc->normal);
        if (before * behind > 0) continue;
        const double share = before / (before - behind);
        *met = *a;
        for (int axis = 0; axis < 3; axis++) met->centre[axis] += share * (b->centre[axis] - a->centre[axis]);
        met->radius += share * (b->radius - a->radius);
        return true;
    }
    return false;
}

/* CaverDock's 34 discs and the distances that it states. */
static void reference_discs_keep_the_rules(void)
{
    qn_tunnel_file file;
    qn_discs discs;
    double distances[34];
    const char *path = check_reference_data("transport/linb_caverweb_tunnel.dsd");
    if (!path || !CHECK_OK(qn_tunnel_file_read(path, &file))) return;
    CHECK_OK(qn_discs_from_file(file.discs, file.disc_count, &discs));
    qn_tunnel_file_release(&file);
    for (int i = 1; i < discs.count; i++) CHECK(qn_disc_is_ahead(&discs.discs[i], &discs.discs[i - 1]));
    CHECK(discs.longest_step_angstrom > 0.25 && discs.longest_step_angstrom <= 0.3);
    qn_discs_distances(&discs, distances);
    path = check_reference_data("transport/linb_ref_analysis-lb.dat");
    FILE *stream = path ? fopen(path, "r") : NULL;
    double distance;
    int rows = 0;
    while (stream && fscanf(stream, "%lf %*d %*f %*f %*f %*f", &distance) == 1 && rows < 34)
        CHECK_NEAR(distances[rows++], distance, 1e-9);
    CHECK(rows == 34);
    if (stream) fclose(stream);
    qn_discs_release(&discs);
}

/* The same tunnel by CAVER 3.02, whose mouth half is that of CaverDock's: spheres from another run, so places and radii
 * are 0.1 Å apart at most. The spheres of CaverDock's run are not known, so for count and normals its discs stand for
 * spheres. */
static void reference_spheres_give_the_reference_discs(void)
{
    qn_tunnel_file spheres, file;
    qn_discs discs;
    const char *path = check_reference_data("transport/linb_caver302_tunnel.pdb");
    if (!path || !CHECK_OK(qn_tunnel_file_read(path, &spheres))) return;
    if (!CHECK_OK(qn_tunnel_file_read(check_reference_data("transport/linb_caverweb_tunnel.dsd"), &file))) return;
    CHECK_OK(qn_discs_from_spheres(spheres.spheres, spheres.sphere_count, 0.3, &discs));
    CHECK(count_broken(spheres.spheres, spheres.sphere_count, &discs, 0.3) == 0);
    for (int i = 1; i < 15; i++) {
        qn_tunnel_disc met;
        if (!CHECK(meet(&discs, &file.discs[i], &met))) continue;
        CHECK(qn_distance(met.centre, file.discs[i].centre) < 0.1);
        CHECK_NEAR(met.radius, file.discs[i].radius, 0.1);
        CHECK(fabs(qn_dot(met.normal, file.discs[i].normal)) > cos(10 * pi / 180));
    }
    qn_discs_release(&discs);
    qn_tunnel_file_release(&spheres);
    qn_tunnel_sphere stand_ins[34];
    for (int i = 0; i < 34; i++) {
        memcpy(stand_ins[i].place, file.discs[33 - i].centre, sizeof stand_ins[i].place);
        stand_ins[i].radius = file.discs[33 - i].radius;
    }
    CHECK_OK(qn_discs_from_spheres(stand_ins, 34, 0.3, &discs));
    CHECK(count_broken(stand_ins, 34, &discs, 0.3) == 0);
    CHECK(discs.count >= 30 && discs.count <= 38);
    for (int i = 1; i < 34; i++) {
        qn_tunnel_disc met;
        if (!CHECK(meet(&discs, &file.discs[i], &met))) continue;
        CHECK(qn_distance(met.centre, file.discs[i].centre) < 0.3);
        CHECK(qn_dot(met.normal, file.discs[i].normal) > cos(7.5 * pi / 180)); /* both begin inside */
    }
    qn_discs_release(&discs);
    qn_tunnel_file_release(&file);
}

int main(void)
{
    RUN(a_narrow_neck_is_passed);
    RUN(a_corner_is_passed);
    RUN(spheres_inside_others_are_no_trouble);
    RUN(bad_arguments_are_refused);
    RUN(distances_and_extensions_are_right);
    RUN(reference_discs_keep_the_rules);
    RUN(reference_spheres_give_the_reference_discs);
    RUN(a_cylinder_has_equal_discs_across_it);
    RUN(an_arc_has_discs_through_its_axis);
    RUN_LONG(random_tunnels_keep_the_rules);
    RUN_LONG(tangled_tunnels_are_passed);
    return check_finish();
}

/* Distances from moments, compared with sums over the atoms; choices by weight, compared with sums found anew. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "dock/ranking/crowd.h"
#include "math/random.h"
#include "math/rotation.h"

enum { POSES = 40 };

static qn_dock_partner receptor, ligand;
static qn_surface surfaces[2];
static qn_placement poses[POSES];

static void read_partners(void)
{
    CHECK_OK(qn_dock_partner_read(check_data("../../examples/1ppe/1PPE_r_u.pdb"), 0, "receptor", &receptor));
    CHECK_OK(qn_dock_partner_read(check_data("../../examples/1ppe/1PPE_l_u_rnd.pdb"), 0, "ligand", &ligand));
    CHECK_OK(qn_surface_create(&receptor, &surfaces[0]));
    CHECK_OK(qn_surface_create(&ligand, &surfaces[1]));
}

/* Turn the ligand at random and put its centre somewhere around the receptor's. */
static void make_poses(void)
{
    double from[3], to[3], radius, turned[3];
    qn_dock_bounding_sphere(&ligand, from, &radius);
    qn_dock_bounding_sphere(&receptor, to, &radius);
    for (uint64_t i = 0; i < POSES; i++) {
        qn_rotation_from_seed(i + 1, poses[i].matrix);
        qn_rotation_apply(poses[i].matrix, from, turned);
        for (uint64_t axis = 0; axis < 3; axis++)
            poses[i].translation_angstrom[axis] =
                to[axis] - turned[axis] + 1.2 * radius * (2 * qn_random_uniform(3, i, axis) - 1);
    }
    poses[0].translation_angstrom[0] += 1e4; /* out of reach */
    poses[1].translation_angstrom[0] -= 1e4;
}

static void place(const qn_placement *pose, const double *atom, double at[3])
{
    qn_rotation_apply(pose->matrix, atom, at);
    for (int axis = 0; axis < 3; axis++) at[axis] += pose->translation_angstrom[axis];
}

static double apart(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static bool is_near(const double at[3])
{
    for (size_t i = 0; i < surfaces[0].atom_count; i++)
        if (apart(at, surfaces[0].atoms[i].position_angstrom) <= 10) return true;
    return false;
}

/* The distance by its definition. */
static double slow_distance(const qn_placement *a, const qn_placement *b)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < ligand.molecule->atom_count; i++) {
        const qn_atom *atom = &ligand.molecule->atoms[i];
        double at_a[3], at_b[3];
        if (strcmp(atom->name, "CA") != 0 || strcmp(atom->element, "C") != 0) continue;
        place(a, atom->position_angstrom, at_a);
        place(b, atom->position_angstrom, at_b);
        const double times = is_near(at_a) + is_near(at_b);
        sum += times * apart(at_a, at_b) * apart(at_a, at_b);
        count += times;
    }
    return count > 0 ? sqrt(sum / count) : INFINITY;
}

static void distances_are_those_over_the_atoms(void)
{
    qn_crowd crowd;
    size_t finite = 0;
    CHECK_OK(qn_crowd_create(&surfaces[0], ligand.molecule, poses, POSES, NULL, &crowd));
    for (size_t i = 0; i < POSES; i++)
        for (size_t j = 0; j < POSES; j++) {
            const double expected = slow_distance(&poses[i], &poses[j]), found = qn_crowd_distance(&crowd, i, j);
            if (isinf(expected)) {
                CHECK(isinf(found));
                continue;
            }
            finite += i != j;
            /* sums of squares of at most 1e4 Å over some twenty atoms, in double precision */
            CHECK_NEAR(found, expected, 1e-8 * (1 + expected));
            CHECK(found == qn_crowd_distance(&crowd, j, i));
        }
    CHECK(finite > 1000);
    CHECK(isinf(qn_crowd_distance(&crowd, 0, 1)));
    qn_crowd_clear(&crowd);
}

/* Without a receptor, the distance is the RMSD over all Cα. */
static void distances_of_whole_ligands(void)
{
    qn_crowd crowd;
    CHECK_OK(qn_crowd_create(NULL, ligand.molecule, poses, POSES, NULL, &crowd));
    for (size_t i = 0; i < POSES; i++) {
        double sum = 0, count = 0;
        for (size_t k = 0; k < ligand.molecule->atom_count; k++) {
            const qn_atom *atom = &ligand.molecule->atoms[k];
            double at_a[3], at_b[3];
            if (strcmp(atom->name, "CA") != 0 || strcmp(atom->element, "C") != 0) continue;
            place(&poses[i], atom->position_angstrom, at_a);
            place(&poses[0], atom->position_angstrom, at_b);
            sum += apart(at_a, at_b) * apart(at_a, at_b);
            count++;
        }
        CHECK_NEAR(qn_crowd_distance(&crowd, i, 0), sqrt(sum / count), 1e-8 * (1 + sqrt(sum / count)));
    }
    qn_crowd_clear(&crowd);
}

static void distances_do_not_depend_on_threads(void)
{
    qn_crowd crowd, other;
    qn_pool *pool;
    CHECK_OK(qn_pool_create(3, &pool));
    CHECK_OK(qn_crowd_create(&surfaces[0], ligand.molecule, poses, POSES, NULL, &crowd));
    CHECK_OK(qn_crowd_create(&surfaces[0], ligand.molecule, poses, POSES, pool, &other));
    CHECK(memcmp(crowd.poses, other.poses, POSES * sizeof *crowd.poses) == 0);
    qn_crowd_clear(&crowd);
    qn_crowd_clear(&other);
    qn_pool_destroy(&pool);
}

/* Sum of the weights of the poses around pose i that nobody owns. */
static double slow_sum(const qn_crowd *crowd, const double *weights, double radius, const size_t *owners, size_t i)
{
    double sum = 0;
    for (size_t j = 0; j < crowd->count; j++)
        if (owners[j] == SIZE_MAX && (i == j || qn_crowd_distance(crowd, i, j) <= radius)) sum += weights[j];
    return sum;
}

/* Each choice has the largest sum, found anew from the distances, and owns what is around it. */
static void gathered_are_the_heaviest(void)
{
    const double radius = 25; /* some of the random poses are that near each other */
    double weights[POSES], sums[POSES], owned = 0;
    size_t chosen[POSES], owners[POSES], expected[POSES], count, few, shared = 0;
    qn_crowd crowd;
    qn_pool *pool;
    CHECK_OK(qn_pool_create(3, &pool));
    CHECK_OK(qn_crowd_create(&surfaces[0], ligand.molecule, poses, POSES, NULL, &crowd));
    for (uint64_t i = 0; i < POSES; i++) weights[i] = qn_random_uniform(5, i, 0);
    CHECK_OK(qn_crowd_gather(&crowd, weights, radius, POSES, pool, chosen, sums, &count, owners));
    CHECK(count > 5 && count < POSES - 5);
    for (size_t i = 0; i < POSES; i++) expected[i] = SIZE_MAX;
    for (size_t k = 0; k < count; k++) {
        const double sum = slow_sum(&crowd, weights, radius, expected, chosen[k]);
        CHECK(expected[chosen[k]] == SIZE_MAX);
        CHECK_NEAR(sums[k], sum, 1e-12);
        for (size_t i = 0; i < POSES; i++)
            if (expected[i] == SIZE_MAX) CHECK(slow_sum(&crowd, weights, radius, expected, i) <= sum + 1e-12);
        for (size_t i = 0; i < POSES; i++)
            if (expected[i] == SIZE_MAX && (i == chosen[k] || qn_crowd_distance(&crowd, chosen[k], i) <= radius)) {
                expected[i] = k;
                shared += i != chosen[k];
                owned += weights[i];
            }
    }
    CHECK(memcmp(owners, expected, sizeof owners) == 0);
    CHECK(shared > 5);
    for (size_t i = 0; i < POSES; i++) owned -= weights[i];
    CHECK_NEAR(owned, 0, 1e-12); /* every pose has an owner, so all weight is shared out */
    CHECK_OK(qn_crowd_gather(&crowd, weights, radius, 3, NULL, expected, sums, &few, owners));
    CHECK(few == 3 && memcmp(expected, chosen, 3 * sizeof *chosen) == 0);
    qn_crowd_clear(&crowd);
    qn_pool_destroy(&pool);
}

/* Of poses with equal sums the first is chosen; a pose far from all stays alone. */
static void equal_sums_are_taken_in_order(void)
{
    const double weights[POSES] = {0};
    double sums[POSES];
    size_t chosen[POSES], owners[POSES], count;
    qn_crowd crowd;
    CHECK_OK(qn_crowd_create(&surfaces[0], ligand.molecule, poses, POSES, NULL, &crowd));
    CHECK_OK(qn_crowd_gather(&crowd, weights, 1e-3, POSES, NULL, chosen, sums, &count, owners));
    CHECK(count == POSES);
    for (size_t i = 0; i < count; i++) CHECK(chosen[i] == i && owners[i] == i && sums[i] == 0);
    qn_crowd_clear(&crowd);
}

int main(void)
{
    RUN(read_partners);
    make_poses();
    RUN(distances_are_those_over_the_atoms);
    RUN(distances_of_whole_ligands);
    RUN(distances_do_not_depend_on_threads);
    RUN(gathered_are_the_heaviest);
    RUN(equal_sums_are_taken_in_order);
    for (int i = 0; i < 2; i++) qn_surface_clear(&surfaces[i]);
    qn_dock_partner_clear(&receptor);
    qn_dock_partner_clear(&ligand);
    return check_finish();
}

/* Clusters in one pass (collective/leader.h) compared with the definition, and with the clusters that a full matrix of
 * distances gives. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "collective/leader.h"
#include "compare/cluster.h"
#include "math/random.h"
#include "math/rotation.h"
#include "math/superpose.h"

enum { ATOMS = 25, NUMBERS = 3 * ATOMS, FRAMES = 180 };

static double frames[FRAMES * NUMBERS], weights[ATOMS], ones[ATOMS];
static float matrix[FRAMES * FRAMES];

static double uniform(uint64_t stream, uint64_t index)
{
    return 2 * qn_random_uniform(11, stream, index) - 1;
}

/* Frames around `basins` structures, in a mixed order, each turned and moved. */
static void make_frames(size_t basins, double noise)
{
    for (size_t f = 0; f < FRAMES; f++) {
        const size_t basin = (size_t)(qn_random_uniform(5, basins, f) * (double)basins);
        double rotation[9], at[3];
        qn_rotation_from_seed(f + 1, rotation);
        for (size_t i = 0; i < ATOMS; i++) {
            for (size_t k = 0; k < 3; k++)
                at[k] = uniform(basin + 1, 3 * i + k) + noise * uniform(100 + f, 3 * i + k) + 20;
            qn_rotation_apply(rotation, at, frames + f * NUMBERS + 3 * i);
        }
    }
    for (size_t i = 0; i < ATOMS; i++) {
        weights[i] = i % 5 == 1 ? 0 : 2 + uniform(0, i);
        ones[i] = 1;
    }
}

static double rmsd_of(size_t a, size_t b, const double *by)
{
    double rotation[9], translation[3], rmsd = NAN;
    CHECK_OK(
        qn_superpose_weighted(frames + a * NUMBERS, frames + b * NUMBERS, by, ATOMS, rotation, translation, &rmsd));
    return rmsd;
}

static qn_leader *add_all(const double *by, double cutoff, bool nearest, size_t *clusters, double *distances)
{
    qn_leader *leader;
    if (!CHECK_OK(qn_leader_create(ATOMS, by, cutoff, nearest, &leader))) exit(check_finish());
    for (size_t f = 0; f < FRAMES; f++)
        CHECK_OK(qn_leader_add(leader, frames + f * NUMBERS, &clusters[f], &distances[f]));
    return leader;
}

static void check_definition(const double *by, double cutoff, bool nearest)
{
    size_t clusters[FRAMES], centres[FRAMES], count = 0, found;
    double distances[FRAMES], sums[FRAMES] = {0}, largest[FRAMES] = {0};
    uint64_t sizes[FRAMES] = {0};
    qn_leader *leader = add_all(by, cutoff, nearest, clusters, distances);
    for (size_t f = 0; f < FRAMES; f++) {
        size_t wanted = count;
        double least = cutoff;
        for (size_t k = 0; k < count; k++) {
            const double rmsd = rmsd_of(centres[k], f, by);
            if (rmsd > least || (wanted < count && (rmsd == least || !nearest))) continue;
            wanted = k;
            least = rmsd;
        }
        if (wanted == count) {
            centres[count++] = f;
            least = 0;
        }
        CHECK(clusters[f] == wanted);
        CHECK_NEAR(distances[f], least, 1e-12);
        sizes[wanted]++;
        sums[wanted] += least;
        largest[wanted] = fmax(largest[wanted], least);
    }
    const qn_leader_cluster *all = qn_leader_clusters(leader, &found);
    CHECK(found == count);
    for (size_t k = 0; k < found && k < count; k++) {
        CHECK(all[k].centre == centres[k] && all[k].size == sizes[k]);
        CHECK_NEAR(all[k].rmsd_sum, sums[k], 1e-10);
        CHECK_NEAR(all[k].largest_rmsd, largest[k], 1e-12);
    }
    qn_leader_destroy(&leader);
}

static void clusters_are_those_of_the_definition(void)
{
    const double cutoffs[] = {0, 0.2, 0.35, 0.6, 5};
    make_frames(20, 0.5);
    for (size_t i = 0; i < sizeof cutoffs / sizeof *cutoffs; i++)
        for (int nearest = 0; nearest < 2; nearest++) {
            check_definition(ones, cutoffs[i], nearest);
            check_definition(weights, cutoffs[i], nearest);
        }
}

/* Basins that are compact (at most 0.25 wide) and far apart: one pass finds the same clusters as the neighbour counts
 * of Daura et al. (1999) from the whole matrix, except for the choice of centres. */
static void separate_basins_are_those_of_the_exact_method(void)
{
    static qn_cluster exact[FRAMES];
    static size_t assignment[FRAMES];
    size_t clusters[FRAMES], exact_count, count;
    double distances[FRAMES], inside = 0, outside = INFINITY;
    make_frames(9, 0.1);
    for (size_t a = 0; a < FRAMES; a++)
        for (size_t b = 0; b < FRAMES; b++) matrix[a * FRAMES + b] = (float)rmsd_of(a, b, ones);
    CHECK_OK(qn_cluster_greedy(matrix, FRAMES, 0.3f, FRAMES, exact, &exact_count, assignment));
    qn_leader *leader = add_all(ones, 0.3, true, clusters, distances);
    qn_leader_clusters(leader, &count);
    CHECK(exact_count == 9 && count == 9);
    for (size_t a = 0; a < FRAMES; a++)
        for (size_t b = 0; b < a; b++) {
            CHECK((clusters[a] == clusters[b]) == (assignment[a] == assignment[b]));
            if (clusters[a] == clusters[b])
                inside = fmax(inside, (double)matrix[a * FRAMES + b]);
            else
                outside = fmin(outside, (double)matrix[a * FRAMES + b]);
        }
    CHECK(inside < 0.25 && outside > 0.35);
    qn_leader_destroy(&leader);
}

/* Where basins overlap, centres are still farther apart than the cut-off. Two centres of one pass at twice the cut-off
 * cannot be in one cluster of the exact method, whose members are within the cut-off of its centre: so the exact method
 * has at least as many clusters as one pass at twice the cut-off has centres. */
static void centres_are_apart_and_bound_the_exact_method(void)
{
    static qn_cluster exact[FRAMES];
    static size_t assignment[FRAMES];
    size_t clusters[FRAMES], exact_count, count, wide_count;
    double distances[FRAMES];
    make_frames(40, 0.7);
    for (size_t a = 0; a < FRAMES; a++)
        for (size_t b = 0; b < FRAMES; b++) matrix[a * FRAMES + b] = (float)rmsd_of(a, b, ones);
    CHECK_OK(qn_cluster_greedy(matrix, FRAMES, 0.4f, FRAMES, exact, &exact_count, assignment));
    qn_leader *leader = add_all(ones, 0.4, true, clusters, distances);
    const qn_leader_cluster *all = qn_leader_clusters(leader, &count);
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < a; b++) CHECK(rmsd_of(all[a].centre, all[b].centre, ones) > 0.4);
    qn_leader *wide = add_all(ones, 0.8, true, clusters, distances);
    qn_leader_clusters(wide, &wide_count);
    CHECK(exact_count > 1 && count > 1);
    CHECK(wide_count <= exact_count);
    qn_leader_destroy(&leader);
    qn_leader_destroy(&wide);
}

static void impossible_structures_are_refused(void)
{
    qn_leader *leader;
    size_t cluster;
    double rmsd;
    CHECK_FAILS(qn_leader_create(ATOMS, ones, NAN, true, &leader), QN_INVALID_ARGUMENT);
    CHECK(!leader);
    if (!CHECK_OK(qn_leader_create(ATOMS, ones, 1, true, &leader))) return;
    frames[7] = NAN;
    CHECK_FAILS(qn_leader_add(leader, frames, &cluster, &rmsd), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("y of atom 3 of 25 is nan");
    qn_leader_destroy(&leader);
}

int main(void)
{
    RUN(clusters_are_those_of_the_definition);
    RUN(separate_basins_are_those_of_the_exact_method);
    RUN(centres_are_apart_and_bound_the_exact_method);
    RUN(impossible_structures_are_refused);
    return check_finish();
}

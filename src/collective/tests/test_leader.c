/* Clusters in one pass compared with the definition. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "collective/leader.h"
#include "math/random.h"
#include "math/rotation.h"
#include "math/superpose.h"

enum { ATOMS = 25, NUMBERS = 3 * ATOMS, FRAMES = 180 };

static double frames[FRAMES * NUMBERS], weights[ATOMS], ones[ATOMS];

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
    RUN(impossible_structures_are_refused);
    return check_finish();
}

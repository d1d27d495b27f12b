/* Clusters in one pass compared with the exact method, the neighbour counts of Daura et al. (1999) on a matrix of all
 * distances. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "collective/leader.h"
#include "compare/cluster.h"
#include "format/trajectory/trajectory_stream.h"
#include "math/random.h"
#include "math/rotation.h"
#include "math/superpose.h"

enum { ATOMS = 25, NUMBERS = 3 * ATOMS, FRAMES = 180 };

static double frames[FRAMES * NUMBERS], ones[ATOMS];
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
    for (size_t i = 0; i < ATOMS; i++) ones[i] = 1;
}

static double rmsd_of(size_t a, size_t b)
{
    double rotation[9], translation[3], rmsd = NAN;
    CHECK_OK(
        qn_superpose_weighted(frames + a * NUMBERS, frames + b * NUMBERS, ones, ATOMS, rotation, translation, &rmsd));
    return rmsd;
}

static qn_leader *add_all(double cutoff, size_t *clusters, double *distances)
{
    qn_leader *leader;
    if (!CHECK_OK(qn_leader_create(ATOMS, ones, cutoff, true, &leader))) exit(check_finish());
    for (size_t f = 0; f < FRAMES; f++)
        CHECK_OK(qn_leader_add(leader, frames + f * NUMBERS, &clusters[f], &distances[f]));
    return leader;
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
        for (size_t b = 0; b < FRAMES; b++) matrix[a * FRAMES + b] = (float)rmsd_of(a, b);
    CHECK_OK(qn_cluster_greedy(matrix, FRAMES, 0.3f, FRAMES, exact, &exact_count, assignment));
    qn_leader *leader = add_all(0.3, clusters, distances);
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
        for (size_t b = 0; b < FRAMES; b++) matrix[a * FRAMES + b] = (float)rmsd_of(a, b);
    CHECK_OK(qn_cluster_greedy(matrix, FRAMES, 0.4f, FRAMES, exact, &exact_count, assignment));
    qn_leader *leader = add_all(0.4, clusters, distances);
    const qn_leader_cluster *all = qn_leader_clusters(leader, &count);
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < a; b++) CHECK(rmsd_of(all[a].centre, all[b].centre) > 0.4);
    qn_leader *wide = add_all(0.8, clusters, distances);
    qn_leader_clusters(wide, &wide_count);
    CHECK(exact_count > 1 && count > 1);
    CHECK(wide_count <= exact_count);
    qn_leader_destroy(&leader);
    qn_leader_destroy(&wide);
}

/* ---- adenylate kinase: 200 models of 214 atoms ---- */

enum { MODELS = 200, MODEL_ATOMS = 214, MODEL_NUMBERS = 3 * MODEL_ATOMS };

static double models[MODELS * MODEL_NUMBERS];
static float model_matrix[MODELS * MODELS];

/* The matrix is that of NumPy in double precision, in Å. */
static bool read_models(void)
{
    char matrix_path[1024];
    const char *path = check_reference_data("cluster/adk_dims_ca_rmsd.csv");
    if (!path) return false;
    snprintf(matrix_path, sizeof matrix_path, "%s", path);
    FILE *file = fopen(matrix_path, "r");
    for (size_t i = 0; i < (size_t)MODELS * MODELS; i++) CHECK(fscanf(file, "%f%*[,\n]", &model_matrix[i]) == 1);
    fclose(file);
    path = check_reference_data("cluster/adk_dims_ca.pdb");
    if (!path) return false;
    static float positions[MODEL_NUMBERS];
    qn_trajectory_frame frame = {.atom_count = MODEL_ATOMS, .positions_nm = positions};
    qn_trajectory_stream *stream;
    qn_frame_bytes bytes = {0};
    size_t count = 0;
    CHECK_OK(qn_trajectory_stream_open(path, MODEL_ATOMS, &stream));
    for (bool end = false; !end && count < MODELS;) {
        CHECK_OK(qn_trajectory_stream_read(stream, &bytes, &end));
        if (end) break;
        CHECK_OK(qn_trajectory_stream_decode(stream, &bytes, &frame));
        for (size_t i = 0; i < MODEL_NUMBERS; i++) models[count * MODEL_NUMBERS + i] = 10 * (double)positions[i];
        count++;
    }
    qn_frame_bytes_clear(&bytes);
    qn_trajectory_stream_close(&stream);
    return CHECK(count == MODELS);
}

/* The rule on the matrix of the reference data, which has five decimals. gmx cluster finds 4 clusters by Daura's method
 * at 2 Å (adk_ref_gmx_gromos_cutoff2.0A.log), and one pass at 4 Å no more than that. */
static void models_of_adenylate_kinase(void)
{
    static const double cutoffs[] = {1.0, 2.0, 4.0};
    static double weights[MODEL_ATOMS];
    size_t counts[3];
    if (!read_models()) return;
    for (size_t i = 0; i < MODEL_ATOMS; i++) weights[i] = 1;
    for (size_t c = 0; c < 3; c++) {
        qn_leader *leader;
        size_t centres[MODELS], count = 0, cluster;
        double rmsd;
        if (!CHECK_OK(qn_leader_create(MODEL_ATOMS, weights, cutoffs[c], true, &leader))) return;
        for (size_t f = 0; f < MODELS; f++) {
            size_t wanted = count;
            double least = cutoffs[c];
            for (size_t k = 0; k < count; k++)
                if ((double)model_matrix[f * MODELS + centres[k]] <= least) {
                    wanted = k;
                    least = (double)model_matrix[f * MODELS + centres[k]];
                }
            if (wanted == count) {
                centres[count++] = f;
                least = 0;
            }
            CHECK_OK(qn_leader_add(leader, models + f * MODEL_NUMBERS, &cluster, &rmsd));
            CHECK(cluster == wanted);
            CHECK_NEAR(rmsd, least, 1e-3);
        }
        qn_leader_clusters(leader, &counts[c]);
        CHECK(counts[c] == count);
        qn_leader_destroy(&leader);
    }
    CHECK(counts[0] > counts[1] && counts[2] <= 4);
}

int main(void)
{
    RUN(separate_basins_are_those_of_the_exact_method);
    RUN(centres_are_apart_and_bound_the_exact_method);
    if (check_reference_data("cluster/adk_dims_ca_rmsd.csv")) RUN(models_of_adenylate_kinase);
    return check_finish();
}

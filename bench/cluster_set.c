/* Make a large set of frames with known clusters: quern_bench_cluster_set FRAMES ATOMS CLUSTERS RMSD SEED STEM
 *
 * STEM.pdb (the first frame), STEM.dcd (all frames, in random order) and STEM.csv (frame, cluster) are written.
 *
 * Each cluster is a random chain of Cα atoms, 3.8 Å apart. Its frames are this chain with noise on each atom, so that
 * two frames of a cluster have an RMSD of about RMSD Å, with little scatter; each frame is turned and moved. Different
 * chains differ by more than 5 Å where there are 30 or more atoms, so every method has to find the clusters with a
 * cut-off between twice RMSD and 5 Å. Clusters are numbered from 0, the largest first; cluster c has a share of the
 * frames that falls as 1/(c + 2). A frame's noise is a function of seed and number,
 * so the files do not depend on threads.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "format/trajectory/trajectory_write.h"
#include "math/random.h"
#include "math/rotation.h"

enum { BATCH = 2048 };

typedef struct made_set {
    size_t frames, atoms, clusters;
    double sigma_angstrom; /* of the noise along each axis */
    uint64_t seed;
    double *chains;   /* [clusters][atoms][3], Å */
    double *shares;   /* [clusters]: sum of the shares up to this one */
    float *positions; /* of a batch: [BATCH][atoms][3], nm */
    size_t first;     /* frame of the batch */
} made_set;

static double normal(uint64_t seed, uint64_t stream, uint64_t index)
{
    const double u = qn_random_uniform(seed, stream, 2 * index), v = qn_random_uniform(seed, stream, 2 * index + 1);
    return sqrt(-2 * log(1 - u)) * cos(2 * 3.14159265358979 * v);
}

/* A walk whose steps turn little and are drawn back to the middle, so that it stays compact. */
static void make_chain(const made_set *set, size_t cluster, double *chain)
{
    double at[3] = {0, 0, 0}, direction[3] = {1, 0, 0};
    for (size_t k = 0; k < set->atoms; k++) {
        double square = 0;
        for (size_t a = 0; a < 3; a++) {
            direction[a] += normal(set->seed, 1000 + cluster, 3 * k + a) - 0.03 * at[a];
            square += direction[a] * direction[a];
        }
        for (size_t a = 0; a < 3; a++) {
            direction[a] /= sqrt(square);
            chain[3 * k + a] = at[a] += 3.8 * direction[a];
        }
    }
}

static size_t cluster_of(const made_set *set, size_t frame)
{
    const double place = qn_random_uniform(set->seed, 1, frame) * set->shares[set->clusters - 1];
    size_t cluster = 0;
    while (set->shares[cluster] < place) cluster++;
    return cluster;
}

static qn_status make_frame(size_t index, int worker, void *user)
{
    const made_set *set = user;
    const size_t frame = set->first + index;
    const double *chain = set->chains + 3 * set->atoms * cluster_of(set, frame);
    double turn[9], move[3];
    (void)worker;
    qn_rotation_from_seed(set->seed * 1000003 + frame, turn);
    for (size_t a = 0; a < 3; a++) move[a] = 100 * qn_random_uniform(set->seed, 2, 3 * frame + a);
    for (size_t k = 0; k < set->atoms; k++) {
        double at[3], place[3];
        for (size_t a = 0; a < 3; a++)
            at[a] = chain[3 * k + a] + set->sigma_angstrom * normal(set->seed, 3, 3 * (frame * set->atoms + k) + a);
        qn_rotation_apply(turn, at, place);
        for (size_t a = 0; a < 3; a++)
            set->positions[3 * (index * set->atoms + k) + a] = (float)(0.1 * (place[a] + move[a]));
    }
    return QN_OK;
}

static FILE *open_part(const char *stem, const char *ending)
{
    char path[4096];
    snprintf(path, sizeof path, "%s%s", stem, ending);
    FILE *file = fopen(path, "w");
    if (!file) perror(path), exit(1);
    return file;
}

static void write_first(const made_set *set, const char *stem)
{
    FILE *file = open_part(stem, ".pdb");
    for (size_t k = 0; k < set->atoms; k++)
        fprintf(file, "ATOM  %5zu  CA  ALA A%4zu    %8.3f%8.3f%8.3f  1.00  0.00           C\n", k % 99999 + 1,
                k % 9999 + 1, 10 * set->positions[3 * k], 10 * set->positions[3 * k + 1],
                10 * set->positions[3 * k + 2]);
    fprintf(file, "END\n");
    fclose(file);
}

static qn_status write_frames(made_set *set, qn_pool *pool, const char *stem, qn_trajectory_writer *writer)
{
    FILE *truth = open_part(stem, ".csv");
    qn_status status = QN_OK;
    fprintf(truth, "frame,cluster\n");
    for (; status == QN_OK && set->first < set->frames; set->first += BATCH) {
        const size_t left = set->frames - set->first, count = left < BATCH ? left : BATCH;
        status = qn_pool_run(pool, count, make_frame, set);
        if (status == QN_OK && set->first == 0) write_first(set, stem);
        for (size_t i = 0; i < count && status == QN_OK; i++) {
            const qn_trajectory_frame frame = {.step = (int64_t)(set->first + i),
                                               .time_ps = (double)(set->first + i),
                                               .atom_count = set->atoms,
                                               .positions_nm = set->positions + 3 * i * set->atoms};
            fprintf(truth, "%zu,%zu\n", set->first + i, cluster_of(set, set->first + i));
            status = qn_trajectory_writer_append(writer, &frame);
        }
    }
    fclose(truth);
    return status;
}

static qn_status make(made_set *set, const char *stem)
{
    qn_pool *pool = NULL;
    qn_trajectory_writer *writer = NULL;
    char path[4096];
    snprintf(path, sizeof path, "%s.dcd", stem);
    qn_status status = qn_pool_create(0, &pool);
    if (status == QN_OK) status = qn_trajectory_writer_create(path, set->atoms, NULL, &writer);
    if (status == QN_OK) status = write_frames(set, pool, stem, writer);
    if (status == QN_OK)
        status = qn_trajectory_writer_finish(&writer);
    else
        qn_trajectory_writer_discard(&writer);
    qn_pool_destroy(&pool);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 7) {
        fprintf(stderr, "usage: quern_bench_cluster_set FRAMES ATOMS CLUSTERS RMSD SEED STEM\n");
        return 2;
    }
    made_set set = {.frames = strtoull(argv[1], NULL, 10),
                    .atoms = strtoull(argv[2], NULL, 10),
                    .clusters = strtoull(argv[3], NULL, 10),
                    .sigma_angstrom = strtod(argv[4], NULL) / sqrt(6),
                    .seed = strtoull(argv[5], NULL, 10)};
    if (set.frames < 1 || set.atoms < 1 || set.clusters < 1) {
        fprintf(stderr, "expected at least 1 frame, 1 atom and 1 cluster\n");
        return 2;
    }
    set.chains = malloc(set.clusters * set.atoms * 3 * sizeof(double));
    set.shares = malloc(set.clusters * sizeof(double));
    set.positions = malloc(BATCH * set.atoms * 3 * sizeof(float));
    if (!set.chains || !set.shares || !set.positions) return 1;
    for (size_t c = 0; c < set.clusters; c++) {
        make_chain(&set, c, set.chains + 3 * set.atoms * c);
        set.shares[c] = (c ? set.shares[c - 1] : 0) + 1 / (2.0 + (double)c);
    }
    const qn_status status = make(&set, argv[6]);
    if (status != QN_OK) fprintf(stderr, "%s\n", qn_error_message());
    free(set.chains);
    free(set.shares);
    free(set.positions);
    return status == QN_OK ? 0 : 1;
}

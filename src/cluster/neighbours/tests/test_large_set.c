/* devices: host opencl cuda checking:host */
/* labels: long@checking long@opencl */
/* Clusters of sets by neighbour bits: the same as on a matrix of distances in double, with rows in memory, with rows
 * that are computed anew, and with both. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "cluster/measure/kernels/rmsd.h"
#include "cluster/method/gromos.h"
#include "cluster/method/kmedoids.h"
#include "cluster/method/neighbour_rows.h"
#include "cluster/method/tests/naive_dbscan.h"
#include "cluster/neighbours/large_set.h"
#include "math/random.h"
#include "math/rotation.h"

enum { COUNT_MAX = 700, ATOMS = 23 };

static qn_context *context;
static const char *device_name;
static float positions[COUNT_MAX][3][ATOMS];
static float distances[COUNT_MAX * COUNT_MAX / 2];
static uint32_t labels[COUNT_MAX], centres[COUNT_MAX];

/* Structures around `groups` shapes, moved by at most `spread` along each axis; every `copies`-th one is a copy of the
 * one before, which makes ties. */
static qn_structures make_set(size_t count, size_t groups, double spread, size_t copies)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t own = copies && i % copies == 1 ? i - 1 : i;
        double turn[9];
        qn_rotation_from_seed(i, turn);
        for (size_t k = 0; k < ATOMS; k++) {
            double at[3], place[3];
            for (size_t a = 0; a < 3; a++) {
                const uint64_t number = 3 * k + a;
                at[a] = 20 * qn_random_uniform(1, own % groups, number);
                at[a] += spread * (2 * qn_random_uniform(2, own, number) - 1);
            }
            qn_rotation_apply(turn, at, place);
            for (size_t a = 0; a < 3; a++) positions[i][a][k] = (float)place[a];
        }
    }
    return (qn_structures){.count = count, .atom_count = ATOMS, .positions_angstrom = &positions[0][0][0]};
}

static qn_distance_matrix measure(const qn_structures *structures)
{
    for (size_t i = 0; i < structures->count; i++)
        for (size_t j = i + 1; j < structures->count; j++)
            distances[qn_distance_place(structures->count, i, j)] = (float)qn_rmsd_reference(structures, i, j);
    return (qn_distance_matrix){.count = structures->count, .values = distances};
}

/* Run one method as a program does; `fewest` 0: gromos. */
static qn_status run(const qn_large_set *set, size_t fewest, qn_large_clusters *clusters)
{
    const qn_run_options options = {.device = device_name, .tune = QN_TUNE_OFF};
    qn_job job;
    qn_status status = qn_job_open(context, "cluster", &options, &job);
    if (status == QN_OK) status = qn_job_devices(&job);
    if (status == QN_OK) status = qn_job_output(&job, &(qn_output){0}, true);
    if (status == QN_OK) status = qn_job_journal(&job);
    if (status == QN_OK)
        status = fewest > 0 ? qn_large_dbscan(&job, set, fewest, clusters) : qn_large_gromos(&job, set, clusters);
    return qn_job_close(&job, status);
}

static void check_gromos(const qn_large_set *set, const qn_distance_matrix *matrix)
{
    qn_neighbour_rows *rows = NULL;
    qn_large_clusters found = {0};
    size_t cluster_count = 0, wrong = 0;
    if (!CHECK_OK(qn_neighbour_rows_from_distances(matrix, set->cutoff_angstrom, false, NULL, &rows))) return;
    const qn_neighbourhood near = qn_neighbour_rows_view(rows);
    CHECK_OK(qn_gromos_cluster(&near, labels, centres, &cluster_count));
    CHECK_OK(qn_labels_order(labels, matrix->count, cluster_count, &cluster_count));
    if (CHECK_OK(run(set, 0, &found))) {
        CHECK(found.cluster_count == cluster_count);
        CHECK(memcmp(found.labels, labels, matrix->count * sizeof *labels) == 0);
        for (size_t i = 0; i < matrix->count; i++) {
            const uint32_t centre = found.centres[found.labels[i]];
            wrong += found.labels[centre] != found.labels[i];
            wrong += !(fabs(found.distances_angstrom[i] - qn_distance_at(matrix, i, centre)) < 1e-5);
        }
        CHECK(wrong == 0);
    }
    qn_large_clusters_clear(&found);
    qn_neighbour_rows_destroy(&rows);
}

static void check_dbscan(const qn_large_set *set, const qn_distance_matrix *matrix)
{
    qn_large_clusters found = {0};
    size_t cluster_count = 0;
    const size_t wanted = naive_dbscan(matrix, (float)set->cutoff_angstrom, 4, labels);
    CHECK_OK(qn_labels_order(labels, matrix->count, wanted, &cluster_count));
    if (CHECK_OK(run(set, 4, &found))) {
        CHECK(found.cluster_count == cluster_count);
        CHECK(memcmp(found.labels, labels, matrix->count * sizeof *labels) == 0);
        for (size_t i = 0; i < matrix->count; i++)
            CHECK(labels[i] == QN_LABEL_NONE ? isnan(found.distances_angstrom[i])
                                             : found.labels[found.centres[labels[i]]] == labels[i]);
    }
    qn_large_clusters_clear(&found);
}

/* Cut-offs from a few neighbours to nearly all pairs. Memory: rows in memory; kept after some rounds; never kept. */
static void clusters_are_those_of_the_matrix(void)
{
    static const uint64_t memory[] = {0, 1, 60000};
    for (size_t count = 1; count <= COUNT_MAX; count = 3 * count + 70) {
        const qn_structures structures = make_set(count, 1 + count / 60, 1.5, 7);
        const qn_distance_matrix matrix = measure(&structures);
        for (int c = 0; c < 4; c++)
            for (int m = 0; m < 3; m++) {
                const qn_large_set set = {
                    .structures = &structures,
                    .cutoff_angstrom = (double[]){1.2, 1.45, 2, 8}[c],
                    .memory_bytes = memory[m],
                    .lanes = (c + m) % 4, /* 0: as the kind of device has it */
                };
                check_gromos(&set, &matrix);
                check_dbscan(&set, &matrix);
            }
    }
}

/* A run that is stopped while it computes rows anew, after `left` reports of this stage. */
static int stop_later(const qn_progress *progress, void *user)
{
    int *left = user;
    return strcmp(progress->stage, "clustering") == 0 && --*left < 0;
}

static qn_status run_with_records(const qn_large_set *set, const char *folder, qn_progress_callback progress,
                                  void *user, bool resume, qn_large_clusters *clusters)
{
    const qn_run_options options = {
        .device = device_name, .tune = QN_TUNE_OFF, .resume = resume, .progress = progress, .progress_user = user};
    const qn_output output = {.folder = folder, .journal_folder = "unfinished"};
    qn_job job;
    qn_status status = qn_job_open(context, "cluster", &options, &job);
    if (status == QN_OK) status = qn_job_devices(&job);
    if (status == QN_OK) status = qn_job_key(&job, "program=cluster\n");
    if (status == QN_OK) status = qn_job_output(&job, &output, true);
    if (status == QN_OK) status = qn_job_journal(&job);
    if (status == QN_OK) status = qn_large_gromos(&job, set, clusters);
    return qn_job_close(&job, status);
}

/* Stopped again and again, a run with little memory gets to the same result. */
static void stopped_rounds_go_on(void)
{
    enum { COUNT = 400 };
    const qn_structures structures = make_set(COUNT, 8, 1.5, 7);
    const qn_large_set set = {&structures, 1.45, 1, 1e-9};
    qn_large_clusters whole = {0}, found = {0};
    char folder[4096];
    int runs = 0;
    snprintf(folder, sizeof folder, "%s/rounds", check_scratch_folder());
    if (!CHECK_OK(run(&set, 0, &whole))) return;
    qn_status status = QN_CANCELLED;
    for (; runs < 100 && status == QN_CANCELLED; runs++) {
        int reports = runs == 0 ? 5 : 30;
        status = run_with_records(&set, folder, stop_later, &reports, runs > 0, &found);
    }
    CHECK(status == QN_OK && runs > 3);
    CHECK(found.cluster_count == whole.cluster_count && whole.cluster_count > 8);
    CHECK(found.labels && memcmp(found.labels, whole.labels, COUNT * sizeof *labels) == 0);
    qn_large_clusters_clear(&found);
    qn_large_clusters_clear(&whole);
}

/* The last report of comparing, and a number of reports after which a run is stopped. */
typedef struct comparing {
    size_t done, total;
    int left;
} comparing;

static int note_comparing(const qn_progress *progress, void *user)
{
    comparing *noted = user;
    if (strcmp(progress->stage, "comparing") != 0) return 0;
    noted->done = progress->done;
    noted->total = progress->total;
    return --noted->left == 0;
}

/* Pairs that a resumed run finds in its journal are not part of its progress. */
static void progress_is_of_the_pairs_that_are_missing(void)
{
    enum { COUNT = 400 };
    const qn_structures structures = make_set(COUNT, 8, 1.5, 7);
    const qn_large_set set = {.structures = &structures, .cutoff_angstrom = 1.45, .lanes = 2};
    qn_large_clusters found = {0};
    comparing first = {.left = 3}, resumed = {0};
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/comparing", check_scratch_folder());
    CHECK_FAILS(run_with_records(&set, folder, note_comparing, &first, false, &found), QN_CANCELLED);
    CHECK(first.total == (size_t)COUNT * COUNT && first.done > 0 && first.done < first.total);
    CHECK_OK(run_with_records(&set, folder, note_comparing, &resumed, true, &found));
    CHECK(resumed.total == first.total - first.done && resumed.done == resumed.total);
    qn_large_clusters_clear(&found);
}

static qn_status run_medoids(const qn_large_set *set, size_t cluster_count, uint64_t seed, qn_large_clusters *clusters)
{
    const qn_run_options options = {.device = device_name, .tune = QN_TUNE_OFF};
    qn_job job;
    qn_status status = qn_job_open(context, "cluster", &options, &job);
    if (status == QN_OK) status = qn_job_devices(&job);
    if (status == QN_OK) status = qn_job_output(&job, &(qn_output){0}, true);
    if (status == QN_OK) status = qn_job_journal(&job);
    if (status == QN_OK) status = qn_large_kmedoids(&job, set, cluster_count, seed, clusters);
    return qn_job_close(&job, status);
}

/* A small set is its own sample: the medoids of FasterPAM on its matrix. */
static void medoids_of_small_sets_are_those_of_the_matrix(void)
{
    enum { CLUSTERS = 5, COUNT = 300 };
    const qn_structures structures = make_set(COUNT, CLUSTERS, 1.5, 0);
    const qn_distance_matrix matrix = measure(&structures);
    const qn_kmedoids_search search = {CLUSTERS, QN_KMEDOIDS_BUILD, 3};
    const qn_large_set set = {.structures = &structures};
    qn_large_clusters found = {0};
    CHECK_OK(qn_kmedoids_cluster(&matrix, &search, NULL, labels, centres, NULL));
    if (CHECK_OK(run_medoids(&set, CLUSTERS, 3, &found))) {
        CHECK(found.cluster_count == CLUSTERS);
        CHECK(memcmp(found.labels, labels, COUNT * sizeof *labels) == 0);
        CHECK(memcmp(found.centres, centres, CLUSTERS * sizeof *centres) == 0);
    }
    qn_large_clusters_clear(&found);
    CHECK_FAILS(run_medoids(&set, COUNT + 1, 3, &found), QN_INVALID_ARGUMENT);
}

/* Samples of a set with separate groups find the groups. */
static void medoids_of_samples_find_groups(void)
{
    enum { COUNT = 5000, GROUPS = 4, FEW = 5 };
    static float many[COUNT][3][FEW];
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < FEW; k++)
            for (size_t a = 0; a < 3; a++)
                many[i][a][k] =
                    (float)(30 * qn_random_uniform(9, i % GROUPS, 3 * k + a) + qn_random_uniform(10, i, 3 * k + a));
    const qn_structures structures = {.count = COUNT, .atom_count = FEW, .positions_angstrom = &many[0][0][0]};
    const qn_large_set set = {.structures = &structures};
    qn_large_clusters found = {0};
    size_t wrong = 0;
    if (!CHECK_OK(run_medoids(&set, GROUPS, 1, &found))) return;
    for (size_t i = 0; i < COUNT; i++) {
        wrong += found.labels[i] != found.labels[i % GROUPS];
        wrong += found.centres[found.labels[i]] % GROUPS != i % GROUPS || !(found.distances_angstrom[i] < 2);
    }
    CHECK(wrong == 0);
    qn_large_clusters_clear(&found);
}

static void useless_requests_are_refused(void)
{
    qn_structures structures = make_set(10, 1, 1, 0);
    qn_large_set set = {&structures, 0, 0};
    qn_large_clusters found = {0};
    CHECK_FAILS(run(&set, 0, &found), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("cut-off is 0");
    set.cutoff_angstrom = 1;
    structures.count = 0;
    CHECK_FAILS(run(&set, 0, &found), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("0 structures");
    structures.count = 10;
    positions[3][1][2] = INFINITY;
    CHECK_FAILS(run(&set, 0, &found), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("structure 4, atom 3");
}

int main(int argc, char **argv)
{
    device_name = argc > 1 ? argv[1] : "host";
    qn_device *device = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, device_name, &device) == QN_NO_DEVICE) check_skip(device_name, qn_error_message());
    qn_device_release(&device);
    RUN(useless_requests_are_refused);
    RUN(clusters_are_those_of_the_matrix);
    RUN(stopped_rounds_go_on);
    RUN(progress_is_of_the_pairs_that_are_missing);
    RUN(medoids_of_small_sets_are_those_of_the_matrix);
    RUN(medoids_of_samples_find_groups);
    qn_context_destroy(&context);
    return check_finish();
}

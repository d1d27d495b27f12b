/* Sets whose distances are not stored: clusters by rows of neighbours, or by samples. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "cluster/run.h"

bool qn_clustering_may_be_large(const qn_cluster_options *options)
{
    return options->measure == QN_DISTANCE_RMSD && !options->distances && !options->write_matrix &&
           options->method >= QN_CLUSTER_GROMOS;
}

bool qn_clustering_is_large(const qn_clustering *run)
{
    const qn_cluster_matrix matrix = run->options->matrix;
    if (run->count < 2 || !qn_clustering_may_be_large(run->options)) return false;
    return matrix == QN_CLUSTER_WITHOUT || (matrix == QN_CLUSTER_AUTO && run->count > QN_CLUSTER_STORED_MAX);
}

/* ---- search ---- */

qn_status qn_clustering_search_large(qn_clustering *run)
{
    const qn_cluster_options *options = run->options;
    const double started_s = qn_clock_s();
    const qn_large_set set = {.structures = &run->models->structures,
                              .cutoff_angstrom = run->cutoff,
                              .memory_bytes = options->run.memory_bytes};
    qn_job *job = run->job;
    QN_TRY(qn_job_agree(job, qn_job_tune(job, qn_matrix_expected_seconds(&run->request))));
    if (options->method == QN_CLUSTER_GROMOS)
        QN_TRY(qn_large_gromos(job, &set, &run->large));
    else if (options->method == QN_CLUSTER_DBSCAN)
        QN_TRY(qn_large_dbscan(job, &set, (size_t)options->least_items, &run->large));
    else
        QN_TRY(qn_large_kmedoids(job, &set, (size_t)options->clusters, options->run.seed, &run->large));
    qn_tuning_finish(&job->tuning);
    run->measure_s = qn_clock_s() - started_s;
    return QN_OK;
}

/* ---- result ---- */

/* Measures that need the distances of all pairs are not known. */
static void note_clusters(qn_clustering *run)
{
    qn_cluster_result *result = run->result;
    const double unknown = (double)NAN;
    for (size_t c = 0; c < result->cluster_count; c++) {
        qn_cluster_facts *facts = &result->clusters[c];
        *facts = (qn_cluster_facts){.size = qn_members_size(&run->members, c),
                                    .medoid = run->large.centres[c],
                                    .mean_pair = unknown,
                                    .diameter = unknown,
                                    .silhouette = unknown};
        for (size_t m = run->members.first[c]; m < run->members.first[c + 1]; m++) {
            const double distance = (double)result->medoid_distances[run->members.items[m]];
            facts->mean_medoid += distance;
            if (distance > facts->largest_medoid) facts->largest_medoid = distance;
        }
        if (facts->size > 1) facts->mean_medoid /= (double)(facts->size - 1);
    }
}

qn_status qn_clustering_take_large(qn_clustering *run)
{
    qn_cluster_result *result = run->result;
    void *clusters;
    result->cluster_count = run->large.cluster_count;
    result->cutoff = run->options->method == QN_CLUSTER_KMEDOIDS ? (double)NAN : run->cutoff;
    result->silhouette = result->davies_bouldin = result->cophenetic = (double)NAN;
    memcpy(result->labels, run->large.labels, run->count * sizeof *result->labels);
    memcpy(result->medoid_distances, run->large.distances_angstrom, run->count * sizeof *result->medoid_distances);
    for (size_t i = 0; i < run->count; i++) {
        result->silhouettes[i] = (double)NAN;
        result->noise_count += result->labels[i] == QN_LABEL_NONE;
    }
    QN_TRY(qn_members_list(result->labels, run->count, result->cluster_count, &run->members));
    QN_TRY(qn_allocate(result->cluster_count, sizeof *result->clusters, &clusters));
    result->clusters = clusters;
    note_clusters(run);
    return qn_clustering_measure_large(run);
}

/* From distances to clusters, and the measures of the clusters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cluster/method/dbscan.h"
#include "cluster/method/dendrogram.h"
#include "cluster/method/distance_rows.h"
#include "cluster/method/gromos.h"
#include "cluster/method/kmedoids.h"
#include "cluster/method/neighbour_rows.h"
#include "cluster/run.h"

const char *qn_clustering_method_name(const qn_clustering *run)
{
    static const char *const names[] = {"average", "complete", "single", "ward", "gromos", "kmedoids", "dbscan"};
    return names[run->options->method];
}

bool qn_clustering_is_hierarchical(const qn_clustering *run)
{
    return run->options->method <= QN_CLUSTER_WARD;
}

/* ---- methods ---- */

static qn_status cut_tree(qn_clustering *run)
{
    static const qn_linkage_method methods[] = {QN_LINKAGE_AVERAGE, QN_LINKAGE_COMPLETE, QN_LINKAGE_SINGLE,
                                                QN_LINKAGE_WARD};
    qn_cluster_result *result = run->result;
    void *memory;
    QN_TRY(qn_allocate(run->count, sizeof *run->merges, &memory));
    run->merges = memory;
    QN_TRY(qn_linkage_compute(&run->distances, methods[run->options->method], run->job->pool, run->merges));
    QN_TRY(qn_dendrogram_correlation(&run->distances, run->merges, run->job->pool, &result->cophenetic));
    QN_TRY(qn_dendrogram_order(run->merges, run->count, run->order));
    result->cutoff = run->cutoff;
    if (run->cutoff > 0)
        return qn_linkage_cut_height(run->merges, run->count, run->cutoff, result->labels, &result->cluster_count);
    QN_TRY(qn_linkage_cut_count(run->merges, run->count, (size_t)run->options->clusters, result->labels,
                                &result->cluster_count, &result->cutoff));
    if (result->cluster_count == run->options->clusters || run->count < run->options->clusters) return QN_OK;
    return qn_job_warn(run->job, "%s instead of %llu, because merges at one height belong together",
                       qn_count_of(result->cluster_count, "cluster").text, (unsigned long long)run->options->clusters);
}

/* As GROMACS, which takes distances below the cut-off; numbered by size and then by the lowest structure. */
static qn_status find_largest_neighbourhoods(const qn_neighbourhood *near, qn_cluster_result *result)
{
    void *centres;
    QN_TRY(qn_allocate(near->count, sizeof(uint32_t), &centres));
    qn_status status = qn_gromos_cluster(near, result->labels, centres, &result->cluster_count);
    if (status == QN_OK)
        status = qn_labels_order(result->labels, near->count, result->cluster_count, &result->cluster_count);
    qn_release(&centres);
    return status;
}

/* Clusters of gromos or DBSCAN. */
static qn_status find_by_neighbours(qn_clustering *run)
{
    const qn_cluster_options *options = run->options;
    const bool dense = options->method == QN_CLUSTER_DBSCAN;
    qn_cluster_result *result = run->result;
    qn_neighbour_rows *rows = NULL;
    QN_TRY(qn_neighbour_rows_from_distances(&run->distances, (float)run->cutoff, dense, run->job->pool, &rows));
    const qn_neighbourhood near = qn_neighbour_rows_view(rows);
    const qn_status status =
        dense ? qn_dbscan_cluster(&near, (size_t)options->least_items, result->labels, &result->cluster_count)
              : find_largest_neighbourhoods(&near, result);
    qn_neighbour_rows_destroy(&rows);
    return status;
}

/* The medoids found are those of the clusters, so they are not kept. */
static qn_status find_medoids(qn_clustering *run)
{
    const qn_cluster_options *options = run->options;
    const qn_kmedoids_search search = {
        .cluster_count = (size_t)options->clusters,
        .start = options->start == QN_CLUSTER_BUILD ? QN_KMEDOIDS_BUILD : QN_KMEDOIDS_SAMPLE,
        .seed = options->run.seed,
    };
    void *medoids;
    QN_TRY(qn_allocate(search.cluster_count, sizeof(uint32_t), &medoids));
    run->result->cluster_count = search.cluster_count;
    const qn_status status =
        qn_kmedoids_cluster(&run->distances, &search, run->job->pool, run->result->labels, medoids, NULL);
    qn_release(&medoids);
    return status;
}

static qn_status find_clusters(qn_clustering *run)
{
    const qn_cluster_options *options = run->options;
    qn_cluster_result *result = run->result;
    result->cutoff = options->method == QN_CLUSTER_KMEDOIDS ? (double)NAN : run->cutoff;
    result->cophenetic = (double)NAN;
    if (qn_clustering_is_hierarchical(run)) return cut_tree(run);
    return options->method == QN_CLUSTER_KMEDOIDS ? find_medoids(run) : find_by_neighbours(run);
}

/* ---- measures ---- */

static void note_cluster(qn_clustering *run, const qn_spread *spread, size_t cluster)
{
    const double *silhouettes = run->result->silhouettes;
    double sum = 0;
    const size_t size = qn_members_size(&run->members, cluster);
    for (size_t m = run->members.first[cluster]; m < run->members.first[cluster + 1]; m++)
        sum += silhouettes[run->members.items[m]];
    run->result->clusters[cluster] = (qn_cluster_facts){.size = size,
                                                        .medoid = spread->medoid,
                                                        .mean_pair = spread->mean_pair,
                                                        .mean_medoid = spread->mean_medoid,
                                                        .largest_medoid = spread->largest_medoid,
                                                        .diameter = spread->diameter,
                                                        .silhouette = sum / (double)size};
}

static qn_status measure(qn_clustering *run, qn_spread *spreads)
{
    qn_cluster_result *result = run->result;
    qn_pool *pool = run->job->pool;
    QN_TRY(qn_spreads_measure(&run->distances, &run->members, pool, spreads));
    QN_TRY(qn_silhouette_measure(&run->distances, result->labels, &run->members, pool, result->silhouettes,
                                 &result->silhouette));
    result->davies_bouldin = qn_davies_bouldin(&run->distances, spreads, &run->members);
    for (size_t c = 0; c < result->cluster_count; c++) note_cluster(run, &spreads[c], c);
    for (size_t i = 0; i < run->count; i++) {
        const uint32_t cluster = result->labels[i];
        result->noise_count += cluster == QN_LABEL_NONE;
        result->medoid_distances[i] =
            cluster == QN_LABEL_NONE ? NAN : qn_distance_at(&run->distances, i, spreads[cluster].medoid);
    }
    return QN_OK;
}

static qn_status measure_clusters(qn_clustering *run)
{
    qn_cluster_result *result = run->result;
    void *spreads = NULL, *clusters = NULL;
    QN_TRY(qn_members_list(result->labels, run->count, result->cluster_count, &run->members));
    qn_status status = qn_allocate(result->cluster_count, sizeof *result->clusters, &clusters);
    result->clusters = clusters;
    if (status == QN_OK) status = qn_allocate(result->cluster_count, sizeof(qn_spread), &spreads);
    if (status == QN_OK) status = measure(run, spreads);
    qn_release(&spreads);
    return status;
}

/* ---- order of structures for pictures ---- */

typedef struct ranked_item {
    uint32_t item;
    float distance; /* to the medoid */
} ranked_item;

typedef struct ranking {
    qn_clustering *run;
    ranked_item *ranked;
} ranking;

static int nearer_first(const void *a, const void *b)
{
    const ranked_item *one = a, *other = b;
    if (one->distance != other->distance) return one->distance < other->distance ? -1 : 1;
    return (one->item > other->item) - (one->item < other->item);
}

static qn_status order_cluster(size_t cluster, int worker, void *user)
{
    const ranking *work = user;
    const qn_members *members = &work->run->members;
    const size_t first = members->first[cluster], size = qn_members_size(members, cluster);
    ranked_item *ranked = work->ranked + first;
    (void)worker;
    for (size_t m = 0; m < size; m++) {
        const uint32_t item = members->items[first + m];
        ranked[m] = (ranked_item){item, work->run->result->medoid_distances[item]};
    }
    qsort(ranked, size, sizeof *ranked, nearer_first);
    for (size_t m = 0; m < size; m++) work->run->order[first + m] = ranked[m].item;
    return QN_OK;
}

/* Cluster by cluster, in each the nearest to its medoid first; then those without a cluster. */
static qn_status order_items(qn_clustering *run)
{
    void *memory;
    if (qn_clustering_is_hierarchical(run)) return QN_OK;
    const size_t clusters = run->result->cluster_count;
    size_t end = run->members.first[clusters];
    QN_TRY(qn_allocate(run->count, sizeof(ranked_item), &memory));
    ranking work = {run, memory};
    const qn_status status = qn_pool_run(run->job->pool, clusters, order_cluster, &work);
    for (size_t i = 0; i < run->count; i++)
        if (run->result->labels[i] == QN_LABEL_NONE) run->order[end++] = (uint32_t)i;
    qn_release(&memory);
    return status;
}

static qn_status make_room(qn_clustering *run)
{
    qn_cluster_result *result = run->result;
    void *labels = NULL, *silhouettes = NULL, *distances = NULL, *order = NULL;
    qn_status status = qn_allocate(run->count, sizeof *result->labels, &labels);
    if (status == QN_OK) status = qn_allocate(run->count, sizeof *result->silhouettes, &silhouettes);
    if (status == QN_OK) status = qn_allocate(run->count, sizeof *result->medoid_distances, &distances);
    if (status == QN_OK) status = qn_allocate(run->count, sizeof *run->order, &order);
    result->labels = labels;
    result->silhouettes = silhouettes;
    result->medoid_distances = distances;
    run->order = order;
    return status;
}

/* The tree in the type of the public result. */
static qn_status copy_merges(qn_clustering *run)
{
    void *memory;
    if (!run->merges || run->count < 2) return QN_OK;
    QN_TRY(qn_allocate(run->count - 1, sizeof *run->result->merges, &memory));
    run->result->merges = memory;
    for (size_t k = 0; k + 1 < run->count; k++) {
        const qn_merge *merge = &run->merges[k];
        run->result->merges[k] = (qn_cluster_merge){merge->first, merge->second, merge->size, merge->height};
    }
    return QN_OK;
}

qn_status qn_clustering_find(qn_clustering *run)
{
    const double started_s = qn_clock_s();
    QN_TRY(make_room(run));
    if (qn_clustering_is_large(run)) {
        QN_TRY(qn_clustering_take_large(run));
    } else {
        QN_TRY(find_clusters(run));
        QN_TRY(measure_clusters(run));
    }
    QN_TRY(order_items(run));
    QN_TRY(copy_merges(run));
    run->cluster_s = qn_clock_s() - started_s;
    return QN_OK;
}

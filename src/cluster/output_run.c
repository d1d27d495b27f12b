/* run.json: counts, the measures of the clustering, the clusters, times, options. */
#include <math.h>

#include "base/clock.h"
#include "base/error.h"
#include "cluster/run.h"
#include "report/json.h"
#include "report/options.h"

enum { CLUSTERS_MAX = 1000 }; /* that run.json lists; clusters.csv has all */

/* JSON has no numbers that are not finite: they become null. */
static json_t *number_of(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *describe_clusters(const qn_cluster_result *result)
{
    json_t *list = json_array();
    for (size_t c = 0; c < result->cluster_count && c < CLUSTERS_MAX; c++) {
        const qn_cluster_facts *facts = &result->clusters[c];
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "size", qn_json_unsigned(facts->size),
                                              "medoid", qn_json_unsigned(facts->medoid), "mean_distance",
                                              number_of(facts->mean_pair), "mean_distance_to_medoid",
                                              number_of(facts->mean_medoid), "diameter", number_of(facts->diameter),
                                              "silhouette", number_of(facts->silhouette)));
    }
    return list;
}

qn_status qn_clustering_write_run_json(const qn_clustering *run)
{
    const qn_cluster_result *result = run->result;
    json_t *own = json_pack(
        "{s:o, s:o, s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:{s:f, s:f, s:f}, s:o}", "structures",
        qn_json_unsigned(run->count), "clusters", qn_json_unsigned(result->cluster_count), "noise",
        qn_json_unsigned(result->noise_count), "measure", run->measure->name, "unit", run->measure->unit, "method",
        qn_clustering_method_name(run), "cutoff", number_of(result->cutoff), "silhouette",
        number_of(result->silhouette), "davies_bouldin", number_of(result->davies_bouldin), "cophenetic_correlation",
        number_of(result->cophenetic), "largest_clusters", describe_clusters(result), "timings", "measure_s",
        run->measure_s, "cluster_s", run->cluster_s, "total_s", qn_clock_s() - run->job->started_s, "options",
        qn_json_options(qn_cluster_option_table(), run->options));
    return qn_job_facts(run->job, own);
}

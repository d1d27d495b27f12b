/* Measures of clusters without stored distances: those to and between the centres, a part of which is measured anew, in
 * double precision. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/run.h"

/* CENTRES_MAX: with more, the distances of all centres are not measured. PAIRS: structures times centres whose
 * distances are measured for silhouettes, approximately. */
enum { CENTRES_MAX = 1000, PAIRS = 1 << 19 };

typedef struct measuring {
    qn_clustering *run;
    float *between; /* triangle of the centres */
    size_t step;    /* every step-th structure gets a silhouette */
} measuring;

double qn_clustering_distance(const qn_clustering *run, size_t a, size_t b)
{
    if (!qn_clustering_is_large(run)) return (double)qn_distance_at(&run->distances, a, b);
    return a == b ? 0 : run->measure->pair(&run->models->structures, &run->settings, a, b);
}

static qn_status measure_centre(size_t centre, int worker, void *user)
{
    (void)worker;
    const measuring *self = user;
    const qn_large_clusters *large = &self->run->large;
    for (size_t other = centre + 1; other < large->cluster_count; other++)
        self->between[qn_distance_place(large->cluster_count, centre, other)] =
            (float)qn_clustering_distance(self->run, large->centres[centre], large->centres[other]);
    return QN_OK;
}

/* The index of quality.h, whose items are the centres here. */
static qn_status find_davies_bouldin(measuring *self)
{
    qn_clustering *run = self->run;
    const size_t clusters = run->large.cluster_count;
    void *between = NULL, *spreads = NULL;
    if (clusters < 2 || clusters > CENTRES_MAX) return QN_OK;
    qn_status status = qn_allocate(clusters * (clusters - 1) / 2, sizeof(float), &between);
    if (status == QN_OK) status = qn_allocate(clusters, sizeof(qn_spread), &spreads);
    self->between = between;
    if (status == QN_OK) status = qn_pool_run(run->job->pool, clusters - 1, measure_centre, self);
    if (status == QN_OK) {
        const qn_distance_matrix matrix = {.count = clusters, .values = between};
        for (size_t c = 0; c < clusters; c++)
            ((qn_spread *)spreads)[c] = (qn_spread){.medoid = c, .mean_medoid = run->result->clusters[c].mean_medoid};
        run->result->davies_bouldin = qn_davies_bouldin(&matrix, spreads, &run->members);
    }
    qn_release(&between);
    qn_release(&spreads);
    return status;
}

static qn_status measure_structure(size_t index, int worker, void *user)
{
    (void)worker;
    const measuring *self = user;
    const qn_clustering *run = self->run;
    const size_t item = index * self->step, clusters = run->large.cluster_count;
    const uint32_t own = run->large.labels[item];
    double nearest = INFINITY;
    if (own == QN_LABEL_NONE) return QN_OK;
    for (size_t c = 0; c < clusters; c++)
        if (c != own) nearest = fmin(nearest, qn_clustering_distance(run, item, run->large.centres[c]));
    run->result->silhouettes[item] = qn_members_size(&run->members, own) > 1
                                         ? qn_medoid_silhouette((double)run->large.distances_angstrom[item], nearest)
                                         : 0;
    return QN_OK;
}

static void average(qn_clustering *run)
{
    qn_cluster_result *result = run->result;
    double sum = 0, used = 0;
    for (size_t c = 0; c < result->cluster_count; c++) {
        double cluster_sum = 0, cluster_used = 0;
        for (size_t m = run->members.first[c]; m < run->members.first[c + 1]; m++) {
            const double silhouette = result->silhouettes[run->members.items[m]];
            if (isnan(silhouette)) continue;
            cluster_sum += silhouette;
            cluster_used++;
        }
        result->clusters[c].silhouette = cluster_used > 0 ? cluster_sum / cluster_used : (double)NAN;
        sum += cluster_sum;
        used += cluster_used;
    }
    result->silhouette = used > 0 ? sum / used : (double)NAN;
}

qn_status qn_clustering_measure_large(qn_clustering *run)
{
    const size_t clusters = run->large.cluster_count;
    measuring self = {.run = run};
    if (clusters < 2) return QN_OK;
    QN_TRY(find_davies_bouldin(&self));
    const size_t wanted = clusters < PAIRS ? PAIRS / clusters : 1;
    self.step = (run->count + wanted - 1) / wanted;
    QN_TRY(qn_pool_run(run->job->pool, (run->count + self.step - 1) / self.step, measure_structure, &self));
    average(run);
    return QN_OK;
}

#include "cluster/neighbours/large_set.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/method/dbscan.h"
#include "cluster/neighbours/rounds.h"
#include "cluster/neighbours/search.h"

enum { TASK = 256 /* structures of a task */ };

void qn_large_clusters_clear(qn_large_clusters *clusters)
{
    qn_release(&clusters->labels);
    qn_release(&clusters->centres);
    qn_release(&clusters->distances_angstrom);
    *clusters = (qn_large_clusters){0};
}

qn_status qn_large_clusters_order(qn_large_clusters *clusters, size_t count)
{
    const size_t before = clusters->cluster_count;
    void *memory;
    QN_TRY(qn_allocate(before, sizeof(uint32_t), &memory));
    uint32_t *centres = memory;
    for (size_t c = 0; c < before; c++) {
        const uint32_t centre = clusters->centres[c];
        centres[c] = clusters->labels[centre] == c ? centre : UINT32_MAX; /* a cluster without items is left out */
    }
    const qn_status status = qn_labels_order(clusters->labels, count, before, &clusters->cluster_count);
    for (size_t c = 0; status == QN_OK && c < before; c++)
        if (centres[c] != UINT32_MAX) clusters->centres[clusters->labels[centres[c]]] = centres[c];
    qn_release(&memory);
    return status;
}

static qn_status allocate(size_t count, qn_large_clusters *clusters)
{
    *clusters = (qn_large_clusters){0};
    QN_TRY(qn_allocate(count, sizeof(uint32_t), (void **)&clusters->labels));
    QN_TRY(qn_allocate(count, sizeof(uint32_t), (void **)&clusters->centres));
    return qn_allocate(count, sizeof(float), (void **)&clusters->distances_angstrom);
}

/* ---- distances to centres ---- */

typedef struct measuring {
    const qn_superposed *superposed;
    qn_large_clusters *clusters;
} measuring;

static qn_status measure_some(size_t index, int worker, void *user)
{
    const measuring *work = user;
    qn_large_clusters *clusters = work->clusters;
    const size_t count = work->superposed->structures->count;
    (void)worker;
    for (size_t i = index * TASK; i < (index + 1) * TASK && i < count; i++) {
        const uint32_t label = clusters->labels[i];
        const bool is_centre = label != QN_LABEL_NONE && clusters->centres[label] == i;
        clusters->distances_angstrom[i] =
            label == QN_LABEL_NONE ? NAN
            : is_centre            ? 0
                                   : (float)qn_superposed_rmsd(work->superposed, i, clusters->centres[label]);
    }
    return QN_OK;
}

static qn_status measure(const qn_near_search *search, qn_large_clusters *clusters)
{
    measuring work = {&search->superposed, clusters};
    return qn_pool_run(search->job->pool, (search->count + TASK - 1) / TASK, measure_some, &work);
}

/* A centre that belongs to another cluster is replaced by the member nearest to it. */
static qn_status use_members_as_centres(const qn_near_search *search, qn_large_clusters *clusters)
{
    void *memory;
    bool any = false;
    QN_TRY(measure(search, clusters));
    if (clusters->cluster_count == 0) return QN_OK; /* all structures are noise */
    QN_TRY(qn_allocate(clusters->cluster_count, sizeof(uint32_t), &memory));
    uint32_t *nearest = memory;
    memset(nearest, 0xff, clusters->cluster_count * sizeof *nearest);
    for (size_t i = 0; i < search->count; i++) {
        const uint32_t label = clusters->labels[i];
        const float *distances = clusters->distances_angstrom;
        if (label == QN_LABEL_NONE || clusters->labels[clusters->centres[label]] == label) continue;
        if (nearest[label] == UINT32_MAX || distances[i] < distances[nearest[label]]) nearest[label] = (uint32_t)i;
    }
    for (size_t c = 0; c < clusters->cluster_count; c++) {
        if (nearest[c] == UINT32_MAX) continue;
        clusters->centres[c] = nearest[c];
        any = true;
    }
    qn_release(&memory);
    return any ? measure(search, clusters) : QN_OK;
}

/* ---- gromos ---- */

static qn_status find_gromos(qn_near_search *search, qn_large_clusters *clusters)
{
    const qn_neighbourhood near = qn_near_search_view(search);
    qn_gromos gromos;
    QN_TRY(qn_job_agree(search->job, qn_gromos_begin(&near, QN_GROMOS_SORTED_MAX, &gromos)));
    const qn_status status = qn_rounds_find(search, &gromos);
    if (status == QN_OK) {
        memcpy(clusters->labels, gromos.labels, search->count * sizeof(uint32_t));
        memcpy(clusters->centres, gromos.centres, search->count * sizeof(uint32_t));
        clusters->cluster_count = gromos.cluster_count;
    }
    qn_gromos_end(&gromos);
    return status;
}

/* ---- dbscan ---- */

static qn_status find_dense(qn_near_search *search, size_t fewest, qn_large_clusters *clusters)
{
    const qn_neighbourhood near = qn_near_search_view(search);
    QN_TRY(qn_dbscan_cluster(&near, fewest, clusters->labels, &clusters->cluster_count));
    memset(clusters->centres, 0xff, search->count * sizeof(uint32_t));
    for (size_t i = 0; i < search->count; i++) {
        const uint32_t label = clusters->labels[i];
        if (label == QN_LABEL_NONE) continue;
        uint32_t *centre = &clusters->centres[label];
        if (*centre == UINT32_MAX || search->counts[i] > search->counts[*centre]) *centre = (uint32_t)i;
    }
    return QN_OK;
}

/* ---- both ---- */

/* `fewest`: of DBSCAN; 0: gromos. */
static qn_status cluster(qn_job *job, const qn_large_set *set, size_t fewest, qn_large_clusters *clusters)
{
    qn_near_search search;
    qn_status status = qn_near_search_begin(job, set, fewest > 0, &search);
    if (status == QN_OK) status = qn_job_agree(job, allocate(search.count, clusters));
    if (status == QN_OK) status = fewest > 0 ? find_dense(&search, fewest, clusters) : find_gromos(&search, clusters);
    if (status == QN_OK) status = qn_job_agree(job, use_members_as_centres(&search, clusters));
    if (status == QN_OK && fewest == 0) status = qn_job_agree(job, qn_large_clusters_order(clusters, search.count));
    qn_near_search_end(&search);
    if (status != QN_OK) qn_large_clusters_clear(clusters);
    return status;
}

qn_status qn_large_gromos(qn_job *job, const qn_large_set *set, qn_large_clusters *clusters)
{
    return cluster(job, set, 0, clusters);
}

qn_status qn_large_dbscan(qn_job *job, const qn_large_set *set, size_t fewest, qn_large_clusters *clusters)
{
    if (fewest < 1)
        return QN_FAIL(QN_INVALID_ARGUMENT, "a core structure needs at least %zu; expected 1 or more", fewest);
    return cluster(job, set, fewest, clusters);
}

#include "cluster/method/dbscan.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct spreading {
    const qn_neighbourhood *neighbourhood;
    size_t least_items;
    uint32_t *labels;
    uint32_t *free;     /* 1: the item has no label */
    uint32_t *marks;    /* number of the frontier's neighbours; 0 between steps */
    uint32_t *frontier; /* core items that were reached in the last step */
} spreading;

static void take(spreading *work, uint32_t item, uint32_t cluster, size_t *reached)
{
    work->labels[item] = cluster;
    work->free[item] = 0;
    if (work->neighbourhood->counts[item] >= work->least_items) work->frontier[(*reached)++] = item;
}

/* From a core item on, take the neighbours of core items, step by step. */
static qn_status spread(spreading *work, uint32_t first, uint32_t cluster)
{
    const qn_neighbourhood *near = work->neighbourhood;
    size_t reached = 0;
    take(work, first, cluster, &reached);
    while (reached > 0) {
        QN_TRY(near->add(near->user, work->frontier, reached, work->free, 1, work->marks));
        reached = 0;
        for (size_t i = 0; i < near->count; i++) {
            if (work->marks[i] && work->free[i]) take(work, (uint32_t)i, cluster, &reached);
            work->marks[i] = 0;
        }
    }
    return QN_OK;
}

static qn_status spread_all(spreading *work, size_t *cluster_count)
{
    const qn_neighbourhood *near = work->neighbourhood;
    uint32_t found = 0;
    for (size_t i = 0; i < near->count; i++) {
        work->labels[i] = QN_LABEL_NONE;
        work->free[i] = 1;
    }
    for (size_t i = 0; i < near->count; i++)
        if (work->free[i] && near->counts[i] >= work->least_items) QN_TRY(spread(work, (uint32_t)i, found++));
    return qn_labels_order(work->labels, near->count, found, cluster_count);
}

qn_status qn_dbscan_cluster(const qn_neighbourhood *neighbourhood, size_t least_items, uint32_t *labels,
                            size_t *cluster_count)
{
    void *unlabelled = NULL, *marks = NULL, *frontier = NULL;
    qn_status status = qn_allocate(neighbourhood->count, sizeof(uint32_t), &unlabelled);
    if (status == QN_OK) status = qn_allocate(neighbourhood->count, sizeof(uint32_t), &marks);
    if (status == QN_OK) status = qn_allocate(neighbourhood->count, sizeof(uint32_t), &frontier);
    spreading work = {neighbourhood, least_items, labels, unlabelled, marks, frontier};
    if (status == QN_OK) status = spread_all(&work, cluster_count);
    qn_release(&unlabelled);
    qn_release(&marks);
    qn_release(&frontier);
    return status;
}

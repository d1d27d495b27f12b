#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/method/labels.h"
#include "cluster/method/linkage.h"

/* Label the items by the clusters that the first `made` merges leave. From the last merge down, each cluster passes its
 * label to its two parts. */
static qn_status label_items(const qn_merge *merges, size_t count, size_t made, uint32_t *labels, size_t *cluster_count)
{
    void *memory = NULL;
    QN_TRY(qn_allocate(count + made, sizeof(uint32_t), &memory));
    uint32_t *label = memory, next = 0;
    memset(label, 0xff, (count + made) * sizeof *label);
    for (size_t c = count + made; c-- > 0;) {
        if (label[c] == QN_LABEL_NONE) label[c] = next++;
        if (c >= count) label[merges[c - count].first] = label[merges[c - count].second] = label[c];
    }
    memcpy(labels, label, count * sizeof *labels);
    qn_release(&memory);
    return qn_labels_order(labels, count, next, cluster_count);
}

qn_status qn_linkage_cut_height(const qn_merge *merges, size_t count, double cutoff, uint32_t *labels,
                                size_t *cluster_count)
{
    size_t made = 0;
    while (made + 1 < count && merges[made].height <= (float)cutoff) made++;
    return label_items(merges, count, made, labels, cluster_count);
}

qn_status qn_linkage_cut_count(const qn_merge *merges, size_t count, size_t most, uint32_t *labels,
                               size_t *cluster_count, double *cutoff)
{
    if (most < 1) return QN_FAIL(QN_INVALID_ARGUMENT, "the number of clusters is 0, expected at least 1");
    size_t made = most < count ? count - most : 0;
    *cutoff = made > 0 ? (double)merges[made - 1].height : 0;
    while (made > 0 && made + 1 < count && merges[made].height <= merges[made - 1].height) made++;
    return label_items(merges, count, made, labels, cluster_count);
}

#include "cluster/method/gromos.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { BLOCK = 4096 }; /* items whose largest count is kept */

void qn_gromos_end(qn_gromos *search)
{
    qn_release(&search->labels);
    qn_release(&search->centres);
    qn_release(&search->counts);
    qn_release(&search->order);
    qn_release(&search->members);
    qn_release(&search->marks);
    qn_release(&search->most);
    *search = (qn_gromos){0};
}

static qn_status allocate(qn_gromos *search)
{
    const size_t count = search->count;
    QN_TRY(qn_allocate(count, sizeof(uint32_t), (void **)&search->labels));
    QN_TRY(qn_allocate(count, sizeof(uint32_t), (void **)&search->centres));
    QN_TRY(qn_allocate(count, sizeof(uint32_t), (void **)&search->counts));
    QN_TRY(qn_allocate(count, sizeof(uint32_t), (void **)&search->members));
    QN_TRY(qn_allocate(count, sizeof(uint32_t), (void **)&search->marks));
    return qn_allocate(count / BLOCK + 1, sizeof(uint32_t), (void **)&search->most);
}

qn_status qn_gromos_begin(const qn_neighbourhood *neighbourhood, size_t sorted_max, qn_gromos *search)
{
    const size_t count = neighbourhood->count;
    *search = (qn_gromos){.count = count, .left = count};
    qn_status status = allocate(search);
    if (status == QN_OK && count <= sorted_max)
        status = qn_allocate(count, sizeof(qn_gromos_entry), (void **)&search->order);
    if (status != QN_OK) {
        qn_gromos_end(search);
        return status;
    }
    memcpy(search->counts, neighbourhood->counts, count * sizeof(uint32_t));
    memset(search->labels, 0xff, count * sizeof(uint32_t)); /* QN_LABEL_NONE */
    memset(search->most, 0xff, (count / BLOCK + 1) * sizeof(uint32_t));
    if (!search->order) return QN_OK;
    for (size_t i = 0; i < count; i++) search->order[i] = (qn_gromos_entry){(uint32_t)i, search->counts[i]};
    qn_gromos_sort(search->order, count);
    return QN_OK;
}

/* The lowest item with most neighbours left. */
static uint32_t find_lowest(qn_gromos *search)
{
    size_t best = 0;
    for (size_t block = 0; block * BLOCK < search->count; block++) {
        const size_t end = (block + 1) * BLOCK < search->count ? (block + 1) * BLOCK : search->count;
        if (search->most[block] == UINT32_MAX) {
            uint32_t most = 0;
            for (size_t i = block * BLOCK; i < end; i++) most = search->counts[i] > most ? search->counts[i] : most;
            search->most[block] = most;
        }
        if (search->most[block] > search->most[best]) best = block;
    }
    size_t item = best * BLOCK;
    while (search->counts[item] != search->most[best]) item++;
    return (uint32_t)item;
}

static void sort_again(qn_gromos *search)
{
    size_t end = 0;
    for (; end < search->count && search->order[end].count > 0; end++)
        search->order[end].count = search->counts[search->order[end].item];
    qn_gromos_sort(search->order, end);
}

/* Every item that is left has no neighbour but itself. */
static void take_single_items(qn_gromos *search)
{
    for (size_t i = 0; i < search->count; i++) {
        if (search->labels[i] != QN_LABEL_NONE) continue;
        search->centres[search->cluster_count] = (uint32_t)i;
        search->labels[i] = (uint32_t)search->cluster_count++;
    }
    search->left = 0;
}

/* Items that are left among the neighbours of `centre`; marks are 0 before and afterwards. */
static qn_status find_members(const qn_neighbourhood *neighbourhood, qn_gromos *search, uint32_t centre,
                              size_t *member_count)
{
    size_t found = 0;
    QN_TRY(neighbourhood->add(neighbourhood->user, &centre, 1, search->counts, 1, search->marks));
    for (size_t i = 0; i < search->count; i++)
        if (search->marks[i]) {
            search->marks[i] = 0;
            if (search->labels[i] == QN_LABEL_NONE) search->members[found++] = (uint32_t)i;
        }
    *member_count = found;
    if (found != search->counts[centre])
        return QN_FAIL(QN_INTERNAL, "item %u has %zu neighbours left; expected %u as counted", centre, found,
                       search->counts[centre]);
    return QN_OK;
}

qn_status qn_gromos_next(const qn_neighbourhood *neighbourhood, qn_gromos *search, bool *done)
{
    size_t member_count;
    *done = search->left == 0;
    if (*done) return QN_OK;
    const uint32_t centre = search->order ? search->order[0].item : find_lowest(search);
    if (search->counts[centre] <= 1) {
        take_single_items(search);
        return QN_OK;
    }
    QN_TRY(find_members(neighbourhood, search, centre, &member_count));
    for (size_t m = 0; m < member_count; m++) search->labels[search->members[m]] = (uint32_t)search->cluster_count;
    search->centres[search->cluster_count++] = centre;
    search->left -= member_count;
    QN_TRY(neighbourhood->add(neighbourhood->user, search->members, member_count, search->counts, -1, search->counts));
    memset(search->most, 0xff, (search->count / BLOCK + 1) * sizeof(uint32_t));
    if (search->order) sort_again(search);
    return QN_OK;
}

qn_status qn_gromos_cluster(const qn_neighbourhood *neighbourhood, uint32_t *labels, uint32_t *centres,
                            size_t *cluster_count)
{
    qn_gromos search;
    bool done = false;
    QN_TRY(qn_gromos_begin(neighbourhood, QN_GROMOS_SORTED_MAX, &search));
    qn_status status = QN_OK;
    while (status == QN_OK && !done) status = qn_gromos_next(neighbourhood, &search, &done);
    if (status == QN_OK) {
        memcpy(labels, search.labels, search.count * sizeof *labels);
        memcpy(centres, search.centres, search.count * sizeof *centres);
        *cluster_count = search.cluster_count;
    }
    qn_gromos_end(&search);
    return status;
}

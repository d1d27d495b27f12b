/* The search for neighbours of a large set, on the devices of a job: first the rows of all structures, as counts and,
 * where they fit into memory, as lists or bits; then neighbourhoods for the methods, from these rows or computed anew.
 *
 * Private to this room: large_set.h has its functions.
 */
#ifndef QN_CLUSTER_NEIGHBOURS_SEARCH_H
#define QN_CLUSTER_NEIGHBOURS_SEARCH_H

#include <pthread.h>

#include "cluster/method/neighbour_rows.h"
#include "cluster/neighbours/large_set.h"
#include "cluster/neighbours/near_tiles.h"

/* Pairs of a tile, and its columns where there are more. */
enum { QN_NEAR_TILE_PAIRS = 1 << 26, QN_NEAR_TILE_COLUMNS = 1 << 15 };

typedef struct qn_near_search {
    qn_job *job;
    const qn_large_set *set;
    qn_near_rule rule;
    qn_superposed superposed;
    size_t count;                                /* structures */
    uint64_t memory_bytes;                       /* for rows */
    bool keeps_rows;                             /* rows of all structures fit */
    uint32_t *counts;                            /* neighbours of each structure */
    qn_neighbour_rows *rows;                     /* NULL: they are computed anew */
    qn_near_session *sessions[QN_JOB_LANES_MAX]; /* one of each device, then the other lanes' */
    int lane_count;
    int lane_device[QN_JOB_LANES_MAX];

    /* rows that are computed anew */
    uint32_t *active; /* structures on the devices as rows; NULL: none yet */
    size_t active_count;
    float *sums;           /* of each active structure, over all ranks */
    pthread_mutex_t mutex; /* of progress */
    uint64_t pairs_done;
    uint64_t pairs_missing; /* of the rows that journals did not have when the run began */
    double started_s;
} qn_near_search;

/* Superpose the set, and find all rows. Release with end, after a failure too. */
QN_MUST_CHECK qn_status qn_near_search_begin(qn_job *job, const qn_large_set *set, bool at_most,
                                             qn_near_search *search);
void qn_near_search_end(qn_near_search *search);

/* The neighbours for methods. `add` is collective: every rank must call it with the same arguments. */
qn_neighbourhood qn_near_search_view(qn_near_search *search);

/* Compute rows anew (search_anew.c). */
QN_MUST_CHECK qn_status qn_near_search_add(void *search, const uint32_t *items, size_t item_count,
                                           const uint32_t *wanted, int factor, uint32_t *sums);

/* Find the rows of the structures whose `counts` are not 0, if they fit into memory: the neighbours among these
 * structures. *rows is NULL if they do not fit. (search_anew.c) */
QN_MUST_CHECK qn_status qn_near_search_keep(qn_near_search *search, const uint32_t *counts, qn_neighbour_rows **rows);

/* Report the progress of comparing pairs. QN_CANCELLED if the caller asks to stop. Any thread may call. */
QN_MUST_CHECK qn_status qn_near_search_tell(qn_near_search *search, const char *stage, uint64_t pairs, uint64_t total);

/* Number the clusters of `count` structures as labels.h says; their centres follow. (large_set.c) */
QN_MUST_CHECK qn_status qn_large_clusters_order(qn_large_clusters *clusters, size_t count);

#endif

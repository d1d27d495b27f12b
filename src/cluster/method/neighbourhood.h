/* Neighbours of items, in the form that clustering methods ask for them. They may be in memory (neighbour_rows.h) or be
 * computed when asked for. An item is its own neighbour, and neighbours are mutual. */
#ifndef QN_CLUSTER_METHOD_NEIGHBOURHOOD_H
#define QN_CLUSTER_METHOD_NEIGHBOURHOOD_H

#include <quern/status.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qn_neighbourhood {
    size_t count;           /* items, at most 2^31 */
    const uint32_t *counts; /* of neighbours of each item */

    /* For each item j, add to sums[j] how many of items[0] … items[item_count − 1] are neighbours of j, times `factor`
     * (1 or −1). An item whose `wanted` is 0 may be left out; NULL: all are wanted. */
    qn_status (*add)(void *user, const uint32_t *items, size_t item_count, const uint32_t *wanted, int factor,
                     uint32_t *sums);
    void *user;
} qn_neighbourhood;

#endif

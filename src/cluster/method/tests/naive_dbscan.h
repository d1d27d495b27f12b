/* DBSCAN as its paper defines it, which tests of this and other rooms compare with. */
#ifndef QN_CLUSTER_METHOD_TESTS_NAIVE_DBSCAN_H
#define QN_CLUSTER_METHOD_TESTS_NAIVE_DBSCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "cluster/method/distance_matrix.h"
#include "cluster/method/labels.h"

/* Clusters of core items by flooding, in the order of their first core item; a border item goes to the first cluster
 * that has a core item within the radius. Clusters are numbered in the order in which they are found. */
static inline size_t naive_dbscan(const qn_distance_matrix *matrix, float radius, size_t least, uint32_t *labels)
{
    const size_t count = matrix->count;
    bool *core = calloc(count, sizeof *core);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t near = 0;
        for (size_t j = 0; j < count; j++) near += qn_distance_at(matrix, i, j) <= radius;
        core[i] = near >= least;
        labels[i] = QN_LABEL_NONE;
    }
    for (size_t start = 0; start < count; start++) {
        if (!core[start] || labels[start] != QN_LABEL_NONE) continue;
        labels[start] = (uint32_t)found;
        for (bool grown = true; grown;) {
            grown = false;
            for (size_t i = 0; i < count; i++)
                for (size_t j = 0; j < count; j++)
                    if (core[i] && core[j] && labels[i] == found && labels[j] == QN_LABEL_NONE &&
                        qn_distance_at(matrix, i, j) <= radius) {
                        labels[j] = (uint32_t)found;
                        grown = true;
                    }
        }
        found++;
    }
    for (size_t i = 0; i < count; i++) {
        if (core[i]) continue;
        for (size_t j = 0; j < count; j++)
            if (core[j] && qn_distance_at(matrix, i, j) <= radius && labels[j] < labels[i]) labels[i] = labels[j];
    }
    free(core);
    return found;
}

#endif

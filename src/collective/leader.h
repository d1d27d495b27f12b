/* Clusters of structures in one pass (the leader algorithm, Hartigan 1975): a structure joins the cluster of a centre
 * whose RMSD is at most the cut-off, of the first such centre or of the nearest one; if there is none, it becomes the
 * centre of a new cluster. Centres do not change, any two of them are farther apart than the cut-off, and the result
 * depends on the order of the structures.
 *
 * Life cycle: create → add, again and again → read the clusters → destroy. Thread rule: one thread at a time.
 */
#ifndef QN_COLLECTIVE_LEADER_H
#define QN_COLLECTIVE_LEADER_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qn_leader qn_leader;

typedef struct qn_leader_cluster {
    uint64_t centre; /* the structure, counted from 0 in the order in which they were added */
    uint64_t size;   /* with the centre */
    double rmsd_sum, largest_rmsd;
} qn_leader_cluster;

/* `weights`: atom_count numbers, at least 0 with a sum above 0, of the fit and the deviation; copied. `cutoff` is in
 * the unit of the structures; `nearest` false: the first centre within the cut-off. */
QN_MUST_CHECK qn_status qn_leader_create(size_t atom_count, const double *weights, double cutoff, bool nearest,
                                         qn_leader **leader);
void qn_leader_destroy(qn_leader **leader);

/* Add a structure, positions [atom_count][3]. *cluster becomes the place of its cluster, *rmsd the distance to the
 * centre. Of equally near centres the first is taken. QN_INVALID_ARGUMENT for positions that are not finite. */
QN_MUST_CHECK qn_status qn_leader_add(qn_leader *leader, const double *positions, size_t *cluster, double *rmsd);

/* The clusters in the order of their centres. */
const qn_leader_cluster *qn_leader_clusters(const qn_leader *leader, size_t *count);

#endif

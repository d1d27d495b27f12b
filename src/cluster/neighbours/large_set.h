/* Clusters of large sets of structures by RMSD after superposition, without a matrix of distances.
 *
 * Two structures are neighbours if their RMSD is at most the cut-off (DBSCAN), or below it (gromos, as in GROMACS).
 * Only this bit of a pair is computed, in blocks of rows that are dealt to all devices and ranks of a job; a GPU gets
 * two at a time, so that it works while the host deals with the other. A pair whose
 * RMSD is within rounding of the cut-off is decided in double precision, so every bit is exact, and the result does not
 * depend on devices, ranks or memory. Rows are kept in memory where they fit, else they are computed anew when they are
 * needed.
 *
 *     const qn_large_set set = {.structures = &structures, .cutoff_angstrom = 2};
 *     qn_large_clusters clusters = {0};
 *     QN_TRY(qn_large_gromos(job, &set, &clusters));
 *     …clusters.labels[i] is the cluster of structure i…
 *     qn_large_clusters_clear(&clusters);
 *
 * The job must have devices and an open journal (qn_job_journal); finished blocks are records of it, which a resumed
 * run reads. Every rank must call each function, with the same arguments. All ranks get the whole result.
 */
#ifndef QN_CLUSTER_NEIGHBOURS_LARGE_SET_H
#define QN_CLUSTER_NEIGHBOURS_LARGE_SET_H

#include "cluster/measure/structures.h"
#include "cluster/method/labels.h"
#include "job/job.h"

typedef struct qn_large_set {
    const qn_structures *structures; /* at most 2^24 */
    double cutoff_angstrom;          /* largest RMSD of neighbours, see above; not used by k-medoids */
    uint64_t memory_bytes;           /* for rows of neighbours; 0: half of the machine's memory */
    double record_every_s;           /* interval of records while rows are computed anew; 0: a minute */
    int lanes;                       /* blocks of rows at a time on each device; 0: two on a GPU, else one */
} qn_large_set;

/* Clusters, numbered as labels.h says. Zero-initialise; release with clear. */
typedef struct qn_large_clusters {
    size_t cluster_count;
    uint32_t *labels;          /* of each structure; QN_LABEL_NONE: in no cluster */
    uint32_t *centres;         /* of each cluster: the number of a structure */
    float *distances_angstrom; /* RMSD of each structure to the centre of its cluster; NaN: in no cluster */
} qn_large_clusters;

void qn_large_clusters_clear(qn_large_clusters *clusters);

/* Daura et al. 1999 (Angew. Chem. Int. Ed. 38, 236): the structure with most neighbours and these are the first
 * cluster; they are taken away, and so on until none is left. A structure without neighbours is a cluster of its own.
 * The centre is the structure that had most neighbours, or, if that is a member of an earlier cluster, the member
 * nearest to that structure. cluster/method/gromos.h states the rule for ties, which is that of GROMACS for up to
 * QN_GROMOS_SORTED_MAX structures.
 *
 * Errors of all functions here: QN_INVALID_ARGUMENT (no structures; a position or the cut-off is not finite; weights
 * that are negative or add up to 0), QN_OUT_OF_MEMORY (less memory than one block of rows needs), QN_CANCELLED, those
 * of devices and of the journal. */
QN_MUST_CHECK qn_status qn_large_gromos(qn_job *job, const qn_large_set *set, qn_large_clusters *clusters);

/* DBSCAN (Ester et al. 1996): a structure with at least `fewest` neighbours, itself included, is a core. Cores that are
 * neighbours are in one cluster. Other neighbours of a core are in the first found of the clusters of their cores, as
 * cluster/method/dbscan.h states; the rest has the label QN_LABEL_NONE. The centre is the core with most neighbours,
 * the lowest one of several. */
QN_MUST_CHECK qn_status qn_large_dbscan(qn_job *job, const qn_large_set *set, size_t fewest,
                                        qn_large_clusters *clusters);

/* k-medoids by samples (CLARA: Kaufman and Rousseeuw 1990; with FasterPAM: Schubert and Rousseeuw 2021). The medoids of
 * five random samples of 2,000 structures, or of 80 + 4 · cluster_count if these are more, are found by FasterPAM on
 * the matrix of the sample; from the second one on a sample has the best medoids so far, too. All structures go to the
 * nearest medoid, and the medoids with the smallest sum of distances are the result. A set of at most as many
 * structures is its own sample. Centres are the medoids. */
QN_MUST_CHECK qn_status qn_large_kmedoids(qn_job *job, const qn_large_set *set, size_t cluster_count, uint64_t seed,
                                          qn_large_clusters *clusters);

#endif

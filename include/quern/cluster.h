/* Clusters of structures: models of a molecule, or frames of a trajectory, by the distances between them.
 *
 * Structures come from files or from memory, and distances are measured or come from a file of quern distance. Results
 * are written where an output is named, and are returned in memory.
 *
 *     qn_cluster_options options = qn_cluster_default_options();
 *     qn_cluster_result *result;
 *     options.structures.files = (const char *const[]){"models.pdb"}, options.structures.file_count = 1;
 *     options.clusters = 2;
 *     if (qn_cluster_run(context, &options, &result) != QN_OK) return 1;
 *     printf("%zu clusters of %zu models\n", result->cluster_count, result->count);
 *     qn_cluster_result_destroy(&result);
 */
#ifndef QUERN_CLUSTER_H
#define QUERN_CLUSTER_H

#include <quern/distance.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Hierarchical (the first four), by largest neighbourhood (Daura et al. 1999, as in GROMACS), around medoids
 * (FasterPAM), and by density (DBSCAN). docs/design/cluster.md has the equations. */
typedef enum qn_cluster_method {
    QN_CLUSTER_AVERAGE,
    QN_CLUSTER_COMPLETE,
    QN_CLUSTER_SINGLE,
    QN_CLUSTER_WARD,
    QN_CLUSTER_GROMOS,
    QN_CLUSTER_KMEDOIDS,
    QN_CLUSTER_DBSCAN
} qn_cluster_method;

typedef enum qn_cluster_units { QN_CLUSTER_IN_ANGSTROM, QN_CLUSTER_IN_NM } qn_cluster_units;

/* The first medoids: those that shrink the sum of distances most among all structures, or among random samples. */
typedef enum qn_cluster_start { QN_CLUSTER_BUILD, QN_CLUSTER_SAMPLE } qn_cluster_start;

/* How distances are stored: as floats, as multiples of a step in 16 bits, or not at all, which needs the measure rmsd
 * and one of the last three methods. Automatic: as floats, but not at all above QN_CLUSTER_STORED_MAX structures where
 * this is possible. */
typedef enum qn_cluster_matrix {
    QN_CLUSTER_AUTO,
    QN_CLUSTER_FLOAT32,
    QN_CLUSTER_UINT16,
    QN_CLUSTER_WITHOUT
} qn_cluster_matrix;

#define QN_CLUSTER_STORED_MAX 10000

typedef struct qn_cluster_options {
    size_t size;                   /* of this struct in bytes */
    qn_run_options run;            /* `memory_bytes`: of the structures; `seed`: of random samples */
    qn_structure_input structures; /* may be absent if there are `distances` */
    const char *distances;         /* an .npy file of quern distance, instead of measuring; NULL: none */
    qn_distance_measure measure;
    qn_measure_options measuring;
    qn_cluster_method method;
    uint64_t clusters;      /* number of clusters; 0: by `cutoff` */
    double cutoff;          /* in `units`; of a measure of likeness, 1 − value; 0: by `clusters` */
    qn_cluster_units units; /* of the cut-off, for measures in Å */
    uint64_t least_items;   /* DBSCAN: structures within the cut-off of a core structure, itself included */
    qn_cluster_start start; /* k-medoids */
    qn_cluster_matrix matrix;
    bool write_matrix;        /* write the distances as matrix.npy */
    uint64_t representatives; /* most clusters whose medoid is written as a file; the largest come first */
    const char *output;       /* folder; NULL: nothing is written */
} qn_cluster_options;

const qn_option_table *qn_cluster_option_table(void); /* see <quern/option.h> */

static inline qn_cluster_options qn_cluster_default_options(void)
{
    qn_cluster_options options;
    qn_option_defaults(qn_cluster_option_table(), &options, sizeof options);
    return options;
}

/* Label of a structure that is in no cluster. */
#define QN_CLUSTER_NONE UINT32_MAX

/* One cluster; distances are in the unit of the measure. Where distances were not stored, the medoid is the centre that
 * the method found, mean_pair and diameter are NaN, and silhouettes are those of an evenly spaced part of the
 * structures, from the distances to their own and to the nearest other medoid; those of the others are NaN. */
typedef struct qn_cluster_facts {
    size_t size;
    size_t medoid;                   /* the structure with the smallest sum of distances to the others */
    double mean_pair;                /* mean distance of two structures; 0 in a cluster of one */
    double mean_medoid;              /* mean distance to the medoid, the medoid left out; 0 in a cluster of one */
    double largest_medoid, diameter; /* largest distance to the medoid, of two structures */
    double silhouette;               /* mean of its structures */
} qn_cluster_facts;

/* A merge of two clusters. Clusters below `count` are structures, and cluster count + k is the result of merge k. */
typedef struct qn_cluster_merge {
    uint32_t first, second; /* first < second */
    uint32_t size;
    float height; /* distance of the two */
} qn_cluster_merge;

/* Results of a run. On ranks other than 0, and where an earlier run had finished, there are only counts and warnings.
 */
typedef struct qn_cluster_result {
    size_t count; /* structures */
    size_t cluster_count;
    size_t noise_count;         /* structures in no cluster */
    const char *unit;           /* of distances: "Å"; "": none */
    uint32_t *labels;           /* count: cluster of each structure, from 0; the largest cluster is 0 */
    double *silhouettes;        /* count; NaN: in no cluster, or there is only one */
    float *medoid_distances;    /* count: of each structure to its cluster's medoid; NaN: in no cluster */
    qn_cluster_facts *clusters; /* cluster_count */
    qn_cluster_merge *merges;   /* count − 1, by ascending height; NULL: the method is not hierarchical */
    double cutoff;              /* at which the tree was cut, or the cut-off given; NaN: k-medoids */
    double silhouette;          /* mean; NaN: fewer than two clusters */
    double davies_bouldin;      /* with medoids; NaN: fewer than two clusters */
    double cophenetic;          /* correlation of heights and distances; NaN: not hierarchical */
    char **names;               /* count */
    char **warnings;            /* sentences */
    size_t warning_count;
    double seconds; /* of the whole run */
} qn_cluster_result;

/* run.json appears last, when all files are complete. `result` may be NULL; on failure *result is NULL.
 *
 * Errors: those of qn_distance_run; QN_BAD_FORMAT also for a file of distances that does not fit the structures. */
QN_MUST_CHECK qn_status qn_cluster_run(qn_context *context, const qn_cluster_options *options,
                                       qn_cluster_result **result);
void qn_cluster_result_destroy(qn_cluster_result **result);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

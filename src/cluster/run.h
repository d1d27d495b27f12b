/* Shared by the files of quern cluster: the state of a run, and its stages. */
#ifndef QN_CLUSTER_RUN_H
#define QN_CLUSTER_RUN_H

#include <quern/cluster.h>

#include "base/error.h"
#include "cluster/distances_file.h"
#include "cluster/matrix/matrix.h"
#include "cluster/matrix/models.h"
#include "cluster/method/labels.h"
#include "cluster/method/linkage.h"
#include "cluster/method/quality.h"
#include "cluster/neighbours/large_set.h"
#include "job/job.h"

typedef struct qn_clustering {
    const qn_cluster_options *options;
    qn_job *job;
    qn_models *models; /* NULL: only distances are given */
    const qn_measure *measure;
    qn_measure_settings settings;
    qn_error_trail opened; /* of the devices */
    qn_matrix_request request;
    qn_matrix *matrix;            /* measured; NULL: there is a file, or only one structure */
    qn_distances_file *file;      /* NULL: distances are measured */
    qn_distance_matrix distances; /* of either */
    size_t count;                 /* structures */
    double cutoff;                /* in the unit of the measure; 0: by number */
    qn_large_clusters large;      /* where distances are not stored */
    qn_cluster_result *result;    /* under way */
    qn_merge *merges;             /* NULL: not a hierarchical method */
    qn_members members;           /* of the clusters */
    uint32_t *order;             /* structures as the tree has them; else by cluster, the nearest to the medoid first */
    size_t represented;          /* clusters whose medoid is written */
    const char **endings;        /* of these files: ".pdb", ".cif", ".sdf" */
    double measure_s, cluster_s; /* time of the distances, and of the clustering with its measures */
} qn_clustering;

/* Names of the methods, as options have them. */
const char *qn_clustering_method_name(const qn_clustering *run);
bool qn_clustering_is_hierarchical(const qn_clustering *run);

/* Find the clusters and measure them: everything of the result but names, warnings and times. (methods.c) */
QN_MUST_CHECK qn_status qn_clustering_find(qn_clustering *run);

/* ---- sets whose distances are not stored (large.c) ---- */

/* Whether the options allow it, and whether a run does so. */
bool qn_clustering_may_be_large(const qn_cluster_options *options);
bool qn_clustering_is_large(const qn_clustering *run);

/* Find the clusters; every rank must call. */
QN_MUST_CHECK qn_status qn_clustering_search_large(qn_clustering *run);

/* Put them into the result. */
QN_MUST_CHECK qn_status qn_clustering_take_large(qn_clustering *run);

/* Davies–Bouldin index, and medoid silhouettes of evenly spaced structures. (large_quality.c) */
QN_MUST_CHECK qn_status qn_clustering_measure_large(qn_clustering *run);

/* Distance of two structures, stored or measured anew. */
double qn_clustering_distance(const qn_clustering *run, size_t a, size_t b);

/* A length or a difference for readers: "2.35 Å", "0.213". */
typedef struct qn_clustering_text {
    char text[48];
} qn_clustering_text;
qn_clustering_text qn_clustering_say(const qn_clustering *run, double value);

/* ---- files, on the first rank; each is listed by the job ---- */

/* assignments.csv, clusters.csv and, of a tree, linkage.csv. (output_tables.c) */
QN_MUST_CHECK qn_status qn_clustering_write_tables(const qn_clustering *run);

/* Draw the tree, pruned to few leaves, as an SVG document; the tree in Newick format. (output_tree.c) */
QN_MUST_CHECK qn_status qn_clustering_draw_tree(const qn_clustering *run, qn_text *svg);
QN_MUST_CHECK qn_status qn_clustering_write_tree(const qn_clustering *run);

/* The medoids of clusters of poses, representatives/cluster_1.sdf …; for the next function. (output_poses.c) */
QN_MUST_CHECK qn_status qn_clustering_write_poses(qn_clustering *run);

/* representatives/cluster_1.pdb …, and view.pml and view.cxc, which show them. (output_models.c) */
QN_MUST_CHECK qn_status qn_clustering_write_models(qn_clustering *run);

/* Whether the scripts superpose the medoids: poses stay where they are, and models of different length have no atoms in
 * common. */
static inline bool qn_clustering_superposes(const qn_clustering *run)
{
    return !run->measure->of_poses && !run->models->structures.sequences;
}

/* Name of the file of a cluster's medoid: "cluster_01.pdb", or without the ending. */
typedef struct qn_representative_name {
    char text[32];
} qn_representative_name;
qn_representative_name qn_clustering_representative(const qn_clustering *run, size_t cluster, bool with_ending);

/* report.html (output_report.c), run.json (output_run.c). */
QN_MUST_CHECK qn_status qn_clustering_write_report(const qn_clustering *run);
QN_MUST_CHECK qn_status qn_clustering_write_run_json(const qn_clustering *run);

#endif

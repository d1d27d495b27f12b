/* A file of distances in NumPy's format, as quern distance and scipy's pdist make it: all pairs i < j in one row.
 *
 * Beside a file of quern distance or quern cluster lies a run.json, which says what was measured. Values of a measure
 * of likeness become distances, 1 − value; those that quern cluster wrote are distances already. Life cycle: open → use
 * → close.
 */
#ifndef QN_CLUSTER_DISTANCES_FILE_H
#define QN_CLUSTER_DISTANCES_FILE_H

#include "base/thread_pool.h"
#include "cluster/measure/measure.h"
#include "cluster/method/distance_matrix.h"

typedef struct qn_distances_file {
    qn_distance_matrix matrix;
    const qn_measure *measure;
    bool is_described;    /* the measure is that of the run.json; otherwise it is the one given */
    bool holds_distances; /* also of a measure of likeness: quern cluster wrote the file */

    /* private */
    void *mapped;
    size_t mapped_bytes;
    float *own; /* values that are not as the file has them */
} qn_distances_file;

/* Open `path`. `measure` is assumed where no run.json is beside the file. Values are checked. QN_NOT_FOUND,
 * QN_IO_ERROR, QN_BAD_FORMAT (not an array of NumPy, values of another type or shape, a number that is no number of
 * pairs, a value that is not a distance), QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_distances_file_open(const char *path, const qn_measure *measure, qn_pool *pool,
                                               qn_distances_file **file);
void qn_distances_file_close(qn_distances_file **file);

#endif

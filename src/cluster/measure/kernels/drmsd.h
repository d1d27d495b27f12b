/* dRMSD of every structure of a tile's rows to every structure of its columns, on a device. For each tile:
 *
 *     qn_drmsd_pack(rows), qn_drmsd_pack(columns)
 *     for each slice of the pairs of atoms:
 *         qn_drmsd_measure(rows), qn_drmsd_measure(columns), qn_drmsd_compare
 *
 * Where rows and columns are the same structures, one of the two is enough. */
#ifndef QN_CLUSTER_MEASURE_KERNELS_DRMSD_H
#define QN_CLUSTER_MEASURE_KERNELS_DRMSD_H

#include <quern/family.h>

extern const qn_family qn_cluster_drmsd_family;

enum { QN_DRMSD_PACK, QN_DRMSD_MEASURE, QN_DRMSD_COMPARE };

/* Most atoms of a structure, so that the number of pairs of atoms is an int. */
enum { QN_DRMSD_ATOMS_MAX = 32768 };

/* A tile, and a slice of the pairs of atoms. */
typedef struct qn_drmsd_problem {
    int atoms;
    int row_count, column_count;
    bool diagonal; /* rows and columns are the same structures; values of pairs row < column alone are needed */
    int slice;     /* from 0 */
    double weight; /* of all pairs of atoms: Σ w_a w_b, a < b */
} qn_drmsd_problem;

/* Number of slices. */
int qn_drmsd_slices(int atoms);

/* Bytes of the buffers of `count` structures: positions in panels; distances of one slice. */
size_t qn_drmsd_panel_bytes(int atoms, size_t count);
size_t qn_drmsd_distance_bytes(int atoms, size_t count);

/* panels: positions [count][3][atoms] by panel. */
QN_MUST_CHECK qn_status qn_drmsd_pack(qn_queue *queue, const qn_configuration *configuration, int atoms, int count,
                                      qn_buffer *positions, qn_buffer *panels, qn_event **event);

/* distances: of the pairs of atoms of a slice, each times the weights of its two atoms. weights [atoms]: roots of the
 * atoms' weights. */
QN_MUST_CHECK qn_status qn_drmsd_measure(qn_queue *queue, const qn_configuration *configuration, int atoms, int count,
                                         int slice, qn_buffer *panels, qn_buffer *weights, qn_buffer *distances,
                                         qn_event **event);

/* values [row_count][column_count]: sums of squares up to this slice; after the last slice, dRMSD in Å. rows, columns:
 * distances of this slice. */
QN_MUST_CHECK qn_status qn_drmsd_compare(qn_queue *queue, const qn_configuration *configuration,
                                         const qn_drmsd_problem *problem, qn_buffer *rows, qn_buffer *columns,
                                         qn_buffer *values, qn_event **event);

/* Class of problems that share tuning results: by the number of rows. */
const char *qn_drmsd_problem_class(int structures);

/* Slow and simple, in double precision: expected [row_count][column_count] in Å. weights: NULL: all 1. */
void qn_drmsd_reference(int atoms, const float *rows, int row_count, const float *columns, int column_count,
                        const float *weights, double *expected);

#endif

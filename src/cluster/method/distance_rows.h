/* Whole rows of a distance matrix, in the form that clustering methods read. */
#ifndef QN_CLUSTER_METHOD_DISTANCE_ROWS_H
#define QN_CLUSTER_METHOD_DISTANCE_ROWS_H

#include <quern/status.h>

#include "base/thread_pool.h"
#include "cluster/method/distance_matrix.h"

/* Rows that are read together. A column of the triangle has its elements far apart, but those of neighbouring columns
 * side by side: 16 floats are one line of a cache. */
enum { QN_DISTANCE_BLOCK = 16 };

/* Copy rows first … first + rows − 1 of the square matrix; out: [rows][count], 0 on the diagonal. */
void qn_distance_rows(const qn_distance_matrix *matrix, size_t first, size_t rows, float *out);

/* Use of one row of the square matrix, count values. Rows are handed out to the pool in blocks; `worker` is the
 * thread's number. */
typedef void (*qn_distance_row_use)(size_t item, const float *row, int worker, void *user);

/* Call `use` for every row. Scratch memory: QN_DISTANCE_BLOCK rows for each thread. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_distance_each_row(const qn_distance_matrix *matrix, qn_pool *pool, qn_distance_row_use use,
                                             void *user);

/* Refuse a distance that is negative or not a number, with the numbers of its items, from 1. QN_INVALID_ARGUMENT. */
QN_MUST_CHECK qn_status qn_distance_matrix_check(const qn_distance_matrix *matrix, qn_pool *pool);

#endif

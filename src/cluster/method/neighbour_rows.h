/* Rows of neighbours in memory. A row is a list of items or a row of bits, whichever is shorter.
 *
 * Life cycle: create → set every row → use → destroy. Thread rule: rows may be set from any thread, each once. A row
 * that is not set is empty.
 */
#ifndef QN_CLUSTER_METHOD_NEIGHBOUR_ROWS_H
#define QN_CLUSTER_METHOD_NEIGHBOUR_ROWS_H

#include <stdbool.h>

#include "base/thread_pool.h"
#include "cluster/method/distance_matrix.h"
#include "cluster/method/neighbourhood.h"

typedef struct qn_neighbour_rows qn_neighbour_rows;

QN_MUST_CHECK qn_status qn_neighbour_rows_create(size_t count, qn_pool *pool, qn_neighbour_rows **rows);
void qn_neighbour_rows_destroy(qn_neighbour_rows **rows);

/* Largest number of 32-bit words of a packed row, and the packed form of bits [⌈count / 32⌉]: the number of neighbours,
 * and a list or the bits. Returns the words used. */
size_t qn_neighbour_row_words(size_t count);
size_t qn_neighbour_row_pack(const uint32_t *bits, size_t count, uint32_t *packed);

/* Number of bits that are set in `words` words. */
uint32_t qn_neighbour_bits_count(const uint32_t *bits, size_t words);

/* Keep a copy of a packed row. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_neighbour_rows_set(qn_neighbour_rows *rows, size_t item, const uint32_t *packed);

/* Make a block of memory for many packed rows, of `words` words without values, which lasts as long as the rows; then
 * a row that is packed in a block is put without a copy. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_neighbour_rows_block(qn_neighbour_rows *rows, size_t words, uint32_t **block);
void qn_neighbour_rows_put(qn_neighbour_rows *rows, size_t item, uint32_t *packed);

/* Keep a row by the ascending list of its neighbours. */
QN_MUST_CHECK qn_status qn_neighbour_rows_set_list(qn_neighbour_rows *rows, size_t item, const uint32_t *list,
                                                   size_t length);

/* Words of a packed row, by its beginning. */
size_t qn_neighbour_row_length(const uint32_t *packed, size_t count);

/* Rows of a distance matrix: neighbours are below `cutoff`, or at most at `cutoff` if `at_most`. */
QN_MUST_CHECK qn_status qn_neighbour_rows_from_distances(const qn_distance_matrix *matrix, double cutoff, bool at_most,
                                                         qn_pool *pool, qn_neighbour_rows **rows);

/* The neighbours, for methods; valid as long as the rows. */
qn_neighbourhood qn_neighbour_rows_view(qn_neighbour_rows *rows);

#endif

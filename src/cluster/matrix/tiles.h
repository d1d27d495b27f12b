/* Tiles of a matrix of distances, and the store that holds their values: a file in NumPy's format, written in place, or
 * memory. The file is the record of the tiles, too: a journal only holds the numbers of finished tiles with a checksum
 * of each, so that no value is written twice, and a tile that did not reach the disk is found and computed again.
 *
 * Life cycle: create or open → put, from any thread → view → finish, or destroy.
 */
#ifndef QN_CLUSTER_MATRIX_TILES_H
#define QN_CLUSTER_MATRIX_TILES_H

#include "base/thread_pool.h"
#include "cluster/measure/measure.h"

/* Pairs of a matrix and their tiles. */
typedef struct qn_tile_plan {
    size_t count;           /* rows */
    size_t reference_count; /* columns, which follow the rows; 0: the pairs i < j of all rows */
    size_t side;            /* of a tile */
    uint64_t tile_count;
    uint64_t value_count;
} qn_tile_plan;

/* The tiles depend on these numbers alone. */
qn_tile_plan qn_tile_plan_make(size_t count, size_t reference_count, size_t largest_side);

/* Rows and columns of tile `number`. */
void qn_tile_plan_ranges(const qn_tile_plan *plan, uint64_t number, qn_measure_range *rows, qn_measure_range *columns);

/* Number of values of a tile. */
uint64_t qn_tile_plan_pairs(const qn_tile_plan *plan, uint64_t number);

typedef struct qn_tile_store qn_tile_store;

/* How values are stored. */
typedef struct qn_tile_format {
    bool sixteen_bits; /* as multiples of `step` */
    float step;
    bool inverted; /* 1 − value is stored */
} qn_tile_format;

/* Create a store in memory. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_tile_store_create(const qn_tile_plan *plan, const qn_tile_format *format,
                                             qn_tile_store **store);

/* Open a store in the file `path`; one that has the right size is kept. QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_tile_store_open(const qn_tile_plan *plan, const qn_tile_format *format, const char *path,
                                           qn_tile_store **store);
void qn_tile_store_destroy(qn_tile_store **store);

/* Whether the store's file was made when it was opened, so that no value is in it. */
bool qn_tile_store_is_new(const qn_tile_store *store);

/* Store the values of a tile; *checksum is that of the bytes stored. QN_IO_ERROR; QN_BAD_FORMAT for a value that is
 * not finite, or too large for 16 bits. */
QN_MUST_CHECK qn_status qn_tile_store_put(qn_tile_store *store, uint64_t number, const float *values, qn_pool *pool,
                                          uint32_t *checksum);

/* Compute the checksum of the bytes of a stored tile. */
QN_MUST_CHECK qn_status qn_tile_store_check(qn_tile_store *store, uint64_t number, qn_pool *pool, uint32_t *checksum);

/* The values: floats, or 16-bit steps. Valid until the store is destroyed. QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_tile_store_view(qn_tile_store *store, const void **values);

/* Give the file its final name, after its bytes are on the disk. The view stays valid. QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_tile_store_finish(qn_tile_store *store, const char *path);

/* Hand over the values in memory of the caller's own, released with qn_release: those of a store in memory, which has
 * none afterwards, or a copy of the file's. QN_OUT_OF_MEMORY, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_tile_store_take(qn_tile_store *store, void **values);

/* Remove the file of a store that holds nothing of use. */
void qn_tile_store_discard(qn_tile_store *store);

#endif

/* Sums over blocks of frames, for the error of a mean over frames that are correlated: as long as frames of different
 * blocks are not, the scatter of the blocks' means gives it (Flyvbjerg and Petersen 1989, doi 10.1063/1.457480).
 *
 * The number of frames need not be known: there are 8 to 15 complete blocks from the eighth frame on. When 16 are
 * complete, neighbours are joined and blocks become twice as long. Frames after the last complete block do not count.
 *
 * Life cycle: create → add the values of each frame, in order → read → clear.
 */
#ifndef QN_TRAJECTORY_QUERY_BLOCKS_H
#define QN_TRAJECTORY_QUERY_BLOCKS_H

#include <quern/status.h>
#include <stddef.h>

enum { QN_BLOCKS_LEAST = 5, QN_BLOCKS_MOST = 16 };

/* Rows of more values than this are not kept: there are no blocks then. */
enum { QN_BLOCKS_WIDEST = 1 << 17 };

typedef struct qn_blocks {
    size_t width, length, count; /* values of a frame; frames of a block; complete blocks */
    size_t frames;               /* of the block after them */
    double *sums;                /* [QN_BLOCKS_MOST][width]; NULL: the rows are too wide */
} qn_blocks;

QN_MUST_CHECK qn_status qn_blocks_create(size_t width, qn_blocks *blocks);
void qn_blocks_clear(qn_blocks *blocks);
void qn_blocks_add(qn_blocks *blocks, const double *values);

/* The sums of a complete block. */
const double *qn_blocks_sums(const qn_blocks *blocks, size_t block);

/* Frames of a block, for a number of frames that is known. */
size_t qn_blocks_length(size_t frames);

/* The standard error of a quantity by the jackknife (Quenouille 1956): value i was computed without block i. NaN for
 * fewer than QN_BLOCKS_LEAST. */
double qn_blocks_jackknife(const double *values, size_t count);

/* The standard error of the mean of blocks' values; NaN for fewer than QN_BLOCKS_LEAST. */
double qn_blocks_error(const double *values, size_t count);

/* The same for a column of numbers, each stride after the one before, in blocks of the same lengths. */
double qn_blocks_error_of_column(const double *values, size_t stride, size_t rows);

#endif

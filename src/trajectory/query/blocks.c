#include "trajectory/query/blocks.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

qn_status qn_blocks_create(size_t width, qn_blocks *blocks)
{
    void *memory;
    *blocks = (qn_blocks){.width = width, .length = 1};
    if (width > QN_BLOCKS_WIDEST) return QN_OK;
    QN_TRY(qn_allocate(width * QN_BLOCKS_MOST, sizeof *blocks->sums, &memory));
    blocks->sums = memory;
    return QN_OK;
}

void qn_blocks_clear(qn_blocks *blocks)
{
    qn_release(&blocks->sums);
}

static void join_neighbours(qn_blocks *blocks)
{
    const size_t width = blocks->width;
    for (size_t block = 0; block < QN_BLOCKS_MOST / 2; block++) {
        const double *first = blocks->sums + 2 * block * width, *second = first + width;
        double *joined = blocks->sums + block * width;
        for (size_t k = 0; k < width; k++) joined[k] = first[k] + second[k];
    }
    blocks->count = QN_BLOCKS_MOST / 2;
    blocks->length *= 2;
    memset(blocks->sums + blocks->count * width, 0, blocks->count * width * sizeof(double));
}

void qn_blocks_add(qn_blocks *blocks, const double *values)
{
    if (!blocks->sums) return;
    double *sums = blocks->sums + blocks->count * blocks->width;
    for (size_t k = 0; k < blocks->width; k++) sums[k] += values[k];
    if (++blocks->frames < blocks->length) return;
    blocks->frames = 0;
    if (++blocks->count == QN_BLOCKS_MOST) join_neighbours(blocks);
}

const double *qn_blocks_sums(const qn_blocks *blocks, size_t block)
{
    return blocks->sums + block * blocks->width;
}

double qn_blocks_error(const double *values, size_t count)
{
    double mean = 0, squares = 0;
    if (count < QN_BLOCKS_LEAST) return (double)NAN;
    for (size_t i = 0; i < count; i++) mean += values[i] / (double)count;
    for (size_t i = 0; i < count; i++) squares += (values[i] - mean) * (values[i] - mean);
    return sqrt(squares / ((double)count * (double)(count - 1)));
}

size_t qn_blocks_length(size_t frames)
{
    size_t length = 1;
    while (frames / length >= QN_BLOCKS_MOST) length *= 2;
    return length;
}

/* The error of the mean of n values is √(Σ (x − mean)² / (n (n − 1))). Values that leave one block out scatter by a
 * factor of n − 1 less than those of single blocks. */
double qn_blocks_jackknife(const double *values, size_t count)
{
    return (double)(count - 1) * qn_blocks_error(values, count);
}

double qn_blocks_error_of_column(const double *values, size_t stride, size_t rows)
{
    double means[QN_BLOCKS_MOST];
    const size_t length = qn_blocks_length(rows), count = rows / length;
    for (size_t block = 0; block < count; block++) {
        means[block] = 0;
        for (size_t i = 0; i < length; i++) means[block] += values[(block * length + i) * stride] / (double)length;
    }
    return qn_blocks_error(means, count);
}

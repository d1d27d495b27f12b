/* Pairs of atoms of two small cells: an atom with a row of atoms, in the arithmetic of distance_histogram. If all
 * distances lie in a few bins, the whole row is compared with each of their edges, which vectorises on every processor.
 */
#include <math.h>

#include "pairs/distance_cells.h"
#include "runtime/prelude/prelude_host.h"

#define VECTOR_WIDTH 1
#include "pairs/kernels/distance_histogram.dev.h"

enum { ROW = QN_DISTANCE_ROW, EDGES_MAX = 8 };

/* A row of atoms. Loops run over all ROW places, also those after the last of `count` atoms. */
typedef struct leaf_row {
    float square[ROW];
    uint32_t weight[ROW]; /* number of times that the pair counts; 0 after the last atom */
    uint32_t count;
} leaf_row;

static void find_squares(const qn_distance_leaves *leaves, uint32_t atom, uint32_t begin, leaf_row *row)
{
    const float *x = leaves->rows[0] + begin, *y = leaves->rows[1] + begin, *z = leaves->rows[2] + begin;
    const float ax = leaves->rows[0][atom], ay = leaves->rows[1][atom], az = leaves->rows[2][atom];
    const float ex = leaves->edges[0], ey = leaves->edges[1], ez = leaves->edges[2];
    float *square = row->square;
    if (isinf(ex)) {
#pragma omp simd
        for (int j = 0; j < ROW; j++) square[j] = histogram_square(ax - x[j], ay - y[j], az - z[j]);
    } else {
#pragma omp simd
        for (int j = 0; j < ROW; j++)
            square[j] = histogram_square_orthorhombic(ex, ey, ez, ax - x[j], ay - y[j], az - z[j]);
    }
}

/* Compute the weights of a row's pairs with an atom. Returns their sum. */
static uint32_t find_weights(const qn_distance_leaves *leaves, uint32_t atom, uint32_t begin, leaf_row *row)
{
    uint32_t sum = 0, *weight = row->weight;
    const uint32_t count = row->count;
    if (!leaves->selections) {
#pragma omp simd
        for (uint32_t j = 0; j < ROW; j++) weight[j] = j < count;
        return count;
    }
    const uint8_t *others = leaves->selections + begin;
    const uint32_t one = leaves->selections[atom] & 1U, two = leaves->selections[atom] >> 1U;
#pragma omp simd reduction(+ : sum)
    for (uint32_t j = 0; j < ROW; j++) {
        weight[j] = j < count ? (one & (uint32_t)others[j] >> 1U) + (two & others[j]) : 0;
        sum += weight[j];
    }
    return sum;
}

/* The count between two edges is the difference of the counts beyond each edge. */
static void compare_with_edges(const qn_distance_leaves *leaves, const leaf_row *row, uint32_t sum, const int reach[2],
                               uint64_t *counts)
{
    const float *square = row->square;
    const uint32_t *weight = row->weight;
    for (int bin = reach[0]; bin < reach[1]; bin++) {
        const float edge = leaves->squared_edges[bin + 1];
        uint32_t beyond = 0;
#pragma omp simd reduction(+ : beyond)
        for (int j = 0; j < ROW; j++) beyond += square[j] >= edge ? weight[j] : 0;
        counts[bin] += sum - beyond;
        sum = beyond;
    }
    counts[reach[1]] += sum;
}

/* Find the bin of each pair. The guess is right unless it is near an edge of its bin; then the bin is looked up. */
static void find_each(const qn_distance_leaves *leaves, const leaf_row *row, uint64_t *counts)
{
    const float scale = leaves->scale, shift = leaves->shift, unsure = leaves->unsure;
    const float most = (float)leaves->bins + 0.25F; /* certainly beyond the last bin */
    const float *square = row->square;
    int32_t bin[ROW];
#pragma omp simd
    for (int j = 0; j < ROW; j++) {
        const float guess = FMIN(FMA(sqrtf(square[j]), scale, shift), most);
        bin[j] = ABS(guess - histogram_whole(guess)) <= unsure ? -1 : (int32_t)guess;
    }
    for (uint32_t j = 0; j < row->count; j++) {
        if (bin[j] < 0) {
            const int guess = (int)FMIN(sqrtf(square[j]) * scale, most);
            bin[j] = histogram_find(square[j], guess, leaves->squared_edges, leaves->bins);
        }
        counts[bin[j]] += row->weight[j];
    }
}

static void count_pairs(const qn_distance_leaves *leaves, const uint32_t first[2], const uint32_t second[2],
                        const int reach[2], uint64_t *counts)
{
    const bool same = first[0] == second[0];
    leaf_row row;
    for (uint32_t i = first[0]; i < first[1]; i++)
        for (uint32_t begin = same ? i + 1 : second[0]; begin < second[1]; begin += ROW) {
            row.count = second[1] - begin < ROW ? second[1] - begin : ROW;
            const uint32_t sum = find_weights(leaves, i, begin, &row);
            if (sum == 0) continue;
            find_squares(leaves, i, begin, &row);
            if (reach[1] - reach[0] <= EDGES_MAX)
                compare_with_edges(leaves, &row, sum, reach, counts);
            else
                find_each(leaves, &row, counts);
        }
}

extern const qn_distance_leaves_count QN_HOST_VARIANT(qn_distance_leaves_host)[];
const qn_distance_leaves_count QN_HOST_VARIANT(qn_distance_leaves_host)[] = {count_pairs};

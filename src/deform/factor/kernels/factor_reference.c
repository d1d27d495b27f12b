#include "deform/factor/kernels/factor.h"

#include <math.h>

/* tile −= A S Bᵀ */
static void subtract(double *tile, const double *a, const double *b, int block, int negative)
{
    for (int i = 0; i < block; i++)
        for (int j = 0; j < block; j++)
            for (int k = 0; k < block; k++)
                tile[j * block + i] -= (negative >> k & 1 ? -1 : 1) * a[k * block + i] * b[k * block + j];
}

static void factor(double *tile, int block, int negative)
{
    for (int j = 0; j < block; j++) {
        for (int k = 0; k < j; k++)
            for (int i = j; i < block; i++)
                tile[j * block + i] -= (negative >> k & 1 ? -1 : 1) * tile[k * block + i] * tile[k * block + j];
        const double sign = negative >> j & 1 ? -1 : 1, root = sqrt(sign * tile[j * block + j]);
        for (int i = j + 1; i < block; i++) tile[j * block + i] *= sign / root;
        tile[j * block + j] = root;
    }
    for (int j = 0; j < block; j++) tile[j * block + j] = 1 / tile[j * block + j];
}

static void divide(double *tile, const double *diagonal, int block, int negative)
{
    for (int j = 0; j < block; j++)
        for (int i = 0; i < block; i++) {
            double value = tile[j * block + i];
            for (int k = 0; k < j; k++)
                value -= (negative >> k & 1 ? -1 : 1) * tile[k * block + i] * diagonal[k * block + j];
            tile[j * block + i] = value * (negative >> j & 1 ? -1 : 1) * diagonal[j * block + j];
        }
}

/* Stored tile of row r of a panel, its own rows first, and column k. */
static int stored(const int *panel, int r, int k)
{
    const int columns = panel[QN_PANEL_COLUMNS], own = columns * (columns + 1) / 2;
    return panel[QN_PANEL_STORE] + (r < columns ? r * (r + 1) / 2 : own + (r - columns) * columns) + k;
}

static void gather(const qn_factor_schedule *s, const double *values, int tile, double *tiles)
{
    const int block = s->block, size = block * block;
    double *to = tiles + (size_t)tile * (size_t)size;
    for (int v = 0; v < size; v++) {
        const int index = s->map[(size_t)tile * (size_t)size + (size_t)v];
        to[v] = index >= 0 ? values[index] : index == -2 ? 1 : 0;
    }
    for (int r = s->run_start[tile]; r < s->run_start[tile + 1]; r++) {
        const int *run = s->runs + (size_t)r * 4;
        for (int t = 0; t < run[2]; t++)
            subtract(to, tiles + (size_t)(run[0] + t) * (size_t)size, tiles + (size_t)(run[1] + t) * (size_t)size,
                     block, s->signs[run[3] + t]);
    }
}

static void eliminate(const qn_factor_schedule *s, const int *panel, double *tiles, double *diagonals)
{
    const int block = s->block, columns = panel[QN_PANEL_COLUMNS], number = panel[QN_PANEL_TILE];
    const size_t size = (size_t)(block * block);
    for (int j = 0; j < columns; j++)
        for (int r = j; r < columns + panel[QN_PANEL_BELOW]; r++) {
            double *tile = tiles + (size_t)stored(panel, r, j) * size, *own = diagonals + (size_t)(number + j) * size;
            for (int k = 0; k < j; k++)
                subtract(tile, tiles + (size_t)stored(panel, r, k) * size, tiles + (size_t)stored(panel, j, k) * size,
                         block, s->signs[number + k]);
            if (r > j) {
                divide(tile, own, block, s->signs[number + j]);
                continue;
            }
            for (size_t v = 0; v < size; v++) own[v] = tile[v];
            factor(own, block, s->signs[number + j]);
        }
}

void qn_factor_states_reference(const qn_factor_schedule *schedule, const double *values, double *tiles,
                                double *diagonals)
{
    for (int level = 0; level < schedule->level_count; level++) {
        for (int t = schedule->level_store[level]; t < schedule->level_store[level + 1]; t++)
            gather(schedule, values, t, tiles);
        for (int p = schedule->level_panel[level]; p < schedule->level_panel[level + 1]; p++)
            eliminate(schedule, schedule->panels + (size_t)p * QN_PANEL_INTS, tiles, diagonals);
    }
}

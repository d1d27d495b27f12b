/* The tiles of states that lie side by side, `LANES` at once; included twice by factor_host.c: for vectors of states,
 * and for single states. Before it: VALUE, the type of a number of all lanes; NAME(name); LOAD, STORE, SPLAT, FMA(a, b,
 * c), ROOT, LANES. */

/* sum −= A S Bᵀ for the tiles of `count` runs. Nine sums stay in registers through all of them. */
static inline void NAME(subtract_runs)(VALUE *sum, const tile_layout *l, const float *tiles, const int *runs, int count)
{
    const size_t stride = l->stride, size = (size_t)(l->block * l->block) * stride;
#ifdef SUBTRACT_ALONE
    if (stride == 1) {
        subtract_runs_alone(sum, l, tiles, runs, count);
        return;
    }
#endif
    for (int j = 0; j < l->block; j += 3)
        for (int i = 0; i < l->block; i += 3) {
            VALUE part[3][3];
            for (int v = 0; v < 3; v++)
                for (int u = 0; u < 3; u++) part[v][u] = sum[(j + v) * l->block + i + u];
            for (int r = 0; r < count; r++) {
                const float *a = tiles + (size_t)runs[4 * r] * size + (size_t)i * stride;
                const float *b = tiles + (size_t)runs[4 * r + 1] * size + (size_t)j * stride;
                for (int t = 0; t < runs[4 * r + 2]; t++) {
                    const int negative = l->signs[runs[4 * r + 3] + t];
                    for (int k = 0; k < l->block; k++) {
                        const VALUE minus = SPLAT(negative >> k & 1 ? 1.0f : -1.0f);
                        const VALUE a0 = LOAD(a), a1 = LOAD(a + stride), a2 = LOAD(a + 2 * stride);
                        for (int v = 0; v < 3; v++) {
                            const VALUE factor = minus * LOAD(b + (size_t)v * stride);
                            part[v][0] = FMA(a0, factor, part[v][0]);
                            part[v][1] = FMA(a1, factor, part[v][1]);
                            part[v][2] = FMA(a2, factor, part[v][2]);
                        }
                        a += (size_t)l->block * stride;
                        b += (size_t)l->block * stride;
                    }
                }
            }
            for (int v = 0; v < 3; v++)
                for (int u = 0; u < 3; u++) sum[(j + v) * l->block + i + u] = part[v][u];
        }
}

static inline void NAME(load_tile)(VALUE *to, const tile_layout *l, const float *from)
{
    for (int v = 0; v < l->block * l->block; v++) to[v] = LOAD(from + (size_t)v * l->stride);
}

static inline void NAME(store_tile)(float *to, const tile_layout *l, const VALUE *from)
{
    for (int v = 0; v < l->block * l->block; v++) STORE(to + (size_t)v * l->stride, from[v]);
}

/* As factor_tile in tile.dev.h. bad[lane]: the first column with a wrong pivot, or the block. */
static inline void NAME(factor_tile)(VALUE *tile, const tile_layout *l, int negative, int *bad)
{
    const int block = l->block;
    for (int lane = 0; lane < LANES; lane++) bad[lane] = block;
    for (int k = 0; k < block; k++) {
        const float sign = negative >> k & 1 ? -1.0f : 1.0f;
        float pivot[LANES];
        STORE(pivot, SPLAT(sign) * tile[k * block + k]);
        for (int lane = 0; lane < LANES; lane++) {
            if (pivot[lane] > 0.0f && pivot[lane] < INFINITY) continue;
            if (k < bad[lane]) bad[lane] = k;
            pivot[lane] = 1.0f;
        }
        const VALUE inverse = SPLAT(1.0f) / ROOT(LOAD(pivot)), scale = SPLAT(sign) * inverse;
        tile[k * block + k] = inverse;
        for (int i = k + 1; i < block; i++) tile[k * block + i] = tile[k * block + i] * scale;
        for (int j = k + 1; j < block; j++) {
            const VALUE factor = SPLAT(-sign) * tile[k * block + j];
            for (int i = j; i < block; i++) tile[j * block + i] = FMA(tile[k * block + i], factor, tile[j * block + i]);
        }
    }
}

/* As divide_tile in tile.dev.h. */
static inline void NAME(divide_tile)(VALUE *tile, const tile_layout *l, const float *diagonal, int negative)
{
    const int block = l->block;
    for (int k = 0; k < block; k++) {
        const float sign = negative >> k & 1 ? -1.0f : 1.0f;
        const VALUE scale = SPLAT(sign) * LOAD(diagonal + (size_t)(k * block + k) * l->stride);
        for (int i = 0; i < block; i++) tile[k * block + i] = tile[k * block + i] * scale;
        for (int j = k + 1; j < block; j++) {
            const VALUE factor = SPLAT(-sign) * LOAD(diagonal + (size_t)(k * block + j) * l->stride);
            for (int i = 0; i < block; i++) tile[j * block + i] = FMA(tile[k * block + i], factor, tile[j * block + i]);
        }
    }
}

/* As the kernel `update`, one tile; all pointers to the first state. */
static void NAME(update_tile)(const tile_layout *l, const update_lists *lists, const float *values, float *tiles,
                              size_t tile)
{
    const size_t size = (size_t)(l->block * l->block);
    VALUE sum[BLOCK_MOST * BLOCK_MOST];
    for (size_t v = 0; v < size; v++) {
        const int index = lists->map[tile * size + v];
        sum[v] = index >= 0 ? LOAD(values + (size_t)index * l->stride) : SPLAT(index == -2 ? 1.0f : 0.0f);
    }
    const int first = lists->run_start[tile], count = lists->run_start[tile + 1] - first;
    NAME(subtract_runs)(sum, l, tiles, lists->runs + (size_t)first * 4, count);
    NAME(store_tile)(tiles + tile * size * l->stride, l, sum);
}

/* As the kernel `diagonal`, one panel. */
static void NAME(factor_panel)(const tile_layout *l, const int *panel, float *tiles, float *diagonals, int *wrong)
{
    const size_t size = (size_t)(l->block * l->block) * l->stride;
    const int columns = panel[QN_PANEL_COLUMNS], store = panel[QN_PANEL_STORE], number = panel[QN_PANEL_TILE];
    VALUE sum[BLOCK_MOST * BLOCK_MOST];
    for (int j = 0; j < columns; j++) {
        float *own = diagonals + (size_t)(number + j) * size;
        for (int i = j; i < columns; i++) {
            float *tile = tiles + (size_t)(store + i * (i + 1) / 2 + j) * size;
            const int run[4] = {store + i * (i + 1) / 2, store + j * (j + 1) / 2, j, number};
            NAME(load_tile)(sum, l, tile);
            NAME(subtract_runs)(sum, l, tiles, run, 1);
            if (i == j) {
                int bad[LANES];
                NAME(factor_tile)(sum, l, l->signs[number + j], bad);
                for (int lane = 0; lane < LANES; lane++) {
                    const int place = panel[QN_PANEL_PLACE] + j * l->block + bad[lane];
                    if (bad[lane] < l->block) note_wrong(wrong + lane, place);
                }
                NAME(store_tile)(own, l, sum);
            } else {
                NAME(divide_tile)(sum, l, own, l->signs[number + j]);
                NAME(store_tile)(tile, l, sum);
            }
        }
    }
}

/* As the kernel `rows`, one row below a panel. */
static void NAME(divide_row)(const tile_layout *l, const int *panel, const float *diagonals, float *tiles, int row)
{
    const size_t size = (size_t)(l->block * l->block) * l->stride;
    const int columns = panel[QN_PANEL_COLUMNS], store = panel[QN_PANEL_STORE], number = panel[QN_PANEL_TILE];
    const int own = store + columns * (columns + 1) / 2 + (row - panel[QN_PANEL_ROWS]) * columns;
    VALUE sum[BLOCK_MOST * BLOCK_MOST];
    for (int j = 0; j < columns; j++) {
        const int run[4] = {own, store + j * (j + 1) / 2, j, number};
        float *tile = tiles + (size_t)(own + j) * size;
        NAME(load_tile)(sum, l, tile);
        NAME(subtract_runs)(sum, l, tiles, run, 1);
        NAME(divide_tile)(sum, l, diagonals + (size_t)(number + j) * size, l->signs[number + j]);
        NAME(store_tile)(tile, l, sum);
    }
}

#undef VALUE
#undef NAME
#undef LOAD
#undef STORE
#undef SPLAT
#undef FMA
#undef ROOT
#undef LANES
#undef SUBTRACT_ALONE

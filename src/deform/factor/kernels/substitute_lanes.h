/* Right sides of states that lie side by side, `LANES` at once; included twice by substitute_host.c. Before it: VALUE,
 * the type of a number of all lanes; NAME(name); LOAD, STORE, SPLAT, FMA(a, b, c). The operations are those of
 * substitute.cl in the same order. */

/* Numbers of a tile's rows; 0 in the padding. */
static inline void NAME(load_rows)(const side_job *job, size_t state, VALUE (*rows)[BLOCK_MOST], int tile)
{
    for (int i = 0; i < job->block; i++) {
        const int freedom = job->freedoms[tile * job->block + i];
        for (int v = 0; v < job->sides; v++)
            rows[v][i] = freedom >= 0 ? LOAD(side_at(job, v, freedom) + state) : SPLAT(0.0f);
    }
}

static inline void NAME(store_rows)(const side_job *job, size_t state, VALUE (*rows)[BLOCK_MOST], int tile)
{
    for (int i = 0; i < job->block; i++) {
        const int freedom = job->freedoms[tile * job->block + i];
        for (int v = 0; v < job->sides && freedom >= 0; v++) STORE(side_at(job, v, freedom) + state, rows[v][i]);
    }
}

static inline void NAME(clear)(const side_job *job, VALUE (*sum)[BLOCK_MOST])
{
    for (int v = 0; v < job->sides; v++)
        for (int i = 0; i < job->block; i++) sum[v][i] = SPLAT(0.0f);
}

static inline void NAME(add)(const side_job *job, VALUE (*total)[BLOCK_MOST], VALUE (*sum)[BLOCK_MOST])
{
    for (int v = 0; v < job->sides; v++)
        for (int i = 0; i < job->block; i++) total[v][i] = total[v][i] + sum[v][i];
}

/* sum[side][i] −= G y for a stored tile whose columns are the rows of tile number `number`. */
static inline void NAME(subtract_forward)(const side_job *job, size_t state, VALUE (*sum)[BLOCK_MOST], int tile,
                                          int number)
{
    const int block = job->block;
    const float *from = job->tiles + (size_t)tile * (size_t)(block * block) * job->stride + state;
    for (int k = 0; k < block; k++) {
        const int freedom = job->freedoms[number * block + k];
        VALUE y[QN_SUBSTITUTE_SIDES_MAX];
        for (int v = 0; v < job->sides; v++) y[v] = freedom >= 0 ? LOAD(side_at(job, v, freedom) + state) : SPLAT(0.0f);
        for (int i = 0; i < block; i++, from += job->stride) {
            const VALUE value = SPLAT(-1.0f) * LOAD(from);
            for (int v = 0; v < job->sides; v++) sum[v][i] = FMA(value, y[v], sum[v][i]);
        }
    }
}

/* sum[side][k] −= Gᵀ x for a stored tile whose rows are those of tile number `number`. */
static inline void NAME(subtract_backward)(const side_job *job, size_t state, VALUE (*sum)[BLOCK_MOST], int tile,
                                           int number)
{
    const int block = job->block;
    const float *from = job->tiles + (size_t)tile * (size_t)(block * block) * job->stride + state;
    VALUE x[QN_SUBSTITUTE_SIDES_MAX][BLOCK_MOST];
    NAME(load_rows)(job, state, x, number);
    for (int k = 0; k < block; k++)
        for (int i = 0; i < block; i++, from += job->stride) {
            const VALUE value = SPLAT(-1.0f) * LOAD(from);
            for (int v = 0; v < job->sides; v++) sum[v][k] = FMA(value, x[v][i], sum[v][k]);
        }
}

static void NAME(gather_forward)(const side_job *job, size_t state, int tile)
{
    const int first = job->gather_start[tile], end = job->gather_start[tile + 1];
    VALUE total[QN_SUBSTITUTE_SIDES_MAX][BLOCK_MOST];
    NAME(load_rows)(job, state, total, tile);
    for (int part = 0; part < QN_SUBSTITUTE_PARTS; part++) {
        VALUE sum[QN_SUBSTITUTE_SIDES_MAX][BLOCK_MOST];
        NAME(clear)(job, sum);
        for (int r = first + part; r < end; r += QN_SUBSTITUTE_PARTS)
            for (int t = 0; t < job->gathers[4 * r + 1]; t++)
                NAME(subtract_forward)(job, state, sum, job->gathers[4 * r] + t, job->gathers[4 * r + 2] + t);
        NAME(add)(job, total, sum);
    }
    NAME(store_rows)(job, state, total, tile);
}

static void NAME(gather_backward)(const side_job *job, size_t state, int tile)
{
    const int *panel = job->panels + (size_t)job->tile_panel[tile] * QN_PANEL_INTS;
    const int columns = panel[QN_PANEL_COLUMNS], own = columns * (columns + 1) / 2;
    const int store = panel[QN_PANEL_STORE] + own + tile - panel[QN_PANEL_TILE];
    VALUE total[QN_SUBSTITUTE_SIDES_MAX][BLOCK_MOST];
    NAME(load_rows)(job, state, total, tile);
    for (int i = 0; i < job->block; i++)
        for (int v = 0; v < job->sides && job->signs[tile] >> i & 1; v++) total[v][i] = SPLAT(-1.0f) * total[v][i];
    for (int part = 0; part < QN_SUBSTITUTE_PARTS; part++) {
        VALUE sum[QN_SUBSTITUTE_SIDES_MAX][BLOCK_MOST];
        NAME(clear)(job, sum);
        for (int b = part; b < panel[QN_PANEL_BELOW]; b += QN_SUBSTITUTE_PARTS)
            NAME(subtract_backward)(job, state, sum, store + b * columns, job->below[panel[QN_PANEL_ROWS] + b]);
        NAME(add)(job, total, sum);
    }
    NAME(store_rows)(job, state, total, tile);
}

static void NAME(solve_forward)(const side_job *job, size_t state, const int *panel)
{
    const int block = job->block, columns = panel[QN_PANEL_COLUMNS], number = panel[QN_PANEL_TILE];
    VALUE sum[QN_SUBSTITUTE_SIDES_MAX][BLOCK_MOST];
    for (int r = 0; r < columns; r++) {
        const float *diagonal = job->diagonals + (size_t)(number + r) * (size_t)(block * block) * job->stride + state;
        NAME(load_rows)(job, state, sum, number + r);
        for (int k = 0; k < r; k++)
            NAME(subtract_forward)(job, state, sum, panel[QN_PANEL_STORE] + r * (r + 1) / 2 + k, number + k);
        for (int j = 0; j < block; j++)
            for (int v = 0; v < job->sides; v++) {
                sum[v][j] = sum[v][j] * LOAD(diagonal + (size_t)(j * block + j) * job->stride);
                for (int i = j + 1; i < block; i++)
                    sum[v][i] = FMA(SPLAT(-1.0f) * LOAD(diagonal + (size_t)(j * block + i) * job->stride), sum[v][j],
                                    sum[v][i]);
            }
        NAME(store_rows)(job, state, sum, number + r);
    }
}

static void NAME(solve_backward)(const side_job *job, size_t state, const int *panel)
{
    const int block = job->block, columns = panel[QN_PANEL_COLUMNS], number = panel[QN_PANEL_TILE];
    VALUE sum[QN_SUBSTITUTE_SIDES_MAX][BLOCK_MOST];
    for (int c = columns - 1; c >= 0; c--) {
        const float *diagonal = job->diagonals + (size_t)(number + c) * (size_t)(block * block) * job->stride + state;
        NAME(load_rows)(job, state, sum, number + c);
        for (int r = columns - 1; r > c; r--)
            NAME(subtract_backward)(job, state, sum, panel[QN_PANEL_STORE] + r * (r + 1) / 2 + c, number + r);
        for (int j = block - 1; j >= 0; j--)
            for (int v = 0; v < job->sides; v++) {
                for (int i = block - 1; i > j; i--)
                    sum[v][j] = FMA(SPLAT(-1.0f) * LOAD(diagonal + (size_t)(j * block + i) * job->stride), sum[v][i],
                                    sum[v][j]);
                sum[v][j] = sum[v][j] * LOAD(diagonal + (size_t)(j * block + j) * job->stride);
            }
        NAME(store_rows)(job, state, sum, number + c);
    }
}

static void NAME(run)(const side_job *job, size_t state, int kernel, int piece)
{
    switch (kernel) {
    case GATHER_FORWARD: NAME(gather_forward)(job, state, piece); return;
    case GATHER_BACKWARD: NAME(gather_backward)(job, state, piece); return;
    case SOLVE_FORWARD: NAME(solve_forward)(job, state, job->panels + (size_t)piece * QN_PANEL_INTS); return;
    default: NAME(solve_backward)(job, state, job->panels + (size_t)piece * QN_PANEL_INTS); return;
    }
}

#undef VALUE
#undef NAME
#undef LOAD
#undef STORE
#undef SPLAT
#undef FMA

#include "deform/factor/schedule.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Panels and tiles in the order of places, while a schedule is built. */
typedef struct draft {
    const qn_factor_plan *plan;
    qn_factor_schedule *schedule;
    int *panel_front, *panel_first; /* front; first tile (in order of places) */
    int *panel_columns, *panel_level, *panel_number;
    int *tile_panel;     /* of each tile in order of places */
    int *front_tile;     /* first tile of a front; one more at the end */
    size_t *front_below; /* first row of a front in `below`; one more at the end */
    int *below;          /* tiles of the rows below a front */
    int *position;       /* scratch: row of a tile in a panel */
} draft;

static void draft_release(draft *d)
{
    qn_release(&d->panel_front);
    qn_release(&d->panel_first);
    qn_release(&d->panel_columns);
    qn_release(&d->panel_level);
    qn_release(&d->panel_number);
    qn_release(&d->tile_panel);
    qn_release(&d->front_tile);
    qn_release(&d->front_below);
    qn_release(&d->below);
    qn_release(&d->position);
}

static qn_status allocate_ints(size_t count, int **ints)
{
    void *memory;
    if (count > INT32_MAX)
        return QN_FAIL(QN_UNSUPPORTED, "the schedule of a factor has a list of %zu numbers; expected at most %d", count,
                       INT32_MAX);
    QN_TRY(qn_allocate(count + 1, sizeof(int), &memory)); /* a buffer is never empty */
    *ints = memory;
    return QN_OK;
}

static int triangle(int n)
{
    return n * (n + 1) / 2;
}

/* ---- panels ---- */

static qn_status cut_fronts(draft *d)
{
    qn_factor_schedule *s = d->schedule;
    const qn_factor_plan *plan = d->plan;
    QN_TRY(allocate_ints(plan->front_count + 1, &d->front_tile));
    for (size_t f = 0; f < plan->front_count; f++) {
        const int tiles = ((int)plan->fronts[f].width + s->block - 1) / s->block;
        d->front_tile[f + 1] = d->front_tile[f] + tiles;
        s->panel_count += (tiles + s->panel_tiles - 1) / s->panel_tiles;
    }
    s->tile_count = d->front_tile[plan->front_count];
    QN_TRY(allocate_ints((size_t)s->panel_count, &d->panel_front));
    QN_TRY(allocate_ints((size_t)s->panel_count, &d->panel_first));
    QN_TRY(allocate_ints((size_t)s->panel_count, &d->panel_columns));
    QN_TRY(allocate_ints((size_t)s->panel_count, &d->panel_level));
    QN_TRY(allocate_ints((size_t)s->panel_count, &d->panel_number));
    QN_TRY(allocate_ints((size_t)s->tile_count, &d->tile_panel));
    QN_TRY(allocate_ints((size_t)s->tile_count, &d->position));
    int p = 0;
    for (size_t f = 0; f < plan->front_count; f++)
        for (int t = d->front_tile[f]; t < d->front_tile[f + 1]; t += s->panel_tiles, p++) {
            const int left = d->front_tile[f + 1] - t;
            d->panel_front[p] = (int)f;
            d->panel_first[p] = t;
            d->panel_columns[p] = left < s->panel_tiles ? left : s->panel_tiles;
            for (int k = 0; k < d->panel_columns[p]; k++) d->tile_panel[t + k] = p;
        }
    return QN_OK;
}

/* Tiles of the rows below each front, ascending. */
static qn_status find_below(draft *d)
{
    const qn_factor_plan *plan = d->plan;
    const int block = d->schedule->block;
    void *memory;
    size_t rows = 0, next = 0;
    for (size_t f = 0; f < plan->front_count; f++) rows += plan->fronts[f].below;
    QN_TRY(allocate_ints(rows, &d->below));
    QN_TRY(qn_allocate(plan->front_count + 1, sizeof(size_t), &memory));
    d->front_below = memory;
    for (size_t f = 0; f < plan->front_count; f++) {
        const qn_factor_front *front = &plan->fronts[f];
        size_t other = front->parent;
        d->front_below[f] = next;
        for (uint32_t i = 0; i < front->below; i++) {
            const uint32_t place = plan->row[front->rows + i];
            while (place >= plan->fronts[other].first + plan->fronts[other].width) other = plan->fronts[other].parent;
            const int tile = d->front_tile[other] + (int)(place - plan->fronts[other].first) / block;
            if (next == d->front_below[f] || d->below[next - 1] != tile) d->below[next++] = tile;
        }
    }
    d->front_below[plan->front_count] = next;
    return QN_OK;
}

/* Rows below panel p: the later tiles of its front, then those below the front. */
static int rows_below(const draft *d, int p)
{
    const int f = d->panel_front[p];
    return d->front_tile[f + 1] - (d->panel_first[p] + d->panel_columns[p]) +
           (int)(d->front_below[f + 1] - d->front_below[f]);
}

static int row_below(const draft *d, int p, int row)
{
    const int f = d->panel_front[p], after = d->panel_first[p] + d->panel_columns[p];
    const int own = d->front_tile[f + 1] - after;
    return row < own ? after + row : d->below[d->front_below[f] + (size_t)(row - own)];
}

/* Levels, and the numbers of panels by level. */
static qn_status find_levels(draft *d)
{
    qn_factor_schedule *s = d->schedule;
    for (int p = 0; p < s->panel_count; p++) {
        if (d->panel_level[p] >= s->level_count) s->level_count = d->panel_level[p] + 1;
        if (rows_below(d, p) == 0) continue;
        int *above = &d->panel_level[d->tile_panel[row_below(d, p, 0)]];
        if (*above <= d->panel_level[p]) *above = d->panel_level[p] + 1;
    }
    const size_t levels = (size_t)s->level_count + 1;
    QN_TRY(allocate_ints(levels, &s->level_panel));
    QN_TRY(allocate_ints(levels, &s->level_tile));
    QN_TRY(allocate_ints(levels, &s->level_store));
    QN_TRY(allocate_ints(levels, &s->level_row));
    for (int p = 0; p < s->panel_count; p++) s->level_panel[d->panel_level[p] + 1]++;
    for (int l = 0; l < s->level_count; l++) s->level_panel[l + 1] += s->level_panel[l];
    for (int p = 0; p < s->panel_count; p++) d->panel_number[p] = s->level_panel[d->panel_level[p]]++;
    for (int l = s->level_count; l > 0; l--) s->level_panel[l] = s->level_panel[l - 1];
    s->level_panel[0] = 0;
    return QN_OK;
}

/* Numbers of tiles, stored tiles and rows follow those of the panels. */
static qn_status number_panels(draft *d)
{
    qn_factor_schedule *s = d->schedule;
    size_t stored = 0, rows = 0;
    int tile = 0, level = 0;
    QN_TRY(allocate_ints((size_t)s->panel_count * QN_PANEL_INTS, &s->panels));
    for (int p = 0; p < s->panel_count; p++) {
        int *panel = s->panels + (size_t)d->panel_number[p] * QN_PANEL_INTS;
        const int f = d->panel_front[p];
        panel[QN_PANEL_PLACE] = (int)d->plan->fronts[f].first + (d->panel_first[p] - d->front_tile[f]) * s->block;
        panel[QN_PANEL_COLUMNS] = d->panel_columns[p];
        panel[QN_PANEL_BELOW] = rows_below(d, p);
    }
    for (int n = 0; n < s->panel_count; n++) {
        int *panel = s->panels + (size_t)n * QN_PANEL_INTS;
        const int columns = panel[QN_PANEL_COLUMNS];
        panel[QN_PANEL_TILE] = tile;
        panel[QN_PANEL_STORE] = (int)stored;
        panel[QN_PANEL_ROWS] = (int)rows;
        tile += columns;
        stored += (size_t)triangle(columns) + (size_t)columns * (size_t)panel[QN_PANEL_BELOW];
        rows += (size_t)panel[QN_PANEL_BELOW];
        if (stored > INT32_MAX / ((size_t)s->block * (size_t)s->block))
            return QN_FAIL(QN_UNSUPPORTED, "a factor of %zu values or more; batched factors have at most %d", stored,
                           INT32_MAX);
        while (level < s->level_count && n + 1 == s->level_panel[level + 1]) {
            level++;
            s->level_tile[level] = tile;
            s->level_store[level] = (int)stored;
            s->level_row[level] = (int)rows;
        }
    }
    s->stored_count = (int)stored;
    s->row_count = (int)rows;
    return QN_OK;
}

static int *panel_of(const draft *d, int p)
{
    return d->schedule->panels + (size_t)d->panel_number[p] * QN_PANEL_INTS;
}

/* Number of a tile. */
static int number_of(const draft *d, int tile)
{
    const int p = d->tile_panel[tile];
    return panel_of(d, p)[QN_PANEL_TILE] + tile - d->panel_first[p];
}

/* Stored tile of row `row` of a panel, counted from its own rows on, and its column k. */
static int stored_tile(const int *panel, int row, int k)
{
    const int columns = panel[QN_PANEL_COLUMNS];
    const int before = row < columns ? triangle(row) : triangle(columns) + (row - columns) * columns;
    return panel[QN_PANEL_STORE] + before + k;
}

static qn_status fill_rows(draft *d)
{
    qn_factor_schedule *s = d->schedule;
    const qn_factor_plan *plan = d->plan;
    QN_TRY(allocate_ints((size_t)s->row_count, &s->below));
    QN_TRY(allocate_ints((size_t)s->row_count, &s->row_panel));
    QN_TRY(allocate_ints((size_t)s->tile_count, &s->signs));
    QN_TRY(allocate_ints((size_t)s->tile_count, &s->tile_panel));
    QN_TRY(allocate_ints((size_t)s->tile_count * (size_t)s->block, &s->freedoms));
    for (int p = 0; p < s->panel_count; p++) {
        const int *panel = panel_of(d, p);
        const qn_factor_front *front = &plan->fronts[d->panel_front[p]];
        for (int b = 0; b < panel[QN_PANEL_BELOW]; b++) {
            s->below[panel[QN_PANEL_ROWS] + b] = number_of(d, row_below(d, p, b));
            s->row_panel[panel[QN_PANEL_ROWS] + b] = d->panel_number[p];
        }
        for (int k = 0; k < panel[QN_PANEL_COLUMNS]; k++) s->tile_panel[panel[QN_PANEL_TILE] + k] = d->panel_number[p];
        for (int i = 0; i < panel[QN_PANEL_COLUMNS] * s->block; i++) {
            const uint32_t place = (uint32_t)(panel[QN_PANEL_PLACE] + i);
            const int tile = panel[QN_PANEL_TILE] + i / s->block;
            const bool padding = place >= front->first + front->width;
            s->freedoms[tile * s->block + i % s->block] = padding ? -1 : (int)plan->freedom[place];
            if (!padding && plan->sign[place] < 0) s->signs[tile] |= 1 << i % s->block;
        }
    }
    return QN_OK;
}

/* ---- values of K ---- */

static void map_front(draft *d, const uint32_t *front_of, size_t f, size_t end)
{
    const qn_factor_plan *plan = d->plan;
    qn_factor_schedule *s = d->schedule;
    const qn_factor_front *front = &plan->fronts[f];
    int filled = -1;
    for (size_t e = front->entries; e < end; e++) {
        uint32_t row, column;
        qn_factor_entry_places(plan, front, plan->entry[e].place, &row, &column);
        const qn_factor_front *other = &plan->fronts[front_of[row]];
        const int tile_column = d->front_tile[f] + (int)(column - front->first) / s->block;
        const int tile_row = d->front_tile[front_of[row]] + (int)(row - other->first) / s->block;
        const int p = d->tile_panel[tile_column];
        if (p != filled) {
            for (int r = 0; r < d->panel_columns[p]; r++) d->position[d->panel_first[p] + r] = r;
            for (int b = 0; b < rows_below(d, p); b++) d->position[row_below(d, p, b)] = d->panel_columns[p] + b;
            filled = p;
        }
        const int tile = stored_tile(panel_of(d, p), d->position[tile_row], tile_column - d->panel_first[p]);
        const int i = (int)(row - other->first) % s->block, k = (int)(column - front->first) % s->block;
        s->map[(size_t)tile * (size_t)(s->block * s->block) + (size_t)(k * s->block + i)] = (int)plan->entry[e].value;
    }
}

static qn_status fill_map(draft *d)
{
    const qn_factor_plan *plan = d->plan;
    qn_factor_schedule *s = d->schedule;
    const size_t values = (size_t)s->block * (size_t)s->block;
    void *memory;
    QN_TRY(allocate_ints((size_t)s->stored_count * values, &s->map));
    for (size_t v = 0; v < (size_t)s->stored_count * values; v++) s->map[v] = -1;
    QN_TRY(qn_allocate(plan->free_count, sizeof(uint32_t), &memory));
    uint32_t *front_of = memory;
    for (uint32_t f = 0; f < plan->front_count; f++)
        for (uint32_t k = 0; k < plan->fronts[f].width; k++) front_of[plan->fronts[f].first + k] = f;
    for (size_t f = 0; f < plan->front_count; f++)
        map_front(d, front_of, f, f + 1 < plan->front_count ? plan->fronts[f + 1].entries : plan->entry_count);
    qn_release(&front_of);
    for (int n = 0; n < s->panel_count; n++) {
        const int *panel = s->panels + (size_t)n * QN_PANEL_INTS;
        for (int i = 0; i < panel[QN_PANEL_COLUMNS] * s->block; i++) {
            const int r = i / s->block, k = i % s->block;
            if (s->freedoms[panel[QN_PANEL_TILE] * s->block + i] >= 0) continue;
            s->map[(size_t)stored_tile(panel, r, r) * values + (size_t)(k * s->block + k)] = -2;
        }
    }
    return QN_OK;
}

/* ---- runs ---- */

/* Call for each pair of rows (x ≥ y) below panel p: a run of the stored tile of (row x, column row y). Counts while
 * s->runs is NULL. */
static void runs_of_panel(draft *d, int p)
{
    qn_factor_schedule *s = d->schedule;
    const int *panel = panel_of(d, p), below = panel[QN_PANEL_BELOW], columns = panel[QN_PANEL_COLUMNS];
    int filled = -1;
    for (int y = 0; y < below; y++) {
        const int column = row_below(d, p, y), q = d->tile_panel[column];
        if (q != filled) {
            for (int r = 0; r < d->panel_columns[q]; r++) d->position[d->panel_first[q] + r] = r;
            for (int b = 0; b < rows_below(d, q); b++) d->position[row_below(d, q, b)] = d->panel_columns[q] + b;
            filled = q;
        }
        for (int x = y; x < below; x++) {
            const int target = stored_tile(panel_of(d, q), d->position[row_below(d, p, x)], column - d->panel_first[q]);
            if (s->runs) {
                int *run = s->runs + (size_t)s->run_start[target] * 4;
                run[0] = stored_tile(panel, columns + x, 0);
                run[1] = stored_tile(panel, columns + y, 0);
                run[2] = columns;
                run[3] = panel[QN_PANEL_TILE];
            }
            s->run_start[target]++;
        }
    }
}

static void gathers_of_panel(draft *d, int p)
{
    qn_factor_schedule *s = d->schedule;
    const int *panel = panel_of(d, p), columns = panel[QN_PANEL_COLUMNS];
    for (int b = 0; b < panel[QN_PANEL_BELOW]; b++) {
        const int tile = s->below[panel[QN_PANEL_ROWS] + b];
        if (s->gathers) {
            int *gather = s->gathers + (size_t)s->gather_start[tile] * 4;
            gather[0] = stored_tile(panel, columns + b, 0);
            gather[1] = columns;
            gather[2] = panel[QN_PANEL_TILE];
        }
        s->gather_start[tile]++;
    }
}

/* Counts become the first index of each; the number of all is returned. */
static size_t counts_to_starts(int *counts, int count)
{
    size_t sum = 0;
    for (int i = 0; i < count; i++) {
        const int here = counts[i];
        counts[i] = (int)sum;
        sum += (size_t)here;
    }
    return sum;
}

/* After filling, start i is the end of i: move them by one. */
static void ends_to_starts(int *starts, int count)
{
    memmove(starts + 1, starts, (size_t)count * sizeof(int));
    starts[0] = 0;
}

static qn_status fill_runs(draft *d)
{
    qn_factor_schedule *s = d->schedule;
    QN_TRY(allocate_ints((size_t)s->stored_count + 1, &s->run_start));
    QN_TRY(allocate_ints((size_t)s->tile_count + 1, &s->gather_start));
    for (int p = 0; p < s->panel_count; p++) runs_of_panel(d, p);
    for (int p = 0; p < s->panel_count; p++) gathers_of_panel(d, p);
    const size_t runs = counts_to_starts(s->run_start, s->stored_count);
    const size_t gathers = counts_to_starts(s->gather_start, s->tile_count);
    QN_TRY(allocate_ints(4 * runs, &s->runs));
    QN_TRY(allocate_ints(4 * gathers, &s->gathers));
    s->run_count = (int)runs;
    for (int p = 0; p < s->panel_count; p++) runs_of_panel(d, p);
    for (int p = 0; p < s->panel_count; p++) gathers_of_panel(d, p);
    ends_to_starts(s->run_start, s->stored_count);
    ends_to_starts(s->gather_start, s->tile_count);
    return QN_OK;
}

/* ---- walks ---- */

/* Panel above panel n; −1: none. */
static int panel_above(const qn_factor_schedule *s, int n)
{
    const int *panel = s->panels + (size_t)n * QN_PANEL_INTS;
    return panel[QN_PANEL_BELOW] > 0 ? s->tile_panel[s->below[panel[QN_PANEL_ROWS]]] : -1;
}

/* Subtrees of the lower levels; those with the highest roots come first. */
static qn_status fill_walks(draft *d)
{
    qn_factor_schedule *s = d->schedule;
    if (s->walk_levels > s->level_count) s->walk_levels = s->level_count;
    const int panels = s->level_panel[s->walk_levels];
    int *walk = d->panel_number; /* no longer needed */
    QN_TRY(allocate_ints((size_t)panels + 1, &s->walk_start));
    QN_TRY(allocate_ints((size_t)panels, &s->walk_panel));
    for (int n = panels; n-- > 0;) {
        const int above = panel_above(s, n);
        walk[n] = above >= 0 && above < panels ? walk[above] : s->walk_count++;
        s->walk_start[walk[n]]++;
    }
    counts_to_starts(s->walk_start, s->walk_count);
    for (int n = 0; n < panels; n++) s->walk_panel[s->walk_start[walk[n]]++] = n;
    ends_to_starts(s->walk_start, s->walk_count);
    return QN_OK;
}

static qn_status build(draft *d)
{
    QN_TRY(cut_fronts(d));
    QN_TRY(find_below(d));
    QN_TRY(find_levels(d));
    QN_TRY(number_panels(d));
    QN_TRY(fill_rows(d));
    QN_TRY(fill_map(d));
    QN_TRY(fill_runs(d));
    return fill_walks(d);
}

qn_status qn_factor_schedule_create(const qn_factor_plan *plan, int block, int panel_tiles, int walk_levels,
                                    qn_factor_schedule **schedule)
{
    void *memory;
    *schedule = NULL;
    QN_TRY(qn_allocate(1, sizeof(qn_factor_schedule), &memory));
    *schedule = memory;
    **schedule = (qn_factor_schedule){.block = block,
                                      .panel_tiles = panel_tiles,
                                      .levels = walk_levels,
                                      .walk_levels = walk_levels,
                                      .freedom_count = (int)plan->freedom_count,
                                      .value_count = (int)plan->pattern_values,
                                      .multiply_adds = plan->multiply_adds,
                                      .plan_values = (double)plan->value_count};
    draft d = {.plan = plan, .schedule = *schedule};
    const qn_status status = build(&d);
    draft_release(&d);
    if (status != QN_OK) qn_factor_schedule_destroy(schedule);
    return status;
}

void qn_factor_schedule_destroy(qn_factor_schedule **schedule)
{
    qn_factor_schedule *s = *schedule;
    if (!s) return;
    qn_release(&s->level_panel);
    qn_release(&s->level_tile);
    qn_release(&s->level_store);
    qn_release(&s->level_row);
    qn_release(&s->panels);
    qn_release(&s->signs);
    qn_release(&s->freedoms);
    qn_release(&s->tile_panel);
    qn_release(&s->below);
    qn_release(&s->row_panel);
    qn_release(&s->map);
    qn_release(&s->run_start);
    qn_release(&s->runs);
    qn_release(&s->gather_start);
    qn_release(&s->gathers);
    qn_release(&s->walk_start);
    qn_release(&s->walk_panel);
    qn_release(schedule);
}

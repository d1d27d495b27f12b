#include "deform/factor/kernels/substitute.h"

/* Row or column i of tile `tile` in x; −1: padding. */
static int freedom_of(const qn_factor_schedule *s, int tile, int i)
{
    return s->freedoms[tile * s->block + i];
}

static double value_at(const qn_factor_schedule *s, const double *array, int tile, int i, int k)
{
    return array[((size_t)tile * (size_t)s->block + (size_t)k) * (size_t)s->block + (size_t)i];
}

/* Walk over the values of panel p: own rows (stored tiles and diagonal ones), then rows below. Forward: rows from what
 * columns hold; else columns from what rows hold. */
static void apply_panel(const qn_factor_schedule *s, int p, const double *tiles, double *x, int r, int c, bool forward)
{
    const int *panel = s->panels + (size_t)p * QN_PANEL_INTS;
    const int columns = panel[QN_PANEL_COLUMNS], own = columns * (columns + 1) / 2;
    const int store = panel[QN_PANEL_STORE] + (r < columns ? r * (r + 1) / 2 : own + (r - columns) * columns) + c;
    const int row = r < columns ? panel[QN_PANEL_TILE] + r : s->below[panel[QN_PANEL_ROWS] + r - columns];
    for (int i = 0; i < s->block; i++)
        for (int k = 0; k < s->block; k++) {
            const int f = freedom_of(s, row, i), g = freedom_of(s, panel[QN_PANEL_TILE] + c, k);
            if (f < 0 || g < 0) continue;
            if (forward)
                x[f] -= value_at(s, tiles, store, i, k) * x[g];
            else
                x[g] -= value_at(s, tiles, store, i, k) * x[f];
        }
}

static void solve_tile(const qn_factor_schedule *s, int tile, const double *diagonals, double *x, bool forward)
{
    for (int each = 0; each < s->block; each++) {
        const int k = forward ? each : s->block - 1 - each, g = freedom_of(s, tile, k);
        if (g < 0) continue;
        x[g] *= value_at(s, diagonals, tile, k, k);
        for (int i = 0; i < s->block; i++) {
            const int f = freedom_of(s, tile, i);
            if (f < 0 || (forward ? i <= k : i >= k)) continue;
            x[f] -= (forward ? value_at(s, diagonals, tile, i, k) : value_at(s, diagonals, tile, k, i)) * x[g];
        }
    }
}

void qn_substitute_states_reference(const qn_factor_schedule *schedule, const double *tiles, const double *diagonals,
                                    double *x)
{
    const qn_factor_schedule *s = schedule;
    for (int p = 0; p < s->panel_count; p++) {
        const int *panel = s->panels + (size_t)p * QN_PANEL_INTS;
        for (int c = 0; c < panel[QN_PANEL_COLUMNS]; c++) {
            solve_tile(s, panel[QN_PANEL_TILE] + c, diagonals, x, true);
            for (int r = c + 1; r < panel[QN_PANEL_COLUMNS] + panel[QN_PANEL_BELOW]; r++)
                apply_panel(s, p, tiles, x, r, c, true);
        }
    }
    for (int v = 0; v < s->tile_count * s->block; v++)
        if (s->freedoms[v] >= 0 && s->signs[v / s->block] >> v % s->block & 1) x[s->freedoms[v]] = -x[s->freedoms[v]];
    for (int p = s->panel_count; p-- > 0;) {
        const int *panel = s->panels + (size_t)p * QN_PANEL_INTS;
        for (int c = panel[QN_PANEL_COLUMNS]; c-- > 0;) {
            for (int r = c + 1; r < panel[QN_PANEL_COLUMNS] + panel[QN_PANEL_BELOW]; r++)
                apply_panel(s, p, tiles, x, r, c, false);
            solve_tile(s, panel[QN_PANEL_TILE] + c, diagonals, x, false);
        }
    }
}

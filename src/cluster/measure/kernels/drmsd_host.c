/* dRMSD on processor cores: panels of structures are dealt to the pool. */
#include <string.h>

#include "base/error.h"
#include "base/thread_pool.h"
#include "cluster/measure/kernels/drmsd.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "cluster/measure/kernels/drmsd.dev.h"
#include "cluster/measure/kernels/panel_sums_host.h"

enum { PAIRS_OF_A_TASK = 128 };

/* ---- pack ---- */

static qn_status pack_panel(size_t panel, int worker, void *user)
{
    const qn_host_launch *launch = user;
    const pack_scalars *s = launch->arguments[PACK_SCALARS];
    const size_t rows = (size_t)s->rows, first = panel * DRMSD_PANEL;
    const float *positions = launch->arguments[PACK_POSITIONS];
    float *to = (float *)launch->arguments[PACK_PANELS] + panel * rows * DRMSD_PANEL;
    (void)worker;
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < DRMSD_PANEL; i++)
            to[row * DRMSD_PANEL + i] = first + i < (size_t)s->count ? positions[(first + i) * rows + row] : 0;
    return QN_OK;
}

static qn_status pack(const qn_host_launch *launch)
{
    const pack_scalars *s = launch->arguments[PACK_SCALARS];
    return qn_pool_run(launch->pool, panel_count(s->count), pack_panel, (void *)launch);
}

/* ---- measure ---- */

/* Distances of one pair of atoms for a panel of structures. */
static void measure_pair(const float *restrict a, const float *restrict b, size_t axis_step, float weight,
                         float *restrict to)
{
#pragma omp simd
    for (int i = 0; i < DRMSD_PANEL; i++) {
        const float dx = a[i] - b[i];
        const float dy = a[axis_step + (size_t)i] - b[axis_step + (size_t)i];
        const float dz = a[2 * axis_step + (size_t)i] - b[2 * axis_step + (size_t)i];
        to[i] = SQRT(fused(dz, dz, fused(dy, dy, dx * dx))) * weight;
    }
}

static qn_status measure_pairs(size_t index, int worker, void *user)
{
    const qn_host_launch *launch = user;
    const measure_scalars *s = launch->arguments[MEASURE_SCALARS];
    const size_t panel = index % (size_t)s->panels, axis_step = (size_t)s->atoms * DRMSD_PANEL;
    const int first = (int)(index / (size_t)s->panels) * PAIRS_OF_A_TASK;
    const int end = MIN(first + PAIRS_OF_A_TASK, s->slice);
    const float *x = (const float *)launch->arguments[MEASURE_PANELS] + panel * 3 * axis_step;
    const float *weights = launch->arguments[MEASURE_WEIGHTS];
    float *to =
        (float *)launch->arguments[MEASURE_DISTANCES] + (panel * (size_t)s->slice + (size_t)first) * DRMSD_PANEL;
    int a = 0, b = 1;
    (void)worker;
    if (s->first_pair + first < s->end_pair) drmsd_find_pair(s->first_pair + first, s->atoms, &a, &b);
    for (int k = first; k < end; k++, to += DRMSD_PANEL) {
        if (s->first_pair + k >= s->end_pair) {
            memset(to, 0, DRMSD_PANEL * sizeof *to);
            continue;
        }
        measure_pair(x + (size_t)a * DRMSD_PANEL, x + (size_t)b * DRMSD_PANEL, axis_step, weights[a] * weights[b], to);
        if (++b == s->atoms) b = ++a + 1;
    }
    return QN_OK;
}

static qn_status measure(const qn_host_launch *launch)
{
    const measure_scalars *s = launch->arguments[MEASURE_SCALARS];
    const size_t tasks = ((size_t)s->slice + PAIRS_OF_A_TASK - 1) / PAIRS_OF_A_TASK;
    return qn_pool_run(launch->pool, tasks * (size_t)s->panels, measure_pairs, (void *)launch);
}

/* ---- compare ---- */

static void store(const compare_scalars *s, size_t first_row, size_t first_column, const float *sums, float *values)
{
    for (size_t r = 0; r < DRMSD_PANEL && first_row + r < (size_t)s->row_count; r++) {
        float *line = values + (first_row + r) * (size_t)s->column_count;
        for (size_t c = 0; c < DRMSD_PANEL && first_column + c < (size_t)s->column_count; c++) {
            const float sum = sums[r * DRMSD_PANEL + c], total = s->first ? sum : line[first_column + c] + sum;
            line[first_column + c] = s->last ? SQRT(total * s->reciprocal) : total;
        }
    }
}

static qn_status compare_panels(size_t index, int worker, void *user)
{
    const qn_host_launch *launch = user;
    const compare_scalars *s = launch->arguments[COMPARE_SCALARS];
    const size_t across = panel_count(s->column_count), row = index / across, column = index % across;
    const size_t panel_floats = (size_t)s->slice * DRMSD_PANEL;
    const float *rows = (const float *)launch->arguments[COMPARE_ROWS] + row * panel_floats;
    const float *columns = (const float *)launch->arguments[COMPARE_COLUMNS] + column * panel_floats;
    float sums[DRMSD_PANEL * DRMSD_PANEL] = {0};
    (void)worker;
    if (s->diagonal && row > column) return QN_OK;
    add_panels(rows, columns, s->slice, false, sums);
    store(s, row * DRMSD_PANEL, column * DRMSD_PANEL, sums, launch->arguments[COMPARE_VALUES]);
    return QN_OK;
}

static qn_status compare(const qn_host_launch *launch)
{
    const compare_scalars *s = launch->arguments[COMPARE_SCALARS];
    const size_t panels = panel_count(s->row_count) * panel_count(s->column_count);
    return qn_pool_run(launch->pool, panels, compare_panels, (void *)launch);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_cluster_drmsd_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_cluster_drmsd_host)[] = {
    [QN_DRMSD_PACK] = pack, [QN_DRMSD_MEASURE] = measure, [QN_DRMSD_COMPARE] = compare};

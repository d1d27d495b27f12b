/* dRMSD by products on processor cores: panels of structures are dealt to the pool. */
#include "base/error.h"
#include "base/thread_pool.h"
#include "cluster/measure/kernels/drmsd_products.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "cluster/measure/kernels/drmsd.dev.h"
#include "cluster/measure/kernels/drmsd_products.dev.h"
#include "cluster/measure/kernels/panel_sums_host.h"

/* ---- centre ---- */

static qn_status centre_panel(size_t panel, int worker, void *user)
{
    const qn_host_launch *launch = user;
    const centre_scalars *s = launch->arguments[CENTRE_SCALARS];
    const int rows = s->slice / PRODUCTS_PARTS;
    const float *centre = launch->arguments[CENTRE_CENTRE];
    float *line = (float *)launch->arguments[CENTRE_DISTANCES] + panel * (size_t)s->slice * DRMSD_PANEL;
    float *norms = (float *)launch->arguments[CENTRE_NORMS] + panel * DRMSD_PANEL;
    (void)worker;
    for (int part = 0; part < PRODUCTS_PARTS; part++) {
        float sums[DRMSD_PANEL] = {0};
        for (int k = 0; k < rows; k++, line += DRMSD_PANEL, centre++) {
#pragma omp simd
            for (int i = 0; i < DRMSD_PANEL; i++) {
                line[i] -= *centre;
                sums[i] = fused(line[i], line[i], sums[i]);
            }
        }
        for (int i = 0; i < DRMSD_PANEL; i++) norms[i] = (s->first && part == 0 ? 0 : norms[i]) + sums[i];
    }
    return QN_OK;
}

static qn_status centre_all(const qn_host_launch *launch)
{
    const centre_scalars *s = launch->arguments[CENTRE_SCALARS];
    return qn_pool_run(launch->pool, (size_t)s->panels, centre_panel, (void *)launch);
}

/* ---- multiply ---- */

static float finish(const qn_host_launch *launch, float product, float norms, int pair)
{
    const multiply_scalars *s = launch->arguments[MULTIPLY_SCALARS];
    int *near = launch->arguments[MULTIPLY_NEAR];
    const float square = fused(-2.0f, product, norms);
    if (square < s->near_share * norms) {
        const int place = __atomic_fetch_add(near, 1, __ATOMIC_RELAXED);
        if (place < s->near_room) near[1 + place] = pair;
    }
    return SQRT(FMAX(square, 0.0f) * s->reciprocal);
}

static void store(const qn_host_launch *launch, size_t first_row, size_t first_column, const float *sums)
{
    const multiply_scalars *s = launch->arguments[MULTIPLY_SCALARS];
    const float *row_norms = launch->arguments[MULTIPLY_ROW_NORMS];
    const float *column_norms = launch->arguments[MULTIPLY_COLUMN_NORMS];
    float *values = launch->arguments[MULTIPLY_VALUES];
    for (size_t row = first_row; row < first_row + DRMSD_PANEL && row < (size_t)s->row_count; row++)
        for (size_t column = first_column; column < first_column + DRMSD_PANEL && column < (size_t)s->column_count;
             column++) {
            if (s->diagonal && row >= column) continue;
            const size_t place = row * (size_t)s->column_count + column;
            const float sum = sums[(row - first_row) * DRMSD_PANEL + column - first_column];
            const float total = s->first ? sum : values[place] + sum;
            values[place] = s->last ? finish(launch, total, row_norms[row] + column_norms[column], (int)place) : total;
        }
}

static qn_status multiply_panels(size_t index, int worker, void *user)
{
    const qn_host_launch *launch = user;
    const multiply_scalars *s = launch->arguments[MULTIPLY_SCALARS];
    const size_t across = panel_count(s->column_count), row = index / across, column = index % across;
    const size_t panel_floats = (size_t)s->slice * DRMSD_PANEL;
    float sums[DRMSD_PANEL * DRMSD_PANEL] = {0};
    (void)worker;
    if (s->diagonal && row > column) return QN_OK;
    add_panels((const float *)launch->arguments[MULTIPLY_ROWS] + row * panel_floats,
               (const float *)launch->arguments[MULTIPLY_COLUMNS] + column * panel_floats, s->slice, true, sums);
    store(launch, row * DRMSD_PANEL, column * DRMSD_PANEL, sums);
    return QN_OK;
}

static qn_status multiply(const qn_host_launch *launch)
{
    const multiply_scalars *s = launch->arguments[MULTIPLY_SCALARS];
    const size_t panels = panel_count(s->row_count) * panel_count(s->column_count);
    return qn_pool_run(launch->pool, panels, multiply_panels, (void *)launch);
}

/* ---- repeat ---- */

static float distance_of(const float *positions, int atoms, int a, int b)
{
    const float dx = positions[a] - positions[b];
    const float dy = positions[atoms + a] - positions[atoms + b];
    const float dz = positions[2 * atoms + a] - positions[2 * atoms + b];
    return SQRT(fused(dz, dz, fused(dy, dy, dx * dx)));
}

/* The second atoms are dealt to PRODUCTS_GROUP sums, which are added in pairs, as a group does it. */
static qn_status repeat_pair(size_t index, int worker, void *user)
{
    const qn_host_launch *launch = user;
    const repeat_scalars *s = launch->arguments[REPEAT_SCALARS];
    const int pair = ((const int *)launch->arguments[REPEAT_NEAR])[1 + index];
    const size_t floats = 3 * (size_t)s->atoms;
    const float *first = (const float *)launch->arguments[REPEAT_ROWS] + (size_t)(pair / s->column_count) * floats;
    const float *second = (const float *)launch->arguments[REPEAT_COLUMNS] + (size_t)(pair % s->column_count) * floats;
    const float *weights = launch->arguments[REPEAT_WEIGHTS];
    float parts[PRODUCTS_GROUP] = {0};
    (void)worker;
    for (int b = 1; b < s->atoms; b++) {
        float sum = 0;
        for (int a = 0; a < b; a++) {
            const float weight = weights[a] * weights[b];
            const float difference =
                weight * distance_of(first, s->atoms, a, b) - weight * distance_of(second, s->atoms, a, b);
            sum = fused(difference, difference, sum);
        }
        parts[(b - 1) % PRODUCTS_GROUP] += sum;
    }
    for (int half = PRODUCTS_GROUP / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++) parts[i] += parts[i + half];
    ((float *)launch->arguments[REPEAT_VALUES])[pair] = SQRT(parts[0] * s->reciprocal);
    return QN_OK;
}

static qn_status repeat(const qn_host_launch *launch)
{
    const repeat_scalars *s = launch->arguments[REPEAT_SCALARS];
    const int count = *(const int *)launch->arguments[REPEAT_NEAR];
    return qn_pool_run(launch->pool, (size_t)MIN(count, s->near_room), repeat_pair, (void *)launch);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_cluster_drmsd_products_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_cluster_drmsd_products_host)[] = {
    [QN_DRMSD_CENTRE] = centre_all, [QN_DRMSD_MULTIPLY] = multiply, [QN_DRMSD_REPEAT] = repeat};

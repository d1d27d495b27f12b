#include "cryoem/guinier.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "cryoem/grid_transform.h"
#include "cryoem/shells.h"

enum { LEAST_SHELLS = 5 };

/* Below this resolution amplitudes are those of the particle's shape, and above it of its atoms. */
static const double first_angstrom = 10;

void qn_guinier_destroy(qn_guinier **guinier)
{
    if (!*guinier) return;
    qn_release(&(*guinier)->square);
    qn_release(&(*guinier)->amplitude);
    qn_release(&(*guinier)->weighted);
    qn_release(guinier);
}

typedef struct power_call {
    int side;
    double *power;
} power_call;

static qn_status measure_power(void *const *addresses, qn_pool *pool, void *user)
{
    const power_call *call = user;
    return qn_shells_power(pool, call->side, addresses[1], call->power);
}

static qn_status compute_power(qn_context *context, const qn_volume *map, const qn_volume *mask, double *power)
{
    qn_grid_transform transform;
    power_call call = {map->counts[0], power};
    QN_TRY(qn_grid_transform_create(context, map->counts, 1, &transform));
    qn_status status = qn_grid_transform_fill(&transform, map->values, mask ? mask->values : NULL);
    if (status == QN_OK) status = qn_grid_transform_forward(&transform, 0);
    if (status == QN_OK) status = qn_grid_transform_use(&transform, measure_power, &call);
    qn_grid_transform_destroy(&transform);
    return status;
}

/* Fit a line by least squares to the shells from 10 Å to the resolution. */
static void fit_line(const qn_fsc *fsc, qn_guinier *guinier)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    size_t from = guinier->count, end = 0;
    for (size_t i = 0; i < guinier->count; i++) {
        const double d = 1 / sqrt(guinier->square[i]);
        if (d > first_angstrom || d < fsc->resolution_angstrom || !isfinite(guinier->weighted[i])) continue;
        if (i < from) from = i;
        end = i + 1;
        n++;
        x += guinier->square[i];
        y += guinier->weighted[i];
        xx += guinier->square[i] * guinier->square[i];
        xy += guinier->square[i] * guinier->weighted[i];
    }
    if (n < LEAST_SHELLS) return;
    const double slope = (n * xy - x * y) / (n * xx - x * x);
    guinier->fit_from = from;
    guinier->fit = end - from;
    guinier->intercept = (y - slope * x) / n;
    guinier->b_square_angstrom = -4 * slope;
}

static void fill(const double *power, double box_angstrom, const qn_fsc *fsc, qn_guinier *guinier)
{
    for (size_t i = 0; i < guinier->count; i++) {
        const double frequency = (double)(i + 1) / box_angstrom, of_shell = power[i + 1];
        guinier->square[i] = frequency * frequency;
        guinier->amplitude[i] = of_shell > 0 ? 0.5 * log(of_shell) : (double)NAN;
        if (!fsc) continue;
        const double agreement = fsc->corrected ? fsc->corrected[i + 1] : fsc->unmasked[i + 1];
        guinier->weighted[i] =
            agreement > 0 ? guinier->amplitude[i] + 0.5 * log(2 * agreement / (1 + agreement)) : (double)NAN;
    }
    if (fsc) fit_line(fsc, guinier);
}

static qn_status allocate(size_t count, bool with_fsc, qn_guinier **out)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_guinier *guinier = *out = memory;
    double **curves[] = {&guinier->square, &guinier->amplitude, &guinier->weighted};
    guinier->count = count;
    for (int k = 0; k < (with_fsc ? 3 : 2); k++) {
        QN_TRY(qn_allocate(count, sizeof(double), &memory));
        *curves[k] = memory;
    }
    return QN_OK;
}

qn_status qn_guinier_compute(qn_context *context, const qn_volume *map, const qn_volume *mask, const qn_fsc *fsc,
                             qn_guinier **guinier)
{
    const int shells = qn_shell_count(map->counts[0]);
    void *memory = NULL;
    *guinier = NULL;
    qn_status status = allocate((size_t)shells - 1, fsc != NULL, guinier);
    if (status == QN_OK) status = qn_allocate((size_t)shells, sizeof(double), &memory);
    double *power = memory;
    if (status == QN_OK) status = compute_power(context, map, mask, power);
    if (status == QN_OK) fill(power, map->counts[0] * map->voxel_angstrom[0], fsc, *guinier);
    qn_release(&memory);
    if (status != QN_OK) qn_guinier_destroy(guinier);
    return status;
}

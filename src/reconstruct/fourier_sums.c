#include "reconstruct/fourier_sums.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

size_t qn_fourier_sums_voxels(int side)
{
    return (size_t)side * (size_t)side * (size_t)(side / 2 + 1);
}

static qn_status clear_plane(size_t plane, int worker, void *user)
{
    const qn_fourier_sums *sums = user;
    const size_t numbers = (size_t)sums->side * (size_t)(sums->side / 2 + 1);
    (void)worker;
    memset(sums->numerator + 2 * plane * numbers, 0, 2 * numbers * sizeof(float));
    memset(sums->weight + plane * numbers, 0, numbers * sizeof(float));
    return QN_OK;
}

/* Without the zeros of qn_allocate, which one thread would write: the system gives memory page by page as it is
 * written, and a volume may have gigabytes. */
qn_status qn_fourier_sums_create(int side, qn_pool *pool, qn_fourier_sums *sums)
{
    const size_t voxels = qn_fourier_sums_voxels(side);
    void *numerator = NULL, *weight = NULL;
    size_t capacity = 0;
    *sums = (qn_fourier_sums){.side = side};
    QN_TRY(qn_grow(&numerator, &capacity, voxels, 2 * sizeof(float)));
    sums->numerator = numerator;
    capacity = 0;
    qn_status status = qn_grow(&weight, &capacity, voxels, sizeof(float));
    sums->weight = weight;
    if (status == QN_OK) status = qn_pool_run(pool, (size_t)side, clear_plane, sums);
    if (status != QN_OK) qn_fourier_sums_clear(sums);
    return status;
}

void qn_fourier_sums_clear(qn_fourier_sums *sums)
{
    qn_release(&sums->numerator);
    qn_release(&sums->weight);
    sums->side = 0;
}

void qn_fourier_sums_add(qn_fourier_sums *sums, const qn_fourier_sums *other)
{
    const size_t voxels = qn_fourier_sums_voxels(sums->side);
    assert(sums->side == other->side);
    for (size_t i = 0; i < 2 * voxels; i++) sums->numerator[i] += other->numerator[i];
    for (size_t i = 0; i < voxels; i++) sums->weight[i] += other->weight[i];
}

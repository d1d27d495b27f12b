#include "reconstruct/fourier_sums.h"

#include <assert.h>

#include "base/error.h"
#include "base/memory.h"

size_t qn_fourier_sums_voxels(int side)
{
    return (size_t)side * (size_t)side * (size_t)(side / 2 + 1);
}

qn_status qn_fourier_sums_create(int side, qn_fourier_sums *sums)
{
    const size_t voxels = qn_fourier_sums_voxels(side);
    void *numerator = NULL, *weight = NULL;
    QN_TRY(qn_allocate(voxels, 2 * sizeof(float), &numerator));
    qn_status status = qn_allocate(voxels, sizeof(float), &weight);
    if (status != QN_OK) qn_release(&numerator);
    *sums = (qn_fourier_sums){.side = side, .numerator = numerator, .weight = weight};
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

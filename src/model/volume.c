#include <quern/volume.h>

#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

qn_status qn_volume_create(const int counts[3], double voxel_angstrom, qn_volume **out)
{
    void *memory;
    *out = NULL;
    for (int k = 0; k < 3; k++)
        if (counts[k] < 1)
            return QN_FAIL(QN_INVALID_ARGUMENT, "a volume of %d x %d x %d voxels; expected 1 or more along each axis",
                           counts[0], counts[1], counts[2]);
    if (!(voxel_angstrom > 0 && voxel_angstrom < 1e6))
        return QN_FAIL(QN_INVALID_ARGUMENT, "a volume with voxels of %g Å; expected a size above 0", voxel_angstrom);
    const size_t plane = (size_t)counts[0] * (size_t)counts[1];
    if ((size_t)counts[2] > SIZE_MAX / sizeof(float) / plane)
        return QN_FAIL(QN_OUT_OF_MEMORY, "cannot allocate a volume of %d x %d x %d voxels", counts[0], counts[1],
                       counts[2]);
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_volume *volume = memory;
    qn_status status = qn_allocate(plane * (size_t)counts[2], sizeof *volume->values, &memory);
    if (status != QN_OK) {
        qn_release(&volume);
        return status;
    }
    volume->values = memory;
    for (int k = 0; k < 3; k++) {
        volume->counts[k] = counts[k];
        volume->voxel_angstrom[k] = voxel_angstrom;
    }
    *out = volume;
    return QN_OK;
}

void qn_volume_destroy(qn_volume **volume)
{
    if (!*volume) return;
    qn_release(&(*volume)->values);
    qn_release(&(*volume)->name);
    qn_release(volume);
}

/* Checks of volumes before computations. */
#ifndef QN_CRYOEM_VOLUME_CHECK_H
#define QN_CRYOEM_VOLUME_CHECK_H

#include <quern/volume.h>

#include "base/thread_pool.h"

/* Return the name of a volume, or `otherwise` if it has none. */
const char *qn_volume_name(const qn_volume *volume, const char *otherwise);

/* Find the smallest and the largest value. QN_BAD_FORMAT, naming volume and voxel, if a value is not finite. */
QN_MUST_CHECK qn_status qn_volume_range(qn_pool *pool, const qn_volume *volume, const char *name, float *low,
                                        float *high);

/* Check that two volumes are cubes of the same size, 4 … 16384 voxels along an edge, with the same voxel size within
 * 0.1 %, as a Fourier shell correlation requires. QN_INVALID_ARGUMENT naming the volumes. */
QN_MUST_CHECK qn_status qn_volume_check_halves(const qn_volume *const halves[2], const char *const names[2]);

/* Whether two sizes of voxels differ by more than 0.1 %. */
int qn_voxels_differ(double first_angstrom, double second_angstrom);

#endif

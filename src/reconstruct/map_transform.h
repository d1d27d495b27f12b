/* Inverse transform of a Fourier half volume. Only the middle of the result is computed.
 *
 * Only N of P planes, rows and columns of the result are needed. So lines along z are transformed first, and only the
 * needed planes are transformed along x and y. The half volume's own memory holds the intermediate results; the device
 * transforms a batch of lines or planes at a time. */
#ifndef QN_RECONSTRUCT_MAP_TRANSFORM_H
#define QN_RECONSTRUCT_MAP_TRANSFORM_H

#include <quern/fft.h>
#include <quern/volume.h>

#include "runtime/device.h"

typedef struct qn_map_transform {
    int side, map_side; /* P, N ≤ P */
    double limit;       /* values at |f| ≥ limit (voxels) count as 0; at most P / 2 */
    float *spectrum;    /* [P][P][P/2 + 1][2], y and z from −⌊P/2⌋; overwritten */
    qn_fft_engine engine;
    const float
        *factor; /* factors of voxels by their squared distance from the middle: qn_map_transform_factors numbers */
} qn_map_transform;

/* map(n) = factor(|n|²) Σ_f spectrum(f) exp(2πi f·n / P), n = 0 at index ⌊N/2⌋; `map` has N³ voxels. Errors: those of
 * qn_fft_plan_create, QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_map_transform_run(const qn_map_transform *transform, qn_device *device, qn_volume *map);

/* Number of factors: one for each squared distance from 0 to that of a corner. */
size_t qn_map_transform_factors(int map_side);

/* Bytes of host memory that the transform needs besides its inputs, at most. A device with memory of its own needs two
 * thirds of that. */
uint64_t qn_map_transform_bytes(int side);

#endif

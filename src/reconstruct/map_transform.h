/* The middle of the map that a Fourier half volume stands for.
 *
 * Only N of P planes, rows and columns are wanted, so lines along z are transformed first and those planes alone go on:
 * all in the half volume's own memory, a batch of lines or planes at a time through the device. */
#ifndef QN_RECONSTRUCT_MAP_TRANSFORM_H
#define QN_RECONSTRUCT_MAP_TRANSFORM_H

#include <quern/fft.h>
#include <quern/volume.h>

#include "runtime/device.h"

typedef struct qn_map_transform {
    int side, map_side; /* P, N ≤ P */
    double limit;       /* what lies at |f| ≥ limit (voxels) is taken as 0; at most P / 2 */
    float *spectrum;    /* [P][P][P/2 + 1][2], y and z from −⌊P/2⌋; used up */
    qn_fft_engine engine;
    const float *factor; /* of a voxel, by its squared distance from the middle: qn_map_transform_factors of them */
} qn_map_transform;

/* map(n) = factor(|n|²) Σ_f spectrum(f) exp(2πi f·n / P), n = 0 at index ⌊N/2⌋; `map` has N³ voxels. Errors: those of
 * qn_fft_plan_create, QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_map_transform_run(const qn_map_transform *transform, qn_device *device, qn_volume *map);

size_t qn_map_transform_factors(int map_side);

/* Host memory it takes at most besides what it is given; the device takes two thirds of it where it has its own. */
uint64_t qn_map_transform_bytes(int side);

#endif

/* Fourier transform of a map on a device, padded and laid out for the extraction of slices. */
#ifndef QN_PROJECT_FOURIER_MAP_H
#define QN_PROJECT_FOURIER_MAP_H

#include <quern/volume.h>

#include "math/window.h"
#include "project/kernels/project_slices.h"

/* Make the buffer that qn_project_slices takes, from a cubic map whose side is the problem's image side. The inverse
 * transforms of its slices, without scaling, are sums of voxels along lines. Waits until the buffer is complete.
 * QN_OUT_OF_MEMORY; errors of qn_fft_plan_create. */
QN_MUST_CHECK qn_status qn_fourier_map_create(qn_queue *queue, const qn_volume *map, const qn_slices_problem *problem,
                                              const qn_window *window, qn_buffer **volume);

/* Bytes of device memory that qn_fourier_map_create needs, at most. */
uint64_t qn_fourier_map_bytes(const qn_slices_problem *problem);

#endif

/* A map's Fourier transform on a device, padded and laid out for slices to be gathered from. */
#ifndef QN_PROJECT_FOURIER_MAP_H
#define QN_PROJECT_FOURIER_MAP_H

#include <quern/volume.h>

#include "project/kernels/project_slices.h"
#include "project/window.h"

/* A new buffer as qn_project_slices takes it, of a cubic map whose side is the problem's image side: slices of it,
 * transformed back without scaling, are sums along lines. Waits. QN_OUT_OF_MEMORY; those of qn_fft_plan_create. */
QN_MUST_CHECK qn_status qn_fourier_map_create(qn_queue *queue, const qn_volume *map, const qn_slices_problem *problem,
                                              const qn_window *window, qn_buffer **volume);

/* Bytes of the device's memory that it takes at most. */
uint64_t qn_fourier_map_bytes(const qn_slices_problem *problem);

#endif

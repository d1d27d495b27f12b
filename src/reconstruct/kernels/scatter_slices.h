/* Insertion of slices into a Fourier volume by scattering with atomics, with the same blob and arrays as
 * reconstruct/insert_slices. It is the baseline that gathering is compared with, for devices with atomics on floats;
 * the host does not run it. */
#ifndef QN_RECONSTRUCT_SCATTER_SLICES_H
#define QN_RECONSTRUCT_SCATTER_SLICES_H

#include "reconstruct/kernels/insert_slices.h"

extern const qn_family qn_reconstruct_scatter_slices_family;

/* Insert slices as qn_insert_slices does, at most 65535 of them. QN_INVALID_ARGUMENT as there, and for `fast`;
 * QN_UNSUPPORTED on the host. */
QN_MUST_CHECK qn_status qn_scatter_slices(qn_queue *queue, const qn_configuration *configuration,
                                          const qn_insert_problem *problem, qn_buffer *images, qn_buffer *image_weights,
                                          qn_buffer *matrices, qn_buffer *blob_table, qn_buffer *numerator,
                                          qn_buffer *weight, qn_event **event);

#endif

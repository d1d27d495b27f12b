/* What the workloads of the docking families share: inputs, clearing, timing. */
#ifndef QN_DOCK_WORKLOAD_H
#define QN_DOCK_WORKLOAD_H

#include <quern/workload.h>

/* The index-th input of `seed`, in [-1, 1); made again one by one when a result is checked. */
float qn_dock_input(uint64_t seed, uint64_t index);

/* A buffer of `count` inputs. */
QN_MUST_CHECK qn_status qn_dock_make_inputs(qn_queue *queue, uint64_t seed, size_t count, qn_buffer **buffer);

/* A buffer with `bytes` of `data` in it; data NULL: zeros. */
QN_MUST_CHECK qn_status qn_dock_make_buffer(qn_queue *queue, const void *data, size_t bytes, qn_buffer **buffer);

/* Fill with `byte` and wait. */
QN_MUST_CHECK qn_status qn_dock_fill(qn_queue *queue, qn_buffer *buffer, unsigned char byte);

QN_MUST_CHECK qn_status qn_dock_read(qn_queue *queue, qn_buffer *buffer, size_t offset, void *data, size_t bytes);

/* Wait for the events of launches that gave `status` (NULL: was not launched), add up their times in *seconds (may be
 * NULL), destroy them. */
QN_MUST_CHECK qn_status qn_dock_take_seconds(qn_status status, qn_event **events, int count, double *seconds);

/* The larger of two errors; NaN counts as infinite. */
double qn_dock_larger_error(double largest, double error);

/* QN_INVALID_ARGUMENT unless low ≤ size ≤ high. */
QN_MUST_CHECK qn_status qn_dock_check_size(const qn_workload *workload, int number, int size, int low, int high);

#endif

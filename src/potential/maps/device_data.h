/* Data as kernels take them. */
#ifndef QN_POTENTIAL_DEVICE_DATA_H
#define QN_POTENTIAL_DEVICE_DATA_H

#include <quern/queue.h>
#include <stdint.h>

/* Make a buffer with a copy of `data`, which may be changed afterwards. */
QN_MUST_CHECK qn_status qn_device_data_copy(qn_queue *queue, const void *data, size_t bytes, qn_buffer **buffer);

/* The bits of a double, for kernels without doubles; −0 becomes 0. */
uint64_t qn_device_data_bits(double value);

#endif

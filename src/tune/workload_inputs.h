/* Functions that workloads share: making inputs, clearing, timing, checking.
 *
 * Inputs are numbers that can be computed again one by one when a result is checked, so that a problem of many
 * gigabytes needs no copy of them. The numbers repeat after 4194301, so that copies on the device can fill a buffer. */
#ifndef QN_TUNE_WORKLOAD_INPUTS_H
#define QN_TUNE_WORKLOAD_INPUTS_H

#include <quern/workload.h>

/* The index-th number of `seed`: in [-1, 1), a multiple of 2^-23. */
float qn_workload_input(uint64_t seed, uint64_t index);

/* Likewise: -8 … 8 without 0, each with the same probability. Floats add such numbers exactly, in any order. */
float qn_workload_whole_number(uint64_t seed, uint64_t index);

/* buffer[i] = whole_number(seed, i), i < count; *sum gets their sum. */
QN_MUST_CHECK qn_status qn_workload_write_whole_numbers(qn_queue *queue, qn_buffer *buffer, uint64_t seed, size_t count,
                                                        double *sum);

/* buffer[i] = input(seed, first + i), i < count. */
QN_MUST_CHECK qn_status qn_workload_write_inputs(qn_queue *queue, qn_buffer *buffer, uint64_t seed, uint64_t first,
                                                 size_t count);

/* Make a buffer of the inputs 0 … count - 1. */
QN_MUST_CHECK qn_status qn_workload_make_inputs(qn_queue *queue, uint64_t seed, size_t count, qn_buffer **buffer);

/* Make a buffer with a copy of the `bytes` bytes of `data`; data NULL: zeros. */
QN_MUST_CHECK qn_status qn_workload_make_buffer(qn_queue *queue, const void *data, size_t bytes, qn_buffer **buffer);

/* Fill a buffer with `byte` and wait. A float of 0xFF bytes is a NaN that no kernel computes. */
QN_MUST_CHECK qn_status qn_workload_fill(qn_queue *queue, qn_buffer *buffer, unsigned char byte);

/* Read from a buffer and wait. */
QN_MUST_CHECK qn_status qn_workload_read(qn_queue *queue, qn_buffer *buffer, size_t offset, void *data, size_t bytes);

/* Wait for the events of launches (NULL: was not launched), add their times to *seconds (may be NULL), and destroy the
 * events. Returns `status`, the status of the launches, if that is a failure. */
QN_MUST_CHECK qn_status qn_workload_take_seconds(qn_status status, qn_event **events, int count, double *seconds);

/* The larger of two errors; NaN counts as infinite. */
double qn_workload_larger_error(double largest, double error);

/* QN_INVALID_ARGUMENT unless low ≤ size ≤ high and size is a multiple of `step`. */
QN_MUST_CHECK qn_status qn_workload_check_size(const char *workload, const char *name, int size, int low, int high,
                                               int step);

#endif

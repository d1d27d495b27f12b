/* What workloads share: inputs, clearing, timing, judging.
 *
 * Inputs are numbers that can be made again one by one when a result is checked, so that a problem
 * of many gigabytes needs no copy of them. They come again after 4194301, so that it is filled at the speed of the
 * device. */
#ifndef QN_TUNE_WORKLOAD_INPUTS_H
#define QN_TUNE_WORKLOAD_INPUTS_H

#include <quern/workload.h>

/* The index-th number of `seed`: in [-1, 1), a multiple of 2^-23. */
float qn_workload_input(uint64_t seed, uint64_t index);

/* Likewise: -8 … 8 without 0, as many above as below it. Floats add up such numbers exactly, in any order. */
float qn_workload_whole_number(uint64_t seed, uint64_t index);

/* buffer[i] = whole_number(seed, i), i < count; *sum gets Σ. */
QN_MUST_CHECK qn_status qn_workload_write_whole_numbers(qn_queue *queue, qn_buffer *buffer, uint64_t seed, size_t count,
                                                        double *sum);

/* buffer[i] = input(seed, first + i), i < count. */
QN_MUST_CHECK qn_status qn_workload_write_inputs(qn_queue *queue, qn_buffer *buffer, uint64_t seed, uint64_t first,
                                                 size_t count);

/* A buffer of `count` inputs from the first on. */
QN_MUST_CHECK qn_status qn_workload_make_inputs(qn_queue *queue, uint64_t seed, size_t count, qn_buffer **buffer);

/* A buffer with `bytes` of `data` in it; data NULL: zeros. */
QN_MUST_CHECK qn_status qn_workload_make_buffer(qn_queue *queue, const void *data, size_t bytes, qn_buffer **buffer);

/* Fill with `byte` and wait; no float that a kernel computes is made of 0xFF bytes. */
QN_MUST_CHECK qn_status qn_workload_fill(qn_queue *queue, qn_buffer *buffer, unsigned char byte);

/* Read and wait. */
QN_MUST_CHECK qn_status qn_workload_read(qn_queue *queue, qn_buffer *buffer, size_t offset, void *data, size_t bytes);

/* Wait for the events of launches that gave `status` (NULL: was not launched), add their times to *seconds (may be
 * NULL), destroy them. */
QN_MUST_CHECK qn_status qn_workload_take_seconds(qn_status status, qn_event **events, int count, double *seconds);

/* The larger of two errors; NaN counts as infinite. */
double qn_workload_larger_error(double largest, double error);

/* QN_INVALID_ARGUMENT unless low ≤ size ≤ high and size is a multiple of `step`. */
QN_MUST_CHECK qn_status qn_workload_check_size(const char *workload, const char *name, int size, int low, int high,
                                               int step);

#endif

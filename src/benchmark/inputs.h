/* Inputs of benchmark problems: numbers that can be made again one by one when a result is checked, so that a problem
 * of many gigabytes needs no copy of them. They come again after 4194301, so that it is filled at the speed of the
 * device. */
#ifndef QN_BENCHMARK_INPUTS_H
#define QN_BENCHMARK_INPUTS_H

#include <quern/queue.h>

/* The index-th number of `seed`: in [-1, 1), a multiple of 2^-23. */
float qn_benchmark_input(uint64_t seed, uint64_t index);

/* Likewise: -8 … 8 without 0, as many above as below it. Floats add up such numbers exactly, in any order. */
float qn_benchmark_whole_number(uint64_t seed, uint64_t index);

/* buffer[i] = whole_number(seed, i), i < count; *sum gets Σ. */
QN_MUST_CHECK qn_status qn_benchmark_write_whole_numbers(qn_queue *queue, qn_buffer *buffer, uint64_t seed,
                                                         size_t count, double *sum);

/* buffer[i] = input(seed, first + i), i < count. */
QN_MUST_CHECK qn_status qn_benchmark_write_inputs(qn_queue *queue, qn_buffer *buffer, uint64_t seed, uint64_t first,
                                                  size_t count);

/* A buffer with `bytes` of `data` in it. */
QN_MUST_CHECK qn_status qn_benchmark_make_buffer(qn_queue *queue, const void *data, size_t bytes, qn_buffer **buffer);

/* Fill with 0xFF bytes: no float that a kernel computes. */
QN_MUST_CHECK qn_status qn_benchmark_spoil(qn_queue *queue, qn_buffer *buffer);

/* Wait for the event of a launch that gave `status`, add its time to *seconds (may be NULL), destroy it. */
QN_MUST_CHECK qn_status qn_benchmark_take_seconds(qn_status status, qn_event **event, double *seconds);

/* The larger of two errors; NaN counts as infinite. */
double qn_benchmark_larger_error(double largest, double error);

/* QN_INVALID_ARGUMENT unless low ≤ size ≤ high and size is a multiple of `step`. */
QN_MUST_CHECK qn_status qn_benchmark_check_size(const char *family, const char *name, int size, int low, int high,
                                                int step);

#endif

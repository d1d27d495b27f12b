/* Sums over rows of bits: how many of the rows have each bit, added to sums of 32-bit integers.
 *
 * The rows are added as binary numbers that lie across words, one word for each digit, so that an instruction counts 32
 * bits of a word or more: R. Harley's and D. Seal's carry-save adders, in H. S. Warren, Hacker's Delight, 2nd edition,
 * section 5-1. */
#ifndef QN_CLUSTER_METHOD_BIT_ROWS_H
#define QN_CLUSTER_METHOD_BIT_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* Rows of a call: as many as eight digits count. */
enum { QN_BIT_ROWS_MAX = 255 };

/* sums[32 w + b] += change × (number of rows with bit b in word w), first ≤ w < end, modulo 2³². `sums` has `count`
 * items; bits beyond are 0. */
void qn_bit_rows_add(const uint32_t *const *rows, size_t row_count, size_t first, size_t end, size_t count,
                     uint32_t change, uint32_t *sums);

#endif

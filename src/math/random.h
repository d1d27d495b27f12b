/* Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011). A draw is a pure function of seed and
 * counter, so results do not depend on threads or order. */
#ifndef QN_MATH_RANDOM_H
#define QN_MATH_RANDOM_H

#include <stdint.h>

/* Four random words of block `counter` (128 bits, low word first) under `key` (64 bits). */
void qn_random_block(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4]);

/* The index-th uniform number of stream `stream` under `seed`, in [0, 1), a multiple of 2^-53. */
double qn_random_uniform(uint64_t seed, uint64_t stream, uint64_t index);

#endif

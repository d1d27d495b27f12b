/* A few numbers that one thread writes and others read, without a lock: the writer never waits, and a reader that meets
 * a change reads again. The version is odd while the numbers change. */
#ifndef QN_DEFORM_LIVE_RELAY_H
#define QN_DEFORM_LIVE_RELAY_H

#include <stdatomic.h>
#include <stdint.h>

enum { QN_RELAY_NUMBERS = 12 };

typedef struct qn_relay {
    atomic_uint_least64_t version;
    atomic_uint_least64_t words[QN_RELAY_NUMBERS]; /* the bits of the numbers */
} qn_relay;

void qn_relay_write(qn_relay *relay, const double numbers[QN_RELAY_NUMBERS]);

/* The numbers of one write; zeros before the first. Returns how often they were written. */
uint64_t qn_relay_read(qn_relay *relay, double numbers[QN_RELAY_NUMBERS]);

#endif

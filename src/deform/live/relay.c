#include "deform/live/relay.h"

#include <string.h>

void qn_relay_write(qn_relay *relay, const double numbers[QN_RELAY_NUMBERS])
{
    atomic_fetch_add(&relay->version, 1);
    for (int i = 0; i < QN_RELAY_NUMBERS; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        atomic_store(&relay->words[i], bits);
    }
    atomic_fetch_add(&relay->version, 1);
}

uint64_t qn_relay_read(qn_relay *relay, double numbers[QN_RELAY_NUMBERS])
{
    for (;;) {
        const uint64_t version = atomic_load(&relay->version);
        for (int i = 0; i < QN_RELAY_NUMBERS; i++) {
            const uint64_t bits = atomic_load(&relay->words[i]);
            memcpy(&numbers[i], &bits, sizeof bits);
        }
        if (version % 2 == 0 && atomic_load(&relay->version) == version) return version / 2;
    }
}

/* SHA-256 (FIPS 180-4), for cache keys and for digests of inputs, which anyone can check with sha256sum. */
#ifndef QN_BASE_HASH_H
#define QN_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qn_hash {
    uint32_t state[8];
    uint64_t length;
    unsigned char block[64];
    bool by_sha; /* use the processor's SHA instructions; tests set it to false */
} qn_hash;

void qn_hash_start(qn_hash *hash);
void qn_hash_add(qn_hash *hash, const void *data, size_t size);

/* Write the digest as 64 lower-case hexadecimal digits and a zero byte. */
void qn_hash_finish(qn_hash *hash, char digest[65]);

#endif

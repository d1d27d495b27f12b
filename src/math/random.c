#include "math/random.h"

enum { ROUNDS = 10 };

void qn_random_block(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3], k0 = key[0], k1 = key[1];
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t product0 = (uint64_t)0xD2511F53u * c0;
        uint64_t product1 = (uint64_t)0xCD9E8D57u * c2;
        uint32_t next0 = (uint32_t)(product1 >> 32) ^ c1 ^ k0;
        uint32_t next2 = (uint32_t)(product0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)product1;
        c3 = (uint32_t)product0;
        c0 = next0;
        c2 = next2;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    words[0] = c0;
    words[1] = c1;
    words[2] = c2;
    words[3] = c3;
}

double qn_random_uniform(uint64_t seed, uint64_t stream, uint64_t index)
{
    uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)};
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t words[4];
    qn_random_block(counter, key, words);
    uint64_t bits = (uint64_t)words[0] << 32 | words[1];
    return (double)(bits >> 11) * 0x1p-53;
}

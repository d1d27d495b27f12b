#include "base/hash.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

static const uint32_t round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void add_blocks_portably(uint32_t state[8], const unsigned char *block, size_t count)
{
    for (; count > 0; count--, block += 64) {
        uint32_t w[64], s[8];
        for (int t = 0; t < 16; t++)
            w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 |
                   block[4 * t + 3];
        for (int t = 16; t < 64; t++)
            w[t] = (rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10) + w[t - 7] +
                   (rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3) + w[t - 16];
        memcpy(s, state, sizeof s);
        for (int t = 0; t < 64; t++) {
            uint32_t sum1 = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
            uint32_t t1 = s[7] + sum1 + ((s[4] & s[5]) ^ (~s[4] & s[6])) + round_constant[t] + w[t];
            uint32_t sum0 = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
            uint32_t t2 = sum0 + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
            memmove(s + 1, s, 7 * sizeof s[0]);
            s[4] += t1;
            s[0] = t1 + t2;
        }
        for (int i = 0; i < 8; i++) state[i] += s[i];
    }
}

#if defined(__x86_64__)

/* Intel's SHA extensions: the state is kept as the words a b e f and c d g h, four rounds per step. */
__attribute__((target("sha,sse4.1"))) static void add_blocks_by_sha(uint32_t state[8], const unsigned char *block,
                                                                    size_t count)
{
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i abef = _mm_set_epi32((int)state[0], (int)state[1], (int)state[4], (int)state[5]);
    __m128i cdgh = _mm_set_epi32((int)state[2], (int)state[3], (int)state[6], (int)state[7]);
    for (; count > 0; count--, block += 64) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        __m128i w[4]; /* the latest sixteen words of the message schedule, the oldest first */
        for (int i = 0; i < 4; i++)
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(block + 16 * i)), big_endian);
        for (int t = 0; t < 64; t += 4) {
            __m128i sum = _mm_add_epi32(w[0], _mm_loadu_si128((const __m128i *)(const void *)(round_constant + t)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
            const __m128i middle = _mm_alignr_epi8(w[3], w[2], 4);
            const __m128i next = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(w[0], w[1]), middle), w[3]);
            w[0] = w[1];
            w[1] = w[2];
            w[2] = w[3];
            w[3] = next;
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    uint32_t words[2][4];
    _mm_storeu_si128((__m128i *)(void *)words[0], abef);
    _mm_storeu_si128((__m128i *)(void *)words[1], cdgh);
    for (int i = 0; i < 2; i++) {
        state[i] = words[0][3 - i];
        state[4 + i] = words[0][1 - i];
        state[2 + i] = words[1][3 - i];
        state[6 + i] = words[1][1 - i];
    }
}

/* Cached, because CPUID takes long in a virtual machine. */
static bool has_sha(void)
{
    static atomic_int known; /* 1: no, 2: yes */
    unsigned a, b, c, d;
    int answer = atomic_load(&known);
    if (answer == 0) {
        const bool told = __builtin_cpu_supports("sse4.1") && __get_cpuid_count(7, 0, &a, &b, &c, &d);
        answer = told && (b >> 29 & 1) != 0 ? 2 : 1;
        atomic_store(&known, answer);
    }
    return answer == 2;
}

static void add_blocks(const qn_hash *hash, uint32_t state[8], const unsigned char *blocks, size_t count)
{
    if (hash->by_sha)
        add_blocks_by_sha(state, blocks, count);
    else
        add_blocks_portably(state, blocks, count);
}

#else

static bool has_sha(void)
{
    return false;
}

static void add_blocks(const qn_hash *hash, uint32_t state[8], const unsigned char *blocks, size_t count)
{
    (void)hash;
    add_blocks_portably(state, blocks, count);
}

#endif

void qn_hash_start(qn_hash *hash)
{
    static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memset(hash, 0, sizeof *hash);
    memcpy(hash->state, initial, sizeof initial);
    hash->by_sha = has_sha();
}

void qn_hash_add(qn_hash *hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    const size_t held = hash->length % 64, missing = 64 - held;
    if (size == 0) return;
    hash->length += size;
    if (size < missing) {
        memcpy(hash->block + held, bytes, size);
        return;
    }
    if (held > 0) {
        memcpy(hash->block + held, bytes, missing);
        add_blocks(hash, hash->state, hash->block, 1);
        bytes += missing;
        size -= missing;
    }
    add_blocks(hash, hash->state, bytes, size / 64);
    memcpy(hash->block, bytes + size / 64 * 64, size % 64);
}

void qn_hash_finish(qn_hash *hash, char digest[65])
{
    uint64_t bits = hash->length * 8;
    qn_hash_add(hash, "\x80", 1);
    while (hash->length % 64 != 56) qn_hash_add(hash, "", 1);
    for (int i = 7; i >= 0; i--) {
        unsigned char byte = (unsigned char)(bits >> (8 * i));
        qn_hash_add(hash, &byte, 1);
    }
    for (int i = 0; i < 8; i++) snprintf(digest + 8 * i, 9, "%08x", hash->state[i]);
}

/* Counter-based random numbers in the kernel language: Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011), the same words
 * as qn_random_block of math/random.h. */
#ifndef QN_RUNTIME_RANDOM_DEV_H
#define QN_RUNTIME_RANDOM_DEV_H

/* `words` holds the counter, low word first, and gets four random words. */
DEVICE_FN void random_block(qn_uint32 words[4], qn_uint32 key0, qn_uint32 key1)
{
    UNROLL
    for (int round = 0; round < 10; round++) {
        qn_uint32 high0 = MUL_HIGH_UINT32(0xD2511F53u, words[0]), low0 = 0xD2511F53u * words[0];
        qn_uint32 high1 = MUL_HIGH_UINT32(0xCD9E8D57u, words[2]), low1 = 0xCD9E8D57u * words[2];
        words[0] = high1 ^ words[1] ^ key0;
        words[1] = low1;
        words[2] = high0 ^ words[3] ^ key1;
        words[3] = low0;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
}

#endif

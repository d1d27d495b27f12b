#include "project/noise.h"

#include <math.h>

#include "math/random.h"

/* Make two normally distributed numbers from two random words. */
static void normal_pair(uint32_t first, uint32_t second, float pair[2])
{
    const float turn = 6.28318531f * ((float)(second >> 8) * 0x1p-24f);
    const float radius = sqrtf(-2 * logf(((float)(first >> 8) + 0.5f) * 0x1p-24f)); /* at most 5.9 deviations */
    pair[0] = radius * cosf(turn);
    pair[1] = radius * sinf(turn);
}

void qn_noise_add(uint64_t seed, uint64_t stream, double deviation, float *values, size_t count)
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    for (size_t block = 0; 4 * block < count; block++) {
        const uint64_t index = block;
        const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), (uint32_t)stream,
                                     (uint32_t)(stream >> 32)};
        uint32_t words[4];
        float normal[4];
        qn_random_block(counter, key, words);
        normal_pair(words[0], words[1], normal);
        normal_pair(words[2], words[3], normal + 2);
        for (size_t i = 0; i < 4 && 4 * block + i < count; i++)
            values[4 * block + i] += (float)(deviation * (double)normal[i]);
    }
}

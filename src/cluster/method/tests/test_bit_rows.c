/* Sums over rows of bits against counting bit by bit, for every kind of remainder: rows of a group, words of a lane and
 * of a block, bits of the last word, and counts up to the largest. */
#include <string.h>

#include "check.h"
#include "cluster/method/bit_rows.h"
#include "math/random.h"

enum { WORDS_MAX = 300 };

static uint32_t bits[QN_BIT_ROWS_MAX][WORDS_MAX];
static const uint32_t *rows[QN_BIT_ROWS_MAX];
static uint32_t sums[32 * WORDS_MAX], expected[32 * WORDS_MAX];

/* Bits beyond `count` are 0. `share`: of bits that are 1; 1: all. */
static void make_rows(size_t row_count, size_t count, double share)
{
    memset(bits, 0, sizeof bits);
    for (size_t r = 0; r < row_count; r++) {
        rows[r] = bits[r];
        for (size_t i = 0; i < count; i++)
            if (share >= 1 || qn_random_uniform(1, r, i) < share) bits[r][i / 32] |= (uint32_t)1 << i % 32;
    }
}

static void check_range(size_t row_count, size_t first, size_t end, size_t count, uint32_t change)
{
    for (size_t i = 0; i < 32 * (size_t)WORDS_MAX; i++) sums[i] = expected[i] = (uint32_t)(7 * i);
    for (size_t r = 0; r < row_count; r++)
        for (size_t i = 32 * first; i < 32 * end && i < count; i++)
            expected[i] += change * (bits[r][i / 32] >> i % 32 & 1);
    qn_bit_rows_add(rows, row_count, first, end, count, change, sums);
    CHECK(memcmp(sums, expected, sizeof sums) == 0);
}

static void sums_are_counts(void)
{
    static const size_t row_counts[] = {0, 1, 7, 15, 16, 44, 240, 254, 255};
    static const size_t counts[] = {1, 31, 32, 129, 4096, 4097, 9599, 9600};
    for (size_t r = 0; r < sizeof row_counts / sizeof *row_counts; r++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            const size_t words = (counts[c] + 31) / 32;
            make_rows(row_counts[r], counts[c], (r + c) % 3 == 0 ? 1 : 0.1 + 0.2 * (double)c);
            check_range(row_counts[r], 0, words, counts[c], 1);
            check_range(row_counts[r], words / 3, words - words / 4, counts[c], (uint32_t)-1);
        }
}

int main(void)
{
    RUN(sums_are_counts);
    return check_finish();
}

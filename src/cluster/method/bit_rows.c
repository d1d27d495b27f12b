#include "cluster/method/bit_rows.h"

#include <string.h>

enum {
    GROUP = 15, /* rows that four digits count */
    DIGITS = 8,
    WORDS = 128 /* of a row that are added at a time: their digits stay in the cache */
};

typedef uint32_t lanes __attribute__((vector_size(16)));
enum { LANES = sizeof(lanes) / sizeof(uint32_t) };

static const uint32_t no_bits[WORDS];

/* A full adder for each bit: *sum and *carry of three digits. */
static inline void add_digits(lanes a, lanes b, lanes c, lanes *sum, lanes *carry)
{
    const lanes half = a ^ b;
    *sum = half ^ c;
    *carry = (a & b) | (half & c);
}

/* The four digits of the number of rows with each bit. */
static inline void count_group(const lanes row[GROUP], lanes digit[4])
{
    lanes one[5], two[7], four[3], sum, left, right;
#pragma GCC unroll 8
    for (int i = 0; i < 5; i++) add_digits(row[3 * i], row[3 * i + 1], row[3 * i + 2], &one[i], &two[i]);
    add_digits(one[0], one[1], one[2], &sum, &two[5]);
    add_digits(sum, one[3], one[4], &digit[0], &two[6]);
    add_digits(two[0], two[1], two[2], &left, &four[0]);
    add_digits(two[3], two[4], two[5], &right, &four[1]);
    add_digits(left, right, two[6], &digit[1], &four[2]);
    add_digits(four[0], four[1], four[2], &digit[2], &digit[3]);
}

/* Add the bits of a group of rows to the digits of words w … w + LANES − 1. */
static inline void add_lanes(const lanes bits[GROUP], size_t w, uint32_t (*digits)[WORDS])
{
    lanes digit[4], carry = {0}, next, own;
    count_group(bits, digit);
#pragma GCC unroll 8
    for (int k = 0; k < DIGITS; k++) {
        memcpy(&own, &digits[k][w], sizeof own);
        add_digits(own, k < 4 ? digit[k] : (lanes){0}, carry, &own, &next);
        memcpy(&digits[k][w], &own, sizeof own);
        carry = next;
    }
}

static void add_group(const uint32_t *const row[GROUP], size_t words, uint32_t (*digits)[WORDS])
{
    lanes bits[GROUP];
    size_t w = 0;
    for (; w + LANES <= words; w += LANES) {
#pragma GCC unroll 16
        for (int i = 0; i < GROUP; i++) memcpy(&bits[i], row[i] + w, sizeof bits[i]);
        add_lanes(bits, w, digits);
    }
    if (w == words) return;
    memset(bits, 0, sizeof bits);
    for (int i = 0; i < GROUP; i++) memcpy(&bits[i], row[i] + w, (words - w) * sizeof(uint32_t));
    add_lanes(bits, w, digits);
}

/* Eight bits as eight bytes of 0 or 1, the lowest bit in the lowest byte. */
static uint64_t spread(uint32_t byte)
{
    const uint64_t ones = 0x0101010101010101;
    const uint64_t apart = (byte * ones) & 0x8040201008040201; /* bit i in byte i */
    return (apart + 0x7f * ones) >> 7 & ones;
}

/* Add what the digits of word w count to the sums of its bits. */
static void add_word(uint32_t (*digits)[WORDS], size_t w, size_t bits, uint32_t change, uint32_t *sums)
{
    for (size_t b = 0; b < bits; b += 8) {
        uint64_t counts = 0; /* a byte for each bit */
#pragma GCC unroll 8
        for (int k = 0; k < DIGITS; k++) counts += spread(digits[k][w] >> b & 0xff) << k;
        const size_t end = bits - b < 8 ? bits - b : 8;
        for (size_t i = 0; i < end; i++) sums[b + i] += change * (uint32_t)(counts >> 8 * i & 0xff);
    }
}

void qn_bit_rows_add(const uint32_t *const *rows, size_t row_count, size_t first, size_t end, size_t count,
                     uint32_t change, uint32_t *sums)
{
    for (size_t begin = first; begin < end; begin += WORDS) {
        const size_t words = end - begin < WORDS ? end - begin : WORDS;
        uint32_t digits[DIGITS][WORDS];
        memset(digits, 0, sizeof digits);
        for (size_t r = 0; r < row_count; r += GROUP) {
            const uint32_t *group[GROUP];
            for (size_t i = 0; i < GROUP; i++) group[i] = r + i < row_count ? rows[r + i] + begin : no_bits;
            add_group(group, words, digits);
        }
        for (size_t w = 0; w < words; w++) {
            const size_t item = 32 * (begin + w), left = count - item;
            add_word(digits, w, left < 32 ? left : 32, change, sums + item);
        }
    }
}

/* Contacts of structures as bits, and how many of them two structures share.
 *
 * find_contacts: a work-item makes one word of one structure. count_shared: a group has SIDE x SIDE work-items, each
 * with ITEM x ITEM pairs of structures, and takes WORDS words of its rows and columns at a time into local memory. */

#include "cluster/measure/kernels/contacts.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group of find_contacts"
#endif
#ifndef SIDE
#error "SIDE: work-items along each side of a group of count_shared"
#endif
#ifndef ITEM
#error "ITEM: rows, and columns, of a work-item of count_shared"
#endif
#ifndef WORDS
#error "WORDS: words in local memory at once"
#endif

#define TILE (SIDE * ITEM)
#define PITCH (WORDS + 1) /* so that neighbouring rows lie in different banks */

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void find_contacts(GLOBAL const float *RESTRICT positions,
                                                        GLOBAL const int *RESTRICT places,
                                                        GLOBAL qn_uint32 *RESTRICT bits,
                                                        GLOBAL qn_uint32 *RESTRICT counts, const find_scalars s)
{
    const int item = GLOBAL_ID(0), structure = item / s.words, word = item - structure * s.words;
    if (structure >= s.structures) return;
    GLOBAL const float *x = positions + 3 * (qn_int64)s.atoms * structure;
    GLOBAL const float *y = x + s.atoms, *z = y + s.atoms;
    const int a = places[2 * word], first = places[2 * word + 1], count = MIN(CONTACT_WORD, s.atoms - first);
    const float ax = x[a], ay = y[a], az = z[a];
    qn_uint32 found = 0;
    for (int k = 0; k < count; k++) {
        const int b = first + k;
        found |= contact_of(ax - x[b], ay - y[b], az - z[b], s.square_cutoff) << k;
    }
    bits[item] = found;
    if (found) ATOMIC_ADD_INT(&counts[structure], (qn_uint32)BIT_COUNT(found));
}

DEVICE_FN void load_tile(GLOBAL const qn_uint32 *from, int first_row, int rows, int first_word, int words,
                         LOCAL_PTR qn_uint32 *tile)
{
    for (int k = LOCAL_ID(1) * SIDE + LOCAL_ID(0); k < TILE * WORDS; k += SIDE * SIDE) {
        const int row = k / WORDS, word = k - row * WORDS;
        const int inside = first_row + row < rows && first_word + word < words;
        tile[row * PITCH + word] = inside ? from[(qn_int64)(first_row + row) * words + first_word + word] : 0u;
    }
}

KERNEL GROUP_LIMIT(SIDE, SIDE, 1) void count_shared(GLOBAL const qn_uint32 *RESTRICT rows,
                                                    GLOBAL const qn_uint32 *RESTRICT columns,
                                                    GLOBAL qn_int32 *RESTRICT counts, const shared_scalars s)
{
    LOCAL qn_uint32 row_tile[TILE * PITCH];
    LOCAL qn_uint32 column_tile[TILE * PITCH];
    const int first_row = GROUP_ID(1) * TILE, first_column = GROUP_ID(0) * TILE;
    int sums[ITEM][ITEM];
    for (int i = 0; i < ITEM; i++)
        for (int j = 0; j < ITEM; j++) sums[i][j] = 0;
    const int words = s.triangle && first_row > first_column ? 0 : s.words;
    for (int word = 0; word < words; word += WORDS) {
        load_tile(rows, first_row, s.rows, word, s.words, row_tile);
        load_tile(columns, first_column, s.columns, word, s.words, column_tile);
        LOCAL_BARRIER();
        for (int w = 0; w < WORDS; w++) {
            UNROLL
            for (int i = 0; i < ITEM; i++) {
                const qn_uint32 a = row_tile[(LOCAL_ID(1) + i * SIDE) * PITCH + w];
                UNROLL
                for (int j = 0; j < ITEM; j++)
                    sums[i][j] += BIT_COUNT(a & column_tile[(LOCAL_ID(0) + j * SIDE) * PITCH + w]);
            }
        }
        LOCAL_BARRIER();
    }
    UNROLL
    for (int i = 0; i < ITEM; i++) {
        UNROLL
        for (int j = 0; j < ITEM; j++) {
            const int row = first_row + LOCAL_ID(1) + i * SIDE, column = first_column + LOCAL_ID(0) + j * SIDE;
            if (row < s.rows && column < s.columns) counts[(qn_int64)row * s.columns + column] = sums[i][j];
        }
    }
}

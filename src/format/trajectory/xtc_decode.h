/* The compressed positions of an XTC frame: integers in mixed radix in a bit stream, most significant bit first. A
 * frame is serial, frames are independent.
 */
#ifndef QN_FORMAT_TRAJECTORY_XTC_DECODE_H
#define QN_FORMAT_TRAJECTORY_XTC_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The radix of small differences grows by a factor of 2^(1/3) a step, so that three take `index` bits. */
enum { QN_XTC_FIRST_SMALL = 9, QN_XTC_END_SMALL = 73 };

/* How three integers become one number, (x · middle + y) · last + z, of `bits` bits, and what turns the divisions that
 * undo it into multiplications: the largest 64-bit number over each divisor. */
typedef struct qn_xtc_code {
    unsigned bits;         /* 0: each integer stands by itself */
    unsigned whole_bits;   /* those of whole bytes */
    uint32_t last, middle; /* radices of z and y */
    uint64_t both;         /* middle · last */
    uint64_t over_last, over_both;
} qn_xtc_code;

/* Of small index QN_XTC_FIRST_SMALL + i: three equal radices. */
extern const qn_xtc_code qn_xtc_small_codes[QN_XTC_END_SMALL - QN_XTC_FIRST_SMALL];

/* The code of whole positions, from `least`; `each`: bits of integers that stand by themselves, where code->bits is 0.
 * false: the bounds make no sense. */
bool qn_xtc_find_whole_code(const int32_t least[3], const int32_t most[3], qn_xtc_code *code, unsigned each[3]);

typedef struct qn_xtc_packed {
    const unsigned char *data; /* the bit stream */
    size_t size;               /* bytes */
    size_t atom_count;
    float precision;           /* 1/nm, > 0 */
    int32_t least[3], most[3]; /* of all atoms' integers */
    int small;                 /* small index of the first run */
} qn_xtc_packed;

/* atom_count × 3 positions in nm. NULL, or what is wrong as the end of a sentence and *byte where in `data`; nothing
 * outside of data and positions is touched whatever the data hold. */
const char *qn_xtc_unpack(const qn_xtc_packed *packed, float *positions_nm, size_t *byte);

#endif

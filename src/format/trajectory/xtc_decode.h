/* The compressed positions of an XTC frame: integers in mixed radix in a bit stream, most significant bit first.
 * Decoding a frame is serial; frames are independent.
 */
#ifndef QN_FORMAT_TRAJECTORY_XTC_DECODE_H
#define QN_FORMAT_TRAJECTORY_XTC_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The radix of small differences grows by a factor of 2^(1/3) a step, so that three take `index` bits. */
enum { QN_XTC_FIRST_SMALL = 9, QN_XTC_END_SMALL = 73 };

/* The code that combines three integers into one number, (x · middle + y) · last + z, of `bits` bits. The members below
 * `both` turn the divisions of decoding into multiplications: the largest 64-bit number divided by each divisor. */
typedef struct qn_xtc_code {
    unsigned bits;         /* 0: each integer is stored separately */
    unsigned whole_bits;   /* bits in complete bytes */
    uint32_t last, middle; /* radices of z and y */
    uint64_t both;         /* middle · last */
    uint64_t over_last, over_both;
} qn_xtc_code;

/* The codes of small index QN_XTC_FIRST_SMALL + i: three equal radices. */
extern const qn_xtc_code qn_xtc_small_codes[QN_XTC_END_SMALL - QN_XTC_FIRST_SMALL];

/* The code of whole positions, relative to `least`; `each`: bits of the integers where they are stored separately
 * (code->bits is 0). False: the bounds are not valid. */
bool qn_xtc_find_whole_code(const int32_t least[3], const int32_t most[3], qn_xtc_code *code, unsigned each[3]);

typedef struct qn_xtc_packed {
    const unsigned char *data; /* the bit stream */
    size_t size;               /* bytes */
    size_t atom_count;
    float precision;           /* 1/nm, > 0 */
    int32_t least[3], most[3]; /* of the integers of all atoms */
    int small;                 /* small index of the first run */
} qn_xtc_packed;

/* Unpack atom_count × 3 positions in nm. Returns NULL, or a description of the error as the end of a sentence, with its
 * place in `data` in *byte. No data access is out of bounds, whatever the data hold. */
const char *qn_xtc_unpack(const qn_xtc_packed *packed, float *positions_nm, size_t *byte);

#endif

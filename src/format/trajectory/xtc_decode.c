#include "format/trajectory/xtc_decode.h"

#include <stdbool.h>
#include <string.h>

#define SMALL(bits, m)                                                                                        \
    {                                                                                                         \
        bits, (bits) / 8 * 8, m, m, (uint64_t)(m) * (m), UINT64_MAX / (m), UINT64_MAX / ((uint64_t)(m) * (m)) \
    }

const qn_xtc_code qn_xtc_small_codes[QN_XTC_END_SMALL - QN_XTC_FIRST_SMALL] = {
    SMALL(9, 8),        SMALL(10, 10),       SMALL(11, 12),       SMALL(12, 16),      SMALL(13, 20),
    SMALL(14, 25),      SMALL(15, 32),       SMALL(16, 40),       SMALL(17, 50),      SMALL(18, 64),
    SMALL(19, 80),      SMALL(20, 101),      SMALL(21, 128),      SMALL(22, 161),     SMALL(23, 203),
    SMALL(24, 256),     SMALL(25, 322),      SMALL(26, 406),      SMALL(27, 512),     SMALL(28, 645),
    SMALL(29, 812),     SMALL(30, 1024),     SMALL(31, 1290),     SMALL(32, 1625),    SMALL(33, 2048),
    SMALL(34, 2580),    SMALL(35, 3250),     SMALL(36, 4096),     SMALL(37, 5060),    SMALL(38, 6501),
    SMALL(39, 8192),    SMALL(40, 10321),    SMALL(41, 13003),    SMALL(42, 16384),   SMALL(43, 20642),
    SMALL(44, 26007),   SMALL(45, 32768),    SMALL(46, 41285),    SMALL(47, 52015),   SMALL(48, 65536),
    SMALL(49, 82570),   SMALL(50, 104031),   SMALL(51, 131072),   SMALL(52, 165140),  SMALL(53, 208063),
    SMALL(54, 262144),  SMALL(55, 330280),   SMALL(56, 416127),   SMALL(57, 524287),  SMALL(58, 660561),
    SMALL(59, 832255),  SMALL(60, 1048576),  SMALL(61, 1321122),  SMALL(62, 1664510), SMALL(63, 2097152),
    SMALL(64, 2642245), SMALL(65, 3329021),  SMALL(66, 4194304),  SMALL(67, 5284491), SMALL(68, 6658042),
    SMALL(69, 8388607), SMALL(70, 10568983), SMALL(71, 13316085), SMALL(72, 16777216)};

#undef SMALL

__extension__ typedef unsigned __int128 wide;

/* x, y, z and an unused lane. Unsigned, so that overflow from hostile data wraps around. */
typedef uint32_t triple __attribute__((vector_size(16)));
typedef int32_t signed_triple __attribute__((vector_size(16)));
typedef float place __attribute__((vector_size(16)));

typedef struct bit_stream {
    const unsigned char *data;
    size_t size;
} bit_stream;

static inline uint64_t load_big_endian(const unsigned char *bytes)
{
    const uint64_t high = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
    return high << 32 | (uint32_t)bytes[4] << 24 | (uint32_t)bytes[5] << 16 | (uint32_t)bytes[6] << 8 | bytes[7];
}

static inline uint64_t swap_bytes(uint64_t value)
{
    value = (value & 0x00ff00ff00ff00ffu) << 8 | (value >> 8 & 0x00ff00ff00ff00ffu);
    value = (value & 0x0000ffff0000ffffu) << 16 | (value >> 16 & 0x0000ffff0000ffffu);
    return value << 32 | value >> 32;
}

/* Bits past the end are read as zeros. */
__attribute__((noinline)) static uint64_t load_near_end(const bit_stream *stream, uint64_t byte)
{
    uint64_t value = 0;
    for (uint64_t i = byte; i < byte + 8; i++) value = value << 8 | (i < stream->size ? stream->data[i] : 0);
    return value;
}

/* The bits from `position` (in bits) on, left-aligned; at least 57 of them. */
static inline uint64_t window(const bit_stream *stream, uint64_t position)
{
    const uint64_t byte = position >> 3;
    const uint64_t loaded =
        byte + 8 <= stream->size ? load_big_endian(stream->data + byte) : load_near_end(stream, byte);
    return loaded << (position & 7);
}

/* The number of a triple, at most 57 bits: its bytes come least significant first, the remaining bits last, on top. */
static inline uint64_t number_at(const bit_stream *stream, uint64_t position, unsigned bits, unsigned whole_bits)
{
    const uint64_t shown = window(stream, position);
    const uint64_t low = swap_bytes(shown) & (((uint64_t)1 << whole_bits) - 1);
    const uint64_t high = shown << whole_bits >> 1 >> (63 - (bits - whole_bits));
    return low | high << whole_bits;
}

/* The whole part of value / divisor. `over` is the largest 64-bit number divided by divisor, so the estimate is at most
 * 1 too small. */
static inline uint64_t divide(uint64_t value, uint64_t divisor, uint64_t over)
{
    const uint64_t estimate = (uint64_t)((wide)value * over >> 64);
    return estimate + (value - estimate * divisor >= divisor);
}

/* Numbers of 58 to 72 bits, in large or very precise frames. */
__attribute__((noinline)) static triple long_triple_at(const bit_stream *stream, uint64_t position,
                                                       const qn_xtc_code *code)
{
    const unsigned low_bits = 56, high_bits = code->bits - low_bits;
    const uint64_t low = number_at(stream, position, low_bits, low_bits);
    const uint64_t high = number_at(stream, position + low_bits, high_bits, high_bits / 8 * 8);
    const wide value = (wide)high << low_bits | low, quotient = value / code->last, first = quotient / code->middle;
    return (triple){(uint32_t)first, (uint32_t)(quotient - first * code->middle),
                    (uint32_t)(value - quotient * code->last), 0};
}

/* Three integers stored separately, most significant bit first. */
__attribute__((noinline)) static triple integers_at(const bit_stream *stream, uint64_t position, const unsigned bits[3])
{
    triple integers = {0};
    for (int k = 0; k < 3; k++) {
        integers[k] = (uint32_t)(window(stream, position) >> (64 - bits[k]));
        position += bits[k];
    }
    return integers;
}

__attribute__((always_inline)) static inline triple triple_at(const bit_stream *stream, uint64_t position,
                                                              const qn_xtc_code *code)
{
    if (code->bits > 57) return long_triple_at(stream, position, code);
    const uint64_t value = number_at(stream, position, code->bits, code->whole_bits);
    const uint64_t first = divide(value, code->both, code->over_both);
    const uint64_t quotient = divide(value, code->last, code->over_last);
    return (triple){(uint32_t)first, (uint32_t)(quotient - first * code->middle),
                    (uint32_t)(value - quotient * code->last), 0};
}

typedef struct unpacking {
    bit_stream stream;
    uint64_t position; /* in the stream, in bits */
    qn_xtc_code whole;
    unsigned each[3];    /* bits of integers that are stored separately */
    triple least, range; /* most − least */
    place step_nm;
    float *end; /* of the positions */
} unpacking;

static unsigned bit_length(wide value)
{
    unsigned bits = 0;
    for (; value > 0; value >>= 1) bits++;
    return bits;
}

bool qn_xtc_find_whole_code(const int32_t least[3], const int32_t most[3], qn_xtc_code *code, unsigned each[3])
{
    const uint64_t most_together = 0xffffff; /* larger ranges are stored separately */
    uint64_t sizes[3];
    bool together = true;
    *code = (qn_xtc_code){0};
    for (int k = 0; k < 3; k++) {
        const int64_t range = (int64_t)most[k] - least[k];
        if (range < 0 || range >= INT32_MAX) return false;
        sizes[k] = (uint64_t)range + 1;
        each[k] = bit_length(sizes[k]);
        together = together && sizes[k] <= most_together;
    }
    if (!together) return true;
    *code = (qn_xtc_code){.last = (uint32_t)sizes[2], .middle = (uint32_t)sizes[1], .both = sizes[1] * sizes[2]};
    code->over_last = UINT64_MAX / sizes[2];
    code->over_both = UINT64_MAX / code->both;
    code->bits = bit_length((wide)sizes[0] * code->both);
    code->whole_bits = code->bits / 8 * 8;
    return true;
}

/* Take a whole position, relative to `least`. */
static inline triple take_whole(const unpacking *u, uint64_t *position)
{
    const uint64_t at = *position;
    if (u->whole.bits > 0) {
        *position += u->whole.bits;
        return triple_at(&u->stream, at, &u->whole);
    }
    *position += u->each[0] + u->each[1] + u->each[2];
    return integers_at(&u->stream, at, u->each);
}

/* Store the atom at `next`; returns a triple with negative numbers where the atom is outside of the frame's bounds. The
 * lane stored after it is overwritten by the next atom. */
static inline triple put_atom(const unpacking *u, triple atom, float *next)
{
    const place position_nm = __builtin_convertvector((signed_triple)(atom + u->least), place) * u->step_nm;
    if (u->end - next >= 4) {
        memcpy(next, &position_nm, sizeof position_nm);
    } else {
        for (int k = 0; k < 3; k++) next[k] = position_nm[k];
    }
    return atom | (u->range - atom);
}

/* Store `count` atoms given by their differences to the previous atom. The first difference is from `first`, and
 * `first` itself is stored second: a hydrogen of a water is stored before the oxygen, and the other one after it. */
static inline triple put_run(const unpacking *u, const qn_xtc_code *code, triple first, unsigned count,
                             uint64_t *position, float *next)
{
    const uint32_t half = code->last / 2;
    triple before = first, outside = {0};
    for (unsigned i = 0; i < count; i++) {
        before += triple_at(&u->stream, *position, code) - half;
        *position += code->bits;
        outside |= put_atom(u, before, next);
        next += 3;
        if (i > 0) continue;
        outside |= put_atom(u, first, next);
        next += 3;
    }
    return outside;
}

/* NULL, or a description of the error. */
static const char *unpack_groups(unpacking *u, int small, float *next)
{
    const uint64_t end = (uint64_t)u->stream.size * 8;
    uint64_t position = 0;
    triple outside = {0};
    unsigned run = 0; /* unchanged where a group does not state it */
    const char *wrong = NULL;
    while (next < u->end && !wrong) {
        const qn_xtc_code *code = &qn_xtc_small_codes[small - QN_XTC_FIRST_SMALL];
        const triple first = take_whole(u, &position);
        const uint64_t shown = window(&u->stream, position);
        const unsigned told = shown >> 63 ? shown >> 58 & 31 : 3 * run + 1; /* 3 · run + change of the step + 1 */
        position += shown >> 63 ? 6 : 1;
        run = told / 3;
        if ((size_t)(u->end - next) < 3 * ((size_t)run + 1)) {
            wrong = "holds more atoms than the frame has";
        } else {
            outside |= run > 0 ? put_run(u, code, first, run, &position, next) : put_atom(u, first, next);
            next += 3 * (run + 1);
            small += (int)(told % 3) - 1;
            if (position > end)
                wrong = "holds fewer atoms than the frame has";
            else if (small < QN_XTC_FIRST_SMALL || small >= QN_XTC_END_SMALL)
                wrong = "asks for an invalid step";
        }
    }
    u->position = position;
    if (!wrong && ((int32_t)(outside[0] | outside[1] | outside[2]) < 0))
        wrong = "leads outside the bounds that the frame states";
    return !wrong && end - position >= 64 ? "holds bytes after the last atom" : wrong;
}

const char *qn_xtc_unpack(const qn_xtc_packed *packed, float *positions_nm, size_t *byte)
{
    const float step_nm = 1.0f / packed->precision;
    unpacking u = {.stream = {.data = packed->data, .size = packed->size},
                   .step_nm = {step_nm, step_nm, step_nm, step_nm},
                   .end = positions_nm + 3 * packed->atom_count};
    *byte = 0;
    if (packed->small < QN_XTC_FIRST_SMALL || packed->small >= QN_XTC_END_SMALL) return "begins with an invalid step";
    if (!qn_xtc_find_whole_code(packed->least, packed->most, &u.whole, u.each)) return "has invalid bounds";
    for (int k = 0; k < 3; k++) {
        u.least[k] = (uint32_t)packed->least[k];
        u.range[k] = (uint32_t)packed->most[k] - u.least[k];
    }
    const char *wrong = unpack_groups(&u, packed->small, positions_nm);
    *byte = u.position / 8 < packed->size ? (size_t)(u.position / 8) : packed->size;
    return wrong;
}

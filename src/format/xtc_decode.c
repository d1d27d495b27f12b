#include "format/xtc_decode.h"

#include <stdbool.h>
#include <string.h>

#define RADIX(m)                                                          \
    {                                                                     \
        m, (uint64_t)m *m, UINT64_MAX / m, UINT64_MAX / ((uint64_t)m * m) \
    }

const qn_xtc_radix qn_xtc_radices[QN_XTC_END_SMALL - QN_XTC_FIRST_SMALL] = {
    RADIX(8),       RADIX(10),      RADIX(12),      RADIX(16),      RADIX(20),      RADIX(25),       RADIX(32),
    RADIX(40),      RADIX(50),      RADIX(64),      RADIX(80),      RADIX(101),     RADIX(128),      RADIX(161),
    RADIX(203),     RADIX(256),     RADIX(322),     RADIX(406),     RADIX(512),     RADIX(645),      RADIX(812),
    RADIX(1024),    RADIX(1290),    RADIX(1625),    RADIX(2048),    RADIX(2580),    RADIX(3250),     RADIX(4096),
    RADIX(5060),    RADIX(6501),    RADIX(8192),    RADIX(10321),   RADIX(13003),   RADIX(16384),    RADIX(20642),
    RADIX(26007),   RADIX(32768),   RADIX(41285),   RADIX(52015),   RADIX(65536),   RADIX(82570),    RADIX(104031),
    RADIX(131072),  RADIX(165140),  RADIX(208063),  RADIX(262144),  RADIX(330280),  RADIX(416127),   RADIX(524287),
    RADIX(660561),  RADIX(832255),  RADIX(1048576), RADIX(1321122), RADIX(1664510), RADIX(2097152),  RADIX(2642245),
    RADIX(3329021), RADIX(4194304), RADIX(5284491), RADIX(6658042), RADIX(8388607), RADIX(10568983), RADIX(13316085),
    RADIX(16777216)};

__extension__ typedef unsigned __int128 wide;

typedef struct bit_stream {
    const unsigned char *data;
    size_t size;
    uint64_t position; /* in bits; past the end zeros are read */
} bit_stream;

/* Three integers in mixed radix: value = (x · sizes[1] + y) · sizes[2] + z. */
typedef struct triple_code {
    unsigned bits, bytes_bits; /* of a triple; of its whole bytes */
    uint32_t last;             /* sizes[2] */
    uint32_t middle;           /* sizes[1] */
    uint64_t both;             /* sizes[1] · sizes[2] */
    uint64_t over_last, over_both;
    unsigned each[3]; /* bits of each integer where they stand by themselves; else 0 */
} triple_code;

static uint64_t swap_bytes(uint64_t value)
{
    value = (value & 0x00ff00ff00ff00ffu) << 8 | (value >> 8 & 0x00ff00ff00ff00ffu);
    value = (value & 0x0000ffff0000ffffu) << 16 | (value >> 16 & 0x0000ffff0000ffffu);
    return value << 32 | value >> 32;
}

static uint64_t load_big_endian(const unsigned char *bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) value = value << 8 | bytes[i];
    return value;
}

static uint64_t load_near_end(const bit_stream *stream, uint64_t byte)
{
    uint64_t value = 0;
    for (uint64_t i = byte; i < byte + 8; i++) value = value << 8 | (i < stream->size ? stream->data[i] : 0);
    return value;
}

/* The bits from `position` on, at the top; at least 57 of them. */
static inline uint64_t window(const bit_stream *stream, uint64_t position)
{
    const uint64_t byte = position >> 3;
    const uint64_t loaded =
        byte + 8 <= stream->size ? load_big_endian(stream->data + byte) : load_near_end(stream, byte);
    return loaded << (position & 7);
}

/* An integer of at most 32 bits, most significant first. */
static inline uint32_t take_bits(bit_stream *stream, unsigned bits)
{
    const uint64_t value = window(stream, stream->position) >> 1 >> (63 - bits);
    stream->position += bits;
    return (uint32_t)value;
}

/* A triple's number of at most 57 bits: its bytes come least significant first, and what is left of bits above. */
static inline uint64_t take_number(bit_stream *stream, unsigned bits, unsigned bytes_bits)
{
    const uint64_t shown = window(stream, stream->position);
    const uint64_t low = swap_bytes(shown) & (((uint64_t)1 << bytes_bits) - 1);
    const uint64_t high = shown << bytes_bits >> 1 >> (63 - (bits - bytes_bits));
    stream->position += bits;
    return low | high << bytes_bits;
}

/* The whole part of value / divisor by `over`, the largest 64-bit number over divisor: the estimate is at most 1 too
 * small. */
static inline uint64_t divide(uint64_t value, uint64_t divisor, uint64_t over)
{
    const uint64_t estimate = (uint64_t)((wide)value * over >> 64);
    return estimate + (value - estimate * divisor >= divisor);
}

/* Numbers of 58 to 72 bits, in large or very precise frames. */
static void take_long_triple(bit_stream *stream, const triple_code *code, uint32_t integers[3])
{
    const unsigned low_bits = 56, high_bits = code->bits - low_bits;
    const uint64_t low = take_number(stream, low_bits, low_bits);
    const uint64_t high = take_number(stream, high_bits, high_bits & ~7u);
    const wide value = (wide)high << low_bits | low, quotient = value / code->last;
    integers[2] = (uint32_t)(value - quotient * code->last);
    integers[0] = (uint32_t)(quotient / code->middle);
    integers[1] = (uint32_t)(quotient - (wide)integers[0] * code->middle);
}

static inline void take_triple(bit_stream *stream, const triple_code *code, uint32_t integers[3])
{
    if (code->bits - 1 > 56) { /* none, or more than a window shows */
        if (code->bits > 0)
            take_long_triple(stream, code, integers);
        else
            for (int k = 0; k < 3; k++) integers[k] = take_bits(stream, code->each[k]);
        return;
    }
    const uint64_t value = take_number(stream, code->bits, code->bytes_bits);
    const uint64_t first = divide(value, code->both, code->over_both);
    const uint64_t quotient = divide(value, code->last, code->over_last);
    integers[0] = (uint32_t)first;
    integers[1] = (uint32_t)(quotient - first * code->middle);
    integers[2] = (uint32_t)(value - quotient * code->last);
}

static unsigned bit_length(wide value)
{
    unsigned bits = 0;
    for (; value > 0; value >>= 1) bits++;
    return bits;
}

/* The code of whole positions; false where the bounds make no sense. */
static bool large_code(const qn_xtc_packed *packed, triple_code *code)
{
    const uint64_t most_together = 0xffffff; /* sizes above that stand by themselves */
    uint64_t sizes[3];
    bool together = true;
    for (int k = 0; k < 3; k++) {
        const int64_t range = (int64_t)packed->most[k] - packed->least[k];
        if (range < 0 || range >= UINT32_MAX) return false;
        sizes[k] = (uint64_t)range + 1;
        together = together && sizes[k] <= most_together;
    }
    *code = (triple_code){.last = (uint32_t)sizes[2], .middle = (uint32_t)sizes[1], .both = sizes[1] * sizes[2]};
    code->over_last = UINT64_MAX / sizes[2];
    if (together) {
        code->over_both = UINT64_MAX / code->both;
        code->bits = bit_length((wide)sizes[0] * code->both);
        code->bytes_bits = code->bits & ~7u;
    } else {
        for (int k = 0; k < 3; k++) code->each[k] = bit_length(sizes[k]);
    }
    return true;
}

static void small_code(int small, triple_code *code)
{
    const qn_xtc_radix *radix = &qn_xtc_radices[small - QN_XTC_FIRST_SMALL];
    *code = (triple_code){.bits = (unsigned)small,
                          .bytes_bits = (unsigned)small & ~7u,
                          .last = radix->radix,
                          .middle = radix->radix,
                          .both = radix->square,
                          .over_last = radix->over_radix,
                          .over_both = radix->over_square};
}

typedef struct unpacking {
    bit_stream stream;
    triple_code large, small_code;
    int small;
    float step_nm;
    uint32_t least[3], sizes[3]; /* sizes: most − least */
    float *next;
    bool outside; /* an atom was found outside the bounds */
} unpacking;

/* Unsigned throughout: what hostile data add up to wraps around, and is then outside the bounds. */
static inline void put_atom(unpacking *u, const uint32_t integers[3])
{
    for (int k = 0; k < 3; k++) {
        u->outside |= integers[k] - u->least[k] > u->sizes[k];
        u->next[k] = (float)(int32_t)integers[k] * u->step_nm;
    }
    u->next += 3;
}

/* `count` ≥ 1 atoms by their differences to the one before, the first of them to `first`, which comes out second: so
 * the oxygen of water stands between its hydrogens. */
static inline void put_run(unpacking *u, const uint32_t first[3], unsigned count)
{
    const uint32_t half = u->small_code.last / 2;
    uint32_t atom[3], before[3];
    take_triple(&u->stream, &u->small_code, before);
    for (int k = 0; k < 3; k++) before[k] += first[k] - half;
    put_atom(u, before);
    put_atom(u, first);
    for (unsigned i = 1; i < count; i++) {
        take_triple(&u->stream, &u->small_code, atom);
        for (int k = 0; k < 3; k++) before[k] += atom[k] - half;
        put_atom(u, before);
    }
}

static const char *unpack_groups(unpacking *u, size_t atom_count)
{
    const uint64_t end = (uint64_t)u->stream.size * 8;
    unsigned run = 0; /* stays as it is where a group does not say */
    for (size_t left = atom_count; left > 0;) {
        uint32_t first[3];
        take_triple(&u->stream, &u->large, first);
        for (int k = 0; k < 3; k++) first[k] += u->least[k];
        int change = 0;
        const uint64_t shown = window(&u->stream, u->stream.position);
        if (shown >> 63) {
            const unsigned told = shown >> 58 & 31;
            run = told / 3;
            change = (int)(told % 3) - 1;
            u->stream.position += 6;
        } else {
            u->stream.position += 1;
        }
        if (run + 1 > left) return "holds more atoms than the frame has";
        left -= run + 1;
        if (run > 0)
            put_run(u, first, run);
        else
            put_atom(u, first);
        if (u->stream.position > end) return "holds fewer atoms than the frame has";
        if (change != 0) {
            u->small += change;
            if (u->small < QN_XTC_FIRST_SMALL || u->small >= QN_XTC_END_SMALL)
                return "asks for a step that there is not";
            small_code(u->small, &u->small_code);
        }
    }
    if (u->outside) return "leads outside the bounds that the frame states";
    return end - u->stream.position >= 64 ? "holds bytes behind the last atom" : NULL;
}

const char *qn_xtc_unpack(const qn_xtc_packed *packed, float *positions_nm, size_t *byte)
{
    unpacking u = {.stream = {.data = packed->data, .size = packed->size},
                   .small = packed->small,
                   .step_nm = 1.0f / packed->precision,
                   .next = positions_nm};
    *byte = 0;
    if (packed->small < QN_XTC_FIRST_SMALL || packed->small >= QN_XTC_END_SMALL)
        return "begins with a step that there is not";
    if (!large_code(packed, &u.large)) return "has bounds that are none";
    for (int k = 0; k < 3; k++) {
        u.least[k] = (uint32_t)packed->least[k];
        u.sizes[k] = (uint32_t)packed->most[k] - u.least[k];
    }
    small_code(u.small, &u.small_code);
    const char *wrong = unpack_groups(&u, packed->atom_count);
    *byte = u.stream.position / 8 < packed->size ? (size_t)(u.stream.position / 8) : packed->size;
    return wrong;
}

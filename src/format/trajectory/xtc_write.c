/* Writing XTC frames. The format leaves it to the writer which differences are written small and with which
 * radix; every reader can read all choices. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/trajectory/trajectory_write_format.h"
#include "format/trajectory/xdr.h"
#include "format/trajectory/xtc_decode.h"
#include "format/trajectory/xtc_layout.h"

enum {
    RUN_MAX = 8,          /* small differences in a row */
    GROUPS_AHEAD = 4,     /* examined before the radix changes */
    SAMPLE_ATOMS = 600,   /* examined for the first radix */
    ATOMS_MAX = 298261617 /* of magic 1995, as in GROMACS: the byte count of more atoms may exceed 32 bits */
};

__extension__ typedef unsigned __int128 wide;

typedef struct xtc_writer {
    size_t atom_count;
    float precision; /* 1/nm */
    bool large;
    int32_t *integers; /* atom_count × 3: positions · precision */
    unsigned char *bits;
    unsigned char *next; /* byte of `bits` */
    uint64_t held;       /* bits that do not fill a byte yet, the lowest `held_bits` */
    unsigned held_bits;
} xtc_writer;

static void destroy(void *state)
{
    xtc_writer *x = state;
    qn_release(&x->integers);
    qn_release(&x->bits);
    qn_release(&state);
}

static qn_status create(const char *path, size_t atom_count, const qn_trajectory_write_options *options, void **state)
{
    void *memory;
    const double precision = options->precision == 0 ? 1000 : options->precision;
    if (!(precision > 0) || precision > 1e9)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: precision %g; expected a number above 0, at most 1e9", path,
                       precision);
    if (atom_count > INT32_MAX) return QN_FAIL(QN_UNSUPPORTED, "%s: XTC cannot hold %zu atoms", path, atom_count);
    QN_TRY(qn_allocate(1, sizeof(xtc_writer), &memory));
    xtc_writer *x = *state = memory;
    x->atom_count = atom_count;
    x->precision = (float)precision;
    x->large = options->large || atom_count > ATOMS_MAX;
    QN_TRY(qn_allocate(3 * atom_count, sizeof *x->integers, &memory));
    x->integers = memory;
    QN_TRY(qn_allocate(QN_XTC_ATOM_BYTES_MAX * atom_count + 16, 1, &memory));
    x->bits = memory;
    return QN_OK;
}

/* Write at most 32 bits, most significant first. */
static void put_bits(xtc_writer *x, uint32_t value, unsigned bits)
{
    x->held = x->held << bits | value;
    x->held_bits += bits;
    while (x->held_bits >= 8) {
        x->held_bits -= 8;
        *x->next++ = (unsigned char)(x->held >> x->held_bits);
    }
}

/* Write the bytes least significant first, the bits of each byte most significant first. */
static void put_triple(xtc_writer *x, const qn_xtc_code *code, const uint32_t integers[3])
{
    wide value = ((wide)integers[0] * code->middle + integers[1]) * code->last + integers[2];
    unsigned bits = code->bits;
    for (; bits >= 8; bits -= 8, value >>= 8) put_bits(x, (uint32_t)(value & 255), 8);
    put_bits(x, (uint32_t)value, bits);
}

static const qn_xtc_code *small_code(int small)
{
    return &qn_xtc_small_codes[small - QN_XTC_FIRST_SMALL];
}

/* Find to − from in the small code; false where it does not fit. */
static bool find_difference(const int32_t from[3], const int32_t to[3], uint32_t radix, uint32_t difference[3])
{
    bool fits = true;
    for (int k = 0; k < 3; k++) {
        difference[k] = (uint32_t)to[k] - (uint32_t)from[k] + radix / 2;
        fits = fits && difference[k] < radix;
    }
    return fits;
}

/* Number of consecutive small differences in a group that begins at `atom`: from the next atom, which is
 * written whole, to this atom, then from this atom to the atom after the next one, and so on. */
static unsigned find_run(const xtc_writer *x, size_t atom, int small)
{
    const uint32_t radix = small_code(small)->last;
    const int32_t *p = x->integers + 3 * atom;
    const size_t left = x->atom_count - atom;
    uint32_t difference[3];
    if (left < 2 || !find_difference(p + 3, p, radix, difference)) return 0;
    unsigned run = 1;
    const int32_t *before = p;
    while (run < RUN_MAX && run + 1 < left && find_difference(before, p + 3 * (run + 1), radix, difference)) {
        run++;
        before = p + 3 * run;
    }
    return run;
}

/* Find the constant radix that needs the fewest bits for the first atoms. */
static int find_first_small(const xtc_writer *x, unsigned whole_bits)
{
    const size_t end = x->atom_count < SAMPLE_ATOMS ? x->atom_count : SAMPLE_ATOMS;
    uint64_t least = UINT64_MAX;
    int best = QN_XTC_FIRST_SMALL;
    for (int small = QN_XTC_FIRST_SMALL; small < QN_XTC_END_SMALL; small++) {
        uint64_t bits = 0;
        for (size_t atom = 0; atom < end;) {
            const unsigned run = find_run(x, atom, small);
            bits += whole_bits + 1 + (uint64_t)run * (unsigned)small;
            atom += run + 1;
        }
        if (bits >= least) continue;
        least = bits;
        best = small;
    }
    return best;
}

/* Bits per atom over the next groups from `atom` on with an unchanged radix. */
static double find_cost(const xtc_writer *x, size_t atom, unsigned whole_bits, int small)
{
    const size_t begin = atom;
    uint64_t bits = 0;
    for (int group = 0; group < GROUPS_AHEAD && atom < x->atom_count; group++) {
        const unsigned run = find_run(x, atom, small);
        bits += whole_bits + 1 + (uint64_t)run * (unsigned)small;
        atom += run + 1;
    }
    return (double)bits / (double)(atom - begin);
}

/* Find the radix, at most one step from `small`, that needs the fewest bits per atom in the groups from `atom` on;
 * where no step helps, one step back towards the frame's best radix. */
static int find_next_small(const xtc_writer *x, size_t atom, unsigned whole_bits, int small, int usual)
{
    if (atom >= x->atom_count) return small;
    int best = small, home = small + (small < usual) - (small > usual);
    double least = INFINITY;
    for (int change = -1; change <= 1; change++) {
        const int tried = small + change;
        if (tried < QN_XTC_FIRST_SMALL || tried >= QN_XTC_END_SMALL) continue;
        const double bits = find_cost(x, atom, whole_bits, tried);
        if (bits >= least) continue;
        least = bits;
        best = tried;
    }
    return least <= whole_bits ? best : home;
}

static void put_whole(xtc_writer *x, const qn_xtc_code *whole, const unsigned each[3], const int32_t least[3],
                      const int32_t position[3])
{
    uint32_t integers[3];
    for (int k = 0; k < 3; k++) integers[k] = (uint32_t)position[k] - (uint32_t)least[k];
    if (whole->bits > 0)
        put_triple(x, whole, integers);
    else
        for (int k = 0; k < 3; k++) put_bits(x, integers[k], each[k]);
}

static void put_run(xtc_writer *x, size_t atom, unsigned run, int small)
{
    const qn_xtc_code *code = small_code(small);
    const int32_t *p = x->integers + 3 * atom, *before = p;
    uint32_t difference[3];
    for (unsigned i = 0; i < run; i++) {
        if (i == 0)
            find_difference(p + 3, p, code->last, difference);
        else
            find_difference(before, p + 3 * (i + 1), code->last, difference);
        put_triple(x, code, difference);
        if (i > 0) before = p + 3 * (i + 1);
    }
}

/* Returns the number of bytes of the stream. */
static size_t pack(xtc_writer *x, const int32_t least[3], const int32_t most[3], int *first_small)
{
    qn_xtc_code whole;
    unsigned each[3], told_run = 0;
    qn_xtc_find_whole_code(least, most, &whole, each);
    const unsigned whole_bits = whole.bits > 0 ? whole.bits : each[0] + each[1] + each[2];
    const int usual = find_first_small(x, whole_bits);
    x->next = x->bits;
    x->held = x->held_bits = 0;
    int small = *first_small = usual;
    for (size_t atom = 0; atom < x->atom_count;) {
        const unsigned run = find_run(x, atom, small);
        const int next = find_next_small(x, atom + run + 1, whole_bits, small, usual);
        put_whole(x, &whole, each, least, x->integers + 3 * (atom + (run > 0)));
        if (run == told_run && next == small) {
            put_bits(x, 0, 1);
        } else {
            put_bits(x, 1, 1);
            put_bits(x, 3 * run + (unsigned)(next - small + 1), 5);
        }
        told_run = run;
        put_run(x, atom, run, small);
        atom += run + 1;
        small = next;
    }
    if (x->held_bits > 0) put_bits(x, 0, 8 - x->held_bits);
    return (size_t)(x->next - x->bits);
}

static qn_status round_positions(xtc_writer *x, const float *positions_nm, int32_t least[3], int32_t most[3])
{
    const double largest = INT32_MAX - 2;
    for (size_t i = 0; i < 3 * x->atom_count; i++) {
        const double value = round((double)positions_nm[i] * (double)x->precision);
        if (!(fabs(value) <= largest))
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "atom %zu is at %g nm; expected less than %g nm at a precision of 1/%g nm", i / 3 + 1,
                           (double)positions_nm[i], largest / (double)x->precision, (double)x->precision);
        x->integers[i] = (int32_t)value;
    }
    for (int k = 0; k < 3; k++) {
        least[k] = most[k] = x->integers[k];
        for (size_t i = 1; i < x->atom_count; i++) {
            const int32_t value = x->integers[3 * i + (size_t)k];
            if (value < least[k]) least[k] = value;
            if (value > most[k]) most[k] = value;
        }
        if ((double)most[k] - (double)least[k] >= largest)
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "atoms are up to %g nm apart; expected less than %g nm at a precision of 1/%g nm",
                           ((double)most[k] - (double)least[k]) / (double)x->precision, largest / (double)x->precision,
                           (double)x->precision);
    }
    return QN_OK;
}

static qn_status append_packed(xtc_writer *x, const qn_trajectory_frame *frame, char head[QN_XTC_LARGE_STREAM],
                               qn_text *bytes)
{
    static const char padding[4];
    int32_t least[3], most[3];
    int small;
    QN_TRY(round_positions(x, frame->positions_nm, least, most));
    const size_t size = pack(x, least, most, &small);
    qn_xdr_put_float(x->precision, head + QN_XTC_PRECISION);
    for (int k = 0; k < 3; k++) {
        qn_xdr_put_int(least[k], head + QN_XTC_LEAST + 4 * k);
        qn_xdr_put_int(most[k], head + QN_XTC_MAX + 4 * k);
    }
    qn_xdr_put_int(small, head + QN_XTC_SMALL);
    if (x->large) qn_xdr_put_unsigned((uint32_t)((uint64_t)size >> 32), head + QN_XTC_STREAM_BYTES);
    qn_xdr_put_unsigned((uint32_t)size, head + QN_XTC_STREAM_BYTES + (x->large ? 4 : 0));
    QN_TRY(qn_text_append_bytes(bytes, head, x->large ? QN_XTC_LARGE_STREAM : QN_XTC_STREAM));
    QN_TRY(qn_text_append_bytes(bytes, x->bits, size));
    return qn_text_append_bytes(bytes, padding, (4 - size % 4) % 4);
}

static qn_status append(void *state, const qn_trajectory_frame *frame, qn_text *bytes)
{
    xtc_writer *x = state;
    char head[QN_XTC_LARGE_STREAM], number[4];
    qn_xdr_put_int(x->large ? QN_XTC_LARGE_MAGIC : QN_XTC_MAGIC, head);
    qn_xdr_put_int((int32_t)x->atom_count, head + QN_XTC_ATOMS);
    qn_xdr_put_int(frame->step < 0 ? 0 : (int32_t)(uint32_t)(uint64_t)frame->step, head + QN_XTC_STEP);
    qn_xdr_put_float(isnan(frame->time_ps) ? 0 : (float)frame->time_ps, head + QN_XTC_TIME);
    for (int k = 0; k < 9; k++) qn_xdr_put_float((float)frame->box_nm[k], head + QN_XTC_BOX + 4 * k);
    qn_xdr_put_int((int32_t)x->atom_count, head + QN_XTC_ATOMS_AGAIN);
    if (x->atom_count > QN_XTC_RAW_ATOMS_MAX) return append_packed(x, frame, head, bytes);
    QN_TRY(qn_text_append_bytes(bytes, head, QN_XTC_RAW));
    for (size_t i = 0; i < 3 * x->atom_count; i++) {
        qn_xdr_put_float(frame->positions_nm[i], number);
        QN_TRY(qn_text_append_bytes(bytes, number, sizeof number));
    }
    return QN_OK;
}

const qn_trajectory_write_format qn_trajectory_write_xtc = {
    .ending = ".xtc", .create = create, .append = append, .destroy = destroy};

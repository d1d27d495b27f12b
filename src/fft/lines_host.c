#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "fft/lanes.h"
#include "fft/lines.h"

#include "fft/kernels/butterflies.dev.h" /* uses the vectors of lanes.h */

/* Input and output of a pass. Steps are in floats between points. The output of the last pass of an inverse runs
 * backwards: point 0 goes to `out_zero`, point t to out + out_step·t. */
typedef struct pass_job {
    const qn_line_pass *pass;
    const float *in;
    ptrdiff_t in_step;
    int filled;
    float *out, *out_zero;
    ptrdiff_t out_step;
    float *spare; /* 2·radix points, for radices without a butterfly */
} pass_job;

typedef enum pass_place {
    FIRST,  /* reads memory, writes scratch; stride 1 */
    BEGIN,  /* the same from scratch */
    MIDDLE, /* scratch to scratch, any groups and stride */
    LAST,   /* scratch to scratch without factors, in final order; one group */
    STORE,  /* the same to memory */
    STREAM, /* the same past the caches */
    PLACE_COUNT
} pass_place;

/* Addresses base + k·step for k < 16 from few registers: the processor adds a register times 1, 2, 4 or 8 at no cost.
 */
typedef struct strides {
    ptrdiff_t one, three, five, seven; /* multiples of the step in floats */
} strides;

QN_INLINE strides strides_of(ptrdiff_t step)
{
    return (strides){step, 3 * step, 5 * step, 7 * step};
}

QN_INLINE ptrdiff_t times(const strides *s, int k)
{
    const ptrdiff_t below = k < 8 ? 0 : 8 * s->one;
    switch (k % 8) {
    case 3: return below + s->three;
    case 5: return below + s->five;
    case 6: return below + 2 * s->three;
    case 7: return below + s->seven;
    default: return below + k % 8 * s->one;
    }
}

/* Keep the compiler from holding a running pointer for every k, which would not fit the registers. */
#define QN_OPAQUE(pointer) __asm__("" : "+r"(pointer))

/* Points of a butterfly that are read: those of memory below `filled`, all, or a constant number less than FEW. */
enum { UP_TO_FILLED = -1, ALL = -2, FEW = 5 };

/* Run the first pass of a line, butterflies `begin` … `end` − 1: read points p + groups·k, write radix consecutive
 * points. Points that are not read are constants 0, whose products cost nothing. */
QN_INLINE void run_first_pass(int radix, bool from_memory, int inputs, const pass_job *job, ptrdiff_t begin,
                              ptrdiff_t end)
{
    const ptrdiff_t groups = job->pass->groups, filled = job->filled;
    const ptrdiff_t in_step = from_memory ? job->in_step : POINT_FLOATS;
    const strides apart = strides_of(groups * in_step);
    const float *factors = job->pass->factors + 2 * (radix - 1) * begin, *in = job->in + begin * in_step;
    float *out = job->out + begin * radix * POINT_FLOATS;
    for (ptrdiff_t p = begin; p < end; p++) {
        point x[QN_LINE_RADIX_MAX];
        QN_OPAQUE(in);
#pragma GCC unroll 16
        for (int k = 0; k < radix; k++) {
            const float *from = in + times(&apart, k);
            x[k] = (point){0};
            if (!from_memory) {
                x[k] = load_split(from);
            } else if (inputs == ALL || k < inputs || (inputs == UP_TO_FILLED && p + groups * k < filled)) {
                /* The points of columns lie too far apart for the processor's prefetcher; this fetches the next tile.
                 */
                prefetch_interleaved(from + POINT_FLOATS);
                x[k] = load_interleaved(from);
            }
        }
        butterfly(radix, x);
        store_split(out, x[output_of(radix, 0)]);
#pragma GCC unroll 16
        for (int j = 1; j < radix; j++)
            store_split(out + j * POINT_FLOATS,
                        point_multiply(x[output_of(radix, j)], factors[2 * j - 2], factors[2 * j - 1]));
        in += in_step;
        out += radix * POINT_FLOATS;
        factors += 2 * (radix - 1);
    }
}

/* Run the last pass of a line: stride = length / radix, one group, no factors. */
QN_INLINE void run_last_pass(int radix, pass_place place, const pass_job *job)
{
    const ptrdiff_t count = job->pass->stride, out_step = job->out_step;
    const strides in_apart = strides_of(count * POINT_FLOATS), out_apart = strides_of(count * out_step);
    const float *in = job->in;
    float *out = job->out, *out_first = job->out_zero;
    for (ptrdiff_t q = 0; q < count; q++) {
        point x[QN_LINE_RADIX_MAX];
        QN_OPAQUE(in);
#pragma GCC unroll 16
        for (int k = 0; k < radix; k++) x[k] = load_split(in + times(&in_apart, k));
        butterfly(radix, x);
        QN_OPAQUE(out);
#pragma GCC unroll 16
        for (int j = 0; j < radix; j++) {
            float *to = j == 0 ? out_first : out + times(&out_apart, j);
            if (place == STREAM)
                stream_interleaved(to, x[output_of(radix, j)]);
            else if (place == STORE)
                store_interleaved(to, x[output_of(radix, j)]);
            else
                store_split(to, x[output_of(radix, j)]);
        }
        in += POINT_FLOATS;
        out += out_step;
        out_first = out;
    }
}

QN_INLINE void run_middle_pass(int radix, const pass_job *job)
{
    const ptrdiff_t groups = job->pass->groups, stride = job->pass->stride;
    const strides in_apart = strides_of(groups * stride * POINT_FLOATS), out_apart = strides_of(stride * POINT_FLOATS);
    const float *factors = job->pass->factors, *in = job->in;
    float *out = job->out;
    for (ptrdiff_t p = 0; p < groups; p++) {
        for (ptrdiff_t q = 0; q < stride; q++) {
            point x[QN_LINE_RADIX_MAX];
            QN_OPAQUE(in);
#pragma GCC unroll 16
            for (int k = 0; k < radix; k++) x[k] = load_split(in + times(&in_apart, k));
            butterfly(radix, x);
            QN_OPAQUE(out);
            store_split(out, x[output_of(radix, 0)]);
#pragma GCC unroll 16
            for (int j = 1; j < radix; j++)
                store_split(out + times(&out_apart, j),
                            point_multiply(x[output_of(radix, j)], factors[2 * j - 2], factors[2 * j - 1]));
            in += POINT_FLOATS;
            out += POINT_FLOATS;
        }
        out += (radix - 1) * stride * POINT_FLOATS;
        factors += 2 * (radix - 1);
    }
}

/* Run a pass of a radix without a butterfly by its defining sum, with x_k ± x_{r−k} taken together. */
static void run_prime_pass(pass_place place, const pass_job *job)
{
    const qn_line_pass *pass = job->pass;
    const int radix = pass->radix, half = radix / 2;
    const ptrdiff_t stride = pass->stride, spread = stride * pass->groups;
    const bool with_factors = place == FIRST || place == BEGIN || place == MIDDLE;
    for (ptrdiff_t p = 0; p < pass->groups; p++) {
        for (ptrdiff_t q = 0; q < stride; q++) {
            const float *in = job->in + (q + stride * p) * job->in_step;
            float *sums = job->spare, *differences = job->spare + (half + 1) * POINT_FLOATS;
            point zero = place == FIRST ? (p < job->filled ? load_interleaved(in) : (point){0}) : load_split(in);
            point total = zero;
            for (int k = 1; k <= half; k++) {
                const float *low = in + k * spread * job->in_step, *high = in + (radix - k) * spread * job->in_step;
                point a, b;
                if (place == FIRST) {
                    a = p + pass->groups * k < job->filled ? load_interleaved(low) : (point){0};
                    b = p + pass->groups * (radix - k) < job->filled ? load_interleaved(high) : (point){0};
                } else {
                    a = load_split(low);
                    b = load_split(high);
                }
                store_split(sums + k * POINT_FLOATS, point_add(a, b));
                store_split(differences + k * POINT_FLOATS, point_subtract(a, b));
                total = point_add(total, point_add(a, b));
            }
            for (int j = 0; j <= half; j++) {
                point real = total, turn = {0};
                if (j > 0) {
                    real = zero;
                    for (int k = 1, angle = j; k <= half; k++) {
                        real =
                            point_add(real, point_scale(load_split(sums + k * POINT_FLOATS), pass->roots[2 * angle]));
                        turn = point_add(
                            turn, point_scale(load_split(differences + k * POINT_FLOATS), pass->roots[2 * angle + 1]));
                        angle = angle + j < radix ? angle + j : angle + j - radix;
                    }
                }
                for (int side = 0; side < (j > 0 ? 2 : 1); side++) {
                    const ptrdiff_t number = side ? radix - j : j;
                    point y = side ? point_add_i(real, turn) : point_subtract_i(real, turn);
                    const ptrdiff_t t = q + stride * (radix * p + number);
                    float *to = t == 0 ? job->out_zero : job->out + t * job->out_step;
                    if (with_factors && number > 0) {
                        const float *factor = pass->factors + 2 * ((radix - 1) * p + number - 1);
                        y = point_multiply(y, factor[0], factor[1]);
                    }
                    if (place == STORE)
                        store_interleaved(to, y);
                    else
                        store_split(to, y);
                }
            }
        }
    }
}

typedef void (*pass_function)(const pass_job *job);

/* A first pass, butterflies `begin` … `end` − 1, that reads a constant number of each butterfly's points. */
typedef void (*range_function)(const pass_job *job, ptrdiff_t begin, ptrdiff_t end);

/* Run the first pass by functions few[number of points], if fewer than FEW points of each butterfly can differ from 0.
 * Returns false if more can. */
static bool run_few(const range_function few[FEW], const pass_job *job)
{
    const ptrdiff_t groups = job->pass->groups, inputs = job->filled / groups, more = job->filled % groups;
    if (inputs + (more > 0) >= FEW || inputs >= job->pass->radix) return false;
    if (more > 0) few[inputs + 1](job, 0, more);
    few[inputs](job, more, groups);
    return true;
}

#define QN_FEW(radix, inputs)                                                                       \
    static void few_##inputs##_of_##radix(const pass_job *job, ptrdiff_t begin, ptrdiff_t end)      \
    {                                                                                               \
        run_first_pass(radix, true, (inputs) < (radix) ? (inputs) : UP_TO_FILLED, job, begin, end); \
    }
#define QN_RADIX(radix)                                                                               \
    QN_FEW(radix, 0)                                                                                  \
    QN_FEW(radix, 1)                                                                                  \
    QN_FEW(radix, 2)                                                                                  \
    QN_FEW(radix, 3)                                                                                  \
    QN_FEW(radix, 4)                                                                                  \
    static void first_##radix(const pass_job *job)                                                    \
    {                                                                                                 \
        static const range_function few[FEW] = {few_0_of_##radix, few_1_of_##radix, few_2_of_##radix, \
                                                few_3_of_##radix, few_4_of_##radix};                  \
        if (job->filled >= job->pass->groups * radix)                                                 \
            run_first_pass(radix, true, ALL, job, 0, job->pass->groups);                              \
        else if (!run_few(few, job))                                                                  \
            run_first_pass(radix, true, UP_TO_FILLED, job, 0, job->pass->groups);                     \
    }                                                                                                 \
    static void begin_##radix(const pass_job *job)                                                    \
    {                                                                                                 \
        run_first_pass(radix, false, ALL, job, 0, job->pass->groups);                                 \
    }                                                                                                 \
    static void middle_##radix(const pass_job *job)                                                   \
    {                                                                                                 \
        run_middle_pass(radix, job);                                                                  \
    }                                                                                                 \
    static void last_##radix(const pass_job *job)                                                     \
    {                                                                                                 \
        run_last_pass(radix, LAST, job);                                                              \
    }                                                                                                 \
    static void store_##radix(const pass_job *job)                                                    \
    {                                                                                                 \
        run_last_pass(radix, STORE, job);                                                             \
    }                                                                                                 \
    static void stream_##radix(const pass_job *job)                                                   \
    {                                                                                                 \
        run_last_pass(radix, STREAM, job);                                                            \
    }
#define QN_RADIX_ENTRY(radix) \
    [radix] = {first_##radix, begin_##radix, middle_##radix, last_##radix, store_##radix, stream_##radix}

QN_RADIX(2)
QN_RADIX(3)
QN_RADIX(4)
QN_RADIX(5)
QN_RADIX(6)
QN_RADIX(7)
QN_RADIX(8)
QN_RADIX(9)
QN_RADIX(10)
QN_RADIX(12)

static const pass_function pass_table[QN_LINE_RADIX_MAX + 1][PLACE_COUNT] = {
    QN_RADIX_ENTRY(2), QN_RADIX_ENTRY(3), QN_RADIX_ENTRY(4), QN_RADIX_ENTRY(5),  QN_RADIX_ENTRY(6),
    QN_RADIX_ENTRY(7), QN_RADIX_ENTRY(8), QN_RADIX_ENTRY(9), QN_RADIX_ENTRY(10), QN_RADIX_ENTRY(12)};

static void run_any_pass(pass_place place, const pass_job *job)
{
    if (job->pass->roots)
        run_prime_pass(place, job);
    else
        pass_table[job->pass->radix][place](job);
}

static void set_output(pass_job *job, const qn_line_plan *plan, float *out, ptrdiff_t step)
{
    job->out_zero = out;
    job->out = plan->inverse ? out + plan->length * step : out;
    job->out_step = plan->inverse ? -step : step;
}

/* Second line of a plan's scratch. The scratch holds two lines of length + 1 points, then the spare memory of
 * run_prime_pass. */
static float *second_line(const qn_line_plan *plan, float *scratch)
{
    return scratch + (size_t)(plan->length + 1) * POINT_FLOATS;
}

static float *spare_room(const qn_line_plan *plan, float *scratch)
{
    return second_line(plan, scratch) + (size_t)(plan->length + 1) * POINT_FLOATS;
}

/* Run passes `first` … `end` − 1 between the two lines of scratch, from *from; *from becomes the line of the result. */
static void run_scratch_passes(const qn_line_plan *plan, int first, int end, float *scratch, float **from)
{
    for (int i = first; i < end; i++) {
        float *to = *from == scratch ? second_line(plan, scratch) : scratch;
        pass_job job = {&plan->passes[i],         *from, POINT_FLOATS, plan->length, to, to, POINT_FLOATS,
                        spare_room(plan, scratch)};
        if (i == plan->pass_count - 1) {
            set_output(&job, plan, to, POINT_FLOATS);
            run_any_pass(LAST, &job);
        } else {
            run_any_pass(i == 0 ? BEGIN : MIDDLE, &job);
        }
        *from = to;
    }
}

static void load_points(const float *in, ptrdiff_t step, int filled, int length, float *to)
{
    for (int t = 0; t < length; t++)
        store_split(to + t * POINT_FLOATS, t < filled ? load_interleaved(in + t * step) : (point){0});
}

/* Transform fewer lines than lanes, without reading or writing beside them. */
static void few_columns(const qn_line_plan *plan, const float *in, ptrdiff_t in_step, int filled, float *out,
                        ptrdiff_t out_step, int count, float *scratch)
{
    float numbers[POINT_FLOATS] = {0};
    const size_t bytes = 2 * sizeof(float) * (size_t)count;
    for (int t = 0; t < plan->length; t++) {
        if (t < filled)
            memcpy(numbers, in + t * in_step, bytes);
        else
            memset(numbers, 0, bytes);
        store_split(scratch + t * POINT_FLOATS, load_interleaved(numbers));
    }
    float *from = scratch;
    run_scratch_passes(plan, 0, plan->pass_count, scratch, &from);
    for (int t = 0; t < plan->length; t++) {
        store_interleaved(numbers, load_split(from + t * POINT_FLOATS));
        memcpy(out + t * out_step, numbers, bytes);
    }
}

/* Run all passes but the last, from memory. Returns the input of the last pass. A line of one pass is only loaded. */
static float *begin_columns(const qn_line_plan *plan, const float *in, ptrdiff_t in_step, int filled, float *scratch)
{
    float *from = scratch;
    if (plan->pass_count < 2) {
        load_points(in, in_step, filled, plan->length, scratch);
    } else {
        pass_job job = {&plan->passes[0], in,      in_step,      filled,
                        scratch,          scratch, POINT_FLOATS, spare_room(plan, scratch)};
        run_any_pass(FIRST, &job);
        run_scratch_passes(plan, 1, plan->pass_count - 1, scratch, &from);
    }
    return from;
}

/* Run the last pass, to memory or (LAST) to a line of scratch. */
static void finish_columns(const qn_line_plan *plan, pass_place place, const float *from, float *out,
                           ptrdiff_t out_step, float *scratch)
{
    pass_job job = {.pass = &plan->passes[plan->pass_count - 1],
                    .in = from,
                    .in_step = POINT_FLOATS,
                    .filled = plan->length,
                    .spare = spare_room(plan, scratch)};
    set_output(&job, plan, out, out_step);
    run_any_pass(place, &job);
}

static void columns(const qn_line_plan *plan, const float *in, ptrdiff_t in_step, int filled, float *out,
                    ptrdiff_t out_step, int count, float *scratch)
{
    if (count < LANES || plan->pass_count == 0)
        few_columns(plan, in, in_step, filled, out, out_step, count, scratch);
    else
        finish_columns(plan, STORE, begin_columns(plan, in, in_step, filled, scratch), out, out_step, scratch);
}

static void columns_to_points(const qn_line_plan *plan, const float *in, ptrdiff_t in_step, int filled, float *points,
                              float *scratch)
{
    if (plan->pass_count == 0)
        load_points(in, in_step, filled, plan->length, points);
    else
        finish_columns(plan, LAST, begin_columns(plan, in, in_step, filled, scratch), points, POINT_FLOATS, scratch);
}

static void points_to_columns(const qn_line_plan *plan, const float *points, float *out, ptrdiff_t out_step,
                              float *scratch)
{
    const float *from = points;
    if (plan->pass_count == 0) {
        store_interleaved(out, load_split(points));
        return;
    }
    if (plan->pass_count > 1) {
        float *result = scratch;
        pass_job job = {&plan->passes[0], points,  POINT_FLOATS, plan->length,
                        scratch,          scratch, POINT_FLOATS, spare_room(plan, scratch)};
        run_any_pass(BEGIN, &job);
        run_scratch_passes(plan, 1, plan->pass_count - 1, scratch, &result);
        from = result;
    }
    const bool has_butterfly = !plan->passes[plan->pass_count - 1].roots;
    const bool streams = has_butterfly && (uintptr_t)out % sizeof(lanes) == 0 && out_step % LANES == 0;
    finish_columns(plan, streams ? STREAM : STORE, from, out, out_step, scratch);
    if (streams) stream_end();
}

/* Load rows to scratch: float i of all rows becomes vector step·i. Lanes past `count` repeat the last row. */
static void load_rows(const float *in, ptrdiff_t row_step, int count, int floats, float *to, ptrdiff_t step)
{
    const float *row[LANES];
    for (int l = 0; l < LANES; l++) row[l] = in + (l < count ? l : count - 1) * row_step;
    step *= LANES;
    if (floats < LANES) {
        for (int i = 0; i < floats; i++)
            for (int l = 0; l < LANES; l++) to[i * step + l] = row[l][i];
        return;
    }
    for (ptrdiff_t i = 0; i < floats; i += LANES) {
        if (i > floats - LANES) i = floats - LANES; /* the last block overlaps the one before */
        lanes block[LANES];
#pragma GCC unroll 8
        for (int l = 0; l < LANES; l++) block[l] = load_anywhere(row[l] + i);
        transpose(block);
        float *at = to + i * step;
#pragma GCC unroll 8
        for (int l = 0; l < LANES; l++, at += step) store_anywhere(at, block[l]);
    }
}

/* Store rows from scratch. Lanes past `count` hold the last row again, so writing them is harmless. */
static void store_rows(const float *from, ptrdiff_t step, int floats, float *out, ptrdiff_t row_step, int count)
{
    float *row[LANES];
    for (int l = 0; l < LANES; l++) row[l] = out + (l < count ? l : count - 1) * row_step;
    step *= LANES;
    if (floats < LANES) {
        for (int i = 0; i < floats; i++)
            for (int l = 0; l < count; l++) row[l][i] = from[i * step + l];
        return;
    }
    for (ptrdiff_t i = 0; i < floats; i += LANES) {
        if (i > floats - LANES) i = floats - LANES;
        lanes block[LANES];
        const float *at = from + i * step;
#pragma GCC unroll 8
        for (int l = 0; l < LANES; l++, at += step) block[l] = load_anywhere(at);
        transpose(block);
#pragma GCC unroll 8
        for (int l = 0; l < LANES; l++) store_anywhere(row[l] + i, block[l]);
    }
}

/* Split the spectrum of an even real row: z_j = x_2j + i·x_2j+1 was transformed with half the length h; its spectrum Z
 * gives that of x by X_k = E_k + w^k·O_k, E_k = (Z_k + conj Z_{h−k}) / 2, O_k = −i·(Z_k − conj Z_{h−k}) / 2, w =
 * exp(−2πi / length). */
static void split_half_spectrum(const qn_row_plan *plan, float *x)
{
    const int half = plan->length / 2;
    point first = load_split(x);
    store_split(x, (point){first.re + first.im, (lanes){0}});
    store_split(x + half * POINT_FLOATS, (point){first.re - first.im, (lanes){0}});
    for (int k = 1; k <= half - k; k++) {
        float *low = x + k * POINT_FLOATS, *high = x + (half - k) * POINT_FLOATS;
        point a = load_split(low), b = point_conjugate(load_split(high));
        point even = point_scale(point_add(a, b), 0.5f);
        point odd =
            point_multiply(point_scale(point_subtract(a, b), 0.5f), plan->factors[2 * k], plan->factors[2 * k + 1]);
        store_split(high, point_conjugate(point_add_i(even, odd)));
        store_split(low, point_subtract_i(even, odd));
    }
}

/* The inverse of split_half_spectrum, exp(±2πi…): 2·Z_k = (X_k + conj X_{h−k}) + i·w^∓k·(X_k − conj X_{h−k}). */
static void join_half_spectrum(const qn_row_plan *plan, float *x)
{
    const int half = plan->length / 2;
    const float sign = plan->line.inverse ? -1 : 1;
    lanes first = load_split(x).re, last = load_split(x + half * POINT_FLOATS).re;
    store_split(x, (point){first + last, first - last});
    for (int k = 1; k <= half - k; k++) {
        float *low = x + k * POINT_FLOATS, *high = x + (half - k) * POINT_FLOATS;
        point a = load_split(low), b = point_conjugate(load_split(high));
        point sum = point_add(a, b);
        point turn = point_multiply(point_subtract(a, b), plan->factors[2 * k], sign * plan->factors[2 * k + 1]);
        store_split(high, point_conjugate(point_subtract_i(sum, turn)));
        store_split(low, point_add_i(sum, turn));
    }
}

/* Complete the half spectrum of a real row of odd length, which is transformed as a complex row. */
static void complete_odd_spectrum(int length, float *x)
{
    store_anywhere(x + LANES, (lanes){0});
    for (int k = 1; k < length - k; k++)
        store_split(x + (length - k) * POINT_FLOATS, point_conjugate(load_split(x + k * POINT_FLOATS)));
}

/* Transform rows in scratch and return the result. */
static float *transform_rows(const qn_row_plan *plan, const float *in, ptrdiff_t in_step, int count, float *scratch)
{
    const bool even = plan->factors != NULL;
    const bool from_odd = plan->kind == QN_ROW_REAL_TO_HALF && !even;
    const size_t vector_bytes = sizeof(lanes), all = 2 * (size_t)plan->line.length;
    if (from_odd)
        memset(scratch, 0, all * vector_bytes);
    else if ((size_t)plan->input_floats < all)
        memset(scratch + (size_t)plan->input_floats * LANES, 0, (all - (size_t)plan->input_floats) * vector_bytes);
    load_rows(in, in_step, count, plan->input_floats, scratch, from_odd ? 2 : 1);
    if (plan->kind == QN_ROW_HALF_TO_REAL) {
        if (even)
            join_half_spectrum(plan, scratch);
        else
            complete_odd_spectrum(plan->length, scratch);
    }
    float *result = scratch;
    run_scratch_passes(&plan->line, 0, plan->line.pass_count, scratch, &result);
    if (plan->kind == QN_ROW_REAL_TO_HALF && even) split_half_spectrum(plan, result);
    return result;
}

/* Distance in vectors from one float of a row to the next: a real row of odd length is stored as a complex one. */
static int result_step(const qn_row_plan *plan)
{
    return plan->kind == QN_ROW_HALF_TO_REAL && !plan->factors ? 2 : 1;
}

static void rows(const qn_row_plan *plan, const float *in, ptrdiff_t in_step, float *out, ptrdiff_t out_step, int count,
                 float *scratch)
{
    const float *result = transform_rows(plan, in, in_step, count, scratch);
    store_rows(result, result_step(plan), plan->output_floats, out, out_step, count);
}

static const float *rows_to_vectors(const qn_row_plan *plan, const float *in, ptrdiff_t in_step, int count,
                                    float *scratch, int *step)
{
    *step = result_step(plan);
    return transform_rows(plan, in, in_step, count, scratch);
}

const qn_line_functions QN_HOST_VARIANT(qn_fft_lines_host)[] = {{.lanes = LANES,
                                                                 .columns = columns,
                                                                 .columns_to_points = columns_to_points,
                                                                 .points_to_columns = points_to_columns,
                                                                 .rows = rows,
                                                                 .rows_to_vectors = rows_to_vectors}};

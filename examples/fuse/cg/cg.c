/* The sequence cg with C17, as quern fuse made it; see cg.h. */
#include "cg.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#define TRY(call)                           \
    do {                                    \
        const int code_ = (call);           \
        if (code_ != CG_OK) return code_; \
    } while (0)

enum {
    KERNELS = 5,
    PARTS = 64, /* groups, at most */
};

/* Memory that kernels work on, and whether the plan keeps it itself, and whether they write it. */
enum {
    AT_A_data,
    AT_A_starts,
    AT_A_columns,
    AT_p_data,
    AT_q_data,
    AT_t7_sums,
    AT_r_data,
    AT_rr_data,
    AT_a_data,
    AT_rr_next_sums,
    AT_x_data,
    AT_p_next_data,
    AT_a_before_data,
    AT_rr_before_data,
    AT_rr_sums,
    AT_rr_next_data,
    AT_limit_data,
    SLOTS
};
static const struct {
    bool own, written;
} slots[SLOTS] = {
    [AT_A_data] = {false, false},
    [AT_A_starts] = {false, false},
    [AT_A_columns] = {false, false},
    [AT_p_data] = {false, true},
    [AT_q_data] = {true, true},
    [AT_t7_sums] = {true, true},
    [AT_r_data] = {false, true},
    [AT_rr_data] = {false, true},
    [AT_a_data] = {true, true},
    [AT_rr_next_sums] = {true, true},
    [AT_x_data] = {false, true},
    [AT_p_next_data] = {true, true},
    [AT_a_before_data] = {true, false},
    [AT_rr_before_data] = {true, false},
    [AT_rr_sums] = {true, false},
    [AT_rr_next_data] = {true, true},
    [AT_limit_data] = {false, false},
};

typedef void *memory;

struct cg_plan {
    int threads;
    double started;
    memory own[SLOTS]; /* what the plan keeps itself */
    memory at[SLOTS];  /* in the present run */
    size_t bytes[SLOTS];
    int32_t parts[SLOTS]; /* of partial sums, how many the last kernel left */
    int32_t size_n;
    int32_t size_500;
};

/* ---- kernels' text ---- */

#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wunknown-pragmas" /* without OpenMP one thread does all */
#endif

/* The kernels of cg, as quern fuse made them. */

#undef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))

#define GROUP_X 1 /* work-items of a group along lines */
#define GROUP_Y 1 /* work-items of a group across lines */
#define ELEMENTS 2048 /* elements of a work-item along a line */
#define TILE 16 /* lines between two sums over work-items */
#define PANEL 16 /* lines of a group at a time */
#define STRIP 2048 /* elements of a work-item in one dimension */
#define ROWS 1 /* lines loaded before they are used */
#define VECTOR_WIDTH 1 /* elements side by side, 1 or 4 */
#define TERMS 1 /* elements of sparse rows that a work-item takes at once */

/* q = spmv(A, p)
 * t7 = dot(p, q) */
static void cg_1(int group, int groups,
    const float *restrict A_data,
    const int *restrict A_starts,
    const int *restrict A_columns,
    const float *restrict p_data,
    float *restrict q_data,
    float *restrict t7_sums,
    int size_n)
{
    float t7_total = 0.0f;
    const int64_t strips = ((int64_t)size_n + STRIP - 1) / STRIP;
    const int64_t limit = MIN(strips * (group + 1) / groups * STRIP, size_n);
    for (int64_t first = strips * group / groups * STRIP; first < limit; first += STRIP) {
        const int elements = (int)MIN((int64_t)STRIP, limit - first);
#pragma omp simd reduction(+ : t7_total)
        for (int e = 0; e < elements; e++) {
            const int64_t i = first + e;
            float q_sum = 0.0f;
            for (int k = A_starts[i]; k < A_starts[i + 1]; k++) {
                const int64_t j = A_columns[k];
                const float A_j = A_data[k];
                const float p_j = p_data[j];
                q_sum += A_j * p_j;
            }
            const float q_i = q_sum;
            const float p_i = p_data[i];
            t7_total += p_i * q_i;
            q_data[i] = q_i;
        }
    }
    t7_sums[group] = t7_total;
}

/* a = rr / t7
 * next r = r - a * q
 * next rr = dot(next r, next r)
 * fold of t7 */
static void cg_2(int group, int groups,
    float *restrict r_data,
    const float *restrict rr_data,
    const float *restrict q_data,
    float *restrict a_data,
    const float *restrict t7_sums,
    int t7_parts,
    float *restrict rr_next_sums,
    int size_n)
{
    const float rr_value = rr_data[0];
    float t7_value = 0.0f;
    for (int part = 0; part < t7_parts; part++)
        t7_value += t7_sums[part];
    const float a_value = rr_value / t7_value;
    if (group == 0) {
        a_data[0] = a_value;
    }
    float rr_next_total = 0.0f;
    const int64_t strips = ((int64_t)size_n + STRIP - 1) / STRIP;
    const int64_t limit = MIN(strips * (group + 1) / groups * STRIP, size_n);
    for (int64_t first = strips * group / groups * STRIP; first < limit; first += STRIP) {
        const int elements = (int)MIN((int64_t)STRIP, limit - first);
#pragma omp simd reduction(+ : rr_next_total)
        for (int e = 0; e < elements; e++) {
            const int64_t i = first + e;
            const float r_i = r_data[i];
            const float q_i = q_data[i];
            const float r_next_i = r_i - a_value * q_i;
            rr_next_total += r_next_i * r_next_i;
            r_data[i] = r_next_i;
        }
    }
    rr_next_sums[group] = rr_next_total;
}

/* next x = x + a * p
 * next p = next r + next rr / rr * p
 * q = spmv(A, p)
 * t7 = dot(p, q)
 * fold of rr */
static void cg_3(int group, int groups,
    const float *restrict A_data,
    const int *restrict A_starts,
    const int *restrict A_columns,
    float *restrict x_data,
    const float *restrict p_data,
    float *restrict p_next_data,
    float *restrict q_data,
    const float *restrict a_before_data,
    const float *restrict r_data,
    float *restrict rr_data,
    const float *restrict rr_before_data,
    float *restrict t7_sums,
    const float *restrict rr_sums,
    int rr_parts,
    int size_n)
{
    const float a_before_value = a_before_data[0];
    float rr_value = 0.0f;
    for (int part = 0; part < rr_parts; part++)
        rr_value += rr_sums[part];
    const float rr_before_value = rr_before_data[0];
    if (group == 0) {
        rr_data[0] = rr_value;
    }
    float t7_total = 0.0f;
    const int64_t strips = ((int64_t)size_n + STRIP - 1) / STRIP;
    const int64_t limit = MIN(strips * (group + 1) / groups * STRIP, size_n);
    for (int64_t first = strips * group / groups * STRIP; first < limit; first += STRIP) {
        const int elements = (int)MIN((int64_t)STRIP, limit - first);
#pragma omp simd reduction(+ : t7_total)
        for (int e = 0; e < elements; e++) {
            const int64_t i = first + e;
            const float x_i = x_data[i];
            const float p_i = p_data[i];
            const float x_next_i = x_i + a_before_value * p_i;
            const float r_i = r_data[i];
            const float p_next_i = r_i + rr_value / rr_before_value * p_i;
            float q_sum = 0.0f;
            for (int k = A_starts[i]; k < A_starts[i + 1]; k++) {
                const int64_t j = A_columns[k];
                const float A_j = A_data[k];
                const float r_j = r_data[j];
                const float p_j = p_data[j];
                const float p_next_j = r_j + rr_value / rr_before_value * p_j;
                q_sum += A_j * p_next_j;
            }
            const float q_i = q_sum;
            t7_total += p_next_i * q_i;
            x_data[i] = x_next_i;
            p_next_data[i] = p_next_i;
            q_data[i] = q_i;
        }
    }
    t7_sums[group] = t7_total;
}

/* a = rr / t7
 * next r = r - a * q
 * next rr = dot(next r, next r)
 * fold of t7 */
static void cg_4(int group, int groups,
    const float *restrict q_data,
    float *restrict a_data,
    float *restrict r_data,
    const float *restrict rr_data,
    const float *restrict t7_sums,
    int t7_parts,
    float *restrict rr_next_sums,
    int size_n)
{
    float t7_value = 0.0f;
    for (int part = 0; part < t7_parts; part++)
        t7_value += t7_sums[part];
    const float rr_value = rr_data[0];
    const float a_value = rr_value / t7_value;
    if (group == 0) {
        a_data[0] = a_value;
    }
    float rr_next_total = 0.0f;
    const int64_t strips = ((int64_t)size_n + STRIP - 1) / STRIP;
    const int64_t limit = MIN(strips * (group + 1) / groups * STRIP, size_n);
    for (int64_t first = strips * group / groups * STRIP; first < limit; first += STRIP) {
        const int elements = (int)MIN((int64_t)STRIP, limit - first);
#pragma omp simd reduction(+ : rr_next_total)
        for (int e = 0; e < elements; e++) {
            const int64_t i = first + e;
            const float r_i = r_data[i];
            const float q_i = q_data[i];
            const float r_next_i = r_i - a_value * q_i;
            rr_next_total += r_next_i * r_next_i;
            r_data[i] = r_next_i;
        }
    }
    rr_next_sums[group] = rr_next_total;
}

/* next x = x + a * p
 * next p = next r + next rr / rr * p
 * fold of next rr */
static void cg_5(int group, int groups,
    float *restrict x_data,
    const float *restrict p_data,
    const float *restrict rr_data,
    const float *restrict a_data,
    const float *restrict r_data,
    float *restrict rr_next_data,
    float *restrict p_next_data,
    const float *restrict rr_next_sums,
    int rr_next_parts,
    int size_n)
{
    const float rr_value = rr_data[0];
    const float a_value = a_data[0];
    float rr_next_value = 0.0f;
    for (int part = 0; part < rr_next_parts; part++)
        rr_next_value += rr_next_sums[part];
    if (group == 0) {
        rr_next_data[0] = rr_next_value;
    }
    const int64_t strips = ((int64_t)size_n + STRIP - 1) / STRIP;
    const int64_t limit = MIN(strips * (group + 1) / groups * STRIP, size_n);
    for (int64_t first = strips * group / groups * STRIP; first < limit; first += STRIP) {
        const int elements = (int)MIN((int64_t)STRIP, limit - first);
#pragma omp simd
        for (int e = 0; e < elements; e++) {
            const int64_t i = first + e;
            const float x_i = x_data[i];
            const float p_i = p_data[i];
            const float x_next_i = x_i + a_value * p_i;
            const float r_next_i = r_data[i];
            const float p_next_i = r_next_i + rr_next_value / rr_value * p_i;
            x_data[i] = x_next_i;
            p_next_data[i] = p_next_i;
        }
    }
}

/* ---- memory and time ---- */

static int open_backend(cg_plan *plan, int threads)
{
#ifdef _OPENMP
    plan->threads = threads > 0 ? threads : omp_get_max_threads();
#else
    (void)threads;
    plan->threads = 1;
#endif
    return CG_OK;
}

static void close_backend(cg_plan *plan)
{
    (void)plan;
}

static int allocate(cg_plan *plan, size_t bytes, memory *taken)
{
    (void)plan;
    *taken = malloc(bytes > 0 ? bytes : 1);
    return *taken ? CG_OK : CG_NO_MEMORY;
}

static void release(memory taken)
{
    free(taken);
}

static bool fits(memory at, size_t bytes)
{
    (void)bytes;
    return (uintptr_t)at % 4 == 0;
}

static bool overlap(memory a, size_t a_bytes, memory b, size_t b_bytes)
{
    return (uintptr_t)a < (uintptr_t)b + b_bytes && (uintptr_t)b < (uintptr_t)a + a_bytes;
}

/* Copy lines that begin `step` bytes after each other. */
static int copy(cg_plan *plan, memory from, memory to, size_t line_bytes, size_t lines, size_t step)
{
    (void)plan;
    for (size_t line = 0; line < lines; line++)
        memcpy((char *)to + line * step, (const char *)from + line * step, line_bytes);
    return CG_OK;
}

static int read_number(cg_plan *plan, int slot, float *number)
{
    memcpy(number, plan->at[slot], sizeof *number);
    return CG_OK;
}

static double now(void)
{
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int start_clock(cg_plan *plan)
{
    plan->started = now();
    return CG_OK;
}

static int stop_clock(cg_plan *plan, double *seconds)
{
    *seconds = now() - plan->started;
    return CG_OK;
}

/* ---- kernels ---- */

/* Groups of a kernel over vectors. */
static int groups_of_elements(int32_t size)
{
    const int64_t block = (int64_t)GROUP_X * GROUP_Y * STRIP;
    const int64_t blocks = (size + block - 1) / block;
    return (int)(blocks < PARTS ? blocks : PARTS);
}

/* q = spmv(A, p)
 * t7 = dot(p, q)
 *
 * Moves at least 2 stored(A) + 3n words of four bytes. */
static int run_1(cg_plan *plan)
{
    const int groups = groups_of_elements(plan->size_n);
    memory *const at = plan->at;
#pragma omp parallel for schedule(static) num_threads(plan->threads)
    for (int group = 0; group < groups; group++)
        cg_1(group, groups, at[AT_A_data], at[AT_A_starts], at[AT_A_columns], at[AT_p_data], at[AT_q_data], at[AT_t7_sums], plan->size_n);
    plan->parts[AT_t7_sums] = groups;
    return CG_OK;
}

/* a = rr / t7
 * next r = r - a * q
 * next rr = dot(next r, next r)
 * fold of t7
 *
 * Moves at least 3n words of four bytes. */
static int run_2(cg_plan *plan)
{
    const int groups = groups_of_elements(plan->size_n);
    memory *const at = plan->at;
#pragma omp parallel for schedule(static) num_threads(plan->threads)
    for (int group = 0; group < groups; group++)
        cg_2(group, groups, at[AT_r_data], at[AT_rr_data], at[AT_q_data], at[AT_a_data], at[AT_t7_sums], plan->parts[AT_t7_sums], at[AT_rr_next_sums], plan->size_n);
    plan->parts[AT_rr_next_sums] = groups;
    return CG_OK;
}

/* next x = x + a * p
 * next p = next r + next rr / rr * p
 * q = spmv(A, p)
 * t7 = dot(p, q)
 * fold of rr
 *
 * Moves at least 2 stored(A) + 7n words of four bytes. */
static int run_3(cg_plan *plan)
{
    const int groups = groups_of_elements(plan->size_n);
    memory *const at = plan->at;
#pragma omp parallel for schedule(static) num_threads(plan->threads)
    for (int group = 0; group < groups; group++)
        cg_3(group, groups, at[AT_A_data], at[AT_A_starts], at[AT_A_columns], at[AT_x_data], at[AT_p_data], at[AT_p_next_data], at[AT_q_data], at[AT_a_before_data], at[AT_r_data], at[AT_rr_data], at[AT_rr_before_data], at[AT_t7_sums], at[AT_rr_sums], plan->parts[AT_rr_sums], plan->size_n);
    plan->parts[AT_t7_sums] = groups;
    return CG_OK;
}

/* a = rr / t7
 * next r = r - a * q
 * next rr = dot(next r, next r)
 * fold of t7
 *
 * Moves at least 3n words of four bytes. */
static int run_4(cg_plan *plan)
{
    const int groups = groups_of_elements(plan->size_n);
    memory *const at = plan->at;
#pragma omp parallel for schedule(static) num_threads(plan->threads)
    for (int group = 0; group < groups; group++)
        cg_4(group, groups, at[AT_q_data], at[AT_a_data], at[AT_r_data], at[AT_rr_data], at[AT_t7_sums], plan->parts[AT_t7_sums], at[AT_rr_next_sums], plan->size_n);
    plan->parts[AT_rr_next_sums] = groups;
    return CG_OK;
}

/* next x = x + a * p
 * next p = next r + next rr / rr * p
 * fold of next rr
 *
 * Moves at least 5n words of four bytes. */
static int run_5(cg_plan *plan)
{
    const int groups = groups_of_elements(plan->size_n);
    memory *const at = plan->at;
#pragma omp parallel for schedule(static) num_threads(plan->threads)
    for (int group = 0; group < groups; group++)
        cg_5(group, groups, at[AT_x_data], at[AT_p_data], at[AT_rr_data], at[AT_a_data], at[AT_r_data], at[AT_rr_next_data], at[AT_p_next_data], at[AT_rr_next_sums], plan->parts[AT_rr_next_sums], plan->size_n);
    return CG_OK;
}

/* ---- sizes and memory ---- */

static int check_sizes(const cg_sizes *sizes)
{
    if (sizes->n < 1) return CG_BAD_SIZE;
    if (sizes->A_stored < 1) return CG_BAD_SIZE;
    return CG_OK;
}

static void enlarge(cg_plan *plan, int slot, size_t bytes)
{
    if (bytes > plan->bytes[slot]) plan->bytes[slot] = bytes;
}

static void measure(cg_plan *plan, const cg_sizes *sizes)
{
    plan->size_n = sizes->n;
    plan->size_500 = 500;
    plan->bytes[AT_A_data] = 4 * (size_t)sizes->A_stored;
    plan->bytes[AT_A_starts] = 4 * ((size_t)plan->size_n + 1);
    plan->bytes[AT_A_columns] = 4 * (size_t)sizes->A_stored;
    plan->bytes[AT_p_data] = 4 * (size_t)plan->size_n;
    plan->bytes[AT_q_data] = 4 * (size_t)plan->size_n;
    plan->bytes[AT_r_data] = 4 * (size_t)plan->size_n;
    plan->bytes[AT_rr_data] = 4 * 1;
    plan->bytes[AT_a_data] = 4 * 1;
    plan->bytes[AT_x_data] = 4 * (size_t)plan->size_n;
    plan->bytes[AT_p_next_data] = 4 * (size_t)plan->size_n;
    plan->bytes[AT_a_before_data] = 4 * 1;
    plan->bytes[AT_rr_before_data] = 4 * 1;
    plan->bytes[AT_rr_next_data] = 4 * 1;
    plan->bytes[AT_limit_data] = 4 * 1;
    enlarge(plan, AT_t7_sums, 4 * (size_t)groups_of_elements(plan->size_n));
    enlarge(plan, AT_rr_next_sums, 4 * (size_t)groups_of_elements(plan->size_n));
    enlarge(plan, AT_t7_sums, 4 * (size_t)groups_of_elements(plan->size_n));
    enlarge(plan, AT_rr_next_sums, 4 * (size_t)groups_of_elements(plan->size_n));
    enlarge(plan, AT_a_before_data, plan->bytes[AT_a_data]);
    enlarge(plan, AT_a_data, plan->bytes[AT_a_before_data]);
    enlarge(plan, AT_rr_sums, plan->bytes[AT_rr_next_sums]);
    enlarge(plan, AT_rr_next_sums, plan->bytes[AT_rr_sums]);
    enlarge(plan, AT_rr_before_data, plan->bytes[AT_rr_data]);
    enlarge(plan, AT_rr_data, plan->bytes[AT_rr_before_data]);
    enlarge(plan, AT_rr_data, plan->bytes[AT_rr_next_data]);
    enlarge(plan, AT_rr_next_data, plan->bytes[AT_rr_data]);
    enlarge(plan, AT_p_data, plan->bytes[AT_p_next_data]);
    enlarge(plan, AT_p_next_data, plan->bytes[AT_p_data]);
    enlarge(plan, AT_rr_data, plan->bytes[AT_rr_next_data]);
    enlarge(plan, AT_rr_next_data, plan->bytes[AT_rr_data]);
    enlarge(plan, AT_p_data, plan->bytes[AT_p_next_data]);
    enlarge(plan, AT_p_next_data, plan->bytes[AT_p_data]);
}

/* Take the arguments' memory, and check it. */
static int bind_arguments(cg_plan *plan, const cg_arguments *arguments)
{
    memory *const at = plan->at;
    memcpy(at, plan->own, sizeof plan->at);
    at[AT_A_data] = (memory)arguments->A;
    at[AT_A_starts] = (memory)arguments->A_starts;
    at[AT_A_columns] = (memory)arguments->A_columns;
    at[AT_p_data] = (memory)arguments->p;
    at[AT_r_data] = (memory)arguments->r;
    at[AT_rr_data] = (memory)arguments->rr;
    at[AT_x_data] = (memory)arguments->x;
    at[AT_limit_data] = (memory)arguments->limit;
    for (int slot = 0; slot < SLOTS; slot++) {
        if (!at[slot]) return CG_NO_ARGUMENT;
        if (!slots[slot].own && !fits(at[slot], plan->bytes[slot])) return CG_TOO_SMALL;
    }
    for (int a = 0; a < SLOTS; a++)
        for (int b = 0; b < SLOTS; b++)
            if (a != b && slots[a].written && !slots[a].own && !slots[b].own &&
                overlap(at[a], plan->bytes[a], at[b], plan->bytes[b]))
                return CG_OVERLAP;
    return CG_OK;
}

/* ---- the sequence ---- */

/* Two values, or their partial sums, exchange their memory. */
static void exchange(cg_plan *plan, int a, int b)
{
    const memory kept = plan->at[a];
    const int32_t parts = plan->parts[a];
    plan->at[a] = plan->at[b], plan->parts[a] = plan->parts[b];
    plan->at[b] = kept, plan->parts[b] = parts;
}

static int run_stages(cg_plan *plan, const cg_arguments *arguments)
{
    int64_t rounds = 0;
    bool begins;
    begins = true; /* a round that runs no ring */
    for (int32_t round = 1; round <= plan->size_500; round++) {
        if (begins) { /* the early steps of a round */
            TRY(run_1(plan));
            TRY(run_2(plan));
        } else { /* the late steps of a round with the early steps of the next */
            exchange(plan, AT_a_before_data, AT_a_data);
            exchange(plan, AT_rr_sums, AT_rr_next_sums);
            exchange(plan, AT_rr_before_data, AT_rr_data);
            exchange(plan, AT_rr_data, AT_rr_next_data);
            TRY(run_3(plan));
            TRY(run_4(plan));
            exchange(plan, AT_p_data, AT_p_next_data);
        }
        begins = round == plan->size_500 || round % 10 == 0;
        if (begins) { /* the late steps */
            TRY(run_5(plan));
            exchange(plan, AT_rr_data, AT_rr_next_data);
            exchange(plan, AT_p_data, AT_p_next_data);
        }
        rounds++;
        if (round % 10 == 0) {
            float value_1 = 0; /* rr */
            TRY(read_number(plan, AT_rr_data, &value_1));
            float value_2 = 0; /* limit */
            TRY(read_number(plan, AT_limit_data, &value_2));
            if ((double)value_1 < (double)value_2) break;
        }
    }
    if (arguments->rounds) *arguments->rounds = rounds;
    if (plan->at[AT_p_data] != (memory)arguments->p)
        TRY(copy(plan, plan->at[AT_p_data], (memory)arguments->p, plan->bytes[AT_p_data], 1, plan->bytes[AT_p_data]));
    if (plan->at[AT_rr_data] != (memory)arguments->rr)
        TRY(copy(plan, plan->at[AT_rr_data], (memory)arguments->rr, plan->bytes[AT_rr_data], 1, plan->bytes[AT_rr_data]));
    return CG_OK;
}

/* ---- for users ---- */

int cg_create(int threads, const cg_sizes *sizes, cg_plan **out)
{
    *out = NULL;
    TRY(check_sizes(sizes));
    cg_plan *plan = calloc(1, sizeof *plan);
    if (!plan) return CG_NO_MEMORY;
    measure(plan, sizes);
    int code = open_backend(plan, threads);
    for (int slot = 0; slot < SLOTS && code == CG_OK; slot++)
        if (slots[slot].own) code = allocate(plan, plan->bytes[slot], &plan->own[slot]);
    if (code == CG_OK)
        *out = plan;
    else
        cg_destroy(&plan);
    return code;
}

int cg_run(cg_plan *plan, const cg_arguments *arguments, double *seconds)
{
    TRY(bind_arguments(plan, arguments));
    if (seconds) TRY(start_clock(plan));
    TRY(run_stages(plan, arguments));
    return seconds ? stop_clock(plan, seconds) : CG_OK;
}

void cg_destroy(cg_plan **pointer)
{
    cg_plan *plan = *pointer;
    if (!plan) return;
    for (int slot = 0; slot < SLOTS; slot++)
        if (plan->own[slot]) release(plan->own[slot]);
    close_backend(plan);
    free(plan);
    *pointer = NULL;
}

const char *cg_message(int code)
{
    static const char *const messages[] = {
        [CG_OK] = "cg: done",
        [CG_BAD_SIZE] = "cg: a size is below 1",
        [CG_BAD_STEP] = "cg: the step of a matrix is shorter than its lines",
        [CG_NO_ARGUMENT] = "cg: an argument is missing",
        [CG_TOO_SMALL] = "cg: the memory of an argument ends too early, or is not aligned to four bytes",
        [CG_OVERLAP] = "cg: memory that is written overlaps that of another argument",
        [CG_NO_MEMORY] = "cg: out of memory",
        [CG_NOT_BUILT] = "cg: the kernels could not be compiled",
        [CG_FAILED] = "cg: the device refused a command",
    };
    const bool known = code >= 0 && code < (int)(sizeof messages / sizeof *messages);
    return known ? messages[code] : "cg: an unknown code";
}

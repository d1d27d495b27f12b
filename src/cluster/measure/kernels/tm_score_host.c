/* Host kernel of tm_score: pairs are dealt to the pool, and a pair's seeds to the lanes of vectors. A lane whose phase
 * has ended keeps its state until all lanes have ended theirs, so each lane does exactly what a work-item does. */
#include <stdint.h>
#include <string.h>

#include "base/thread_pool.h"
#include "cluster/measure/kernels/tm_score.h"
#include "runtime/host_variant.h"
#include "runtime/host_vector.h"
#include "runtime/prelude/prelude_host.h"

#ifdef QN_LANES_WORD
typedef int32_t lanes_bits __attribute__((vector_size(sizeof(qn_lanes))));

static inline qn_lanes if_less(qn_lanes a, qn_lanes b, qn_lanes yes, qn_lanes no)
{
#if defined(__AVX512F__)
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), no, yes);
#elif defined(__AVX2__)
    return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
#else
    const lanes_bits mask = (lanes_bits)(a < b);
    return (qn_lanes)(((lanes_bits)yes & mask) | ((lanes_bits)no & ~mask));
#endif
}

#define SCORE_REAL qn_lanes
#define SCORE_SPLAT(x) qn_lanes_splat(x)
#define SCORE_FMA(a, b, c) qn_lanes_fma((a), (b), (c))
#define SCORE_MIN(a, b) QN_LANES_WORD(min)((a), (b))
#define SCORE_MAX(a, b) QN_LANES_WORD(max)((a), (b))
#define SCORE_ABS(x) ((qn_lanes)((lanes_bits)(x)&0x7fffffff))
#define SCORE_IF_LESS(a, b, yes, no) if_less((a), (b), (yes), (no))
#define SCORE_RECIPROCAL_GUESS(x) ((qn_lanes)(0x7ef311c7 - (lanes_bits)(x)))
#define SCORE_RECIPROCAL_ROOT_GUESS(x) ((qn_lanes)(0x5f3759df - ((lanes_bits)(x) >> 1)))
#endif

#include "cluster/measure/kernels/tm_score.dev.h"

enum {
    PAIRS = 16, /* of a unit of the pool */
    BLOCK = 64  /* atoms whose weights are stored */
};

typedef struct score_job {
    const qn_float4 *rows, *columns, *phases;
    const int32_t *seeds;
    float *results;
    const score_scalars *s;
    int objective;
} score_job;

/* One pair and QN_LANES seeds. */
typedef struct lanes_search {
    const qn_float4 *a, *b;
    int atoms;
    score_phase phase;
    score_sums sums;
    score_motion motion;
    score_tally tally;
    qn_lanes active, last, best[4]; /* active: 1 or 0 */
} lanes_search;

enum { SUMS = sizeof(score_sums) / sizeof(qn_lanes), MOTION = sizeof(score_motion) / sizeof(qn_lanes) };

/* Replace the active lanes of `count` vectors. */
static inline void replace(void *old, const void *now, int count, qn_lanes active)
{
    qn_lanes *to = old;
    const qn_lanes *from = now, zero = qn_lanes_splat(0);
    for (int k = 0; k < count; k++) to[k] = SCORE_IF_LESS(zero, active, from[k], to[k]);
}

static void add_fragments(lanes_search *search, const float begin[], const float end[])
{
    const qn_lanes first = qn_lanes_load(begin), after = qn_lanes_load(end), one = qn_lanes_splat(1);
    const qn_lanes zero = qn_lanes_splat(0);
    score_clear(&search->sums);
    for (int i = 0; i < search->atoms; i++) {
        const qn_lanes here = qn_lanes_splat((float)i);
        const qn_lanes before_end = SCORE_IF_LESS(here, after, one, zero);
        score_add(&search->sums, SCORE_IF_LESS(here, first, zero, before_end), search->a[i], search->b[i]);
    }
}

static void fit(lanes_search *search)
{
    const score_motion motion = score_fit(&search->sums);
    const qn_lanes usable =
        SCORE_IF_LESS(qn_lanes_splat(SCORE_LEAST_WEIGHT), search->sums.weight, search->active, qn_lanes_splat(0));
    replace(&search->motion, &motion, MOTION, usable);
}

/* Add the atoms of a block to the sums, first to those of the means, then to those of the products: all sums at once do
 * not fit the registers. Each sum has the order of score_add. */
static inline void add_block(score_sums *sums, const qn_lanes *weights, const qn_float4 *a, const qn_float4 *b,
                             int count)
{
    score_sums means = *sums;
    for (int i = 0; i < count; i++) score_add_means(&means, weights[i], a[i], b[i]);
    for (int i = 0; i < count; i++) score_add_products(sums, weights[i], a[i], b[i]);
    sums->weight = means.weight;
    sums->x = means.x;
    sums->y = means.y;
    sums->z = means.z;
    sums->tx = means.tx;
    sums->ty = means.ty;
    sums->tz = means.tz;
}

/* `objective` and `doublings` are constants where this is called. */
static inline __attribute__((always_inline)) void evaluate_as(lanes_search *search, int objective, int doublings)
{
    const score_phase phase = {search->phase.inverse_square, doublings, 0, 0};
    const score_motion motion = search->motion;
    const qn_lanes zero = qn_lanes_splat(0);
    score_tally tally = {zero, {zero, zero, zero, zero}};
    qn_lanes weights[BLOCK];
    score_sums sums;
    score_clear(&sums);
    for (int first = 0; first < search->atoms; first += BLOCK) {
        const qn_float4 *a = search->a + first, *b = search->b + first;
        const int count = MIN(BLOCK, search->atoms - first);
        for (int i = 0; i < count; i++)
            weights[i] = score_tally_atom(objective, phase, score_square(&motion, a[i], b[i]), &tally);
        add_block(&sums, weights, a, b, count);
    }
    replace(&search->sums, &sums, SUMS, search->active);
    if (objective == SCORE_TM) tally.within[0] = tally.smooth;
    search->tally = tally;
}

static void evaluate_tm(lanes_search *search)
{
    evaluate_as(search, SCORE_TM, 0);
}

static void evaluate_gdt(lanes_search *search)
{
    switch (search->phase.doublings) {
    case 0: evaluate_as(search, SCORE_GDT, 0); break;
    case 1: evaluate_as(search, SCORE_GDT, 1); break;
    case 2: evaluate_as(search, SCORE_GDT, 2); break;
    default: evaluate_as(search, SCORE_GDT, 3); break;
    }
}

static void evaluate_maxsub(lanes_search *search)
{
    switch (search->phase.doublings) {
    case 0: evaluate_as(search, SCORE_MAXSUB, 0); break;
    case 1: evaluate_as(search, SCORE_MAXSUB, 1); break;
    case 2: evaluate_as(search, SCORE_MAXSUB, 2); break;
    default: evaluate_as(search, SCORE_MAXSUB, 3); break;
    }
}

static void (*const evaluations[])(lanes_search *) = {
    [SCORE_TM] = evaluate_tm, [SCORE_GDT] = evaluate_gdt, [SCORE_MAXSUB] = evaluate_maxsub};

/* Keep the best results of active lanes, and end phases that no longer pay. Returns whether a lane is active. */
static bool advance(lanes_search *search, int evaluation)
{
    const qn_lanes zero = qn_lanes_splat(0), smooth = search->tally.smooth;
    float active[QN_LANES], sum = 0;
    for (int k = 0; k < 4; k++) {
        const qn_lanes larger = SCORE_MAX(search->best[k], search->tally.within[k]);
        replace(&search->best[k], &larger, 1, search->active);
    }
    if (evaluation >= SCORE_LEAST_EVALUATIONS)
        search->active = SCORE_IF_LESS(qn_lanes_splat(SCORE_GROWTH) * search->last, smooth, search->active, zero);
    search->last = smooth;
    qn_lanes_store(active, search->active);
    for (int i = 0; i < QN_LANES; i++) sum += active[i];
    return sum > 0;
}

static void run_phases(const score_job *job, const float begin[], const float end[], lanes_search *search)
{
    for (int p = 0; p < job->s->phase_count; p++) {
        const qn_float4 values = job->phases[p];
        search->phase = (score_phase){values.x, (int)values.y, (int)values.z, (int)values.w};
        if (search->phase.restart) add_fragments(search, begin, end);
        search->active = qn_lanes_splat(1);
        search->last = qn_lanes_splat(0);
        for (int e = 1; e <= search->phase.evaluations; e++) {
            fit(search);
            evaluations[job->objective](search);
            if (!advance(search, e)) break;
        }
    }
}

static void score_pair(const score_job *job, int row, int column)
{
    const score_scalars *s = job->s;
    const int count = SCORE_RESULTS_OF(job->objective);
    float *results = job->results + (ptrdiff_t)count * (row * s->row_stride + column * s->column_stride);
    lanes_search search;
    for (int first = 0; first < s->seed_count; first += QN_LANES) {
        float begin[QN_LANES], end[QN_LANES], best[QN_LANES];
        memset(&search, 0, sizeof search);
        search.a = job->rows + (ptrdiff_t)row * s->atom_count;
        search.b = job->columns + (ptrdiff_t)column * s->atom_count;
        search.atoms = s->atom_count;
        for (int i = 0; i < QN_LANES; i++) {
            const int seed = MIN(first + i, s->seed_count - 1);
            begin[i] = (float)job->seeds[2 * seed];
            end[i] = (float)job->seeds[2 * seed + 1];
        }
        run_phases(job, begin, end, &search);
        for (int k = 0; k < count; k++) {
            qn_lanes_store(best, search.best[k]);
            for (int i = 0; i < QN_LANES; i++) results[k] = MAX(results[k], best[i]);
        }
    }
}

static qn_status score_unit(size_t unit, int worker, void *user)
{
    const score_job *job = user;
    const score_scalars *s = job->s;
    const int first = (int)unit * PAIRS, end = MIN(first + PAIRS, s->row_count * s->column_count);
    (void)worker;
    for (int pair = first; pair < end; pair++) {
        const int row = pair / s->column_count, column = pair % s->column_count;
        if (!s->triangle || row < column) score_pair(job, row, column);
    }
    return QN_OK;
}

static qn_status score(const qn_host_launch *launch)
{
    void *const *a = launch->arguments;
    score_job job = {.rows = a[SCORE_ROWS],
                     .columns = a[SCORE_COLUMNS],
                     .phases = a[SCORE_PHASES],
                     .seeds = a[SCORE_SEEDS],
                     .results = a[SCORE_RESULTS],
                     .s = a[SCORE_SCALARS]};
    const size_t pairs = (size_t)job.s->row_count * (size_t)job.s->column_count;
    job.objective = job.s->objective;
    return qn_pool_run(launch->pool, (pairs + PAIRS - 1) / PAIRS, score_unit, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_cluster_tm_score_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_cluster_tm_score_host)[] = {score};

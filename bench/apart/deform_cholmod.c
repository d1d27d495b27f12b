/* Time CHOLMOD's numeric factor beside ours: quern_bench_deform_cholmod PATTERN [TURNS [THREADS]], as in
 * deform_factor_parts/pattern.h, without pressures, since CHOLMOD's supernodal factors are for definite matrices.
 *
 * CHOLMOD with METIS's order and with AMD's, and ours, each on 1 thread and on THREADS (2), factor the same matrix in
 * turns (7), RUNS times in each. Printed are the median over the turns of each turn's median, wall and processor time,
 * with their ranges, and how many times as long CHOLMOD takes in a turn: its fastest of both orders on as many threads,
 * and on any. CHOLMOD takes its threads from BLAS (OpenBLAS here), ours from the pool. All solve one system, whose
 * residual is printed. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <cholmod.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/median.h"

#include "deform_factor_parts/pattern.h"

enum { RUNS = 15, TURNS_MAX = 100, WAYS = 3, ENTRANTS = 2 * WAYS };

static double clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Free freedoms in a row: index of each; SIZE_MAX: held. */
typedef struct free_index {
    size_t *of, count;
} free_index;

typedef struct fill_state {
    const free_index *index;
    cholmod_triplet *triplet;
} fill_state;

static void fill_entry(qn_factor_box *box, uint32_t value, uint32_t row, uint32_t column, void *user)
{
    fill_state *state = user;
    const size_t i = state->index->of[row], j = state->index->of[column], k = state->triplet->nnz;
    if (i == SIZE_MAX || j == SIZE_MAX) return;
    ((int *)state->triplet->i)[k] = (int)i;
    ((int *)state->triplet->j)[k] = (int)j;
    ((double *)state->triplet->x)[k] = box->values[value];
    state->triplet->nnz = k + 1;
}

/* A program and its number of threads: entrant w + WAYS k has way w and the k-th number. */
typedef struct entrant {
    const char *name;
    int threads;
    cholmod_factor *theirs; /* NULL: ours */
    qn_factor_plan *plan;
    qn_factor *ours;
    qn_pool *pool;
    double wall[TURNS_MAX], processor[TURNS_MAX]; /* s, of each turn */
} entrant;

typedef struct race {
    qn_factor_box box;
    free_index index;
    cholmod_common common;
    cholmod_sparse *matrix;
    entrant entrants[ENTRANTS];
    int turns;
} race;

static void set_blas_threads(int count)
{
    void (*set)(int);
    *(void **)&set = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    if (set) set(count);
}

static double residual(race *all, cholmod_dense *x)
{
    double minus[2] = {-1, 0}, one[2] = {1, 0};
    cholmod_dense *r = cholmod_ones(all->matrix->nrow, 1, CHOLMOD_REAL, &all->common);
    cholmod_sdmult(all->matrix, 0, minus, one, x, r, &all->common);
    const double norm = cholmod_norm_dense(r, 0, &all->common);
    cholmod_free_dense(&r, &all->common);
    return norm;
}

static void begin_theirs(race *all, int ordering, entrant *one)
{
    all->common.nmethods = 1;
    all->common.method[0].ordering = ordering;
    all->common.postorder = 1;
    all->common.supernodal = CHOLMOD_SUPERNODAL;
    one->theirs = cholmod_analyze(all->matrix, &all->common);
    cholmod_factorize(all->matrix, one->theirs, &all->common);
    cholmod_dense *b = cholmod_ones(all->matrix->nrow, 1, CHOLMOD_REAL, &all->common);
    cholmod_dense *x = cholmod_solve(CHOLMOD_A, one->theirs, b, &all->common);
    if (one->threads == 1)
        printf("%s: %.3g values, %.3g multiply-adds; residual %.1e\n", one->name, all->common.lnz, all->common.fl / 2,
               residual(all, x));
    cholmod_free_dense(&b, &all->common);
    cholmod_free_dense(&x, &all->common);
}

static qn_status begin_ours(race *all, entrant *one)
{
    double *x;
    size_t wrong;
    QN_TRY(qn_factor_plan_create(&all->box.pattern, all->box.is_free, all->box.sign, &one->plan));
    QN_TRY(qn_factor_create(one->plan, &one->ours));
    QN_TRY(qn_pool_create(one->threads, &one->pool));
    QN_TRY(qn_factor_use_pool(one->ours, one->pool));
    QN_TRY(qn_factor_compute(one->ours, all->box.values, &wrong));
    QN_TRY(qn_allocate(all->box.freedoms, sizeof(double), (void **)&x));
    for (size_t f = 0; f < all->box.freedoms; f++) x[f] = 1;
    qn_factor_solve(one->ours, x, 1, x);
    cholmod_dense *solution = cholmod_zeros(all->matrix->nrow, 1, CHOLMOD_REAL, &all->common);
    for (size_t f = 0; f < all->box.freedoms; f++)
        if (all->index.of[f] != SIZE_MAX) ((double *)solution->x)[all->index.of[f]] = x[f];
    const qn_factor_facts facts = qn_factor_plan_facts(one->plan);
    if (one->threads == 1)
        printf("%s: %.3g values, %.3g multiply-adds; residual %.1e\n", one->name, (double)facts.value_count,
               facts.multiply_adds, residual(all, solution));
    cholmod_free_dense(&solution, &all->common);
    qn_release(&x);
    return QN_OK;
}

static qn_status take_turn(race *all, int turn, entrant *one)
{
    double wall[RUNS], processor[RUNS];
    size_t wrong;
    set_blas_threads(one->threads);
    for (int run = 0; run < RUNS; run++) {
        const double started = clock_s(CLOCK_MONOTONIC), used = clock_s(CLOCK_PROCESS_CPUTIME_ID);
        if (one->theirs)
            cholmod_factorize(all->matrix, one->theirs, &all->common);
        else
            QN_TRY(qn_factor_compute(one->ours, all->box.values, &wrong));
        wall[run] = clock_s(CLOCK_MONOTONIC) - started;
        processor[run] = clock_s(CLOCK_PROCESS_CPUTIME_ID) - used;
    }
    one->wall[turn] = qn_median(wall, RUNS);
    one->processor[turn] = qn_median(processor, RUNS);
    return QN_OK;
}

static void print_spread(const double *values, int count, double scale, const char *unit)
{
    double sorted[TURNS_MAX];
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    const double median = qn_median(sorted, (size_t)count);
    printf("%.3g%s (%.3g to %.3g)", scale * median, unit, scale * sorted[0], scale * sorted[count - 1]);
}

/* How many times as long as ours on a number of threads CHOLMOD takes, on as many threads and on any. */
static void print_ratios(const race *all, int number)
{
    const entrant *first = all->entrants + WAYS * number, *ours = first + WAYS - 1;
    double same[TURNS_MAX], any[TURNS_MAX];
    for (int turn = 0; turn < all->turns; turn++) {
        double fastest = INFINITY;
        for (int i = 0; i < ENTRANTS; i++)
            if (all->entrants[i].theirs) fastest = fmin(fastest, all->entrants[i].wall[turn]);
        same[turn] = fmin(first[0].wall[turn], first[1].wall[turn]) / ours->wall[turn];
        any[turn] = fastest / ours->wall[turn];
    }
    printf("CHOLMOD over ours, %d thread%s: ", ours->threads, ours->threads > 1 ? "s" : "");
    print_spread(same, all->turns, 1, "");
    printf("; its fastest on any number: ");
    print_spread(any, all->turns, 1, "");
    printf("\n");
}

static qn_status hold_race(race *all)
{
    for (int turn = 0; turn < all->turns; turn++)
        for (int i = 0; i < ENTRANTS; i++) QN_TRY(take_turn(all, turn, &all->entrants[(i + turn) % ENTRANTS]));
    for (int i = 0; i < ENTRANTS; i++) {
        const entrant *one = &all->entrants[i];
        printf("%s, %d thread%s: ", one->name, one->threads, one->threads > 1 ? "s" : "");
        print_spread(one->wall, all->turns, 1e3, " ms");
        printf(", processor time ");
        print_spread(one->processor, all->turns, 1e3, " ms");
        printf("\n");
    }
    for (int number = 0; number < 2; number++) print_ratios(all, number);
    return QN_OK;
}

static qn_status number_freedoms(const qn_factor_box *box, free_index *index)
{
    QN_TRY(qn_allocate(box->freedoms, sizeof(size_t), (void **)&index->of));
    for (size_t f = 0; f < box->freedoms; f++) {
        if (box->sign[f] < 0)
            return QN_FAIL(QN_INVALID_ARGUMENT, "the pattern has pressures; expected displacements alone");
        index->of[f] = box->is_free[f] ? index->count++ : SIZE_MAX;
    }
    return QN_OK;
}

static qn_status open_race(const char *pattern, int threads, race *all)
{
    static const char *const names[WAYS] = {"CHOLMOD, METIS", "CHOLMOD, AMD", "ours"};
    QN_TRY(bench_open_pattern(pattern, &all->box));
    QN_TRY(number_freedoms(&all->box, &all->index));
    cholmod_start(&all->common);
    cholmod_triplet *triplet = cholmod_allocate_triplet(all->index.count, all->index.count, all->box.value_count, -1,
                                                        CHOLMOD_REAL, &all->common);
    fill_state state = {&all->index, triplet};
    qn_factor_box_walk(&all->box, fill_entry, &state);
    all->matrix = cholmod_triplet_to_sparse(triplet, 0, &all->common);
    cholmod_free_triplet(&triplet, &all->common);
    printf("%s: %zu free freedoms; %d turns of %d factors\n", pattern, all->index.count, all->turns, (int)RUNS);
    for (int i = 0; i < ENTRANTS; i++) {
        entrant *one = &all->entrants[i];
        one->name = names[i % WAYS];
        one->threads = i < WAYS ? 1 : threads;
        if (i % WAYS == WAYS - 1)
            QN_TRY(begin_ours(all, one));
        else
            begin_theirs(all, i % WAYS == 0 ? CHOLMOD_METIS : CHOLMOD_AMD, one);
    }
    return QN_OK;
}

static void close_race(race *all)
{
    for (int i = 0; i < ENTRANTS; i++) {
        entrant *one = &all->entrants[i];
        cholmod_free_factor(&one->theirs, &all->common);
        qn_factor_destroy(&one->ours);
        qn_pool_destroy(&one->pool);
        qn_factor_plan_destroy(&one->plan);
    }
    cholmod_free_sparse(&all->matrix, &all->common);
    cholmod_finish(&all->common);
    qn_release(&all->index.of);
    qn_factor_box_release(&all->box);
}

int main(int argc, char **argv)
{
    static race all;
    const int threads = argc > 3 ? atoi(argv[3]) : 2;
    all.turns = argc > 2 ? atoi(argv[2]) : 7;
    if (argc < 2 || argc > 4 || threads < 2 || all.turns < 1 || all.turns > TURNS_MAX) {
        fprintf(stderr,
                "usage: quern_bench_deform_cholmod box:N|mesh:FILE|mesh2:FILE [TURNS, 1 to %d [THREADS, 2 or more]]\n",
                (int)TURNS_MAX);
        return 2;
    }
    qn_status status = open_race(argv[1], threads, &all);
    if (status == QN_OK) status = hold_race(&all);
    if (status != QN_OK) {
        fprintf(stderr, "quern_bench_deform_cholmod: %s\n", qn_error_message());
        return 1;
    }
    close_race(&all);
    return 0;
}

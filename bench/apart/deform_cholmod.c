/* Time CHOLMOD's numeric factor beside ours: quern_bench_deform_cholmod PATTERN, as in deform_factor_parts/pattern.h,
 * without pressures, since CHOLMOD's supernodal factors are for definite matrices.
 *
 * For METIS's order and for AMD's, on 1 and 2 threads; the shortest of several runs, wall and processor time. CHOLMOD
 * takes its threads from BLAS (OpenBLAS here), ours from the pool. Both solve one system, whose residual is printed. */
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

#include "deform_factor_parts/pattern.h"

enum { RUNS = 30 };

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

static void set_blas_threads(int count)
{
    void (*set)(int);
    *(void **)&set = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    if (set) set(count);
}

static double residual(cholmod_sparse *matrix, cholmod_dense *x, cholmod_common *common)
{
    double minus[2] = {-1, 0}, one[2] = {1, 0};
    cholmod_dense *r = cholmod_ones(matrix->nrow, 1, CHOLMOD_REAL, common);
    cholmod_sdmult(matrix, 0, minus, one, x, r, common);
    const double norm = cholmod_norm_dense(r, 0, common);
    cholmod_free_dense(&r, common);
    return norm;
}

static void time_cholmod(cholmod_sparse *matrix, int ordering, const char *name, int threads, cholmod_common *common)
{
    double wall = INFINITY, cpu = INFINITY;
    common->nmethods = 1;
    common->method[0].ordering = ordering;
    common->postorder = 1;
    common->supernodal = CHOLMOD_SUPERNODAL;
    set_blas_threads(threads);
    cholmod_factor *factor = cholmod_analyze(matrix, common);
    for (int run = 0; run < RUNS; run++) {
        const double started = clock_s(CLOCK_MONOTONIC), used = clock_s(CLOCK_PROCESS_CPUTIME_ID);
        cholmod_factorize(matrix, factor, common);
        wall = fmin(wall, clock_s(CLOCK_MONOTONIC) - started);
        cpu = fmin(cpu, clock_s(CLOCK_PROCESS_CPUTIME_ID) - used);
    }
    cholmod_dense *b = cholmod_ones(matrix->nrow, 1, CHOLMOD_REAL, common);
    cholmod_dense *x = cholmod_solve(CHOLMOD_A, factor, b, common);
    printf(
        "CHOLMOD, %s, %d thread%s: %.2f ms, processor time %.2f ms; %.3g values, %.3g multiply-adds; residual %.1e\n",
        name, threads, threads > 1 ? "s" : "", 1e3 * wall, 1e3 * cpu, common->lnz, common->fl / 2,
        residual(matrix, x, common));
    cholmod_free_dense(&b, common);
    cholmod_free_dense(&x, common);
    cholmod_free_factor(&factor, common);
}

static qn_status time_ours(const qn_factor_box *box, cholmod_sparse *matrix, const free_index *index, int threads,
                           cholmod_common *common)
{
    double wall = INFINITY, cpu = INFINITY, *x;
    qn_factor_plan *plan;
    qn_factor *factor;
    qn_pool *pool;
    size_t wrong;
    QN_TRY(qn_factor_plan_create(&box->pattern, box->is_free, box->sign, &plan));
    QN_TRY(qn_factor_create(plan, &factor));
    QN_TRY(qn_pool_create(threads, &pool));
    QN_TRY(qn_factor_use_pool(factor, pool));
    for (int run = 0; run < RUNS; run++) {
        const double started = clock_s(CLOCK_MONOTONIC), used = clock_s(CLOCK_PROCESS_CPUTIME_ID);
        QN_TRY(qn_factor_compute(factor, box->values, &wrong));
        wall = fmin(wall, clock_s(CLOCK_MONOTONIC) - started);
        cpu = fmin(cpu, clock_s(CLOCK_PROCESS_CPUTIME_ID) - used);
    }
    QN_TRY(qn_allocate(box->freedoms, sizeof(double), (void **)&x));
    for (size_t f = 0; f < box->freedoms; f++) x[f] = 1;
    qn_factor_solve(factor, x, 1, x);
    cholmod_dense *solution = cholmod_zeros(matrix->nrow, 1, CHOLMOD_REAL, common);
    for (size_t f = 0; f < box->freedoms; f++)
        if (index->of[f] != SIZE_MAX) ((double *)solution->x)[index->of[f]] = x[f];
    const qn_factor_facts facts = qn_factor_plan_facts(plan);
    printf("ours, %d thread%s: %.2f ms, processor time %.2f ms; %.3g values, %.3g multiply-adds; residual %.1e\n",
           threads, threads > 1 ? "s" : "", 1e3 * wall, 1e3 * cpu, (double)facts.value_count, facts.multiply_adds,
           residual(matrix, solution, common));
    cholmod_free_dense(&solution, common);
    qn_release(&x);
    qn_factor_destroy(&factor);
    qn_pool_destroy(&pool);
    qn_factor_plan_destroy(&plan);
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

static qn_status run(const char *path)
{
    qn_factor_box box = {0};
    free_index index = {NULL, 0};
    cholmod_common common;
    QN_TRY(bench_open_pattern(path, &box));
    QN_TRY(number_freedoms(&box, &index));
    cholmod_start(&common);
    cholmod_triplet *triplet =
        cholmod_allocate_triplet(index.count, index.count, box.value_count, -1, CHOLMOD_REAL, &common);
    fill_state state = {&index, triplet};
    qn_factor_box_walk(&box, fill_entry, &state);
    cholmod_sparse *matrix = cholmod_triplet_to_sparse(triplet, 0, &common);
    for (int threads = 1; threads <= 2; threads++) {
        time_cholmod(matrix, CHOLMOD_METIS, "METIS", threads, &common);
        time_cholmod(matrix, CHOLMOD_AMD, "AMD", threads, &common);
        QN_TRY(time_ours(&box, matrix, &index, threads, &common));
    }
    cholmod_free_sparse(&matrix, &common);
    cholmod_free_triplet(&triplet, &common);
    cholmod_finish(&common);
    qn_release(&index.of);
    qn_factor_box_release(&box);
    return QN_OK;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: quern_bench_deform_cholmod PATTERN|box:N\n");
        return 2;
    }
    if (run(argv[1]) == QN_OK) return 0;
    fprintf(stderr, "quern_bench_deform_cholmod: %s\n", qn_error_message());
    return 1;
}

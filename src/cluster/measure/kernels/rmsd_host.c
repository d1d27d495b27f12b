/* Host kernels of rmsd: a row against as many columns as the registers have lanes, whose 9 sums stay in registers. A
 * task is a block of rows and a range of columns; the polynomials of a row follow for a panel of columns at once. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "cluster/measure/kernels/rmsd.h"
#include "runtime/host_variant.h"
#include "runtime/host_vector.h"
#include "runtime/prelude/prelude_host.h"

#include "cluster/measure/kernels/rmsd.dev.h"

enum {
    ROWS_MAX = 64,                    /* of a block */
    BLOCK_FLOATS = 65536,             /* of a block's positions, so that they stay in the second-level cache */
    COLUMNS = 4096,                   /* of a task */
    SIDE = RMSD_PANEL,                /* columns whose polynomials are computed at once */
    GROUPS = SIDE / QN_LANES,         /* of columns */
    TOGETHER = QN_LANES == 16 ? 2 : 1 /* rows whose sums fit the registers */
};

typedef struct rmsd_job {
    const rmsd_scalars *scalars;
    const float *first, *first_terms, *second, *second_terms;
    uint32_t *bits; /* NULL: values */
    float *values;
    uint32_t *doubtful, *doubtful_count;
    size_t block_rows, column_tasks;
    float *scratch;
    size_t scratch_floats; /* of a worker */
} rmsd_job;

/* Memory of a worker. */
typedef struct rmsd_scratch {
    float *rows;     /* [block_rows][3 · atoms] */
    float *columns;  /* [3 · atoms][QN_LANES] */
    float *products; /* [block_rows][9][SIDE] */
    float *terms;    /* [RMSD_TERMS][SIDE] */
} rmsd_scratch;

static rmsd_scratch scratch_of(const rmsd_job *job, int worker)
{
    const size_t lines = 3 * (size_t)job->scalars->atoms;
    rmsd_scratch scratch;
    scratch.rows = job->scratch + (size_t)worker * job->scratch_floats;
    scratch.columns = scratch.rows + job->block_rows * lines;
    scratch.products = scratch.columns + lines * QN_LANES;
    scratch.terms = scratch.products + job->block_rows * 9 * SIDE;
    return scratch;
}

/* The number of structure `index` in its panel's first line. */
static const float *place_of(const float *set, size_t lines, size_t index)
{
    return set + index / RMSD_PANEL * lines * RMSD_PANEL + index % RMSD_PANEL;
}

/* Copy `lines` lines of `width` structures from `first` on; structures after `last` become copies of it. */
static void gather(const float *set, size_t lines, size_t first, size_t last, size_t width, float *to)
{
    if (first + width - 1 <= last && first % RMSD_PANEL + width <= RMSD_PANEL) {
        const float *from = place_of(set, lines, first);
        for (size_t k = 0; k < lines; k++) memcpy(to + k * width, from + k * RMSD_PANEL, width * sizeof(float));
        return;
    }
    for (size_t w = 0; w < width; w++) {
        const float *from = place_of(set, lines, first + w < last ? first + w : last);
        for (size_t k = 0; k < lines; k++) to[k * width + w] = from[k * RMSD_PANEL];
    }
}

/* Sum the products of TOGETHER rows with a group of columns; to: [row][9][SIDE]. */
static inline void multiply_rows(const float *const rows[TOGETHER], const float *columns, size_t atoms, float *to)
{
    qn_lanes sums[TOGETHER][9];
    for (int r = 0; r < TOGETHER; r++)
        for (int e = 0; e < 9; e++) sums[r][e] = qn_lanes_splat(0);
    for (size_t k = 0; k < atoms; k++) {
        const qn_lanes x = qn_lanes_load(columns + 3 * k * QN_LANES);
        const qn_lanes y = qn_lanes_load(columns + (3 * k + 1) * QN_LANES);
        const qn_lanes z = qn_lanes_load(columns + (3 * k + 2) * QN_LANES);
        for (int r = 0; r < TOGETHER; r++)
            for (int s = 0; s < 3; s++) {
                const qn_lanes row = qn_lanes_splat(rows[r][3 * k + (size_t)s]);
                sums[r][3 * s] = qn_lanes_fma(row, x, sums[r][3 * s]);
                sums[r][3 * s + 1] = qn_lanes_fma(row, y, sums[r][3 * s + 1]);
                sums[r][3 * s + 2] = qn_lanes_fma(row, z, sums[r][3 * s + 2]);
            }
    }
    for (int r = 0; r < TOGETHER; r++)
        for (int e = 0; e < 9; e++) qn_lanes_store(to + (r * 9 + e) * SIDE, sums[r][e]);
}

/* The polynomials of a row of pairs, each number in a row of its own. */
typedef struct polynomials {
    float c3[SIDE], c2[SIDE], c1[SIDE], c0[SIDE], size[SIDE], cross[SIDE], rest[SIDE], error[SIDE];
} polynomials;

/* GCC makes vectors of these loops only if all functions are inlined. */
#define INLINED __attribute__((flatten)) static

INLINED void find_polynomials(const float *products, const float *row_terms, const float *terms, polynomials *p)
{
#pragma omp simd
    for (int c = 0; c < SIDE; c++) {
        const rmsd_pair pair = rmsd_pair_of(products + c, SIDE, row_terms, terms + c, SIDE);
        p->c3[c] = pair.c3, p->c2[c] = pair.c2, p->c1[c] = pair.c1, p->c0[c] = pair.c0;
        p->size[c] = pair.size, p->cross[c] = pair.cross, p->rest[c] = pair.rest, p->error[c] = pair.error;
    }
}

static inline rmsd_pair pair_at(const polynomials *p, int c)
{
    return (rmsd_pair){p->c3[c], p->c2[c], p->c1[c], p->c0[c], p->size[c], p->cross[c], p->rest[c], p->error[c]};
}

INLINED void decide_row(const polynomials *p, float half_square, int32_t sides[SIDE])
{
#pragma omp simd
    for (int c = 0; c < SIDE; c++) {
        const rmsd_pair pair = pair_at(p, c);
        sides[c] = rmsd_is_near(&pair, half_square);
    }
}

/* A step of those pairs that still move; returns whether any does afterwards. */
INLINED int32_t step_row(const polynomials *p, float x[SIDE], int32_t states[SIDE])
{
    int32_t moving = 0;
#pragma omp simd reduction(| : moving)
    for (int c = 0; c < SIDE; c++) {
        const rmsd_pair pair = pair_at(p, c);
        float at = x[c];
        const int32_t next = rmsd_step(&pair, &at), goes = states[c] > 0;
        x[c] = goes ? at : x[c];
        states[c] = goes ? next : states[c];
        moving |= states[c] > 0;
    }
    return moving;
}

INLINED void value_row(const polynomials *p, const float *row_terms, const float *terms, float accumulation,
                       float values[SIDE], int32_t doubtful[SIDE])
{
    float x[SIDE];
    int32_t states[SIDE];
    for (int c = 0; c < SIDE; c++) {
        x[c] = FMAX(p->rest[c], 0.0f);
        states[c] = 1;
    }
    for (int step = 0; step < RMSD_STEPS && step_row(p, x, states); step++) {
    }
#pragma omp simd
    for (int c = 0; c < SIDE; c++) {
        const rmsd_pair pair = pair_at(p, c);
        const float half_squares = row_terms[RMSD_HALF_SQUARE] + terms[RMSD_HALF_SQUARE * SIDE + c];
        int in_doubt;
        values[c] = rmsd_value_at(&pair, x[c], states[c], half_squares, accumulation, &in_doubt);
        doubtful[c] = in_doubt;
    }
}

static void note_doubtful(const rmsd_job *job, size_t row, size_t column)
{
    const uint32_t place = __atomic_fetch_add(job->doubtful_count, 1, __ATOMIC_RELAXED);
    if (place < (uint32_t)job->scalars->doubtful_capacity) job->doubtful[place] = (uint32_t)(row << 16 | column);
}

/* Write the results of a row and the panel of columns that begins at `column`. */
static void finish_row(const rmsd_job *job, const rmsd_scratch *scratch, const float *products, size_t row,
                       size_t column)
{
    const rmsd_scalars *s = job->scalars;
    const float *place = place_of(job->first_terms, RMSD_TERMS, (size_t)s->first_row + row);
    const size_t columns = (size_t)s->columns, words = (columns + 31) / 32;
    float row_terms[RMSD_TERMS], values[SIDE];
    polynomials polynomials_of_row;
    int32_t sides[SIDE];
    for (int t = 0; t < RMSD_TERMS; t++) row_terms[t] = place[t * RMSD_PANEL];
    find_polynomials(products, row_terms, scratch->terms, &polynomials_of_row);
    if (job->bits)
        decide_row(&polynomials_of_row, s->half_square, sides);
    else
        value_row(&polynomials_of_row, row_terms, scratch->terms, s->accumulation, values, sides);
    uint32_t found[2] = {0, 0};
    for (size_t c = 0; c < SIDE && column + c < columns; c++) {
        const bool wanted = !s->triangle || column + c > row, doubtful = job->bits ? sides[c] == 0 : sides[c] != 0;
        if (wanted && doubtful) note_doubtful(job, row, column + c);
        if (!job->bits)
            job->values[row * columns + column + c] = wanted ? values[c] : 0;
        else if (wanted && sides[c] > 0)
            found[c / 32] |= (uint32_t)1 << c % 32;
    }
    if (!job->bits) return;
    job->bits[row * words + column / 32] = found[0];
    if (column / 32 + 1 < words) job->bits[row * words + column / 32 + 1] = found[1];
}

static void clear_rows(const rmsd_job *job, size_t row, size_t rows, size_t column)
{
    const size_t columns = (size_t)job->scalars->columns, words = (columns + 31) / 32;
    const size_t width = columns - column < SIDE ? columns - column : SIDE;
    for (size_t r = row; r < row + rows; r++)
        if (job->bits)
            memset(job->bits + r * words + column / 32, 0, (width + 31) / 32 * sizeof(uint32_t));
        else
            memset(job->values + r * columns + column, 0, width * sizeof(float));
}

static void do_panel(const rmsd_job *job, const rmsd_scratch *scratch, size_t row, size_t rows, size_t column)
{
    const rmsd_scalars *s = job->scalars;
    const size_t atoms = (size_t)s->atoms, lines = 3 * atoms, first = (size_t)s->first_column + column;
    const size_t last = (size_t)s->first_column + (size_t)s->columns - 1;
    if (s->triangle && column + SIDE <= row + 1) {
        clear_rows(job, row, rows, column);
        return;
    }
    for (size_t g = 0; g < GROUPS && column + g * QN_LANES < (size_t)s->columns; g++) {
        gather(job->second, lines, first + g * QN_LANES, last, QN_LANES, scratch->columns);
        for (size_t r = 0; r < rows; r += TOGETHER) {
            const float *blocks[TOGETHER];
            for (size_t t = 0; t < TOGETHER; t++) blocks[t] = scratch->rows + (r + t) * lines;
            multiply_rows(blocks, scratch->columns, atoms, scratch->products + r * 9 * SIDE + g * QN_LANES);
        }
    }
    gather(job->second_terms, RMSD_TERMS, first, last, SIDE, scratch->terms);
    for (size_t r = 0; r < rows; r++) finish_row(job, scratch, scratch->products + r * 9 * SIDE, row + r, column);
}

static qn_status do_task(size_t index, int worker, void *user)
{
    const rmsd_job *job = user;
    const rmsd_scalars *s = job->scalars;
    const rmsd_scratch scratch = scratch_of(job, worker);
    const size_t lines = 3 * (size_t)s->atoms, row = index / job->column_tasks * job->block_rows;
    const size_t left = (size_t)s->rows - row, rows = left < job->block_rows ? left : job->block_rows;
    const size_t begin = index % job->column_tasks * COLUMNS;
    const size_t end = begin + COLUMNS < (size_t)s->columns ? begin + COLUMNS : (size_t)s->columns;
    for (size_t r = 0; r < rows; r++) {
        const float *from = place_of(job->first, lines, (size_t)s->first_row + row + r);
        for (size_t k = 0; k < lines; k++) scratch.rows[r * lines + k] = from[k * RMSD_PANEL];
    }
    for (size_t column = begin; column < end; column += SIDE) do_panel(job, &scratch, row, rows, column);
    return QN_OK;
}

static qn_status run(const qn_host_launch *launch, bool makes_bits)
{
    void *const *arguments = launch->arguments;
    const rmsd_scalars *s = arguments[RMSD_SCALARS];
    const size_t lines = 3 * (size_t)s->atoms, fitting = BLOCK_FLOATS / lines / TOGETHER * TOGETHER;
    rmsd_job job = {.scalars = s,
                    .first = arguments[RMSD_FIRST],
                    .first_terms = arguments[RMSD_FIRST_TERMS],
                    .second = arguments[RMSD_SECOND],
                    .second_terms = arguments[RMSD_SECOND_TERMS],
                    .bits = makes_bits ? arguments[RMSD_OUTPUT] : NULL,
                    .values = makes_bits ? NULL : arguments[RMSD_OUTPUT],
                    .doubtful = arguments[RMSD_DOUBTFUL],
                    .doubtful_count = arguments[RMSD_DOUBTFUL_COUNT],
                    .block_rows = fitting > ROWS_MAX ? ROWS_MAX
                                  : fitting < 4      ? 4
                                                     : fitting,
                    .column_tasks = ((size_t)s->columns + COLUMNS - 1) / COLUMNS};
    void *memory;
    job.scratch_floats = job.block_rows * (lines + 9 * SIDE) + lines * QN_LANES + RMSD_TERMS * SIDE;
    QN_TRY(qn_allocate((size_t)qn_pool_threads(launch->pool) * job.scratch_floats, sizeof(float), &memory));
    job.scratch = memory;
    const size_t blocks = ((size_t)s->rows + job.block_rows - 1) / job.block_rows;
    const qn_status status = qn_pool_run(launch->pool, blocks * job.column_tasks, do_task, &job);
    qn_release(&job.scratch);
    return status;
}

static qn_status rmsd_near(const qn_host_launch *launch)
{
    return run(launch, true);
}

static qn_status rmsd_values(const qn_host_launch *launch)
{
    return run(launch, false);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_cluster_rmsd_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_cluster_rmsd_host)[] = {rmsd_near, rmsd_values};

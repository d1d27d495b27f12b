/* Host kernel of distance_histogram: pairs of tiles are dealt to the pool. In a pair, each atom of the first tile is
 * paired with the second tile as a row. */
#include "pairs/kernels/histogram_rows.h"
#include "runtime/host_variant.h"

typedef struct histogram_job {
    histogram_rule rule;
    atom_rows first, second;
    int unordered;
    size_t rows, columns;
} histogram_job;

/* Count one pair of tiles. In unordered problems, each tile is paired with itself and the tiles after it, as on a ring
 * (see find_tiles in distance_histogram.cl). */
static qn_status count_tiles(size_t unit, int worker, void *user)
{
    const histogram_job *job = user;
    worker_counts *mine = &job->rule.workers[worker];
    const size_t row = job->unordered ? unit % job->rows : unit / job->columns;
    const size_t column = job->unordered ? (row + unit / job->rows) % job->rows : unit % job->columns;
    const size_t i_end = row * SIDE + SIDE < job->first.count ? row * SIDE + SIDE : job->first.count;
    const size_t j_end = column * SIDE + SIDE < job->second.count ? column * SIDE + SIDE : job->second.count;
    row_scratch scratch;
    if (mine->pending > MOST_PENDING) flush(&job->rule, mine);
    for (size_t i = row * SIDE; i < i_end; i++) {
        const size_t begin = job->unordered && row == column ? i + 1 : column * SIDE;
        const float at[3] = {job->first.x[i], job->first.y[i], job->first.z[i]};
        count_row(&job->rule, at, &job->second, begin, j_end - begin, &scratch, mine);
    }
    mine->pending += SIDE * SIDE;
    return QN_OK;
}

static qn_status distance_histogram(const qn_host_launch *launch)
{
    const distance_scalars *s = launch->arguments[DISTANCE_SCALARS];
    void *const *arguments = launch->arguments;
    const size_t first_count = (size_t)s->first_count, second_count = (size_t)s->second_count;
    float *first = NULL, *second = NULL;
    histogram_job job = {.rule = {.squared_edges = arguments[DISTANCE_SQUARED_EDGES],
                                  .cell = arguments[DISTANCE_CELL],
                                  .bins = s->bins,
                                  .shifts = s->shifts,
                                  .scale = s->scale,
                                  .shift = s->shift,
                                  .sure = s->sure,
                                  .shape = (int)((const float *)arguments[DISTANCE_CELL])[HISTOGRAM_SHAPE]},
                         .unordered = s->unordered,
                         .rows = (first_count + SIDE - 1) / SIDE,
                         .columns = (second_count + SIDE - 1) / SIDE};
    const size_t units = job.unordered ? job.rows * (job.rows + 1) / 2 : job.rows * job.columns;
    qn_status status = make_rows(arguments[DISTANCE_FIRST], first_count, &first, &job.first);
    job.second = job.first;
    if (status == QN_OK && !job.unordered)
        status = make_rows(arguments[DISTANCE_SECOND], second_count, &second, &job.second);
    if (status == QN_OK)
        status = run_units(&job.rule, launch->pool, units, count_tiles, &job, arguments[DISTANCE_COUNTS]);
    qn_release(&first);
    qn_release(&second);
    return status;
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_pairs_distance_histogram_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_pairs_distance_histogram_host)[] = {distance_histogram};

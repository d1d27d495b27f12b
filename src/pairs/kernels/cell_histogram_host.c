/* Host kernel of cell_histogram: tasks are dealt to the pool. In a task, each atom of the first run is paired with the
 * second run as a row. */
#include "pairs/kernels/cell_histogram.h"
#include "pairs/kernels/histogram_rows.h"
#include "runtime/host_variant.h"

#include "pairs/kernels/cell_histogram.dev.h"

enum { TASKS = 64 }; /* number of tasks in a unit of the pool */

typedef struct cell_job {
    histogram_rule rule;
    atom_rows first, second;
    const qn_pair_task *tasks;
    size_t task_count;
    int unordered;
} cell_job;

static void count_task(const cell_job *job, const qn_pair_task *task, row_scratch *scratch, worker_counts *mine)
{
    const bool triangular = job->unordered && task->first_begin == task->second_begin;
    const size_t end = (size_t)task->second_end;
    for (size_t i = (size_t)task->first_begin; i < (size_t)task->first_end; i++) {
        const float at[3] = {job->first.x[i], job->first.y[i], job->first.z[i]};
        for (size_t begin = triangular ? i + 1 : (size_t)task->second_begin; begin < end; begin += SIDE)
            count_row(&job->rule, at, &job->second, begin, end - begin < SIDE ? end - begin : SIDE, scratch, mine);
    }
    mine->pending +=
        (uint64_t)(task->first_end - task->first_begin) * (uint64_t)(task->second_end - task->second_begin);
    if (mine->pending > MOST_PENDING) flush(&job->rule, mine);
}

static qn_status count_tasks(size_t unit, int worker, void *user)
{
    const cell_job *job = user;
    const size_t end = (unit + 1) * TASKS < job->task_count ? (unit + 1) * TASKS : job->task_count;
    row_scratch scratch;
    for (size_t t = unit * TASKS; t < end; t++) count_task(job, &job->tasks[t], &scratch, &job->rule.workers[worker]);
    return QN_OK;
}

static qn_status cell_histogram(const qn_host_launch *launch)
{
    const cell_scalars *s = launch->arguments[CELL_SCALARS];
    void *const *arguments = launch->arguments;
    const size_t atom_bytes = 4 * sizeof(float);
    float *first = NULL, *second = NULL;
    cell_job job = {.rule = {.squared_edges = arguments[CELL_SQUARED_EDGES],
                             .cell = arguments[CELL_CELL],
                             .bins = s->bins,
                             .shifts = s->shifts,
                             .scale = s->scale,
                             .shift = s->shift,
                             .sure = s->sure,
                             .shape = (int)((const float *)arguments[CELL_CELL])[HISTOGRAM_SHAPE]},
                    .tasks = arguments[CELL_TASKS],
                    .task_count = (size_t)s->task_count,
                    .unordered = s->unordered};
    const size_t units = (job.task_count + TASKS - 1) / TASKS;
    qn_status status =
        make_rows(arguments[CELL_FIRST], launch->argument_bytes[CELL_FIRST] / atom_bytes, &first, &job.first);
    job.second = job.first;
    if (status == QN_OK && !job.unordered)
        status =
            make_rows(arguments[CELL_SECOND], launch->argument_bytes[CELL_SECOND] / atom_bytes, &second, &job.second);
    if (status == QN_OK) status = run_units(&job.rule, launch->pool, units, count_tasks, &job, arguments[CELL_COUNTS]);
    qn_release(&first);
    qn_release(&second);
    return status;
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_pairs_cell_histogram_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_pairs_cell_histogram_host)[] = {cell_histogram};

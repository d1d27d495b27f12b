/* Host kernel of cell_histogram: tasks are dealt to the pool, and of a task every atom of the first run meets the
 * second as a row. */
#include "pairs/kernels/cell_histogram.h"
#include "pairs/kernels/histogram_rows.h"
#include "runtime/host_variant.h"

enum { TASKS = 64 }; /* of a unit of the pool */

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
    void *const *arguments = launch->arguments;
    const size_t atom_bytes = 4 * sizeof(float);
    float *first = NULL, *second = NULL;
    cell_job job = {.rule = {.squared_edges = arguments[3],
                             .cell = arguments[4],
                             .bins = *(const int32_t *)arguments[8],
                             .shifts = *(const int32_t *)arguments[9],
                             .scale = *(const float *)arguments[10],
                             .shift = *(const float *)arguments[11],
                             .sure = *(const float *)arguments[12],
                             .shape = (int)((const float *)arguments[4])[HISTOGRAM_SHAPE]},
                    .tasks = arguments[2],
                    .task_count = (size_t) * (const int32_t *)arguments[6],
                    .unordered = *(const int32_t *)arguments[7]};
    const size_t units = (job.task_count + TASKS - 1) / TASKS;
    qn_status status = make_rows(arguments[0], launch->argument_bytes[0] / atom_bytes, &first, &job.first);
    job.second = job.first;
    if (status == QN_OK && !job.unordered)
        status = make_rows(arguments[1], launch->argument_bytes[1] / atom_bytes, &second, &job.second);
    if (status == QN_OK) status = run_units(&job.rule, launch->pool, units, count_tasks, &job, arguments[5]);
    qn_release(&first);
    qn_release(&second);
    return status;
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_pairs_cell_histogram_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_pairs_cell_histogram_host)[] = {cell_histogram};

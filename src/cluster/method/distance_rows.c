#include "cluster/method/distance_rows.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

static float value_at(const qn_distance_matrix *matrix, size_t place)
{
    return matrix->values ? matrix->values[place] : (float)matrix->steps[place] * matrix->step;
}

void qn_distance_rows(const qn_distance_matrix *matrix, size_t first, size_t rows, float *out)
{
    const size_t count = matrix->count;
    for (size_t j = 0; j < first; j++) {
        const size_t place = qn_distance_place(count, j, first);
        for (size_t r = 0; r < rows; r++) out[r * count + j] = value_at(matrix, place + r);
    }
    for (size_t r = 0; r < rows; r++) {
        const size_t item = first + r;
        float *row = out + r * count;
        for (size_t j = first; j < item; j++) row[j] = qn_distance_at(matrix, j, item);
        row[item] = 0;
        if (item + 1 == count) continue;
        const size_t place = qn_distance_place(count, item, item + 1);
        for (size_t j = item + 1; j < count; j++) row[j] = value_at(matrix, place + j - item - 1);
    }
}

typedef struct rows_task {
    const qn_distance_matrix *matrix;
    qn_distance_row_use use;
    void *user;
    float *scratch; /* [threads][QN_DISTANCE_BLOCK][count] */
} rows_task;

static qn_status use_block(size_t index, int worker, void *user)
{
    const rows_task *task = user;
    const size_t count = task->matrix->count, first = index * QN_DISTANCE_BLOCK;
    const size_t rows = count - first < QN_DISTANCE_BLOCK ? count - first : QN_DISTANCE_BLOCK;
    float *block = task->scratch + (size_t)worker * QN_DISTANCE_BLOCK * count;
    qn_distance_rows(task->matrix, first, rows, block);
    for (size_t r = 0; r < rows; r++) task->use(first + r, block + r * count, worker, task->user);
    return QN_OK;
}

static size_t threads_of(const qn_pool *pool)
{
    return pool ? (size_t)qn_pool_threads(pool) : 1;
}

qn_status qn_distance_each_row(const qn_distance_matrix *matrix, qn_pool *pool, qn_distance_row_use use, void *user)
{
    rows_task task = {.matrix = matrix, .use = use, .user = user};
    void *scratch = NULL;
    QN_TRY(qn_allocate(threads_of(pool) * QN_DISTANCE_BLOCK * matrix->count, sizeof(float), &scratch));
    task.scratch = scratch;
    const size_t blocks = (matrix->count + QN_DISTANCE_BLOCK - 1) / QN_DISTANCE_BLOCK;
    qn_status status = qn_pool_run(pool, blocks, use_block, &task);
    qn_release(&scratch);
    return status;
}

static qn_status check_row(size_t item, int worker, void *user)
{
    (void)worker;
    const qn_distance_matrix *matrix = user;
    const size_t count = matrix->count, place = qn_distance_place(count, item, item + 1);
    for (size_t j = item + 1; j < count; j++) {
        const float value = matrix->values[place + j - item - 1];
        if (!(value >= 0 && isfinite(value)))
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "the distance between items %zu and %zu is %g, but a distance is a number of at least 0",
                           item + 1, j + 1, (double)value);
    }
    return QN_OK;
}

qn_status qn_distance_matrix_check(const qn_distance_matrix *matrix, qn_pool *pool)
{
    if (!matrix->values || matrix->count < 2) return QN_OK;
    return qn_pool_run(pool, matrix->count - 1, check_row, (void *)matrix);
}

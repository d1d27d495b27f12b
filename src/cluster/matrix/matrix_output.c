/* Least, mean and largest value of a finished matrix, and its table. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/written_file.h"
#include "cluster/matrix/matrix.h"
#include "cluster/matrix/tiles.h"
#include "report/csv.h"

enum { BLOCK = 1 << 20, CSV_DIGITS = 7 };

/* ---- range ---- */

typedef struct range_search {
    const qn_matrix *matrix;
    qn_matrix_range *blocks; /* `mean` is a sum here */
} range_search;

static qn_status search_block(size_t index, int worker, void *user)
{
    const range_search *self = user;
    const uint64_t first = (uint64_t)index * BLOCK, end = first + BLOCK;
    qn_matrix_range found = {.smallest = INFINITY, .largest = -INFINITY};
    (void)worker;
    for (uint64_t k = first; k < end && k < self->matrix->value_count; k++) {
        const double value = (double)qn_matrix_value(self->matrix, k);
        if (value < found.smallest) found.smallest = value;
        if (value > found.largest) found.largest = value;
        found.mean += value;
    }
    self->blocks[index] = found;
    return QN_OK;
}

qn_status qn_matrix_find_range(const qn_matrix *matrix, qn_pool *pool, qn_matrix_range *range)
{
    const size_t count = (size_t)((matrix->value_count + BLOCK - 1) / BLOCK);
    range_search self = {.matrix = matrix};
    void *memory;
    QN_TRY(qn_allocate(count, sizeof *self.blocks, &memory));
    self.blocks = memory;
    const qn_status status = qn_pool_run(pool, count, search_block, &self);
    *range = (qn_matrix_range){.smallest = INFINITY, .largest = -INFINITY};
    for (size_t i = 0; i < count && status == QN_OK; i++) {
        range->smallest = fmin(range->smallest, self.blocks[i].smallest);
        range->largest = fmax(range->largest, self.blocks[i].largest);
        range->mean += self.blocks[i].mean / (double)matrix->value_count;
    }
    qn_release(&memory);
    return status;
}

/* ---- table ---- */

static qn_status append_value(const qn_matrix *matrix, size_t row, size_t column, qn_text *csv)
{
    const size_t columns = matrix->reference_count;
    if (columns > 0) return qn_csv_general(csv, (double)qn_matrix_value(matrix, row * columns + column), CSV_DIGITS);
    if (row == column) return qn_csv_general(csv, (double)matrix->self, CSV_DIGITS);
    const uint64_t place = qn_distance_place(matrix->count, row, column);
    return qn_csv_general(csv, (double)qn_matrix_value(matrix, place), CSV_DIGITS);
}

/* The head, before all rows, has `corner` and the names of the columns; without `corner` it is a row of values. */
static qn_status write_row(const qn_matrix *matrix, char *const *names, size_t row, const char *corner,
                           qn_written_file *file)
{
    const size_t columns = matrix->reference_count ? matrix->reference_count : matrix->count;
    char *const *column_names = matrix->reference_count ? names + matrix->count : names;
    qn_text csv = {0};
    qn_status status = qn_csv_text(&csv, corner ? corner : names[row]);
    for (size_t i = 0; i < columns && status == QN_OK; i++)
        status = corner ? qn_csv_text(&csv, column_names[i]) : append_value(matrix, row, i, &csv);
    if (status == QN_OK) status = qn_csv_end_row(&csv);
    if (status == QN_OK) status = qn_written_file_write(file, csv.data, csv.length);
    qn_text_clear(&csv);
    return status;
}

qn_status qn_matrix_write_csv(const qn_matrix *matrix, qn_job *job, const char *name, const char *corner,
                              char *const *names)
{
    char *path;
    qn_written_file file;
    QN_TRY(qn_job_path(job, name, &path));
    qn_status status = qn_written_file_open(path, false, &file);
    qn_release(&path);
    QN_TRY(status);
    status = write_row(matrix, names, 0, corner, &file);
    for (size_t i = 0; i < matrix->count && status == QN_OK; i++) status = write_row(matrix, names, i, NULL, &file);
    if (status == QN_OK) status = qn_written_file_finish(&file);
    if (status != QN_OK) qn_written_file_discard(&file);
    return status;
}

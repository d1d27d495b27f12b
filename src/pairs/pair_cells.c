#include "pairs/pair_cells.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static const double MARGIN = 1e-4;       /* share of the distance, for rounding of positions */
static const double FEWEST_IN_CELL = 8;  /* atoms per small cell on average: with fewer, tasks cost more than pairs */
static const double MANY_IN_CELL = 24;   /* atoms in a cube of half the distance, above which such cells save pairs */
static const double WORTH_SORTING = 0.5; /* share of all pairs, up to which sorting pays */
static const size_t FEWEST_ATOMS = 512;
enum { CELLS_MAX = 256 }; /* along an axis */

void qn_pair_cells_clear(qn_pair_cells *cells)
{
    for (int set = 0; set < 2; set++) {
        qn_release(&cells->sets[set].packed);
        qn_release(&cells->sets[set].starts);
        qn_release(&cells->sets[set].cells);
    }
    qn_release(&cells->tasks);
    memset(cells, 0, sizeof *cells);
}

/* Choose the number of small cells along each axis. The distance between their faces is at least the cutoff distance or
 * half of it. */
static void choose_cells(const qn_box *box, double most_nm, size_t atoms, int counts[3], int reach[3])
{
    const double density = (double)atoms / box->volume_nm3, half = most_nm / 2;
    double edge = density * half * half * half >= MANY_IN_CELL ? half : most_nm;
    edge = fmax(edge, cbrt(FEWEST_IN_CELL / density)) * (1 + 2 * MARGIN);
    for (int k = 0; k < 3; k++) {
        const double steepness = hypot(hypot(box->inverse[0][k], box->inverse[1][k]), box->inverse[2][k]);
        const double height = 1 / steepness; /* between the faces that the other two vectors span */
        counts[k] = (int)fmax(1, fmin(floor(height / edge), CELLS_MAX));
        reach[k] = (int)fmin(ceil(most_nm * (1 + MARGIN) * counts[k] / height), counts[k]);
    }
}

bool qn_pair_cells_pay(const qn_box *box, double most_nm, size_t first_count, size_t second_count)
{
    int counts[3], reach[3];
    double share = 1;
    if (box->shape == QN_BOX_NONE || first_count + second_count < FEWEST_ATOMS) return false;
    choose_cells(box, most_nm, first_count > second_count ? first_count : second_count, counts, reach);
    for (int k = 0; k < 3; k++) share *= fmin(1, (2.0 * reach[k] + 1) / counts[k]);
    return share <= WORTH_SORTING;
}

static uint32_t cell_of(const qn_box *box, const int counts[3], const float *atom)
{
    uint32_t cell = 0;
    for (int k = 2; k >= 0; k--) {
        double place = 0;
        for (int axis = 0; axis < 3; axis++) place += atom[axis] * box->inverse[axis][k];
        place -= floor(place);
        const int index = place > 0 ? (int)(place * counts[k]) : 0; /* 0 if it is NaN */
        cell = cell * (uint32_t)counts[k] + (uint32_t)(index < counts[k] ? index : counts[k] - 1);
    }
    return cell;
}

static qn_status grow(void *to, size_t *capacity, size_t needed, size_t size)
{
    void *memory;
    memcpy(&memory, to, sizeof memory);
    qn_status status = qn_grow(&memory, capacity, needed, size);
    memcpy(to, &memory, sizeof memory);
    return status;
}

static qn_status sort_atoms(const qn_box *box, const int counts[3], const float *packed, size_t count,
                            qn_sorted_atoms *sorted)
{
    const size_t cells = (size_t)counts[0] * (size_t)counts[1] * (size_t)counts[2];
    QN_TRY(grow(&sorted->packed, &sorted->packed_capacity, 4 * count + 4, sizeof(float)));
    QN_TRY(grow(&sorted->cells, &sorted->cells_capacity, count + 1, sizeof(uint32_t)));
    QN_TRY(grow(&sorted->starts, &sorted->starts_capacity, cells + 2, sizeof(uint32_t)));
    uint32_t *next =
        sorted->starts + 1; /* place for the next atom of each cell: first its start, at last that of the next cell */
    memset(sorted->starts, 0, (cells + 2) * sizeof *sorted->starts);
    for (size_t i = 0; i < count; i++) {
        sorted->cells[i] = cell_of(box, counts, packed + 4 * i);
        sorted->starts[sorted->cells[i] + 2]++;
    }
    for (size_t c = 0; c < cells; c++) sorted->starts[c + 2] += sorted->starts[c + 1];
    for (size_t i = 0; i < count; i++)
        memcpy(sorted->packed + 4 * (size_t)next[sorted->cells[i]]++, packed + 4 * i, 4 * sizeof(float));
    return QN_OK;
}

/* Cut a pair of runs into tasks of limited size. `triangular`: both runs are the same. */
static qn_status add_task(qn_pair_cells *cells, qn_pair_task run, bool triangular)
{
    const int32_t rows = QN_PAIR_TASK_ROWS, columns = triangular ? QN_PAIR_TASK_ROWS : QN_PAIR_TASK_COLUMNS;
    for (int32_t i = run.first_begin; i < run.first_end; i += rows)
        for (int32_t j = triangular ? i : run.second_begin; j < run.second_end; j += columns) {
            const qn_pair_task task = {i, i + rows < run.first_end ? i + rows : run.first_end, j,
                                       j + columns < run.second_end ? j + columns : run.second_end};
            QN_TRY(grow(&cells->tasks, &cells->task_capacity, cells->task_count + 1, sizeof task));
            cells->tasks[cells->task_count++] = task;
            cells->pairs += (double)(task.first_end - task.first_begin) * (task.second_end - task.second_begin);
        }
    return QN_OK;
}

/* Find the neighbours of a place on a ring of `count` places, each once: the first one, and their number. */
static void neighbours(int place, int reach, int count, int *first, int *number)
{
    const bool all = 2 * reach + 1 >= count;
    *first = all ? 0 : (place - reach + count) % count;
    *number = all ? count : 2 * reach + 1;
}

/* Joins runs of neighbours whose atoms are contiguous. */
typedef struct run_builder {
    qn_pair_cells *cells;
    const uint32_t *starts; /* of the second set */
    qn_pair_task run;
} run_builder;

static qn_status add_run(run_builder *builder, size_t first_cell, size_t end_cell)
{
    const int32_t begin = (int32_t)builder->starts[first_cell], end = (int32_t)builder->starts[end_cell];
    if (begin >= end) return QN_OK;
    if (builder->run.second_end == begin && builder->run.second_begin < begin) {
        builder->run.second_end = end;
        return QN_OK;
    }
    if (builder->run.second_begin < builder->run.second_end) QN_TRY(add_task(builder->cells, builder->run, false));
    builder->run.second_begin = begin;
    builder->run.second_end = end;
    return QN_OK;
}

/* Add all neighbours of a cell; for unordered pairs, only those after it: the first of two cells has the task. */
static qn_status add_neighbours(run_builder *builder, bool unordered, const int place[3])
{
    const int *counts = builder->cells->counts, *reach = builder->cells->reach;
    const size_t own_row = (size_t)place[2] * (size_t)counts[1] + (size_t)place[1];
    int first[3], number[3];
    for (int k = 0; k < 3; k++) neighbours(place[k], reach[k], counts[k], &first[k], &number[k]);
    for (int c = 0; c < number[2]; c++)
        for (int b = 0; b < number[1]; b++) {
            const size_t row =
                (size_t)((first[2] + c) % counts[2]) * (size_t)counts[1] + (size_t)((first[1] + b) % counts[1]);
            if (unordered && row < own_row) continue;
            const int least = unordered && row == own_row ? place[0] + 1 : 0, end = first[0] + number[0];
            const size_t base = row * (size_t)counts[0];
            /* cells beyond the end of the row continue at its beginning */
            const int wrapped = end > counts[0] ? end - counts[0] : 0, last = end < counts[0] ? end : counts[0];
            if (wrapped > least) QN_TRY(add_run(builder, base + (size_t)least, base + (size_t)wrapped));
            const int from = first[0] > least ? first[0] : least;
            if (last > from) QN_TRY(add_run(builder, base + (size_t)from, base + (size_t)last));
        }
    return QN_OK;
}

static qn_status add_cell(qn_pair_cells *cells, bool unordered, size_t cell, const int place[3])
{
    const uint32_t *starts = cells->sets[0].starts;
    const int32_t begin = (int32_t)starts[cell], end = (int32_t)starts[cell + 1];
    run_builder builder = {cells, cells->sets[unordered ? 0 : 1].starts, {begin, end, 0, 0}};
    if (begin == end) return QN_OK;
    if (unordered) QN_TRY(add_task(cells, (qn_pair_task){begin, end, begin, end}, true));
    QN_TRY(add_neighbours(&builder, unordered, place));
    return builder.run.second_begin < builder.run.second_end ? add_task(cells, builder.run, false) : QN_OK;
}

qn_status qn_pair_cells_sort(qn_pair_cells *cells, const qn_box *box, double most_nm, const float *packed_first,
                             size_t first_count, const float *packed_second, size_t second_count)
{
    const bool unordered = !packed_second;
    choose_cells(box, most_nm, first_count > second_count ? first_count : second_count, cells->counts, cells->reach);
    cells->task_count = 0;
    cells->pairs = 0;
    QN_TRY(sort_atoms(box, cells->counts, packed_first, first_count, &cells->sets[0]));
    if (!unordered) QN_TRY(sort_atoms(box, cells->counts, packed_second, second_count, &cells->sets[1]));
    size_t cell = 0;
    for (int c = 0; c < cells->counts[2]; c++)
        for (int b = 0; b < cells->counts[1]; b++)
            for (int a = 0; a < cells->counts[0]; a++)
                QN_TRY(add_cell(cells, unordered, cell++, (const int[3]){a, b, c}));
    return QN_OK;
}

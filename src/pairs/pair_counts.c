#include "pairs/pair_counts.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "pairs/kernels/cell_histogram.h"

typedef struct atom_set {
    float *packed;
    size_t capacity; /* floats */
    qn_buffer *buffer;
} atom_set;

typedef struct pair_scratch {
    atom_set sets[2];
    qn_pair_cells cells;
    qn_buffer *tasks;
    float *squared_edges; /* bins + 1 */
    qn_histogram_cell cell;
    qn_buffer *edges, *cell_buffer, *counts;
    uint32_t *order, *starts; /* of sort_by_molecule, one set after the other */
    size_t order_capacity, starts_capacity;
} pair_scratch;

void qn_pair_counts_destroy(void *pointer)
{
    pair_scratch *scratch = pointer;
    if (!scratch) return;
    for (int set = 0; set < 2; set++) {
        qn_release(&scratch->sets[set].packed);
        qn_buffer_release(&scratch->sets[set].buffer);
    }
    qn_pair_cells_clear(&scratch->cells);
    qn_buffer_release(&scratch->tasks);
    qn_buffer_release(&scratch->edges);
    qn_buffer_release(&scratch->cell_buffer);
    qn_buffer_release(&scratch->counts);
    qn_release(&scratch->squared_edges);
    qn_release(&scratch->order);
    qn_release(&scratch->starts);
    qn_release(&scratch);
}

static qn_status fill_scratch(qn_queue *queue, const qn_histogram_bins *bins, pair_scratch *scratch)
{
    const size_t edge_count = (size_t)bins->count + 1;
    qn_device *device = qn_queue_device(queue);
    void *memory;
    QN_TRY(qn_allocate(edge_count, sizeof(float), &memory));
    scratch->squared_edges = memory;
    qn_histogram_bins_squared_edges(bins, scratch->squared_edges);
    QN_TRY(qn_buffer_create(device, edge_count * sizeof(float), &scratch->edges));
    QN_TRY(qn_buffer_create(device, sizeof scratch->cell.values, &scratch->cell_buffer));
    QN_TRY(qn_buffer_create(device, (size_t)bins->count * sizeof(uint64_t), &scratch->counts));
    return qn_queue_write(queue, scratch->edges, 0, scratch->squared_edges, edge_count * sizeof(float), NULL);
}

static qn_status open_scratch(void **pointer, qn_queue *queue, const qn_histogram_bins *bins, pair_scratch **scratch)
{
    void *memory;
    if (*pointer) {
        *scratch = *pointer;
        return QN_OK;
    }
    QN_TRY(qn_allocate(1, sizeof **scratch, &memory));
    *scratch = memory;
    qn_status status = fill_scratch(queue, bins, *scratch);
    if (status == QN_OK)
        *pointer = *scratch;
    else
        qn_pair_counts_destroy(*scratch);
    return status;
}

static qn_status pack_atoms(const qn_pair_request *request, int which, atom_set *set)
{
    const qn_pair_atoms *chosen = request->atoms;
    void *memory = set->packed;
    QN_TRY(qn_grow(&memory, &set->capacity, 4 * chosen->atom_count[which] + 4, sizeof(float)));
    set->packed = memory;
    qn_histogram_pack(request->box, chosen->frame->positions_nm, chosen->atoms[which], chosen->atom_count[which],
                      set->packed);
    return QN_OK;
}

/* Write into a buffer. If it is too small, it is replaced by one with some space to spare. */
static qn_status send(qn_queue *queue, const void *data, size_t bytes, qn_buffer **buffer)
{
    if (*buffer && qn_buffer_bytes(*buffer) < bytes) qn_buffer_release(buffer);
    if (!*buffer) QN_TRY(qn_buffer_create(qn_queue_device(queue), (bytes + bytes / 8 + 255) / 256 * 256, buffer));
    return qn_queue_write(queue, *buffer, 0, data, bytes, NULL);
}

bool qn_pair_counts_is_unordered(const qn_pair_atoms *chosen)
{
    if (!chosen->atoms[1] || chosen->atoms[1] == chosen->atoms[0]) return true;
    return chosen->atom_count[0] == chosen->atom_count[1] &&
           memcmp(chosen->atoms[0], chosen->atoms[1], chosen->atom_count[0] * sizeof *chosen->atoms[0]) == 0;
}

/* ---- pairs that are left out ---- */

static void leave_out(const qn_pair_request *request, const pair_scratch *scratch, const float *first,
                      const float *second, uint64_t *counts)
{
    const float square = qn_distance_histogram_square(&scratch->cell, first, second);
    const int bin = qn_distance_histogram_bin(request->bins, scratch->squared_edges, square);
    if (bin < request->bins->count) counts[bin]--;
}

/* Subtract the pairs of an atom with itself: the selections ascend, and may have common atoms. */
static void leave_out_common(const qn_pair_request *request, const pair_scratch *scratch, uint64_t *counts)
{
    const uint32_t *const *atoms = request->atoms->atoms;
    const size_t *count = request->atoms->atom_count;
    for (size_t i = 0, j = 0; i < count[0] && j < count[1];) {
        if (atoms[0][i] == atoms[1][j])
            leave_out(request, scratch, scratch->sets[0].packed + 4 * i, scratch->sets[1].packed + 4 * j, counts);
        if (atoms[0][i] <= atoms[1][j])
            i++;
        else
            j++;
    }
}

/* Sort the places of a selection's atoms by molecule: those of molecule m are order[starts[m]] … order[starts[m + 1] −
 * 1]. */
static void sort_by_molecule(const qn_pair_atoms *chosen, int which, uint32_t *order, uint32_t *starts)
{
    const qn_topology *topology = chosen->topology;
    const uint32_t *atoms = chosen->atoms[which];
    memset(starts, 0, (topology->molecule_count + 2) * sizeof *starts);
    for (size_t i = 0; i < chosen->atom_count[which]; i++) starts[topology->atoms[atoms[i]].molecule + 2]++;
    for (size_t m = 0; m < topology->molecule_count; m++) starts[m + 2] += starts[m + 1];
    for (size_t i = 0; i < chosen->atom_count[which]; i++)
        order[starts[topology->atoms[atoms[i]].molecule + 1]++] = (uint32_t)i;
}

static qn_status leave_out_molecules(const qn_pair_request *request, bool unordered, pair_scratch *scratch,
                                     uint64_t *counts)
{
    const qn_pair_atoms *chosen = request->atoms;
    const size_t count[2] = {chosen->atom_count[0], unordered ? 0 : chosen->atom_count[1]};
    const size_t molecules = chosen->topology->molecule_count;
    void *order = scratch->order, *starts = scratch->starts;
    QN_TRY(qn_grow(&order, &scratch->order_capacity, count[0] + count[1] + 1, sizeof *scratch->order));
    scratch->order = order;
    QN_TRY(qn_grow(&starts, &scratch->starts_capacity, 2 * (molecules + 2), sizeof *scratch->starts));
    scratch->starts = starts;
    uint32_t *first = scratch->order, *second = unordered ? first : first + count[0];
    uint32_t *first_starts = scratch->starts, *second_starts = unordered ? first_starts : first_starts + molecules + 2;
    sort_by_molecule(chosen, 0, first, first_starts);
    if (!unordered) sort_by_molecule(chosen, 1, second, second_starts);
    const float *packed = scratch->sets[0].packed, *other = unordered ? packed : scratch->sets[1].packed;
    for (size_t m = 0; m < molecules; m++)
        for (uint32_t i = first_starts[m]; i < first_starts[m + 1]; i++)
            for (uint32_t j = unordered ? i + 1 : second_starts[m]; j < second_starts[m + 1]; j++) {
                if (!unordered && chosen->atoms[0][first[i]] == chosen->atoms[1][second[j]])
                    continue; /* is subtracted already */
                leave_out(request, scratch, packed + 4 * (size_t)first[i], other + 4 * (size_t)second[j], counts);
            }
    return QN_OK;
}

/* ---- counting ---- */

/* Count all pairs, or only those of cell lists if these are at most half of all. */
static qn_status launch(const qn_pair_request *request, const qn_histogram_problem *problem, pair_scratch *scratch)
{
    qn_queue *queue = request->queue;
    atom_set *sets = scratch->sets;
    qn_pair_cells *cells = &scratch->cells;
    const bool unordered = problem->second_count == 0;
    const size_t first = (size_t)problem->first_count, second = (size_t)problem->second_count, atom_bytes = 16;
    const double most = qn_histogram_bins_edge(request->bins, request->bins->count);
    const bool by_cells = qn_pair_cells_pay(request->box, most, first, second);
    if (by_cells)
        QN_TRY(qn_pair_cells_sort(cells, request->box, most, sets[0].packed, first, unordered ? NULL : sets[1].packed,
                                  second));
    for (int set = 0; set < (unordered ? 1 : 2); set++)
        QN_TRY(send(queue, by_cells ? cells->sets[set].packed : sets[set].packed, (set ? second : first) * atom_bytes,
                    &sets[set].buffer));
    qn_buffer *other = unordered ? NULL : sets[1].buffer;
    if (!by_cells)
        return qn_distance_histogram(queue, NULL, problem, sets[0].buffer, other, scratch->edges, scratch->cell_buffer,
                                     scratch->counts, NULL);
    const qn_cell_histogram_problem few = {*problem, (int)cells->task_count, cells->pairs};
    if (cells->task_count == 0) return QN_OK;
    QN_TRY(send(queue, cells->tasks, cells->task_count * sizeof *cells->tasks, &scratch->tasks));
    return qn_cell_histogram(queue, NULL, &few, sets[0].buffer, other, scratch->tasks, scratch->edges,
                             scratch->cell_buffer, scratch->counts, NULL);
}

static qn_status count_on_device(const qn_pair_request *request, bool unordered, pair_scratch *scratch,
                                 uint64_t *counts)
{
    const qn_pair_atoms *chosen = request->atoms;
    const size_t bytes = (size_t)request->bins->count * sizeof *counts;
    const qn_histogram_problem problem = {.first_count = (int)chosen->atom_count[0],
                                          .second_count = unordered ? 0 : (int)chosen->atom_count[1],
                                          .cell = &scratch->cell,
                                          .bins = request->bins};
    QN_TRY(qn_queue_write(request->queue, scratch->cell_buffer, 0, scratch->cell.values, sizeof scratch->cell.values,
                          NULL));
    QN_TRY(qn_queue_fill(request->queue, scratch->counts, 0, bytes, 0, NULL));
    QN_TRY(launch(request, &problem, scratch));
    QN_TRY(qn_queue_read(request->queue, scratch->counts, 0, counts, bytes, NULL));
    return qn_queue_finish(request->queue);
}

qn_status qn_pair_counts_count(void **pointer, const qn_pair_request *request, uint64_t *counts)
{
    const qn_pair_atoms *chosen = request->atoms;
    const bool unordered = qn_pair_counts_is_unordered(chosen);
    pair_scratch *scratch;
    memset(counts, 0, (size_t)request->bins->count * sizeof *counts);
    if (chosen->atom_count[0] == 0 || (!unordered && chosen->atom_count[1] == 0)) return QN_OK;
    QN_TRY(open_scratch(pointer, request->queue, request->bins, &scratch));
    QN_TRY(qn_histogram_cell_make(request->box, &scratch->cell));
    QN_TRY(pack_atoms(request, 0, &scratch->sets[0]));
    if (!unordered) QN_TRY(pack_atoms(request, 1, &scratch->sets[1]));
    QN_TRY(count_on_device(request, unordered, scratch, counts));
    if (!unordered) leave_out_common(request, scratch, counts);
    return request->other_molecules ? leave_out_molecules(request, unordered, scratch, counts) : QN_OK;
}

qn_status qn_pair_counts_bins(double width_nm, double most_nm, bool centred, qn_histogram_bins *bins)
{
    const double count = ceil(most_nm / width_nm - 1e-6);
    if (!(count >= 1 && count <= QN_HISTOGRAM_BINS_MAX))
        return QN_FAIL(QN_INVALID_ARGUMENT, "bin is %g nm and max %g nm, which makes %.0f bins; expected 1 to %d",
                       width_nm, most_nm, count, QN_HISTOGRAM_BINS_MAX);
    *bins = (qn_histogram_bins){(int)count, centred, width_nm};
    return QN_OK;
}

/* Trees as the kernels take them. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "flexible/kernels/search.h"
#include "runtime/filled_buffer.h"
#include "runtime/prelude/prelude_host.h"
#include "score/vina.h"

#include "flexible/kernels/search.dev.h"

/* The arrays of all trees, one after the other. */
typedef struct tree_arrays {
    int32_t *heads, *links, *partners, *pairs, *piece_links;
    float *atoms, *pieces, *pair_parameters;
    size_t atom_count, piece_count, pair_count, partner_slots;
} tree_arrays;

static void arrays_clear(tree_arrays *arrays)
{
    qn_release(&arrays->heads);
    qn_release(&arrays->links);
    qn_release(&arrays->partners);
    qn_release(&arrays->piece_links);
    qn_release(&arrays->atoms);
    qn_release(&arrays->pieces);
    qn_release(&arrays->pairs);
    qn_release(&arrays->pair_parameters);
}

/* Room for partners of a tree: those of QN_SEARCH_PARTS atoms lie side by side. */
static size_t slots_of(const qn_flexible_tree *tree)
{
    const size_t parts = QN_SEARCH_PARTS, rows = ((size_t)tree->heavy_count + parts - 1) / parts;
    return rows * parts * (size_t)tree->heavy_count;
}

static qn_status arrays_create(const qn_flexible_tree *const *trees, int count, tree_arrays *arrays)
{
    size_t atoms = 0, pieces = 0, pairs = 0, slots = 0;
    for (int t = 0; t < count; t++) {
        atoms += (size_t)trees[t]->heavy_count;
        pieces += (size_t)trees[t]->piece_count;
        pairs += trees[t]->pair_count;
        slots += slots_of(trees[t]);
    }
    QN_TRY(qn_allocate((size_t)count * QN_SEARCH_HEAD, sizeof(int32_t), (void **)&arrays->heads));
    QN_TRY(qn_allocate(4 * atoms, sizeof(int32_t), (void **)&arrays->links));
    QN_TRY(qn_allocate(slots + 1, sizeof(int32_t), (void **)&arrays->partners)); /* a buffer is never empty */
    QN_TRY(qn_allocate(pairs + 1, sizeof(int32_t), (void **)&arrays->pairs));
    QN_TRY(qn_allocate(4 * pairs + 4, sizeof(float), (void **)&arrays->pair_parameters));
    QN_TRY(qn_allocate(8 * pieces, sizeof(int32_t), (void **)&arrays->piece_links));
    QN_TRY(qn_allocate(4 * atoms, sizeof(float), (void **)&arrays->atoms));
    return qn_allocate(8 * pieces, sizeof(float), (void **)&arrays->pieces);
}

/* The end of the pieces that hang on a piece, which follow it. */
static int end_behind(const qn_flexible_tree *tree, int piece)
{
    int end = piece + 1;
    while (end < tree->piece_count && tree->pieces[end].parent >= piece && tree->pieces[end].parent < end) end++;
    return end;
}

/* The origin of coordinates in a frame (Å): the centre of the grid for the receptor's frame, else 0. */
static double origin_of(const qn_flexible_tree *tree, int frame, const qn_flexible_grid *grid, int d)
{
    return frame == tree->piece_count ? grid->centre_angstrom[d] : 0;
}

static int depth_of(const qn_flexible_tree *tree, int piece)
{
    int depth = 0;
    for (int k = piece; k < tree->piece_count && tree->pieces[k].parent >= 0; k = tree->pieces[k].parent) depth++;
    return depth;
}

/* Side chains hang on the receptor's frame, whose origin is the centre of the grid here. */
static void add_pieces(const qn_flexible_tree *tree, const qn_flexible_grid *grid, tree_arrays *arrays, int *depth)
{
    *depth = 0;
    for (int k = 0; k < tree->piece_count; k++) {
        const qn_flexible_piece *piece = &tree->pieces[k];
        float *places = arrays->pieces + 8 * (arrays->piece_count + (size_t)k);
        int32_t *link = arrays->piece_links + 8 * (arrays->piece_count + (size_t)k);
        const int here = depth_of(tree, k);
        for (int d = 0; d < 3; d++) {
            places[d] = (float)(piece->offset[d] - origin_of(tree, piece->parent, grid, d));
            places[4 + d] = (float)piece->axis[d];
        }
        link[0] = piece->parent;
        link[1] = here;
        link[2] = piece->first;
        link[3] = piece->end;
        link[4] = end_behind(tree, k);
        *depth = here > *depth ? here : *depth;
    }
}

static void add_atoms(const qn_flexible_tree *tree, const int *map_of, const qn_flexible_grid *grid,
                      tree_arrays *arrays)
{
    const int points = grid->points[0] * grid->points[1] * grid->points[2];
    for (int i = 0; i < tree->heavy_count; i++) {
        float *local = arrays->atoms + 4 * (arrays->atom_count + (size_t)i);
        int32_t *link = arrays->links + 4 * (arrays->atom_count + (size_t)i);
        for (int d = 0; d < 3; d++)
            local[d] = (float)(tree->local[3 * i + d] - origin_of(tree, tree->piece[i], grid, d));
        memcpy(&local[3], &(int32_t){tree->type[i]}, sizeof(int32_t)); /* the row of near_pairs, as bits */
        link[0] = tree->piece[i];
        link[1] = i < tree->moving_count ? map_of[tree->type[i]] * points : -1;
    }
}

/* Number the pairs by rising atoms. numbers: [atom][atom]; −1: no pair. */
static void number_pairs(const qn_flexible_tree *tree, int32_t *numbers, int32_t *pairs, float *parameters)
{
    const int count = tree->heavy_count;
    int32_t number = 0;
    for (int at = 0; at < count * count; at++) numbers[at] = -1;
    for (size_t p = 0; p < tree->pair_count; p++) {
        const int i = tree->pairs[p].first, j = tree->pairs[p].second;
        numbers[MIN(i, j) * count + MAX(i, j)] = 0;
    }
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            if (numbers[i * count + j] < 0) continue;
            numbers[i * count + j] = numbers[j * count + i] = number;
            pairs[number] = i + QN_SEARCH_NEXT * j;
            qn_flexible_pair_parameters(tree->type[i], tree->type[j], parameters + 4 * number);
            number++;
        }
}

/* List pairs by rising atoms, and partners of an atom by rising atom. */
static qn_status add_pairs(const qn_flexible_tree *tree, tree_arrays *arrays)
{
    const int count = tree->heavy_count;
    int32_t *numbers, *links = arrays->links + 4 * arrays->atom_count;
    int32_t *partners = arrays->partners + arrays->partner_slots;
    QN_TRY(qn_allocate((size_t)count * (size_t)count, sizeof *numbers, (void **)&numbers));
    number_pairs(tree, numbers, arrays->pairs + arrays->pair_count, arrays->pair_parameters + 4 * arrays->pair_count);
    for (int i = 0; i < count; i++) {
        const int row = i / QN_SEARCH_PARTS, first = row * QN_SEARCH_PARTS * count + i % QN_SEARCH_PARTS;
        int listed = 0;
        for (int j = 0; j < count; j++)
            if (numbers[i * count + j] >= 0)
                partners[first + QN_SEARCH_PARTS * listed++] = j + QN_SEARCH_NEXT * numbers[i * count + j];
        links[4 * i + 2] = first;
        links[4 * i + 3] = listed;
    }
    qn_release(&numbers);
    return QN_OK;
}

static qn_status add_tree(const qn_flexible_tree *tree, uint32_t number, int index, const int *map_of,
                          const qn_flexible_grid *grid, tree_arrays *arrays)
{
    int32_t *head = arrays->heads + QN_SEARCH_HEAD * index;
    const float turn = (float)(2 / fmax(0.5, tree->gyration_angstrom));
    int depth;
    add_pieces(tree, grid, arrays, &depth);
    add_atoms(tree, map_of, grid, arrays);
    QN_TRY(add_pairs(tree, arrays));
    head[0] = tree->heavy_count;
    head[1] = tree->piece_count;
    head[2] = depth;
    head[3] = (int32_t)arrays->atom_count;
    head[4] = (int32_t)arrays->piece_count;
    head[5] = (int32_t)arrays->partner_slots;
    head[6] = (25 + tree->moving_count) / 3;
    memcpy(&head[7], &number, sizeof number);
    memcpy(&head[8], &turn, sizeof turn);
    head[9] = tree->ligand_count;
    head[10] = (int32_t)arrays->pair_count;
    head[11] = (int32_t)tree->pair_count;
    arrays->atom_count += (size_t)tree->heavy_count;
    arrays->piece_count += (size_t)tree->piece_count;
    arrays->pair_count += tree->pair_count;
    arrays->partner_slots += slots_of(tree);
    return QN_OK;
}

static qn_status upload_all(qn_queue *queue, const tree_arrays *arrays, qn_flexible_batch *batch)
{
    QN_TRY(qn_buffer_create_filled(queue, arrays->heads, (size_t)batch->ligands * QN_SEARCH_HEAD * 4, &batch->heads));
    QN_TRY(qn_buffer_create_filled(queue, arrays->atoms, 16 * arrays->atom_count, &batch->tree_atoms));
    QN_TRY(qn_buffer_create_filled(queue, arrays->links, 16 * arrays->atom_count, &batch->links));
    QN_TRY(qn_buffer_create_filled(queue, arrays->partners, 4 * arrays->partner_slots + 4, &batch->partners));
    QN_TRY(qn_buffer_create_filled(queue, arrays->pairs, 4 * arrays->pair_count + 4, &batch->pair_list));
    QN_TRY(qn_buffer_create_filled(queue, arrays->pieces, 32 * arrays->piece_count, &batch->pieces_places));
    QN_TRY(qn_buffer_create_filled(queue, arrays->piece_links, 32 * arrays->piece_count, &batch->piece_links));
    QN_TRY(
        qn_buffer_create_filled(queue, arrays->pair_parameters, 16 * arrays->pair_count + 16, &batch->pair_parameters));
    return qn_queue_finish(queue);
}

static void add_sizes(const qn_flexible_tree *tree, qn_flexible_batch *batch)
{
    const double freedoms = qn_flexible_freedoms(tree);
    batch->most_atoms = MAX(batch->most_atoms, tree->heavy_count);
    batch->most_pieces = MAX(batch->most_pieces, tree->piece_count);
    batch->most_pairs = MAX(batch->most_pairs, (int)tree->pair_count);
    batch->atoms += tree->heavy_count;
    batch->pairs += (double)tree->pair_count;
    batch->pieces += tree->piece_count;
    batch->freedoms2 += freedoms * freedoms;
}

qn_status qn_flexible_batch_create(qn_queue *queue, const qn_flexible_tree *const *trees, const uint32_t *numbers,
                                   int count, int chains, const int *map_of, const qn_flexible_grid *grid,
                                   qn_flexible_batch *batch)
{
    tree_arrays arrays = {0};
    *batch = (qn_flexible_batch){.ligands = count, .chains = chains};
    qn_status status = arrays_create(trees, count, &arrays);
    for (int t = 0; t < count && status == QN_OK; t++) {
        status = add_tree(trees[t], numbers[t], t, map_of, grid, &arrays);
        add_sizes(trees[t], batch);
    }
    if (status == QN_OK) status = upload_all(queue, &arrays, batch);
    arrays_clear(&arrays);
    if (status != QN_OK) qn_flexible_batch_clear(batch);
    return status;
}

void qn_flexible_batch_clear(qn_flexible_batch *batch)
{
    qn_buffer_release(&batch->heads);
    qn_buffer_release(&batch->tree_atoms);
    qn_buffer_release(&batch->links);
    qn_buffer_release(&batch->partners);
    qn_buffer_release(&batch->pieces_places);
    qn_buffer_release(&batch->piece_links);
    qn_buffer_release(&batch->pair_list);
    qn_buffer_release(&batch->pair_parameters);
}

void qn_flexible_state_of(const qn_flexible_tree *tree, const qn_flexible_pose *pose, const qn_flexible_grid *grid,
                          float state[QN_FLEXIBLE_STATE])
{
    memset(state, 0, QN_FLEXIBLE_STATE * sizeof *state);
    for (int d = 0; d < 3; d++) state[d] = (float)(pose->place[d] - grid->centre_angstrom[d]);
    for (int d = 0; d < 4; d++) state[3 + d] = (float)pose->rotation[d];
    for (int k = 0; k + 1 < tree->piece_count; k++) state[QN_SEARCH_TORSIONS + k] = (float)pose->torsions[k];
}

void qn_flexible_state_pose(const qn_flexible_tree *tree, const float state[QN_FLEXIBLE_STATE],
                            const qn_flexible_grid *grid, qn_flexible_pose *pose)
{
    double norm = 0;
    memset(pose, 0, sizeof *pose);
    for (int d = 0; d < 4; d++) norm += (double)state[3 + d] * state[3 + d];
    for (int d = 0; d < 3; d++) pose->place[d] = (double)state[d] + grid->centre_angstrom[d];
    for (int d = 0; d < 4; d++) pose->rotation[d] = (double)state[3 + d] / sqrt(norm);
    for (int k = 0; k + 1 < tree->piece_count; k++) pose->torsions[k] = (double)state[QN_SEARCH_TORSIONS + k];
}

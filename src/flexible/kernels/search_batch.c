/* Trees as the kernels take them. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "flexible/kernels/search.h"
#include "runtime/prelude/prelude_host.h"
#include "score/vina.h"

#include "flexible/kernels/search.dev.h"

enum { TABLE_STRIDE = 32 };

/* The arrays of all trees, one after the other. */
typedef struct tree_arrays {
    int32_t *heads, *links, *partners, *pairs, *piece_links;
    float *atoms, *pieces, *pair_table;
    size_t atom_count, piece_count, pair_count;
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
    qn_release(&arrays->pair_table);
}

static qn_status arrays_create(const qn_flexible_tree *const *trees, int count, tree_arrays *arrays)
{
    size_t atoms = 0, pieces = 0, pairs = 0;
    for (int t = 0; t < count; t++) {
        atoms += (size_t)trees[t]->heavy_count;
        pieces += (size_t)trees[t]->piece_count;
        pairs += trees[t]->pair_count;
    }
    QN_TRY(qn_allocate((size_t)count * QN_SEARCH_HEAD, sizeof(int32_t), (void **)&arrays->heads));
    QN_TRY(qn_allocate(4 * atoms, sizeof(int32_t), (void **)&arrays->links));
    QN_TRY(qn_allocate(2 * pairs + 1, sizeof(int32_t), (void **)&arrays->partners)); /* a buffer is never empty */
    QN_TRY(qn_allocate(4 * pairs + 4, sizeof(int32_t), (void **)&arrays->pairs));
    QN_TRY(qn_allocate(8 * pieces, sizeof(int32_t), (void **)&arrays->piece_links));
    QN_TRY(qn_allocate(4 * atoms, sizeof(float), (void **)&arrays->atoms));
    QN_TRY(qn_allocate(8 * pieces, sizeof(float), (void **)&arrays->pieces));
    return qn_allocate(4 * QN_VINA_TYPES * TABLE_STRIDE, sizeof(float), (void **)&arrays->pair_table);
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
        link[4] = link[5] = -1;
        for (int other = tree->piece_count - 1; other > k; other--) {
            if (tree->pieces[other].parent == k) link[4] = other;
            if (tree->pieces[other].parent == piece->parent) link[5] = other;
        }
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
        link[0] = tree->piece[i];
        link[1] = i < tree->moving_count ? map_of[tree->type[i]] * points : -1;
    }
}

/* Number the pairs by rising atoms. numbers: [atom][atom]; −1: no pair. */
static void number_pairs(const qn_flexible_tree *tree, int32_t *numbers, int32_t *pairs)
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
            pairs[4 * number] = i;
            pairs[4 * number + 1] = j;
            pairs[4 * number + 2] = tree->type[i] * TABLE_STRIDE + tree->type[j];
            number++;
        }
}

/* List pairs by rising atoms, and partners of an atom by rising atom. */
static qn_status add_pairs(const qn_flexible_tree *tree, tree_arrays *arrays)
{
    const int count = tree->heavy_count;
    int32_t *numbers, *links = arrays->links + 4 * arrays->atom_count, listed = 0;
    int32_t *partners = arrays->partners + 2 * arrays->pair_count;
    QN_TRY(qn_allocate((size_t)count * (size_t)count, sizeof *numbers, (void **)&numbers));
    number_pairs(tree, numbers, arrays->pairs + 4 * arrays->pair_count);
    for (int i = 0; i < count; i++) {
        links[4 * i + 2] = listed;
        for (int j = 0; j < count; j++)
            if (numbers[i * count + j] >= 0) partners[listed++] = j + QN_SEARCH_PARTNER * numbers[i * count + j];
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
    head[5] = (int32_t)(2 * arrays->pair_count);
    head[6] = (25 + tree->moving_count) / 3;
    memcpy(&head[7], &number, sizeof number);
    memcpy(&head[8], &turn, sizeof turn);
    head[9] = tree->ligand_count;
    head[10] = (int32_t)arrays->pair_count;
    head[11] = (int32_t)tree->pair_count;
    arrays->atom_count += (size_t)tree->heavy_count;
    arrays->piece_count += (size_t)tree->piece_count;
    arrays->pair_count += tree->pair_count;
    return QN_OK;
}

static void fill_table(tree_arrays *arrays)
{
    int rows;
    (void)qn_vina_type_table(&rows);
    for (int a = 0; a < rows; a++)
        for (int b = 0; b < rows; b++)
            qn_flexible_pair_parameters(a, b, arrays->pair_table + 4 * (a * TABLE_STRIDE + b));
}

static qn_status upload(qn_queue *queue, const void *data, size_t bytes, qn_buffer **buffer)
{
    QN_TRY(qn_buffer_create(qn_queue_device(queue), bytes, buffer));
    return qn_queue_write(queue, *buffer, 0, data, bytes, NULL);
}

static qn_status upload_all(qn_queue *queue, const tree_arrays *arrays, qn_flexible_batch *batch)
{
    QN_TRY(upload(queue, arrays->heads, (size_t)batch->ligands * QN_SEARCH_HEAD * 4, &batch->heads));
    QN_TRY(upload(queue, arrays->atoms, 16 * arrays->atom_count, &batch->tree_atoms));
    QN_TRY(upload(queue, arrays->links, 16 * arrays->atom_count, &batch->links));
    QN_TRY(upload(queue, arrays->partners, 8 * arrays->pair_count + 4, &batch->partners));
    QN_TRY(upload(queue, arrays->pairs, 16 * arrays->pair_count + 16, &batch->pair_list));
    QN_TRY(upload(queue, arrays->pieces, 32 * arrays->piece_count, &batch->pieces_places));
    QN_TRY(upload(queue, arrays->piece_links, 32 * arrays->piece_count, &batch->piece_links));
    QN_TRY(upload(queue, arrays->pair_table, (size_t)16 * QN_VINA_TYPES * TABLE_STRIDE, &batch->pair_table));
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
    if (status == QN_OK) fill_table(&arrays);
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
    qn_buffer_release(&batch->pair_table);
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

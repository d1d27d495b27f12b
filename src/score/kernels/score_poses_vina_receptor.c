/* Sort a receptor into cells, and fold its pairs with every type of ligand atom. */
#include "score/kernels/score_poses_vina_receptor.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "score/vina.h"

enum {
    LANES = QN_SCORE_POSES_VINA_LANES,
    PLACES = QN_SCORE_POSES_VINA_PLACES,
    PAIR = QN_SCORE_POSES_VINA_PAIR_COLUMNS
};

static const double cell_angstrom = 4.001; /* half the cut-off, plus the rounding of coordinates */
static const double most_cells = 1 << 22;
static const float far_away_angstrom = 1e6f; /* beyond reach of all atoms */

typedef struct sorted_receptor {
    size_t count, stride, types, cell_count;
    int cells[3];
    float grid[5]; /* corner, cells per Å, weight of repulsion */
    int32_t *starts;
    size_t *order; /* atoms by cell */
    float *places, *pairs, *columns;
} sorted_receptor;

static void sorted_clear(sorted_receptor *sorted)
{
    qn_release(&sorted->starts);
    qn_release(&sorted->order);
    qn_release(&sorted->places);
    qn_release(&sorted->pairs);
    qn_release(&sorted->columns);
}

/* Choose cells that cover all atoms. The cells are larger if an atom far from the others would make too many. */
static void choose_cells(const double *positions, sorted_receptor *sorted)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, size = cell_angstrom;
    for (size_t i = 0; i < 3 * sorted->count; i++) {
        low[i % 3] = fmin(low[i % 3], positions[i]);
        high[i % 3] = fmax(high[i % 3], positions[i]);
    }
    for (double all = INFINITY; all > most_cells; size *= 2) {
        all = 1;
        for (int d = 0; d < 3; d++) {
            all *= floor((high[d] - low[d] + 0.1) / size) + 1;
            sorted->cells[d] = (int)fmin(floor((high[d] - low[d] + 0.1) / size) + 1, most_cells);
        }
        sorted->grid[3] = (float)(1 / size);
    }
    for (int d = 0; d < 3; d++) sorted->grid[d] = (float)(low[d] - 0.05);
    sorted->cell_count = (size_t)sorted->cells[0] * (size_t)sorted->cells[1] * (size_t)sorted->cells[2];
}

static size_t cell_of(const double *position, const sorted_receptor *sorted)
{
    size_t cell = 0;
    for (int d = 2; d >= 0; d--) {
        int along = (int)floor((position[d] - sorted->grid[d]) * sorted->grid[3]);
        along = along < 0 ? 0 : along >= sorted->cells[d] ? sorted->cells[d] - 1 : along;
        cell = cell * (size_t)sorted->cells[d] + (size_t)along;
    }
    return cell;
}

/* Sort by counting, so that atoms of one cell keep the order of the file. */
static void sort_atoms(const double *positions, sorted_receptor *sorted)
{
    for (size_t i = 0; i < sorted->count; i++) sorted->starts[cell_of(positions + 3 * i, sorted) + 1]++;
    for (size_t cell = 0; cell < sorted->cell_count; cell++) sorted->starts[cell + 1] += sorted->starts[cell];
    for (size_t i = 0; i < sorted->count; i++) sorted->order[sorted->starts[cell_of(positions + 3 * i, sorted)]++] = i;
    for (size_t cell = sorted->cell_count; cell > 0; cell--) sorted->starts[cell] = sorted->starts[cell - 1];
    sorted->starts[0] = 0;
}

/* Set the radius, and the weight, slope and offset of the ramp; a pair without a ramp has weight 0. */
static void fold_pair(const qn_vina_atom_type *a, const qn_vina_atom_type *b, float pair[PAIR])
{
    pair[0] = (float)((double)a->radius_angstrom + b->radius_angstrom);
    if (a->hydrophobic && b->hydrophobic) {
        pair[1] = (float)QN_VINA_HYDROPHOBIC;
        pair[2] = 1;
        pair[3] = 1.5f;
    } else if ((a->donor && b->acceptor) || (a->acceptor && b->donor)) {
        pair[1] = (float)QN_VINA_HYDROGEN_BOND;
        pair[2] = (float)(1 / 0.7);
    }
}

static void fill(const double *positions, const int *types, sorted_receptor *sorted)
{
    int count;
    const qn_vina_atom_type *table = qn_vina_type_table(&count);
    const size_t stride = sorted->stride;
    for (size_t j = 0; j < stride; j++) {
        const size_t atom = j < sorted->count ? sorted->order[j] : 0;
        for (size_t d = 0; d < PLACES; d++) {
            float place = j < sorted->count ? (float)positions[3 * atom + d] : far_away_angstrom;
            sorted->places[4 * j + d] = sorted->columns[d * stride + j] = place;
        }
        for (size_t type = 0; type < sorted->types; type++) {
            float *pair = sorted->pairs + PAIR * (type * stride + j);
            fold_pair(&table[type], &table[types[atom]], pair);
            for (size_t k = 0; k < PAIR; k++) sorted->columns[(PLACES + PAIR * type + k) * stride + j] = pair[k];
        }
    }
}

static qn_status sort_receptor(const double *positions, const int *types, sorted_receptor *sorted)
{
    choose_cells(positions, sorted);
    sorted->stride = (sorted->count + LANES - 1) / LANES * LANES + LANES; /* a vector may begin at the last atom */
    QN_TRY(qn_allocate(sorted->cell_count + 1, sizeof(int32_t), (void **)&sorted->starts));
    QN_TRY(qn_allocate(sorted->count, sizeof(size_t), (void **)&sorted->order));
    QN_TRY(qn_allocate(4 * sorted->stride, sizeof(float), (void **)&sorted->places));
    QN_TRY(qn_allocate(PAIR * sorted->types * sorted->stride, sizeof(float), (void **)&sorted->pairs));
    QN_TRY(qn_allocate((PLACES + PAIR * sorted->types) * sorted->stride, sizeof(float), (void **)&sorted->columns));
    sort_atoms(positions, sorted);
    fill(positions, types, sorted);
    return QN_OK;
}

static qn_status upload(qn_queue *queue, const void *data, size_t bytes, qn_buffer **buffer)
{
    QN_TRY(qn_buffer_create(qn_queue_device(queue), bytes, buffer));
    return qn_queue_write(queue, *buffer, 0, data, bytes, NULL);
}

static qn_status upload_all(qn_queue *queue, const sorted_receptor *sorted, qn_score_poses_vina_receptor *receptor)
{
    const size_t row = sorted->stride * sizeof(float), types = sorted->types;
    receptor->atom_count = (int)sorted->count;
    receptor->type_count = (int)types;
    receptor->stride = (int)sorted->stride;
    for (int d = 0; d < 3; d++) receptor->cells[d] = sorted->cells[d];
    QN_TRY(upload(queue, sorted->places, 4 * row, &receptor->places));
    QN_TRY(upload(queue, sorted->pairs, PAIR * types * row, &receptor->pairs));
    QN_TRY(upload(queue, sorted->columns, (PLACES + PAIR * types) * row, &receptor->columns));
    QN_TRY(upload(queue, sorted->starts, (sorted->cell_count + 1) * sizeof(int32_t), &receptor->cell_starts));
    QN_TRY(upload(queue, sorted->grid, sizeof sorted->grid, &receptor->grid));
    return qn_queue_finish(queue);
}

static qn_status check_atoms(const double *positions, const int *types, size_t atom_count, int type_count)
{
    if (atom_count < 1 || atom_count > QN_SCORE_POSES_ATOMS_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "score/score_poses_vina: a receptor of %zu atoms; expected 1 to %d",
                       atom_count, QN_SCORE_POSES_ATOMS_MAX);
    for (size_t i = 0; i < atom_count; i++)
        if (types[i] < 0 || types[i] >= type_count)
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "score/score_poses_vina: receptor atom %zu has type %d; expected 0 to %d", i, types[i],
                           type_count - 1);
    for (size_t i = 0; i < 3 * atom_count; i++)
        if (!(fabs(positions[i]) <= QN_SCORE_POSES_FARTHEST_ANGSTROM))
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "score/score_poses_vina: receptor atom %zu is at %g; expected coordinates within %g Å",
                           i / 3, positions[i], QN_SCORE_POSES_FARTHEST_ANGSTROM);
    return QN_OK;
}

qn_status qn_score_poses_vina_receptor_create(qn_device *device, const double *positions, const int *types,
                                              size_t atom_count, double hardness,
                                              qn_score_poses_vina_receptor **receptor)
{
    sorted_receptor sorted = {.count = atom_count, .grid[4] = (float)(hardness * QN_VINA_REPULSION)};
    qn_queue *queue = NULL;
    int type_count;
    *receptor = NULL;
    qn_vina_type_table(&type_count);
    sorted.types = (size_t)type_count;
    QN_TRY(check_atoms(positions, types, atom_count, type_count));
    qn_status status = sort_receptor(positions, types, &sorted);
    if (status == QN_OK) status = qn_allocate(1, sizeof **receptor, (void **)receptor);
    if (status == QN_OK) status = qn_queue_create(device, &queue);
    if (status == QN_OK) status = upload_all(queue, &sorted, *receptor);
    if (status != QN_OK) qn_score_poses_vina_receptor_destroy(receptor);
    qn_queue_destroy(&queue);
    sorted_clear(&sorted);
    return status;
}

void qn_score_poses_vina_receptor_destroy(qn_score_poses_vina_receptor **receptor)
{
    if (!*receptor) return;
    qn_buffer_release(&(*receptor)->places);
    qn_buffer_release(&(*receptor)->pairs);
    qn_buffer_release(&(*receptor)->columns);
    qn_buffer_release(&(*receptor)->cell_starts);
    qn_buffer_release(&(*receptor)->grid);
    qn_release(receptor);
}

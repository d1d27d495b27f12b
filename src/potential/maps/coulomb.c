#include "potential/maps/coulomb.h"

#include "base/error.h"
#include "base/memory.h"
#include "potential/maps/device_data.h"
#include "potential/maps/kernels/coulomb.h"

/* Atoms of a launch, in both layouts. */
typedef struct coulomb_chunk {
    int count;
    qn_buffer *atoms, *components;
} coulomb_chunk;

struct qn_coulomb {
    qn_queue *queue;
    qn_potential_grid grid;
    double factor;
    qn_configuration configuration;
    bool has_configuration;
    coulomb_chunk *chunks;
    size_t chunk_count;
};

static qn_status upload_chunk(qn_coulomb *coulomb, const double *positions, const double *charges, float *numbers,
                              coulomb_chunk *chunk)
{
    const size_t count = (size_t)chunk->count;
    for (size_t a = 0; a < count; a++)
        for (size_t c = 0; c < 4; c++) numbers[4 * a + c] = (float)(c < 3 ? positions[3 * a + c] : charges[a]);
    QN_TRY(qn_device_data_copy(coulomb->queue, numbers, 4 * count * sizeof *numbers, &chunk->atoms));
    for (size_t a = 0; a < count; a++)
        for (size_t c = 0; c < 4; c++) numbers[c * count + a] = (float)(c < 3 ? positions[3 * a + c] : charges[a]);
    return qn_device_data_copy(coulomb->queue, numbers, 4 * count * sizeof *numbers, &chunk->components);
}

static qn_status upload_atoms(qn_coulomb *coulomb, size_t atom_count, const double *positions, const double *charges)
{
    void *memory;
    QN_TRY(qn_allocate((size_t)4 * QN_COULOMB_ATOMS_MAX, sizeof(float), &memory));
    float *numbers = memory;
    qn_status status = QN_OK;
    for (size_t c = 0, first = 0; c < coulomb->chunk_count && status == QN_OK; c++, first += QN_COULOMB_ATOMS_MAX) {
        const size_t left = atom_count - first;
        coulomb->chunks[c].count = (int)(left < QN_COULOMB_ATOMS_MAX ? left : QN_COULOMB_ATOMS_MAX);
        status = upload_chunk(coulomb, positions + 3 * first, charges + first, numbers, &coulomb->chunks[c]);
    }
    qn_release(&numbers);
    return status;
}

qn_status qn_coulomb_create(qn_queue *queue, const qn_potential_grid *grid, size_t atom_count,
                            const double *positions_angstrom, const double *charges_e, double factor,
                            qn_coulomb **coulomb)
{
    void *memory;
    *coulomb = NULL;
    if (atom_count == 0) return QN_FAIL(QN_INVALID_ARGUMENT, "a Coulomb potential of no atoms; expected at least one");
    QN_TRY(qn_allocate(1, sizeof **coulomb, &memory));
    *coulomb = memory;
    **coulomb = (qn_coulomb){.queue = queue, .grid = *grid, .factor = factor};
    (*coulomb)->chunk_count = (atom_count + QN_COULOMB_ATOMS_MAX - 1) / QN_COULOMB_ATOMS_MAX;
    qn_status status = qn_allocate((*coulomb)->chunk_count, sizeof(coulomb_chunk), &memory);
    if (status == QN_OK) {
        (*coulomb)->chunks = memory;
        status = upload_atoms(*coulomb, atom_count, positions_angstrom, charges_e);
    }
    if (status != QN_OK) qn_coulomb_destroy(coulomb);
    return status;
}

void qn_coulomb_destroy(qn_coulomb **coulomb)
{
    if (!*coulomb) return;
    for (size_t c = 0; (*coulomb)->chunks && c < (*coulomb)->chunk_count; c++) {
        qn_buffer_release(&(*coulomb)->chunks[c].atoms);
        qn_buffer_release(&(*coulomb)->chunks[c].components);
    }
    qn_release(&(*coulomb)->chunks);
    qn_release(coulomb);
}

void qn_coulomb_configure(qn_coulomb *coulomb, const qn_configuration *configuration)
{
    coulomb->has_configuration = configuration != NULL;
    if (configuration) coulomb->configuration = *configuration;
}

qn_status qn_coulomb_planes(qn_coulomb *coulomb, int first, int count, qn_buffer *potential, double *seconds)
{
    const qn_potential_grid *grid = &coulomb->grid;
    qn_coulomb_problem problem = {.points = {grid->points[0], grid->points[1], count},
                                  .first_plane = first,
                                  .spacing = (float)grid->spacing_angstrom,
                                  .least = (float)QN_COULOMB_LEAST_ANGSTROM,
                                  .factor = (float)coulomb->factor};
    if (first < 0 || count < 1 || count > grid->points[2] - first)
        return QN_FAIL(QN_INVALID_ARGUMENT, "planes %d to %d of a Coulomb potential of %d planes", first,
                       first + count - 1, grid->points[2]);
    for (int axis = 0; axis < 3; axis++) problem.origin[axis] = (float)qn_potential_grid_offset(grid, axis, 0);
    if (seconds) *seconds = 0;
    for (size_t c = 0; c < coulomb->chunk_count; c++) {
        qn_event *event = NULL;
        double time_s;
        problem.atoms = coulomb->chunks[c].count;
        problem.is_first = c == 0;
        QN_TRY(qn_coulomb_add(coulomb->queue, coulomb->has_configuration ? &coulomb->configuration : NULL, &problem,
                              coulomb->chunks[c].atoms, coulomb->chunks[c].components, potential,
                              seconds ? &event : NULL));
        if (!seconds) continue;
        const qn_status status = qn_event_seconds(event, &time_s);
        qn_event_destroy(&event);
        QN_TRY(status);
        *seconds += time_s;
    }
    return QN_OK;
}

/* dRMSD, from distances of atoms: no superposition. With the distances d of the frame and r of a reference,
 * ∂/∂x_a Σ_{a<b} (d − r)² = 2 Σ_b (d_ab − r_ab) (x_a − x_b) / d_ab. It is linear in r, so that a sum over references
 * needs one pass over pairs with a sum of distances. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "collective/plan.h"

enum { PAIRS = 8192 }; /* of a task, a multiple of QN_COLLECTIVE_PAIR_STEP */

typedef struct drmsd_task {
    qn_collective *collective;
    double *gradients[2];
    double totals[2];
} drmsd_task;

/* The distances of a reference, as kept or measured now. */
static const double *distances_of(qn_collective *collective, size_t place, int worker)
{
    const qn_collective_references *references = collective->references;
    const size_t places = references->pair_places, own = (size_t)worker * places;
    if (references->distances) return references->distances + place * places;
    const qn_collective_pairs pairs = {collective->worker_pairs.distance + own, collective->worker_pairs.inverse + own};
    collective->loops->measure_pairs(references->positions + place * 3 * references->stride, references->stride,
                                     references->atom_count, &pairs);
    return pairs.distance;
}

static qn_status measure_reference(size_t index, int worker, void *user)
{
    const drmsd_task *task = user;
    qn_collective *collective = task->collective;
    const qn_collective_references *references = collective->references;
    const size_t place = collective->places[index], atoms = references->atom_count;
    const double *distances = distances_of(collective, place, worker);
    const double sum = collective->loops->compare_pairs(collective->pairs.distance, distances, references->pair_places);
    const double drmsd = sqrt(references->pair_inverse * sum);
    collective->drmsd[place] = drmsd;
    if (!task->gradients[0]) return QN_OK;
    double *rows = collective->scratch + (size_t)worker * qn_collective_rows(references);
    const bool same = drmsd <= QN_COLLECTIVE_SAME * references->pair_sizes[place];
    collective->loops->differentiate_pairs(collective->frame, references->stride, atoms, &collective->pairs, distances,
                                           1, rows);
    collective->loops->store(rows, references->stride, same ? 0 : references->pair_inverse / drmsd, atoms,
                             task->gradients[0] + place * 3 * atoms);
    return QN_OK;
}

qn_status qn_collective_measure_drmsd(qn_collective *collective, double *gradients)
{
    const qn_collective_references *references = collective->references;
    drmsd_task task = {collective, {gradients, NULL}, {0}};
    const double steps = (double)collective->active * (double)references->pair_places;
    collective->loops->measure_pairs(collective->frame, references->stride, references->atom_count, &collective->pairs);
    return qn_collective_run(collective, collective->active, steps, measure_reference, &task);
}

/* Σ factor · r over the active references, for the pairs begin … end − 1. References whose factors are 0 are left out.
 */
static void add_references(qn_collective *collective, size_t begin, size_t end)
{
    double *sums[2] = {collective->pair_sums, collective->pair_sums + collective->references->pair_places};
    for (int i = 0; i < 2; i++) memset(sums[i] + begin, 0, (end - begin) * sizeof(double));
    for (size_t k = 0; k < collective->active; k++) {
        const double *factors = collective->factors + 2 * k;
        if (factors[0] == 0 && factors[1] == 0) continue;
        collective->loops->add_pairs(distances_of(collective, collective->places[k], 0), factors, begin, end, sums[0],
                                     sums[1]);
    }
}

static qn_status add_some(size_t index, int worker, void *user)
{
    const drmsd_task *task = user;
    const size_t places = task->collective->references->pair_places, begin = index * PAIRS;
    (void)worker;
    add_references(task->collective, begin, begin + PAIRS < places ? begin + PAIRS : places);
    return QN_OK;
}

static qn_status differentiate(size_t index, int worker, void *user)
{
    const drmsd_task *task = user;
    qn_collective *collective = task->collective;
    const qn_collective_references *references = collective->references;
    double *rows = collective->scratch + (size_t)worker * qn_collective_rows(references);
    if (!task->gradients[index]) return QN_OK;
    collective->loops->differentiate_pairs(collective->frame, references->stride, references->atom_count,
                                           &collective->pairs, collective->pair_sums + index * references->pair_places,
                                           task->totals[index], rows);
    collective->loops->store(rows, references->stride, 1, references->atom_count, task->gradients[index]);
    return QN_OK;
}

qn_status qn_collective_path_of_drmsd(qn_collective *collective, double *s_gradient, double *z_gradient)
{
    const size_t places = collective->references->pair_places;
    drmsd_task task = {collective, {s_gradient, z_gradient}, {0}};
    for (size_t k = 0; k < 2 * collective->active; k++) task.totals[k % 2] += collective->factors[k];
    if (collective->references->distances)
        QN_TRY(qn_collective_run(collective, (places + PAIRS - 1) / PAIRS, (double)collective->active * (double)places,
                                 add_some, &task));
    else
        add_references(collective, 0, places); /* on one thread: each reference is measured once */
    return qn_collective_run(collective, 2, 4 * (double)places, differentiate, &task);
}

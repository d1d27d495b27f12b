/* RMSD after superposition. With the centred frame x and reference y, S = Σ w |x − R y|² and R the best rotation,
 * ∂S/∂x_a = 2 w_a (x_a − R y_a): R is at a minimum of S, so its own change does not count (the envelope theorem), and
 * neither does the shift of the centre, as Σ w (x − R y) = 0. With weights of the deviation both do (turn.c). */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "collective/plan.h"
#include "math/superpose.h"

enum { REFERENCES = 8, ATOMS = 256 }; /* of a task */

typedef struct rmsd_task {
    qn_collective *collective;
    double *gradients;
} rmsd_task;

static void find_turn(qn_collective *collective, size_t place, const double s[9])
{
    const qn_collective_references *references = collective->references;
    const size_t stride = references->stride;
    qn_collective_turn_sums sums = {.rotation = collective->rotations + 9 * place,
                                    .frame = collective->frame_deviation,
                                    .mean = references->deviation_means + 3 * place,
                                    .weight_sum = references->weight_sum};
    memcpy(sums.s, s, sizeof sums.s);
    collective->loops->correlate(references->positions + place * 3 * stride, collective->deviating, stride,
                                 sums.deviation_s);
    collective->turns[place] = qn_collective_turn_of(&sums);
}

static void measure_reference(qn_collective *collective, size_t place, int worker, double *gradients)
{
    const qn_collective_references *references = collective->references;
    const size_t stride = references->stride, atoms = references->atom_count;
    const double *reference = references->positions + place * 3 * stride;
    double *rotation = collective->rotations + 9 * place;
    double *rows = gradients ? collective->scratch + (size_t)worker * qn_collective_rows(references) : NULL;
    double s[9];
    collective->loops->correlate(reference, collective->weighted, stride, s);
    qn_superpose_correlation(s, rotation);
    const double sum = collective->loops->displace(reference, collective->frame, references->deviation_weights, stride,
                                                   rotation, rows);
    const double rmsd = sqrt(sum / references->deviation_sum);
    const bool same = rmsd <= QN_COLLECTIVE_SAME * (collective->frame_size + references->sizes[place]);
    collective->rmsd[place] = rmsd;
    if (references->deviation_means) find_turn(collective, place, s);
    if (!gradients) return;
    if (references->deviation_means)
        collective->loops->subtract_turn(reference, references->weights, stride, collective->turns[place].matrix,
                                         collective->turns[place].shift, rows);
    collective->loops->store(rows, stride, same ? 0 : 1 / (references->deviation_sum * rmsd), atoms,
                             gradients + place * 3 * atoms);
}

static qn_status measure_some(size_t index, int worker, void *user)
{
    const rmsd_task *task = user;
    for (size_t k = index * REFERENCES; k < (index + 1) * REFERENCES && k < task->collective->active; k++)
        measure_reference(task->collective, task->collective->places[k], worker, task->gradients);
    return QN_OK;
}

qn_status qn_collective_measure_rmsd(qn_collective *collective, double *gradients)
{
    rmsd_task task = {collective, gradients};
    const double steps = (double)collective->active * (double)(200 + collective->references->atom_count);
    return qn_collective_run(collective, (collective->active + REFERENCES - 1) / REFERENCES, steps, measure_some,
                             &task);
}

/* Both factors of a reference times a matrix. */
static void scale_matrix(const double factors[2], const double matrix[9], double matrices[18])
{
    for (size_t i = 0; i < 18; i++) matrices[i] = factors[i / 9] * matrix[i % 9];
}

/* Σ factor · (v (x − R y) − w (turn of y)) over the active references, for some atoms. References whose factors are 0
 * are left out. */
static qn_status add_some(size_t index, int worker, void *user)
{
    const rmsd_task *task = user;
    qn_collective *collective = task->collective;
    const qn_collective_references *references = collective->references;
    const size_t stride = references->stride, begin = index * ATOMS;
    const size_t end = begin + ATOMS < stride ? begin + ATOMS : stride;
    const bool turns = references->deviation_means != NULL;
    double *sums = collective->sums, *turned = sums + 6 * stride, totals[2] = {0}, shifts[6] = {0}, matrices[18];
    (void)worker;
    for (size_t k = 0; k < (turns ? 12 : 6); k++) memset(sums + k * stride + begin, 0, (end - begin) * sizeof(double));
    for (size_t k = 0; k < collective->active; k++) {
        const double *factors = collective->factors + 2 * k;
        const size_t place = collective->places[k];
        const double *reference = references->positions + place * 3 * stride;
        if (factors[0] == 0 && factors[1] == 0) continue;
        scale_matrix(factors, collective->rotations + 9 * place, matrices);
        collective->loops->add_products(reference, stride, matrices, begin, end, sums);
        totals[0] += factors[0];
        totals[1] += factors[1];
        if (!turns) continue;
        scale_matrix(factors, collective->turns[place].matrix, matrices);
        collective->loops->add_products(reference, stride, matrices, begin, end, turned);
        for (size_t i = 0; i < 6; i++) shifts[i] += factors[i / 3] * collective->turns[place].shift[i % 3];
    }
    for (size_t k = 0; k < 6; k++) {
        const double *frame = collective->frame + k % 3 * stride, *weights = references->deviation_weights;
        double *row = sums + k * stride;
        for (size_t i = begin; i < end; i++) row[i] = weights[i] * (totals[k / 3] * frame[i] - row[i]);
        for (size_t i = begin; turns && i < end; i++)
            row[i] -= references->weights[i] * (turned[k * stride + i] + shifts[k]);
    }
    return QN_OK;
}

qn_status qn_collective_path_of_rmsd(qn_collective *collective, double *s_gradient, double *z_gradient)
{
    const size_t stride = collective->references->stride, atoms = collective->references->atom_count;
    rmsd_task task = {collective, NULL};
    const double steps = 3 * (double)collective->active * (double)atoms;
    QN_TRY(qn_collective_run(collective, (stride + ATOMS - 1) / ATOMS, steps, add_some, &task));
    if (s_gradient) collective->loops->store(collective->sums, stride, 1, atoms, s_gradient);
    if (z_gradient) collective->loops->store(collective->sums + 3 * stride, stride, 1, atoms, z_gradient);
    return QN_OK;
}

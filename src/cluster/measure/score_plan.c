#include "cluster/measure/score_plan.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

enum { SEED_LEAST = 6 }; /* atoms of the shortest fragments */

double qn_tm_scale_angstrom(double length)
{
    const double scale = 1.24 * cbrt(length - 15) - 1.8;
    return scale > 0.5 ? scale : 0.5;
}

static void add_phase(qn_score_plan *plan, double scale, int doublings, int evaluations)
{
    float *phase = plan->phases[plan->phase_count++];
    phase[0] = (float)(1 / (scale * scale));
    phase[1] = (float)doublings;
    phase[2] = (float)evaluations;
    phase[3] = doublings == 0;
}

static void add_phases(qn_score_plan *plan, double length)
{
    if (plan->score == QN_SCORE_TM) add_phase(plan, qn_tm_scale_angstrom(length), 0, 20);
    if (plan->score == QN_SCORE_GDT)
        for (int scale = 1; scale <= 8; scale *= 2)
            for (int doublings = 0; doublings < 3; doublings++) add_phase(plan, scale, doublings, doublings ? 2 : 3);
    if (plan->score == QN_SCORE_MAXSUB)
        for (int doublings = 0; doublings < 4; doublings++) add_phase(plan, 3.5, doublings, 2);
}

static qn_status add_seed(qn_score_plan *plan, size_t *capacity, size_t begin, size_t length)
{
    void *seeds = plan->seeds;
    const size_t count = (size_t)plan->seed_count;
    const qn_status status = qn_grow(&seeds, capacity, 2 * (count + 1), sizeof *plan->seeds);
    plan->seeds = seeds;
    QN_TRY(status);
    plan->seeds[2 * count] = (int32_t)begin;
    plan->seeds[2 * count + 1] = (int32_t)(begin + length);
    plan->seed_count++;
    return QN_OK;
}

/* Fragments of one length; the last one ends with the last atom. */
static qn_status add_fragments(qn_score_plan *plan, size_t *capacity, size_t length)
{
    const size_t atoms = (size_t)plan->atom_count, step = length / 2 > 0 ? length / 2 : 1;
    size_t begin = 0;
    for (; begin + length < atoms; begin += step) QN_TRY(add_seed(plan, capacity, begin, length));
    return add_seed(plan, capacity, atoms - length, length);
}

qn_status qn_score_plan_make(qn_score score, size_t atom_count, double length, qn_score_plan *plan)
{
    *plan = (qn_score_plan){.score = score, .atom_count = (int)atom_count};
    if (atom_count < QN_SCORE_ATOMS_LEAST || atom_count > QN_SCORE_ATOMS_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "a search for the best superposition of %zu atoms; expected %d to %d",
                       atom_count, QN_SCORE_ATOMS_LEAST, QN_SCORE_ATOMS_MAX);
    add_phases(plan, length);
    size_t capacity = 0;
    qn_status status = add_fragments(plan, &capacity, atom_count);
    for (size_t fragment = atom_count / 2; status == QN_OK && fragment >= SEED_LEAST; fragment /= 2)
        status = add_fragments(plan, &capacity, fragment);
    if (status != QN_OK) qn_score_plan_clear(plan);
    return status;
}

void qn_score_plan_clear(qn_score_plan *plan)
{
    qn_release(&plan->seeds);
}

int qn_score_results(qn_score score)
{
    return score == QN_SCORE_GDT ? 4 : 1;
}

float qn_score_value(qn_score score, const float *results, double length)
{
    const int count = qn_score_results(score);
    double sum = 0;
    for (int k = 0; k < count; k++) sum += (double)results[k];
    return (float)(sum / (count * length));
}

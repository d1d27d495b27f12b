/* The search of tm_score in double precision, with the superposition of math/superpose.h. */
#include "cluster/measure/kernels/tm_score.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/superpose.h"

enum { LEAST_EVALUATIONS = 4 };

typedef struct reference_search {
    const qn_score_plan *plan;
    const double *a, *b; /* [atom][3] */
    double *weights;     /* of the next superposition */
    double smooth, *results;
} reference_search;

/* Tally an atom, and return its next weight. */
static double tally(reference_search *search, const float *phase, double square, double within[4])
{
    const double ratio = square * (double)phase[0], power = ldexp(1, (int)phase[1]);
    const double term = 1 / (1 + pow(ratio, power)), share = 1 / (1 + ratio);
    for (int k = 0; k < 4 && search->plan->score == QN_SCORE_GDT; k++) within[k] += square <= ldexp(1, 2 * k);
    if (search->plan->score == QN_SCORE_TM) within[0] += term;
    if (search->plan->score == QN_SCORE_MAXSUB) {
        within[0] += ratio <= 1 ? share : 0;
        search->smooth += share * term;
        return share * term * (power * pow(ratio, power - 1) * term + share);
    }
    search->smooth += term;
    return pow(ratio, power - 1) * term * term;
}

static void evaluate(reference_search *search, const float *phase, const double rotation[9], const double shift[3])
{
    double within[4] = {0};
    search->smooth = 0;
    for (int i = 0; i < search->plan->atom_count; i++) {
        double square = 0;
        for (int axis = 0; axis < 3; axis++) {
            const double *row = rotation + 3 * axis, *x = search->a + 3 * i;
            const double step = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + shift[axis] - search->b[3 * i + axis];
            square += step * step;
        }
        search->weights[i] = tally(search, phase, square, within);
    }
    for (int k = 0; k < qn_score_results(search->plan->score); k++)
        search->results[k] = fmax(search->results[k], within[k]);
}

static bool enough_weight(const reference_search *search)
{
    double sum = 0;
    for (int i = 0; i < search->plan->atom_count; i++) sum += search->weights[i];
    return sum > 1e-9;
}

static qn_status search_from(reference_search *search, int begin, int end)
{
    const size_t atoms = (size_t)search->plan->atom_count;
    double rotation[9], shift[3];
    for (int p = 0; p < search->plan->phase_count; p++) {
        const float *phase = search->plan->phases[p];
        double last = 0;
        for (int i = 0; i < search->plan->atom_count && phase[3] != 0; i++) search->weights[i] = i >= begin && i < end;
        for (int e = 1; e <= (int)phase[2]; e++) {
            if (enough_weight(search))
                QN_TRY(qn_superpose_weighted(search->a, search->b, search->weights, atoms, rotation, shift, NULL));
            evaluate(search, phase, rotation, shift);
            if (e >= LEAST_EVALUATIONS && !(search->smooth > 1.0001 * last)) break;
            last = search->smooth;
        }
    }
    return QN_OK;
}

qn_status qn_tm_score_reference(const qn_score_plan *plan, const float *a, const float *b, double *results)
{
    const size_t numbers = 3 * (size_t)plan->atom_count;
    void *memory;
    QN_TRY(qn_allocate(3 * numbers, sizeof(double), &memory));
    double *first = memory, *second = first + numbers;
    for (size_t i = 0; i < numbers; i++) {
        first[i] = (double)a[4 * (i / 3) + i % 3];
        second[i] = (double)b[4 * (i / 3) + i % 3];
    }
    reference_search search = {.plan = plan, .a = first, .b = second, .weights = second + numbers, .results = results};
    qn_status status = QN_OK;
    for (int k = 0; k < qn_score_results(plan->score); k++) results[k] = 0;
    for (int s = 0; s < plan->seed_count && status == QN_OK; s++)
        status = search_from(&search, plan->seeds[2 * s], plan->seeds[2 * s + 1]);
    qn_release(&memory);
    return status;
}

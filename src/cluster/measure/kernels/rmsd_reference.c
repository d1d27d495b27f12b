#include "cluster/measure/kernels/rmsd.h"
#include "math/qcp.h"

static double weight_of(const qn_structures *structures, size_t atom)
{
    return structures->weights ? structures->weights[atom] : 1;
}

static void mean_of(const qn_structures *structures, const float *positions, double mean[3])
{
    double sum = 0;
    mean[0] = mean[1] = mean[2] = 0;
    for (size_t k = 0; k < structures->atom_count; k++) {
        sum += weight_of(structures, k);
        for (size_t s = 0; s < 3; s++) mean[s] += weight_of(structures, k) * positions[s * structures->atom_count + k];
    }
    for (size_t s = 0; s < 3; s++) mean[s] /= sum;
}

double qn_rmsd_reference(const qn_structures *structures, size_t i, size_t j)
{
    const size_t atoms = structures->atom_count;
    const float *first = structures->positions_angstrom + 3 * atoms * i;
    const float *second = structures->positions_angstrom + 3 * atoms * j;
    double means[2][3], products[9] = {0}, half_sum = 0, weight_sum = 0;
    mean_of(structures, first, means[0]);
    mean_of(structures, second, means[1]);
    for (size_t k = 0; k < atoms; k++) {
        const double weight = weight_of(structures, k);
        weight_sum += weight;
        for (size_t s = 0; s < 3; s++) {
            const double a = first[s * atoms + k] - means[0][s], own = second[s * atoms + k] - means[1][s];
            half_sum += weight * (a * a + own * own) / 2;
            for (size_t t = 0; t < 3; t++) products[3 * s + t] += weight * a * (second[t * atoms + k] - means[1][t]);
        }
    }
    return qn_qcp_rmsd(products, half_sum, weight_sum);
}

#include "trajectory/query/structure_atoms.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "trajectory/query/atom_weights.h"

void qn_structure_atoms_clear(qn_structure_atoms *atoms)
{
    qn_release(&atoms->atoms);
    qn_release(&atoms->weights);
}

qn_status qn_structure_atoms_take(const qn_query_setup *setup, int selection, qn_structure_atoms *taken)
{
    const bool by_mass = strcmp(qn_query_setup_text(setup, "weights"), "mass") == 0;
    qn_atom_weights masses = {0};
    const uint32_t *atoms;
    bool fixed;
    void *memory;
    qn_query_setup_atoms(setup, selection, &fixed, &atoms, &taken->count);
    if (!fixed || taken->count == 0) return QN_OK;
    QN_TRY(qn_allocate(taken->count, sizeof *taken->atoms, &memory));
    taken->atoms = memory;
    memcpy(taken->atoms, atoms, taken->count * sizeof *taken->atoms);
    QN_TRY(qn_allocate(taken->count + QN_SUM_LANES - 1, sizeof(double), &memory));
    taken->weights = memory;
    QN_TRY(qn_atom_weights_create(setup, selection, by_mass ? QN_WEIGHT_MASS : QN_WEIGHT_ONE, &masses));
    const double *weights = qn_atom_weights_view(&masses, atoms, 0, taken->count, taken->weights);
    if (weights != taken->weights) memcpy(taken->weights, weights, taken->count * sizeof *weights);
    qn_atom_weights_clear(&masses);
    return QN_OK;
}

void qn_structure_atoms_gather(const qn_structure_atoms *atoms, const float *positions, double *gathered)
{
    for (size_t i = 0; i < atoms->count; i++)
        for (size_t axis = 0; axis < 3; axis++)
            gathered[3 * i + axis] = (double)positions[3 * (size_t)atoms->atoms[i] + axis];
}

qn_status qn_structure_atoms_check(const qn_structure_atoms *atoms)
{
    if (atoms->count < 3)
        return QN_FAIL(QN_INVALID_ARGUMENT, "structures of %s; expected at least 3 atoms to superpose",
                       qn_count_of(atoms->count, "atom").text);
    return QN_OK;
}

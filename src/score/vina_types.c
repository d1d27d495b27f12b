/* Vina's types of atoms, and its count of rotatable bonds. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "chemistry/bond_orders.h"
#include "chemistry/conformers.h"
#include "model/atom.h"
#include "score/surroundings.h"
#include "score/vina.h"
#include "score/vina_rows.h"

/* Elements with one type. */
static const struct {
    char symbol[4];
    int type;
} plain_elements[] = {{"S", S_P},   {"SE", S_P}, {"P", P_P}, {"F", F_H},  {"CL", CL_H},
                      {"BR", BR_H}, {"I", I_H},  {"B", C_P}, {"SI", SI_P}};

bool qn_vina_nitrogen_accepts(qn_sybyl_type type, const qn_surroundings *around)
{
    switch (type) {
    case QN_SYBYL_N_4:
    case QN_SYBYL_N_AM: return false;
    case QN_SYBYL_N_PL3: return around->anion;
    case QN_SYBYL_N_AR:
    case QN_SYBYL_N_2: return !around->cation && around->heavy + around->hydrogen < 3;
    default: return !around->cation;
    }
}

int qn_vina_type_of(const char *element, qn_sybyl_type type, const qn_surroundings *around)
{
    if (qn_element_is_hydrogen(element)) return -1;
    if (strcmp(element, "C") == 0) return around->hetero ? C_P : C_H;
    if (strcmp(element, "O") == 0) return around->hydrogen ? O_DA : O_A;
    if (strcmp(element, "N") == 0) {
        bool accepts = qn_vina_nitrogen_accepts(type, around);
        if (around->hydrogen) return accepts ? N_DA : N_D;
        return accepts ? N_A : N_P;
    }
    for (size_t i = 0; i < sizeof plain_elements / sizeof plain_elements[0]; i++)
        if (strcmp(element, plain_elements[i].symbol) == 0) return plain_elements[i].type;
    return qn_element_is_metal(element) ? METAL : -2;
}

static qn_status types_of(const qn_compound *compound, const qn_sybyl_type *sybyl, const qn_surroundings *around,
                          int *types)
{
    for (size_t i = 0; i < compound->atom_count; i++) {
        types[i] = qn_vina_type_of(compound->atoms[i].element, sybyl[i], &around[i]);
        if (types[i] < -1)
            return QN_FAIL(QN_BAD_FORMAT, "%s: atom %zu (%s) is of an element that Vina's score has no type for",
                           compound->name, i + 1, compound->atoms[i].element);
    }
    return QN_OK;
}

qn_status qn_vina_types(const qn_compound *compound, int *types)
{
    qn_sybyl_type *sybyl = NULL;
    qn_surroundings *around = NULL;
    qn_status status = qn_allocate(compound->atom_count, sizeof *sybyl, (void **)&sybyl);
    if (status == QN_OK) status = qn_allocate(compound->atom_count, sizeof *around, (void **)&around);
    if (status == QN_OK) status = qn_sybyl_find_types(compound, sybyl);
    if (status == QN_OK) status = qn_surroundings_of_compound(compound, sybyl, around);
    if (status == QN_OK) status = types_of(compound, sybyl, around, types);
    qn_release(&sybyl);
    qn_release(&around);
    return status;
}

/* Whether a bond turns only hydrogens at this end. Vina's program counts the two ends of a bond separately, each when
 * the other end has further atoms, so such a bond counts half. */
static bool turns_hydrogens(const qn_compound_bond *bond, int end, int other, const qn_sybyl_type *types,
                            const qn_surroundings *around)
{
    if (bond->order != QN_BOND_SINGLE || around[end].heavy != 1 || !around[end].hydrogen || around[other].heavy < 2)
        return false;
    switch (types[end]) {
    case QN_SYBYL_O_3:
    case QN_SYBYL_S_3:
    case QN_SYBYL_N_3:
    case QN_SYBYL_N_4: return true;
    case QN_SYBYL_N_PL3: return types[other] != QN_SYBYL_C_CAT && types[other] != QN_SYBYL_C_2;
    default: return false;
    }
}

static bool counts_half(const qn_compound_bond *bond, const qn_sybyl_type *types, const qn_surroundings *around)
{
    return turns_hydrogens(bond, bond->first, bond->second, types, around) ||
           turns_hydrogens(bond, bond->second, bond->first, types, around);
}

qn_status qn_vina_rotatable_bonds_of(const qn_compound *compound, const qn_sybyl_type *types,
                                     const qn_surroundings *around, double *count)
{
    int *bonds = NULL;
    size_t whole = 0;
    QN_TRY(qn_allocate(compound->bond_count, sizeof *bonds, (void **)&bonds));
    qn_status status = qn_conformers_rotatable_bonds(compound, bonds, &whole);
    qn_release(&bonds);
    *count = (double)whole;
    for (size_t i = 0; i < compound->bond_count; i++)
        if (counts_half(&compound->bonds[i], types, around)) *count += 0.5;
    return status;
}

qn_status qn_vina_rotatable_bonds(const qn_compound *compound, double *count)
{
    qn_sybyl_type *types = NULL;
    qn_surroundings *around = NULL;
    qn_status status = qn_allocate(compound->atom_count, sizeof *types, (void **)&types);
    if (status == QN_OK) status = qn_allocate(compound->atom_count, sizeof *around, (void **)&around);
    if (status == QN_OK) status = qn_sybyl_find_types(compound, types);
    if (status == QN_OK) status = qn_surroundings_of_compound(compound, types, around);
    if (status == QN_OK) status = qn_vina_rotatable_bonds_of(compound, types, around, count);
    qn_release(&types);
    qn_release(&around);
    return status;
}

qn_status qn_vina_half_bonds(const qn_compound *compound, bool *half)
{
    qn_sybyl_type *types = NULL;
    qn_surroundings *around = NULL;
    qn_status status = qn_allocate(compound->atom_count, sizeof *types, (void **)&types);
    if (status == QN_OK) status = qn_allocate(compound->atom_count, sizeof *around, (void **)&around);
    if (status == QN_OK) status = qn_sybyl_find_types(compound, types);
    if (status == QN_OK) status = qn_surroundings_of_compound(compound, types, around);
    for (size_t i = 0; i < compound->bond_count && status == QN_OK; i++)
        half[i] = counts_half(&compound->bonds[i], types, around);
    qn_release(&types);
    qn_release(&around);
    return status;
}

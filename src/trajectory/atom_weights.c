#include "trajectory/atom_weights.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/element.h"

static qn_status check_topology(const qn_topology *topology, qn_weight_kind kind)
{
    const char *name = topology->name ? topology->name : "the topology";
    if (kind == QN_WEIGHT_MASS && topology->masses == QN_MASSES_ABSENT)
        QN_FAIL(QN_INVALID_ARGUMENT, "%s tells no masses; expected a topology that does", name);
    if (kind == QN_WEIGHT_CHARGE && !topology->has_charges)
        QN_FAIL(QN_INVALID_ARGUMENT,
                "%s tells no charges; expected a topology that does (TPR, PSF, Amber parm7 or a table of atoms)", name);
    return QN_OK;
}

static double weight_of(const qn_topology_atom *atom, qn_weight_kind kind)
{
    switch (kind) {
    case QN_WEIGHT_MASS: return atom->mass_u;
    case QN_WEIGHT_CHARGE: return atom->charge_e;
    case QN_WEIGHT_ELECTRONS: return qn_element_number(atom->element) - atom->charge_e;
    case QN_WEIGHT_ONE: break;
    }
    return 1;
}

qn_status qn_atom_weights_create(const qn_query_setup *setup, int selection, qn_weight_kind kind,
                                 qn_atom_weights *weights)
{
    const qn_topology *topology = qn_query_setup_topology(setup);
    const uint32_t *atoms = NULL;
    size_t count = 0;
    void *memory;
    *weights = (qn_atom_weights){0};
    if (kind == QN_WEIGHT_ONE) return QN_OK;
    QN_TRY(check_topology(topology, kind));
    if (selection != QN_ALL_ATOMS) qn_query_setup_atoms(setup, selection, &weights->gathered, &atoms, &count);
    if (!weights->gathered) count = topology->atom_count;
    QN_TRY(qn_allocate(count + QN_SUM_LANES - 1, sizeof *weights->values, &memory));
    weights->values = memory;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        weights->values[i] = weight_of(&topology->atoms[weights->gathered ? atoms[i] : i], kind);
        sum += weights->values[i];
    }
    if (kind != QN_WEIGHT_MASS || sum > 0 || count == 0) return QN_OK;
    qn_atom_weights_clear(weights);
    QN_FAIL(QN_INVALID_ARGUMENT, "the %zu selected atoms have no mass; expected a sum above 0", count);
}

void qn_atom_weights_clear(qn_atom_weights *weights)
{
    qn_release(&weights->values);
}

const double *qn_atom_weights_view(const qn_atom_weights *weights, const uint32_t *atoms, size_t begin, size_t count,
                                   double *room)
{
    if (weights->gathered && weights->values) return weights->values + begin;
    if (weights->values)
        for (size_t i = 0; i < count; i++) room[i] = weights->values[atoms[begin + i]];
    else
        for (size_t i = 0; i < count; i++) room[i] = 1;
    for (size_t i = count; i % QN_SUM_LANES != 0; i++) room[i] = 0;
    return room;
}

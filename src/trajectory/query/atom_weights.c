#include "trajectory/query/atom_weights.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/element.h"
#include "trajectory/query/setup.h"

static qn_status check_topology(const qn_topology *topology, qn_weight_kind kind)
{
    const char *name = topology->name ? topology->name : "the topology";
    if (kind == QN_WEIGHT_MASS && topology->masses == QN_MASSES_ABSENT)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s has no masses; expected a topology with masses", name);
    if (kind == QN_WEIGHT_CHARGE && !topology->has_charges)
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "%s has no charges; expected a topology with charges (TPR, PSF, Amber parm7 or a table of atoms)", name);
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

/* ---- shared weights ---- */

typedef struct qn_shared_weights_entry {
    qn_weight_kind kind;
    const uint32_t *atoms; /* the selection's list; NULL: all atoms */
    size_t count;
    double *values;
} qn_shared_weights_entry;

void qn_shared_weights_clear(qn_shared_weights *shared)
{
    for (size_t i = 0; i < shared->count; i++) qn_release(&shared->entries[i].values);
    qn_release(&shared->entries);
    shared->count = shared->capacity = 0;
}

/* Equal selections are one node of the network, so their lists of atoms have the same address. */
static bool find_shared(const qn_shared_weights *shared, qn_weight_kind kind, const uint32_t *atoms, size_t count,
                        qn_atom_weights *weights)
{
    for (size_t i = 0; shared && i < shared->count; i++) {
        const qn_shared_weights_entry *entry = &shared->entries[i];
        if (entry->kind != kind || entry->atoms != atoms || entry->count != count) continue;
        weights->values = entry->values;
        weights->shared = true;
        return true;
    }
    return false;
}

/* Let other queries use the weights. If there is no memory for the list of entries, the query keeps its weights. */
static void share(qn_shared_weights *shared, qn_weight_kind kind, const uint32_t *atoms, size_t count,
                  qn_atom_weights *weights)
{
    if (!shared) return;
    void *entries = shared->entries;
    if (qn_grow(&entries, &shared->capacity, shared->count + 1, sizeof *shared->entries) != QN_OK) {
        qn_error_clear();
        return;
    }
    shared->entries = entries;
    shared->entries[shared->count++] = (qn_shared_weights_entry){kind, atoms, count, weights->values};
    weights->shared = true;
}

/* ---- weights ---- */

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
    if (!weights->gathered) {
        atoms = NULL;
        count = topology->atom_count;
    }
    if (find_shared(setup->shared_weights, kind, atoms, count, weights)) return QN_OK;
    QN_TRY(qn_allocate(count + QN_SUM_LANES - 1, sizeof *weights->values, &memory));
    weights->values = memory;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        weights->values[i] = weight_of(&topology->atoms[atoms ? atoms[i] : i], kind);
        sum += weights->values[i];
    }
    if (kind == QN_WEIGHT_MASS && !(sum > 0) && count > 0) {
        qn_atom_weights_clear(weights);
        return QN_FAIL(QN_INVALID_ARGUMENT, "the %zu selected atoms have no mass; expected a sum above 0", count);
    }
    share(setup->shared_weights, kind, atoms, count, weights);
    return QN_OK;
}

void qn_atom_weights_clear(qn_atom_weights *weights)
{
    if (weights->shared) weights->values = NULL;
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

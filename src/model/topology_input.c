/* Checks of topologies that a caller made, and a digest of their content. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "model/topology.h"

/* ---- checks ---- */

static const char *name_of(const qn_topology *topology)
{
    return topology->name ? topology->name : "the topology in memory";
}

static bool ends(const char *text, size_t capacity)
{
    return strnlen(text, capacity) < capacity;
}

static qn_status check_residue(const qn_topology *topology, size_t index, size_t first_atom)
{
    const qn_topology_residue *residue = &topology->residues[index];
    if (residue->first_atom != first_atom || residue->atom_count > topology->atom_count - first_atom)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s: residue %zu has %zu atoms from atom %zu; expected its first atom to be %zu, after the "
                       "residue before it, and its last one among the %zu of the topology",
                       name_of(topology), index, residue->atom_count, residue->first_atom, first_atom,
                       topology->atom_count);
    if (!ends(residue->name, sizeof residue->name) || !ends(residue->chain, sizeof residue->chain) ||
        !ends(residue->segment, sizeof residue->segment))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s: a name of residue %zu has no end; expected a zero byte within its array", name_of(topology),
                       index);
    return QN_OK;
}

static qn_status check_atom(const qn_topology *topology, size_t index, size_t residue)
{
    const qn_topology_atom *atom = &topology->atoms[index];
    if (atom->residue != residue)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: atom %zu names residue %u; expected %zu, which it lies in",
                       name_of(topology), index, atom->residue, residue);
    if (!ends(atom->name, sizeof atom->name) || !ends(atom->type, sizeof atom->type) ||
        !ends(atom->element, sizeof atom->element))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: a name of atom %zu has no end; expected a zero byte within its array",
                       name_of(topology), index);
    if (!isfinite(atom->mass_u) || atom->mass_u < 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: the mass of atom %zu is %g u; expected a finite number from 0",
                       name_of(topology), index, atom->mass_u);
    if (!isfinite(atom->charge_e))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: the charge of atom %zu is %g e; expected a finite number",
                       name_of(topology), index, atom->charge_e);
    if (atom->molecule >= topology->molecule_count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: atom %zu names molecule %u; expected one of %zu, counted from 0",
                       name_of(topology), index, atom->molecule, topology->molecule_count);
    return QN_OK;
}

static qn_status check_bonds(const qn_topology *topology)
{
    for (size_t i = 0; i < topology->bond_count; i++) {
        const uint32_t *bond = topology->bonds[i];
        if (bond[0] >= bond[1] || bond[1] >= topology->atom_count)
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "%s: bond %zu is of atoms %u and %u; expected two of %zu atoms, counted from 0, the smaller "
                           "first",
                           name_of(topology), i, bond[0], bond[1], topology->atom_count);
        const uint32_t *before = i > 0 ? topology->bonds[i - 1] : NULL;
        if (before && (before[0] > bond[0] || (before[0] == bond[0] && before[1] >= bond[1])))
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "%s: bond %zu of atoms %u and %u comes after that of atoms %u and %u; expected bonds in "
                           "ascending order",
                           name_of(topology), i, bond[0], bond[1], before[0], before[1]);
    }
    return QN_OK;
}

static qn_status check_positions(const qn_topology *topology)
{
    for (size_t i = 0; topology->positions_nm && i < 3 * topology->atom_count; i++)
        if (!isfinite(topology->positions_nm[i]))
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: coordinate %c of atom %zu is %g; expected a finite number",
                           name_of(topology), "xyz"[i % 3], i / 3, (double)topology->positions_nm[i]);
    for (int i = 0; i < 9; i++)
        if (!isfinite(topology->box_nm[i]))
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: the box has the component %g; expected finite numbers",
                           name_of(topology), topology->box_nm[i]);
    return QN_OK;
}

qn_status qn_topology_check(const qn_topology *topology)
{
    size_t atom = 0;
    if (topology->atom_count == 0 || !topology->atoms || !topology->residues)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: has no atoms or no residues; expected at least one of each",
                       name_of(topology));
    if (topology->atom_count >= UINT32_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: has %zu atoms; expected fewer than %u", name_of(topology),
                       topology->atom_count, UINT32_MAX);
    for (size_t residue = 0; residue < topology->residue_count; residue++) {
        QN_TRY(check_residue(topology, residue, atom));
        for (size_t i = 0; i < topology->residues[residue].atom_count; i++, atom++)
            QN_TRY(check_atom(topology, atom, residue));
    }
    if (atom < topology->atom_count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: atom %zu lies in no residue; expected one", name_of(topology), atom);
    if (topology->bond_count > 0 && !topology->bonds)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: has %zu bonds at NULL; expected an array of bonds", name_of(topology),
                       topology->bond_count);
    QN_TRY(check_bonds(topology));
    return check_positions(topology);
}

/* ---- digest ---- */

typedef struct digester {
    qn_hash hash;
    uint64_t bytes;
} digester;

static void add(digester *to, const void *data, size_t size)
{
    if (size) qn_hash_add(&to->hash, data, size);
    to->bytes += size;
}

/* Add a text with its zero byte, so that "A", "BC" and "AB", "C" give different digests. */
static void add_text(digester *to, const char *text)
{
    add(to, text, strlen(text) + 1);
}

static void add_atom(digester *to, const qn_topology_atom *atom)
{
    const double numbers[] = {atom->mass_u, atom->charge_e};
    add_text(to, atom->name);
    add_text(to, atom->type);
    add_text(to, atom->element);
    add(to, &atom->molecule, sizeof atom->molecule);
    add(to, numbers, sizeof numbers);
}

static void add_residue(digester *to, const qn_topology_residue *residue)
{
    const int64_t numbers[] = {residue->number, residue->insertion, (int64_t)residue->atom_count};
    add(to, numbers, sizeof numbers);
    add_text(to, residue->name);
    add_text(to, residue->chain);
    add_text(to, residue->segment);
}

void qn_topology_digest(const qn_topology *topology, uint64_t *bytes, char digest[65])
{
    const int64_t facts[] = {topology->masses, topology->has_charges, topology->has_bonds, topology->has_types,
                             topology->positions_nm != NULL};
    digester to = {.bytes = 0};
    qn_hash_start(&to.hash);
    add(&to, facts, sizeof facts);
    for (size_t i = 0; i < topology->residue_count; i++) add_residue(&to, &topology->residues[i]);
    for (size_t i = 0; i < topology->atom_count; i++) add_atom(&to, &topology->atoms[i]);
    add(&to, topology->bonds, topology->bond_count * sizeof *topology->bonds);
    if (topology->positions_nm) add(&to, topology->positions_nm, 3 * topology->atom_count * sizeof(float));
    add(&to, topology->box_nm, sizeof topology->box_nm);
    qn_hash_finish(&to.hash, digest);
    *bytes = to.bytes;
}

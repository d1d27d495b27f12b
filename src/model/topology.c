#include "model/topology.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/element_mass.h"

/* A topology with the capacities of its arrays. Every qn_topology is allocated as one. */
typedef struct topology_room {
    qn_topology topology;
    size_t atoms, residues, bonds, position_components; /* capacities */
    size_t position_count;
} topology_room;

static const size_t most_atoms = UINT32_MAX - 1;

qn_status qn_topology_create(const char *name, qn_topology **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof(topology_room), &memory));
    qn_topology *topology = memory;
    qn_status status = qn_text_copy(qn_path_name(name), &topology->name);
    if (status != QN_OK) {
        qn_release(&memory);
        return status;
    }
    *out = topology;
    return QN_OK;
}

void qn_topology_destroy(qn_topology **topology)
{
    if (!*topology) return;
    qn_release(&(*topology)->atoms);
    qn_release(&(*topology)->residues);
    qn_release(&(*topology)->bonds);
    qn_release(&(*topology)->positions_nm);
    qn_release(&(*topology)->name);
    qn_release(topology);
}

qn_status qn_topology_reserve(qn_topology *topology, size_t atoms, size_t residues, size_t bonds)
{
    topology_room *room = (topology_room *)topology;
    void *memory = topology->atoms;
    qn_status status = qn_grow(&memory, &room->atoms, atoms, sizeof *topology->atoms);
    topology->atoms = memory;
    QN_TRY(status);
    memory = topology->residues;
    status = qn_grow(&memory, &room->residues, residues, sizeof *topology->residues);
    topology->residues = memory;
    QN_TRY(status);
    memory = topology->bonds;
    status = qn_grow(&memory, &room->bonds, bonds, sizeof *topology->bonds);
    topology->bonds = memory;
    return status;
}

qn_status qn_topology_append_residue(qn_topology *topology, const qn_topology_residue *residue)
{
    topology_room *room = (topology_room *)topology;
    const qn_topology_residue copy = *residue; /* a copy, because *residue may lie in the array that grows */
    void *residues = topology->residues;
    if (topology->residue_count >= most_atoms)
        return QN_FAIL(QN_UNSUPPORTED, "%s: more than %zu residues", topology->name, most_atoms);
    qn_status status = qn_grow(&residues, &room->residues, topology->residue_count + 1, sizeof *residue);
    topology->residues = residues;
    QN_TRY(status);
    qn_topology_residue *added = &topology->residues[topology->residue_count++];
    *added = copy;
    added->first_atom = topology->atom_count;
    added->atom_count = 0;
    return QN_OK;
}

qn_status qn_topology_append_atom(qn_topology *topology, const qn_topology_atom *atom)
{
    topology_room *room = (topology_room *)topology;
    const qn_topology_atom copy = *atom;
    void *atoms = topology->atoms;
    if (topology->residue_count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: an atom was appended before any residue", topology->name);
    if (topology->atom_count >= most_atoms)
        return QN_FAIL(QN_UNSUPPORTED, "%s: more than %zu atoms", topology->name, most_atoms);
    qn_status status = qn_grow(&atoms, &room->atoms, topology->atom_count + 1, sizeof *atom);
    topology->atoms = atoms;
    QN_TRY(status);
    qn_topology_atom *added = &topology->atoms[topology->atom_count++];
    *added = copy;
    added->residue = (uint32_t)(topology->residue_count - 1);
    topology->residues[topology->residue_count - 1].atom_count++;
    return QN_OK;
}

qn_status qn_topology_append_bond(qn_topology *topology, size_t first, size_t second)
{
    topology_room *room = (topology_room *)topology;
    void *bonds = topology->bonds;
    if (first >= topology->atom_count || second >= topology->atom_count || first == second)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: a bond of atoms %zu and %zu; expected two different atoms of %zu, counted from 0",
                       topology->name, first, second, topology->atom_count);
    qn_status status = qn_grow(&bonds, &room->bonds, topology->bond_count + 1, sizeof *topology->bonds);
    topology->bonds = bonds;
    QN_TRY(status);
    uint32_t *bond = topology->bonds[topology->bond_count++];
    bond[0] = (uint32_t)(first < second ? first : second);
    bond[1] = (uint32_t)(first < second ? second : first);
    return QN_OK;
}

qn_status qn_topology_append_position(qn_topology *topology, const double position_nm[3])
{
    topology_room *room = (topology_room *)topology;
    void *positions = topology->positions_nm;
    size_t used = 3 * room->position_count;
    qn_status status = qn_grow(&positions, &room->position_components, used + 3, sizeof *topology->positions_nm);
    topology->positions_nm = positions;
    QN_TRY(status);
    for (size_t axis = 0; axis < 3; axis++) topology->positions_nm[used + axis] = (float)position_nm[axis];
    room->position_count++;
    return QN_OK;
}

void qn_topology_set_name(char *name, size_t capacity, const char *text, size_t length)
{
    while (length > 0 && (*text == ' ' || *text == '\t')) text++, length--;
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t')) length--;
    if (length >= capacity) length = capacity - 1;
    memset(name, 0, capacity);
    for (size_t i = 0; i < length; i++) name[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
}

static int compare_bonds(const void *a, const void *b)
{
    const uint32_t *one = a, *other = b;
    if (one[0] != other[0]) return one[0] < other[0] ? -1 : 1;
    return one[1] < other[1] ? -1 : one[1] > other[1];
}

static void sort_bonds(qn_topology *topology)
{
    size_t kept = 0;
    if (topology->bond_count == 0) return;
    qsort(topology->bonds, topology->bond_count, sizeof *topology->bonds, compare_bonds);
    for (size_t i = 1; i < topology->bond_count; i++) {
        if (compare_bonds(topology->bonds[i], topology->bonds[kept]) == 0) continue;
        kept++;
        memcpy(topology->bonds[kept], topology->bonds[i], sizeof *topology->bonds);
    }
    topology->bond_count = kept + 1;
}

/* Find the first atom connected with `atom` so far; shortens the path for later calls (path halving). */
static uint32_t first_of(uint32_t *parents, uint32_t atom)
{
    while (parents[atom] != atom) {
        parents[atom] = parents[parents[atom]];
        atom = parents[atom];
    }
    return atom;
}

/* Find molecules by union-find; the smaller index is always the root, so that the root of a molecule is its first atom.
 */
static qn_status connect_molecules(qn_topology *topology)
{
    void *memory;
    uint32_t count = 0;
    QN_TRY(qn_allocate(topology->atom_count, sizeof(uint32_t), &memory));
    uint32_t *parents = memory;
    for (size_t i = 0; i < topology->atom_count; i++) parents[i] = (uint32_t)i;
    for (size_t i = 0; i < topology->bond_count; i++) {
        uint32_t first = first_of(parents, topology->bonds[i][0]), second = first_of(parents, topology->bonds[i][1]);
        if (first < second) parents[second] = first;
        if (second < first) parents[first] = second;
    }
    for (size_t i = 0; i < topology->atom_count; i++) {
        uint32_t root = first_of(parents, (uint32_t)i);
        topology->atoms[i].molecule = root == i ? count++ : topology->atoms[root].molecule;
    }
    topology->molecule_count = count;
    qn_release(&memory);
    return QN_OK;
}

static void molecules_are_residues(qn_topology *topology)
{
    uint32_t count = 0;
    for (size_t i = 0; i < topology->atom_count; i++) {
        if (i > 0 && topology->atoms[i].residue != topology->atoms[i - 1].residue) count++;
        topology->atoms[i].molecule = count;
    }
    topology->molecule_count = count + 1;
}

static qn_status check_molecules(qn_topology *topology)
{
    uint32_t last = 0;
    for (size_t i = 0; i < topology->atom_count; i++) {
        uint32_t molecule = topology->atoms[i].molecule;
        if (molecule != last && (i == 0 || molecule != last + 1))
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: atom %zu of molecule %u comes after molecule %u", topology->name,
                           i, molecule, last);
        last = molecule;
    }
    topology->molecule_count = (size_t)last + 1;
    return QN_OK;
}

qn_status qn_topology_finish(qn_topology *topology, qn_topology_molecules molecules)
{
    const topology_room *room = (const topology_room *)topology;
    if (topology->atom_count == 0) return QN_FAIL(QN_BAD_FORMAT, "%s: holds no atoms", topology->name);
    if (room->position_count > 0 && room->position_count != topology->atom_count)
        return QN_FAIL(QN_BAD_FORMAT, "%s: %zu positions for %zu atoms", topology->name, room->position_count,
                       topology->atom_count);
    sort_bonds(topology);
    if (topology->masses == QN_MASSES_ABSENT) {
        for (size_t i = 0; i < topology->atom_count; i++)
            topology->atoms[i].mass_u = qn_element_mass_u(topology->atoms[i].element);
        topology->masses = QN_MASSES_FROM_ELEMENTS;
    }
    if (molecules == QN_MOLECULES_OF_FILE) return check_molecules(topology);
    if (topology->has_bonds) return connect_molecules(topology);
    molecules_are_residues(topology);
    return QN_OK;
}

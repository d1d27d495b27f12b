#include "model/compound.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/atom.h"

/* A compound with the capacities of its arrays. Every qn_compound is allocated as one. */
typedef struct compound_room {
    qn_compound compound;
    size_t properties, conformers;
} compound_room;

static qn_status allocate_arrays(qn_compound *compound, size_t conformer_count)
{
    void *memory;
    size_t atoms = compound->atom_count;
    QN_TRY(qn_allocate(atoms, sizeof *compound->atoms, &memory));
    compound->atoms = memory;
    for (size_t i = 0; i < atoms; i++) compound->atoms[i].hydrogens = -1;
    QN_TRY(qn_allocate(compound->bond_count, sizeof *compound->bonds, &memory));
    compound->bonds = memory;
    return qn_compound_set_conformer_count(compound, conformer_count);
}

qn_status qn_compound_create(const char *name, size_t atom_count, size_t bond_count, size_t conformer_count,
                             qn_compound **out)
{
    void *memory;
    *out = NULL;
    if (atom_count > INT_MAX || bond_count > INT_MAX / 2)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: %zu atoms and %zu bonds are too many for one compound", name,
                       atom_count, bond_count);
    QN_TRY(qn_allocate(1, sizeof(compound_room), &memory));
    qn_compound *compound = &((compound_room *)memory)->compound;
    compound->atom_count = atom_count;
    compound->bond_count = bond_count;
    qn_status status = qn_text_copy(name, &compound->name);
    if (status == QN_OK) status = allocate_arrays(compound, conformer_count);
    if (status != QN_OK) {
        qn_compound_destroy(&compound);
        return status;
    }
    *out = compound;
    return QN_OK;
}

void qn_compound_destroy(qn_compound **compound)
{
    qn_compound *c = *compound;
    if (!c) return;
    for (size_t i = 0; i < c->property_count; i++) {
        qn_release(&c->properties[i].name);
        qn_release(&c->properties[i].value);
    }
    qn_release(&c->properties);
    qn_release(&c->name);
    qn_release(&c->atoms);
    qn_release(&c->bonds);
    qn_release(&c->positions_angstrom);
    qn_compound_tree_clear(&c->tree);
    qn_release(compound);
}

void qn_compound_tree_clear(qn_compound_tree *tree)
{
    qn_release(&tree->piece);
    qn_release(&tree->branches);
    *tree = (qn_compound_tree){0};
}

qn_status qn_compound_add_property(qn_compound *compound, const char *name, const char *value)
{
    compound_room *room = (compound_room *)compound;
    void *properties = compound->properties;
    qn_status status =
        qn_grow(&properties, &room->properties, compound->property_count + 1, sizeof *compound->properties);
    compound->properties = properties;
    QN_TRY(status);
    qn_compound_property property = {0};
    QN_TRY(qn_text_copy(name, &property.name));
    status = qn_text_copy(value, &property.value);
    if (status != QN_OK) {
        qn_release(&property.name);
        return status;
    }
    compound->properties[compound->property_count++] = property;
    return QN_OK;
}

const char *qn_compound_property_value(const qn_compound *compound, const char *name)
{
    for (size_t i = 0; i < compound->property_count; i++)
        if (strcmp(compound->properties[i].name, name) == 0) return compound->properties[i].value;
    return NULL;
}

qn_status qn_compound_set_conformer_count(qn_compound *compound, size_t count)
{
    compound_room *room = (compound_room *)compound;
    size_t numbers = 3 * compound->atom_count, old = compound->conformer_count, kept = old < count ? old : count;
    if (count > room->conformers && numbers > 0) {
        /* Allocate exactly as many as requested: most compounds have one. */
        void *memory;
        if (count > SIZE_MAX / numbers)
            return QN_FAIL(QN_OUT_OF_MEMORY, "%s: %zu conformers of %zu atoms", compound->name, count,
                           compound->atom_count);
        QN_TRY(qn_allocate(count * numbers, sizeof(double), &memory));
        if (kept > 0) memcpy(memory, compound->positions_angstrom, kept * numbers * sizeof(double));
        qn_release(&compound->positions_angstrom);
        compound->positions_angstrom = memory;
        room->conformers = count;
    } else if (count > old && numbers > 0) {
        memset(compound->positions_angstrom + old * numbers, 0, (count - old) * numbers * sizeof(double));
    }
    compound->conformer_count = count;
    return QN_OK;
}

static void keep_positions(qn_compound *compound, const bool *kept)
{
    double *to = compound->positions_angstrom;
    for (size_t c = 0; c < compound->conformer_count; c++) {
        const double *from = qn_compound_positions(compound, c);
        for (size_t i = 0; i < compound->atom_count; i++) {
            if (!kept[i]) continue;
            memmove(to, from + 3 * i, 3 * sizeof *to);
            to += 3;
        }
    }
}

qn_status qn_compound_keep_atoms(qn_compound *compound, const bool *kept)
{
    void *memory;
    size_t atoms = 0, bonds = 0;
    QN_TRY(qn_allocate(compound->atom_count, sizeof(int), &memory));
    int *place = memory;
    keep_positions(compound, kept);
    for (size_t i = 0; i < compound->atom_count; i++) {
        place[i] = (int)atoms;
        if (kept[i]) compound->atoms[atoms++] = compound->atoms[i];
    }
    for (size_t b = 0; b < compound->bond_count; b++) {
        const qn_compound_bond bond = compound->bonds[b];
        if (kept[bond.first] && kept[bond.second])
            compound->bonds[bonds++] = (qn_compound_bond){place[bond.first], place[bond.second], bond.order};
    }
    compound->atom_count = atoms;
    compound->bond_count = bonds;
    qn_compound_tree_clear(&compound->tree);
    qn_release(&memory);
    return QN_OK;
}

double *qn_compound_positions(const qn_compound *compound, size_t conformer)
{
    return compound->positions_angstrom + conformer * compound->atom_count * 3;
}

bool qn_compound_atom_is_hydrogen(const qn_compound_atom *atom)
{
    return qn_element_is_hydrogen(atom->element);
}

qn_status qn_compound_find_neighbours(const qn_compound *compound, qn_compound_neighbours *neighbours)
{
    void *memory;
    *neighbours = (qn_compound_neighbours){0};
    qn_status status = qn_allocate(compound->atom_count + 2, sizeof *neighbours->start, &memory);
    neighbours->start = memory;
    if (status == QN_OK) status = qn_allocate(2 * compound->bond_count, sizeof *neighbours->neighbour, &memory);
    if (status == QN_OK) neighbours->neighbour = memory;
    if (status == QN_OK) status = qn_allocate(2 * compound->bond_count, sizeof *neighbours->bond, &memory);
    if (status == QN_OK) neighbours->bond = memory;
    if (status != QN_OK) {
        qn_compound_neighbours_clear(neighbours);
        return status;
    }
    /* Count into start[i + 2]: filling then moves each entry on, so that afterwards start[i] is the first neighbour of
     * atom i. */
    size_t *start = neighbours->start;
    for (size_t b = 0; b < compound->bond_count; b++) {
        start[compound->bonds[b].first + 2]++;
        start[compound->bonds[b].second + 2]++;
    }
    for (size_t i = 2; i < compound->atom_count + 2; i++) start[i] += start[i - 1];
    for (size_t b = 0; b < compound->bond_count; b++) {
        int first = compound->bonds[b].first, second = compound->bonds[b].second;
        size_t of_first = start[first + 1]++, of_second = start[second + 1]++;
        neighbours->neighbour[of_first] = second;
        neighbours->neighbour[of_second] = first;
        neighbours->bond[of_first] = neighbours->bond[of_second] = (int)b;
    }
    return QN_OK;
}

void qn_compound_neighbours_clear(qn_compound_neighbours *neighbours)
{
    qn_release(&neighbours->start);
    qn_release(&neighbours->neighbour);
    qn_release(&neighbours->bond);
}

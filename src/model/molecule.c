#include <quern/molecule.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/molecule_room.h"
#include "model/pdb_columns.h"

qn_status qn_molecule_create(const char *name, qn_molecule **out)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(qn_molecule_room), &memory));
    qn_molecule *molecule = memory;
    qn_status status = qn_text_copy(name, &molecule->name);
    if (status != QN_OK) {
        qn_release(&memory);
        return status;
    }
    *out = molecule;
    return QN_OK;
}

qn_status qn_molecule_append_residue(qn_molecule *molecule, const qn_residue *residue)
{
    qn_molecule_room *room = (qn_molecule_room *)molecule;
    const qn_residue copy = *residue; /* a copy, because *residue may lie in the array that grows */
    void *residues = molecule->residues;
    if (molecule->residue_count >= INT_MAX)
        return QN_FAIL(QN_UNSUPPORTED, "%s: more than %d residues", molecule->name, INT_MAX);
    qn_status status = qn_grow(&residues, &room->residues, molecule->residue_count + 1, sizeof *residue);
    molecule->residues = residues;
    QN_TRY(status);
    qn_residue *added = &molecule->residues[molecule->residue_count++];
    *added = copy;
    added->first_atom = molecule->atom_count;
    added->atom_count = 0;
    return QN_OK;
}

qn_status qn_molecule_append_atom(qn_molecule *molecule, const qn_atom *atom)
{
    qn_molecule_room *room = (qn_molecule_room *)molecule;
    if (molecule->residue_count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: an atom was appended before any residue", molecule->name);
    const qn_atom copy = *atom;
    void *atoms = molecule->atoms;
    qn_status status = qn_grow(&atoms, &room->atoms, molecule->atom_count + 1, sizeof *atom);
    molecule->atoms = atoms;
    QN_TRY(status);
    qn_atom *added = &molecule->atoms[molecule->atom_count++];
    *added = copy;
    added->residue = (int)(molecule->residue_count - 1);
    molecule->residues[molecule->residue_count - 1].atom_count++;
    return QN_OK;
}

qn_status qn_molecule_copy(const qn_molecule *molecule, qn_molecule **out)
{
    qn_molecule *copy;
    QN_TRY(qn_molecule_create(molecule->name, &copy));
    qn_status status = QN_OK;
    for (size_t r = 0; r < molecule->residue_count && status == QN_OK; r++) {
        const qn_residue *residue = &molecule->residues[r];
        status = qn_molecule_append_residue(copy, residue);
        for (size_t i = 0; i < residue->atom_count && status == QN_OK; i++)
            status = qn_molecule_append_atom(copy, &molecule->atoms[residue->first_atom + i]);
    }
    if (status != QN_OK) {
        qn_molecule_destroy(&copy);
        return status;
    }
    copy->dropped_waters = molecule->dropped_waters;
    copy->dropped_alternates = molecule->dropped_alternates;
    copy->dropped_hydrogens = molecule->dropped_hydrogens;
    *out = copy;
    return QN_OK;
}

void qn_molecule_destroy(qn_molecule **molecule)
{
    if (!*molecule) return;
    qn_release(&(*molecule)->atoms);
    qn_release(&(*molecule)->residues);
    qn_release(&(*molecule)->name);
    qn_release(molecule);
}

void qn_molecule_transform(qn_molecule *molecule, const double rotation[9], const double translation_angstrom[3])
{
    for (size_t i = 0; i < molecule->atom_count; i++) {
        double *position = molecule->atoms[i].position_angstrom, moved[3];
        for (int axis = 0; axis < 3; axis++)
            moved[axis] = rotation[3 * axis] * position[0] + rotation[3 * axis + 1] * position[1] +
                          rotation[3 * axis + 2] * position[2] + translation_angstrom[axis];
        memcpy(position, moved, sizeof moved);
    }
}

bool qn_molecule_pdb_obstacle(const qn_molecule *molecule, char *obstacle, size_t size)
{
    if (molecule->atom_count > 99999)
        return snprintf(obstacle, size, "%zu atoms (at most 99,999)", molecule->atom_count) != 0;
    for (size_t i = 0; i < molecule->residue_count; i++) {
        const qn_residue *residue = &molecule->residues[i];
        if (strlen(residue->chain) > 1) return snprintf(obstacle, size, "chain %s (one letter)", residue->chain) != 0;
        if (strlen(residue->name) > 3) return snprintf(obstacle, size, "residue %s (3 letters)", residue->name) != 0;
        if (residue->number < -999 || residue->number > 9999)
            return snprintf(obstacle, size, "residue number %d (-999 to 9999)", residue->number) != 0;
    }
    for (size_t i = 0; i < molecule->atom_count; i++) {
        const qn_atom *atom = &molecule->atoms[i];
        if (strlen(atom->name) > 4) return snprintf(obstacle, size, "atom name %s (4 letters)", atom->name) != 0;
        if (strlen(atom->element) > 2) return snprintf(obstacle, size, "element %s (2 letters)", atom->element) != 0;
        for (int axis = 0; axis < 3; axis++) {
            double angstrom = atom->position_angstrom[axis];
            if (!(angstrom > -999.9995 && angstrom < 9999.9995)) /* false for NaN too */
                return snprintf(obstacle, size, "coordinate %.3f (-999.999 to 9999.999)", angstrom) != 0;
        }
    }
    return false;
}

bool qn_molecule_fits_pdb(const qn_molecule *molecule)
{
    char obstacle[80];
    return !qn_molecule_pdb_obstacle(molecule, obstacle, sizeof obstacle);
}

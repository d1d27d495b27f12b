#include "model/atom.h"

#include <string.h>

bool qn_element_is_hydrogen(const char *element)
{
    return (element[0] == 'H' || element[0] == 'D' || element[0] == 'T') && element[1] == '\0';
}

bool qn_atom_is_hydrogen(const qn_atom *atom)
{
    return qn_element_is_hydrogen(atom->element);
}

bool qn_atom_is_c_alpha(const qn_atom *atom)
{
    return strcmp(atom->name, "CA") == 0 && strcmp(atom->element, "CA") != 0;
}

bool qn_atom_marks_residue(const qn_molecule *molecule, const qn_atom *atom)
{
    const qn_residue *residue = &molecule->residues[atom->residue];
    if (qn_atom_is_c_alpha(atom)) return residue->atom_count > 1;
    return strcmp(atom->name, "P") == 0 && strlen(residue->name) <= 2;
}

const qn_atom *qn_residue_c_alpha(const qn_molecule *molecule, const qn_residue *residue)
{
    for (size_t i = 0; i < residue->atom_count; i++) {
        const qn_atom *atom = &molecule->atoms[residue->first_atom + i];
        if (qn_atom_is_c_alpha(atom)) return atom;
    }
    return NULL;
}

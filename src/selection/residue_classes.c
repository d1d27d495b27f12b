#include "selection/residue_classes.h"

#include <string.h>

#include "model/residue_names.h"

static bool is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

#define IS_AMONG(name, names) is_among((name), (names), sizeof(names) / sizeof(names)[0])

static bool is_backbone(const char *name)
{
    static const char *const names[] = {"N", "CA", "C", "O"};
    return IS_AMONG(name, names);
}

static bool is_nucleic_backbone(const char *name)
{
    static const char *const names[] = {"P", "O5'", "C5'", "C3'", "O3'", "O5*", "C5*", "C3*", "O3*"};
    return IS_AMONG(name, names);
}

static bool is_ion(const qn_topology *topology, const qn_topology_residue *residue)
{
    if (residue->atom_count != 1 || qn_is_amino_acid(residue->name) || qn_is_water(residue->name)) return false;
    return qn_is_ion(residue->name, topology->atoms[residue->first_atom].element);
}

/* Recognise hydrogen by element or, where the element is not known, by mass; the range of masses includes deuterium and
 * repartitioned masses. */
static bool is_hydrogen(const qn_topology *topology, const qn_topology_atom *atom)
{
    if (strcmp(atom->element, "H") == 0 || strcmp(atom->element, "D") == 0) return true;
    if (atom->element[0] && strcmp(atom->element, "X") != 0) return false;
    return topology->masses == QN_MASSES_FROM_FILE && atom->mass_u > 0.9 && atom->mass_u < 3.9;
}

bool qn_residue_may_hold(const qn_topology *topology, size_t residue, qn_residue_class class)
{
    const qn_topology_residue *of = &topology->residues[residue];
    switch (class) {
    case QN_CLASS_PROTEIN:
    case QN_CLASS_BACKBONE: return qn_is_amino_acid(of->name);
    case QN_CLASS_NUCLEIC:
    case QN_CLASS_NUCLEIC_BACKBONE: return qn_is_nucleotide(of->name);
    case QN_CLASS_WATER: return qn_is_water(of->name);
    case QN_CLASS_ION: return is_ion(topology, of);
    case QN_CLASS_HYDROGEN: return true;
    }
    return false;
}

bool qn_atom_fits_class(const qn_topology *topology, size_t atom, qn_residue_class class)
{
    const qn_topology_atom *of = &topology->atoms[atom];
    if (class == QN_CLASS_BACKBONE) return is_backbone(of->name);
    if (class == QN_CLASS_NUCLEIC_BACKBONE) return is_nucleic_backbone(of->name);
    return class != QN_CLASS_HYDROGEN || is_hydrogen(topology, of);
}

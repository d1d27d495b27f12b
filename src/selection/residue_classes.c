#include "selection/residue_classes.h"

#include <ctype.h>
#include <string.h>

#include "format/structure/structure.h"

static bool is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

#define IS_AMONG(name, names) is_among((name), (names), sizeof(names) / sizeof(names)[0])

/* The twenty amino acids with the names that AMBER, CHARMM, GROMOS and OPLS give their states of protonation and
 * bridges, common modified ones of the PDB, and what caps the ends of chains. */
bool qn_residue_is_protein(const char *name)
{
    static const char *const names[] = {
        "ALA",  "ARG",  "ASN",  "ASP",  "CYS",  "GLN", "GLU",  "GLY",  "HIS", "ILE",  "LEU",  "LYS",  "MET",
        "PHE",  "PRO",  "SER",  "THR",  "TRP",  "TYR", "VAL",  "ARGN", "ASH", "ASPH", "ASPP", "ASN1", "CYM",
        "CYX",  "CYSH", "CYS1", "CYS2", "CYSD", "GLH", "GLUH", "GLUP", "HID", "HIE",  "HIP",  "HISA", "HISB",
        "HISD", "HISE", "HISH", "HIS1", "HIS2", "HSD", "HSE",  "HSP",  "LYN", "LYP",  "LYSH", "LSN",  "QLN",
        "MSE",  "SEC",  "PYL",  "HYP",  "ORN",  "DAB", "CME",  "SEP",  "TPO", "PTR",  "MLY",  "M3L",  "ACE",
        "NME",  "NMA",  "NAC",  "NH2",  "PGLU", "PCA", "ASX",  "GLX"};
    /* AMBER's first and last residues of a chain: NALA, CALA … */
    static const char *const ended[] = {"ALA", "ARG", "ASN", "ASP", "ASH", "CYS", "CYX", "CYM", "GLN", "GLU",
                                        "GLH", "GLY", "HIS", "HID", "HIE", "HIP", "ILE", "LEU", "LYS", "LYN",
                                        "MET", "PHE", "PRO", "SER", "THR", "TRP", "TYR", "VAL", "HYP"};
    if (IS_AMONG(name, names)) return true;
    return (name[0] == 'N' || name[0] == 'C') && strlen(name) == 4 && IS_AMONG(name + 1, ended);
}

/* The letters of the PDB and AMBER (RA, DA, and with 3, 5 or N at ends of chains) and the names of CHARMM. */
bool qn_residue_is_nucleic(const char *name)
{
    static const char *const names[] = {"ADE", "CYT", "GUA", "THY", "URA", "A", "C", "G", "T", "U", "DI", "PSU", "DU"};
    if (IS_AMONG(name, names)) return true;
    size_t length = strlen(name);
    bool end = length == 3 && (name[2] == '3' || name[2] == '5' || name[2] == 'N');
    if (length == 2 && strchr("ACGU", name[0]) && strchr("35", name[1])) return true; /* A5, U3 */
    if (length != 2 && !end) return false;
    return (name[0] == 'D' && strchr("ACGT", name[1])) || (name[0] == 'R' && strchr("ACGU", name[1]));
}

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

/* A residue of one atom whose element is one of those that are dissolved as ions, or whose name is that of an ion in a
 * force field where elements are not known. */
static bool is_ion(const qn_topology *topology, const qn_topology_residue *residue)
{
    static const char *const elements[] = {"LI", "NA", "K",  "RB", "CS", "MG", "CA", "SR", "BA", "AL", "MN", "FE",
                                           "CO", "NI", "CU", "ZN", "AG", "CD", "HG", "PB", "F",  "CL", "BR", "I"};
    static const char *const names[] = {"LIT", "SOD", "POT", "RUB", "CES", "CAL", "BAR", "CAD",
                                        "CLA", "IOD", "CIO", "CIP", "IB",  "QNA", "QCL", "ION"};
    if (residue->atom_count != 1 || qn_residue_is_protein(residue->name) || qn_is_water(residue->name)) return false;
    const char *element = topology->atoms[residue->first_atom].element;
    if (IS_AMONG(element, elements) || IS_AMONG(residue->name, names)) return true;
    if (element[0] && strcmp(element, "X") != 0) return false;
    char bare[16]; /* "Na+", "MG2", "Cl-" without sign and charge */
    size_t length = 0;
    for (const char *byte = residue->name; *byte && length < sizeof bare - 1; byte++)
        if (isalpha((unsigned char)*byte)) bare[length++] = (char)toupper((unsigned char)*byte);
    bare[length] = '\0';
    return IS_AMONG(bare, elements);
}

/* By element; by mass where the element is not known, with those of deuterium and of repartitioned masses. */
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
    case QN_CLASS_BACKBONE: return qn_residue_is_protein(of->name);
    case QN_CLASS_NUCLEIC:
    case QN_CLASS_NUCLEIC_BACKBONE: return qn_residue_is_nucleic(of->name);
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

#include "score/table_names.h"

#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/atom.h"
#include "score/atom_table.h"

/* "1HD2" is an old spelling of "HD21". Deuterium gets the name of the hydrogen that it replaces. */
static void spell_hydrogen(const char *name, char spelled[QN_TABLE_NAME_SIZE])
{
    size_t length = strlen(name);
    memset(spelled, 0, QN_TABLE_NAME_SIZE);
    if (isdigit((unsigned char)name[0]) && length > 1) {
        memcpy(spelled, name + 1, length - 1);
        spelled[length - 1] = name[0];
    } else
        memcpy(spelled, name, length);
    if (spelled[0] == 'D') spelled[0] = 'H';
}

static void rename_atom(const qn_table_residue *entries, const char *residue_name, const qn_atom *atom,
                        char name[QN_TABLE_NAME_SIZE])
{
    static const struct {
        char name[6], table_name[6];
    } amino_acid[] = {{"OT1", "O"}, {"OT2", "OXT"}, {"HN", "H"}},
      nucleotide[] = {{"O1P", "OP1"},  {"O2P", "OP2"},   {"HO2'", "H2'"}, {"HO'2", "H2'"}, {"H2'1", "H2''"},
                      {"H5'1", "H5'"}, {"H5'2", "H5''"}, {"HO5'", "H5T"}, {"HO3'", "H3T"}};
    memset(name, 0, QN_TABLE_NAME_SIZE);
    if (qn_atom_is_hydrogen(atom))
        spell_hydrogen(atom->name, name);
    else
        memcpy(name, atom->name, strlen(atom->name));
    for (char *c = name; *c; c++)
        if (*c == '*') *c = '\'';
    if (entries->nucleotide) {
        for (size_t i = 0; i < sizeof nucleotide / sizeof nucleotide[0]; i++)
            if (strcmp(name, nucleotide[i].name) == 0) {
                strcpy(name, nucleotide[i].table_name);
                return;
            }
        return;
    }
    for (size_t i = 0; i < sizeof amino_acid / sizeof amino_acid[0]; i++)
        if (strcmp(name, amino_acid[i].name) == 0) {
            strcpy(name, amino_acid[i].table_name);
            return;
        }
    if (strcmp(residue_name, "ILE") == 0 && strcmp(name, "CD") == 0) strcpy(name, "CD1");
    /* selenomethionine whose residue was renamed, but not its selenium, as in files of the docking benchmark */
    if (strcmp(residue_name, "MET") == 0 && strcmp(name, "SE") == 0) strcpy(name, "SD");
    /* protonated acids of the table have a hydrogen HD or HE */
    const char *table_residue = entries->count ? qn_atom_table[entries->first].residue : "";
    if (strcmp(table_residue, "ASPH") == 0 && strcmp(name, "HD2") == 0) strcpy(name, "HD");
    if (strcmp(table_residue, "GLUH") == 0 && strcmp(name, "HE2") == 0) strcpy(name, "HE");
}

static double distance_squared(const qn_atom *a, const qn_atom *b)
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        double d = a->position_angstrom[axis] - b->position_angstrom[axis];
        sum += d * d;
    }
    return sum;
}

/* In the table H2' is on the hydroxyl. In current files H2' is on the carbon, and HO2' is on the hydroxyl, which
 * rename_atom has renamed to H2'. So the distance decides. In deoxyribose H2' is on the carbon and has no entry. */
static void settle_h2(qn_table_names *names, size_t residue)
{
    const qn_residue *of = &names->molecule->residues[residue];
    long carbon = qn_table_names_find(names, residue, "C2'"), oxygen = qn_table_names_find(names, residue, "O2'");
    names->residues[residue].deoxy = carbon >= 0 && oxygen < 0;
    for (size_t i = of->first_atom; i < of->first_atom + of->atom_count; i++) {
        const qn_atom *atoms = names->molecule->atoms;
        if (strcmp(names->atoms[i], "H2'") != 0) continue;
        if (names->residues[residue].deoxy)
            names->atoms[i][0] = '\0';
        else if (carbon >= 0 && oxygen >= 0 &&
                 distance_squared(&atoms[i], &atoms[carbon]) < distance_squared(&atoms[i], &atoms[oxygen]))
            strcpy(names->atoms[i], "H2''");
    }
}

/* Hydrogens of the file determine the tautomer of a histidine, whatever the name of the residue. */
static void settle_histidine(qn_table_names *names, size_t residue)
{
    qn_table_residue *entries = &names->residues[residue];
    if (!entries->count || strcmp(qn_atom_table[entries->first].residue, "HIS") != 0) return;
    if (qn_table_names_find(names, residue, "HE2") < 0) return;
    bool both = qn_table_names_find(names, residue, "HD1") >= 0;
    entries->count = qn_atom_table_residue(both ? "HSC" : "HSD", &entries->first);
}

static void name_residue(qn_table_names *names, size_t residue)
{
    const qn_residue *of = &names->molecule->residues[residue];
    qn_table_residue *entries = &names->residues[residue];
    entries->count = qn_atom_table_residue(of->name, &entries->first);
    entries->nucleotide = entries->count && strlen(qn_atom_table[entries->first].residue) == 1;
    for (size_t i = of->first_atom; i < of->first_atom + of->atom_count; i++)
        rename_atom(entries, of->name, &names->molecule->atoms[i], names->atoms[i]);
    if (entries->nucleotide)
        settle_h2(names, residue);
    else
        settle_histidine(names, residue);
}

qn_status qn_table_names_create(const qn_molecule *molecule, qn_table_names *names)
{
    void *atoms, *residues;
    QN_TRY(qn_allocate(molecule->atom_count, QN_TABLE_NAME_SIZE, &atoms));
    qn_status status = qn_allocate(molecule->residue_count, sizeof(qn_table_residue), &residues);
    if (status != QN_OK) {
        qn_release(&atoms);
        return status;
    }
    *names = (qn_table_names){.molecule = molecule, .atoms = atoms, .residues = residues};
    for (size_t i = 0; i < molecule->residue_count; i++) name_residue(names, i);
    return QN_OK;
}

void qn_table_names_clear(qn_table_names *names)
{
    qn_release(&names->atoms);
    qn_release(&names->residues);
}

long qn_table_names_find(const qn_table_names *names, size_t residue, const char *name)
{
    const qn_residue *of = &names->molecule->residues[residue];
    for (size_t i = of->first_atom; i < of->first_atom + of->atom_count; i++)
        if (strcmp(names->atoms[i], name) == 0) return (long)i;
    return -1;
}

bool qn_table_names_starts_chain(const qn_table_names *names, size_t residue)
{
    if (residue == 0) return true;
    const qn_residue *residues = names->molecule->residues;
    return strcmp(residues[residue - 1].chain, residues[residue].chain) != 0 ||
           qn_table_names_find(names, residue - 1, "OXT") >= 0;
}

bool qn_table_names_n_terminal(const qn_table_names *names, size_t residue)
{
    return names->residues[residue].count && !names->residues[residue].nucleotide &&
           qn_table_names_starts_chain(names, residue) && qn_table_names_find(names, residue, "N") >= 0 &&
           qn_table_names_find(names, residue, "CA") >= 0;
}

bool qn_table_names_ends_nucleic_chain(const qn_table_names *names, size_t residue)
{
    const qn_molecule *molecule = names->molecule;
    const qn_residue *of = &molecule->residues[residue];
    return residue + 1 == molecule->residue_count || of->chain_break ||
           strcmp(of->chain, molecule->residues[residue + 1].chain) != 0 || !names->residues[residue + 1].nucleotide;
}

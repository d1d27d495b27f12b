#include "chemistry/residue_types.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "chemistry/residue_geometry.h"
#include "chemistry/residue_templates.h"
#include "model/atom.h"

/* At larger distances (Å) a nitrogen and a carbon are not bound; a peptide bond has 1.33. */
static const double PEPTIDE_BOND_ANGSTROM = 1.8;

static double distance(const qn_atom *a, const qn_atom *b)
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum +=
            (a->position_angstrom[k] - b->position_angstrom[k]) * (a->position_angstrom[k] - b->position_angstrom[k]);
    return sqrt(sum);
}

/* Index of the residue's atom of this name; the molecule's atom_count: it has none. */
static size_t find_atom(const qn_molecule *molecule, const qn_residue *residue, const char *name)
{
    for (size_t i = residue->first_atom; i < residue->first_atom + residue->atom_count; i++)
        if (strcmp(molecule->atoms[i].name, name) == 0) return i;
    return molecule->atom_count;
}

/* Whether the residue has a hydrogen (or deuterium) with this name after its first letter: "D1" finds HD1 and DD1. */
static bool has_hydrogen(const qn_molecule *molecule, const qn_residue *residue, const char *name)
{
    for (size_t i = residue->first_atom; i < residue->first_atom + residue->atom_count; i++)
        if (qn_atom_is_hydrogen(&molecule->atoms[i]) && strcmp(molecule->atoms[i].name + 1, name) == 0) return true;
    return false;
}

static size_t count_hydrogens_on(const qn_molecule *molecule, const qn_residue *residue, size_t atom)
{
    size_t count = 0;
    for (size_t i = residue->first_atom; i < residue->first_atom + residue->atom_count; i++)
        count +=
            qn_atom_is_hydrogen(&molecule->atoms[i]) && distance(&molecule->atoms[i], &molecule->atoms[atom]) < 1.25;
    return count;
}

static void set_type(const qn_molecule *molecule, const qn_residue *residue, const char *name, qn_sybyl_type type,
                     qn_sybyl_type *types)
{
    size_t atom = find_atom(molecule, residue, name);
    if (atom < molecule->atom_count) types[atom] = type;
}

/* Decide by the hydrogens where the residue's name is ambiguous. */
static void mind_hydrogens(const qn_molecule *molecule, const qn_residue *residue, qn_sybyl_type *types)
{
    if (strcmp(residue->name, "HIS") == 0) {
        if (has_hydrogen(molecule, residue, "D1")) set_type(molecule, residue, "ND1", QN_SYBYL_N_PL3, types);
        if (has_hydrogen(molecule, residue, "E2")) set_type(molecule, residue, "NE2", QN_SYBYL_N_PL3, types);
    }
    static const struct {
        const char *residue, *hydrogen, *with, *without;
    } acids[] = {{"ASP", "D1", "OD1", "OD2"}, {"ASP", "D2", "OD2", "OD1"}, {"GLU", "E1", "OE1", "OE2"},
                 {"GLU", "E2", "OE2", "OE1"}, {"ASH", "D1", "OD1", "OD2"}, {"GLH", "E1", "OE1", "OE2"}};
    for (size_t i = 0; i < sizeof acids / sizeof *acids; i++) {
        if (strcmp(residue->name, acids[i].residue) != 0 || !has_hydrogen(molecule, residue, acids[i].hydrogen))
            continue;
        set_type(molecule, residue, acids[i].with, QN_SYBYL_O_3, types);
        set_type(molecule, residue, acids[i].without, QN_SYBYL_O_2, types);
    }
    size_t amine = find_atom(molecule, residue, "NZ");
    if (strcmp(residue->name, "LYS") == 0 && amine < molecule->atom_count &&
        count_hydrogens_on(molecule, residue, amine) == 2)
        types[amine] = QN_SYBYL_N_3;
}

static bool is_polymer(const qn_molecule *molecule, const qn_residue *residue)
{
    const qn_residue_template *found = qn_residue_template_find(residue->name);
    if (found) return found->kind == QN_RESIDUE_AMINO_ACID || found->kind == QN_RESIDUE_CAP;
    return find_atom(molecule, residue, "N") < molecule->atom_count &&
           find_atom(molecule, residue, "CA") < molecule->atom_count &&
           find_atom(molecule, residue, "C") < molecule->atom_count;
}

/* Return the previous residue of the polymer in the chain, which a peptide bond would join; NULL: the chain begins
 * here. A gap is not a beginning: the missing residues are bound but not resolved. */
static const qn_residue *residue_before(const qn_molecule *molecule, size_t index)
{
    for (size_t i = index; i-- > 0;) {
        const qn_residue *residue = &molecule->residues[i];
        if (residue->chain_break || strcmp(residue->chain, molecule->residues[index].chain) != 0) return NULL;
        if (is_polymer(molecule, residue)) return residue;
    }
    return NULL;
}

/* Whether a later residue of the chain is bound to this nitrogen: a cyclic peptide. */
static bool closes_ring(const qn_molecule *molecule, size_t index, size_t nitrogen)
{
    for (size_t r = index + 1; r < molecule->residue_count && !molecule->residues[r - 1].chain_break; r++) {
        const qn_residue *residue = &molecule->residues[r];
        if (strcmp(residue->chain, molecule->residues[index].chain) != 0) return false;
        for (size_t i = residue->first_atom; i < residue->first_atom + residue->atom_count; i++)
            if (strcmp(molecule->atoms[i].element, "C") == 0 &&
                distance(&molecule->atoms[i], &molecule->atoms[nitrogen]) < PEPTIDE_BOND_ANGSTROM)
                return true;
    }
    return false;
}

/* The first nitrogen of a chain is an ammonium, the last carbon a carboxylate. */
static void mind_chain_ends(const qn_molecule *molecule, size_t index, qn_sybyl_type *types)
{
    static const char *const ends[] = {"OXT", "OT1", "OT2", "OC1", "OC2"};
    const qn_residue *residue = &molecule->residues[index];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (find_atom(molecule, residue, ends[i]) < molecule->atom_count && !has_hydrogen(molecule, residue, "XT"))
            set_type(molecule, residue, "O", QN_SYBYL_O_CO2, types);
    size_t nitrogen = find_atom(molecule, residue, "N");
    if (nitrogen == molecule->atom_count || types[nitrogen] != QN_SYBYL_N_AM) return;
    size_t hydrogens = count_hydrogens_on(molecule, residue, nitrogen);
    bool charged = hydrogens == 3 || (hydrogens == 2 && strcmp(residue->name, "PRO") == 0);
    bool begins = hydrogens == 0 && !residue_before(molecule, index) && !closes_ring(molecule, index, nitrogen);
    if (charged || begins) types[nitrogen] = QN_SYBYL_N_4;
}

static void type_residue(const qn_molecule *molecule, size_t index, qn_sybyl_type *types)
{
    const qn_residue *residue = &molecule->residues[index];
    const qn_residue_template *found = qn_residue_template_find(residue->name);
    bool amino_acid = found ? found->kind == QN_RESIDUE_AMINO_ACID : is_polymer(molecule, residue);
    for (size_t i = residue->first_atom; i < residue->first_atom + residue->atom_count; i++) {
        const qn_atom *atom = &molecule->atoms[i];
        qn_sybyl_type type = QN_SYBYL_TYPES;
        if (qn_atom_is_hydrogen(atom)) type = QN_SYBYL_H;
        if (type == QN_SYBYL_TYPES && found) type = qn_residue_template_type(found, atom->name);
        if (type == QN_SYBYL_TYPES && amino_acid) type = qn_residue_backbone_type(atom->name);
        if (type == QN_SYBYL_TYPES) type = qn_sybyl_of_element(atom->element);
        types[i] = type == QN_SYBYL_ANY ? QN_SYBYL_TYPES : type; /* left to the geometry */
    }
    if (!amino_acid) return;
    mind_hydrogens(molecule, residue, types);
    mind_chain_ends(molecule, index, types);
}

/* Log one warning for each residue name among the atoms without a type, up to a readable number. */
static void warn_of_unknown(const qn_molecule *molecule, const qn_sybyl_type *types, size_t unknown)
{
    enum { NAMES_MAX = 20 };
    const char *seen[NAMES_MAX];
    size_t count = 0;
    for (size_t r = 0; r < molecule->residue_count && unknown > 0 && count < NAMES_MAX; r++) {
        const qn_residue *residue = &molecule->residues[r];
        size_t missing = 0, known = 0;
        for (size_t i = residue->first_atom; i < residue->first_atom + residue->atom_count; i++)
            missing += types[i] == QN_SYBYL_ANY;
        if (missing == 0) continue;
        while (known < count && strcmp(seen[known], residue->name) != 0) known++;
        if (known < count) continue;
        seen[count++] = residue->name;
        qn_log(QN_LOG_WARNING, "%s: no SYBYL type is known for %zu atoms of residue %s %d of chain %s", molecule->name,
               missing, residue->name, residue->number, residue->chain);
    }
}

qn_status qn_residue_sybyl_types(const qn_molecule *molecule, qn_sybyl_type *types, size_t *unknown)
{
    size_t count = 0;
    for (size_t r = 0; r < molecule->residue_count; r++) type_residue(molecule, r, types);
    QN_TRY(qn_residue_types_from_geometry(molecule, types));
    for (size_t i = 0; i < molecule->atom_count; i++) count += types[i] == QN_SYBYL_ANY;
    warn_of_unknown(molecule, types, count);
    if (unknown) *unknown = count;
    return QN_OK;
}

#include "compare/residue_kind.h"

#include <string.h>

#include "model/residue_names.h"

static const char *const amino_slots[] = {"N", "CA", "C", "O"};
static const char *const nucleotide_slots[QN_BACKBONE_SLOTS] = {"P",   "OP1", "OP2", "O5'", "C5'", "C4'",
                                                                "O4'", "C3'", "O3'", "C2'", "O2'", "C1'"};
enum { AMINO_SLOTS = sizeof amino_slots / sizeof amino_slots[0] };

/* Other names of the same atoms: PDB format 2 (O1P), CHARMM termini (OT1). */
static const char *const atom_aliases[][2] = {{"O1P", "OP1"}, {"O2P", "OP2"}, {"OT1", "O"}};

int qn_backbone_slot(qn_residue_kind kind, const char *atom_name)
{
    if (kind == QN_RESIDUE_OTHER) return -1;
    const bool amino = kind == QN_RESIDUE_AMINO_ACID;
    const char *const *slots = amino ? amino_slots : nucleotide_slots;
    char modern[8];
    strncpy(modern, atom_name, sizeof modern - 1);
    modern[sizeof modern - 1] = '\0';
    for (char *c = modern; *c; c++)
        if (*c == '*') *c = '\'';
    const char *plain = modern;
    for (size_t i = 0; i < sizeof atom_aliases / sizeof atom_aliases[0]; i++)
        if (strcmp(modern, atom_aliases[i][0]) == 0) plain = atom_aliases[i][1];
    for (int slot = 0; slot < (amino ? (int)AMINO_SLOTS : QN_BACKBONE_SLOTS); slot++)
        if (strcmp(plain, slots[slot]) == 0) return slot;
    return -1;
}

bool qn_backbone_bonded(const double from_angstrom[3], const double to_angstrom[3])
{
    static const double longest_bond_angstrom = 2.5;
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double difference = to_angstrom[axis] - from_angstrom[axis];
        square += difference * difference;
    }
    return square <= longest_bond_angstrom * longest_bond_angstrom;
}

static bool is_calcium(const qn_atom *atom)
{
    return strcmp(atom->element, "CA") == 0; /* its name is CA too */
}

/* The slots whose atoms a residue has, one bit each. */
static unsigned present_slots(const qn_molecule *molecule, const qn_residue *residue, qn_residue_kind kind)
{
    unsigned mask = 0;
    for (size_t i = 0; i < residue->atom_count; i++) {
        const qn_atom *atom = &molecule->atoms[residue->first_atom + i];
        const int slot = qn_backbone_slot(kind, atom->name);
        if (slot >= 0 && !is_calcium(atom)) mask |= 1u << slot;
    }
    return mask;
}

enum {
    N_CA_C = 1 << QN_SLOT_N | 1 << QN_SLOT_CA | 1 << QN_SLOT_C,
    P_C4_C3 = 1 << QN_SLOT_P | 1 << QN_SLOT_C4 | 1 << QN_SLOT_C3
};

/* Whether a residue may be a cofactor. Some programs write cofactors in ATOM records, so that a name which no amino
 * acid or nucleotide has is suspect too; but a trace of Cα atoms has no bonds that could decide, and its ATOM records
 * are believed. */
static bool may_be_cofactor(const qn_residue *residue, unsigned amino_mask)
{
    if (residue->hetero) return true;
    if (qn_is_amino_acid(residue->name) || qn_is_nucleotide(residue->name)) return false;
    return (amino_mask & N_CA_C) != 1 << QN_SLOT_CA;
}

/* The kind of a residue in ATOM records with a standard name: atoms may be missing, as in benchmarks that leave out
 * alternate locations. Caps are no residues. A residue with an amino acid's Cα is one under every name. */
static qn_residue_kind judge_by_name(const qn_residue *residue, unsigned amino_mask, unsigned nucleotide_mask)
{
    if (amino_mask >> QN_SLOT_CA & 1) return QN_RESIDUE_AMINO_ACID;
    if (qn_is_cap(residue->name)) return QN_RESIDUE_OTHER;
    if (qn_is_amino_acid(residue->name)) return QN_RESIDUE_AMINO_ACID;
    return nucleotide_mask != 0 ? QN_RESIDUE_NUCLEOTIDE : QN_RESIDUE_OTHER;
}

/* The kind that a residue's name and atoms allow. A residue that may be a cofactor needs the atoms of a whole backbone:
 * GTP has a ribose but no atom P. */
static qn_residue_kind judge_alone(const qn_molecule *molecule, const qn_residue *residue, bool *suspect)
{
    const unsigned amino = present_slots(molecule, residue, QN_RESIDUE_AMINO_ACID);
    *suspect = may_be_cofactor(residue, amino);
    if (*suspect && (amino & N_CA_C) == N_CA_C) return QN_RESIDUE_AMINO_ACID;
    const unsigned nucleotide = present_slots(molecule, residue, QN_RESIDUE_NUCLEOTIDE);
    if (!*suspect) return judge_by_name(residue, amino, nucleotide);
    return (nucleotide & P_C4_C3) == P_C4_C3 ? QN_RESIDUE_NUCLEOTIDE : QN_RESIDUE_OTHER;
}

/* Find the first atom in a slot; NULL: there is none. */
static const qn_atom *find_atom(const qn_molecule *molecule, const qn_residue *residue, qn_residue_kind kind, int slot)
{
    for (size_t i = 0; i < residue->atom_count; i++) {
        const qn_atom *atom = &molecule->atoms[residue->first_atom + i];
        if (!is_calcium(atom) && qn_backbone_slot(kind, atom->name) == slot) return atom;
    }
    return NULL;
}

static bool follows(const qn_molecule *molecule, qn_residue_kind kind, size_t before, size_t after)
{
    const bool amino = kind == QN_RESIDUE_AMINO_ACID;
    const qn_atom *from = find_atom(molecule, &molecule->residues[before], kind, amino ? QN_SLOT_C : QN_SLOT_O3);
    const qn_atom *to = find_atom(molecule, &molecule->residues[after], kind, amino ? QN_SLOT_N : QN_SLOT_P);
    return from && to && qn_backbone_bonded(from->position_angstrom, to->position_angstrom);
}

/* Whether a residue is bonded to another one of its kind. Neighbours in the file are tried first; in some files HETATM
 * records come last, so the others are tried too. */
static bool is_linked(const qn_molecule *molecule, const qn_residue_kind *kinds, size_t index)
{
    const qn_residue_kind kind = kinds[index];
    if (index > 0 && kinds[index - 1] == kind && follows(molecule, kind, index - 1, index)) return true;
    if (index + 1 < molecule->residue_count && kinds[index + 1] == kind && follows(molecule, kind, index, index + 1))
        return true;
    for (size_t i = 0; i < molecule->residue_count; i++)
        if (i != index && kinds[i] == kind && (follows(molecule, kind, i, index) || follows(molecule, kind, index, i)))
            return true;
    return false;
}

void qn_residue_kinds_find(const qn_molecule *molecule, qn_residue_kind *kinds)
{
    bool suspect;
    for (size_t i = 0; i < molecule->residue_count; i++)
        kinds[i] = judge_alone(molecule, &molecule->residues[i], &suspect);
    for (size_t i = 0; i < molecule->residue_count; i++) {
        if (kinds[i] == QN_RESIDUE_OTHER) continue;
        judge_alone(molecule, &molecule->residues[i], &suspect);
        if (suspect && !is_linked(molecule, kinds, i)) kinds[i] = QN_RESIDUE_OTHER;
    }
}

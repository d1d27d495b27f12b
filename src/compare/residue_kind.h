/* Kinds of residues as the quality measures count them: amino acids and nucleotides of chains, modified ones included,
 * and the rest, which does not count: waters, ions, cofactors, free amino acids and free nucleotides.
 */
#ifndef QN_COMPARE_RESIDUE_KIND_H
#define QN_COMPARE_RESIDUE_KIND_H

#include <quern/molecule.h>

typedef enum qn_residue_kind { QN_RESIDUE_OTHER, QN_RESIDUE_AMINO_ACID, QN_RESIDUE_NUCLEOTIDE } qn_residue_kind;

/* Slots of amino acids: N CA C O. Slots of nucleotides, as in DockQ 2: P OP1 OP2 O5' C5' C4' O4' C3' O3' C2' O2' C1'.
 */
enum {
    QN_BACKBONE_SLOTS = 12,
    QN_SLOT_N = 0,
    QN_SLOT_CA = 1,
    QN_SLOT_C = 2,
    QN_SLOT_P = 0,
    QN_SLOT_C4 = 5,
    QN_SLOT_C3 = 7,
    QN_SLOT_O3 = 8
};

/* The slot of a backbone atom, by its name in any of the usual formats (O1P or OP1, O5* or O5'); −1: none. */
int qn_backbone_slot(qn_residue_kind kind, const char *atom_name);

/* Whether the ends of two residues, C and N or O3' and P, are near enough (2.5 Å) for a bond of 1.3 or 1.6 Å. */
bool qn_backbone_bonded(const double from_angstrom[3], const double to_angstrom[3]);

/* Find the kind of each residue of a molecule.
 *
 * ATOM records of a standard name count, also if atoms are missing. HETATM records, and names that no amino acid or
 * nucleotide has, need a backbone and a peptide or phosphodiester bond to another residue. This distinguishes MSE and
 * modified bases from cofactors with the same atoms: FAD and FMN have P, C4' and C3', S-adenosylmethionine has N, CA
 * and C. */
void qn_residue_kinds_find(const qn_molecule *molecule, qn_residue_kind *kinds);

#endif

/* SYBYL types of the atoms of residues that have a name: amino acids, nucleotides, waters. Data and its look-up. */
#ifndef QN_CHEMISTRY_RESIDUE_TEMPLATES_H
#define QN_CHEMISTRY_RESIDUE_TEMPLATES_H

#include "chemistry/sybyl.h"

typedef enum qn_residue_kind {
    QN_RESIDUE_AMINO_ACID,
    QN_RESIDUE_NUCLEOTIDE,
    QN_RESIDUE_WATER,
    QN_RESIDUE_CAP
} qn_residue_kind;

typedef struct qn_residue_template {
    const char *names; /* of residues, separated by blanks: "CYS CYX CYM" */
    qn_residue_kind kind;
    const char *atoms; /* "CB:C.3 SG:S.3"; atoms that all residues of the kind have are left out */
} qn_residue_template;

/* Return the template for a residue name; NULL: there is none. */
const qn_residue_template *qn_residue_template_find(const char *residue_name);

/* Type of an atom by its name, including atoms that all residues of the kind have; QN_SYBYL_TYPES: the template lacks
 * the atom. Chain ends are ignored: the N of an amino acid is an amide's. */
qn_sybyl_type qn_residue_template_type(const qn_residue_template *residue_template, const char *atom_name);

/* Type of a backbone atom (N, CA, C, O or a terminal oxygen) of any amino acid, even one without a template;
 * QN_SYBYL_TYPES: another atom. */
qn_sybyl_type qn_residue_backbone_type(const char *atom_name);

#endif

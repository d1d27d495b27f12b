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
    const char *names; /* of residues, with blanks between: "CYS CYX CYM" */
    qn_residue_kind kind;
    const char *atoms; /* "CB:C.3 SG:S.3"; what all of a kind have is left out */
} qn_residue_template;

/* NULL: no template of that residue name. */
const qn_residue_template *qn_residue_template_find(const char *residue_name);

/* Type of an atom by its name, with those that all of a kind have; QN_SYBYL_TYPES: the template does not know it.
 * Chain ends are not looked at: the N of an amino acid is an amide's. */
qn_sybyl_type qn_residue_template_type(const qn_residue_template *residue_template, const char *atom_name);

/* The backbone atoms N, CA, C, O of any amino acid, also one that has no template; QN_SYBYL_TYPES: another atom. */
qn_sybyl_type qn_residue_backbone_type(const char *atom_name);

#endif

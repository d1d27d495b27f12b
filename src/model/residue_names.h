/* Kinds of residues by name, in files of the PDB and of simulation programs. One list for each kind: readers,
 * selections and atom types use these. */
#ifndef QN_MODEL_RESIDUE_NAMES_H
#define QN_MODEL_RESIDUE_NAMES_H

#include <stdbool.h>

bool qn_is_water(const char *residue_name);

/* The twenty amino acids with the names that AMBER, CHARMM, GROMOS and OPLS give to their protonation states and
 * disulphide bridges, D-amino acids, common modified residues, and caps at the ends of chains. */
bool qn_is_amino_acid(const char *residue_name);

/* Caps at the ends of chains: acetyl, formyl, amide and methylamide groups. */
bool qn_is_cap(const char *residue_name);

/* One-letter code of an amino acid; that of its standard form for protonation states and common modified residues.
 * '\0': another residue. */
char qn_amino_acid_letter(const char *residue_name);

/* Nucleotides of nucleic acids: the letters of the PDB and AMBER (RA, DA, with 3, 5 or N at ends of chains) and the
 * names of CHARMM. Free nucleotides such as ATP do not count, nor does I, which is inosine or iodide. */
bool qn_is_nucleotide(const char *residue_name);

/* Whether a residue of one atom is an ion: by its element, where that element forms free ions, or by the residue's name
 * in a force field. `element` is in upper case; where the element is not known, "" or "X", names such as "Na+" and
 * "MG2" decide. */
bool qn_is_ion(const char *residue_name, const char *element);

#endif

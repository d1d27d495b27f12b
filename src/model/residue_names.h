/* What a residue is by its name, in files of the PDB and of simulation programs. One list each: readers, selections and
 * atom types ask here. */
#ifndef QN_MODEL_RESIDUE_NAMES_H
#define QN_MODEL_RESIDUE_NAMES_H

#include <stdbool.h>

bool qn_is_water(const char *residue_name);

/* The twenty amino acids with the names that AMBER, CHARMM, GROMOS and OPLS give their states of protonation and
 * bridges, D-amino acids, common modified ones, and what caps the ends of chains. */
bool qn_is_amino_acid(const char *residue_name);

/* Of nucleic acids: the letters of the PDB and AMBER (RA, DA, and with 3, 5 or N at ends of chains) and the names of
 * CHARMM. Free nucleotides such as ATP are none, nor is I, which is inosine or iodide. */
bool qn_is_nucleotide(const char *residue_name);

/* Whether the only atom of a residue is an ion: by its element where that is dissolved as an ion, or by the residue's
 * name in a force field. `element` is in upper case; where it is not known, "" or "X", names such as "Na+" and "MG2"
 * tell it. */
bool qn_is_ion(const char *residue_name, const char *element);

#endif

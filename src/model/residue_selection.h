/* Residues named on the command line or in a file: "partner:chain" or "partner:chain:residues".
 *
 *     receptor:A                  the whole chain A
 *     receptor:A:30-40,52A        residues 30 to 40 and 52A
 *     ligand:BB:-3--1             residues −3 to −1 of chain BB
 *
 * Numbers are the authors' numbers, with their insertion codes. A range holds all residues of the chain that the file
 * lists from the first named residue to the last one, so a range may begin or end at an insertion code.
 */
#ifndef QN_MODEL_RESIDUE_SELECTION_H
#define QN_MODEL_RESIDUE_SELECTION_H

#include <quern/molecule.h>

/* Set the marks (residue_count of each molecule) of the residues that `text` names; other marks stay as they are.
 * QN_INVALID_ARGUMENT for a text that is malformed, QN_NOT_FOUND for a chain or residue that is not there, each with a
 * sentence that names the text, the wrong part and what was expected; some marks may then be set. */
QN_MUST_CHECK qn_status qn_residue_selection_mark(const char *text, const qn_molecule *receptor,
                                                  const qn_molecule *ligand, bool *receptor_residues,
                                                  bool *ligand_residues);

/* Find the one residue that `text` names, and whether it belongs to the ligand. Errors as above, and
 * QN_INVALID_ARGUMENT when the text names several. */
QN_MUST_CHECK qn_status qn_residue_selection_residue(const char *text, const qn_molecule *receptor,
                                                     const qn_molecule *ligand, bool *of_ligand, size_t *residue);

#endif

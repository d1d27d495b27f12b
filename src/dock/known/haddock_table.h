/* Restraints in the form of HADDOCK's tables (.tbl), the assign statements of CNS:
 *
 *     ! any of two residues of B is close to residue 30 of A
 *     assign (resid 30 and segid A)
 *            ((resid 5 and segid B) or (resid 7 and segid B)) 2.0 2.0 0.0
 *
 * The numbers are the distance, the part that is subtracted from it for the lower bound, which is not used, and the
 * part that is added to it for the upper bound. Keywords are resid (N, 52A or N:M), segid, chain, resn and name, each
 * in upper or lower case or shortened to four letters; they are joined by and, or, not and parentheses.
 */
#ifndef QN_DOCK_KNOWN_HADDOCK_TABLE_H
#define QN_DOCK_KNOWN_HADDOCK_TABLE_H

#include "dock/known/ambiguous.h"

/* Whether a text is such a table: its first word outside comments begins with "assi". */
bool qn_haddock_table_is(const char *text);

/* Parse a text. `path` is for messages. Residues of restraints that ask for contact, of at most 5 Å between one residue
 * of a partner and several of the other, are marked in `attracting` (residues of receptor and ligand): the single
 * residue. QN_BAD_FORMAT, QN_NOT_FOUND with file, line, value and what was expected. */
QN_MUST_CHECK qn_status qn_haddock_table_parse(const char *path, const char *text,
                                               const qn_molecule *const molecules[2], qn_dock_ambiguous *restraints,
                                               bool *const attracting[2]);

#endif

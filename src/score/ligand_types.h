/* Types of atoms in the score that a screen uses. */
#ifndef QN_SCORE_LIGAND_TYPES_H
#define QN_SCORE_LIGAND_TYPES_H

#include "score/receptor.h"
#include "score/surroundings.h"

/* Index in the score's table; −1 for hydrogens, −2 when the score has no type for such an atom (never BUDE's). */
int qn_ligand_type_of(const qn_ligand_score *score, const char *element, qn_sybyl_type type,
                      const qn_surroundings *around);

/* First 64 bits of a digest over what makes a molecule in a search: types and positions. */
uint64_t qn_ligand_hash(const void *types, size_t types_bytes, const void *positions, size_t positions_bytes);

#endif

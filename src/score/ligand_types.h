/* Types of atoms in the scoring function of a screen. */
#ifndef QN_SCORE_LIGAND_TYPES_H
#define QN_SCORE_LIGAND_TYPES_H

#include "score/receptor.h"
#include "score/surroundings.h"

/* Row of the score's table of types; −1: a hydrogen; −2: the score has no type for the atom (BUDE always has one).
 */
int qn_ligand_type_of(const qn_ligand_score *score, const char *element, qn_sybyl_type type,
                      const qn_surroundings *around);

/* Radius (Å) of a row of the score's table of types. */
double qn_ligand_radius_angstrom(const qn_ligand_score *score, int type);

/* Largest radius of the score's table of types. */
double qn_ligand_largest_radius_angstrom(const qn_ligand_score *score);

/* Heavy atoms closer than this share of the sum of their radii clash. */
#define QN_LIGAND_CLASH_SHARE 0.7

/* Distance (Å) below which two heavy atoms with these rows clash: that share of the sum of their radii, or less for a
 * metal and an atom that may coordinate it. */
double qn_ligand_clash_angstrom(const qn_ligand_score *score, int a, int b);

/* First 64 bits of a digest of types and positions. */
uint64_t qn_ligand_hash(const void *types, size_t types_bytes, const void *positions, size_t positions_bytes);

#endif

/* A ligand prepared for scoring: heavy atoms sorted by type, with positions relative to the centroid for each
 * conformer. */
#ifndef QN_SCORE_LIGAND_H
#define QN_SCORE_LIGAND_H

#include <stdint.h>

#include "score/receptor.h"

enum { QN_SCORE_LIGAND_ATOMS = 1024 }; /* heavy atoms, at most */

typedef struct qn_score_ligand {
    uint64_t hash; /* of types and positions of the first conformer, which the search depends on */
    int atom_count, conformer_count;
    int *atom;                 /* index of each atom in the compound */
    int *type;                 /* row of the score's table of types, ascending */
    float *positions_angstrom; /* [conformer][atom][3], relative to the centroid of the conformer */
    double *centroid_angstrom; /* [conformer][3] */
    double rotatable_bonds;    /* by the rules of Vina */
} qn_score_ligand;

/* Check that a compound can be scored. *count gets the number of heavy atoms. QN_BAD_FORMAT: no heavy atoms or too
 * many, no positions, a flat drawing, positions that are not finite or over 1000 Å from the first atom along an axis,
 * heavy atoms less than 0.1 Å apart. */
QN_MUST_CHECK qn_status qn_score_ligand_check(const qn_compound *compound, size_t *count);

/* Name of the data item that lists the molecules of a record that were left out. */
#define QN_LIGAND_LEFT_OUT "quern_left_out"

/* Prepare a compound for typing and conformers: find bonds by distance where its file has none, and the order of each
 * bond of unknown order. Of a record with several molecules only the main one is kept. */
QN_MUST_CHECK qn_status qn_score_ligand_prepare(qn_compound *compound);

/* Make a ligand, with atom types by src/chemistry. QN_BAD_FORMAT: an atom without a type, and the errors of
 * qn_score_ligand_check. */
QN_MUST_CHECK qn_status qn_score_ligand_create(const qn_compound *compound, const qn_ligand_score *score,
                                               qn_score_ligand *ligand);
void qn_score_ligand_clear(qn_score_ligand *ligand);

#endif

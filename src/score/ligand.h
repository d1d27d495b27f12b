/* A ligand made ready for scoring: heavy atoms ordered by type about the centroid, one set of positions a conformer. */
#ifndef QN_SCORE_LIGAND_H
#define QN_SCORE_LIGAND_H

#include <stdint.h>

#include "score/receptor.h"

enum { QN_SCORE_LIGAND_ATOMS = 1024 }; /* most heavy atoms */

typedef struct qn_score_ligand {
    uint64_t hash; /* of what the search depends on: types and first positions */
    int atom_count, conformer_count;
    int *atom;                 /* index in the compound of each */
    int *type;                 /* of the score's type table, ascending */
    float *positions_angstrom; /* [conformer][atom][3], about that conformer's centroid */
    double *centroid_angstrom; /* [conformer][3] */
    double rotatable_bonds;    /* as Vina counts them */
} qn_score_ligand;

/* QN_BAD_FORMAT for what no score can do with: no heavy atoms or too many, no positions, a flat drawing, positions that
 * are not finite or 1000 Å apart. *count gets the heavy atoms. */
QN_MUST_CHECK qn_status qn_score_ligand_check(const qn_compound *compound, size_t *count);

/* The data item that tells which molecules of a record were left out. */
#define QN_LIGAND_LEFT_OUT "quern_left_out"

/* Give a compound as it was read what typing and conformers need: bonds by distance where its file has none at all, and
 * an order to each bond of unknown order. Of a record whose bonds make it several molecules the main one stays. */
QN_MUST_CHECK qn_status qn_score_ligand_prepare(qn_compound *compound);

/* Types by our own typing; QN_BAD_FORMAT, in one sentence, for what cannot be typed or has no or over 1024 heavy atoms,
 * a flat drawing, a position that is not finite. */
QN_MUST_CHECK qn_status qn_score_ligand_create(const qn_compound *compound, const qn_ligand_score *score,
                                               qn_score_ligand *ligand);
void qn_score_ligand_clear(qn_score_ligand *ligand);

#endif

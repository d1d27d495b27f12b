/* The receptor of a screen: heavy atoms with types of the score in use. */
#ifndef QN_SCORE_RECEPTOR_H
#define QN_SCORE_RECEPTOR_H

#include <quern/molecule.h>

#include <stdint.h>

#include "score/bude.h"

typedef enum qn_ligand_score_kind { QN_SCORE_BUDE, QN_SCORE_VINA } qn_ligand_score_kind;

typedef struct qn_ligand_score {
    qn_ligand_score_kind kind;
    const qn_bude_force_field *force_field; /* of BUDE */
} qn_ligand_score;

typedef struct qn_score_receptor {
    qn_ligand_score score;
    qn_molecule *molecule;      /* NULL when it came from MOL2 */
    size_t atom_count;          /* heavy atoms, waters left out */
    double *positions_angstrom; /* atom_count × 3 */
    int *types;                 /* of the score's table */
    int *residues;              /* in `molecule`, of each heavy atom; NULL when it came from MOL2 */
    uint64_t hash;
} qn_score_receptor;

/* PDB, mmCIF ("file:AB" picks chains), PDBQT or MOL2 (stated types are used), gzipped or not. */
QN_MUST_CHECK qn_status qn_score_receptor_read(const char *path, const qn_ligand_score *score,
                                               qn_score_receptor *receptor);
/* Leave out hetero residues that lie where a ligand is known to sit: a site is not searched with its own ligand in it.
 * `positions`: count × 3 (Å), the known ligand's heavy atoms; a residue goes, with a note, when at least half of its
 * heavy atoms are within 1 Å of one of them. QN_BAD_FORMAT when nothing is left. */
QN_MUST_CHECK qn_status qn_score_receptor_make_room(qn_score_receptor *receptor, const double *positions, size_t count);

void qn_score_receptor_clear(qn_score_receptor *receptor);

#endif

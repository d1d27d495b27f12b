/* The receptor of a screen: heavy atoms with types of the score in use. */
#ifndef QN_SCREEN_RECEPTOR_H
#define QN_SCREEN_RECEPTOR_H

#include <quern/molecule.h>

#include <stdint.h>

#include "score/bude.h"

typedef enum qn_screen_score_kind { QN_SCREEN_BUDE, QN_SCREEN_VINA } qn_screen_score_kind;

typedef struct qn_screen_score {
    qn_screen_score_kind kind;
    const qn_bude_force_field *force_field; /* of BUDE */
} qn_screen_score;

typedef struct qn_screen_receptor {
    qn_screen_score score;
    qn_molecule *molecule;      /* NULL when it came from MOL2 */
    size_t atom_count;          /* heavy atoms, waters left out */
    double *positions_angstrom; /* atom_count × 3 */
    int *types;                 /* of the score's table */
    int *residues;              /* in `molecule`, of each heavy atom; NULL when it came from MOL2 */
    uint64_t hash;
} qn_screen_receptor;

/* PDB, mmCIF ("file:AB" picks chains), PDBQT or MOL2 (stated types are used), gzipped or not. */
QN_MUST_CHECK qn_status qn_screen_receptor_read(const char *path, const qn_screen_score *score,
                                                qn_screen_receptor *receptor);
/* Leave out hetero residues that lie where a ligand is known to sit: a site is not searched with its own ligand in it.
 * `positions`: count × 3 (Å), the known ligand's heavy atoms; a residue goes, with a note, when at least half of its
 * heavy atoms are within 1 Å of one of them. QN_BAD_FORMAT when nothing is left. */
QN_MUST_CHECK qn_status qn_screen_receptor_make_room(qn_screen_receptor *receptor, const double *positions,
                                                     size_t count);

void qn_screen_receptor_clear(qn_screen_receptor *receptor);

#endif

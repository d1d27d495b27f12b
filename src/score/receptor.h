/* The receptor of a screen: heavy atoms with types of the score in use. */
#ifndef QN_SCORE_RECEPTOR_H
#define QN_SCORE_RECEPTOR_H

#include <quern/molecule.h>

#include <stdint.h>

#include "score/bude.h"

typedef enum qn_ligand_score_kind { QN_SCORE_BUDE, QN_SCORE_VINA } qn_ligand_score_kind;

typedef struct qn_ligand_score {
    qn_ligand_score_kind kind;
    const qn_bude_force_field *force_field; /* of BUDE; not used by Vina */
} qn_ligand_score;

typedef struct qn_score_receptor {
    qn_ligand_score score;
    qn_molecule *molecule;      /* NULL: read from MOL2 */
    size_t atom_count;          /* heavy atoms without waters */
    double *positions_angstrom; /* atom_count × 3 */
    int *types;                 /* rows of the score's table of types */
    int *residues;              /* index of the residue of each heavy atom in `molecule`; NULL: read from MOL2 */
    uint64_t hash;
} qn_score_receptor;

/* Read PDB, mmCIF ("file:AB" picks chains), PDBQT or MOL2 (whose stated types are used), gzipped or not. */
QN_MUST_CHECK qn_status qn_score_receptor_read(const char *path, const qn_ligand_score *score,
                                               qn_score_receptor *receptor);

/* Make the receptor of a molecule in memory, which is copied without its waters. Energies are the same as if the
 * molecule was read from its file. QN_BAD_FORMAT: no heavy atoms, too many, or atoms that the score cannot use. */
QN_MUST_CHECK qn_status qn_score_receptor_from_molecule(const qn_molecule *molecule, const qn_ligand_score *score,
                                                        qn_score_receptor *receptor);

/* Remove the known ligand from the receptor, since the site must be empty for the search. `positions`: count × 3 (Å),
 * heavy atoms of the known ligand. A hetero residue is removed, with a note in the log, when at least half of its heavy
 * atoms are within 1 Å of one of these. QN_BAD_FORMAT: no atom is left. */
QN_MUST_CHECK qn_status qn_score_receptor_make_room(qn_score_receptor *receptor, const double *positions, size_t count);

/* Leave out the heavy atoms whose marks are set; the hash becomes that of the others. */
void qn_score_receptor_leave_out(qn_score_receptor *receptor, const bool *marks);

void qn_score_receptor_clear(qn_score_receptor *receptor);

#endif

/* A molecule and how many atoms and residues its arrays have room for. Every qn_molecule is made as one. */
#ifndef QN_MODEL_MOLECULE_ROOM_H
#define QN_MODEL_MOLECULE_ROOM_H

#include <quern/molecule.h>

typedef struct qn_molecule_room {
    qn_molecule molecule;
    size_t atoms, residues;
} qn_molecule_room;

#endif

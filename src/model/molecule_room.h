/* A molecule with the capacities of its arrays. Every qn_molecule is allocated as one. */
#ifndef QN_MODEL_MOLECULE_ROOM_H
#define QN_MODEL_MOLECULE_ROOM_H

#include <quern/molecule.h>

typedef struct qn_molecule_room {
    qn_molecule molecule;
    size_t atoms, residues;
} qn_molecule_room;

#endif

/* Recognising residues of protein, nucleic acid, water and ions by their names in structure files and force fields. */
#ifndef QN_SELECTION_RESIDUE_CLASSES_H
#define QN_SELECTION_RESIDUE_CLASSES_H

#include <quern/topology.h>

typedef enum qn_residue_class {
    QN_CLASS_PROTEIN,
    QN_CLASS_BACKBONE, /* N, CA, C, O of protein */
    QN_CLASS_NUCLEIC,
    QN_CLASS_NUCLEIC_BACKBONE, /* P, O5', C5', C3', O3' of nucleic acids */
    QN_CLASS_WATER,
    QN_CLASS_ION, /* residues of one atom */
    QN_CLASS_HYDROGEN
} qn_residue_class;

/* An atom belongs to a class when its residue may hold such atoms and the atom itself fits. */
bool qn_residue_may_hold(const qn_topology *topology, size_t residue, qn_residue_class class);
bool qn_atom_fits_class(const qn_topology *topology, size_t atom, qn_residue_class class);

#endif

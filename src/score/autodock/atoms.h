/* Atoms as AutoDock's programs take them: types and partial charges, polar hydrogens as atoms, other hydrogens merged
 * into their carbons. */
#ifndef QN_SCORE_AUTODOCK_ATOMS_H
#define QN_SCORE_AUTODOCK_ATOMS_H

#include <quern/molecule.h>

#include "model/compound.h"

typedef struct qn_autodock_atom {
    double position_angstrom[3];
    double charge_e;
    char type[4];   /* "C", "A", "OA", "HD", "Zn" */
    char name[8];   /* as in the file; of built hydrogens, of the atom table */
    size_t residue; /* index into the molecule's residues; 0 in a compound */
} qn_autodock_atom;

typedef struct qn_autodock_atoms {
    qn_autodock_atom *items;
    size_t count, capacity;
    size_t built;    /* polar hydrogens that the file lacks, at ideal positions */
    size_t unplaced; /* polar hydrogens that the file lacks and that have no known position: their charge is on their
                        parent */
    size_t left_out; /* ions of alkali metals, for which AutoDock has no type */
} qn_autodock_atoms;

/* Prepare a receptor. Waters are left out. A residue with any hydrogen is assumed to have all its polar ones. In a
 * residue without hydrogens, those of amino acids and nucleotides are built: charged ends, Asp, Glu, Lys and Arg, a
 * hydrogen on NE2 of His unless that coordinates a metal, no hydrogen on a Cys that coordinates one. Notes in the log
 * name what was built, left out or charged. QN_BAD_FORMAT: no atoms, or an element without a type, which is named. */
QN_MUST_CHECK qn_status qn_autodock_receptor_prepare(const qn_molecule *molecule, qn_autodock_atoms *atoms);

/* Prepare a ligand, whose bonds are found by distance and whose orders are found where the file has none (`compound`
 * gets them). Hydrogens that the file lacks have no position: types and charges of their parents take them into
 * account. Atoms of a PDBQT keep the types and charges of the file. QN_BAD_FORMAT: an element without a type,
 * impossible bonds. */
QN_MUST_CHECK qn_status qn_autodock_ligand_prepare(qn_compound *compound, qn_autodock_atoms *atoms);

/* Give the atoms of a ligand whose bonds have orders the types and charges that qn_autodock_ligand_prepare finds;
 * merged hydrogens, whose charge is their carbon's, have type H. Errors as above. */
QN_MUST_CHECK qn_status qn_autodock_ligand_label(qn_compound *compound);

void qn_autodock_atoms_clear(qn_autodock_atoms *atoms);

#endif

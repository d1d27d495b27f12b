/* Atoms of a PDBQT taken as the file states them, to compare with AutoDock Vina: bonds by distance, Vina's types from
 * AutoDock's types, and the count of torsions from the BRANCH records. */
#ifndef QN_FLEXIBLE_STATED_H
#define QN_FLEXIBLE_STATED_H

#include "model/compound.h"
#include "score/autodock/atoms.h"
#include "score/receptor.h"

/* Replace the bonds of a compound by those of distance: closer than 1.1 times the sum of the covalent radii, and, where
 * the compound has a tree, within a piece or along a branch. Their orders are unknown. */
QN_MUST_CHECK qn_status qn_flexible_stated_bonds(qn_compound *compound);

/* Check that bonds and branches join all atoms but metals, whose bonds do not count. QN_BAD_FORMAT: they do not. */
QN_MUST_CHECK qn_status qn_flexible_stated_check_whole(const qn_compound *compound);

/* Rows of Vina's table by the stated types and the bonds: a carbon bound to neither N, O nor another hetero atom is
 * hydrophobic, OA and NA accept, N and O bound to a hydrogen donate; −1: a hydrogen. QN_BAD_FORMAT: an atom states no
 * type of AutoDock, or is of an element without a type. */
QN_MUST_CHECK qn_status qn_flexible_stated_types(const qn_compound *compound, int *types);

/* Vina's number of torsions: half the number of ends of branches at heavy atoms whose other end is a heavy atom with
 * more than one heavy neighbour. */
QN_MUST_CHECK qn_status qn_flexible_stated_torsions(const qn_compound *compound, double *count);

/* Read a receptor as a PDBQT states it; waters are kept, as Vina keeps them. QN_BAD_FORMAT: no PDBQT, and the errors of
 * qn_flexible_stated_types. */
QN_MUST_CHECK qn_status qn_flexible_stated_receptor(const char *path, qn_score_receptor *receptor);

/* Give such a receptor the residues of its atoms, which it lacks, from the same file. atoms: all atoms with types,
 * charges and residues, as the file states them. QN_BAD_FORMAT: the file has atoms of no residue. */
QN_MUST_CHECK qn_status qn_flexible_stated_residues(const char *path, qn_score_receptor *receptor,
                                                    qn_autodock_atoms *atoms);

#endif

/* Facts about the atoms of a molecule that AutoDock's types and charges depend on: bonds, hydrogens, formal charges.
 *
 * Hydrogens may be missing: the number on an atom is all that charges and types need.
 */
#ifndef QN_SCORE_AUTODOCK_GRAPH_H
#define QN_SCORE_AUTODOCK_GRAPH_H

#include "chemistry/sybyl.h"

typedef struct qn_autodock_graph {
    const qn_compound *compound; /* borrowed; orders of bonds are not used */
    const qn_sybyl_type *types;  /* borrowed; one for each atom */
    qn_compound_neighbours neighbours;
    int *heavy;              /* neighbours that are neither hydrogens nor metals */
    int *hydrogens;          /* bound in the compound; a caller adds those that are missing */
    double *formal_charge_e; /* shared among equivalent atoms: −1/2 on both oxygens of a carboxylate */
} qn_autodock_graph;

QN_MUST_CHECK qn_status qn_autodock_graph_create(const qn_compound *compound, const qn_sybyl_type *types,
                                                 qn_autodock_graph *graph);
void qn_autodock_graph_clear(qn_autodock_graph *graph);

/* Hydrogens of an atom of this type with so many heavy neighbours, by valence. */
int qn_autodock_hydrogens_by_type(qn_sybyl_type type, int heavy);

/* Whether an atom is planar: its electrons may take part in a conjugated system. */
bool qn_autodock_is_planar(qn_sybyl_type type);

/* Whether an atom is in a ring of five to seven atoms that are all planar, or O or S with two bonds. */
bool qn_autodock_in_planar_ring(const qn_autodock_graph *graph, size_t atom);

/* Set formal charges from types, hydrogens and what the file states: N.4 +1, guanidinium and imidazolium +1 on their
 * nitrogens, carboxylates −1, phosphates and sulfonates on their oxygens, thiolates and phenolates −1, ions. Call it
 * once the hydrogens are known. */
void qn_autodock_formal_charges(qn_autodock_graph *graph);

/* AutoDock's type of an atom ("A", "OA", "Zn"); hydrogens are "HD" on N, O or S and "H" elsewhere. NULL: AutoDock has
 * none for the element. */
const char *qn_autodock_type(const qn_autodock_graph *graph, size_t atom);

/* Charge of a metal's usual ion; 0: not a metal, or not among AutoDock's types. */
int qn_autodock_ion_charge(const char *element);

/* Gasteiger–Marsili charges of all atoms. charges_e: one for each atom, 0 for hydrogens. hydrogen_charges_e: of each
 * hydrogen of an atom, whether the compound has it or not. */
QN_MUST_CHECK qn_status qn_autodock_charges(const qn_autodock_graph *graph, double *charges_e,
                                            double *hydrogen_charges_e);

#endif

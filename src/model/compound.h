/* Small molecules as graphs: atoms, bonds, positions of one or more conformers, and the properties that a file states.
 *
 * Life cycle: a reader or qn_compound_create makes one → use → destroy. Thread rule: any threads may read a compound
 * that no thread changes.
 */
#ifndef QN_MODEL_COMPOUND_H
#define QN_MODEL_COMPOUND_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct qn_compound_atom {
    char element[4];      /* upper case: "C", "CL"; "X" when unknown */
    char name[8];         /* "C12"; "" when the file has none */
    char type[8];         /* the type that the file states (SYBYL in MOL2, AutoDock in PDBQT); "": none */
    signed char charge_e; /* formal charge */
    float partial_charge_e;
    bool has_partial_charge;
    signed char hydrogens; /* implicit hydrogens that the file states, besides those that are atoms; −1: not stated */
} qn_compound_atom;

typedef enum qn_bond_order {
    QN_BOND_UNKNOWN, /* bonded, order not yet known */
    QN_BOND_SINGLE,
    QN_BOND_DOUBLE,
    QN_BOND_TRIPLE,
    QN_BOND_AROMATIC
} qn_bond_order;

typedef struct qn_compound_bond {
    int first, second; /* indices of atoms */
    qn_bond_order order;
} qn_compound_bond;

typedef struct qn_compound_property {
    char *name, *value; /* an SDF data item; `value` may hold several lines */
} qn_compound_property;

/* The rigid pieces of a molecule and the bonds that turn, as a PDBQT states them. Branch i leads from an atom of an
 * earlier piece, `first`, to an atom of piece i + 1, `second`. */
typedef struct qn_compound_branch {
    int first, second;
} qn_compound_branch;

typedef struct qn_compound_tree {
    size_t piece_count;           /* 0: the file states no tree */
    int *piece;                   /* of each atom, from 0, the root's */
    qn_compound_branch *branches; /* piece_count − 1 */
    bool glued;                   /* a ring is open between pieces; glue atoms, which were left out, mark its ends */
} qn_compound_tree;

typedef struct qn_compound {
    char *name; /* title of the record; "" when it has none */
    size_t atom_count, bond_count, conformer_count, property_count;
    qn_compound_atom *atoms;
    qn_compound_bond *bonds;
    double *positions_angstrom; /* [conformer_count][atom_count][3] */
    qn_compound_property *properties;
    bool flat; /* the positions are a 2D drawing: all z are 0 */
    qn_compound_tree tree;
} qn_compound;

/* Create a compound with the given numbers of atoms, bonds and conformers; names are empty, numbers zero, `hydrogens`
 * −1. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_compound_create(const char *name, size_t atom_count, size_t bond_count,
                                           size_t conformer_count, qn_compound **compound);
void qn_compound_destroy(qn_compound **compound);
QN_MUST_CHECK qn_status qn_compound_add_property(qn_compound *compound, const char *name, const char *value);

/* Value of a property; NULL: there is none. */
const char *qn_compound_property_value(const qn_compound *compound, const char *name);

/* Change the number of conformers to `count`; conformers below it are kept. */
QN_MUST_CHECK qn_status qn_compound_set_conformer_count(qn_compound *compound, size_t count);

/* Drop the tree. */
void qn_compound_tree_clear(qn_compound_tree *tree);

/* Positions of one conformer: atom_count × 3. */
double *qn_compound_positions(const qn_compound *compound, size_t conformer);

/* Keep only the atoms that `kept` marks, in their order, and the bonds between them; a tree is dropped. */
QN_MUST_CHECK qn_status qn_compound_keep_atoms(qn_compound *compound, const bool *kept);

bool qn_compound_atom_is_hydrogen(const qn_compound_atom *atom);

/* Neighbours of every atom, from the bonds: those of atom i are neighbour[start[i]] … neighbour[start[i + 1] − 1], and
 * `bond` holds the bonds to them at the same positions. */
typedef struct qn_compound_neighbours {
    size_t *start;         /* atom_count + 1 */
    int *neighbour, *bond; /* 2 × bond_count each */
} qn_compound_neighbours;

QN_MUST_CHECK qn_status qn_compound_find_neighbours(const qn_compound *compound, qn_compound_neighbours *neighbours);
void qn_compound_neighbours_clear(qn_compound_neighbours *neighbours);

#endif

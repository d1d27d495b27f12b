/* The tree of a PDBQT while its lines are read: ROOT … ENDROOT, and for each bond that turns BRANCH a b … ENDBRANCH a
 * b, where a and b are serial numbers of atoms: a lies in the piece around, b in the piece that the records enclose. */
#ifndef QN_FORMAT_COMPOUND_PDBQT_TREE_H
#define QN_FORMAT_COMPOUND_PDBQT_TREE_H

#include "format/record_lines.h"
#include "model/compound.h"

typedef struct qn_pdbqt_branch {
    int serial[2]; /* as the record states them */
    int around;    /* piece that encloses it */
    size_t line;
} qn_pdbqt_branch;

typedef struct qn_pdbqt_tree {
    bool stated;      /* the text has ROOT or BRANCH */
    size_t root_line; /* of ROOT; 0: there was none */
    bool in_root;     /* ENDROOT has not come yet */
    bool glued;
    int open; /* piece that the current line lies in */
    qn_pdbqt_branch *branches;
    size_t branch_count, branch_capacity;
    int *atoms; /* [3] for each atom record: index in the compound (−1: left out), serial, piece */
    size_t atom_count, atom_capacity;
} qn_pdbqt_tree;

/* Take a line that is not an atom; lines of other records are ignored. QN_BAD_FORMAT: an end without its beginning, a
 * second ROOT, BRANCH in ROOT, a serial number that is none, a count of torsions that is none. */
QN_MUST_CHECK qn_status qn_pdbqt_tree_line(qn_pdbqt_tree *tree, const qn_record_lines *lines);

/* Take an atom's line; `index` is its place in the compound, −1: it is left out. */
QN_MUST_CHECK qn_status qn_pdbqt_tree_atom(qn_pdbqt_tree *tree, const qn_record_lines *lines, int index);

/* Give the compound the tree that the lines state, if they state one. QN_BAD_FORMAT: ROOT or a branch is not closed, or
 * one names an atom that its pieces do not have. */
QN_MUST_CHECK qn_status qn_pdbqt_tree_end(const qn_pdbqt_tree *tree, const qn_record_lines *lines,
                                          qn_compound *compound);

void qn_pdbqt_tree_release(qn_pdbqt_tree *tree);

#endif

/* A parsed selection as a tree of terms. The parser builds the tree, which is then normalised and entered into the
 * network. Only files of src/selection include this. */
#ifndef QN_SELECTION_TREE_H
#define QN_SELECTION_TREE_H

#include <quern/topology.h>

typedef enum qn_selection_kind {
    QN_SELECTION_ALL,
    QN_SELECTION_NONE,
    QN_SELECTION_CLASS,  /* what: a qn_residue_class */
    QN_SELECTION_TEXT,   /* what: a property, whose value matches one of the patterns */
    QN_SELECTION_NUMBER, /* what: a property, whose value lies in one of the ranges */
    QN_SELECTION_GROUP,  /* what: number of the group */
    QN_SELECTION_NOT,
    QN_SELECTION_AND,
    QN_SELECTION_OR,
    QN_SELECTION_WITHIN, /* atoms within radius_nm of any atom of the child */
    QN_SELECTION_SAME,   /* what: a property; atoms that share its value with an atom of the child */
    QN_SELECTION_BONDED  /* atoms with a bond to an atom of the child */
} qn_selection_kind;

/* Properties of an atom. Residues, molecules and fragments are counted from 0 in the order of their first atoms. */
typedef enum qn_selection_property {
    QN_PROPERTY_NAME,
    QN_PROPERTY_TYPE,
    QN_PROPERTY_ELEMENT,
    QN_PROPERTY_RESNAME,
    QN_PROPERTY_CHAIN,
    QN_PROPERTY_SEGMENT,
    QN_PROPERTY_RESID, /* number · 256 + insertion code, so that 52 < 52A < 53 */
    QN_PROPERTY_RESIDUE,
    QN_PROPERTY_MOLECULE,
    QN_PROPERTY_FRAGMENT, /* atoms connected by bonds */
    QN_PROPERTY_INDEX,
    QN_PROPERTY_MASS,
    QN_PROPERTY_CHARGE,
    QN_PROPERTY_X, /* nm */
    QN_PROPERTY_Y,
    QN_PROPERTY_Z,
    QN_PROPERTY_COUNT
} qn_selection_property;

/* A range that includes both ends. */
typedef struct qn_selection_range {
    double first, last;
} qn_selection_range;

typedef struct qn_selection_term {
    qn_selection_kind kind;
    int what;
    double radius_nm;
    int *children; /* terms of the tree, or nodes of the network */
    size_t child_count, child_capacity;
    char **patterns; /* as in a shell: * ? [abc]; a backslash makes the next byte literal */
    size_t pattern_count, pattern_capacity;
    qn_selection_range *ranges;
    size_t range_count, range_capacity;
    bool normal; /* normalised already; a term may have several parents */
} qn_selection_term;

/* Zero-initialise; release with qn_selection_tree_clear. */
typedef struct qn_selection_tree {
    qn_selection_term *terms;
    size_t count, capacity;
    int root;
} qn_selection_tree;

void qn_selection_term_clear(qn_selection_term *term);
void qn_selection_tree_clear(qn_selection_tree *tree);

/* Add a term; *number is its number. Pointers into the tree become invalid. */
QN_MUST_CHECK qn_status qn_selection_tree_add(qn_selection_tree *tree, qn_selection_kind kind, int what, int *number);
QN_MUST_CHECK qn_status qn_selection_tree_add_child(qn_selection_tree *tree, int term, int child);
QN_MUST_CHECK qn_status qn_selection_tree_add_pattern(qn_selection_tree *tree, int term, const char *pattern);
QN_MUST_CHECK qn_status qn_selection_tree_add_range(qn_selection_tree *tree, int term, double first, double last);

/* Bring the tree into a normal form, so that equivalent expressions become equal: no `not` of `not`, no `and` inside
 * `and`, no `or` inside `or`; one list of patterns or ranges for a property that occurs several times in an `or`; lists
 * sorted and without repetitions. */
QN_MUST_CHECK qn_status qn_selection_tree_normalise(qn_selection_tree *tree);

/* A group of an index file, and the place of its name. */
typedef struct qn_selection_group_name {
    const char *name, *path;
    size_t line;
} qn_selection_group_name;

/* Inputs of the parser besides the text. */
typedef struct qn_selection_setting {
    const qn_topology *topology;
    double length_unit_nm;
    const qn_selection_group_name *groups;
    size_t group_count;
    /* Whether two groups hold the same atoms. */
    bool (*groups_agree)(const void *user, size_t first, size_t second);
    const void *user;
} qn_selection_setting;

/* Parse a selection; the tree is not normalised. QN_INVALID_ARGUMENT: see selection.h. */
QN_MUST_CHECK qn_status qn_selection_parse(const qn_selection_setting *setting, const char *text,
                                           qn_selection_tree *tree);

#endif

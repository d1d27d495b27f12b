/* What the text of a selection says, as a tree of terms: made by the parser, brought into one form, taken over by the
 * network. Only the selection's own files include this. */
#ifndef QN_SELECTION_TREE_H
#define QN_SELECTION_TREE_H

#include <quern/topology.h>

typedef enum qn_selection_kind {
    QN_SELECTION_ALL,
    QN_SELECTION_NONE,
    QN_SELECTION_CLASS,  /* what: a qn_residue_class */
    QN_SELECTION_TEXT,   /* what: a property, which matches one of the patterns */
    QN_SELECTION_NUMBER, /* what: a property, which lies in one of the ranges */
    QN_SELECTION_GROUP,  /* what: number of the group */
    QN_SELECTION_NOT,
    QN_SELECTION_AND,
    QN_SELECTION_OR,
    QN_SELECTION_WITHIN, /* radius_nm of any atom of the child */
    QN_SELECTION_SAME,   /* what: a property, whose value some atom of the child shares */
    QN_SELECTION_BONDED  /* a bond to some atom of the child */
} qn_selection_kind;

/* What an atom has. Residues, molecules and fragments are counted from 0 in the order of their first atoms. */
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
    QN_PROPERTY_FRAGMENT, /* what bonds connect */
    QN_PROPERTY_INDEX,
    QN_PROPERTY_MASS,
    QN_PROPERTY_CHARGE,
    QN_PROPERTY_X, /* nm */
    QN_PROPERTY_Y,
    QN_PROPERTY_Z,
    QN_PROPERTY_COUNT
} qn_selection_property;

/* Both ends belong to it. */
typedef struct qn_selection_range {
    double first, last;
} qn_selection_range;

typedef struct qn_selection_term {
    qn_selection_kind kind;
    int what;
    double radius_nm;
    int *children; /* terms of the tree; in the network nodes */
    size_t child_count, child_capacity;
    char *
        *patterns; /* * ? [abc] stand for what they do in a shell; a backslash takes that meaning from the next byte */
    size_t pattern_count, pattern_capacity;
    qn_selection_range *ranges;
    size_t range_count, range_capacity;
    bool normal; /* normalised already: terms may have several parents */
} qn_selection_term;

/* Zero-initialise; release with qn_selection_tree_clear. */
typedef struct qn_selection_tree {
    qn_selection_term *terms;
    size_t count, capacity;
    int root;
} qn_selection_tree;

void qn_selection_term_clear(qn_selection_term *term);
void qn_selection_tree_clear(qn_selection_tree *tree);

/* A term of its own, *number. Pointers into the tree are not valid any more. */
QN_MUST_CHECK qn_status qn_selection_tree_add(qn_selection_tree *tree, qn_selection_kind kind, int what, int *number);
QN_MUST_CHECK qn_status qn_selection_tree_add_child(qn_selection_tree *tree, int term, int child);
QN_MUST_CHECK qn_status qn_selection_tree_add_pattern(qn_selection_tree *tree, int term, const char *pattern);
QN_MUST_CHECK qn_status qn_selection_tree_add_range(qn_selection_tree *tree, int term, double first, double last);

/* One form for what means the same: no not of not, no and in and, no or in or; one list of patterns or ranges for a
 * property asked several times in an or; lists sorted and without repetitions. */
QN_MUST_CHECK qn_status qn_selection_tree_normalise(qn_selection_tree *tree);

/* What the parser has to know beside the text. */
typedef struct qn_selection_group_name {
    const char *name, *path;
    size_t line;
} qn_selection_group_name;

typedef struct qn_selection_setting {
    const qn_topology *topology;
    double length_unit_nm;
    const qn_selection_group_name *groups;
    size_t group_count;
    /* Whether two groups hold the same atoms. */
    bool (*groups_agree)(const void *user, size_t first, size_t second);
    const void *user;
} qn_selection_setting;

/* Not yet normalised. QN_INVALID_ARGUMENT, see selection.h. */
QN_MUST_CHECK qn_status qn_selection_parse(const qn_selection_setting *setting, const char *text,
                                           qn_selection_tree *tree);

#endif

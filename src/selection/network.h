/* Internals of the network of selections: nodes, sets of atoms, evaluation of a node. Only files of src/selection and
 * its tests include this. */
#ifndef QN_SELECTION_NETWORK_H
#define QN_SELECTION_NETWORK_H

#include "model/box.h"
#include "selection/index_file.h"
#include "selection/proximity.h"
#include "selection/selection.h"
#include "selection/tree.h"

/* A set of atoms has one bit per atom, 64 in a word; the bits after the last atom are 0. */
static inline size_t qn_atom_set_words(size_t atom_count)
{
    return (atom_count + 63) / 64;
}

static inline bool qn_atom_set_has(const uint64_t *set, size_t atom)
{
    return set[atom / 64] >> (atom % 64) & 1;
}

static inline void qn_atom_set_add(uint64_t *set, size_t atom)
{
    set[atom / 64] |= (uint64_t)1 << (atom % 64);
}

/* List the atoms of a set in ascending order; returns their number. */
static inline size_t qn_atom_set_list(const uint64_t *set, size_t words, uint32_t *atoms)
{
    size_t count = 0;
    for (size_t i = 0; i < words; i++)
        for (uint64_t bits = set[i]; bits; bits &= bits - 1)
            atoms[count++] = (uint32_t)(i * 64 + (size_t)__builtin_ctzll(bits));
    return count;
}

typedef struct qn_selection_node {
    qn_selection_term term; /* children are nodes with lower numbers */
    char *key;              /* only equal nodes have the same key */
    uint64_t key_hash;
    bool fixed, wanted; /* fixed: the same in every frame; wanted: returned by qn_selections_add */
    uint64_t *set;      /* of a fixed node */
    uint32_t *atoms;    /* of a fixed and wanted node */
    size_t atom_count;
    uint64_t evaluations; /* of a fixed node */
} qn_selection_node;

/* Labels, numbers from 0, for the values of a property: atoms with equal values have the same label. */
typedef struct qn_selection_labels {
    uint32_t *of_atom; /* NULL: not made yet */
    uint32_t *example; /* [label] an atom with this label */
    size_t count, capacity;
} qn_selection_labels;

struct qn_selections {
    const qn_topology *topology;
    double length_unit_nm;
    bool periodic;
    qn_selection_node *nodes;
    size_t node_count, node_capacity;
    qn_selection_labels labels[QN_PROPERTY_COUNT];
    qn_index_file **files;
    size_t file_count, file_capacity;
    qn_selection_group_name *groups; /* of all files */
    const qn_index_group **group_atoms;
    size_t group_count;
};

struct qn_selection_atoms {
    const qn_selections *selections;
    size_t node_count;
    uint64_t **sets;  /* [node]; sets of fixed nodes belong to the network */
    uint32_t **lists; /* [node]; NULL for fixed nodes and for nodes that are not wanted */
    size_t *counts;
    uint64_t *evaluations;
    uint64_t *marks; /* one bit per label */
    qn_proximity *proximity;
};

/* Inputs for evaluating one node; `frame` is NULL for fixed nodes. */
typedef struct qn_selection_moment {
    const qn_selections *selections;
    const uint64_t *const *sets; /* [node]; the sets of children are complete */
    uint64_t *marks;             /* one bit per label; all 0 before and after the evaluation */
    const qn_trajectory_frame *frame;
    const qn_box *box;
    qn_proximity *proximity;
} qn_selection_moment;

/* Add the node's atoms to `set`, which must be all 0. */
QN_MUST_CHECK qn_status qn_selection_evaluate(const qn_selection_moment *moment, int node, uint64_t *set);

/* Evaluate nodes that need only the topology: nodes without children; atoms that share a property with an atom of the
 * child; atoms bonded to an atom of the child. */
void qn_selection_evaluate_fixed(const qn_selection_moment *moment, const qn_selection_term *term, uint64_t *set);
void qn_selection_evaluate_same(const qn_selection_moment *moment, const qn_selection_term *term, uint64_t *set);
void qn_selection_evaluate_bonded(const qn_selection_moment *moment, const qn_selection_term *term, uint64_t *set);

/* Make the labels of a property unless they exist. */
QN_MUST_CHECK qn_status qn_selection_labels_make(qn_selections *selections, int property);

/* Value of a numeric property, which must not be a coordinate. */
double qn_selection_value(const qn_selections *selections, int property, size_t atom);

bool qn_selection_matches(const char *pattern, const char *text);
bool qn_selection_in_ranges(const qn_selection_term *term, double value);

#endif

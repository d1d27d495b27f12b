/* The network of selections inside: nodes, sets of atoms, how a node is evaluated. Only the selection's own files and
 * its test include this. */
#ifndef QN_SELECTION_NETWORK_H
#define QN_SELECTION_NETWORK_H

#include "model/box.h"
#include "selection/index_file.h"
#include "selection/proximity.h"
#include "selection/selection.h"
#include "selection/tree.h"

/* Sets of atoms are bits, 64 to a word; those behind the last atom are 0. */
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

/* The atoms as ascending numbers; their count. */
static inline size_t qn_atom_set_list(const uint64_t *set, size_t words, uint32_t *atoms)
{
    size_t count = 0;
    for (size_t i = 0; i < words; i++)
        for (uint64_t bits = set[i]; bits; bits &= bits - 1)
            atoms[count++] = (uint32_t)(i * 64 + (size_t)__builtin_ctzll(bits));
    return count;
}

typedef struct qn_selection_node {
    qn_selection_term term; /* children are nodes, all before this one */
    char *key;              /* the same for equal nodes alone */
    uint64_t key_hash;
    bool fixed, wanted; /* the same in every frame; asked for by qn_selections_add */
    uint64_t *set;      /* of a fixed node */
    uint32_t *atoms;    /* of a fixed and wanted node */
    size_t atom_count;
    uint64_t evaluations; /* of a fixed node */
} qn_selection_node;

/* The values of a property as numbers from 0: atoms have the same label where they have the same value. */
typedef struct qn_selection_labels {
    uint32_t *of_atom; /* NULL: not made yet */
    uint32_t *example; /* [label] an atom that has it */
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
    uint64_t **sets;  /* [node]; those of fixed nodes are the network's */
    uint32_t **lists; /* [node]; NULL where the network has it or nobody wants it */
    size_t *counts;
    uint64_t *evaluations;
    uint64_t *marks; /* a bit a label */
    qn_proximity *proximity;
};

/* One evaluation of one node; `frame` NULL for fixed ones. */
typedef struct qn_selection_moment {
    const qn_selections *selections;
    const uint64_t *const *sets; /* [node], those of children are there */
    uint64_t *marks;             /* room for a bit a label, all 0 before and behind */
    const qn_trajectory_frame *frame;
    const qn_box *box;
    qn_proximity *proximity;
} qn_selection_moment;

/* `set` is all 0 before. */
QN_MUST_CHECK qn_status qn_selection_evaluate(const qn_selection_moment *moment, int node, uint64_t *set);

/* By the topology: nodes without children, and those that go by what a child's atoms share or are bound to. */
void qn_selection_evaluate_fixed(const qn_selection_moment *moment, const qn_selection_term *term, uint64_t *set);
void qn_selection_evaluate_same(const qn_selection_moment *moment, const qn_selection_term *term, uint64_t *set);
void qn_selection_evaluate_bonded(const qn_selection_moment *moment, const qn_selection_term *term, uint64_t *set);

/* Make the labels of a property where they are not there yet. */
QN_MUST_CHECK qn_status qn_selection_labels_make(qn_selections *selections, int property);

/* A number that an atom has; positions have none here. */
double qn_selection_value(const qn_selections *selections, int property, size_t atom);

bool qn_selection_matches(const char *pattern, const char *text);
bool qn_selection_in_ranges(const qn_selection_term *term, double value);

#endif

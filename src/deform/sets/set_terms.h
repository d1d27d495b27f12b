/* The parts of a set between '&'. Private to the set's files. */
#ifndef QN_DEFORM_SETS_SET_TERMS_H
#define QN_DEFORM_SETS_SET_TERMS_H

#include "deform/sets/sets.h"

/* A set that is being found. */
typedef struct qn_set_search {
    const qn_mesh *mesh;
    const qn_mesh_surface *surface;
    const char *option, *text; /* for messages */
} qn_set_search;

/* A part of the text. */
typedef struct qn_set_term {
    const char *text;
    size_t length;
    bool is_place;    /* found by place, so that it has corners of the surface only */
    bool *marked;     /* of all nodes */
    size_t count;     /* marked nodes */
    double centre[3]; /* a place from which the nearest node is searched where none is marked */
} qn_set_term;

/* Mark the nodes of a term; term->marked has all nodes, false. */
QN_MUST_CHECK qn_status qn_set_term_find(const qn_set_search *search, qn_set_term *term);

#endif

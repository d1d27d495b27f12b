/* Lists of the atoms near each brick of points.
 *
 * Atoms are sorted: donors of hydrogen bonds, then acceptors, then all others; within each class by cells of space, x
 * fastest. A list is in this order. Atoms beyond the cutoff of every point of the grid are left out.
 *
 * Life cycle: create → make lists, again and again → destroy.
 */
#ifndef QN_POTENTIAL_MAPS_ATOM_LISTS_H
#define QN_POTENTIAL_MAPS_ATOM_LISTS_H

#include "base/thread_pool.h"
#include "potential/maps/model.h"

enum { QN_ATOM_DONOR, QN_ATOM_ACCEPTOR, QN_ATOM_OTHER, QN_ATOM_CLASSES };

typedef struct qn_atom_lists {
    const qn_potential_model *model;      /* the caller's */
    int brick;                            /* points along an edge of a brick */
    size_t atom_count;                    /* atoms near the grid */
    int *atoms;                           /* their indices in the model, sorted */
    int class_begin[QN_ATOM_CLASSES + 1]; /* first atom of each class among the sorted ones */
    /* private: cells */
    double origin[3], edge;
    int cells[3];
    int *cell_begin;   /* [class][cell], and the end */
    double *positions; /* of the sorted atoms, atom_count × 3 */
} qn_atom_lists;

QN_MUST_CHECK qn_status qn_atom_lists_create(const qn_potential_model *model, int brick, qn_atom_lists *lists);
void qn_atom_lists_clear(qn_atom_lists *lists);

/* The lists of the bricks from plane `first` on. */
typedef struct qn_brick_lists {
    int bricks[3];
    int *atoms;  /* indices of sorted atoms, list after list */
    int *starts; /* 4 a brick: first donor, acceptor, other atom, end; places in `atoms` */
    size_t capacity, starts_capacity;
    size_t atom_count;
} qn_brick_lists;

/* `out` is zero-initialised, or of an earlier call; its memory is used again. QN_UNSUPPORTED: the lists together have
 * about 2^31 atoms or more. */
QN_MUST_CHECK qn_status qn_brick_lists_make(const qn_atom_lists *lists, qn_pool *pool, int first, int count,
                                            qn_brick_lists *out);
void qn_brick_lists_clear(qn_brick_lists *lists);

#endif

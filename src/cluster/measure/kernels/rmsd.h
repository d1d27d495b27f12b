/* RMSD after superposition of tiles of pairs of structures (cluster/measure/superposed.h prepares them): bits of pairs
 * within a cut-off, or values. Pairs that rounding leaves in doubt are listed; the caller decides them in double.
 *
 * Rows may be of one set of structures and columns of another one, if both have the same reference. */
#ifndef QN_CLUSTER_MEASURE_RMSD_H
#define QN_CLUSTER_MEASURE_RMSD_H

#include <quern/family.h>

#include "cluster/measure/structures.h"

extern const qn_family qn_cluster_rmsd_family;

/* Widest tile, so that a row and a column fit 16 bits each. */
enum { QN_RMSD_TILE_MAX = 1 << 16 };

typedef struct qn_rmsd_problem {
    int atoms;
    int first_row, rows;       /* the first one is a multiple of 4; at most QN_RMSD_TILE_MAX rows and columns */
    int first_column, columns; /* likewise */
    bool triangle;             /* rows and columns are the same structures; only pairs row < column are computed */
    int doubtful_capacity;     /* numbers that `doubtful` has room for */
    double cutoff_angstrom;    /* of bits */
} qn_rmsd_problem;

/* Positions and terms of a set: cluster/measure/superposed.h. */
typedef struct qn_rmsd_set {
    qn_buffer *positions, *terms;
} qn_rmsd_set;

/* The list of doubtful pairs: uint32 row << 16 | column, of the tile; and a uint32 with their number, which the caller
 * sets to 0 before. It may exceed the capacity; the list is not complete then. */
typedef struct qn_rmsd_doubts {
    qn_buffer *pairs, *count;
} qn_rmsd_doubts;

/* bits [rows][⌈columns / 32⌉]: bit b of word w is set if the RMSD of the row with column 32 w + b is certainly at most
 * the cut-off; doubtful pairs have 0. Bits beyond the columns are 0, and in a triangle those with column ≤ row. */
QN_MUST_CHECK qn_status qn_rmsd_near(qn_queue *queue, const qn_configuration *configuration,
                                     const qn_rmsd_problem *problem, const qn_rmsd_set *first,
                                     const qn_rmsd_set *second, qn_buffer *bits, const qn_rmsd_doubts *doubts,
                                     qn_event **event);

/* values [rows][columns]: RMSD in Å, with an error of at most 5e-4 Å but for doubtful pairs; 0 in a triangle for column
 * ≤ row. */
QN_MUST_CHECK qn_status qn_rmsd_values(qn_queue *queue, const qn_configuration *configuration,
                                       const qn_rmsd_problem *problem, const qn_rmsd_set *first,
                                       const qn_rmsd_set *second, qn_buffer *values, const qn_rmsd_doubts *doubts,
                                       qn_event **event);

/* Key of tuning results. */
const char *qn_rmsd_problem_class(int atoms);

/* Half of the squared cut-off as the kernels compare it, and the relative error of a sum over `atoms` products of
 * floats: γ of Higham 2002 (Accuracy and Stability of Numerical Algorithms, 3.1) times √3, which bounds what it does to
 * an eigenvalue. */
float qn_rmsd_half_square(double cutoff_angstrom);
float qn_rmsd_accumulation(size_t atoms);

/* The same of one pair of structures in double, about weighted means. */
double qn_rmsd_reference(const qn_structures *structures, size_t i, size_t j);

#endif

/* The atoms of a receptor sorted for sums over those near a place, and these sums of Vina's energy by vectors, in
 * double precision or, for the way to a minimum, in single precision.
 *
 *     qn_receptor_cells cells;
 *     QN_TRY(qn_receptor_cells_create(&receptor, &cells));
 *     qn_receptor_sum(&cells, place, type, QN_RECEPTOR_DOUBLE, &sum);
 *     qn_receptor_cells_clear(&cells);
 *
 * Sums have the same bits on every processor: additions are in the order of four lanes (eight), and the exponential
 * function is a polynomial. */
#ifndef QN_FLEXIBLE_RECEPTOR_SUM_H
#define QN_FLEXIBLE_RECEPTOR_SUM_H

#include <stdint.h>

#include "runtime/host_variant.h"
#include "score/receptor.h"

/* Properties that an atom of the ligand may share with one of the receptor. */
typedef enum qn_receptor_partner {
    QN_PARTNER_NONE,
    QN_PARTNER_HYDROPHOBIC,
    QN_PARTNER_ACCEPTOR,
    QN_PARTNER_DONOR,
    QN_PARTNER_POLAR, /* donor or acceptor */
    QN_PARTNERS
} qn_receptor_partner;

typedef struct qn_receptor_cells qn_receptor_cells;

typedef enum qn_receptor_precision { QN_RECEPTOR_DOUBLE, QN_RECEPTOR_SINGLE, QN_RECEPTOR_LISTED } qn_receptor_precision;

enum { QN_RECEPTOR_LANES = 4, QN_RECEPTOR_SINGLE_LANES = 8 };

/* An atom of the ligand: its ramp falls from `weight` at the surface distance `good` to 0 at `bad`. */
typedef struct qn_receptor_atom {
    double x, y, z, radius, weight, good, bad;
    qn_receptor_partner partner; /* of the atoms of the receptor */
} qn_receptor_atom;

/* Gauss1, gauss2, repulsion, ramp, and the three parts of the gradient. */
enum { QN_SUM_GAUSS1, QN_SUM_GAUSS2, QN_SUM_REPULSION, QN_SUM_RAMP, QN_SUM_X, QN_SUM_Y, QN_SUM_Z, QN_SUMS };
typedef union qn_receptor_lanes {
    double of_double[QN_SUMS][QN_RECEPTOR_LANES];
    float of_single[QN_SUMS][QN_RECEPTOR_SINGLE_LANES];
} qn_receptor_lanes;

/* Add the atoms first … end − 1. */
typedef void (*qn_receptor_add)(const qn_receptor_cells *cells, const qn_receptor_atom *atom, uint32_t first,
                                uint32_t end, qn_receptor_lanes *sums);
QN_HOST_DECLARE(const qn_receptor_add, qn_receptor_add_host);

/* Atoms in the order of their cells, which are short along x and in rows of x: near a place, each row of cells holds
 * one range of atoms. Arrays have room for a vector behind the last atom. */
struct qn_receptor_cells {
    double low[3], high[3]; /* corners of all atoms (Å) */
    int cells[3];
    uint32_t *starts; /* the first atom of each cell [z][y][x], and the end */
    double *x, *y, *z, *radius;
    double *partner[QN_PARTNERS]; /* 1: the atom is one; else 0 */
    struct {
        float *x, *y, *z, *radius, *partner[QN_PARTNERS]; /* the same; places from `low` */
    } single;
    void *memory, *single_memory; /* of these arrays */
    const qn_receptor_add *add;   /* [precision], and [QN_RECEPTOR_LISTED] for lists, of receptor_sum_host.c */
};

/* QN_UNSUPPORTED: over 2^30 cells. */
QN_MUST_CHECK qn_status qn_receptor_cells_create(const qn_score_receptor *receptor, qn_receptor_cells *cells);
void qn_receptor_cells_clear(qn_receptor_cells *cells);

typedef struct qn_receptor_terms {
    double gauss1, gauss2, repulsion, hydrophobic, hydrogen_bond; /* kcal/mol */
    double gradient[3];                                           /* of their sum, by the place */
} qn_receptor_terms;

/* Sum the terms of an atom of this row of Vina's table with all atoms of the receptor below 8 Å. */
void qn_receptor_sum(const qn_receptor_cells *cells, const double place[3], int type, qn_receptor_precision precision,
                     qn_receptor_terms *sum);

/* Atoms of the receptor near each of some atoms that move little, copied side by side: sums over them take a third of
 * the time. One thread uses it at a time. */
typedef struct qn_receptor_near {
    int atoms;
    double *centres;                     /* [atom][3]: where the lists were made (Å) */
    int *counts;                         /* [atom] of its list; −1: there is none */
    void *memory;                        /* of these, and of the lists */
    float *x, *y, *z, *radius, *partner; /* [atom][QN_RECEPTOR_NEAR_MAX] */
} qn_receptor_near;

enum { QN_RECEPTOR_NEAR_MAX = 512 };

QN_MUST_CHECK qn_status qn_receptor_near_create(int atoms, qn_receptor_near *near);
void qn_receptor_near_clear(qn_receptor_near *near);

/* Begin anew: sums then depend on no call before, since a list's order of sums depends on where it was made. */
void qn_receptor_near_forget(qn_receptor_near *near);

/* qn_receptor_sum in single precision for an atom, which has the same type in all calls. Lists are made as needed. */
void qn_receptor_sum_near(const qn_receptor_cells *cells, qn_receptor_near *near, int atom, const double place[3],
                          int type, qn_receptor_terms *sum);

#endif

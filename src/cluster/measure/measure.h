/* Measures: how far apart two structures are, or how alike.
 *
 * A measure is a row of a table (measure.c). It computes tiles: the values of every pair of a range of rows and a range
 * of columns of one set of structures. The caller deals tiles to devices, each with a session of its own, and may begin
 * a tile in one session while it stores the values of another.
 *
 *     begin → (start → values) … → end
 *
 * The value of a pair does not depend on the tile, the session or the number of threads. It is the same for (i, j) and
 * (j, i), unless the settings divide by a number of the column, the reference. Thread rule: one thread at a time for
 * each session.
 */
#ifndef QN_CLUSTER_MEASURE_MEASURE_H
#define QN_CLUSTER_MEASURE_MEASURE_H

#include <quern/queue.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/thread_pool.h"
#include "cluster/measure/structures.h"

/* Denominator of the contact overlap: the contacts of both structures, or of the second one, the reference. */
typedef enum qn_contact_share_kind { QN_CONTACT_UNION, QN_CONTACT_REFERENCE } qn_contact_share_kind;

/* Parameters of all measures; each reads its own. */
typedef struct qn_measure_settings {
    double contact_cutoff_angstrom; /* contact: two atoms within this distance are in contact, */
    int contact_separation;         /* if they are at least so many places apart in the list of atoms, 1 or more */
    qn_contact_share_kind contact_share;
    const int *mappings; /* ligand-rmsd: [mapping_count][atom_count], the atom that takes the place of each; the first
                          * is the identity */
    size_t mapping_count;
    bool align_to_column; /* aligned scores: normalise by the column's length, not by the shorter one */
    bool drmsd_products;  /* drmsd: by products instead of squares of differences */
} qn_measure_settings;

/* Structures first … first + count − 1. */
typedef struct qn_measure_range {
    size_t first, count;
} qn_measure_range;

typedef struct qn_measure_setup {
    const qn_structures *structures; /* this and the next line are borrowed by the session */
    const qn_measure_settings *settings;
    qn_queue *queue;  /* of the device; its commands are the session's alone */
    qn_pool *pool;    /* threads of the host */
    size_t tile_side; /* no tile has more rows or columns */
} qn_measure_setup;

/* Parameters and values of a tile. Rows and columns are either the same range or have no structure in common. If they
 * are the same, only the values of pairs row < column are needed; the others are undefined. */
typedef struct qn_measure_tile {
    qn_measure_range rows, columns;
    float *values; /* rows.count × columns.count, packed */
} qn_measure_tile;

typedef struct qn_measure {
    const char *name;   /* of --measure: "drmsd" */
    const char *unit;   /* "Å"; "": a number from 0 to 1 */
    float step;         /* of values that are stored in 16 bits */
    bool is_similarity; /* 1 for structures that are alike; its distance is 1 − value */
    bool is_blind;      /* the value of a pair stays when one of the two is replaced by its mirror image */
    bool takes_weights; /* of the structures; others ignore them */
    bool has_contacts;  /* the settings of contacts matter */
    bool of_poses;      /* structures are poses of one small molecule */
    bool on_host;       /* threads of the host do all the work, whatever the device is */
    size_t tile_side;   /* largest side of a tile; it fixes the size of the pieces that are dealt and recorded */
    double cost;        /* time of a pair, as a multiple of dRMSD's; 0: about the same */

    /* Refuse structures or settings that the measure cannot use. NULL: it takes all. */
    qn_status (*check)(const qn_structures *structures, const qn_measure_settings *settings);

    /* Begin a session. *session is released with `end`; it is NULL after a failure. */
    qn_status (*begin)(const qn_measure_setup *setup, void **session);

    /* Queue the work of a tile, without waiting for it. NULL: `values` does all the work. */
    qn_status (*start)(void *session, const qn_measure_tile *tile);

    /* Compute the values of the tile that was started last, or wait for them. */
    qn_status (*values)(void *session, const qn_measure_tile *tile);
    void (*end)(void **session);

    /* The value of one pair in double precision, slow and simple: for tests, and where rounding matters. */
    double (*pair)(const qn_structures *structures, const qn_measure_settings *settings, size_t i, size_t j);
} qn_measure;

/* The rows of the table, ended by NULL. */
extern const qn_measure *const qn_measures[];

/* Names of all rows, separated by one space, in the order of qn_measures. */
#define QN_MEASURE_NAMES "drmsd rmsd tm-score gdt-ts maxsub contact ligand-rmsd"

/* Names and meanings, for users. */
#define QN_MEASURE_MEANINGS                                                                                             \
    "drmsd: root mean square difference of the distances between atoms, in Å; it needs no superposition and does not " \
    "tell mirror images apart. rmsd: after superposition, in Å. Scores from 0 to 1, each of the best superposition "   \
    "that a search finds: tm-score; gdt-ts: mean share of the atoms within 1, 2, 4 and 8 Å; maxsub. contact: "         \
    "share of the contacts of two models that both have. ligand-rmsd: of poses of one small molecule in SDF, MOL2 "     \
    "or PDBQT files, by heavy atoms, in Å; in place, and equivalent atoms may change places"

/* Distance of a value: the value itself, or 1 − value of a similarity. */
static inline float qn_measure_distance(const qn_measure *measure, float value)
{
    return measure->is_similarity ? 1 - value : value;
}

#endif

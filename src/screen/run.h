/* A screening run while it is under way: what its stages hand on to each other. */
#ifndef QN_SCREEN_RUN_H
#define QN_SCREEN_RUN_H

#include <quern/screen.h>

#include "base/error.h"
#include "job/job.h"
#include "score/receptor.h"
#include "screen/search/search.h"

enum {
    QN_SCREEN_TERMS = 5, /* most terms of a score */
    QN_SCREEN_PIECE = 8  /* consecutive molecules that are dealt and recorded together */
};

typedef struct qn_screen_timings {
    double prepare_s, search_s, write_s, total_s;
} qn_screen_timings;

/* A molecule's line of scores.csv: its best pose. */
typedef struct qn_screen_row {
    uint64_t index;   /* of the molecule, counted through all libraries from 0 */
    const char *name; /* "" when it has none */
    const char *path; /* of its library */
    size_t line;      /* of its record in that file, from 1; 0: not known */
    double energy, terms[QN_SCREEN_TERMS];
    double least_distance_angstrom; /* of any pair of heavy atoms of ligand and receptor */
    int clashes;                    /* such pairs closer than 0.7 of the sum of their radii */
    int heavy_atoms, conformers;
    int conformer; /* of the pose, from 0 */
    bool active;   /* one of options->actives */
    bool made;     /* Open Babel made its record */
} qn_screen_row;

/* A line of rejected.csv. */
typedef struct qn_screen_rejection {
    uint64_t index;   /* as above */
    const char *path; /* of the library */
    size_t line;      /* of its record in that file, from 1; 0: not known */
    const char *name, *reason;
} qn_screen_rejection;

typedef struct qn_screen_state {
    const qn_screen_options *options;
    qn_job *job;
    qn_ligand_score score;
    qn_score_receptor receptor;
    qn_screen_search_options search;
    int batch;                       /* conformers of a launch on the first device */
    struct qn_screen_labels *labels; /* of options->actives; NULL */
    uint64_t library_molecules;      /* known once this process has read to their end; 0 before */
    qn_error_trail damage;           /* why this process read a library no further; its status is QN_OK otherwise */
    uint64_t molecules_before_damage;
    bool damaged;      /* a process could not read the libraries to their end */
    bool tells_damage; /* it is this one that says so */
    const char *const *term_names;
    int term_count;

    /* The result; on rank 0 only. */
    qn_screen_row *rows; /* best first: by (energy, index) */
    size_t row_count;
    qn_screen_rejection *rejections; /* by index */
    size_t rejection_count;
    char *texts;              /* what names and reasons point into */
    uint64_t molecules;       /* of all libraries: rows and rejections */
    uint64_t resumed;         /* of them taken from journals */
    uint64_t conformers;      /* searched, of all molecules */
    double interactions;      /* pairs of atoms scored, of all molecules */
    double interactions_here; /* of the molecules that were not taken from journals */
    double scoring_s;         /* device time of scoring, of this process */
    double evolving_s;        /* of drawing, choosing and minimising poses */
    qn_screen_timings timings;
} qn_screen_state;

/* "1 molecule", "2 molecules" */
static inline const char *qn_screen_molecules(uint64_t count)
{
    return count == 1 ? "molecule" : "molecules";
}

/* Names of a score's terms, as columns are called; returns how many. */
int qn_screen_term_names(qn_ligand_score_kind kind, const char *const **names);

/* Which rows are active by a data item of their libraries, which are read again for it. The rows may be in any order
 * and are left in that of the libraries. */
QN_MUST_CHECK qn_status qn_screen_find_actives(qn_screen_state *run);

/* "kJ/mol" or "kcal/mol". */
const char *qn_screen_energy_unit(qn_ligand_score_kind kind);

/* report.html; with options->actives also the enrichment. hits.sdf stands in the output folder by then. */
QN_MUST_CHECK qn_status qn_screen_write_report(const qn_screen_state *run);

/* Of the search's time, that of scoring kernels: those of two batches may run at once, so 1 at most. */
double qn_screen_scoring_share(const qn_screen_state *run);

#endif

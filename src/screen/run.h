/* The state of a screening run, which its stages share. */
#ifndef QN_SCREEN_RUN_H
#define QN_SCREEN_RUN_H

#include <quern/screen.h>

#include "base/error.h"
#include "flexible/sides.h"
#include "job/job.h"
#include "score/receptor.h"
#include "screen/enrichment.h"
#include "screen/hits.h"
#include "screen/search/search.h"

enum {
    QN_SCREEN_PIECE = 8 /* consecutive molecules that are dealt and recorded together */
};

typedef struct qn_screen_timings {
    double prepare_s, search_s, write_s, total_s;
} qn_screen_timings;

/* A row of scores.csv: a molecule and its best pose. */
typedef struct qn_screen_row {
    uint64_t index;   /* of the molecule, counted through all libraries from 0 */
    const char *name; /* "": none */
    const char *path; /* of its library, or the name of a library in memory */
    size_t library;   /* index of that library */
    size_t line;      /* of its record in that library, from 1; 0: not known */
    double energy, terms[QN_SCREEN_TERMS_MAX];
    double least_distance_angstrom; /* of any pair of heavy atoms of ligand and receptor */
    int clashes;                    /* number of pairs of heavy atoms that clash, by qn_ligand_clash_angstrom */
    double torsion_count;           /* Vina's N; of a flexible molecule */
    int heavy_atoms, conformers;
    int conformer; /* of the pose, from 0 */
    bool active;   /* one of options->actives */
    bool made;     /* Open Babel made its record */
} qn_screen_row;

/* A row of rejected.csv. */
typedef struct qn_screen_rejection {
    uint64_t index;   /* of the molecule, counted through all libraries from 0 */
    const char *path; /* of the library, or the name of a library in memory */
    size_t library;   /* index of that library */
    size_t line;      /* of its record in that library, from 1; 0: not known */
    const char *name, *reason;
} qn_screen_rejection;

typedef struct qn_screen_state {
    const qn_screen_options *options;
    qn_job *job;
    bool wants_result; /* the caller takes a qn_screen_result */
    qn_ligand_score score;
    qn_score_receptor receptor;
    struct qn_flexible_receptor *sorted; /* the same, for flexible molecules; NULL: rigid ones */
    qn_flexible_sides sides;             /* side chains of the receptor that turn; they are not in `receptor` */
    qn_screen_search_options search;
    int batch;                       /* conformers of a launch on the first device */
    struct qn_screen_labels *labels; /* known actives; NULL: none are given */
    uint64_t library_molecules;      /* number of molecules; 0 until this process has read the libraries to their end */
    qn_error_trail damage; /* reason why this process could not read a library to its end; status QN_OK: it could */
    uint64_t molecules_before_damage;
    bool damaged;      /* some process could not read the libraries to their end */
    bool tells_damage; /* this process reports the damage */
    const char *const *term_names;
    int term_count;

    /* The results, on rank 0 only. */
    qn_screen_row *rows; /* best first: by (energy, index) */
    size_t row_count;
    qn_screen_rejection *rejections; /* by index */
    size_t rejection_count;
    char *texts; /* memory of names and reasons */
    qn_screen_hits hits;
    qn_text page;             /* of the report, for a run without an output */
    uint64_t molecules;       /* of all libraries: rows and rejections */
    uint64_t resumed;         /* molecules whose results came from the journals of an earlier run */
    uint64_t conformers;      /* searched, of all molecules */
    uint64_t unsettled;       /* of these, those whose search did not settle (search/search.h) */
    uint64_t far;             /* molecules whose best pose is beyond the score's reach of the receptor */
    double interactions;      /* pairs of atoms scored, of all molecules */
    double interactions_here; /* the same, without the resumed molecules */
    double scoring_s;         /* device time of scoring kernels in this process */
    double evolving_s;        /* device time of the other kernels of the search */
    qn_screen_timings timings;
} qn_screen_state;

/* "molecule" for 1, "molecules" for other counts. */
static inline const char *qn_screen_molecules(uint64_t count)
{
    return count == 1 ? "molecule" : "molecules";
}

/* Where types and turning bonds of flexible molecules come from. */
static inline qn_flexible_types qn_screen_flexible_types(const qn_screen_options *options)
{
    return options->types == QN_SCREEN_TYPES_FILE ? QN_FLEXIBLE_TYPES_FILE : QN_FLEXIBLE_TYPES_OWN;
}

/* Name of the receptor's file, or of a molecule in memory. */
const char *qn_screen_receptor_name(const qn_screen_options *options);

/* Name of the known actives in messages: options->actives, or the name of the option that lists them. */
const char *qn_screen_actives_name(const qn_screen_options *options);

/* Get the names of the terms of a score, which are also column names; returns their number. */
int qn_screen_term_names(qn_ligand_score_kind kind, bool flexible, const char *const **names);

/* Mark active rows. If actives are given by a data item, read the libraries again, which sorts the rows by index. */
QN_MUST_CHECK qn_status qn_screen_find_actives(qn_screen_state *run);

/* "kJ/mol" or "kcal/mol". */
const char *qn_screen_energy_unit(qn_ligand_score_kind kind);

/* Append the page of the report to a text, with the enrichment if actives are given. Molecules are drawn from hits.sdf
 * in the output folder, or from run->hits if there is none. */
QN_MUST_CHECK qn_status qn_screen_report_page(const qn_screen_state *run, qn_text *page);

/* Write report.html. hits.sdf must be in the output folder. */
QN_MUST_CHECK qn_status qn_screen_write_report(const qn_screen_state *run);

/* Compute the enrichment of the known actives among the rows. *known is false if no row or every row is active. */
QN_MUST_CHECK qn_status qn_screen_measure_enrichment(const qn_screen_state *run, qn_enrichment *enrichment,
                                                     bool *known);

/* Make the result for the caller; moves texts and hits out of `run`. On ranks other than 0 the result has no
 * molecules. */
QN_MUST_CHECK qn_status qn_screen_result_make(qn_screen_state *run, qn_screen_result **result);

/* Share of the search's time that scoring kernels took. Kernels of two batches may overlap, so it is limited to 1. */
double qn_screen_scoring_share(const qn_screen_state *run);

#endif

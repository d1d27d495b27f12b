/* Docking of a library of small molecules into a receptor, and virtual screening.
 *
 * qn_screen_run reads the receptor and the library, searches places, rotations and torsions of each molecule in the
 * receptor, or its rigid conformers, and ranks the molecules by the energies of their best poses. Lower energy is
 * better. Receptor, libraries and site are files or objects in memory. Results come back in memory; with options.output
 * they are also written as scores.csv, hits.sdf, hits.pdbqt of flexible molecules, rejected.csv, run.json and
 * report.html.
 *
 * Thread rule: one run per context at a time.
 *
 *     qn_screen_options options = qn_screen_default_options();
 *     qn_screen_result *result;
 *     options.receptor = "kinase.pdb", options.site = "inhibitor.sdf";
 *     options.libraries = (const char *const[]){"library.sdf"}, options.library_count = 1;
 *     if (qn_screen_run(context, &options, &result) != QN_OK) return 1;
 *     printf("%s: %g kcal/mol\n", result->molecules[result->ranking[0]].name, result->best_energy);
 *     qn_screen_result_destroy(&result);
 */
#ifndef QUERN_SCREEN_H
#define QUERN_SCREEN_H

#include <quern/device.h>
#include <quern/molecule.h>
#include <quern/option.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- options ---- */

typedef enum qn_screen_score {
    QN_SCREEN_BUDE, /* BUDE's empirical free energy, kJ/mol; of rigid molecules */
    QN_SCREEN_VINA  /* AutoDock Vina's score, kcal/mol */
} qn_screen_score;

/* Where types and turning bonds of flexible molecules come from. */
typedef enum qn_screen_types {
    QN_SCREEN_TYPES_OWN, /* from their chemistry */
    QN_SCREEN_TYPES_FILE /* as PDBQT files state them, receptor and library, to compare with AutoDock Vina */
} qn_screen_types;

/* How the best poses of a search are minimised before they are compared. */
typedef enum qn_screen_receptor_energy {
    QN_SCREEN_RECEPTOR_MAPS, /* with maps of the receptor; energies that are written are exact all the same */
    QN_SCREEN_RECEPTOR_EXACT /* with the receptor's atoms, more slowly */
} qn_screen_receptor_energy;

/* The content of a file, held in memory: SDF, MOL2, PDBQT or SMILES text or a packed library, gzipped or not. It must
 * not change while a function reads it. */
typedef struct qn_screen_content {
    const char *name; /* stands for the path in messages, files and keys; an ending .smi or .smiles means SMILES */
    const void *bytes;
    size_t size;
} qn_screen_content;

/* A receptor, at least one library and one place to search must be given, each in one of its forms. */
typedef struct qn_screen_options {
    size_t size;          /* of this struct in bytes */
    qn_run_options run;   /* batch: conformers of a launch; strict: fail when molecules were rejected */
    const char *receptor; /* PDB, mmCIF, PDBQT or MOL2, gzipped or not; "file:AB" picks chains of the first two */
    const qn_molecule *receptor_molecule; /* instead of `receptor`; read only, its waters are left out */
    const char *const *libraries;         /* SDF, MOL2, PDBQT, SMILES, .qlib; gzipped or not */
    size_t library_count;
    const qn_screen_content *library_contents; /* instead of `libraries` */
    size_t library_content_count;
    const char *output;                    /* folder, see resume and overwrite; NULL: nothing is written */
    qn_screen_score score;                 /* default QN_SCREEN_VINA */
    const char *site;                      /* ligand in the site; the box is `margin_angstrom` around its centroid */
    const qn_screen_content *site_content; /* instead of `site`: SDF, MOL2 or PDBQT text */
    const char *pocket;                    /* residues that line the site, "A:30-40,A:77": the box contains them */
    double box_centre_angstrom[3], box_side_angstrom[3]; /* box for the ligand's centroid; sides 0: no box is given */
    double margin_angstrom;                              /* default 6 */
    int conformers;  /* rigid: of a molecule, generated where the file has fewer; 0: those in the file (default) */
    int generations; /* rigid: default 55 */
    int poses;       /* rigid: of a generation; 0: from the box (default), see docs/commands/screen.md */
    int keep;        /* number of poses kept for each hit; default 3 */
    double diversity_angstrom; /* least RMSD between kept poses of a molecule; default 2 */
    int top;                   /* number of hits: the best molecules, whose poses are kept; default 100 */
    const char *actives;       /* known actives, a file of names or "item=value": adds the enrichment; NULL: none */
    const char *const *active_names; /* instead of `actives`: names in memory */
    size_t active_name_count;
    int rounds;              /* rigid: independent searches of a conformer, at most: they end when four of them have
                              * found the lowest energy; default 12 */
    bool exact;              /* rigid, with BUDE's score: the same bits on every device */
    bool cull;               /* rigid: leave out receptor atoms beyond reach, which changes no energy; default true */
    bool flexible;           /* says the default: bonds turn; not together with `rigid` */
    bool rigid;              /* dock conformers, whose bonds do not turn; members marked "rigid" need it */
    qn_screen_types types;   /* flexible: default QN_SCREEN_TYPES_OWN */
    bool score_only;         /* flexible: score the poses of the library as they are; needs no place to search */
    bool local_only;         /* flexible: minimise from the poses of the library; needs no place to search */
    int walkers;             /* flexible: chains of a molecule after the first stage; default 64 */
    double effort;           /* flexible: factor of the number of steps; default 1 */
    bool confine_atoms;      /* flexible: all atoms stay in the box, as in AutoDock Vina; default: the centroid does */
    const char *const *flex; /* flexible: side chains of the receptor that turn, "A:TRP177" or "A:177"; at most eight */
    size_t flex_count;
    qn_screen_receptor_energy receptor_energy; /* flexible; default QN_SCREEN_RECEPTOR_MAPS */
    bool without_page; /* of a run without an output: no page of the report, whose drawings may take a second */
} qn_screen_options;

const qn_option_table *qn_screen_option_table(void); /* see <quern/option.h> */

static inline qn_screen_options qn_screen_default_options(void)
{
    qn_screen_options options;
    qn_option_defaults(qn_screen_option_table(), &options, sizeof options);
    return options;
}

/* ---- results ---- */

enum { QN_SCREEN_TERMS_MAX = 5, QN_SCREEN_FACTORS = 3 };

/* A scored molecule and its best pose. */
typedef struct qn_screen_result_molecule {
    uint64_t index;                            /* position in all libraries together, from 0 */
    uint64_t rank;                             /* by energy, from 1 */
    size_t library;                            /* index into the libraries of the options */
    size_t line;                               /* first line of its record, from 1; 0: in a packed library */
    const char *name;                          /* "" when it has none */
    double energy, terms[QN_SCREEN_TERMS_MAX]; /* the terms add up to the energy */
    double least_distance_angstrom;            /* between heavy atoms of ligand and receptor */
    int clashes;                               /* pairs of heavy atoms that are too close: docs/commands/screen.md */
    int heavy_atoms;
    int conformer, conformers; /* conformer of the best pose, from 0; number of conformers that were searched */
    bool active;               /* it is one of the known actives */
} qn_screen_result_molecule;

/* A kept pose of a hit. */
typedef struct qn_screen_result_pose {
    size_t molecule; /* index into `molecules` */
    int number;      /* among the poses of its molecule, from 0, best first */
    int conformer;   /* from 0 */
    int clashes;
    size_t atom_count; /* all atoms, hydrogens among them, in the order of `record` */
    double energy, terms[QN_SCREEN_TERMS_MAX];
    double least_distance_angstrom;
    const double *positions_angstrom; /* atom_count × 3, in the frame of the receptor */
    const char *record;               /* SDF record as hits.sdf has it: elements, bonds, positions, data items */
} qn_screen_result_pose;

typedef struct qn_screen_result_rejection {
    uint64_t index; /* position in all libraries together, from 0 */
    size_t library; /* index into the libraries of the options */
    size_t line;    /* first line of its record, from 1; 0: in a packed library */
    const char *name, *reason;
} qn_screen_result_rejection;

/* How early the known actives come in the ranking. */
typedef struct qn_screen_enrichment {
    size_t molecule_count, active_count;
    double auc, auc_low, auc_high;     /* area under the ROC curve with its 95 % interval (DeLong); NaN: not known */
    double shares[QN_SCREEN_FACTORS];  /* of the ranking: 0.01, 0.05, 0.1 */
    double factors[QN_SCREEN_FACTORS]; /* actives in this first share, over the number expected by chance */
    double factors_max[QN_SCREEN_FACTORS]; /* factors when all actives come first */
    double bedroc;                         /* Truchon and Bayly 2007, α = 20 */
} qn_screen_enrichment;

/* Results of a run. With MPI, ranks other than 0 have no molecules, poses and rejections. */
typedef struct qn_screen_result {
    const char *energy_unit; /* "kJ/mol" or "kcal/mol" */
    size_t term_count;
    const char *const *term_names;              /* term_count */
    const qn_screen_result_molecule *molecules; /* in order of the libraries */
    size_t molecule_count;
    const size_t *ranking;              /* molecule_count indices into `molecules`, best first */
    const qn_screen_result_pose *poses; /* of the first options.top molecules of the ranking, best molecule first */
    size_t pose_count;
    const qn_screen_result_rejection *rejections; /* in order of the libraries */
    size_t rejection_count;
    const qn_screen_enrichment *enrichment; /* NULL: no known actives, or only actives, among the molecules */
    double best_energy;                     /* of the first molecule of the ranking */
    uint64_t conformer_count;               /* searched, of all molecules */
    uint64_t resumed_count;                 /* molecules whose results came from the journals of an earlier run */
    double interactions;                    /* pairs of atoms, of all molecules */
    double interactions_per_s;              /* of the search of this run; 0: all molecules came from journals */
    double seconds;
    double scoring_share;     /* share of the search's time that kernels of scoring took */
    char report[4096];        /* path of report.html; "": none was written by this call */
    uint64_t unsettled_count; /* conformers for which fewer than four of all `rounds` found the lowest energy */
    uint64_t far_count;       /* molecules whose best pose is so far from the receptor that the score has no pairs */
    const char *page;         /* of the report, HTML, of a run without an output; NULL: no, it is in `report` */
} qn_screen_result;

/* Screen. *result is released by qn_screen_result_destroy; `result` may be NULL. On failure *result is NULL, and the
 * output folder has what was written.
 *
 * Errors: QN_NOT_FOUND, QN_BAD_FORMAT (receptor, site; a library that cannot be read to its end; no molecule that can
 * be scored; rejected molecules when strict), QN_ALREADY_EXISTS (other files in the output folder, a run without
 * resume or overwrite, a journal of other options on resume), QN_INVALID_ARGUMENT (options), QN_UNSUPPORTED (several
 * ranks without an output), QN_OUT_OF_MEMORY, QN_NO_DEVICE, QN_DEVICE_LOST, QN_CANCELLED (resumable), QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_screen_run(qn_context *context, const qn_screen_options *options, qn_screen_result **result);
void qn_screen_result_destroy(qn_screen_result **result);

/* ---- packed libraries ---- */

typedef struct qn_screen_pack_options {
    size_t size;                  /* of this struct in bytes */
    qn_run_options run;           /* commands use `strict` and `quiet` */
    const char *const *libraries; /* as in qn_screen_options; "-" is standard input */
    size_t library_count;
    const qn_screen_content *library_contents; /* instead of `libraries` */
    size_t library_content_count;
    const char *output; /* a file; NULL: the packed library is kept in memory */
} qn_screen_pack_options;

const qn_option_table *qn_screen_pack_option_table(void);

static inline qn_screen_pack_options qn_screen_pack_default_options(void)
{
    qn_screen_pack_options options;
    qn_option_defaults(qn_screen_pack_option_table(), &options, sizeof options);
    return options;
}

typedef struct qn_screen_pack_result {
    uint64_t molecule_count; /* packed */
    const qn_screen_result_rejection *rejections;
    size_t rejection_count;
    const void *bytes; /* the packed library; NULL: it was written to a file */
    size_t size;
} qn_screen_pack_result;

/* Write libraries as one packed library: a seventh to a quarter of the size of SDF text, memory-mapped, with an index
 * of its records. Beside a file, rejected molecules are listed in "<output>.rejected.csv". *result is released by
 * qn_screen_pack_result_destroy; `result` may be NULL, *result is NULL on failure. Errors: QN_NOT_FOUND, QN_BAD_FORMAT
 * (no molecule can be packed), QN_INVALID_ARGUMENT (options), QN_UNSUPPORTED, QN_OUT_OF_MEMORY, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_screen_pack(qn_context *context, const qn_screen_pack_options *options,
                                       qn_screen_pack_result **result);
void qn_screen_pack_result_destroy(qn_screen_pack_result **result);

/* ---- benchmark decks ---- */

typedef struct qn_screen_deck_options {
    size_t size;          /* of this struct in bytes */
    qn_run_options run;   /* commands use `device`, `threads`, `explain` and `quiet` */
    const char *folder;   /* of a miniBUDE deck: ligand.in, protein.in, forcefield.in, poses.in, ref_energies.out */
    int poses;            /* number of poses scored, from the first; 0: all */
    bool exact, cull;     /* as in qn_screen_options */
    const char *energies; /* file for the energies, one a line; NULL: none is written */
} qn_screen_deck_options;

const qn_option_table *qn_screen_deck_option_table(void);

static inline qn_screen_deck_options qn_screen_deck_default_options(void)
{
    qn_screen_deck_options options;
    qn_option_defaults(qn_screen_deck_option_table(), &options, sizeof options);
    return options;
}

typedef struct qn_screen_deck_result {
    const float *energies; /* kJ/mol; pose_count */
    int pose_count, receptor_atoms, ligand_atoms;
    double seconds, interactions_per_s;
    int best_pose; /* from 0 */
    double best_energy;
    int checked;             /* number of energies compared with reference energies; 0: the deck has none */
    int failed;              /* number of energies that differ by more than 2.5e-4 */
    double worst_difference; /* largest |energy − reference| / max(1, |reference|) */
} qn_screen_deck_result;

/* Score the poses of a deck on a device. *result is released by qn_screen_deck_result_destroy; `result` may be NULL,
 * *result is NULL on failure. Errors: QN_NOT_FOUND, QN_BAD_FORMAT, QN_INVALID_ARGUMENT (options, more poses than the
 * deck has), those of devices and files. */
QN_MUST_CHECK qn_status qn_screen_deck(qn_device *device, const qn_screen_deck_options *options,
                                       qn_screen_deck_result **result);
void qn_screen_deck_result_destroy(qn_screen_deck_result **result);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

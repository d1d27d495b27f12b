/* Rigid docking of a library of small molecules into a receptor, and virtual screening.
 *
 * qn_screen_run reads the receptor, streams the library, searches each molecule's conformers by evolutionary Monte
 * Carlo, and writes scores.csv, hits.sdf, rejected.csv, run.json and report.html into the output folder. Lower energy
 * is better.
 *
 * Thread rule: one run per context at a time.
 *
 *     qn_screen_options options = qn_screen_default_options();
 *     options.receptor = "receptor.pdb"; options.output = "hits";
 *     options.libraries = (const char *const[]){"library.sdf"}; options.library_count = 1;
 *     options.site = "ligand.sdf";
 *     qn_screen_summary summary;
 *     if (qn_screen_run(context, &options, &summary) != QN_OK) …
 */
#ifndef QUERN_SCREEN_H
#define QUERN_SCREEN_H

#include <quern/device.h>
#include <quern/option.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qn_screen_options {
    const char *receptor; /* PDB, mmCIF, PDBQT or MOL2, gzipped or not; "file:AB" picks chains of the first two */
    const char *const *libraries; /* SDF, MOL2, PDBQT, SMILES, .qlib; gzipped or not */
    size_t library_count;
    const char *output; /* folder; see resume and overwrite */
    const char *score;  /* "bude" (default) or "vina" */
    const char *site;   /* a ligand in the site: the box is `margin_angstrom` around its centroid; NULL */
    const char *pocket; /* residues that line the site, "A:30-40,A:77": the box is theirs; NULL */
    double box_centre_angstrom[3], box_side_angstrom[3]; /* of the ligand's centroid; sides 0: not given */
    double margin_angstrom;                              /* default 6 */
    int conformers;            /* of a molecule, generated where the file has fewer; 0: those in the file (default) */
    int generations;           /* default 55 */
    int poses;                 /* of a generation; 0: from the box, see docs/commands/screen.md */
    int keep;                  /* poses of a molecule that are written, default 3 */
    double diversity_angstrom; /* RMSD between them, default 2 */
    int top;                   /* molecules in hits.sdf, default 100 */
    const char *actives;       /* known actives, a file of names or "item=value": adds the enrichment report; NULL */
    bool exact;                /* the same bits on every device */
    bool cull;                 /* leave out receptor atoms beyond reach, which changes no energy; default true */
    qn_run_options run;        /* its batch is of conformers; strict: when molecules were rejected */
} qn_screen_options;

qn_screen_options qn_screen_default_options(void);
const qn_option_table *qn_screen_option_table(void); /* see <quern/option.h> */

typedef struct qn_screen_summary {
    uint64_t molecules, rejected, conformers;
    double interactions, interactions_per_s; /* pairs of atoms; per second of the search alone */
    double best_energy;
    double seconds, scoring_share; /* share of the search's time that kernels of scoring took */
    char report[512];
} qn_screen_summary;

/* Errors: QN_NOT_FOUND, QN_BAD_FORMAT (receptor, site; rejected molecules when strict), QN_ALREADY_EXISTS (other
 * files in the output folder, or a run without resume or overwrite), QN_INVALID_ARGUMENT (options; a journal of other
 * options on resume), QN_OUT_OF_MEMORY, QN_NO_DEVICE, QN_DEVICE_LOST, QN_CANCELLED (resumable), QN_IO_ERROR. `summary`
 * may be NULL. */
QN_MUST_CHECK qn_status qn_screen_run(qn_context *context, const qn_screen_options *options,
                                      qn_screen_summary *summary);

typedef struct qn_screen_pack_options {
    const char *const *libraries; /* as in qn_screen_options; "-" is standard input */
    size_t library_count;
    const char *output; /* a file */
    qn_run_options run; /* commands read its strict and its quiet */
} qn_screen_pack_options;

const qn_option_table *qn_screen_pack_option_table(void);

/* Write libraries as one packed library: a quarter of the text, memory-mapped, every record found at once. Rejected
 * molecules go to "<output>.rejected.csv"; *molecules and *rejected may be NULL. */
QN_MUST_CHECK qn_status qn_screen_pack(qn_context *context, const qn_screen_pack_options *options, uint64_t *molecules,
                                       uint64_t *rejected);

typedef struct qn_screen_deck_options {
    const char *folder;   /* of a miniBUDE deck: ligand.in, protein.in, forcefield.in, poses.in, ref_energies.out */
    int poses;            /* the first of them; 0: all */
    bool exact, cull;     /* as in qn_screen_options */
    const char *energies; /* a file that gets one a line; NULL */
    qn_run_options run;   /* commands read its device, threads, explain and quiet */
} qn_screen_deck_options;

qn_screen_deck_options qn_screen_deck_default_options(void);
const qn_option_table *qn_screen_deck_option_table(void);

typedef struct qn_screen_deck_summary {
    int receptor_atoms, ligand_atoms, poses;
    double seconds, interactions_per_s;
    int best_pose;
    double best_energy;
    int checked;             /* reference energies compared; 0: the deck has none */
    double worst_difference; /* largest |energy − reference| / max(1, |reference|) */
    int failed;              /* how many differ by more than 2.5e-4 */
} qn_screen_deck_summary;

/* Score the poses of a deck on a device. */
QN_MUST_CHECK qn_status qn_screen_deck(qn_device *device, const qn_screen_deck_options *options,
                                       qn_screen_deck_summary *summary);

#ifdef __cplusplus
}
#endif
#endif

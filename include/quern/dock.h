/* Rigid protein-protein docking by FFT correlation: two structures in, ranked and clustered models out.
 *
 * qn_dock_run reads both files, searches all rotations and translations, rescores, clusters, and writes poses.csv,
 * clusters.csv, contacts.csv, cluster_*.pdb|cif, run.json, report.html, view.pml and view.cxc into the output folder.
 * A pose is x' = R·x + t applied to the ligand's input coordinates; lower energy is better.
 *
 * Thread rule: one run per context at a time.
 *
 *     qn_dock_options options = qn_dock_default_options();
 *     options.receptor = "receptor.pdb"; options.ligand = "ligand.pdb"; options.output = "out";
 *     qn_dock_summary summary;
 *     if (qn_dock_run(context, &options, &summary) != QN_OK) …
 */
#ifndef QUERN_DOCK_H
#define QUERN_DOCK_H

#include <quern/device.h>
#include <quern/option.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qn_dock_options {
    const char *receptor; /* PDB or mmCIF, gzipped or not; "file:AB" picks chains */
    const char *ligand;
    const char *output;           /* folder; see resume and overwrite */
    const char *score;            /* "piper" (default) or "rpsc" */
    const char *coefficients;     /* sets of the piper energy: names and families apart by commas, or a weights file;
                                   * default "auto": "antibody" when a partner is one, else "others" */
    const char *rotations_file;   /* 3×3 matrices, nine numbers a line, instead of `rotations`; NULL */
    const char *fft_engine;       /* an FFT library: "own", "fftw", "vkfft", "cufft"; "fused": kernels that do all of a
                                   * rotation, which want grid sides of at most 512 without prime factors above 7;
                                   * "fused-half": on GPUs, what passes between them in half precision;
                                   * default "auto": fused on the host and on GPUs that can, else the fastest library */
    const char *const *blocked;   /* selections of residues that must not be touched: "receptor:A:30-40"; see */
    size_t blocked_count;         /* docs/formats/docking_inputs.md */
    const char *const *attracted; /* selections of residues that ought to be touched */
    size_t attracted_count;
    double block_penalty;        /* energy per pair of heavy atoms in contact, default 1 */
    double attract_bonus;        /* likewise, taken off, default 1 */
    const char *restraints_file; /* cross-links: pairs of residues and largest distances; NULL */
    int restraints_required;     /* pairs that a pose must satisfy; 0: all */
    int pair_terms;              /* eigenvectors of the pair potential, 0 … 18, default 4 */
    int rotations;               /* default 70000; super-Fibonacci set */
    double spacing_angstrom;     /* default 1.0 */
    int grid_cells;              /* side of a cubic grid; 0: the smallest fast size per axis that cannot wrap */
    int per_rotation;            /* poses kept of each rotation, default 1, at most 16 */
    int keep;                    /* poses written and clustered, default 1000 */
    int clusters;                /* cluster centres written, default 30 */
    double radius_angstrom;      /* cluster radius, default 9 */
    int model;                   /* model number of NMR files; 0: the first */
    bool refinement;             /* cluster centres move to the nearest minimum; default true */
    bool write_zdock;            /* also write the poses as a ZDOCK output file, zdock.out */
    qn_run_options run;          /* its seed rotates the whole rotation set, 0: not at all; its batch is of rotations */
} qn_dock_options;

qn_dock_options qn_dock_default_options(void);
const qn_option_table *qn_dock_option_table(void); /* see <quern/option.h> */

typedef struct qn_dock_summary {
    size_t pose_count, cluster_count;
    double best_energy;
    int grid[3];
    double rotations_per_s; /* of the search alone */
    double seconds;         /* of the whole run */
    char report[512]; /* path of report.html; "": another process of the run says how it ended, or an earlier run had
                         done everything */
} qn_dock_summary;

/* Errors: QN_NOT_FOUND, QN_BAD_FORMAT (inputs), QN_ALREADY_EXISTS (other files in the output folder, or a run without
 * resume or overwrite), QN_INVALID_ARGUMENT (options; a journal of other options on resume), QN_OUT_OF_MEMORY (with the
 * bytes needed), QN_NO_DEVICE, QN_DEVICE_LOST, QN_CANCELLED (resumable), QN_IO_ERROR. `summary` may be NULL. */
QN_MUST_CHECK qn_status qn_dock_run(qn_context *context, const qn_dock_options *options, qn_dock_summary *summary);

#ifdef __cplusplus
}
#endif
#endif

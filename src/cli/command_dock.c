/* quern dock: two proteins in, ranked models of their complex out. */
#include <quern/dock.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"

typedef struct settings {
    qn_dock_options dock;
    cli_texts blocked, attracted;
    int threads;
    bool quiet;
} settings;

#define FIELD(name) offsetof(settings, dock.name)

static const cli_positional positionals[] = {
    {.name = "RECEPTOR",
     .offset = FIELD(receptor),
     .help = "the larger partner, kept in place: PDB or mmCIF, gzipped or not; FILE:AB picks chains A and B, FILE:A,BB "
             "picks "
             "chains with longer names"},
    {.name = "LIGAND", .offset = FIELD(ligand), .help = "the partner that is rotated and moved; likewise"},
    {0}};

static const cli_option options[] = {
    {.name = "output",
     .letter = 'o',
     .type = CLI_TEXT,
     .argument = "FOLDER",
     .offset = FIELD(output),
     .required = true,
     .help = "folder for the results; made when absent, and must be empty without --resume"},
    {.name = "score",
     .letter = 's',
     .type = CLI_CHOICE,
     .argument = "NAME",
     .offset = FIELD(score),
     .choices = "piper rpsc",
     .help = "scoring function: piper adds a pair potential to shape and electrostatics; rpsc is rough and fast"},
    {.name = "coefficients",
     .letter = 'w',
     .type = CLI_TEXT,
     .argument = "SETS",
     .offset = FIELD(coefficients),
     .help = "coefficient sets of piper, apart by commas: balanced, electrostatic, neutral, others (all of them), "
             "antibody (all of them, and only the complementarity-determining regions of antibodies attract), or a "
             "weights file; auto takes antibody when a partner is one, else others; the answers of several sets are "
             "merged"},
    {.name = "terms",
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(pair_terms),
     .least = 0,
     .most = 18,
     .help = "terms of piper's pair potential; each costs a transform a rotation"},
    {.name = "block",
     .letter = 'b',
     .type = CLI_TEXTS,
     .argument = "RESIDUES",
     .offset = offsetof(settings, blocked),
     .help = "residues that must not be touched, such as receptor:A:30-40 or ligand:B:5,7A,9 or receptor:C; may be "
             "repeated"},
    {.name = "attract",
     .letter = 'a',
     .type = CLI_TEXTS,
     .argument = "RESIDUES",
     .offset = offsetof(settings, attracted),
     .help = "residues that ought to be touched, likewise; may be repeated"},
    {.name = "block-penalty",
     .type = CLI_NUMBER,
     .argument = "ENERGY",
     .offset = FIELD(block_penalty),
     .least = 0,
     .most = 1e6,
     .help = "energy added per pair of heavy atoms in contact, one of them in a blocked residue"},
    {.name = "attract-bonus",
     .type = CLI_NUMBER,
     .argument = "ENERGY",
     .offset = FIELD(attract_bonus),
     .least = 0,
     .most = 1e6,
     .help = "energy taken off per pair of heavy atoms in contact, one of them in an attracting residue"},
    {.name = "restraints",
     .type = CLI_TEXT,
     .argument = "FILE",
     .offset = FIELD(restraints_file),
     .default_text = "",
     .help = "cross-links: lines of a receptor residue, a ligand residue and the largest distance in Å between their "
             "Cα; poses that break them are left out"},
    {.name = "restraints-required",
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(restraints_required),
     .least = 0,
     .most = 1000000,
     .default_text = "all",
     .help = "restraints that a pose must satisfy"},
    {.name = "rotations",
     .letter = 'n',
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(rotations),
     .least = 1,
     .most = 10000000,
     .help = "rotations of the ligand, spread evenly over all orientations"},
    {.name = "rotations-file",
     .type = CLI_TEXT,
     .argument = "FILE",
     .offset = FIELD(rotations_file),
     .default_text = "",
     .help = "take the rotations from FILE instead: nine numbers a line, a 3×3 matrix row by row"},
    {.name = "spacing",
     .type = CLI_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(spacing_angstrom),
     .least = 0.3,
     .most = 4,
     .help = "side of a grid cell in Å"},
    {.name = "grid",
     .type = CLI_INTEGER,
     .argument = "CELLS",
     .offset = FIELD(grid_cells),
     .least = 0,
     .most = 1024,
     .default_text = "the smallest fast size along each axis",
     .help = "cells along each side of a cubic grid; must be large enough that nothing wraps"},
    {.name = "per-rotation",
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(per_rotation),
     .least = 1,
     .most = 16,
     .help = "poses kept of each rotation"},
    {.name = "keep",
     .letter = 'k',
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(keep),
     .least = 1,
     .most = 20000,
     .help = "poses written and clustered"},
    {.name = "clusters",
     .letter = 'c',
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(clusters),
     .least = 1,
     .most = 1000,
     .help = "most cluster centres written as models"},
    {.name = "radius",
     .type = CLI_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(radius_angstrom),
     .least = 0.1,
     .most = 100,
     .help = "cluster radius in Å: RMSD of the ligand's interface without superposition"},
    {.name = "model",
     .type = CLI_INTEGER,
     .argument = "NUMBER",
     .offset = FIELD(model),
     .least = 0,
     .most = 99999,
     .default_text = "the first",
     .help = "model to read of files with several models"},
    {.name = "seed",
     .type = CLI_SEED,
     .argument = "NUMBER",
     .offset = FIELD(run.seed),
     .help = "turn the whole set of rotations at random by this seed; 0 does not turn it"},
    {.name = "batch",
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(run.batch),
     .least = 0,
     .most = 4096,
     .default_text = "chosen from the device's memory",
     .help = "rotations computed together; changes speed and memory, not results"},
    {.name = "fft",
     .type = CLI_CHOICE,
     .argument = "ENGINE",
     .offset = FIELD(fft_engine),
     .choices = "auto fused fused-half own fftw vkfft cufft",
     .help = "what transforms grids: an FFT library, or fused: kernels that do all of a rotation, for sides of at most "
             "512 cells without primes above 7; fused-half: the same on GPUs, what passes between kernels in half "
             "precision; auto: fused on the host and on GPUs where sides allow it, else the fastest library"},
    {.name = "no-refinement",
     .type = CLI_FLAG,
     .offset = FIELD(without_refinement),
     .help = "leave cluster centres on the grid; by default they move to the nearest minimum, at most 2 Å and 10°"},
    {.name = "zdock",
     .type = CLI_FLAG,
     .offset = FIELD(write_zdock),
     .help = "also write the poses as a ZDOCK output file, zdock.out"},
    {.name = "resume",
     .type = CLI_FLAG,
     .offset = FIELD(run.resume),
     .help = "go on with an interrupted run in the output folder"},
    {.name = "device",
     .letter = 'd',
     .type = CLI_TEXT,
     .argument = "DEVICE",
     .offset = FIELD(run.device),
     .help = "auto, host, opencl:N or cuda:N (see quern devices), several apart by commas, or all for every GPU; "
             "checking:DEVICE verifies every kernel and is slow"},
    {.name = "threads",
     .letter = 't',
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = offsetof(settings, threads),
     .least = 0,
     .most = 4096,
     .default_text = "every processor this process may use, shared among ranks",
     .help = "CPU threads"},
    {.name = "tune",
     .type = CLI_CHOICE,
     .argument = "HOW",
     .offset = FIELD(run.tune),
     .choices = "auto online offline known off",
     .help =
         "how kernels find their fastest configurations: online tries some while it searches, offline before, known "
         "uses what earlier runs found, off uses defaults; auto: online when the search is estimated to take over a "
         "minute, else known (also QUERN_TUNE)"},
    {.name = "tune-budget",
     .type = CLI_TEXT,
     .argument = "SHARE",
     .offset = FIELD(run.tune_budget),
     .help = "share of the search's throughput that trying configurations may cost, such as 5%"},
    {.name = "explain",
     .type = CLI_FLAG,
     .offset = FIELD(run.explain),
     .help = "say which transforms and kernel configurations are used, and where they came from"},
    {.name = "quiet",
     .letter = 'q',
     .type = CLI_FLAG,
     .offset = offsetof(settings, quiet),
     .help = "print warnings and errors only"},
    {0}};

static void set_defaults(void *memory)
{
    settings *chosen = memory;
    *chosen = (settings){.dock = qn_dock_default_options()};
}

static void print_summary(const settings *chosen, const qn_dock_summary *summary)
{
    char duration[48];
    cli_format_duration(summary->seconds, duration, sizeof duration);
    printf("%zu poses in %zu clusters, best energy %.3f\n", summary->pose_count, summary->cluster_count,
           summary->best_energy);
    printf("grid %d × %d × %d, %.1f rotations/s, %s in all\n", summary->grid[0], summary->grid[1], summary->grid[2],
           summary->rotations_per_s, duration);
    printf("results in %s, report in %s\n", chosen->dock.output, summary->report);
}

typedef struct docking {
    qn_dock_options *options;
    qn_dock_summary summary;
} docking;

static qn_status run_docking(qn_context *context, cli_progress *progress, void *user)
{
    docking *job = user;
    job->options->run.progress = cli_progress_on_progress;
    job->options->run.progress_user = progress;
    qn_status status = qn_dock_run(context, job->options, &job->summary);
    progress->mute = status == QN_CANCELLED && !job->summary.report[0];
    return status;
}

static int run(void *memory)
{
    settings *chosen = memory;
    const qn_context_options of_context = {.threads = chosen->threads, .explain = chosen->dock.run.explain};
    docking job = {.options = &chosen->dock};
    chosen->dock.blocked = chosen->blocked.items;
    chosen->dock.blocked_count = chosen->blocked.count;
    chosen->dock.attracted = chosen->attracted.items;
    chosen->dock.attracted_count = chosen->attracted.count;
    int exit_code = cli_progress_run(&of_context, chosen->quiet, run_docking, &job);
    if (exit_code == CLI_DONE && !chosen->quiet && job.summary.report[0]) print_summary(chosen, &job.summary);
    return exit_code;
}

const cli_command cli_dock = {
    .name = "dock",
    .summary = "dock two proteins: search all rotations and translations, rank and cluster",
    .description =
        "Rigid protein-protein docking by FFT correlation. Searches rotations and translations of the ligand around "
        "the "
        "receptor, clusters the best poses and writes poses.csv, clusters.csv, contacts.csv, cluster_*.pdb, run.json, "
        "report.html, view.pml (PyMOL) and view.cxc (ChimeraX) into the output folder. Under mpirun the rotations are "
        "dealt to all processes.",
    .positionals = positionals,
    .options = options,
    .settings_bytes = sizeof(settings),
    .set_defaults = set_defaults,
    .run = run,
};

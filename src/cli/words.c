#include "cli/words.h"

#include <fnmatch.h>
#include <string.h>

#define GMX "GROMACS"
#define CPPTRAJ "cpptraj"
#define VINA "AutoDock Vina"
#define RELION "RELION"
#define MOTIONCOR "MotionCor3"
#define HADDOCK "HADDOCK"
#define ZDOCK "ZDOCK"
#define DOCKING "other docking programs"
#define TUNER "Kernel Tuner"

#define SAME(scope, program, word, row)                                              \
    {                                                                                \
        scope, program, word, CLI_WORD_SAME, row, NULL, NULL, NULL, NULL, 0, 0, NULL \
    }
#define SAME_VALUE(scope, program, word, value, row, gives)                            \
    {                                                                                  \
        scope, program, word, CLI_WORD_SAME, row, value, gives, NULL, NULL, 0, 0, NULL \
    }
#define PART(scope, program, word, row, separator, place, places, also)                            \
    {                                                                                              \
        scope, program, word, CLI_WORD_PART, row, NULL, NULL, also, separator, place, places, NULL \
    }
#define REFUSED(scope, program, word, advice)                                              \
    {                                                                                      \
        scope, program, word, CLI_WORD_REFUSED, NULL, NULL, NULL, NULL, NULL, 0, 0, advice \
    }
#define CLASH(scope, program, word, row, value, advice)                                  \
    {                                                                                    \
        scope, program, word, CLI_WORD_CLASH, row, value, NULL, NULL, NULL, 0, 0, advice \
    }

static const char topology_first[] = "the topology is the first argument, before the trajectories";
static const char topology_option[] = "--topology names the topology";
static const char folder_here[] = "--output names a folder here, and the table in it is named after the query";

const cli_word cli_words[] = {
    /* gmx rdf, msd, gyrate … */
    SAME("trajectory *", GMX, "-f", "trajectory"),
    SAME("trajectory *", GMX, "-nopbc", "periodic"),
    SAME("trajectory convert", GMX, "-skip", "stride"),
    SAME_VALUE("trajectory convert", GMX, "-pbc", "whole", "whole", "yes"),
    SAME("trajectory rdf", GMX, "-ref", "select"),
    SAME("trajectory rdf", GMX, "-sel", "with"),
    SAME("trajectory rdf", GMX, "-bin", "bin"),
    SAME("trajectory rdf", GMX, "-rmax", "max"),
    SAME_VALUE("trajectory rmsd", GMX, "-fit", "rot+trans", "fit", "rotation"),
    SAME_VALUE("trajectory rmsd", GMX, "-fit", "translation", "fit", "translation"),
    SAME_VALUE("trajectory rmsd", GMX, "-fit", "none", "fit", "none"),
    REFUSED("trajectory rdf", GMX, "-excl", "--exclude leaves out all pairs of one molecule, not the topology's list"),
    REFUSED("trajectory *", GMX, "-dt", "--stride takes every COUNT-th frame"),
    REFUSED("trajectory convert", GMX, "-ndec", "--precision is a power of ten here: 1000 for three decimals"),
    CLASH("trajectory convert", GMX, "-s", "select", "*.tpr", topology_option),
    CLASH("trajectory convert", GMX, "-s", "select", "*.gro", topology_option),
    CLASH("trajectory *", GMX, "-s", "select", "*.tpr", topology_first),
    CLASH("trajectory *", GMX, "-s", "select", "*.gro", topology_first),
    CLASH("trajectory *", GMX, "-s", "select", "*.pdb", topology_first),
    CLASH("trajectory *", GMX, "-o", "output", "*.xvg", folder_here),
    SAME("cluster", GMX, "-method", "method"),
    SAME("cluster", GMX, "-skip", "stride"),
    REFUSED("cluster", GMX, "-f", "the topology and then the trajectories are arguments"),
    REFUSED("cluster", GMX, "-cutoff", "--cutoff is in Å here, or in nm with --units nm"),
    CLASH("cluster", GMX, "-s", "select", "*.tpr", topology_first),
    CLASH("cluster", GMX, "-s", "select", "*.gro", topology_first),
    CLASH("cluster", GMX, "-s", "select", "*.pdb", topology_first),
    /* cpptraj -p … -y … -x … */
    SAME("trajectory *", CPPTRAJ, "-p", "topology"),
    SAME("trajectory *", CPPTRAJ, "-y", "trajectory"),
    SAME("trajectory convert", CPPTRAJ, "-x", "output"),
    REFUSED("trajectory *", CPPTRAJ, "-i", "quern trajectory run reads a plan, which asks many queries at once"),
    /* vina */
    SAME("screen", VINA, "--receptor", "receptor"),
    SAME("screen", VINA, "--ligand", "library"),
    PART("screen", VINA, "--center_x", "box", ",", 0, 6, "confine-atoms"),
    PART("screen", VINA, "--center_y", "box", ",", 1, 6, "confine-atoms"),
    PART("screen", VINA, "--center_z", "box", ",", 2, 6, "confine-atoms"),
    PART("screen", VINA, "--size_x", "box", ",", 3, 6, "confine-atoms"),
    PART("screen", VINA, "--size_y", "box", ",", 4, 6, "confine-atoms"),
    PART("screen", VINA, "--size_z", "box", ",", 5, 6, "confine-atoms"),
    SAME("screen", VINA, "--num_modes", "keep"),
    SAME("screen", VINA, "--min_rmsd", "diversity"),
    SAME("screen", VINA, "--cpu", "threads"),
    SAME("screen", VINA, "--dir", "output"),
    SAME("screen", VINA, "--scoring", "score"),
    SAME("screen", VINA, "--score_only", "score-only"),
    SAME("screen", VINA, "--local_only", "local-only"),
    REFUSED("screen", VINA, "--exhaustiveness", "--effort multiplies the number of steps; 1 is the default"),
    REFUSED("screen", VINA, "--energy_range", "--keep limits the poses by their number"),
    REFUSED("screen", VINA, "--out", "--output names a folder, in which hits.pdbqt has the poses"),
    REFUSED("screen", VINA, "--config", "options are given on the command line"),
    REFUSED("screen", VINA, "--maps", "a run makes its own maps; quern potential --score vina writes them"),
    REFUSED("screen", VINA, "--autobox", "--site lays the box around a known ligand"),
    REFUSED("screen", VINA, "--verbosity", "--quiet prints warnings and errors only"),
    CLASH("screen", VINA, "--flex", "flex", "*.pdbqt", "--flex names residues, and the receptor's file is whole"),
    CLASH("screen", VINA, "--batch", "batch", "*.pdbqt", "the molecules are arguments, LIBRARY"),
    /* relion_reconstruct, relion_project, relion_postprocess, relion_run_motioncorr */
    SAME(NULL, RELION, "--angpix", "pixel"),
    SAME("reconstruct", RELION, "--i", "input"),
    SAME("reconstruct", RELION, "--o", "output"),
    SAME("reconstruct", RELION, "--sym", "symmetry"),
    SAME("reconstruct", RELION, "--maxres", "max-resolution"),
    SAME("reconstruct", RELION, "--pad", "padding"),
    SAME("reconstruct", RELION, "--NN", "fast"),
    SAME("reconstruct", RELION, "--j", "threads"),
    REFUSED("reconstruct", RELION, "--iter", "--weights iterated repeats until the weights have settled"),
    REFUSED("reconstruct", RELION, "--gpu", "--device chooses the GPU, such as cuda:0"),
    SAME("project", RELION, "--i", "map"),
    SAME("project", RELION, "--o", "output"),
    SAME("project", RELION, "--ang", "angles"),
    SAME("project", RELION, "--j", "threads"),
    REFUSED("project", RELION, "--nr_uniform", "--views spreads directions evenly, not at random"),
    REFUSED("project", RELION, "--add_noise", "--noise takes a ratio of signal to noise"),
    SAME("fsc", RELION, "--i", "half-1"),
    SAME("fsc", RELION, "--i2", "half-2"),
    SAME_VALUE("fsc", RELION, "--auto_mask", NULL, "mask", "auto"),
    SAME("fsc", RELION, "--extend_inimask", "extend"),
    SAME("fsc", RELION, "--width_mask_edge", "soft-edge"),
    SAME("fsc", RELION, "--randomize_at_fsc", "randomise-below"),
    REFUSED("fsc", RELION, "--inimask_threshold", "--threshold is of the map after --low-pass"),
    REFUSED("fsc", RELION, "--low_pass", "--low-pass is of the map of which --mask auto makes a mask"),
    REFUSED("fsc", RELION, "--o", "--output names a folder, not the beginning of files' names"),
    SAME("movie", RELION, "--i", "movie"),
    SAME("movie", RELION, "--o", "output"),
    SAME("movie", RELION, "--dose_per_frame", "dose"),
    SAME("movie", RELION, "--preexposure", "pre-dose"),
    SAME("movie", RELION, "--gainref", "gain"),
    SAME("movie", RELION, "--gain_rot", "gain-rotate"),
    SAME("movie", RELION, "--gain_flip", "gain-flip"),
    SAME("movie", RELION, "--defect_file", "defects"),
    SAME("movie", RELION, "--eer_grouping", "eer-group"),
    SAME("movie", RELION, "--eer_upsampling", "eer-upsampling"),
    SAME("movie", RELION, "--bin_factor", "bin"),
    SAME("movie", RELION, "--even_odd_split", "even-odd"),
    SAME("movie", RELION, "--j", "threads"),
    PART("movie", RELION, "--patch_x", "patches", "x", 0, 2, NULL),
    PART("movie", RELION, "--patch_y", "patches", "x", 1, 2, NULL),
    REFUSED("movie", RELION, "--first_frame_sum", "--frames takes the first and the last, such as 2-30"),
    REFUSED("movie", RELION, "--last_frame_sum", "--frames takes the first and the last, such as 2-30"),
    REFUSED("movie", RELION, "--dose_weighting", "frames are weighted if --dose is given; --no-dose-weight does not"),
    REFUSED("movie", RELION, "--bfactor", "--filter takes B of exp(-2Bk²)"),
    SAME("movie", MOTIONCOR, "-InMrc", "movie"),
    SAME("movie", MOTIONCOR, "-InTiff", "movie"),
    SAME("movie", MOTIONCOR, "-InEer", "movie"),
    SAME("movie", MOTIONCOR, "-PixSize", "pixel"),
    SAME("movie", MOTIONCOR, "-kV", "voltage"),
    SAME("movie", MOTIONCOR, "-FmDose", "dose"),
    SAME("movie", MOTIONCOR, "-InitDose", "pre-dose"),
    SAME("movie", MOTIONCOR, "-FmIntFile", "fractions"),
    SAME("movie", MOTIONCOR, "-Gain", "gain"),
    SAME("movie", MOTIONCOR, "-RotGain", "gain-rotate"),
    SAME("movie", MOTIONCOR, "-FlipGain", "gain-flip"),
    SAME("movie", MOTIONCOR, "-Dark", "dark"),
    SAME("movie", MOTIONCOR, "-FtBin", "bin"),
    REFUSED("movie", MOTIONCOR, "-OutMrc", "--output names a folder"),
    REFUSED("movie", MOTIONCOR, "-Patch", "--patches takes the numbers as 5x5"),
    REFUSED("movie", MOTIONCOR, "-Gpu", "--device chooses the GPU, such as cuda:0"),
    /* haddock3: keys of its workflow file; ZDOCK's letters */
    SAME("dock", DOCKING, "--receptor", "receptor"),
    SAME("dock", DOCKING, "--ligand", "ligand"),
    SAME("dock", HADDOCK, "--ambig_fname", "restraints"),
    REFUSED("dock", HADDOCK, "--unambig_fname", "--restraints takes one file with all restraints"),
    REFUSED("dock", HADDOCK, "--molecules", "RECEPTOR and LIGAND are arguments"),
    REFUSED("dock", HADDOCK, "--sampling", "--rotations is the number of rotations that are searched"),
    REFUSED("dock", HADDOCK, "--restart", "--resume goes on with an interrupted run"),
    REFUSED("evaluate", HADDOCK, "--reference_fname", "--reference takes two structures, one for each partner"),
    SAME("dock", ZDOCK, "-R", "receptor"),
    SAME("dock", ZDOCK, "-L", "ligand"),
    SAME("dock", ZDOCK, "-N", "keep"),
    REFUSED("dock", ZDOCK, "-D", "--rotations is the number of rotations that are searched"),
    CLASH("dock", ZDOCK, "-o", "output", "*.out", "--output names a folder, in which --zdock writes zdock.out"),
    /* tune_kernel of Kernel Tuner: names of its arguments */
    SAME_VALUE("tune run", TUNER, "--strategy", "brute_force", "searcher", "full"),
    SAME_VALUE("tune run", TUNER, "--strategy", "random_sample", "searcher", "random"),
    SAME_VALUE("tune run", TUNER, "--strategy", "simulated_annealing", "searcher", "anneal"),
    SAME_VALUE("tune run", TUNER, "--strategy", "dual_annealing", "searcher", "dual"),
    SAME_VALUE("tune run", TUNER, "--strategy", "basinhopping", "searcher", "basin"),
    SAME_VALUE("tune run", TUNER, "--strategy", "diff_evo", "searcher", "evolution"),
    SAME_VALUE("tune run", TUNER, "--strategy", "pso", "searcher", "swarm"),
    SAME("tune run", TUNER, "--max_fevals", "tests"),
    SAME("tune run", TUNER, "--time_limit", "budget"),
    SAME("tune run", TUNER, "--problem_size", "size"),
    REFUSED("tune run", TUNER, "--cache",
            "--store has a format of its own; quern tune export --format kernel-tuner "
            "writes a cache"),
    REFUSED("tune run", TUNER, "--iterations", "--precision says how well a time must be known"),
    CLASH("tune run", TUNER, "--objective", "objective", "time", "the time of a run is seconds"),
    CLASH("tune run", TUNER, "--objective", "objective", "energy", "the energy of a run is joules"),
    {0}};

/* ---- which words a command takes ---- */

/* A scope that ends in a star is of all actions of a command. */
static bool is_in_scope(const char *scope, const char *name)
{
    const size_t length = scope ? strlen(scope) : 0;
    if (length > 0 && scope[length - 1] == '*') return strncmp(scope, name, length - 1) == 0;
    return !scope || strcmp(scope, name) == 0;
}

bool cli_word_applies(const cli_word *word, const cli_command *command, const cli_part *parts, qn_option *row,
                      size_t *part)
{
    size_t index = 0;
    *part = 0;
    if (!is_in_scope(word->scope, command->name)) return false;
    if (word->kind == CLI_WORD_REFUSED) return true;
    while (cli_row_next(parts, part, &index, row))
        if (strcmp(row->name, word->option) == 0) return true;
    return false;
}

bool cli_word_clashes(const cli_command *command, const qn_option *row, const char *value, char *message, size_t bytes)
{
    for (const cli_word *word = cli_words; word->word; word++) {
        if (word->kind != CLI_WORD_CLASH || strcmp(word->option, row->name) != 0) continue;
        if (!is_in_scope(word->scope, command->name) || fnmatch(word->value, value, 0) != 0) continue;
        snprintf(message, bytes, "%s %s is as in %s; %s", word->word, value, word->program, word->advice);
        return true;
    }
    return false;
}

/* ---- help ---- */

/* Write the option or argument that the word stands for. */
static void describe(const cli_word *word, const qn_option *row, char *text, size_t bytes)
{
    const char *dashes = row->kind == QN_OPTION_UNLESS ? "--no-" : "--";
    if (row->group == QN_OPTION_ARGUMENT)
        snprintf(text, bytes, "%s", row->argument);
    else
        snprintf(text, bytes, "%s%s%s%s%s%s", dashes, row->name, word->gives && !word->value ? " " : "",
                 word->gives && !word->value ? word->gives : "", word->also ? " --" : "", word->also ? word->also : "");
}

/* Whether the entry before is of the same word, so that the help names it once. */
static bool is_repeated(const cli_word *word)
{
    return word > cli_words && word[-1].kind == word->kind && strcmp(word[-1].word, word->word) == 0;
}

static bool is_taken(const cli_word *word)
{
    return word->kind == CLI_WORD_SAME || word->kind == CLI_WORD_PART;
}

/* Append the words of one program, "--num_modes (--keep), …". Words that follow each other and stand for the same are
 * put together: "--center_x --center_y (--box)". */
static size_t list_words(const cli_command *command, const cli_part *parts, const char *program, char *text,
                         size_t bytes)
{
    char meaning[128] = "", next[128];
    size_t used = 0, part;
    qn_option row;
    text[0] = '\0';
    for (const cli_word *word = cli_words; word->word; word++) {
        if (!is_taken(word) || strcmp(word->program, program) != 0 || is_repeated(word)) continue;
        if (!cli_word_applies(word, command, parts, &row, &part)) continue;
        describe(word, &row, next, sizeof next);
        const char *before = used == 0 ? "" : strcmp(next, meaning) == 0 ? " " : NULL;
        if (!before) used += (size_t)snprintf(text + used, bytes - used, " (%s), ", meaning);
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", before ? before : "", word->word);
        snprintf(meaning, sizeof meaning, "%s", next);
    }
    if (used > 0) used += (size_t)snprintf(text + used, bytes - used, " (%s)", meaning);
    return used;
}

void cli_words_print_help(const cli_command *command, const cli_part *parts, FILE *stream)
{
    static const char *const programs[] = {GMX, CPPTRAJ, VINA, RELION, MOTIONCOR, HADDOCK, ZDOCK, DOCKING, TUNER};
    char text[1024];
    bool titled = false;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (list_words(command, parts, programs[i], text, sizeof text) == 0) continue;
        if (!titled) fputs("\nAlso accepted, as in:\n", stream);
        titled = true;
        cli_help_print_entry(stream, programs[i], text);
    }
}

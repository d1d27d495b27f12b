/* The options of quern screen, screen pack and screen deck. */
#include <quern/screen.h>
#include <string.h>

#include "base/error.h"
#include "option/run_rows.h"
#include "screen/poses.h"

#define FIELD(name) offsetof(qn_screen_options, name)
#define RUN FIELD(run)

/* ---- screen ---- */

static const qn_option rows[] = {
    {.name = "receptor",
     .kind = QN_OPTION_TEXT,
     .group = QN_OPTION_ARGUMENT,
     .argument = "RECEPTOR",
     .offset = FIELD(receptor),
     .required = true,
     .by_commands = true,
     .meaning = "kept in place: PDB, mmCIF, PDBQT or MOL2, gzipped or not; FILE:AB picks chains A and B of the first "
                "two"},
    {.name = "library",
     .kind = QN_OPTION_TEXTS,
     .group = QN_OPTION_ARGUMENT,
     .argument = "LIBRARY",
     .offset = FIELD(libraries),
     .required = true,
     .by_commands = true,
     .meaning = "molecules to dock, one file or several: SDF, MOL2, PDBQT, a packed library (.qlib), or SMILES (.smi) "
                "where Open Babel is installed; gzipped or not"},
    {.name = "output",
     .is_output = true,
     .letter = 'o',
     .kind = QN_OPTION_PATH,
     .argument = "FOLDER",
     .offset = FIELD(output),
     .required = true,
     .by_commands = true,
     .meaning = "folder for the results, made when absent; --resume goes on with an earlier run in it, --overwrite "
                "replaces it"},
    {.name = "box",
     .letter = 'b',
     .kind = QN_OPTION_BOX,
     .argument = "X,Y,Z,SIDE",
     .offset = FIELD(box_centre_angstrom),
     .most = 1e6,
     .unit = "angstrom",
     .fallback_meaning = "",
     .meaning = "cube in Å that the molecule's centroid stays in: its centre and side, or three sides"},
    {.name = "site",
     .letter = 's',
     .kind = QN_OPTION_PATH,
     .argument = "FILE",
     .offset = FIELD(site),
     .meaning = "lay the box around a ligand that sits in the site: SDF, MOL2, PDBQT, PDB or mmCIF; the same ligand is "
                "left out of the receptor"},
    {.name = "pocket",
     .letter = 'p',
     .kind = QN_OPTION_TEXT,
     .argument = "RESIDUES",
     .offset = FIELD(pocket),
     .meaning = "take the box from the receptor's residues that line the site, such as A:30-40,A:77"},
    {.name = "margin",
     .kind = QN_OPTION_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(margin_angstrom),
     .least = 0.5,
     .most = 100,
     .fallback = "6",
     .unit = "angstrom",
     .meaning = "how far from the centroid of --site a molecule's centroid may be, in Å along each axis"},
    {.name = "score",
     .kind = QN_OPTION_ENUM,
     .argument = "NAME",
     .offset = FIELD(score),
     .choices = "bude vina",
     .fallback = "vina",
     .meaning = "scoring function: AutoDock Vina's (kcal/mol) or, with --rigid, BUDE's empirical free energy (kJ/mol)"},
    {.name = "flexible",
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(flexible),
     .meaning = "turn the rotatable bonds of each molecule, as is done without --rigid"},
    {.name = "rigid",
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(rigid),
     .meaning = "dock each molecule in its conformers, whose bonds do not turn"},
    {.name = "conformers",
     .letter = 'c',
     .kind = QN_OPTION_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(conformers),
     .least = 0,
     .most = 10000,
     .fallback_meaning = "those in the file",
     .meaning = "with --rigid, conformers of each molecule; made by turning rotatable bonds where the file has fewer"},
    {.name = "generations",
     .letter = 'g',
     .kind = QN_OPTION_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(generations),
     .least = 1,
     .most = 1000,
     .fallback = "55",
     .meaning = "with --rigid, generations of poses in each round"},
    {.name = "rounds",
     .kind = QN_OPTION_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(rounds),
     .least = 1,
     .most = QN_SCREEN_ROUNDS_MAX,
     .fallback = "12",
     .meaning =
         "with --rigid, independent searches of a conformer, at most: they end when four of them have found the lowest "
         "energy"},
    {.name = "poses",
     .letter = 'n',
     .kind = QN_OPTION_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(poses),
     .least = 0,
     .most = 1 << 20,
     .fallback_meaning = "256 for each 7500 Å³ of the box, up to 4096",
     .meaning = "with --rigid, poses of a generation, a multiple of 64"},
    {.name = "keep",
     .letter = 'k',
     .kind = QN_OPTION_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(keep),
     .least = 1,
     .most = QN_SCREEN_KEPT_MAX,
     .fallback = "3",
     .meaning = "poses of a molecule that are written, at most; does not change the search"},
    {.name = "diversity",
     .kind = QN_OPTION_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(diversity_angstrom),
     .least = 0,
     .most = 100,
     .fallback = "2",
     .unit = "angstrom",
     .meaning = "smallest RMSD in Å between these poses; equivalent atoms may change places"},
    {.name = "top",
     .kind = QN_OPTION_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(top),
     .least = 0,
     .most = 1000000,
     .fallback = "100",
     .meaning = "best molecules whose poses go into hits.sdf"},
    {.name = "actives",
     .kind = QN_OPTION_TEXT,
     .argument = "WHICH",
     .offset = FIELD(actives),
     .meaning = "names of molecules known to bind, one a line, or the library's data item that marks them, NAME=VALUE: "
                "the report then says how well they were found (ROC, enrichment)"},
    {.name = "exact",
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(exact),
     .meaning = "only correctly rounded operations: the same bytes on every device, more slowly"},
    {.name = "cull",
     .kind = QN_OPTION_UNLESS,
     .offset = FIELD(cull),
     .meaning = "compute the pairs with receptor atoms out of reach, too: the same energies, several times more "
                "slowly"},
    {.name = "types",
     .kind = QN_OPTION_ENUM,
     .argument = "WHICH",
     .offset = FIELD(types),
     .choices = "own file",
     .fallback = "own",
     .meaning = "where atom types and rotatable bonds come from: own, by chemistry; file, as PDBQT "
                "files of receptor and library state them, to compare with AutoDock Vina"},
    {.name = "score-only",
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(score_only),
     .meaning = "score the library's poses as they are; needs no box"},
    {.name = "local-only",
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(local_only),
     .meaning = "minimise the energy from the library's poses; needs no box"},
    {.name = "walkers",
     .kind = QN_OPTION_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(walkers),
     .least = 1,
     .most = 4096,
     .fallback = "64",
     .meaning = "chains of a molecule that are searched on, of four times as many"},
    {.name = "effort",
     .kind = QN_OPTION_NUMBER,
     .argument = "FACTOR",
     .offset = FIELD(effort),
     .least = 0.01,
     .most = 1000,
     .fallback = "1",
     .meaning = "factor of the number of steps"},
    {.name = "confine-atoms",
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(confine_atoms),
     .meaning = "keep all atoms in the box, as AutoDock Vina does, not the centroid alone"},
    {.name = "flex",
     .kind = QN_OPTION_TEXTS,
     .argument = "RESIDUES",
     .offset = FIELD(flex),
     .meaning = "side chains of the receptor that turn, too, up to 8, such as A:TRP177,A:45; may be "
                "repeated"},
    {.name = "receptor-energy",
     .kind = QN_OPTION_ENUM,
     .argument = "HOW",
     .offset = FIELD(receptor_energy),
     .choices = "maps exact",
     .fallback = "maps",
     .meaning = "minimise the best pose of each chain with maps of the receptor, or again with its "
                "atoms; the energies that are written are exact in any case"},
    {.like = &qn_run_rows[QN_RUN_STRICT], .offset = RUN, .meaning = "exit with 1 when molecules were rejected"},
    {.like = &qn_run_rows[QN_RUN_SEED], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_MEMORY],
     .offset = RUN,
     .fallback_meaning = "no limit",
     .meaning = "refuse a run, not --rigid, that would take more main memory"},
    {.like = &qn_run_rows[QN_RUN_BATCH],
     .offset = RUN,
     .most = 1024,
     .fallback_meaning = "chosen from the device's memory",
     .meaning = "with --rigid, conformers computed together; changes speed and memory, not results"},
    {.like = &qn_run_rows[QN_RUN_RESUME], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_OVERWRITE], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_DEVICES], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_THREADS], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_TUNE], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_TUNE_BUDGET], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_EXPLAIN], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_QUIET], .offset = RUN},
    {0}};

/* Options of molecules whose bonds turn, and of rigid ones. */
static const char *const of_flexible[] = {"flexible", "score-only",    "local-only",      "types",  "flex", "walkers",
                                          "effort",   "confine-atoms", "receptor-energy", "memory", NULL};
static const char *const of_rigid[] = {"conformers", "generations", "rounds", "poses", "exact", "cull", "batch", NULL};

static bool is_among(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0) names++;
    return *names != NULL;
}

static qn_status check_given(const void *memory, const char *name)
{
    const qn_screen_options *options = memory;
    const bool is_bude = strcmp(name, "score") == 0 && options->score == QN_SCREEN_BUDE;
    const char *shown = is_bude ? "score bude" : strcmp(name, "cull") == 0 ? "no-cull" : name;
    if (options->rigid && is_among(name, of_flexible))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--%s is of molecules whose bonds turn, but --rigid is given; expected one of the two", shown);
    if (!options->rigid && (is_bude || is_among(name, of_rigid)))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--%s is of rigid molecules, but bonds turn; expected --rigid too, or no --%s", shown, shown);
    return QN_OK;
}

static qn_status check_rigid(const qn_screen_options *options)
{
    const bool is_vina = options->score == QN_SCREEN_VINA;
    if (options->poses % 64 != 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "--poses is \"%d\"; expected a multiple of 64", options->poses);
    if (is_vina && options->exact)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--score vina has no exact form, its exponentials are not correctly rounded; "
                       "expected --score bude, or no --exact");
    if (is_vina && !options->cull)
        return QN_FAIL(QN_INVALID_ARGUMENT, "--no-cull belongs to --score bude, but --score is \"vina\"");
    return QN_OK;
}

static qn_status check_flexible(const qn_screen_options *options)
{
    if (options->score_only && options->local_only)
        return QN_FAIL(QN_INVALID_ARGUMENT, "--score-only and --local-only are both given; expected one of them");
    if (options->flex_count > 0 && options->confine_atoms)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--confine-atoms keeps side chains of --flex in the box too; expected one of "
                       "the two");
    return QN_OK;
}

static qn_status check(const void *memory)
{
    const qn_screen_options *options = memory;
    const bool has_box = options->box_side_angstrom[0] != 0, has_site = options->site || options->site_content;
    const double usual_margin = qn_screen_default_options().margin_angstrom;
    const int places = has_box + has_site + (options->pocket != NULL);
    QN_TRY(options->rigid ? check_rigid(options) : check_flexible(options));
    if (places > 1 || (places == 0 && !options->score_only && !options->local_only))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "expected exactly one of --box, --site and --pocket, which say where to dock");
    if (!has_site && options->margin_angstrom != usual_margin)
        return QN_FAIL(QN_INVALID_ARGUMENT, "--margin is \"%g\", but there is no --site; expected one",
                       options->margin_angstrom);
    return QN_OK;
}

static const qn_option_table table = {"screen", sizeof(qn_screen_options), rows, check, check_given};

const qn_option_table *qn_screen_option_table(void)
{
    return &table;
}

/* ---- screen pack ---- */

static const qn_option pack_rows[] = {
    {.name = "library",
     .kind = QN_OPTION_TEXTS,
     .group = QN_OPTION_ARGUMENT,
     .argument = "LIBRARY",
     .offset = offsetof(qn_screen_pack_options, libraries),
     .required = true,
     .by_commands = true,
     .meaning = "files to pack: SDF, MOL2, PDBQT, a packed library (.qlib), or SMILES (.smi) where Open Babel is "
                "installed; gzipped or not; - is standard input"},
    {.name = "output",
     .is_output = true,
     .letter = 'o',
     .kind = QN_OPTION_PATH,
     .argument = "FILE",
     .offset = offsetof(qn_screen_pack_options, output),
     .required = true,
     .by_commands = true,
     .meaning = "the packed library to write, such as library.qlib; rejected molecules are listed beside it in "
                "FILE.rejected.csv"},
    {.like = &qn_run_rows[QN_RUN_STRICT],
     .offset = offsetof(qn_screen_pack_options, run),
     .meaning = "exit with 1 when molecules were rejected"},
    {.like = &qn_run_rows[QN_RUN_QUIET], .offset = offsetof(qn_screen_pack_options, run)},
    {0}};

static const qn_option_table pack_table = {"screen pack", sizeof(qn_screen_pack_options), pack_rows, NULL};

const qn_option_table *qn_screen_pack_option_table(void)
{
    return &pack_table;
}

/* ---- screen deck ---- */

static const qn_option deck_rows[] = {
    {.name = "deck",
     .kind = QN_OPTION_PATH,
     .group = QN_OPTION_ARGUMENT,
     .argument = "DECK",
     .offset = offsetof(qn_screen_deck_options, folder),
     .required = true,
     .meaning = "folder of a miniBUDE deck: ligand.in, protein.in, forcefield.in, poses.in, ref_energies.out"},
    {.name = "poses",
     .letter = 'n',
     .kind = QN_OPTION_INTEGER,
     .argument = "COUNT",
     .offset = offsetof(qn_screen_deck_options, poses),
     .least = 0,
     .most = 1e9,
     .fallback_meaning = "all",
     .meaning = "score only the first COUNT poses"},
    {.name = "energies",
     .kind = QN_OPTION_PATH,
     .argument = "FILE",
     .offset = offsetof(qn_screen_deck_options, energies),
     .meaning = "write the energies to FILE, one a line"},
    {.name = "exact",
     .kind = QN_OPTION_FLAG,
     .offset = offsetof(qn_screen_deck_options, exact),
     .meaning = "only correctly rounded operations: the same bytes on every device, more slowly"},
    {.name = "cull",
     .kind = QN_OPTION_UNLESS,
     .offset = offsetof(qn_screen_deck_options, cull),
     .meaning = "compute the pairs with receptor atoms out of reach, too: the same energies, several times more "
                "slowly"},
    {.like = &qn_run_rows[QN_RUN_DEVICE], .offset = offsetof(qn_screen_deck_options, run)},
    {.like = &qn_run_rows[QN_RUN_THREADS], .offset = offsetof(qn_screen_deck_options, run)},
    {.like = &qn_run_rows[QN_RUN_EXPLAIN], .offset = offsetof(qn_screen_deck_options, run)},
    {.like = &qn_run_rows[QN_RUN_QUIET], .offset = offsetof(qn_screen_deck_options, run)},
    {0}};

static const qn_option_table deck_table = {"screen deck", sizeof(qn_screen_deck_options), deck_rows, NULL};

const qn_option_table *qn_screen_deck_option_table(void)
{
    return &deck_table;
}

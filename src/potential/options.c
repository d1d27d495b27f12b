/* The options of quern potential. */
#include <quern/potential.h>

#include "base/error.h"
#include "option/run_rows.h"
#include "potential/maps/model.h"

#define FIELD(name) offsetof(qn_potential_options, name)
#define RUN FIELD(run)

static const qn_option rows[] = {
    {.name = "receptor",
     .kind = QN_OPTION_PATH,
     .group = QN_OPTION_ARGUMENT,
     .argument = "RECEPTOR",
     .offset = FIELD(receptor),
     .meaning =
         "PDBQT with charges and AutoDock's atom types, or PDB or mmCIF, which get them (\"file:AB\" picks chains); "
         "may be left out where --gpf names it"},
    {.name = "gpf",
     .letter = 'p',
     .kind = QN_OPTION_PATH,
     .argument = "FILE",
     .offset = FIELD(gpf),
     .meaning =
         "AutoGrid's grid parameter file, instead of options of the grid, the types and the energies; its paths are "
         "relative to the working folder"},
    {.name = "output",
     .is_output = true,
     .letter = 'o',
     .kind = QN_OPTION_PATH,
     .argument = "FOLDER",
     .offset = FIELD(output),
     .fallback_meaning = "the files that --gpf names",
     .meaning = "folder of the maps, absent or empty"},
    {.name = "center",
     .kind = QN_OPTION_TEXT,
     .argument = "X,Y,Z",
     .offset = FIELD(centre),
     .fallback = "auto",
     .meaning = "middle of the grid in Å; auto: the mean of the receptor's atoms"},
    {.name = "size",
     .kind = QN_OPTION_TEXT,
     .argument = "AxBxC",
     .offset = FIELD(extent),
     .meaning = "extent of the grid in Å, such as 60x60x60, rounded up to an even number of spacings"},
    {.name = "npts",
     .kind = QN_OPTION_SIZES,
     .argument = "NxNxN",
     .offset = FIELD(npts),
     .count = 3,
     .least = 0,
     .most = 2048,
     .meaning = "instead of --size: even numbers of spacings along each axis, as in grid parameter files"},
    {.name = "spacing",
     .kind = QN_OPTION_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(spacing_angstrom),
     .least = 0.001,
     .most = 100,
     .fallback = "0.375",
     .unit = "angstrom",
     .meaning = "distance of the points in Å"},
    {.name = "types",
     .kind = QN_OPTION_TEXT,
     .argument = "TYPES",
     .offset = FIELD(types),
     .fallback_meaning = "A,C,HD,N,NA,OA, or all of Vina's",
     .meaning = "AutoDock's atom types of the probes, a map for each, or all; with --score vina Vina's types, such as "
                "C_H,N_DA,O_A"},
    {.name = "ligand",
     .kind = QN_OPTION_PATH,
     .argument = "FILE",
     .offset = FIELD(ligand),
     .meaning = "take the types of a ligand or of a library: SDF, MOL2, PDBQT or SMILES"},
    {.name = "site",
     .kind = QN_OPTION_PATH,
     .argument = "FILE",
     .offset = FIELD(site),
     .meaning = "lay the grid around this known ligand: SDF, MOL2, PDBQT, PDB or mmCIF; it is left out of a receptor "
                "of PDB or mmCIF"},
    {.name = "margin",
     .kind = QN_OPTION_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(margin_angstrom),
     .least = 0,
     .most = 1000,
     .fallback = "4",
     .unit = "angstrom",
     .meaning = "distance in Å from the known ligand's atoms to the sides of the grid"},
    {.name = "score",
     .kind = QN_OPTION_ENUM,
     .argument = "NAME",
     .offset = FIELD(score),
     .choices = "autodock vina both",
     .fallback = "autodock",
     .meaning = "whose maps: those of AutoDock 4, of AutoDock Vina (vina --maps), or both"},
    {.name = "format",
     .kind = QN_OPTION_TEXT,
     .argument = "FORMATS",
     .offset = FIELD(format),
     .fallback = "map",
     .meaning = "formats of the maps, separated by commas: map as AutoGrid, dx (OpenDX), mrc"},
    {.name = "smooth",
     .kind = QN_OPTION_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(smooth_angstrom),
     .least = 0,
     .most = 20,
     .fallback = "0.5",
     .unit = "angstrom",
     .meaning = "width of the window in which the least energy of two atoms counts"},
    {.name = "dielectric",
     .kind = QN_OPTION_NUMBER,
     .argument = "VALUE",
     .offset = FIELD(dielectric),
     .least = -1e6,
     .most = 1e6,
     .fallback = "-0.1465",
     .meaning = "dielectric constant; a number below 0: it depends on distance, after Mehler and Solmajer"},
    {.name = "parameters",
     .kind = QN_OPTION_PATH,
     .argument = "FILE",
     .offset = FIELD(parameters),
     .fallback_meaning = "those of AutoGrid 4.2.6",
     .meaning = "parameters of atom types in the format of AD4.1_bound.dat, for types that AutoGrid lacks"},
    {.name = "coulomb",
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(coulomb),
     .meaning = "instead of all maps, the plain potential of the charges in kcal/mol/e, 332.06371 q/r over all atoms; "
                "--output is the file, .mrc or .dx"},
    {.like = &qn_run_rows[QN_RUN_RESUME], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_OVERWRITE], .offset = RUN, .meaning = "replace the maps of an earlier run"},
    {.like = &qn_run_rows[QN_RUN_DEVICES], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_THREADS], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_MEMORY],
     .offset = RUN,
     .fallback_meaning = "half of the machine's, shared among ranks"},
    {.like = &qn_run_rows[QN_RUN_TUNE], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_TUNE_BUDGET], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_EXPLAIN], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_QUIET], .offset = RUN},
    {0}};

/* Refuse options whose values are in a grid parameter file. */
static qn_status check_beside_file(const qn_potential_options *options)
{
    static const char *const names[] = {"center",     "size",       "npts",   "spacing", "types", "smooth",
                                        "dielectric", "parameters", "ligand", "site",    "margin"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        qn_option row;
        if (qn_option_find(qn_potential_option_table(), names[i], &row) && !qn_option_is_default(&row, options))
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "--%s is given beside --gpf, which has this value; expected one of the two", names[i]);
    }
    return QN_OK;
}

/* Refuse options that plain sums do not use: those need charges and positions only. */
static qn_status check_beside_coulomb(const qn_potential_options *options)
{
    static const char *const names[] = {"gpf",        "types",  "smooth", "dielectric",
                                        "parameters", "ligand", "score",  "format"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        qn_option row;
        if (qn_option_find(qn_potential_option_table(), names[i], &row) && !qn_option_is_default(&row, options))
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "--%s is given beside --coulomb, which has no use for it; expected one of the two",
                           names[i]);
    }
    return QN_OK;
}

static qn_status check(const void *memory)
{
    const qn_potential_options *options = memory;
    if (options->dielectric >= 0 && options->dielectric < QN_POTENTIAL_DIELECTRIC_LEAST)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--dielectric is %g; expected a constant from 0.001 on, or a number below 0 for one that "
                       "depends on distance",
                       options->dielectric);
    if (options->in_memory && options->output)
        return QN_FAIL(QN_INVALID_ARGUMENT, "in_memory is set, and the output is %s; expected one of the two",
                       options->output);
    if (options->coulomb) QN_TRY(check_beside_coulomb(options));
    if (options->gpf) return check_beside_file(options);
    if (!options->receptor)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "no receptor is given; expected a PDBQT, PDB or mmCIF file, or --gpf with a file that "
                       "names one");
    if (options->ligand && options->types)
        return QN_FAIL(QN_INVALID_ARGUMENT, "--ligand and --types are both given; expected one of the two");
    qn_option margin;
    if (!options->site && qn_option_find(qn_potential_option_table(), "margin", &margin) &&
        !qn_option_is_default(&margin, options))
        return QN_FAIL(QN_INVALID_ARGUMENT, "--margin is \"%g\", but there is no --site; expected one",
                       options->margin_angstrom);
    if (options->site && !options->extent && !options->npts[0]) return QN_OK;
    if (!options->extent == !options->npts[0])
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s; expected one of --size, --npts and --site, or --gpf with a file that has npts",
                       options->extent ? "--size and --npts are both given" : "the extent of the grid is not given");
    return QN_OK;
}

static const qn_option_table table = {"potential", sizeof(qn_potential_options), rows, check};

const qn_option_table *qn_potential_option_table(void)
{
    return &table;
}

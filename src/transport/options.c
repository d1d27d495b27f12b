/* The options of quern transport. */
#include <quern/transport.h>

#include <string.h>

#include "base/error.h"
#include "option/run_rows.h"

#define FIELD(name) offsetof(qn_transport_options, name)
#define RUN FIELD(run)

static const qn_option rows[] = {
    {.name = "inputs",
     .kind = QN_OPTION_TEXTS,
     .group = QN_OPTION_ARGUMENT,
     .argument = "FILE",
     .offset = FIELD(inputs),
     .required = true,
     .meaning = "receptors (PDB, mmCIF, PDBQT; \"file:AB\" picks chains) and ligands (SDF, MOL2, PDBQT with ROOT, a "
                "packed library, or SMILES where Open Babel is installed), told apart by their content"},
    {.name = "output",
     .is_output = true,
     .letter = 'o',
     .kind = QN_OPTION_PATH,
     .argument = "FOLDER",
     .offset = FIELD(output),
     .required = true,
     .by_commands = true,
     .meaning = "folder of the results, absent or empty"},
    {.name = "tunnel",
     .kind = QN_OPTION_TEXTS,
     .argument = "FILE",
     .offset = FIELD(tunnels),
     .required = true,
     .meaning = "tunnel as CAVER's PDB or as .dsd, or a folder of quern tunnel (may be given several times)"},
    {.name = "direction",
     .kind = QN_OPTION_TEXT,
     .argument = "WAY",
     .offset = FIELD(direction),
     .required = true,
     .meaning = "in: from the surface inwards; or out"},
    {.name = "bound",
     .kind = QN_OPTION_ENUM,
     .argument = "WHICH",
     .offset = FIELD(bound),
     .choices = "both lower upper",
     .fallback = "both",
     .meaning = "bounds of the energy along the way: lower, each disc by itself; upper, a way in small steps; or both"},
    {.name = "types",
     .kind = QN_OPTION_ENUM,
     .argument = "WHICH",
     .offset = FIELD(types),
     .choices = "own file",
     .fallback = "own",
     .meaning =
         "where atom types and rotatable bonds come from: own, by chemistry; file, as PDBQT files state them, to "
         "compare with AutoDock Vina and CaverDock"},
    {.name = "drag",
     .kind = QN_OPTION_TEXT,
     .argument = "ATOM",
     .offset = FIELD(drag),
     .fallback_meaning = "the heavy atom nearest the centroid",
     .meaning = "atom of the ligand that goes from disc to disc: its number, from 1, or a name that no other "
                "atom has"},
    {.name = "delta",
     .kind = QN_OPTION_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(delta_angstrom),
     .least = 0.01,
     .most = 2,
     .fallback = "0.3",
     .unit = "angstrom",
     .meaning = "distance in Å between the rims of neighbouring discs, at most, where discs are made of spheres"},
    {.name = "extend",
     .kind = QN_OPTION_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(extend_angstrom),
     .least = 0,
     .most = 100,
     .fallback = "2",
     .unit = "angstrom",
     .meaning = "length in Å by which the tunnel goes on beyond its mouth, by a disc every 0.2 Å"},
    {.name = "effort",
     .kind = QN_OPTION_NUMBER,
     .argument = "FACTOR",
     .offset = FIELD(effort),
     .least = 0.01,
     .most = 1000,
     .fallback = "1",
     .meaning = "times the usual number of random starts on a disc"},
    {.name = "poses",
     .kind = QN_OPTION_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(poses),
     .least = 1,
     .most = 1000,
     .fallback = "24",
     .meaning = "poses of low energy that are kept on a disc, and that travel at once"},
    {.name = "continuity",
     .kind = QN_OPTION_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(continuity_angstrom),
     .least = 0.05,
     .most = 10,
     .fallback = "0.8",
     .unit = "angstrom",
     .meaning = "distance in Å that no atom exceeds in a step of the upper bound"},
    {.name = "rounds",
     .kind = QN_OPTION_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(rounds),
     .most = 1000,
     .fallback = "8",
     .meaning = "rounds of improving the upper bound at its highest place, at most"},
    {.name = "objective",
     .kind = QN_OPTION_ENUM,
     .argument = "WHICH",
     .offset = FIELD(objective),
     .choices = "max sum",
     .fallback = "max",
     .meaning = "what the upper bound's way has least: max, its highest energy; or sum, the sum of its energies"},
    {.name = "schedule",
     .kind = QN_OPTION_ENUM,
     .argument = "WHICH",
     .offset = FIELD(schedule),
     .choices = "roadmap published",
     .fallback = "roadmap",
     .meaning =
         "search of the upper bound: roadmap, from both ends; or published, forward with four poses as CaverDock "
         "does, to compare"},
    {.like = &qn_run_rows[QN_RUN_SEED], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_MEMORY], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_EXPLAIN], .offset = RUN, .meaning = "tell how much memory the run will take"},
    {.like = &qn_run_rows[QN_RUN_RESUME], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_OVERWRITE], .offset = RUN, .meaning = "replace the results of an earlier run"},
    {.like = &qn_run_rows[QN_RUN_THREADS], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_STRICT], .offset = RUN, .meaning = "exit with 1 when ligands were left out"},
    {.like = &qn_run_rows[QN_RUN_QUIET], .offset = RUN},
    {0}};

static qn_status check(const void *memory)
{
    const qn_transport_options *options = memory;
    if (options->direction && strcmp(options->direction, "in") != 0 && strcmp(options->direction, "out") != 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "--direction is \"%s\"; expected in or out", options->direction);
    return QN_OK;
}

const qn_option_table *qn_transport_option_table(void)
{
    static const qn_option_table table = {"transport", sizeof(qn_transport_options), rows, check};
    return &table;
}

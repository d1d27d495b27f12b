/* The options of quern tunnel. */
#include <quern/tunnel.h>

#include "base/error.h"
#include "option/run_rows.h"

#define FIELD(name) offsetof(qn_tunnel_options, name)
#define RUN FIELD(run)

static const qn_option rows[] = {
    {.name = "structure",
     .kind = QN_OPTION_PATH,
     .group = QN_OPTION_ARGUMENT,
     .argument = "STRUCTURE",
     .offset = FIELD(structure),
     .required = true,
     .by_commands = true,
     .meaning = "PDB, mmCIF or PDBQT (\"file:AB\" picks chains); with --frames also another topology, such as TPR"},
    {.name = "start",
     .letter = 's',
     .kind = QN_OPTION_TEXT,
     .argument = "START",
     .offset = FIELD(start),
     .required = true,
     .meaning = "where tunnels begin: the middle of residues or atoms, separated by commas, such as "
                "A:ASP108,A:HIS272 or A:108 or A:HEM or A:145:SG; or a place x,y,z in Å"},
    {.name = "output",
     .is_output = true,
     .letter = 'o',
     .kind = QN_OPTION_PATH,
     .argument = "FOLDER",
     .offset = FIELD(output),
     .required = true,
     .by_commands = true,
     .meaning = "folder of the tunnels, absent or empty"},
    {.name = "frames",
     .letter = 'f',
     .kind = QN_OPTION_TEXTS,
     .argument = "FILE",
     .offset = FIELD(frames),
     .meaning = "trajectory with the structure's atoms, whose frames are superposed on it (may be given several "
                "times): XTC, TRR, DCD, NetCDF, H5MD, GRO or PDB"},
    {.name = "probe",
     .letter = 'p',
     .kind = QN_OPTION_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(probe_angstrom),
     .least = 0.1,
     .most = 20,
     .fallback = "0.9",
     .unit = "angstrom",
     .meaning = "least radius of a tunnel in Å"},
    {.name = "shell-radius",
     .kind = QN_OPTION_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(shell_radius_angstrom),
     .least = 0.1,
     .most = 50,
     .fallback = "3",
     .unit = "angstrom",
     .meaning = "radius in Å of the sphere that tells outside from inside: outside is where it comes from far away"},
    {.name = "shell-depth",
     .kind = QN_OPTION_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(shell_depth_angstrom),
     .least = 0,
     .most = 100,
     .fallback = "4",
     .unit = "angstrom",
     .meaning = "distance in Å from the outside at which tunnels end"},
    {.name = "start-reach",
     .kind = QN_OPTION_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(start_reach_angstrom),
     .least = 0,
     .most = 100,
     .fallback = "3",
     .unit = "angstrom",
     .meaning = "tunnels begin at the widest place within this distance of the start, in Å; 0: at the start itself"},
    {.name = "start-radius",
     .kind = QN_OPTION_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(start_radius_angstrom),
     .least = 0.1,
     .most = 100,
     .fallback = "5",
     .unit = "angstrom",
     .meaning = "places where a sphere of this radius in Å fits are equally good, and the nearest is taken"},
    {.name = "radii",
     .kind = QN_OPTION_PATH,
     .argument = "FILE",
     .offset = FIELD(radii),
     .fallback_meaning = "those of CAVER for H C N O F P S Cl, else Bondi's",
     .meaning = "text file with an element and its radius in Å in each line"},
    {.name = "hydrogens",
     .kind = QN_OPTION_UNLESS,
     .offset = FIELD(hydrogens),
     .meaning = "leave the structure's hydrogens out, which makes tunnels wider"},
    {.name = "walls",
     .kind = QN_OPTION_TEXT,
     .argument = "WHICH",
     .offset = FIELD(walls),
     .fallback = "all",
     .meaning = "residues that are walls: all (without water, and without a ligand that --start names), protein, or "
                "names separated by commas, such as protein,HEM"},
    {.name = "redundant",
     .kind = QN_OPTION_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(redundant_angstrom),
     .least = 0,
     .most = 100,
     .fallback = "1",
     .unit = "angstrom",
     .meaning = "of two tunnels of a frame at a smaller mean distance, in Å, the dearer is left out"},
    {.name = "cluster",
     .kind = QN_OPTION_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(cluster_angstrom),
     .least = 0,
     .most = 1000,
     .fallback = "3.5",
     .unit = "angstrom",
     .meaning = "mean distance in Å up to which tunnels are put into one cluster, by average linkage"},
    {.name = "most",
     .kind = QN_OPTION_WHOLE,
     .argument = "COUNT",
     .offset = FIELD(most),
     .least = 1,
     .most = 10000,
     .fallback = "50",
     .meaning = "most tunnels of a frame"},
    {.like = &qn_run_rows[QN_RUN_RESUME], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_OVERWRITE], .offset = RUN, .meaning = "replace the tunnels of an earlier run"},
    {.like = &qn_run_rows[QN_RUN_THREADS], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_MEMORY], .offset = RUN, .meaning = "most memory for the clusters of tunnels"},
    {.like = &qn_run_rows[QN_RUN_QUIET], .offset = RUN},
    {0}};

static qn_status check(const void *memory)
{
    const qn_tunnel_options *options = memory;
    if (options->shell_radius_angstrom <= options->probe_angstrom)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--shell-radius is %g and --probe is %g; expected a shell that is wider than the probe",
                       options->shell_radius_angstrom, options->probe_angstrom);
    if (options->frame_file_count > 0 && options->frame_array)
        return QN_FAIL(QN_INVALID_ARGUMENT, "frames are given as the file %s and in memory; expected one of the two",
                       options->frames[0]);
    return QN_OK;
}

static const qn_option_table table = {"tunnel", sizeof(qn_tunnel_options), rows, check};

const qn_option_table *qn_tunnel_option_table(void)
{
    return &table;
}

/* The options of quern reconstruct. */
#include <quern/reconstruct.h>

#include "base/error.h"
#include "option/run_rows.h"
#include "reconstruct/classes.h"

#define FIELD(name) offsetof(qn_reconstruct_options, name)
#define RUN FIELD(run)

static const qn_option rows[] = {
    {.name = "input",
     .kind = QN_OPTION_PATH,
     .group = QN_OPTION_ARGUMENT,
     .argument = "PARTICLES",
     .offset = FIELD(particles),
     .required = true,
     .by_commands = true,
     .meaning = "images and their orientations: RELION STAR (3.0 and later) or Xmipp metadata (.xmd), with its stacks "
                "(.mrcs) beside it or at the paths that it names"},
    {.name = "output",
     .is_output = true,
     .letter = 'o',
     .kind = QN_OPTION_PATH,
     .argument = "PATH",
     .offset = FIELD(output),
     .required = true,
     .by_commands = true,
     .meaning = "the map to write, such as map.mrc, with the other files beside it (map_report.html, map_half1.mrc …); "
                "or a folder, such as out/, made if absent"},
    {.name = "symmetry",
     .letter = 's',
     .kind = QN_OPTION_TEXT,
     .argument = "GROUP",
     .offset = FIELD(symmetry),
     .fallback = "C1",
     .meaning = "point group in RELION's orientation: C1, Cn, Dn, T, O, I1, I2, I3 or I4"},
    {.name = "ctf",
     .letter = 'c',
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(ctf),
     .meaning = "correct for the microscope's contrast transfer function"},
    {.name = "halves",
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(halves),
     .meaning = "also write two half maps and their Fourier shell correlation; images are split by rlnRandomSubset if "
                "the particles have it, otherwise at random"},
    {.name = "mask",
     .letter = 'm',
     .kind = QN_OPTION_TEXT,
     .argument = "MAP",
     .offset = FIELD(mask),
     .meaning = "correlate the halves within a mask, values 0 to 1; auto makes one from the map"},
    {.name = "max-resolution",
     .kind = QN_OPTION_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(max_resolution_angstrom),
     .least = 0,
     .most = 10000,
     .unit = "angstrom",
     .fallback_meaning = "two pixels",
     .meaning = "leave out detail finer than this, in Å; this is faster"},
    {.name = "subset",
     .kind = QN_OPTION_INTEGER,
     .argument = "NUMBER",
     .offset = FIELD(subset),
     .least = 0,
     .most = 2,
     .fallback_meaning = "all particles",
     .meaning = "use only particles of this rlnRandomSubset, 1 or 2"},
    {.name = "particles",
     .kind = QN_OPTION_RANGE,
     .argument = "FIRST-LAST",
     .offset = FIELD(first),
     .least = 1,
     .most = (double)UINT64_MAX,
     .fallback = "1-18446744073709551615",
     .fallback_meaning = "all",
     .meaning = "use only these rows of the particles' table, counted from 1, such as 1-50000"},
    {.name = "padding",
     .kind = QN_OPTION_NUMBER,
     .argument = "FACTOR",
     .offset = FIELD(padding),
     .choices = "1 1.5 2",
     .fallback = "2",
     .meaning = "side of the Fourier volume divided by the image's; a smaller one takes less memory and is less exact"},
    {.name = "weights",
     .kind = QN_OPTION_ENUM,
     .argument = "HOW",
     .offset = FIELD(weights),
     .choices = "auto plain iterated",
     .fallback = "auto",
     .meaning = "division of the sums by their weights: plain, or iterated with gridding weights, which correct for "
                "uneven views; auto iterates if views are uneven or leave gaps"},
    {.name = "fast",
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(fast),
     .meaning = "nearest samples instead of the interpolating blob: faster and less exact"},
    {.name = "deterministic",
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(deterministic),
     .meaning = "the same bits in every run on the same devices, with any number of threads, if it is not "
                "interrupted; without it runs agree within 1e-6"},
    {.name = "write-weights",
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(write_weights),
     .meaning = "also write the sums of weights in Fourier space, x from 0, y and z from the middle"},
    {.name = "checkpoint",
     .kind = QN_OPTION_SECONDS,
     .argument = "MINUTES",
     .offset = FIELD(checkpoint_s),
     .least = 0,
     .most = 600000,
     .fallback = "10",
     .unit = "min",
     .meaning = "interval at which sums are saved for --resume, in minutes; 0: never"},
    {.name = "pixel",
     .kind = QN_OPTION_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(pixel_angstrom),
     .least = 0.001,
     .most = 10000,
     .unit = "angstrom",
     .fallback_meaning = "as the files state",
     .meaning = "pixel size of the images in Å, also written --angpix; a warning tells if the files state another"},
    {.name = "class",
     .kind = QN_OPTION_TEXT,
     .argument = "LIST",
     .offset = FIELD(classes),
     .fallback_meaning = "all particles",
     .meaning = "use only particles of these rlnClassNumber, such as 2 or 1,3"},
    {.name = "relion-names",
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(relion_names),
     .meaning = "with --halves, name the half maps as RELION's jobs do: run_half1_class001_unfil.mrc and "
                "run_half2_class001_unfil.mrc in a folder, map_half1_class001_unfil.mrc … beside map.mrc"},
    {.like = &qn_run_rows[QN_RUN_SEED], .offset = RUN, .meaning = "seed of the split into halves and of random phases"},
    {.like = &qn_run_rows[QN_RUN_MEMORY],
     .offset = RUN,
     .meaning = "memory of this process, at most; a run that would take more is refused before it starts"},
    {.like = &qn_run_rows[QN_RUN_BATCH], .offset = RUN, .meaning = "images inserted together"},
    {.like = &qn_run_rows[QN_RUN_RESUME], .offset = RUN, .meaning = "go on with an interrupted run of the same output"},
    {.like = &qn_run_rows[QN_RUN_OVERWRITE], .offset = RUN, .meaning = "replace an earlier run of the same output"},
    {.like = &qn_run_rows[QN_RUN_DEVICES], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_THREADS], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_TUNE], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_TUNE_BUDGET], .offset = RUN, .fallback = "5%"},
    {.like = &qn_run_rows[QN_RUN_EXPLAIN], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_QUIET], .offset = RUN},
    {0}};

static qn_status check(const void *memory)
{
    const qn_reconstruct_options *options = memory;
    if (options->mask && options->mask_volume)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the mask: given as \"%s\" and in memory; expected one of the two",
                       options->mask);
    if (options->mask_volume && !options->halves)
        return QN_FAIL(QN_INVALID_ARGUMENT, "a mask is given in memory, but no halves are to be made; expected both");
    if (options->mask && !options->halves)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--mask is \"%s\", but there is no --halves, which are correlated within it", options->mask);
    if (options->relion_names && !options->halves)
        return QN_FAIL(QN_INVALID_ARGUMENT, "--relion-names is given, but there is no --halves, whose names it gives");
    if (options->subset > 0 && options->halves)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--subset is \"%d\", but --halves are of both subsets; expected one of the two",
                       options->subset);
    return options->classes ? qn_class_list_check(options->classes) : QN_OK;
}

static const qn_option_table table = {"reconstruct", sizeof(qn_reconstruct_options), rows, check};

const qn_option_table *qn_reconstruct_option_table(void)
{
    return &table;
}

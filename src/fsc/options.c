/* The options of quern fsc. */
#include <quern/fsc.h>
#include <string.h>

#include "base/error.h"
#include "option/run_rows.h"

#define FIELD(name) offsetof(qn_fsc_run_options, name)
#define RUN FIELD(run)

/* Options for a mask that the run makes. */
static const char *const mask_options[] = {"low-pass", "threshold", "extend", "soft-edge"};

static const qn_option rows[] = {
    {.name = "half-1",
     .kind = QN_OPTION_PATH,
     .group = QN_OPTION_ARGUMENT,
     .argument = "HALF1",
     .offset = FIELD(half_1),
     .required = true,
     .by_commands = true,
     .meaning = "a half map: MRC or CCP4, gzipped or not; or a folder that has both, of quern reconstruct or RELION"},
    {.name = "half-2",
     .kind = QN_OPTION_PATH,
     .group = QN_OPTION_ARGUMENT,
     .argument = "HALF2",
     .offset = FIELD(half_2),
     .meaning =
         "the other half map, with the same box and voxel size; may be left out if the names differ by half1 and "
         "half2, as RELION's do"},
    {.name = "mask",
     .letter = 'm',
     .kind = QN_OPTION_TEXT,
     .argument = "FILE|auto",
     .offset = FIELD(mask),
     .fallback_meaning = "none",
     .meaning = "a soft mask with values from 0 to 1, by which both maps are multiplied; auto makes a mask around the "
                "structure in their mean"},
    {.name = "output",
     .is_output = true,
     .letter = 'o',
     .kind = QN_OPTION_PATH,
     .argument = "FOLDER",
     .offset = FIELD(output),
     .meaning = "write fsc.csv, fsc.star, report.html, run.json and a mask that was made (mask.mrc) into FOLDER, which "
                "is made when absent"},
    {.name = "randomise-below",
     .kind = QN_OPTION_NUMBER,
     .argument = "FSC",
     .offset = FIELD(randomise_below),
     .least = 0.01,
     .most = 1,
     .fallback = "0.8",
     .meaning = "phases are randomised from the first shell in which the FSC of the unmasked maps is lower"},
    {.name = "low-pass",
     .kind = QN_OPTION_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(mask_low_pass_angstrom),
     .least = 0,
     .most = 1e6,
     .unit = "angstrom",
     .fallback_meaning = "15, or 4 voxels if that is coarser",
     .meaning = "--mask auto: filter the map to this resolution in Å first"},
    {.name = "threshold",
     .kind = QN_OPTION_NUMBER,
     .argument = "VALUE",
     .offset = FIELD(mask_threshold),
     .least = -1e30,
     .most = 1e30,
     .fallback = "nan",
     .fallback_meaning = "chosen from the histogram",
     .meaning = "--mask auto: voxels of the filtered map above this value are inside"},
    {.name = "extend",
     .kind = QN_OPTION_NUMBER,
     .argument = "VOXELS",
     .offset = FIELD(mask_extend_voxels),
     .least = 0,
     .most = 500,
     .fallback = "3",
     .unit = "voxels",
     .meaning = "--mask auto: distance from the inside up to which the mask is 1"},
    {.name = "soft-edge",
     .kind = QN_OPTION_NUMBER,
     .argument = "VOXELS",
     .offset = FIELD(mask_soft_edge_voxels),
     .least = 0,
     .most = 500,
     .fallback = "6",
     .unit = "voxels",
     .meaning = "--mask auto: width of the edge in which the mask falls to 0, as a cosine"},
    {.name = "pixel",
     .kind = QN_OPTION_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(pixel_angstrom),
     .least = 0.001,
     .most = 10000,
     .unit = "angstrom",
     .fallback_meaning = "as the files state",
     .meaning = "voxel size of the half maps in Å, also written --angpix; a warning tells if the files state another"},
    {.like = &qn_run_rows[QN_RUN_SEED], .offset = RUN, .meaning = "seed of the random phases"},
    {.like = &qn_run_rows[QN_RUN_OVERWRITE], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_THREADS], .offset = RUN, .fallback_meaning = "every processor this process may use"},
    {.like = &qn_run_rows[QN_RUN_QUIET], .offset = RUN},
    {0}};

static qn_status check(const void *options);

static const qn_option_table table = {"fsc", sizeof(qn_fsc_run_options), rows, check};

static qn_status check(const void *options)
{
    const qn_fsc_run_options *asked = options;
    const char *mask = asked->mask;
    qn_option row;
    if (asked->run.resume)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--resume is given; expected a run from the start, because quern fsc keeps no records");
    if (mask && asked->mask_volume)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the mask: given as \"%s\" and in memory; expected one of the two", mask);
    if (mask && strcmp(mask, "auto") == 0) return QN_OK;
    for (size_t i = 0; i < sizeof mask_options / sizeof *mask_options; i++)
        if (qn_option_find(&table, mask_options[i], &row) && !qn_option_is_default(&row, options))
            return QN_FAIL(QN_INVALID_ARGUMENT, "--%s is for masks that are made: it needs --mask auto",
                           mask_options[i]);
    return QN_OK;
}

const qn_option_table *qn_fsc_option_table(void)
{
    return &table;
}

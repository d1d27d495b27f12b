/* The options of quern project. */
#include <inttypes.h>
#include <quern/project.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "option/run_rows.h"

#define FIELD(name) offsetof(qn_project_options, name)
#define RUN FIELD(run)

static const qn_option rows[] = {
    {.name = "map",
     .kind = QN_OPTION_PATH,
     .group = QN_OPTION_ARGUMENT,
     .argument = "MAP",
     .offset = FIELD(map),
     .required = true,
     .by_commands = true,
     .meaning = "a cubic map: MRC or CCP4, gzipped or not; its centre is voxel N/2"},
    {.name = "output",
     .is_output = true,
     .letter = 'o',
     .kind = QN_OPTION_PATH,
     .argument = "STACK",
     .offset = FIELD(output),
     .required = true,
     .by_commands = true,
     .meaning =
         "stack of the images, ending in .mrcs; their metadata are written to a file beside it, ending in .star"},
    {.name = "angles",
     .letter = 'a',
     .kind = QN_OPTION_PATH,
     .argument = "FILE",
     .offset = FIELD(angles),
     .meaning = "particles whose angles, origins and optics the images get: RELION .star or Xmipp .xmd; their own "
                "images are not needed"},
    {.name = "views",
     .letter = 'n',
     .kind = QN_OPTION_WHOLE,
     .argument = "COUNT",
     .offset = FIELD(views),
     .least = 0,
     .most = 1e8,
     .fallback_meaning = "",
     .meaning = "instead of --angles: this many directions spread evenly over the sphere"},
    {.name = "ctf",
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(ctf),
     .meaning = "multiply each image by the contrast transfer function of its particle"},
    {.name = "noise",
     .kind = QN_OPTION_NUMBER,
     .argument = "SNR",
     .offset = FIELD(snr),
     .least = 0,
     .most = 1e9,
     .fallback_meaning = "none",
     .meaning = "add Gaussian noise: SNR is the variance of all images' values divided by that of the noise; 0: none"},
    {.name = "first",
     .kind = QN_OPTION_WHOLE,
     .argument = "NUMBER",
     .offset = FIELD(first),
     .least = 1,
     .most = (double)UINT64_MAX,
     .fallback = "1",
     .meaning = "first particle that is projected, counted from 1"},
    {.name = "last",
     .kind = QN_OPTION_WHOLE,
     .argument = "NUMBER",
     .offset = FIELD(last),
     .least = 1,
     .most = (double)UINT64_MAX,
     .fallback = "18446744073709551615",
     .fallback_meaning = "the last particle of the set",
     .meaning = "last particle that is projected"},
    {.name = "padding",
     .kind = QN_OPTION_NUMBER,
     .argument = "FACTOR",
     .offset = FIELD(padding),
     .choices = "1 1.5 2",
     .fallback = "2",
     .meaning = "factor by which the map is padded before its transform; a small factor takes less memory and is less "
                "exact"},
    {.name = "fast",
     .letter = 'f',
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(fast),
     .meaning = "trilinear interpolation of the transform: faster and less exact"},
    {.name = "pixel",
     .kind = QN_OPTION_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(pixel_angstrom),
     .least = 0.001,
     .most = 10000,
     .unit = "angstrom",
     .fallback_meaning = "as the files state",
     .meaning = "voxel size of the map in Å, also written --angpix; a warning tells if the file states another"},
    {.like = &qn_run_rows[QN_RUN_SEED], .offset = RUN, .fallback = "0", .meaning = "seed of the noise"},
    {.like = &qn_run_rows[QN_RUN_OVERWRITE], .offset = RUN, .meaning = "replace the images of an earlier run"},
    {.like = &qn_run_rows[QN_RUN_DEVICE], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_THREADS], .offset = RUN, .fallback_meaning = "every processor this process may use"},
    {.like = &qn_run_rows[QN_RUN_TUNE], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_TUNE_BUDGET], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_EXPLAIN], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_QUIET], .offset = RUN},
    {0}};

static qn_status check(const void *memory)
{
    const qn_project_options *options = memory;
    if (options->run.resume)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--resume is given; expected a run from the start, because quern project keeps no records");
    if (options->angles && options->particle_set)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "the particles: given as the file %s and in memory; expected one of the two", options->angles);
    const bool has_particles = options->angles || options->particle_set;
    if (!has_particles && options->views == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "neither --angles nor --views says which images; expected one of them");
    if (has_particles && options->views > 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "--angles and --views both say which images; expected one of them");
    if (options->ctf && !has_particles)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--ctf is of particles, and --views have none; expected --angles from a .star "
                       "file with defocus");
    if (options->first > options->last)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--first is \"%" PRIu64 "\" and --last is \"%" PRIu64 "\"; expected numbers in order",
                       options->first, options->last);
    if (options->output && !qn_text_ends_in(options->output, ".mrcs"))
        return QN_FAIL(QN_INVALID_ARGUMENT, "--output is \"%s\"; expected a stack's name that ends in .mrcs",
                       options->output);
    return QN_OK;
}

static const qn_option_table table = {"project", sizeof(qn_project_options), rows, check};

const qn_option_table *qn_project_option_table(void)
{
    return &table;
}

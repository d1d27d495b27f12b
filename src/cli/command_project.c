/* quern project: images of a map as a microscope would see it. */
#include <quern/project.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"

#include <limits.h>

typedef struct settings {
    qn_project_options project;
    int views, first, last, threads;
    bool quiet;
} settings;

#define FIELD(name) offsetof(settings, project.name)

static const cli_positional positionals[] = {
    {.name = "MAP", .offset = FIELD(map), .help = "a cubic map: MRC or CCP4, gzipped or not; its centre is voxel N/2"},
    {0}};

static const cli_option options[] = {
    {.name = "output",
     .letter = 'o',
     .type = CLI_TEXT,
     .argument = "STACK",
     .offset = FIELD(output),
     .required = true,
     .help = "stack of the images, ending in .mrcs; what is known of them is written beside it, ending in .star"},
    {.name = "angles",
     .letter = 'a',
     .type = CLI_TEXT,
     .argument = "FILE",
     .offset = FIELD(angles),
     .default_text = "",
     .help = "particles whose angles, origins and optics the images get: RELION .star or Xmipp .xmd; their own images "
             "are not needed"},
    {.name = "views",
     .letter = 'n',
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = offsetof(settings, views),
     .least = 1,
     .most = 10000000,
     .default_text = "",
     .help = "instead of --angles: this many directions spread evenly over the sphere"},
    {.name = "ctf",
     .type = CLI_FLAG,
     .offset = FIELD(ctf),
     .help = "multiply with each particle's contrast transfer function"},
    {.name = "noise",
     .type = CLI_NUMBER,
     .argument = "SNR",
     .offset = FIELD(snr),
     .least = 1e-9,
     .most = 1e9,
     .default_text = "none",
     .help = "add Gaussian noise: SNR is the variance of all images' values over that of the noise"},
    {.name = "seed", .type = CLI_SEED, .argument = "NUMBER", .offset = FIELD(run.seed), .help = "of the noise"},
    {.name = "first",
     .type = CLI_INTEGER,
     .argument = "NUMBER",
     .offset = offsetof(settings, first),
     .least = 1,
     .most = INT_MAX,
     .help = "first particle that is projected, counted from 1"},
    {.name = "last",
     .type = CLI_INTEGER,
     .argument = "NUMBER",
     .offset = offsetof(settings, last),
     .least = 1,
     .most = INT_MAX,
     .default_text = "the last there is",
     .help = "last particle that is projected"},
    {.name = "padding",
     .letter = 'p',
     .type = CLI_NUMBER,
     .argument = "FACTOR",
     .offset = FIELD(padding),
     .least = 1,
     .most = 2,
     .help = "how far the map is padded before its transform: 1, 1.5 or 2; less takes less memory and is less exact"},
    {.name = "fast",
     .letter = 'f',
     .type = CLI_FLAG,
     .offset = FIELD(fast),
     .help = "trilinear interpolation of the transform: faster and less exact"},
    {.name = "device",
     .letter = 'd',
     .type = CLI_TEXT,
     .argument = "DEVICE",
     .offset = FIELD(run.device),
     .help = "auto, host, opencl:N or cuda:N (see quern devices); checking:DEVICE verifies every kernel and is slow"},
    {.name = "threads",
     .letter = 't',
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = offsetof(settings, threads),
     .least = 0,
     .most = 4096,
     .default_text = "every processor this process may use",
     .help = "CPU threads"},
    {.name = "tune",
     .type = CLI_CHOICE,
     .argument = "HOW",
     .offset = FIELD(run.tune),
     .choices = "auto online offline known off",
     .help =
         "how kernels find their fastest configurations: online tries some while it works, offline before, known uses "
         "what earlier runs found, off uses defaults; auto: online when the run is estimated to take over a minute, "
         "else known"},
    {.name = "tune-budget",
     .type = CLI_TEXT,
     .argument = "SHARE",
     .offset = FIELD(run.tune_budget),
     .help = "share of the run's throughput that trying configurations may cost, such as 5%"},
    {.name = "explain",
     .type = CLI_FLAG,
     .offset = FIELD(run.explain),
     .help = "say which kernel configurations are used, and where they came from"},
    {.name = "quiet",
     .letter = 'q',
     .type = CLI_FLAG,
     .offset = offsetof(settings, quiet),
     .help = "print warnings and errors only"},
    {0}};

static void set_defaults(void *memory)
{
    settings *chosen = memory;
    *chosen = (settings){.project = qn_project_default_options(), .first = 1};
}

typedef struct projecting {
    qn_project_options *options;
    qn_project_summary summary;
} projecting;

static qn_status run_projecting(qn_context *context, cli_progress *progress, void *user)
{
    projecting *job = user;
    progress->final = true;
    job->options->run.progress = cli_progress_on_progress;
    job->options->run.progress_user = progress;
    return qn_project_run(context, job->options, &job->summary);
}

static int project(settings *chosen)
{
    char duration[48];
    projecting job = {.options = &chosen->project};
    const qn_context_options of_context = {.threads = chosen->threads, .explain = chosen->project.run.explain};
    int exit_code = cli_progress_run(&of_context, chosen->quiet, run_projecting, &job);
    if (exit_code != CLI_DONE || chosen->quiet) return exit_code;
    cli_format_duration(job.summary.seconds, duration, sizeof duration);
    printf("%llu images of %d x %d pixels of %g Å in %s, %s in all, %.0f images/s\n",
           (unsigned long long)job.summary.images, job.summary.image_side, job.summary.image_side,
           job.summary.voxel_angstrom, chosen->project.output, duration, job.summary.images_per_s);
    return CLI_DONE;
}

static int run(void *memory)
{
    settings *chosen = memory;
    chosen->project.views = (uint64_t)chosen->views;
    chosen->project.first = (uint64_t)chosen->first;
    if (chosen->last > 0) chosen->project.last = (uint64_t)chosen->last;
    if (!chosen->project.angles && chosen->views == 0)
        return cli_error(CLI_USAGE, "project: neither --angles nor --views says which images; expected one of them "
                                    "(see quern project -h)");
    if (chosen->project.angles && chosen->views > 0)
        return cli_error(CLI_USAGE, "project: --angles and --views both say which images; expected one of them");
    return project(chosen);
}

const cli_command cli_project = {
    .name = "project",
    .summary = "project a map: images as a microscope would see it from given directions",
    .description =
        "Make projections of a map, as references, templates or test data: central slices of its Fourier transform, at "
        "the angles and origins of a particle set or evenly spread, with contrast transfer function and noise if "
        "wanted. Writes a stack and, beside it, a RELION 3.1 STAR file of its images.",
    .positionals = positionals,
    .options = options,
    .settings_bytes = sizeof(settings),
    .set_defaults = set_defaults,
    .run = run,
};

/* quern reconstruct: a volume from images whose orientations are known. */
#include <quern/reconstruct.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"

typedef struct settings {
    qn_reconstruct_options reconstruct;
    const char *weights;
    double memory_gib;
    double checkpoint_min;
    const char *range;
    int threads;
    bool quiet;
} settings;

#define FIELD(name) offsetof(settings, reconstruct.name)

static const cli_positional positionals[] = {
    {.name = "PARTICLES",
     .offset = FIELD(particles),
     .help = "images and their orientations: RELION STAR (3.0 and later) or Xmipp metadata (.xmd), its stacks (.mrcs) "
             "beside it or where it says"},
    {0}};

static const cli_option options[] = {
    {.name = "output",
     .letter = 'o',
     .type = CLI_TEXT,
     .argument = "PATH",
     .offset = FIELD(output),
     .required = true,
     .help =
         "the map to write, such as map.mrc, with its companions beside it (map_report.html, map_half1.mrc …); or a "
         "folder, such as out/, made when absent"},
    {.name = "symmetry",
     .letter = 's',
     .type = CLI_TEXT,
     .argument = "GROUP",
     .offset = FIELD(symmetry),
     .help = "point group in RELION's orientation: C1, Cn, Dn, T, O, I1, I2, I3 or I4"},
    {.name = "ctf",
     .letter = 'c',
     .type = CLI_FLAG,
     .offset = FIELD(ctf),
     .help = "correct for the microscope's contrast transfer function"},
    {.name = "halves",
     .type = CLI_FLAG,
     .offset = FIELD(halves),
     .help =
         "also write two half maps, by rlnRandomSubset where the particles have it, else split at random, and their "
         "Fourier shell correlation"},
    {.name = "mask",
     .letter = 'm',
     .type = CLI_TEXT,
     .argument = "MAP",
     .offset = FIELD(mask),
     .help = "correlate the halves within a mask, values 0 to 1; auto makes one from the map"},
    {.name = "max-resolution",
     .type = CLI_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(max_resolution_angstrom),
     .least = 0,
     .most = 10000,
     .default_text = "two pixels",
     .help = "leave out finer detail, in Å: faster"},
    {.name = "subset",
     .type = CLI_INTEGER,
     .argument = "NUMBER",
     .offset = FIELD(subset),
     .least = 1,
     .most = 2,
     .default_text = "all particles",
     .help = "only particles whose rlnRandomSubset is this, 1 or 2"},
    {.name = "particles",
     .type = CLI_TEXT,
     .argument = "FIRST-LAST",
     .offset = offsetof(settings, range),
     .default_text = "all",
     .help = "only these rows of the particles' table, from 1, such as 1-50000"},
    {.name = "padding",
     .type = CLI_NUMBER,
     .argument = "FACTOR",
     .offset = FIELD(padding),
     .least = 1,
     .most = 2,
     .help = "side of the Fourier volume over the image's: 1, 1.5 or 2; less takes less memory and is less exact"},
    {.name = "weights",
     .type = CLI_CHOICE,
     .argument = "HOW",
     .offset = offsetof(settings, weights),
     .choices = "auto plain iterated",
     .help = "how sums are divided by their weights: plain, or by gridding weights that are iterated until uneven "
             "sampling counts alike; auto iterates where the views ask for it"},
    {.name = "fast",
     .type = CLI_FLAG,
     .offset = FIELD(fast),
     .help = "nearest samples instead of the interpolating blob: faster and less exact"},
    {.name = "deterministic",
     .type = CLI_FLAG,
     .offset = FIELD(deterministic),
     .help = "the same bits in every run on the same devices, with any number of threads, if it is not "
             "interrupted; without it runs agree within 1e-6"},
    {.name = "write-weights",
     .type = CLI_FLAG,
     .offset = FIELD(write_weights),
     .help = "also write the sums of weights in Fourier space, x from 0, y and z from the middle"},
    {.name = "resume",
     .type = CLI_FLAG,
     .offset = FIELD(run.resume),
     .help = "go on with an interrupted run of the same output"},
    {.name = "checkpoint",
     .type = CLI_NUMBER,
     .argument = "MINUTES",
     .offset = offsetof(settings, checkpoint_min),
     .least = 0,
     .most = 10000,
     .help = "how often sums are put aside for --resume, in minutes; 0: never"},
    {.name = "seed",
     .type = CLI_SEED,
     .argument = "NUMBER",
     .offset = FIELD(run.seed),
     .help = "seed of the split into halves and of random phases"},
    {.name = "memory",
     .type = CLI_NUMBER,
     .argument = "GIB",
     .offset = offsetof(settings, memory_gib),
     .least = 0,
     .most = 1e6,
     .default_text = "what the machine has",
     .help = "memory of this process in GiB, at most; a run that would take more is refused before it starts"},
    {.name = "batch",
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(run.batch),
     .least = 0,
     .most = 16384,
     .default_text = "chosen from the devices",
     .help = "images inserted together"},
    {.name = "device",
     .letter = 'd',
     .type = CLI_TEXT,
     .argument = "DEVICE",
     .offset = FIELD(run.device),
     .help = "auto, host, opencl:N or cuda:N (see quern devices), several apart by commas, or all; checking:DEVICE "
             "verifies every kernel and is slow"},
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
     .help = "how kernels find their fastest configurations: online tries some while it inserts, offline before, known "
             "uses what earlier runs found, off uses defaults; auto: online when the run is estimated to take over a "
             "minute, else known (also QUERN_TUNE)"},
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
    *chosen = (settings){.reconstruct = qn_reconstruct_default_options(), .weights = "auto"};
    chosen->checkpoint_min = chosen->reconstruct.checkpoint_s / 60;
}

/* "12-50000", or one number */
static bool read_range(const char *text, uint64_t *first, uint64_t *last)
{
    unsigned long long from, to;
    int read = 0;
    if (text[0] < '0' || text[0] > '9') return false;
    if (sscanf(text, "%llu-%llu%n", &from, &to, &read) == 2 && text[read] == '\0') {
        *first = from;
        *last = to;
    } else if (sscanf(text, "%llu%n", &from, &read) == 1 && text[read] == '\0') {
        *first = *last = from;
    } else {
        return false;
    }
    return *first >= 1 && *first <= *last;
}

/* What the tables cannot say. CLI_DONE when all is well. */
static int check_usage(settings *chosen)
{
    qn_reconstruct_options *reconstruct = &chosen->reconstruct;
    if (reconstruct->mask && !reconstruct->halves)
        return cli_error(CLI_USAGE, "reconstruct: --mask belongs to --halves (see quern reconstruct -h)");
    if (reconstruct->subset && reconstruct->halves)
        return cli_error(CLI_USAGE, "reconstruct: --subset and --halves exclude each other (see quern reconstruct -h)");
    if (reconstruct->padding != 1 && reconstruct->padding != 1.5 && reconstruct->padding != 2)
        return cli_error(CLI_USAGE, "reconstruct: --padding is %g; expected 1, 1.5 or 2 (see quern reconstruct -h)",
                         reconstruct->padding);
    if (chosen->range && !read_range(chosen->range, &reconstruct->first, &reconstruct->last))
        return cli_error(
            CLI_USAGE,
            "reconstruct: --particles is \"%s\"; expected the first and the last row, such as 1-50000 (see "
            "quern reconstruct -h)",
            chosen->range);
    return CLI_DONE;
}

static void print_summary(const qn_reconstruct_summary *summary)
{
    char duration[48];
    cli_format_duration(summary->seconds, duration, sizeof duration);
    printf("%llu images of %d x %d pixels", (unsigned long long)summary->images, summary->image_side,
           summary->image_side);
    if (summary->operators > 1) printf(", each in %d orientations", summary->operators);
    if (summary->skipped) printf(", %llu left out for weights of 0 or less", (unsigned long long)summary->skipped);
    putchar('\n');
    if (summary->resolution_angstrom > 0)
        printf("resolution %.2f Å (FSC 0.143 of the half maps)\n", summary->resolution_angstrom);
    printf("%.0f images/s, %s in all\n", summary->images_per_s, duration);
    printf("map in %s, report in %s\n", summary->map, summary->report);
}

typedef struct reconstruction {
    qn_reconstruct_options *options;
    qn_reconstruct_summary summary;
} reconstruction;

static qn_status run_reconstruction(qn_context *context, cli_progress *progress, void *user)
{
    reconstruction *job = user;
    job->options->run.progress = cli_progress_on_progress;
    job->options->run.progress_user = progress;
    qn_status status = qn_reconstruct_run(context, job->options, &job->summary);
    progress->mute = status == QN_CANCELLED && !job->summary.report[0];
    progress->final = job->options->checkpoint_s == 0;
    return status;
}

static int run(void *memory)
{
    settings *chosen = memory;
    qn_reconstruct_options *reconstruct = &chosen->reconstruct;
    reconstruction job = {.options = reconstruct};
    int exit_code = check_usage(chosen);
    if (exit_code != CLI_DONE) return exit_code;
    reconstruct->weights = strcmp(chosen->weights, "plain") == 0      ? QN_RECONSTRUCT_WEIGHTS_PLAIN
                           : strcmp(chosen->weights, "iterated") == 0 ? QN_RECONSTRUCT_WEIGHTS_ITERATED
                                                                      : QN_RECONSTRUCT_WEIGHTS_AUTO;
    reconstruct->run.memory_bytes = (uint64_t)(chosen->memory_gib * 1024 * 1024 * 1024);
    reconstruct->checkpoint_s = 60 * chosen->checkpoint_min;
    const qn_context_options of_context = {.threads = chosen->threads, .explain = reconstruct->run.explain};
    exit_code = cli_progress_run(&of_context, chosen->quiet, run_reconstruction, &job);
    if (exit_code == CLI_DONE && !chosen->quiet && job.summary.report[0]) print_summary(&job.summary);
    return exit_code;
}

const cli_command cli_reconstruct = {
    .name = "reconstruct",
    .summary = "reconstruct a volume from images of particles whose orientations are known",
    .description =
        "Single-particle cryo-EM: every image's central slice is inserted into a Fourier volume, with its symmetric "
        "copies, and the volume is transformed back. Writes the map, and on request half maps with their Fourier shell "
        "correlation, with a report. Under mpirun the images are dealt to all processes.",
    .positionals = positionals,
    .options = options,
    .settings_bytes = sizeof(settings),
    .set_defaults = set_defaults,
    .run = run,
};

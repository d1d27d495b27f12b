/* quern trajectory convert: frames of any format as XTC or DCD. */
#include <math.h>
#include <quern/trajectory.h>
#include <string.h>

#include "cli/output.h"
#include "cli/progress.h"
#include "cli/trajectory.h"

typedef struct settings {
    cli_list trajectories;
    const char *topology, *select, *index_file, *output;
    double begin_ps, end_ps, precision;
    uint64_t first_frame, last_frame;
    int stride;
    bool whole, quiet;
} settings;

#define FIELD(name) offsetof(settings, name)

static const cli_positional positionals[] = {
    {.name = "TRAJECTORY",
     .offset = FIELD(trajectories),
     .many = true,
     .help = "read one after the other: XTC, TRR, DCD, Amber NetCDF, H5MD, GRO, PDB, mmCIF, XYZ or LAMMPS dump; - is "
             "standard input"},
    {0}};

static const cli_option options[] = {
    {.name = "output",
     .letter = 'o',
     .type = CLI_TEXT,
     .argument = "FILE",
     .offset = FIELD(output),
     .required = true,
     .help = "what to write; .xtc or .dcd tells the format"},
    {.name = "topology",
     .letter = 'p',
     .type = CLI_TEXT,
     .argument = "FILE",
     .offset = FIELD(topology),
     .default_text = "",
     .help =
         "what the atoms are, for --select and --whole: TPR, PSF, Amber parm7, GRO, PDB, mmCIF or a table of atoms"},
    {.name = "select",
     .letter = 's',
     .type = CLI_TEXT,
     .argument = "ATOMS",
     .offset = FIELD(select),
     .default_text = "all",
     .help = "write these atoms alone; the selection must be the same in every frame"},
    {.name = "index",
     .letter = 'n',
     .type = CLI_TEXT,
     .argument = "FILE",
     .offset = FIELD(index_file),
     .default_text = "",
     .help = "GROMACS index file, whose groups selections name as group \"NAME\""},
    {.name = "whole",
     .type = CLI_FLAG,
     .offset = FIELD(whole),
     .help = "make molecules whole that the periodic box cuts; wants a topology with bonds"},
    {.name = "begin",
     .letter = 'b',
     .type = CLI_NUMBER,
     .argument = "PS",
     .offset = FIELD(begin_ps),
     .least = -1e300,
     .most = 1e300,
     .default_text = "",
     .help = "leave out frames before this time in ps"},
    {.name = "end",
     .letter = 'e',
     .type = CLI_NUMBER,
     .argument = "PS",
     .offset = FIELD(end_ps),
     .least = -1e300,
     .most = 1e300,
     .default_text = "",
     .help = "leave out frames after this time in ps"},
    {.name = "first",
     .type = CLI_SEED,
     .argument = "FRAME",
     .offset = FIELD(first_frame),
     .help = "leave out frames before this one; the first of the first file is 0"},
    {.name = "last",
     .type = CLI_SEED,
     .argument = "FRAME",
     .offset = FIELD(last_frame),
     .default_text = "",
     .help = "leave out frames after this one"},
    {.name = "stride",
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(stride),
     .least = 1,
     .most = 1e9,
     .help = "write every COUNT-th of these frames"},
    {.name = "precision",
     .type = CLI_NUMBER,
     .argument = "NUMBER",
     .offset = FIELD(precision),
     .least = 1,
     .most = 1e6,
     .help = "of XTC: positions are rounded to multiples of 1/NUMBER nm"},
    {.name = "quiet",
     .letter = 'q',
     .type = CLI_FLAG,
     .offset = FIELD(quiet),
     .help = "print warnings and errors only"},
    {0}};

static void set_defaults(void *memory)
{
    *(settings *)memory = (settings){
        .begin_ps = (double)NAN, .end_ps = (double)NAN, .last_frame = UINT64_MAX, .stride = 1, .precision = 1000};
}

typedef struct conversion {
    qn_trajectory_convert_options options;
    uint64_t frames;
    size_t atoms;
} conversion;

static qn_status convert(qn_context *context, cli_progress *progress, void *user)
{
    conversion *job = user;
    job->options.run.progress = cli_progress_on_progress;
    job->options.run.progress_user = progress;
    progress->final = true;
    return qn_trajectory_convert(context, &job->options, &job->frames, &job->atoms);
}

static int run(void *memory)
{
    const settings *chosen = memory;
    conversion job = {.options = qn_trajectory_default_convert_options()};
    qn_trajectory_convert_options *wanted = &job.options;
    wanted->trajectories = chosen->trajectories.items;
    wanted->trajectory_count = chosen->trajectories.count;
    wanted->topology = chosen->topology;
    wanted->select = chosen->select;
    wanted->index_file = chosen->index_file;
    wanted->output = chosen->output;
    wanted->whole = chosen->whole;
    wanted->precision = chosen->precision;
    wanted->first_frame = chosen->first_frame;
    wanted->last_frame = chosen->last_frame;
    wanted->stride = (uint64_t)chosen->stride;
    if (!isnan(chosen->begin_ps)) wanted->begin_ps = chosen->begin_ps;
    if (!isnan(chosen->end_ps)) wanted->end_ps = chosen->end_ps;
    if (!wanted->topology && (wanted->select || wanted->whole))
        return cli_error(CLI_USAGE, "--%s needs --topology FILE", wanted->select ? "select" : "whole");
    const qn_context_options of_context = {.threads = 1};
    const int exit_code = cli_progress_run(&of_context, chosen->quiet, convert, &job);
    if (exit_code == CLI_DONE && !chosen->quiet)
        printf("%llu %s of %zu atoms in %s\n", (unsigned long long)job.frames, job.frames == 1 ? "frame" : "frames",
               job.atoms, chosen->output);
    return exit_code;
}

const cli_command cli_trajectory_convert = {
    .name = "trajectory convert",
    .summary = "write frames of any format as XTC or DCD, of all atoms or some",
    .description = "Read trajectories of any known format and write the frames as one XTC or DCD file, which appears "
                   "when it is complete.",
    .positionals = positionals,
    .options = options,
    .settings_bytes = sizeof(settings),
    .set_defaults = set_defaults,
    .run = run,
};

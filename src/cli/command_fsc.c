/* quern fsc: the Fourier shell correlation of two half maps. */
#include <quern/fsc.h>

#include "cli/canvas.h"
#include "cli/commands.h"
#include "cli/output.h"

#include <math.h>
#include <string.h>

typedef struct settings {
    const char *half_1, *half_2, *mask, *output;
    uint64_t seed;
    double randomise_below, low_pass_angstrom, threshold, extend_voxels, soft_edge_voxels; /* of masks NaN: not given */
    int threads;
    bool quiet;
} settings;

#define FIELD(name) offsetof(settings, name)

static const cli_positional positionals[] = {
    {.name = "HALF1", .offset = FIELD(half_1), .help = "a half map: MRC or CCP4, gzipped or not"},
    {.name = "HALF2", .offset = FIELD(half_2), .help = "the other, of the same size and voxel"},
    {0}};

static const cli_option options[] = {
    {.name = "mask",
     .letter = 'm',
     .type = CLI_TEXT,
     .argument = "FILE|auto",
     .offset = FIELD(mask),
     .default_text = "none",
     .help = "a soft mask of 0 to 1 that both maps are multiplied with; auto makes one around what stands out of their "
             "mean"},
    {.name = "output",
     .letter = 'o',
     .type = CLI_TEXT,
     .argument = "FOLDER",
     .offset = FIELD(output),
     .default_text = "",
     .help = "write fsc.csv, fsc.star, report.html, run.json and a mask that was made (mask.mrc) into FOLDER, which is "
             "made when absent"},
    {.name = "seed", .type = CLI_SEED, .argument = "NUMBER", .offset = FIELD(seed), .help = "of the random phases"},
    {.name = "randomise-below",
     .type = CLI_NUMBER,
     .argument = "FSC",
     .offset = FIELD(randomise_below),
     .least = 0.01,
     .most = 1,
     .help = "phases are randomised from the shell on where the unmasked maps first correlate by less"},
    {.name = "low-pass",
     .type = CLI_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(low_pass_angstrom),
     .least = 0.01,
     .most = 1e6,
     .default_text = "15, or 4 voxels where that is coarser",
     .help = "--mask auto: filter the map to this resolution in Å first"},
    {.name = "threshold",
     .type = CLI_NUMBER,
     .argument = "VALUE",
     .offset = FIELD(threshold),
     .least = -1e30,
     .most = 1e30,
     .default_text = "chosen from the histogram",
     .help = "--mask auto: of the filtered map; what is above is inside"},
    {.name = "extend",
     .type = CLI_NUMBER,
     .argument = "VOXELS",
     .offset = FIELD(extend_voxels),
     .least = 0,
     .most = 500,
     .default_text = "3",
     .help = "--mask auto: how far beyond that it is 1"},
    {.name = "soft-edge",
     .type = CLI_NUMBER,
     .argument = "VOXELS",
     .offset = FIELD(soft_edge_voxels),
     .least = 0,
     .most = 500,
     .default_text = "6",
     .help = "--mask auto: how wide the edge is over which it falls to 0, as a cosine"},
    {.name = "threads",
     .letter = 't',
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(threads),
     .least = 0,
     .most = 4096,
     .default_text = "every processor this process may use",
     .help = "CPU threads"},
    {.name = "quiet",
     .letter = 'q',
     .type = CLI_FLAG,
     .offset = FIELD(quiet),
     .help = "print warnings and errors only"},
    {0}};

static void set_defaults(void *memory)
{
    const double none = (double)NAN;
    *(settings *)memory = (settings){.seed = 1,
                                     .randomise_below = 0.8,
                                     .low_pass_angstrom = none,
                                     .threshold = none,
                                     .extend_voxels = none,
                                     .soft_edge_voxels = none};
}

/* ---- the curve ---- */

static int height_of(const cli_canvas *canvas, double correlation)
{
    return (int)lrint((canvas->height - 1) * (1 - fmin(1, fmax(0, correlation))));
}

/* From one dot's height to the next one's without a gap. */
static void draw(const qn_fsc *fsc, const double *curve, cli_canvas *canvas)
{
    int previous = -1;
    for (int across = 0; across < canvas->width; across++) {
        const double place = 1 + (double)(fsc->shells - 2) * across / (canvas->width - 1);
        const int shell = place < fsc->shells - 1 ? (int)place : fsc->shells - 2;
        const int down = height_of(canvas, curve[shell] + (place - shell) * (curve[shell + 1] - curve[shell]));
        const int from = previous < 0 ? down : previous, step = from <= down ? 1 : -1;
        for (int dot = from; dot != down + step; dot += step) cli_canvas_dot(canvas, across, dot);
        if (across % 4 == 0) cli_canvas_dot(canvas, across, height_of(canvas, 0.143));
        if (across % 8 == 0) cli_canvas_dot(canvas, across, height_of(canvas, 0.5));
        previous = down;
    }
}

/* The resolutions at each quarter of the way to the last shell, ending below it. */
static void print_resolutions(const qn_fsc *fsc, int columns)
{
    int printed = -CLI_CANVAS_MARGIN - 1;
    for (int quarter = 1; quarter <= 4; quarter++) {
        char text[32];
        const double frequency =
            fsc->frequency_per_angstrom[1] +
            quarter * (fsc->frequency_per_angstrom[fsc->shells - 1] - fsc->frequency_per_angstrom[1]) / 4;
        snprintf(text, sizeof text, "%.3g Å", 1 / frequency);
        const int blanks = columns * quarter / 4 - cli_text_columns(text) - printed;
        printf("%*s%s", blanks, "", text);
        printed += blanks + cli_text_columns(text);
    }
    putchar('\n');
}

static void print_curve(const qn_fsc *fsc)
{
    const double *curve = fsc->corrected ? fsc->corrected : fsc->unmasked;
    const double marks[] = {1, 0.5, 0.143, 0};
    static const char *const names[] = {"1.0", "0.5", "0.143", "0.0"};
    cli_canvas canvas;
    cli_canvas_start(&canvas, cli_terminal_columns(stdout));
    draw(fsc, curve, &canvas);
    const int dots_a_row = canvas.height / CLI_CANVAS_ROWS;
    for (int row = 0; row < CLI_CANVAS_ROWS; row++) {
        const char *label = "";
        for (int i = 0; i < 4; i++)
            if (height_of(&canvas, marks[i]) / dots_a_row == row) label = names[i];
        cli_canvas_print_row(stdout, &canvas, row, label);
    }
    cli_canvas_print_axis(stdout, &canvas);
    print_resolutions(fsc, canvas.columns);
}

/* ---- the figures ---- */

static void print_crossing(const qn_fsc_crossing *crossing)
{
    if (crossing->shell == 0)
        printf("FSC %-6.3g never below; finer than %.3g Å\n", crossing->threshold, crossing->crossing_angstrom);
    else
        printf("FSC %-6.3g %.2f Å (first shell below: %d, %.2f Å)\n", crossing->threshold, crossing->crossing_angstrom,
               crossing->shell, crossing->shell_angstrom);
}

static void print_result(const settings *chosen, const qn_fsc *fsc)
{
    print_curve(fsc);
    printf("\n%s and %s: %d voxels of %.4g Å along an edge\n", chosen->half_1, chosen->half_2, fsc->side,
           fsc->voxel_angstrom);
    if (fsc->masked) {
        printf("Mask: %.3g %% of the box; ", 100 * fsc->mask_share);
        if (fsc->randomised_from > 0)
            printf("corrected by phases randomised beyond %.3g Å\n",
                   1 / fsc->frequency_per_angstrom[fsc->randomised_from]);
        else
            printf("the maps agree too well for phases to be randomised\n");
    }
    print_crossing(&fsc->at_0_143);
    print_crossing(&fsc->at_0_5);
    if (chosen->output) printf("Report in %s/report.html\n", chosen->output);
}

/* ---- the run ---- */

static int refuse_idle_options(const settings *chosen)
{
    const struct {
        const char *name;
        double value;
    } given[] = {{"low-pass", chosen->low_pass_angstrom},
                 {"threshold", chosen->threshold},
                 {"extend", chosen->extend_voxels},
                 {"soft-edge", chosen->soft_edge_voxels}};
    if (chosen->mask && strcmp(chosen->mask, "auto") == 0) return CLI_DONE;
    for (int i = 0; i < 4; i++)
        if (!isnan(given[i].value))
            return cli_error(CLI_USAGE, "fsc: --%s is for masks that are made: it needs --mask auto", given[i].name);
    return CLI_DONE;
}

static qn_fsc_run_options request_of(const settings *chosen)
{
    qn_fsc_run_options request = qn_fsc_default_run_options();
    request.half_1 = chosen->half_1;
    request.half_2 = chosen->half_2;
    request.mask = chosen->mask;
    request.output = chosen->output;
    request.fsc = (qn_fsc_options){.seed = chosen->seed, .randomise_below = chosen->randomise_below};
    request.auto_mask.threshold = chosen->threshold;
    if (!isnan(chosen->low_pass_angstrom)) request.auto_mask.low_pass_angstrom = chosen->low_pass_angstrom;
    if (!isnan(chosen->extend_voxels)) request.auto_mask.extend_voxels = chosen->extend_voxels;
    if (!isnan(chosen->soft_edge_voxels)) request.auto_mask.soft_edge_voxels = chosen->soft_edge_voxels;
    return request;
}

static int run(void *memory)
{
    const settings *chosen = memory;
    qn_context *context = NULL;
    qn_fsc *fsc = NULL;
    int exit_code = refuse_idle_options(chosen);
    if (exit_code != CLI_DONE) return exit_code;
    const qn_fsc_run_options request = request_of(chosen);
    exit_code = cli_report(
        qn_context_create(&(qn_context_options){.threads = chosen->threads, .log = cli_log_warning}, &context));
    if (exit_code == CLI_DONE) exit_code = cli_report(qn_fsc_run(context, &request, &fsc));
    if (exit_code == CLI_DONE && !chosen->quiet) print_result(chosen, fsc);
    qn_fsc_destroy(&fsc);
    qn_context_destroy(&context);
    return exit_code;
}

const cli_command cli_fsc = {
    .name = "fsc",
    .summary = "resolution of two half maps by their Fourier shell correlation",
    .description =
        "Correlate two half maps shell by shell in Fourier space and say where the curve falls below 0.143 and "
        "0.5. With a mask the curve is corrected for what the mask itself correlates, by maps whose phases "
        "were randomised.",
    .positionals = positionals,
    .options = options,
    .settings_bytes = sizeof(settings),
    .set_defaults = set_defaults,
    .run = run,
};

/* quern fsc: the Fourier shell correlation of two half maps. */
#include <quern/fsc.h>

#include "cli/canvas.h"
#include "cli/commands.h"
#include "cli/output.h"

#include <math.h>

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_fsc_option_table()};
}

/* ---- the curve ---- */

static int height_of(const cli_canvas *canvas, double correlation)
{
    return (int)lrint((canvas->height - 1) * (1 - fmin(1, fmax(0, correlation))));
}

/* Draw the curve; neighbouring dots are joined by a vertical stroke, so it has no gap. */
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

/* Print the resolution at each quarter of the way to the last shell, right-aligned below it. */
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

static void print_result(const qn_fsc_run_options *chosen, const qn_fsc *fsc)
{
    print_curve(fsc);
    const char *second = chosen->half_2 ? chosen->half_2 : "the other half map"; /* a note names it */
    printf("\n%s and %s: %d voxels of %.4g Å along an edge\n", chosen->half_1, second, fsc->side, fsc->voxel_angstrom);
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

/* Notes say which half maps were found. */
static void on_log(qn_log_level level, const char *message, void *user)
{
    const qn_fsc_run_options *chosen = user;
    if (level == QN_LOG_NOTE && !chosen->run.quiet) fprintf(stderr, "%s\n", message);
    if (level != QN_LOG_NOTE) cli_log_warning(level, message, NULL);
}

static int run(void *memory)
{
    const qn_fsc_run_options *chosen = memory;
    const qn_context_options of_context = {
        .size = sizeof of_context, .threads = chosen->run.threads, .log = on_log, .log_user = memory};
    qn_context *context = NULL;
    qn_fsc *fsc = NULL;
    int exit_code = cli_report(qn_context_create(&of_context, &context));
    if (exit_code == CLI_DONE) exit_code = cli_report(qn_fsc_run(context, chosen, &fsc));
    if (exit_code == CLI_DONE && !chosen->run.quiet) print_result(chosen, fsc);
    qn_fsc_destroy(&fsc);
    qn_context_destroy(&context);
    return exit_code;
}

const cli_command cli_fsc = {
    .name = "fsc",
    .summary = "resolution of two half maps by their Fourier shell correlation",
    .description =
        "Correlate two half maps shell by shell in Fourier space and print where the curve falls below 0.143 and "
        "0.5. With a mask the curve is corrected for correlations that the mask causes, with maps whose phases "
        "were randomised.",
    .list_parts = list_parts,
    .settings_bytes = sizeof(qn_fsc_run_options),
    .run = run,
    .many_processes = true,
};

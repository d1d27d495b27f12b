#include "cli/convergence.h"

#include "cli/canvas.h"

#include <math.h>

void cli_format_seconds(double seconds, char *text, size_t bytes)
{
    if (!isfinite(seconds) || seconds <= 0)
        snprintf(text, bytes, "–");
    else if (seconds < 1e-3)
        snprintf(text, bytes, "%.4g µs", 1e6 * seconds);
    else if (seconds < 1)
        snprintf(text, bytes, "%.4g ms", 1e3 * seconds);
    else
        snprintf(text, bytes, "%.4g s", seconds);
}

/* Draw the curve from left to right: a dot's height is the best time after its share of the tests; drops are vertical
 * strokes. */
static void draw(const double *best, size_t count, double low, double high, cli_canvas *canvas)
{
    int previous = -1;
    for (int across = 0; across < canvas->width; across++) {
        double value = best[(size_t)across * count / (size_t)canvas->width];
        if (!isfinite(value)) continue;
        if (value > high) value = high;
        /* logarithmic: halving the time has the same height everywhere */
        int down = (int)lrint((canvas->height - 1) * (1 - log(value / low) / log(high / low)));
        for (int dot = previous < 0 ? down : previous; dot <= down; dot++) cli_canvas_dot(canvas, across, dot);
        previous = down;
    }
}

void cli_convergence_print(FILE *stream, const double *best, size_t count, int columns)
{
    cli_canvas canvas;
    char text[32];
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(best[i])) continue;
        if (best[i] < low) low = best[i];
        if (best[i] > high) high = best[i];
    }
    if (!(high > low * 1.001)) return; /* without an improvement there is no curve */
    cli_canvas_start(&canvas, columns);
    draw(best, count, low, high, &canvas);
    for (int row = 0; row < CLI_CANVAS_ROWS; row++) {
        cli_format_seconds(row == 0 ? high : low, text, sizeof text);
        cli_canvas_print_row(stream, &canvas, row, row == 0 || row == CLI_CANVAS_ROWS - 1 ? text : "");
    }
    cli_canvas_print_axis(stream, &canvas);
    int digits = snprintf(text, sizeof text, "%zu tests", count);
    fprintf(stream, "%*s1%*s\n", CLI_CANVAS_MARGIN + 1, "",
            canvas.columns - 1 > digits ? canvas.columns - 1 : digits + 1, text);
}

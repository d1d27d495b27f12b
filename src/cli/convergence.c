#include "cli/convergence.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MARGIN = 11, LEAST_COLUMNS = 8, MOST_COLUMNS = 72, ROWS = 8, DOTS_ACROSS = 2, DOTS_DOWN = 4 };

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

/* A cell's dots as bits of U+2800: left column 0 1 2 6, right column 3 4 5 7 from the top. */
static void set_dot(unsigned char cells[ROWS][MOST_COLUMNS], int across, int down)
{
    static const unsigned char bits[DOTS_ACROSS][DOTS_DOWN] = {{1, 2, 4, 64}, {8, 16, 32, 128}};
    cells[down / DOTS_DOWN][across / DOTS_ACROSS] |= bits[across % DOTS_ACROSS][down % DOTS_DOWN];
}

/* From the left: at each dot the best after that share of the tests; falls are drawn as vertical strokes. */
static void draw(const double *best, size_t count, double low, double high, int columns,
                 unsigned char cells[ROWS][MOST_COLUMNS])
{
    const int width = columns * DOTS_ACROSS, height = ROWS * DOTS_DOWN;
    int previous = -1;
    for (int across = 0; across < width; across++) {
        double value = best[(size_t)across * count / (size_t)width];
        if (!isfinite(value)) continue;
        if (value > high) value = high;
        /* logarithmic: a halving is as tall anywhere */
        int down = (int)lrint((height - 1) * (1 - log(value / low) / log(high / low)));
        for (int dot = previous < 0 ? down : previous; dot <= down; dot++) set_dot(cells, across, dot);
        previous = down;
    }
}

static void print_cell(FILE *stream, unsigned char dots)
{
    if (dots)
        fprintf(stream, "%c%c%c", 0xE2, 0xA0 | dots >> 6, 0x80 | (dots & 63)); /* UTF-8 of U+2800 + dots */
    else
        fputc(' ', stream);
}

/* Texts of different lengths in bytes but equal width: UTF-8 continuation bytes take no column. */
static void print_right(FILE *stream, const char *text, int width)
{
    int columns = 0;
    for (const char *at = text; *at; at++) columns += (*at & 0xC0) != 0x80;
    fprintf(stream, "%*s%s", columns < width ? width - columns : 0, "", text);
}

void cli_convergence_print(FILE *stream, const double *best, size_t count, int columns)
{
    unsigned char cells[ROWS][MOST_COLUMNS] = {{0}};
    char text[32];
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(best[i])) continue;
        if (best[i] < low) low = best[i];
        if (best[i] > high) high = best[i];
    }
    if (!(high > low * 1.001)) return; /* nothing was gained: no curve to see */
    columns -= MARGIN + 1;
    if (columns < LEAST_COLUMNS) columns = LEAST_COLUMNS;
    if (columns > MOST_COLUMNS) columns = MOST_COLUMNS;
    draw(best, count, low, high, columns, cells);
    for (int row = 0; row < ROWS; row++) {
        cli_format_seconds(row == 0 ? high : low, text, sizeof text);
        print_right(stream, row == 0 || row == ROWS - 1 ? text : "", MARGIN - 1);
        fputs(" │", stream);
        for (int column = 0; column < columns; column++) print_cell(stream, cells[row][column]);
        fputc('\n', stream);
    }
    fprintf(stream, "%*s└", MARGIN, "");
    for (int column = 0; column < columns; column++) fputs("─", stream);
    int digits = snprintf(text, sizeof text, "%zu tests", count);
    fprintf(stream, "\n%*s1%*s\n", MARGIN + 1, "", columns - 1 > digits ? columns - 1 : digits + 1, text);
}

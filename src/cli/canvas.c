#define _DEFAULT_SOURCE 1
#include "cli/canvas.h"

#include <string.h>
#include <sys/ioctl.h>

enum { LEAST_COLUMNS = 8, DOTS_ACROSS = 2, DOTS_DOWN = 4 };

void cli_canvas_start(cli_canvas *canvas, int terminal_columns)
{
    int columns = terminal_columns - CLI_CANVAS_MARGIN - 1;
    if (columns < LEAST_COLUMNS) columns = LEAST_COLUMNS;
    if (columns > CLI_CANVAS_COLUMNS_MAX) columns = CLI_CANVAS_COLUMNS_MAX;
    *canvas = (cli_canvas){.columns = columns, .width = columns * DOTS_ACROSS, .height = CLI_CANVAS_ROWS * DOTS_DOWN};
}

/* A cell's dots as bits of U+2800: left column 0 1 2 6, right column 3 4 5 7 from the top. */
void cli_canvas_dot(cli_canvas *canvas, int across, int down)
{
    static const unsigned char bits[DOTS_ACROSS][DOTS_DOWN] = {{1, 2, 4, 64}, {8, 16, 32, 128}};
    canvas->cells[down / DOTS_DOWN][across / DOTS_ACROSS] |= bits[across % DOTS_ACROSS][down % DOTS_DOWN];
}

static void print_cell(FILE *stream, unsigned char dots)
{
    if (dots)
        fprintf(stream, "%c%c%c", 0xE2, 0xA0 | dots >> 6, 0x80 | (dots & 63)); /* UTF-8 of U+2800 + dots */
    else
        fputc(' ', stream);
}

/* UTF-8 continuation bytes take no column. */
int cli_text_columns(const char *text)
{
    int columns = 0;
    for (const char *at = text; *at; at++) columns += (*at & 0xC0) != 0x80;
    return columns;
}

void cli_canvas_print_row(FILE *stream, const cli_canvas *canvas, int row, const char *label)
{
    const int blanks = CLI_CANVAS_MARGIN - 1 - cli_text_columns(label);
    fprintf(stream, "%*s%s │", blanks > 0 ? blanks : 0, "", label);
    for (int column = 0; column < canvas->columns; column++) print_cell(stream, canvas->cells[row][column]);
    fputc('\n', stream);
}

void cli_canvas_print_axis(FILE *stream, const cli_canvas *canvas)
{
    fprintf(stream, "%*s└", CLI_CANVAS_MARGIN, "");
    for (int column = 0; column < canvas->columns; column++) fputs("─", stream);
    fputc('\n', stream);
}

int cli_terminal_columns(FILE *stream)
{
    struct winsize size;
    return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* Plots in a terminal, drawn with Braille dots: 2 across and 4 down in every character. */
#ifndef QN_CLI_CANVAS_H
#define QN_CLI_CANVAS_H

#include <stdio.h>

enum { CLI_CANVAS_MARGIN = 11, CLI_CANVAS_ROWS = 8, CLI_CANVAS_MOST_COLUMNS = 72 };

typedef struct cli_canvas {
    int columns;       /* characters */
    int width, height; /* dots */
    unsigned char cells[CLI_CANVAS_ROWS][CLI_CANVAS_MOST_COLUMNS];
} cli_canvas;

/* Empty, for a terminal of so many columns. */
void cli_canvas_start(cli_canvas *canvas, int terminal_columns);

/* A dot; 0, 0 is at the top left. */
void cli_canvas_dot(cli_canvas *canvas, int across, int down);

/* One row behind its label, right-aligned in the margin; the line below the last one. Both end their lines. */
void cli_canvas_print_row(FILE *stream, const cli_canvas *canvas, int row, const char *label);
void cli_canvas_print_axis(FILE *stream, const cli_canvas *canvas);

/* Columns of the terminal behind a stream; 80 where there is none. */
int cli_terminal_columns(FILE *stream);

/* Columns that a UTF-8 text takes. */
int cli_text_columns(const char *text);

#endif

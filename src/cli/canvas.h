/* Plots in a terminal, drawn with Braille dots: 2 across and 4 down in every character. */
#ifndef QN_CLI_CANVAS_H
#define QN_CLI_CANVAS_H

#include <stdio.h>

enum { CLI_CANVAS_MARGIN = 11, CLI_CANVAS_ROWS = 8, CLI_CANVAS_COLUMNS_MAX = 72 };

typedef struct cli_canvas {
    int columns;       /* characters */
    int width, height; /* dots */
    unsigned char cells[CLI_CANVAS_ROWS][CLI_CANVAS_COLUMNS_MAX];
} cli_canvas;

/* Start an empty canvas for a terminal with `terminal_columns` columns. */
void cli_canvas_start(cli_canvas *canvas, int terminal_columns);

/* Set a dot; 0, 0 is at the top left. */
void cli_canvas_dot(cli_canvas *canvas, int across, int down);

/* Print one row after its label, right-aligned in the margin; print the line below the last row. Both print a line
 * end. */
void cli_canvas_print_row(FILE *stream, const cli_canvas *canvas, int row, const char *label);
void cli_canvas_print_axis(FILE *stream, const cli_canvas *canvas);

/* Number of columns of the terminal that a stream writes to; 80 if it is not a terminal. */
int cli_terminal_columns(FILE *stream);

/* Number of columns that a UTF-8 text takes. */
int cli_text_columns(const char *text);

#endif

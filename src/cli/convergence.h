/* A convergence curve in a terminal: the best time after each test, drawn with Braille dots. */
#ifndef QN_CLI_CONVERGENCE_H
#define QN_CLI_CONVERGENCE_H

#include <stddef.h>
#include <stdio.h>

/* `best[i]` is the best time in seconds after test i + 1, not finite while there is none. `columns` wide at most. */
void cli_convergence_print(FILE *stream, const double *best, size_t count, int columns);

/* Seconds in a suitable unit: "12.3 µs", "4.56 ms", "1.2 s"; "–" when not finite. */
void cli_format_seconds(double seconds, char *text, size_t bytes);

#endif

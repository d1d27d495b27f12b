/* Progress of a long call and the library's messages, on one stream: a bar that is redrawn on a terminal, lines
 * elsewhere. */
#ifndef QN_CLI_PROGRESS_H
#define QN_CLI_PROGRESS_H

#include <pthread.h>
#include <quern/device.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct cli_progress {
    FILE *stream;
    bool quiet; /* only warnings */
    bool final; /* a stopped run cannot be resumed */
    bool terminal;
    int columns; /* 0: read from the terminal at each redraw */
    pthread_mutex_t lock;
    char stage[48];
    size_t first_done;
    uint64_t first_bytes;
    double first_seconds;
    double last_drawn_s;
    int last_tenth;
    int pace; /* of the shown rate: 0, by the second; 1, by the minute; 2, by the hour */
    bool bar_shown;
} cli_progress;

/* Begin to show progress on `stream`. A terminal is recognised unless TERM is "dumb". */
void cli_progress_start(cli_progress *progress, FILE *stream, bool quiet);

/* Remove the bar. */
void cli_progress_finish(cli_progress *progress);

/* A qn_progress_callback and a qn_log_callback; `user` is the cli_progress. The progress callback returns nonzero once
 * the user asked to stop. */
int cli_progress_on_progress(const qn_progress *state, void *user);
void cli_progress_on_log(qn_log_level level, const char *message, void *user);

/* Run a long call of the library in a context of its own, with progress, messages and Ctrl-C; run() passes `progress`
 * to the library as the user pointer of its qn_progress_callback. `options` are the context's, except for its log.
 * Prints the error, or how to resume after a stop; returns the exit code. */
int cli_progress_run(const qn_context_options *options, bool quiet,
                     qn_status (*run)(qn_context *context, cli_progress *progress, void *user), void *user);

/* "42 s", "3 min 20 s", "2 h 05 min". */
void cli_format_duration(double seconds, char *text, size_t bytes);

/* The time that something took: "0.003 s", "0.03 s", "4.2 s", and from ten seconds on as a duration. */
void cli_format_elapsed(double seconds, char *text, size_t bytes);

/* A speed with three digits: "12.3 pairs/s", "323000 pairs/s", "1.25 billion pairs/s". */
void cli_format_speed(double per_second, const char *unit, char *text, size_t bytes);

#endif

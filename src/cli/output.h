/* Output that all commands share: errors, interruption, and result files. */
#ifndef QN_CLI_OUTPUT_H
#define QN_CLI_OUTPUT_H

#include <quern/log.h>
#include <quern/status.h>
#include <stdbool.h>
#include <stdio.h>

/* Print "quern: <sentence>" on standard error and return `exit_code`. */
int cli_error(int exit_code, const char *format, ...) QN_PRINTF_LIKE(2, 3);

/* The exit code for the status of a library call: CLI_USAGE if a value that the user gave is wrong, CLI_SIGNALLED + the
 * signal's number if a signal stopped the call, otherwise CLI_FAILED. */
int cli_exit_code(qn_status status);

/* The same; prints the error's sentence. */
int cli_report(qn_status status);

/* Store the whole command line, to tell the user how to repeat it. Called once by main. */
void cli_command_line_set(int count, char *const *arguments);

/* Print the command line, quoted for a shell, with `extra` appended unless it ends with it. */
void cli_command_line_print(FILE *stream, const char *extra);

/* From here on the first SIGINT or SIGTERM only sets a flag; the second one ends the program. */
void cli_interrupt_watch(void);
bool cli_interrupted(void);

/* A result built in memory and then written to a file, which is complete or absent; the file "-" is standard output.
 *
 *     cli_document document;
 *     int exit_code = cli_document_open(&document, path);
 *     if (exit_code == 0) { fprintf(document.stream, …); exit_code = cli_document_close(&document); }
 */
typedef struct cli_document {
    const char *path;
    FILE *stream;
    char *text;
    size_t bytes;
} cli_document;

int cli_document_open(cli_document *document, const char *path);
int cli_document_close(cli_document *document);

/* Print a JSON string with its quotes (a byte that is not UTF-8 becomes \xNN, as in file names), a JSON number (null if
 * not finite), and a CSV field. */
void cli_json_text(FILE *stream, const char *text);
void cli_json_number(FILE *stream, double value);
void cli_csv_text(FILE *stream, const char *text);

/* The word that goes with a count: `one` for 1, `many` for all other counts. */
const char *cli_plural(unsigned long long count, const char *one, const char *many);

/* A qn_log_callback that prints warnings, for commands without progress output. */
void cli_log_warning(qn_log_level level, const char *message, void *user);

#endif

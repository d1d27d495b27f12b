#define _POSIX_C_SOURCE 200809L
#include "cli/output.h"

#include "cli/options.h"

#include <errno.h>
#include <math.h>
#include <quern/file.h>
#include <quern/version.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int command_count;
static char **command_line;
static atomic_int interrupting_signal; /* 0: none; any thread may get it, and others read it */

int cli_error(int exit_code, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fputs("quern: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    return exit_code;
}

int cli_exit_code(qn_status status)
{
    const int signal_number = atomic_load(&interrupting_signal);
    if (status == QN_OK) return CLI_DONE;
    if (status == QN_CANCELLED && signal_number != 0) return CLI_SIGNALLED + signal_number;
    return status == QN_INVALID_ARGUMENT ? CLI_USAGE : CLI_FAILED;
}

int cli_report(qn_status status)
{
    if (status == QN_OK) return CLI_DONE;
    const char *message = qn_error_message();
    cli_error(0, "%s", *message ? message : qn_status_name(status));
    if (status == QN_INTERNAL || status == QN_CHECK_FAILED)
        fprintf(stderr, "quern: this is a bug in quern (%s, at %s)\n", qn_version(), qn_error_origin());
    return cli_exit_code(status);
}

void cli_command_line_set(int count, char *const *arguments)
{
    /* A copy of the pointers, because parsing reorders the array. */
    command_line = calloc((size_t)count + 1, sizeof *command_line);
    if (!command_line) return;
    memcpy(command_line, arguments, (size_t)count * sizeof *command_line);
    command_count = count;
}

static void print_quoted(FILE *stream, const char *text)
{
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    if (*text && text[strspn(text, plain)] == '\0') {
        fputs(text, stream);
        return;
    }
    fputc('\'', stream);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stream);
        else
            fputc(*text, stream);
    }
    fputc('\'', stream);
}

void cli_command_line_print(FILE *stream, const char *extra)
{
    bool has_extra = false;
    for (int i = 0; i < command_count; i++) {
        if (i > 0) fputc(' ', stream);
        print_quoted(stream, command_line[i]);
        has_extra = has_extra || strcmp(command_line[i], extra) == 0;
    }
    if (!has_extra) fprintf(stream, " %s", extra);
}

static bool tells_of_stopping; /* standard error is a terminal */

/* Work in flight is finished first, which may take seconds, so a user learns at once that Ctrl-C was heard. */
static void tell_of_stopping(int number)
{
    static const char text[] = "\r\033[Kstopping after the work in flight; Ctrl-C again ends at once\n";
    const int reason = errno;
    if (number == SIGINT && tells_of_stopping && write(STDERR_FILENO, text, sizeof text - 1) < 0) errno = reason;
}

/* The first signal asks the run to stop, and a later one ends the process at once. Terminals, `timeout` and MPI
 * launchers may deliver one request twice: a signal within half a second of the first is the same request. */
static void on_signal(int number)
{
    const long long SAME_REQUEST_NS = 500000000;
    static atomic_llong first_ns;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const long long now_ns = 1000000000LL * now.tv_sec + now.tv_nsec;
    if (atomic_load(&interrupting_signal) == 0) {
        atomic_store(&first_ns, now_ns);
        atomic_store(&interrupting_signal, number);
        qn_file_stop_waiting();
        tell_of_stopping(number);
    } else if (now_ns - atomic_load(&first_ns) > SAME_REQUEST_NS) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

/* A signal that was ignored when the program started stays ignored. */
static void watch_signal(int number)
{
    struct sigaction before, action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(number, &action, NULL);
}

void cli_interrupt_watch(void)
{
    const char *kind = getenv("TERM");
    tells_of_stopping = isatty(STDERR_FILENO) && kind && strcmp(kind, "dumb") != 0;
    watch_signal(SIGINT);
    watch_signal(SIGTERM);
}

bool cli_interrupted(void)
{
    return atomic_load(&interrupting_signal) != 0;
}

int cli_document_open(cli_document *document, const char *path)
{
    *document = (cli_document){.path = path};
    document->stream = open_memstream(&document->text, &document->bytes);
    if (!document->stream) return cli_error(CLI_FAILED, "%s: %s", path, strerror(errno));
    return CLI_DONE;
}

int cli_document_close(cli_document *document)
{
    int exit_code = CLI_FAILED;
    bool complete = !ferror(document->stream);
    complete = fclose(document->stream) == 0 && complete;
    if (!complete) {
        cli_error(CLI_FAILED, "%s: out of memory", document->path);
    } else if (strcmp(document->path, "-") == 0) {
        fwrite(document->text, 1, document->bytes, stdout); /* main checks standard output at the end */
        exit_code = CLI_DONE;
    } else {
        exit_code = cli_report(qn_file_write(document->path, document->text, document->bytes));
    }
    free(document->text);
    return exit_code;
}

/* Bytes of the UTF-8 character at `text` (RFC 3629, section 4); 0 when it is not valid. */
static size_t character_bytes(const unsigned char *text)
{
    const unsigned char first = text[0];
    const size_t bytes = first < 0x80   ? 1
                         : first < 0xC2 ? 0
                         : first < 0xE0 ? 2
                         : first < 0xF0 ? 3
                         : first < 0xF5 ? 4
                                        : 0;
    const unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (bytes > 1 && (text[1] < low || text[1] > high)) return 0;
    for (size_t i = 2; i < bytes; i++)
        if (text[i] < 0x80 || text[i] > 0xBF) return 0;
    return bytes;
}

void cli_json_text(FILE *stream, const char *text)
{
    fputc('"', stream);
    while (*text) {
        const unsigned char byte = (unsigned char)*text;
        const size_t bytes = character_bytes((const unsigned char *)text);
        if (bytes == 0)
            fprintf(stream, "\\\\x%02X", byte); /* the same form as in the library's files */
        else if (byte == '"' || byte == '\\')
            fprintf(stream, "\\%c", byte);
        else if (byte < 0x20)
            fprintf(stream, "\\u%04x", byte);
        else
            fwrite(text, 1, bytes, stream);
        text += bytes ? bytes : 1;
    }
    fputc('"', stream);
}

void cli_json_number(FILE *stream, double value)
{
    if (isfinite(value))
        fprintf(stream, "%.9g", value);
    else
        fputs("null", stream);
}

void cli_csv_text(FILE *stream, const char *text)
{
    bool quoted = text[strcspn(text, ",\"\r\n")] != '\0';
    if (quoted) fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"') fputc('"', stream);
        fputc(*text, stream);
    }
    if (quoted) fputc('"', stream);
}

void cli_log_warning(qn_log_level level, const char *message, void *user)
{
    (void)user;
    if (level == QN_LOG_WARNING) fprintf(stderr, "warning: %s\n", message);
}

const char *cli_plural(unsigned long long count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

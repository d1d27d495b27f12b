#define _DEFAULT_SOURCE 1
#include "cli/progress.h"

#include "cli/options.h"
#include "cli/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { LINE_MAX_COLUMNS = 250, BAR_LEAST = 8, BAR_MAX = 40 };

static const double redraw_interval_s = 0.1, line_interval_s = 1.0, unknown_interval_s = 10;
static const double least_measured_s = 0.5; /* the rate of a shorter time is that of a cache or of a single batch */

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void cli_progress_start(cli_progress *progress, FILE *stream, bool quiet)
{
    const char *kind = getenv("TERM");
    *progress = (cli_progress){.stream = stream, .quiet = quiet, .last_drawn_s = -1e9};
    progress->terminal = isatty(fileno(stream)) && kind && strcmp(kind, "dumb") != 0;
    pthread_mutex_init(&progress->lock, NULL);
}

static void remove_bar(cli_progress *progress)
{
    if (progress->bar_shown) fputs("\r\033[K", progress->stream);
    progress->bar_shown = false;
}

void cli_progress_finish(cli_progress *progress)
{
    remove_bar(progress);
    fflush(progress->stream);
    pthread_mutex_destroy(&progress->lock);
}

void cli_format_duration(double seconds, char *text, size_t bytes)
{
    long long whole = seconds > 0 && seconds < 1e12 ? (long long)(seconds + 0.5) : 0;
    if (whole < 60)
        snprintf(text, bytes, "%lld s", whole);
    else if (whole < 3600)
        snprintf(text, bytes, "%lld min %02lld s", whole / 60, whole % 60);
    else
        snprintf(text, bytes, "%lld h %02lld min", whole / 3600, whole / 60 % 60);
}

void cli_format_elapsed(double seconds, char *text, size_t bytes)
{
    if (seconds > 0 && seconds < 9.95)
        snprintf(text, bytes, "%.*f s", seconds < 0.00995 ? 3 : seconds < 0.0995 ? 2 : 1, seconds);
    else
        cli_format_duration(seconds, text, bytes);
}

void cli_format_speed(double per_second, const char *unit, char *text, size_t bytes)
{
    static const char *const words[] = {"", " million", " billion", " trillion"};
    double rounded = per_second > 0 ? per_second : 0;
    if (rounded >= 1) {
        const double step = pow(10, floor(log10(rounded)) - 2);
        rounded = round(rounded / step) * step;
    }
    size_t word = 0;
    if (rounded >= 1e6)
        while (rounded >= 1e3 && word + 1 < sizeof words / sizeof words[0]) {
            rounded /= word == 0 ? 1e6 : 1e3;
            word++;
        }
    snprintf(text, bytes, rounded < 999.5 ? "%.3g%s %s/s" : "%.0f%s %s/s", rounded, words[word], unit);
}

/* The rate of this run, without the work that an interrupted run had done before; 0: not known yet. */
static double rate_of(const cli_progress *progress, const qn_progress *state)
{
    double seconds = state->seconds - progress->first_seconds;
    return seconds >= least_measured_s && state->done > progress->first_done
               ? (double)(state->done - progress->first_done) / seconds
               : 0;
}

/* Slow work is counted by the minute or by the hour, so that "0.0 movies/s" is never said. The unit is kept as long as
 * it suits, so that it does not change from line to line. */
static void format_rate(cli_progress *progress, double per_second, const char *unit, char *text, size_t bytes)
{
    static const struct {
        double seconds;
        const char *name;
    } paces[] = {{1, "s"}, {60, "min"}, {3600, "h"}};
    const int last = (int)(sizeof paces / sizeof paces[0]) - 1;
    while (progress->pace < last && per_second * paces[progress->pace].seconds < 0.5) progress->pace++;
    while (progress->pace > 0 && per_second * paces[progress->pace - 1].seconds >= 1) progress->pace--;
    const double rate = per_second * paces[progress->pace].seconds;
    snprintf(text, bytes, "%.*f %s/%s", rate < 100 ? 1 : 0, rate, unit, paces[progress->pace].name);
}

static void describe(cli_progress *progress, const qn_progress *state, char *text, size_t bytes)
{
    char left[48], pace[96], speed[48] = "";
    const bool known = state->total < SIZE_MAX, ahead = known && state->done < state->total;
    const double rate = rate_of(progress, state), seconds = state->seconds - progress->first_seconds;
    const size_t letters = strlen(state->unit), count = known ? state->total : state->done;
    const int of_unit = (int)(letters > 0 && count == 1 && state->unit[letters - 1] == 's' ? letters - 1 : letters);
    int length = known ? snprintf(text, bytes, "%3d %%  %zu%s%zu %.*s",
                                  (int)(100.0 * (double)state->done / (double)state->total), state->done,
                                  state->estimated ? " of about " : "/", state->total, of_unit, state->unit)
                       : snprintf(text, bytes, "%zu %.*s", state->done, of_unit, state->unit);
    if (rate <= 0 || length < 0 || (size_t)length >= bytes) return;
    if (state->bytes > progress->first_bytes)
        snprintf(speed, sizeof speed, "  %.1f MB/s", (double)(state->bytes - progress->first_bytes) / seconds / 1e6);
    cli_format_duration((double)(state->total - state->done) / rate, left, sizeof left);
    format_rate(progress, rate, state->unit, pace, sizeof pace);
    snprintf(text + length, bytes - (size_t)length, "  %s%s%s%s%s", pace, speed, ahead ? "  " : "", ahead ? left : "",
             ahead ? " left" : "");
}

static int terminal_columns(const cli_progress *progress)
{
    struct winsize size;
    int columns = progress->columns;
    if (columns == 0 && ioctl(fileno(progress->stream), TIOCGWINSZ, &size) == 0) columns = size.ws_col;
    if (columns <= 0) columns = 80;
    return columns < LINE_MAX_COLUMNS ? columns : LINE_MAX_COLUMNS;
}

static void draw_bar(cli_progress *progress, const qn_progress *state)
{
    char text[160], bar[BAR_MAX + 1] = "", line[LINE_MAX_COLUMNS + 64];
    int columns = terminal_columns(progress) - 1; /* the last column would wrap on some terminals */
    describe(progress, state, text, sizeof text);
    int width = columns - (int)strlen(state->stage) - (int)strlen(text) - 5;
    if (width > BAR_MAX) width = BAR_MAX;
    if (state->total == SIZE_MAX) width = 0;
    if (width >= BAR_LEAST) {
        int filled = (int)((double)width * (double)state->done / (double)state->total);
        for (int i = 0; i < width; i++) bar[i] = i < filled ? '=' : i == filled ? '>' : ' ';
        snprintf(line, sizeof line, "%s [%s]  %s", state->stage, bar, text);
    } else {
        snprintf(line, sizeof line, "%s  %s", state->stage, text);
    }
    fprintf(progress->stream, "\r%.*s\033[K", columns, line);
    fflush(progress->stream);
    progress->bar_shown = true;
}

static void show(cli_progress *progress, const qn_progress *state)
{
    double now = now_s();
    bool new_stage = strncmp(progress->stage, state->stage, sizeof progress->stage - 1) != 0;
    bool complete = state->done == state->total;
    if (new_stage) {
        snprintf(progress->stage, sizeof progress->stage, "%s", state->stage);
        progress->first_done = state->done;
        progress->first_seconds = state->seconds;
        progress->first_bytes = state->bytes;
        progress->last_tenth = 0;
        progress->pace = 0;
    }
    if (progress->terminal) {
        if (!new_stage && !complete && now - progress->last_drawn_s < redraw_interval_s) return;
        draw_bar(progress, state);
    } else {
        int tenth = (int)(10.0 * (double)state->done / (double)state->total);
        if (state->total == SIZE_MAX) tenth = (int)(state->seconds / unknown_interval_s);
        if (tenth <= progress->last_tenth || (!complete && now - progress->last_drawn_s < line_interval_s)) return;
        char text[160];
        describe(progress, state, text, sizeof text);
        fprintf(progress->stream, "%s  %s\n", state->stage, text);
        progress->last_tenth = tenth;
    }
    progress->last_drawn_s = now;
}

int cli_progress_on_progress(const qn_progress *state, void *user)
{
    cli_progress *progress = user;
    pthread_mutex_lock(&progress->lock);
    if (!progress->quiet && state->total > 0 && state->done <= state->total) show(progress, state);
    pthread_mutex_unlock(&progress->lock);
    return cli_interrupted();
}

void cli_progress_on_log(qn_log_level level, const char *message, void *user)
{
    cli_progress *progress = user;
    if (level == QN_LOG_DEBUG || (progress->quiet && level != QN_LOG_WARNING)) return;
    pthread_mutex_lock(&progress->lock);
    remove_bar(progress);
    fprintf(progress->stream, "%s%s\n", level == QN_LOG_WARNING ? "warning: " : "", message);
    pthread_mutex_unlock(&progress->lock);
}

int cli_progress_run(const qn_context_options *options, bool quiet,
                     qn_status (*run)(qn_context *context, cli_progress *progress, void *user), void *user)
{
    cli_progress progress;
    qn_context *context = NULL;
    qn_context_options heard = *options;
    heard.log = cli_progress_on_log;
    heard.log_user = &progress;
    cli_progress_start(&progress, stderr, quiet);
    cli_interrupt_watch();
    qn_status status = qn_context_create(&heard, &context);
    if (status == QN_OK) status = run(context, &progress, user);
    qn_context_destroy(&context);
    cli_progress_finish(&progress);
    if (status != QN_OK && qn_error_is_reported()) return cli_exit_code(status);
    int exit_code = cli_report(status);
    if (status == QN_CANCELLED && !progress.final) {
        fputs("quern: go on with: ", stderr);
        cli_command_line_print(stderr, "--resume");
        fputc('\n', stderr);
    }
    return exit_code;
}

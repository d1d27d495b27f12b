/* The progress display, tested step by step on a file. */
#define _GNU_SOURCE 1 /* posix_openpt */
#include "check.h"
/* The command line is not a library, so its sources are compiled into the test. */
#include "cli/output.c"
#include "cli/progress.c"

#include <fcntl.h>
#include <poll.h>

static char shown[65536];

/* Return all text written to `progress` so far. */
static const char *read_back(const cli_progress *progress)
{
    fflush(progress->stream);
    rewind(progress->stream);
    size_t length = fread(shown, 1, sizeof shown - 1, progress->stream);
    shown[length] = '\0';
    return shown;
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) count++;
    return count;
}

static cli_progress start(bool quiet, bool terminal, int columns)
{
    cli_progress progress;
    cli_progress_start(&progress, tmpfile(), quiet);
    progress.terminal = terminal;
    progress.columns = columns;
    return progress;
}

static int step(cli_progress *progress, size_t done, size_t total, double seconds)
{
    const qn_progress state = {
        .stage = "docking", .unit = "rotations", .done = done, .total = total, .seconds = seconds};
    return cli_progress_on_progress(&state, progress);
}

static void finish(cli_progress *progress)
{
    cli_progress_finish(progress);
    fclose(progress->stream);
}

static void a_line_is_written_every_ten_percent(void)
{
    cli_progress progress = start(false, false, 0);
    for (size_t done = 0; done <= 1000; done += 5) {
        progress.last_drawn_s = -1e9; /* as if a second had passed */
        step(&progress, done, 1000, 0.01 * (double)done);
    }
    const char *text = read_back(&progress);
    CHECK(count_of(text, "\n") == 10);
    CHECK(strstr(text, "docking   10 %  100/1000 rotations  100 rotations/s  9 s left\n") != NULL);
    CHECK(strstr(text, "docking  100 %  1000/1000 rotations") != NULL);
    CHECK(strchr(text, '\r') == NULL && strchr(text, '\033') == NULL);
    finish(&progress);
}

static void steps_of_unknown_total_are_counted(void)
{
    cli_progress progress = start(false, false, 0), terminal = start(false, true, 80);
    for (size_t done = 0; done <= 300; done++) {
        const qn_progress state = {.stage = "analysing",
                                   .unit = "frames",
                                   .done = done,
                                   .total = SIZE_MAX,
                                   .seconds = 0.1 * (double)done,
                                   .bytes = 1000000 * (uint64_t)done};
        progress.last_drawn_s = terminal.last_drawn_s = -1e9;
        cli_progress_on_progress(&state, &progress);
        cli_progress_on_progress(&state, &terminal);
    }
    const char *text = read_back(&progress);
    CHECK(count_of(text, "\n") == 3); /* every ten seconds */
    CHECK(strstr(text, "analysing  200 frames  10.0 frames/s  10.0 MB/s\n") != NULL);
    CHECK(strstr(read_back(&terminal), "\ranalysing  300 frames  10.0 frames/s  10.0 MB/s\033[K") != NULL);
    finish(&progress);
    finish(&terminal);
}

/* The last line is that of finished work. A rate is that of half a second or more. */
static void finished_and_quick_stages_tell_no_time_left(void)
{
    cli_progress progress = start(false, false, 0), quick = start(false, false, 0);
    step(&progress, 0, 1000, 0);
    progress.last_drawn_s = -1e9;
    step(&progress, 1000, 1000, 10);
    CHECK(strstr(read_back(&progress), "docking  100 %  1000/1000 rotations  100 rotations/s\n") != NULL);
    step(&quick, 8, 10, 0.001);
    step(&quick, 10, 10, 0.0010001);
    CHECK(strstr(read_back(&quick), "docking  100 %  10/10 rotations\n") != NULL);
    finish(&progress);
    finish(&quick);
}

static void one_piece_of_work_is_not_many(void)
{
    cli_progress progress = start(false, false, 0);
    step(&progress, 1, 1, 2);
    CHECK(strstr(read_back(&progress), "docking  100 %  1/1 rotation\n") != NULL);
    finish(&progress);
}

static void an_estimated_total_is_said_to_be_one(void)
{
    cli_progress progress = start(false, false, 0);
    const qn_progress state = {
        .stage = "screening", .unit = "molecules", .done = 8, .total = 56, .seconds = 1, .estimated = true};
    cli_progress_on_progress(&state, &progress);
    CHECK(strstr(read_back(&progress), "screening   14 %  8 of about 56 molecules\n") != NULL);
    finish(&progress);
}

/* A rate about the place where the unit changes: 0.48, then 0.52, then 2 a second. */
static void the_unit_of_a_rate_is_kept(void)
{
    cli_progress progress = start(false, false, 0);
    const size_t done[] = {0, 120, 260, 900};
    const double seconds[] = {0, 250, 500, 450};
    for (int i = 0; i < 4; i++) {
        progress.last_drawn_s = -1e9;
        step(&progress, done[i], 1000, seconds[i]);
    }
    const char *text = read_back(&progress);
    CHECK(strstr(text, "120/1000 rotations  28.8 rotations/min") != NULL);
    CHECK(strstr(text, "260/1000 rotations  31.2 rotations/min") != NULL);
    CHECK(strstr(text, "900/1000 rotations  2.0 rotations/s") != NULL);
    finish(&progress);
}

/* A stage of a few milliseconds prints one line at the first tenth and one at its completion. */
static void quick_stages_write_few_lines(void)
{
    cli_progress progress = start(false, false, 0);
    for (size_t done = 0; done <= 1000; done++) step(&progress, done, 1000, 1e-5 * (double)done);
    CHECK(count_of(read_back(&progress), "\n") == 2);
    finish(&progress);
}

static void the_bar_fits_the_terminal_and_is_erased(void)
{
    for (int columns = 20; columns <= 200; columns += 15) {
        cli_progress progress = start(false, true, columns);
        for (size_t done = 0; done < 3600; done += 36) {
            progress.last_drawn_s = -1e9;
            step(&progress, done, 3600, 0.3 * (double)done);
        }
        cli_progress_on_log(QN_LOG_NOTE, "a note", &progress);
        cli_progress_finish(&progress);
        const char *text = read_back(&progress);
        for (const char *at = strchr(text, '\r'); at; at = strchr(at + 1, '\r'))
            CHECK((int)strcspn(at + 1, "\033\r\n") < columns);
        CHECK(strstr(text, "\r\033[Ka note\n") != NULL);
        CHECK((strchr(text, '[') && strstr(text, "=>")) == (columns >= 80));
        fclose(progress.stream);
    }
}

static void the_bar_is_redrawn_at_most_ten_times_a_second(void)
{
    cli_progress progress = start(false, true, 80);
    double begin = now_s();
    for (size_t done = 0; done < 100000; done++) step(&progress, done, 100000, 1);
    size_t allowed = 2 + (size_t)(10 * (now_s() - begin));
    CHECK(count_of(read_back(&progress), "\r") <= allowed);
    finish(&progress);
}

/* An earlier run did 900 rotations; this run does 100 in 2 s. */
static void resumed_work_does_not_count_as_speed(void)
{
    cli_progress progress = start(false, false, 0);
    step(&progress, 900, 2000, 0);
    progress.last_drawn_s = -1e9;
    step(&progress, 1000, 2000, 2);
    CHECK(strstr(read_back(&progress), "  50.0 rotations/s  20 s left\n") != NULL);
    finish(&progress);
}

static void slow_work_is_counted_by_minutes_and_hours(void)
{
    cli_progress progress = start(false, false, 0);
    step(&progress, 0, 10, 0);
    progress.last_drawn_s = -1e9;
    step(&progress, 1, 10, 20);
    CHECK(strstr(read_back(&progress), "  3.0 rotations/min  3 min 00 s left\n") != NULL);
    progress.last_drawn_s = -1e9;
    step(&progress, 2, 10, 480);
    CHECK(strstr(read_back(&progress), "  15.0 rotations/h  32 min 00 s left\n") != NULL);
    finish(&progress);
}

static void quiet_prints_only_warnings(void)
{
    cli_progress progress = start(true, false, 0);
    step(&progress, 10, 10, 1);
    cli_progress_on_log(QN_LOG_NOTE, "a note", &progress);
    cli_progress_on_log(QN_LOG_DEBUG, "a detail", &progress);
    CHECK_TEXT(read_back(&progress), "");
    cli_progress_on_log(QN_LOG_WARNING, "something odd", &progress);
    CHECK_TEXT(read_back(&progress), "warning: something odd\n");
    finish(&progress);
}

static void impossible_progress_is_not_shown(void)
{
    cli_progress progress = start(false, false, 0);
    step(&progress, 0, 0, 0);
    step(&progress, 11, 10, 1);
    CHECK_TEXT(read_back(&progress), "");
    finish(&progress);
}

static void durations_are_rounded_and_split_into_units(void)
{
    const struct {
        double seconds;
        const char *text;
    } cases[] = {{0, "0 s"},           {-3, "0 s"},          {59.4, "59 s"},
                 {59.6, "1 min 00 s"}, {200, "3 min 20 s"},  {3599, "59 min 59 s"},
                 {3600, "1 h 00 min"}, {7530, "2 h 05 min"}, {NAN, "0 s"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[48];
        cli_format_duration(cases[i].seconds, text, sizeof text);
        CHECK_TEXT(text, cases[i].text);
    }
}

static void times_and_speeds_have_two_or_three_digits(void)
{
    const struct {
        double value;
        const char *elapsed, *speed;
    } cases[] = {{0, "0 s", "0 pairs/s"},
                 {-1, "0 s", "0 pairs/s"},
                 {NAN, "0 s", "0 pairs/s"},
                 {0.0034, "0.003 s", "0.0034 pairs/s"},
                 {0.034, "0.03 s", "0.034 pairs/s"},
                 {0.096, "0.10 s", "0.096 pairs/s"},
                 {4.24, "4.2 s", "4.24 pairs/s"},
                 {9.96, "10 s", "9.96 pairs/s"},
                 {99.96, "1 min 40 s", "100 pairs/s"},
                 {999.6, "16 min 40 s", "1000 pairs/s"},
                 {12345, "3 h 25 min", "12300 pairs/s"},
                 {323456, "89 h 50 min", "323000 pairs/s"},
                 {999999, "277 h 46 min", "1 million pairs/s"},
                 {12.34e6, "3427 h 46 min", "12.3 million pairs/s"},
                 {999.9e6, "277750 h 00 min", "1 billion pairs/s"},
                 {1.5e12, "0 s", "1.5 trillion pairs/s"},
                 {2.5e15, "0 s", "2500 trillion pairs/s"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64];
        cli_format_elapsed(cases[i].value, text, sizeof text);
        CHECK_TEXT(text, cases[i].elapsed);
        cli_format_speed(cases[i].value, "pairs", text, sizeof text);
        CHECK_TEXT(text, cases[i].speed);
    }
}

/* Run this test last: its effect cannot be undone. */
static void a_signal_asks_the_run_to_stop(void)
{
    cli_progress progress = start(false, false, 0);
    CHECK(step(&progress, 1, 10, 1) == 0);
    signal(SIGINT, SIG_IGN);
    cli_interrupt_watch();
    raise(SIGINT);
    CHECK(step(&progress, 2, 10, 1) == 0); /* a signal that was ignored at the start stays ignored */
    signal(SIGINT, SIG_DFL);
    /* On a terminal the user learns at once that the signal was heard. */
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY), kept = dup(STDERR_FILENO);
    CHECK(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    const int shown_there = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    CHECK(dup2(shown_there, STDERR_FILENO) >= 0);
    setenv("TERM", "xterm", 1);
    cli_interrupt_watch();
    raise(SIGINT);
    CHECK(dup2(kept, STDERR_FILENO) >= 0);
    CHECK(step(&progress, 3, 10, 1) != 0);
    struct pollfd wanted = {.fd = terminal, .events = POLLIN};
    const ssize_t length = poll(&wanted, 1, 1000) > 0 ? read(terminal, shown, sizeof shown - 1) : 0;
    shown[length > 0 ? length : 0] = '\0';
    CHECK(strstr(shown, "stopping after the work in flight; Ctrl-C again ends at once") != NULL);
    close(shown_there);
    close(terminal);
    finish(&progress);
}

int main(void)
{
    RUN(a_line_is_written_every_ten_percent);
    RUN(steps_of_unknown_total_are_counted);
    RUN(quick_stages_write_few_lines);
    RUN(finished_and_quick_stages_tell_no_time_left);
    RUN(one_piece_of_work_is_not_many);
    RUN(an_estimated_total_is_said_to_be_one);
    RUN(the_unit_of_a_rate_is_kept);
    RUN(the_bar_fits_the_terminal_and_is_erased);
    RUN(the_bar_is_redrawn_at_most_ten_times_a_second);
    RUN(resumed_work_does_not_count_as_speed);
    RUN(slow_work_is_counted_by_minutes_and_hours);
    RUN(quiet_prints_only_warnings);
    RUN(impossible_progress_is_not_shown);
    RUN(durations_are_rounded_and_split_into_units);
    RUN(times_and_speeds_have_two_or_three_digits);
    RUN(a_signal_asks_the_run_to_stop);
    return check_finish();
}

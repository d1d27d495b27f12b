#define _GNU_SOURCE
#include "check.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

static int checks, failures;
static const char *running = "";
static char scratch[512];

enum { PRINTED_FAILURES = 20 };

static int report(bool holds, const char *file, int line, const char *text)
{
    checks++;
    if (!holds && ++failures <= PRINTED_FAILURES) {
        fprintf(stderr, "%s:%d: %s: failed: %s\n", file, line, running, text);
    }
    return holds;
}

int check_that(int holds, const char *file, int line, const char *text)
{
    return report(holds != 0, file, line, text);
}

int check_status(qn_status status, qn_status expected, const char *file, int line, const char *text)
{
    if (status != expected)
        fprintf(stderr, "  status \"%s\", expected \"%s\": %s (%s)\n", qn_status_name(status), qn_status_name(expected),
                qn_error_message(), qn_error_origin());
    return report(status == expected, file, line, text);
}

int check_near(double value, double expected, double tolerance, const char *file, int line, const char *text)
{
    bool holds = value == expected || fabs(value - expected) <= tolerance; /* equality covers infinities */
    if (!holds) fprintf(stderr, "  value %.17g, expected %.17g within %g\n", value, expected, tolerance);
    return report(holds, file, line, text);
}

int check_text(const char *value, const char *expected, const char *file, int line, const char *text)
{
    bool holds = value && strcmp(value, expected) == 0;
    if (!holds) fprintf(stderr, "  value \"%s\", expected \"%s\"\n", value ? value : "(null)", expected);
    return report(holds, file, line, text);
}

int check_message_has(const char *part, const char *file, int line)
{
    bool holds = strstr(qn_error_message(), part) != NULL;
    if (!holds) fprintf(stderr, "  message \"%s\", expected it to contain \"%s\"\n", qn_error_message(), part);
    return report(holds, file, line, "error message");
}

void check_run(const char *name, void (*test)(void))
{
    const int before = checks;
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    running = name;
    test();
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (getenv("QUERN_TEST_TIMES"))
        printf("%8.2f s %s\n", (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec),
               name);
    if (checks == before) report(false, name, 0, "the test made no check");
    running = "";
}

void check_run_long(const char *name, void (*test)(void))
{
    if (getenv("QUERN_TEST_QUICK"))
        printf("%s: skipped, because it takes long\n", name);
    else
        check_run(name, test);
}

int check_finish(void)
{
    printf("%d checks, %d failed\n", checks, failures);
    if (scratch[0] && failures == 0) {
        char command[600];
        snprintf(command, sizeof command, "rm -rf '%s'", scratch);
        if (system(command) != 0) fprintf(stderr, "could not remove %s\n", scratch);
    }
    return failures > 0 || checks == 0;
}

void check_skip(const char *need, const char *why)
{
    const char *required = getenv("QUERN_REQUIRE_DEVICES");
    bool must = required && strstr(required, need);
    printf("%s: %s: %s\n", must ? "required" : "skipped", need, why);
    exit(must ? 1 : 77);
}

const char *check_data(const char *name)
{
    static char path[1024];
    const char *folder = getenv("QUERN_TEST_DATA");
    struct stat information;
    snprintf(path, sizeof path, "%s/%s", folder ? folder : QN_TEST_DATA_FOLDER, name);
    if (stat(path, &information) == 0) return path;
    fprintf(stderr,
            "%s: this data of the test is missing; expected the folder tests/data in its source tree, or where "
            "QUERN_TEST_DATA says\n",
            path);
    exit(1);
}

const char *check_reference_data(const char *name)
{
    static char path[1024];
    static bool said;
    const char *folder = getenv("QUERN_REFERENCE_DATA");
    struct stat information;
    if (!folder) folder = QN_REFERENCE_DATA_FOLDER;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (stat(path, &information) == 0) return path;
    if (!said) printf("no reference data at %s (QUERN_REFERENCE_DATA)\n", path);
    said = true;
    return NULL;
}

const char *check_scratch_folder(void)
{
    if (!scratch[0]) {
        const char *root = getenv("TMPDIR");
        snprintf(scratch, sizeof scratch, "%s/quern-test-XXXXXX", root ? root : "/tmp");
        if (!mkdtemp(scratch)) {
            perror(scratch);
            exit(1);
        }
    }
    return scratch;
}

long check_peak_kib(void)
{
#ifdef __SANITIZE_ADDRESS__
    return 0;
#else
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
#endif
}

/* The test harness: plain executables under ctest.
 *
 *     #include "check.h"
 *     static void empty_text_has_no_length(void) { CHECK(text.length == 0); }
 *     int main(int argc, char **argv) { RUN(empty_text_has_no_length); return check_finish(); }
 *
 * A test that ends without a single check fails. Exit status: 0 passed, 1 failed, 77 skipped (ctest shows "Skipped").
 */
#ifndef QN_TESTS_CHECK_H
#define QN_TESTS_CHECK_H

#include <quern/status.h>

#define CHECK(condition) check_that((condition), __FILE__, __LINE__, #condition)
#define CHECK_OK(call) check_status((call), QN_OK, __FILE__, __LINE__, #call)
#define CHECK_FAILS(call, status) check_status((call), (status), __FILE__, __LINE__, #call)
#define CHECK_NEAR(value, expected, tolerance) check_near((value), (expected), (tolerance), __FILE__, __LINE__, #value)
#define CHECK_TEXT(value, expected) check_text((value), (expected), __FILE__, __LINE__, #value)
/* Check that the message of the last failure contains `part`. */
#define CHECK_MESSAGE_HAS(part) check_message_has((part), __FILE__, __LINE__)
#define RUN(function) check_run(#function, function)
/* Run a long test whose code is also covered by others; it is skipped if QUERN_TEST_QUICK is set. */
#define RUN_LONG(function) check_run_long(#function, function)

/* Each of these functions returns nonzero if the check held, so that a test can stop early. */
int check_that(int holds, const char *file, int line, const char *text);
int check_status(qn_status status, qn_status expected, const char *file, int line, const char *text);
int check_near(double value, double expected, double tolerance, const char *file, int line, const char *text);
int check_text(const char *value, const char *expected, const char *file, int line, const char *text);
int check_message_has(const char *part, const char *file, int line);

void check_run(const char *name, void (*test)(void));
void check_run_long(const char *name, void (*test)(void));

/* Print the count and return main's exit status. */
int check_finish(void);

/* Print `why` and exit as skipped; exit as failed if QUERN_REQUIRE_DEVICES names `need`. */
void check_skip(const char *need, const char *why);

/* Path of a file of tests/data; a static buffer that the next call overwrites. If the file does not exist, the test
 * ends as failed with a message that names it. */
const char *check_data(const char *name);

/* Path of a reference file below QUERN_REFERENCE_DATA (default ../shared/data beside the source tree). Returns NULL if
 * the file does not exist; the first time, it prints so. */
const char *check_reference_data(const char *name);

/* A new empty folder of this test; check_finish removes it if every check passed. */
const char *check_scratch_folder(void);

/* Peak memory of this process so far, in KiB; always 0 under the address sanitizer, which keeps freed memory. */
long check_peak_kib(void);

#endif

#define _DEFAULT_SOURCE
/* The tuning store: rows are read back, a killed writer loses no finished row, and damaged files are set aside. */
#include "check.h"

#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "tune/store.h"

static char path[512];
static const qn_tune_key key = {.device = "test device",
                                .driver = "1.0",
                                .family = "test/family",
                                .source = "0123456789abcdef",
                                .problem_class = "n=64"};

static void new_path(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), name);
}

static qn_tune_store *open_store(int64_t *problem)
{
    qn_tune_store *store = NULL;
    if (!CHECK_OK(qn_tune_store_open(NULL, path, &store))) exit(1);
    CHECK_OK(qn_tune_store_problem(store, &key, problem));
    return store;
}

static void rows_are_read_back(void)
{
    const qn_test good = {QN_TEST_CORRECT, 0.25, 0.001, 1.5, 2.5, NULL, 0, 0.5, 12};
    const qn_test better = {QN_TEST_CORRECT, 0.125, 0.002, 1, 2, NULL, 0, 0, 0}, wrong = {.outcome = QN_TEST_WRONG};
    qn_tune_row *rows;
    qn_tune_best *best;
    qn_tune_key other = key;
    size_t count;
    int64_t problem, second, again;
    new_path("rows.db");
    qn_tune_store *store = open_store(&problem);
    strcpy(other.problem_class, "n=128");
    CHECK_OK(qn_tune_store_problem(store, &other, &second));
    CHECK(second != problem);
    CHECK_OK(qn_tune_store_start(store, problem, "A=1"));
    CHECK_OK(qn_tune_store_finish(store, problem, "A=1", &good, 0));
    CHECK_OK(qn_tune_store_start(store, problem, "A=2"));
    CHECK_OK(qn_tune_store_finish(store, problem, "A=2", &better, 0));
    CHECK_OK(qn_tune_store_finish(store, problem, "A=3", &wrong, 0));
    CHECK_OK(qn_tune_store_start(store, problem, "A=4"));
    CHECK_OK(qn_tune_store_cancel(store, problem, "A=4"));
    qn_tune_store_close(&store);
    store = open_store(&again);
    CHECK(again == problem);
    CHECK_OK(qn_tune_store_tests(store, problem, &rows, &count));
    if (CHECK(count == 3)) {
        CHECK_TEXT(rows[0].configuration, "A=1");
        CHECK(rows[0].test.objective == 0.25 && rows[0].test.spread == 0.001 && rows[0].test.build_seconds == 1.5 &&
              rows[0].test.run_seconds == 2.5 && !rows[0].running);
        CHECK(rows[0].test.seconds == 0.5 && rows[0].test.joules == 12);
        CHECK(rows[1].test.seconds == 0 && rows[1].test.joules == 0);
        CHECK(rows[2].test.outcome == QN_TEST_WRONG && isinf(rows[2].test.objective));
    }
    qn_release(&rows);
    CHECK_OK(qn_tune_store_best(store, &key, &best, &count));
    if (CHECK(count == 1)) {
        CHECK_TEXT(best[0].row.configuration, "A=2");
        CHECK_TEXT(best[0].source, key.source);
        CHECK(best[0].tests == 3 && llabs(best[0].time - (long long)time(NULL)) < 1000);
    }
    qn_release(&best);
    CHECK_OK(qn_tune_store_forget(store, problem));
    CHECK_OK(qn_tune_store_tests(store, problem, &rows, &count));
    CHECK(count == 0);
    qn_tune_store_close(&store);
}

/* The child writes configurations i with objectives 1 + i, and writes i to the pipe after each one. */
static void write_until_killed(int out)
{
    int64_t problem;
    qn_tune_store *store = open_store(&problem);
    qn_tune_row *rows;
    size_t count = 0;
    if (qn_tune_store_tests(store, problem, &rows, &count) != QN_OK) _exit(1);
    for (unsigned i = (unsigned)count;; i++) {
        char text[32];
        const qn_test test = {.outcome = QN_TEST_CORRECT, .objective = 1 + i};
        snprintf(text, sizeof text, "A=%u", i);
        if (qn_tune_store_start(store, problem, text) != QN_OK) _exit(2);
        if (qn_tune_store_finish(store, problem, text, &test, 0) != QN_OK) _exit(3);
        if (write(out, &i, sizeof i) != sizeof i) _exit(4);
    }
}

/* Row i is either finished with its value, or a crash; row `last`, the last one that the child reported, is
 * finished. */
static void check_rows(long last)
{
    int64_t problem;
    qn_tune_row *rows;
    size_t count;
    int crashes = 0, wrong = 0;
    qn_tune_store *store = open_store(&problem);
    CHECK_OK(qn_tune_store_tests(store, problem, &rows, &count));
    CHECK(last < (long)count);
    for (size_t i = 0; i < count; i++) {
        crashes += rows[i].test.outcome == QN_TEST_CRASH;
        wrong += rows[i].test.outcome == QN_TEST_CORRECT ? rows[i].test.objective != 1 + (double)i : (long)i == last;
        wrong += rows[i].running;
    }
    CHECK(wrong == 0 && crashes <= 20);
    qn_release(&rows);
    qn_tune_store_close(&store);
}

static void a_killed_writer_loses_no_finished_row(void)
{
    enum { KILLS = 20 };
    new_path("killed.db");
    srand(7);
    for (int i = 0; i < KILLS; i++) {
        int ends[2];
        unsigned number;
        long last = -1;
        if (!CHECK(pipe(ends) == 0)) return;
        pid_t child = fork();
        if (child == 0) {
            close(ends[0]);
            write_until_killed(ends[1]);
        }
        close(ends[1]);
        if (read(ends[0], &number, sizeof number) == sizeof number) last = number; /* the child has begun */
        usleep((useconds_t)(rand() % 20000));
        CHECK(kill(child, SIGKILL) == 0);
        int how;
        waitpid(child, &how, 0);
        CHECK(WIFSIGNALED(how));
        while (read(ends[0], &number, sizeof number) == sizeof number) last = number;
        close(ends[0]);
        CHECK(last >= 0);
        check_rows(last);
    }
}

/* Start A=1 in a process that is then killed, as by a user. Until then the row is running. */
static void kill_while_running(qn_tune_store *store, int64_t problem)
{
    qn_tune_row *rows;
    size_t count;
    int ready[2];
    char byte = 0;
    if (!CHECK(pipe(ready) == 0)) return;
    pid_t child = fork();
    if (child == 0) {
        qn_tune_store *own = open_store(&problem);
        if (qn_tune_store_start(own, problem, "A=1") != QN_OK || write(ready[1], &byte, 1) != 1) _exit(1);
        for (;;) pause();
    }
    CHECK(read(ready[0], &byte, 1) == 1);
    CHECK_OK(qn_tune_store_tests(store, problem, &rows, &count));
    CHECK(count == 2 && rows[0].running && !rows[1].running);
    qn_release(&rows);
    CHECK_OK(qn_tune_store_cancel(store, problem, "A=1")); /* a row of another process is not cancelled */
    CHECK(kill(child, SIGKILL) == 0);
    waitpid(child, NULL, 0);
    close(ready[0]), close(ready[1]);
}

static void check_crashes(qn_tune_store *store, int64_t problem, size_t expected)
{
    qn_tune_row *rows;
    size_t count;
    for (int i = 0; i < 2; i++) { /* listing twice does not count as two deaths */
        CHECK_OK(qn_tune_store_tests(store, problem, &rows, &count));
        CHECK(count == 1 + expected);
        if (expected && CHECK(count == 2)) CHECK(rows[0].test.outcome == QN_TEST_CRASH && !rows[0].running);
        qn_release(&rows);
    }
}

static void a_second_death_is_a_crash(void)
{
    const qn_test good = {.outcome = QN_TEST_CORRECT, .objective = 1};
    int64_t problem;
    new_path("running.db");
    qn_tune_store *store = open_store(&problem);
    CHECK_OK(qn_tune_store_start(store, problem, "A=1"));
    CHECK_OK(qn_tune_store_finish(store, problem, "A=2", &good, 0));
    kill_while_running(store, problem);
    check_crashes(store, problem, 0);
    CHECK_OK(qn_tune_store_start(store, problem, "A=1")); /* stopped cleanly: no death */
    CHECK_OK(qn_tune_store_cancel(store, problem, NULL));
    check_crashes(store, problem, 0);
    kill_while_running(store, problem);
    check_crashes(store, problem, 1);
    /* a row that finished after its first death has no deaths */
    CHECK_OK(qn_tune_store_finish(store, problem, "A=1", &good, 0));
    kill_while_running(store, problem);
    check_crashes(store, problem, 0);
    qn_tune_store_close(&store);
}

/* Process numbers are reused: a process that started at another time is another process. */
static void reused_process_numbers_are_recognised(void)
{
    int64_t problem;
    qn_tune_row *rows;
    size_t count;
    sqlite3 *database = NULL;
    new_path("number.db");
    qn_tune_store *store = open_store(&problem);
    CHECK_OK(qn_tune_store_start(store, problem, "A=1"));
    CHECK_OK(qn_tune_store_tests(store, problem, &rows, &count));
    CHECK(count == 1 && rows[0].running);
    qn_release(&rows);
    CHECK(sqlite3_open(path, &database) == SQLITE_OK);
    CHECK(sqlite3_exec(database, "UPDATE test SET start = start || '1'", NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(database);
    CHECK_OK(qn_tune_store_tests(store, problem, &rows, &count));
    CHECK(count == 0);
    qn_release(&rows);
    qn_tune_store_close(&store);
}

/* A point that a tuner handed out before it was destroyed does not count as a crash. */
static void a_destroyed_tuner_cancels_untested_points(void)
{
    const qn_tune_key journal = {.device = "journal", .family = "space", .problem_class = "mine"};
    qn_space *space = NULL;
    qn_tuner *tuner = NULL;
    qn_point point;
    int64_t problem;
    qn_tune_row *rows;
    size_t count;
    new_path("journal.db");
    qn_tune_store *store = open_store(&problem);
    CHECK_OK(qn_space_create("space", &space));
    CHECK_OK(qn_space_add_integers(space, "A", (const int64_t[]){1, 2, 3}, 3, 1));
    CHECK_OK(qn_space_solve(space));
    CHECK_OK(qn_tune_store_problem(store, &journal, &problem));
    for (int asked = 0; asked < 2; asked++) {
        const qn_tuner_options options = {
            .size = sizeof options, .searcher = "full", .store = store, .store_key = "mine"};
        if (!CHECK_OK(qn_tuner_create(space, &options, &tuner))) break;
        CHECK_OK(qn_tuner_next(tuner, &point));
        CHECK_OK(qn_tune_store_tests(store, problem, &rows, &count));
        CHECK(count == 1 && rows[0].running);
        qn_release(&rows);
        qn_tuner_destroy(&tuner);
        CHECK_OK(qn_tune_store_tests(store, problem, &rows, &count));
        CHECK(count == 0);
        qn_release(&rows);
    }
    qn_space_destroy(&space);
    qn_tune_store_close(&store);
}

static void processes_share_a_store(void)
{
    enum { WRITERS = 4, EACH = 50 };
    int64_t problem;
    qn_tune_row *rows;
    size_t count;
    new_path("shared.db");
    for (int w = 0; w < WRITERS; w++) {
        if (fork() != 0) continue;
        qn_tune_store *store = open_store(&problem);
        for (int i = 0; i < EACH; i++) {
            char text[32];
            const qn_test test = {.outcome = QN_TEST_CORRECT, .objective = 1};
            snprintf(text, sizeof text, "W=%d I=%d", w, i);
            if (qn_tune_store_start(store, problem, text) != QN_OK ||
                qn_tune_store_finish(store, problem, text, &test, 0) != QN_OK)
                _exit(1);
        }
        qn_tune_store_close(&store);
        _exit(0);
    }
    for (int w = 0, how; w < WRITERS; w++) {
        CHECK(wait(&how) > 0);
        CHECK(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    }
    qn_tune_store *store = open_store(&problem);
    CHECK_OK(qn_tune_store_tests(store, problem, &rows, &count));
    CHECK(count == WRITERS * EACH);
    qn_release(&rows);
    qn_tune_store_close(&store);
}

static char warning[1024];

/* The credit of online tuning: no change of a process is lost, and each sees what the others changed. */
static void processes_share_an_account(void)
{
    enum { PROCESSES = 4, CHANGES = 50 };
    qn_tune_store *store = NULL;
    qn_tune_account account;
    int64_t problem;
    int status;
    new_path("account.db");
    if (!CHECK_OK(qn_tune_store_open(NULL, path, &store))) return;
    CHECK_OK(qn_tune_store_problem(store, &key, &problem));
    CHECK_OK(qn_tune_store_settle(store, problem, 0, &account));
    CHECK(account.credit_s == 0 && account.finished_points == 0);
    qn_tune_store_close(&store);
    for (int i = 0; i < PROCESSES; i++) {
        if (fork() != 0) continue;
        bool good = qn_tune_store_open(NULL, path, &store) == QN_OK;
        for (int step = 0; step < CHANGES && good; step++)
            good = qn_tune_store_settle(store, problem, i % 2 ? 0.5 : -0.25, &account) == QN_OK;
        qn_tune_store_close(&store);
        _exit(!good);
    }
    for (int i = 0; i < PROCESSES; i++) CHECK(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    if (!CHECK_OK(qn_tune_store_open(NULL, path, &store))) return;
    CHECK_OK(qn_tune_store_settle(store, problem, 1, &account));
    CHECK(account.credit_s == 2 * CHANGES * 0.5 - 2 * CHANGES * 0.25 + 1);
    CHECK_OK(qn_tune_store_set_finished(store, problem, 48));
    CHECK_OK(qn_tune_store_settle(store, problem, 0, &account));
    CHECK(account.finished_points == 48);
    CHECK_OK(qn_tune_store_forget(store, problem));
    CHECK_OK(qn_tune_store_settle(store, problem, 0, &account));
    CHECK(account.finished_points == 0);
    CHECK_FAILS(qn_tune_store_settle(store, problem + 1, 0, &account), QN_NOT_FOUND);
    qn_tune_store_close(&store);
}

static void keep_warning(qn_log_level level, const char *message, void *user)
{
    (void)user;
    if (level == QN_LOG_WARNING) snprintf(warning, sizeof warning, "%s", message);
}

static void expect_set_aside(int number)
{
    char aside[600];
    int64_t problem;
    warning[0] = '\0';
    qn_tune_store *store = open_store(&problem);
    snprintf(aside, sizeof aside, "%s.corrupt-%d", path, number);
    CHECK(qn_file_exists(aside));
    CHECK(strstr(warning, aside) != NULL);
    const qn_test test = {.outcome = QN_TEST_CORRECT, .objective = 1};
    CHECK_OK(qn_tune_store_finish(store, problem, "A=1", &test, 0));
    qn_tune_store_close(&store);
}

static void damaged_stores_are_set_aside(void)
{
    int64_t problem;
    new_path("damaged.db");
    static qn_log_target heard = {.callback = keep_warning, .mutex = PTHREAD_MUTEX_INITIALIZER};
    const qn_log_scope outer = qn_log_enter(&heard);
    qn_tune_store *store = NULL;
    char *data;
    size_t size;
    /* a file of something else stays */
    CHECK_OK(qn_file_write(path, "this is no database, but long enough to be one", 46));
    CHECK_FAILS(qn_tune_store_open(NULL, path, &store), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("is not a tuning store; expected one");
    if (CHECK_OK(qn_file_read(path, &data, &size))) CHECK(size == 46);
    qn_release(&data);
    CHECK_OK(qn_file_write(path, "SQLite format 3\0and no more than this", 38));
    expect_set_aside(1);
    store = open_store(&problem);
    for (int i = 0; i < 500; i++) {
        char text[32];
        const qn_test test = {.outcome = QN_TEST_CORRECT, .objective = i};
        snprintf(text, sizeof text, "B=%d", i);
        CHECK_OK(qn_tune_store_finish(store, problem, text, &test, 0));
    }
    qn_tune_store_close(&store);
    FILE *file = fopen(path, "r+b"); /* a page in the middle */
    if (CHECK(file != NULL)) {
        char junk[4096];
        memset(junk, 0x5A, sizeof junk);
        fseek(file, 4096L * 3, SEEK_SET);
        CHECK(fwrite(junk, sizeof junk, 1, file) == 1);
        fclose(file);
    }
    expect_set_aside(2);
    qn_log_return(outer);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A step must take less than 1 ms. The machine may be busy, so the fastest of several rounds counts. */
static void a_step_takes_less_than_1_ms(void)
{
    enum { ROUNDS = 5, STEPS = 100 };
    int64_t problem;
    double least = 1e9;
    new_path("cheap.db");
    qn_tune_store *store = open_store(&problem);
    for (int round = 0; round < ROUNDS; round++) {
        double start = now_s();
        for (int i = 0; i < STEPS; i++) {
            char text[32];
            const qn_test test = {.outcome = QN_TEST_CORRECT, .objective = 1};
            snprintf(text, sizeof text, "R=%d I=%d", round, i);
            if (!CHECK_OK(qn_tune_store_start(store, problem, text)) ||
                !CHECK_OK(qn_tune_store_finish(store, problem, text, &test, 0)))
                return;
        }
        double each = (now_s() - start) / STEPS;
        if (each < least) least = each;
    }
    if (!CHECK(least < 1e-3)) fprintf(stderr, "  %g s a step\n", least);
    qn_tune_store_close(&store);
}

static void the_environment_chooses_the_store(void)
{
    qn_tune_store *store = NULL;
    setenv("QUERN_TUNING_STORE", "off", 1);
    CHECK_OK(qn_tune_store_open(NULL, NULL, &store));
    CHECK(store == NULL);
    new_path("chosen.db");
    setenv("QUERN_TUNING_STORE", path, 1);
    CHECK_OK(qn_tune_store_open(NULL, NULL, &store));
    CHECK(store != NULL && qn_file_exists(path));
    qn_tune_store_close(&store);
    unsetenv("QUERN_TUNING_STORE");
    CHECK_FAILS(qn_tune_store_open(NULL, "/nonexistent/folder/tuning.db", &store), QN_IO_ERROR);
    CHECK_MESSAGE_HAS("/nonexistent/folder/tuning.db");
}

/* A store of the first version, which had no energies. */
static const char first_version[] =
    "CREATE TABLE problem(id INTEGER PRIMARY KEY, device TEXT NOT NULL, driver TEXT NOT NULL, family TEXT NOT NULL, "
    "source TEXT NOT NULL, class TEXT NOT NULL, UNIQUE(device, driver, family, source, class));"
    "CREATE TABLE test(id INTEGER PRIMARY KEY, problem INTEGER NOT NULL REFERENCES problem(id), "
    "configuration TEXT NOT NULL, outcome INTEGER NOT NULL, objective REAL, spread REAL, build_seconds REAL, "
    "run_seconds REAL, scale REAL, process TEXT, start TEXT, "
    "made TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, UNIQUE(problem, configuration));"
    "INSERT INTO problem VALUES (7, 'test device', '1.0', 'test/family', '0123456789abcdef', 'n=64');"
    "INSERT INTO test(problem, configuration, outcome, objective, spread, scale) VALUES (7, 'A=1', 0, 0.5, 0.25, 2);"
    "INSERT INTO problem VALUES (8, 'host AMD EPYC, 2 threads', 'quern 0.1.0, x86-64-v3', 'test/family', "
    "'0123456789abcdef', 'n=64');"
    "INSERT INTO test(problem, configuration, outcome, objective) VALUES (8, 'A=3', 0, 0.5);"
    "PRAGMA user_version = 1;";

/* Their rows are kept. New rows can have energies, and keep them when only the time of the same work is measured
 * again. */
static void stores_of_the_first_version_are_upgraded(void)
{
    const double expected[3] = {3, 3, 0}; /* joules after an energy, a time of the same work, a time of other work */
    qn_test test = {.objective = 0.5, .joules = 3};
    sqlite3 *database;
    qn_tune_row *rows;
    size_t count;
    int64_t problem;
    new_path("first.db");
    CHECK(sqlite3_open(path, &database) == SQLITE_OK);
    CHECK(sqlite3_exec(database, first_version, NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(database);
    for (int i = 0; i < 3; i++) {
        qn_tune_store *store = open_store(&problem);
        CHECK(problem == 7);
        CHECK_OK(qn_tune_store_finish(store, problem, "A=2", &test, i < 2 ? 2 : 4));
        CHECK_OK(qn_tune_store_tests(store, problem, &rows, &count));
        if (CHECK(count == 2)) {
            CHECK(rows[0].test.objective == 0.5 && rows[0].test.spread == 0.25 && rows[0].test.joules == 0);
            CHECK(rows[1].test.joules == expected[i]);
        }
        qn_release(&rows);
        qn_tune_store_close(&store);
        test.joules = 0;
    }
}

/* The name of a processor does not say its architecture; the version of the host's driver does. */
static void hosts_of_old_stores_get_their_architecture(void)
{
    qn_tune_key host = key;
    sqlite3 *database;
    qn_tune_store *store = NULL;
    qn_tune_best *best;
    size_t count;
    int64_t problem;
    new_path("hosts.db");
    CHECK(sqlite3_open(path, &database) == SQLITE_OK);
    CHECK(sqlite3_exec(database, first_version, NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(database);
    if (!CHECK_OK(qn_tune_store_open(NULL, path, &store))) return;
    strcpy(host.driver, "quern 0.1.0, x86-64-v3");
    strcpy(host.device, "host AMD EPYC, x86-64-v4, 2 threads");
    CHECK_OK(qn_tune_store_best(store, &host, &best, &count));
    CHECK(count == 0);
    qn_release(&best);
    strcpy(host.device, "host AMD EPYC, x86-64-v3, 2 threads");
    CHECK_OK(qn_tune_store_problem(store, &host, &problem));
    CHECK(problem == 8);
    CHECK_OK(qn_tune_store_best(store, &host, &best, &count));
    CHECK(count == 1);
    if (count == 1) CHECK_TEXT(best[0].row.configuration, "A=3");
    qn_release(&best);
    qn_tune_store_close(&store);
}

int main(void)
{
    RUN(rows_are_read_back);
    RUN(a_killed_writer_loses_no_finished_row);
    RUN(a_second_death_is_a_crash);
    RUN(reused_process_numbers_are_recognised);
    RUN(a_destroyed_tuner_cancels_untested_points);
    RUN(processes_share_a_store);
    RUN(processes_share_an_account);
    RUN(damaged_stores_are_set_aside);
    RUN(a_step_takes_less_than_1_ms);
    RUN(the_environment_chooses_the_store);
    RUN(stores_of_the_first_version_are_upgraded);
    RUN(hosts_of_old_stores_get_their_architecture);
    return check_finish();
}

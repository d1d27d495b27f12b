#define _POSIX_C_SOURCE 200809L
/* Rows of the store: problems, their tests, the best tests. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/load.h"
#include "base/memory.h"
#include "base/process.h"
#include "tune/store_database.h"

/* Outcomes of rows without a result: a process runs the test; the process ended during the test, which may be tried
 * again; a process runs the test for the second time. */
enum { RUNNING = -1, DIED_ONCE = -2, RUNNING_AGAIN = -3 };

/* Whether the process that started a row still runs. A process of another machine counts as running, because nothing is
 * known about it. */
static bool is_alive(const qn_tune_store *store, const char *process, const char *start)
{
    const char *colon = process ? strrchr(process, ':') : NULL, *own = strrchr(store->process, ':');
    char now[32];
    if (!colon || !start) return false;
    if (colon - process != own - store->process ||
        strncmp(process, store->process, (size_t)(own - store->process)) != 0)
        return true;
    qn_process_start(strtol(colon + 1, NULL, 10), now);
    return now[0] && strcmp(now, start) == 0;
}

/* Bind a key. The journal of a caller's own tuner has no device. */
static void bind_key(sqlite3_stmt *statement, const qn_tune_key *key)
{
    char line[QN_HARDWARE_LINE];
    qn_hardware_line(&key->hardware, line);
    if (sqlite3_bind_parameter_count(statement) > 5) {
        if (key->hardware.name[0])
            sqlite3_bind_text(statement, 6, line, -1, SQLITE_TRANSIENT);
        else
            sqlite3_bind_null(statement, 6);
    }
    sqlite3_bind_text(statement, 1, key->device, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(statement, 2, key->driver, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(statement, 3, key->family, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(statement, 4, key->source, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(statement, 5, key->problem_class, -1, SQLITE_TRANSIENT);
}

/* Run a statement to its end; *value (may be NULL) gets the first column of the first row, *rows (may be NULL) the
 * number of rows. */
static qn_status run(qn_tune_store *store, int number, int64_t *value, int *rows)
{
    sqlite3_stmt *statement = store->statements[number];
    int code, count = 0;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        if (count++ == 0 && value) *value = sqlite3_column_int64(statement, 0);
    qn_status status = code == SQLITE_DONE ? QN_OK : qn_store_failed(store, "a look-up or change");
    sqlite3_reset(statement);
    if (rows) *rows = count;
    return status;
}

qn_status qn_tune_store_problem(qn_tune_store *store, const qn_tune_key *key, int64_t *problem)
{
    int rows = 0;
    pthread_mutex_lock(&store->mutex);
    bind_key(store->statements[QN_STORE_FIND_PROBLEM], key);
    qn_status status = run(store, QN_STORE_FIND_PROBLEM, problem, &rows);
    if (status == QN_OK && rows == 0) {
        bind_key(store->statements[QN_STORE_ADD_PROBLEM], key);
        status = run(store, QN_STORE_ADD_PROBLEM, NULL, NULL);
        if (status == QN_OK) status = run(store, QN_STORE_FIND_PROBLEM, problem, &rows);
    }
    pthread_mutex_unlock(&store->mutex);
    return status;
}

/* Read the columns that every listing begins with. The objective of a failed test is not stored; it is infinite. */
static void read_row(sqlite3_stmt *statement, qn_tune_row *row)
{
    *row = (qn_tune_row){.scale = sqlite3_column_double(statement, 6)};
    snprintf(row->configuration, sizeof row->configuration, "%s", (const char *)sqlite3_column_text(statement, 0));
    int outcome = sqlite3_column_int(statement, 1);
    row->running = outcome == RUNNING || outcome == RUNNING_AGAIN;
    row->deaths = outcome == DIED_ONCE || outcome == RUNNING_AGAIN;
    row->test.outcome = outcome < 0 || outcome > QN_TEST_CRASH ? QN_TEST_CRASH : (qn_test_outcome)outcome;
    row->test.objective = row->test.outcome == QN_TEST_CORRECT ? sqlite3_column_double(statement, 2) : INFINITY;
    row->test.spread = sqlite3_column_double(statement, 3);
    row->test.build_seconds = sqlite3_column_double(statement, 4);
    row->test.run_seconds = sqlite3_column_double(statement, 5);
    row->load = NAN;
}

static qn_status abandon(qn_tune_store *store, int64_t problem, const char *configuration)
{
    sqlite3_stmt *statement = store->statements[QN_STORE_ABANDON];
    sqlite3_bind_int64(statement, 1, problem);
    sqlite3_bind_text(statement, 2, configuration, -1, SQLITE_TRANSIENT);
    return run(store, QN_STORE_ABANDON, NULL, NULL);
}

static qn_status list_tests(qn_tune_store *store, int64_t problem, qn_tune_row **rows, size_t *count)
{
    sqlite3_stmt *statement = store->statements[QN_STORE_LIST_TESTS];
    size_t capacity = 0;
    void *memory = NULL;
    int code = SQLITE_DONE;
    qn_status status = QN_OK;
    sqlite3_bind_int64(statement, 1, problem);
    while (status == QN_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        status = qn_grow(&memory, &capacity, *count + 1, sizeof **rows);
        if (status != QN_OK) break;
        qn_tune_row *row = (qn_tune_row *)memory + (*count)++;
        read_row(statement, row);
        row->test.seconds = sqlite3_column_double(statement, 9);
        row->test.joules = sqlite3_column_double(statement, 10);
        if (sqlite3_column_type(statement, 11) != SQLITE_NULL) row->load = sqlite3_column_double(statement, 11);
        if (!row->running) continue;
        row->running = is_alive(store, (const char *)sqlite3_column_text(statement, 7),
                                (const char *)sqlite3_column_text(statement, 8));
        row->deaths += !row->running;
    }
    if (status == QN_OK && code != SQLITE_DONE) status = qn_store_failed(store, "listing tests");
    sqlite3_reset(statement);
    *rows = memory;
    return status;
}

/* Store the deaths of processes that are gone, and remove the rows that may be tried again from the list. */
static qn_status bury(qn_tune_store *store, int64_t problem, qn_tune_row *rows, size_t *count)
{
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        if (rows[i].deaths > 0 && !rows[i].running) QN_TRY(abandon(store, problem, rows[i].configuration));
        if (rows[i].deaths != 1 || rows[i].running) rows[kept++] = rows[i];
    }
    *count = kept;
    return QN_OK;
}

/* In one transaction, because another process may find the same row, and start it again before this process has
 * written. */
qn_status qn_tune_store_tests(qn_tune_store *store, int64_t problem, qn_tune_row **rows, size_t *count)
{
    qn_error_trail trail;
    *rows = NULL;
    *count = 0;
    pthread_mutex_lock(&store->mutex);
    qn_status status = qn_store_execute(store, "BEGIN IMMEDIATE");
    if (status == QN_OK) {
        status = list_tests(store, problem, rows, count);
        if (status == QN_OK) status = bury(store, problem, *rows, count);
        if (status == QN_OK) status = qn_store_execute(store, "COMMIT");
        qn_error_save(status, &trail);
        if (status != QN_OK) (void)sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
        status = qn_error_restore(&trail);
    }
    pthread_mutex_unlock(&store->mutex);
    if (status != QN_OK) {
        qn_release(rows);
        *count = 0;
    }
    return status;
}

qn_status qn_tune_store_start(qn_tune_store *store, int64_t problem, const char *configuration)
{
    sqlite3_stmt *statement = store->statements[QN_STORE_START];
    pthread_mutex_lock(&store->mutex);
    sqlite3_bind_int64(statement, 1, problem);
    sqlite3_bind_text(statement, 2, configuration, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(statement, 3, store->process, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(statement, 4, store->start, -1, SQLITE_TRANSIENT);
    qn_status status = run(store, QN_STORE_START, NULL, NULL);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

static void bind_known(sqlite3_stmt *statement, int number, double value)
{
    if (value > 0 && isfinite(value))
        sqlite3_bind_double(statement, number, value);
    else
        sqlite3_bind_null(statement, number);
}

qn_status qn_tune_store_finish(qn_tune_store *store, int64_t problem, const char *configuration, const qn_test *test,
                               double scale)
{
    return qn_tune_store_finish_under_load(store, problem, configuration, test, scale, NAN);
}

qn_status qn_tune_store_finish_under_load(qn_tune_store *store, int64_t problem, const char *configuration,
                                          const qn_test *test, double scale, double load)
{
    sqlite3_stmt *statement = store->statements[QN_STORE_FINISH];
    pthread_mutex_lock(&store->mutex);
    sqlite3_bind_int64(statement, 1, problem);
    sqlite3_bind_text(statement, 2, configuration, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int(statement, 3, test->outcome);
    if (test->outcome == QN_TEST_CORRECT && isfinite(test->objective))
        sqlite3_bind_double(statement, 4, test->objective);
    else
        sqlite3_bind_null(statement, 4);
    sqlite3_bind_double(statement, 5, isfinite(test->spread) ? test->spread : 0);
    sqlite3_bind_double(statement, 6, test->build_seconds);
    sqlite3_bind_double(statement, 7, test->run_seconds);
    sqlite3_bind_double(statement, 8, scale);
    bind_known(statement, 9, test->seconds);
    bind_known(statement, 10, test->joules);
    if (load >= 0)
        sqlite3_bind_double(statement, 11, load);
    else
        sqlite3_bind_null(statement, 11);
    sqlite3_bind_double(statement, 12, QN_LOAD_BUSY);
    qn_status status = run(store, QN_STORE_FINISH, NULL, NULL);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

qn_status qn_tune_store_cancel(qn_tune_store *store, int64_t problem, const char *configuration)
{
    static const int numbers[] = {QN_STORE_CANCEL, QN_STORE_CANCEL_AGAIN};
    qn_status status = QN_OK;
    pthread_mutex_lock(&store->mutex);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && status == QN_OK; i++) {
        sqlite3_stmt *statement = store->statements[numbers[i]];
        sqlite3_bind_int64(statement, 1, problem);
        sqlite3_bind_text(statement, 2, configuration, -1, SQLITE_TRANSIENT); /* NULL is bound as NULL */
        sqlite3_bind_text(statement, 3, store->process, -1, SQLITE_TRANSIENT);
        sqlite3_bind_text(statement, 4, store->start, -1, SQLITE_TRANSIENT);
        status = run(store, numbers[i], NULL, NULL);
    }
    pthread_mutex_unlock(&store->mutex);
    return status;
}

static qn_status set_finished(qn_tune_store *store, int64_t problem, uint64_t points)
{
    sqlite3_bind_int64(store->statements[QN_STORE_SET_FINISHED], 1, problem);
    sqlite3_bind_int64(store->statements[QN_STORE_SET_FINISHED], 2, (int64_t)points);
    return run(store, QN_STORE_SET_FINISHED, NULL, NULL);
}

qn_status qn_tune_store_set_finished(qn_tune_store *store, int64_t problem, uint64_t points)
{
    pthread_mutex_lock(&store->mutex);
    const qn_status status = set_finished(store, problem, points);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

qn_status qn_tune_store_forget(qn_tune_store *store, int64_t problem)
{
    pthread_mutex_lock(&store->mutex);
    sqlite3_bind_int64(store->statements[QN_STORE_FORGET], 1, problem);
    qn_status status = run(store, QN_STORE_FORGET, NULL, NULL);
    if (status == QN_OK) status = set_finished(store, problem, 0);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

static qn_status read_account(qn_tune_store *store, int64_t problem, qn_tune_account *account)
{
    sqlite3_stmt *statement = store->statements[QN_STORE_ACCOUNT];
    qn_status status = QN_OK;
    sqlite3_bind_int64(statement, 1, problem);
    const int code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *account = (qn_tune_account){.credit_s = sqlite3_column_double(statement, 0),
                                     .finished_points = (uint64_t)sqlite3_column_int64(statement, 1)};
    else if (code == SQLITE_DONE)
        status = QN_FAIL(QN_NOT_FOUND, "%s: there is no problem %lld", store->path, (long long)problem);
    else
        status = qn_store_failed(store, "reading an account");
    sqlite3_reset(statement);
    return status;
}

qn_status qn_tune_store_settle(qn_tune_store *store, int64_t problem, double change_s, qn_tune_account *account)
{
    qn_status status = QN_OK;
    *account = (qn_tune_account){0};
    pthread_mutex_lock(&store->mutex);
    if (change_s != 0) {
        sqlite3_bind_int64(store->statements[QN_STORE_SETTLE], 1, problem);
        sqlite3_bind_double(store->statements[QN_STORE_SETTLE], 2, change_s);
        status = run(store, QN_STORE_SETTLE, NULL, NULL);
    }
    if (status == QN_OK) status = read_account(store, problem, account);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

static void copy_column(sqlite3_stmt *statement, int column, char *text, size_t capacity)
{
    snprintf(text, capacity, "%s", (const char *)sqlite3_column_text(statement, column));
}

/* Read the device that a result was found on; false if it is not known. */
static bool read_hardware(sqlite3_stmt *statement, const qn_tune_key *key, qn_tune_best *row)
{
    const char *line = (const char *)sqlite3_column_text(statement, 14);
    row->hardware = key->hardware;
    row->nearness = QN_TUNE_THIS_DEVICE;
    if (sqlite3_column_int(statement, 13)) return true;
    if (!line || !qn_hardware_read(line, &row->hardware)) return false;
    row->nearness = qn_hardware_nearness(&key->hardware, &row->hardware);
    return true;
}

static qn_status list_best(qn_tune_store *store, const qn_tune_key *key, bool anywhere, qn_tune_best **best,
                           size_t *count)
{
    sqlite3_stmt *statement = store->statements[QN_STORE_BEST];
    size_t capacity = 0;
    void *memory = NULL;
    int code = SQLITE_DONE;
    qn_status status = QN_OK;
    bind_key(statement, key);
    while (status == QN_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        status = qn_grow(&memory, &capacity, *count + 1, sizeof **best);
        if (status != QN_OK) break;
        qn_tune_best *row = (qn_tune_best *)memory + *count;
        if (!read_hardware(statement, key, row) || (!anywhere && row->nearness == QN_TUNE_UNRELATED)) continue;
        ++*count;
        read_row(statement, &row->row);
        copy_column(statement, 7, row->driver, sizeof row->driver);
        copy_column(statement, 8, row->source, sizeof row->source);
        copy_column(statement, 9, row->problem_class, sizeof row->problem_class);
        row->tests = (uint64_t)sqlite3_column_int64(statement, 10);
        row->time = sqlite3_column_int64(statement, 11);
    }
    if (status == QN_OK && code != SQLITE_DONE) status = qn_store_failed(store, "looking for the best");
    sqlite3_reset(statement);
    *best = memory;
    return status;
}

static qn_status find_best(qn_tune_store *store, const qn_tune_key *key, bool anywhere, qn_tune_best **best,
                           size_t *count)
{
    *best = NULL;
    *count = 0;
    pthread_mutex_lock(&store->mutex);
    qn_status status = list_best(store, key, anywhere, best, count);
    pthread_mutex_unlock(&store->mutex);
    if (status != QN_OK) {
        qn_release(best);
        *count = 0;
    }
    return status;
}

qn_status qn_tune_store_best(qn_tune_store *store, const qn_tune_key *key, qn_tune_best **best, size_t *count)
{
    return find_best(store, key, false, best, count);
}

qn_status qn_tune_store_best_anywhere(qn_tune_store *store, const qn_tune_key *key, qn_tune_best **best, size_t *count)
{
    return find_best(store, key, true, best, count);
}

qn_status qn_tune_store_well_share(qn_tune_store *store, const char *family, double factor, double *share)
{
    enum { LEAST = 20 };
    sqlite3_stmt *statement = store->statements[QN_STORE_TESTED_MAX];
    int64_t well = 0;
    *share = 0;
    pthread_mutex_lock(&store->mutex);
    sqlite3_bind_text(statement, 1, family, -1, SQLITE_TRANSIENT);
    int code = sqlite3_step(statement);
    int64_t problem = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    int64_t count = code == SQLITE_ROW ? sqlite3_column_int64(statement, 1) : 0;
    double best = code == SQLITE_ROW ? sqlite3_column_double(statement, 2) : 0;
    qn_status status = code == SQLITE_ROW || code == SQLITE_DONE ? QN_OK : qn_store_failed(store, "counting tests");
    sqlite3_reset(statement);
    if (status == QN_OK && count >= LEAST) {
        sqlite3_bind_int64(store->statements[QN_STORE_COUNT_WELL], 1, problem);
        sqlite3_bind_double(store->statements[QN_STORE_COUNT_WELL], 2, best * factor);
        status = run(store, QN_STORE_COUNT_WELL, &well, NULL);
        *share = (double)well / (double)count;
    }
    pthread_mutex_unlock(&store->mutex);
    return status;
}

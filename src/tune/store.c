#define _POSIX_C_SOURCE 200809L
#include "tune/store.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/context.h"

enum { BUSY_MS = 10000, PAUSE_MS = 20, MOST_SET_ASIDE = 1000, VERSION = 2 };

/* Outcomes of rows without a result: a process runs it; one ended while it did, and it is free to be tried again; it is
 * running for the second time. */
enum { RUNNING = -1, DIED_ONCE = -2, RUNNING_AGAIN = -3 };

enum {
    ADD_PROBLEM,
    FIND_PROBLEM,
    LIST_TESTS,
    START,
    FINISH,
    CANCEL,
    CANCEL_AGAIN,
    FORGET,
    ABANDON,
    BEST,
    MOST_TESTED,
    COUNT_WELL,
    STATEMENTS
};

static const char *const texts[STATEMENTS] = {
    [ADD_PROBLEM] = "INSERT OR IGNORE INTO problem(device, driver, family, source, class) VALUES (?1, ?2, ?3, ?4, ?5)",
    [FIND_PROBLEM] = "SELECT id FROM problem WHERE device = ?1 AND driver = ?2 AND family = ?3 AND source = ?4 AND "
                     "class = ?5",
    [LIST_TESTS] =
        "SELECT configuration, outcome, objective, spread, build_seconds, run_seconds, scale, process, start, "
        "seconds, joules FROM test WHERE problem = ?1 ORDER BY id",
    [START] = "INSERT INTO test(problem, configuration, outcome, process, start) VALUES (?1, ?2, -1, ?3, ?4) "
              "ON CONFLICT(problem, configuration) DO UPDATE SET "
              "outcome = CASE WHEN outcome IN (-2, -3) THEN -3 ELSE -1 END, process = ?3, start = ?4",
    [FINISH] =
        "INSERT INTO test(problem, configuration, outcome, objective, spread, build_seconds, run_seconds, scale, "
        "seconds, joules) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT(problem, configuration) DO "
        "UPDATE SET "
        "outcome = ?3, objective = ?4, spread = ?5, build_seconds = ?6, run_seconds = ?7, scale = ?8, "
        /* who measures the time alone leaves the energy, when it was of the same work */
        "seconds = ?9, joules = CASE WHEN scale IS ?8 THEN COALESCE(?10, joules) ELSE ?10 END, "
        "process = NULL, start = NULL",
    [CANCEL] = "DELETE FROM test WHERE problem = ?1 AND (?2 IS NULL OR configuration = ?2) AND outcome = -1 AND "
               "process = ?3 AND start = ?4",
    [CANCEL_AGAIN] = "UPDATE test SET outcome = -2, process = NULL, start = NULL WHERE problem = ?1 AND "
                     "(?2 IS NULL OR configuration = ?2) AND outcome = -3 AND process = ?3 AND start = ?4",
    [FORGET] = "DELETE FROM test WHERE problem = ?1",
    [ABANDON] = "UPDATE test SET outcome = CASE outcome WHEN -3 THEN 6 ELSE -2 END, process = NULL, start = NULL "
                "WHERE problem = ?1 AND configuration = ?2 AND outcome IN (-1, -3)",
    /* with a single MIN, SQLite takes the other columns from the row that has it */
    [BEST] = "SELECT t.configuration, t.outcome, t.objective, t.spread, t.build_seconds, t.run_seconds, t.scale, "
             "p.driver, p.source, p.class, (SELECT COUNT(*) FROM test WHERE problem = p.id AND outcome >= 0), "
             "CAST(strftime('%s', t.made) AS INTEGER), "
             "MIN(t.objective / CASE WHEN t.scale > 0 THEN t.scale ELSE 1 END) "
             "FROM problem p JOIN test t ON t.problem = p.id WHERE p.device = ?1 AND p.family = ?3 AND t.outcome = 0 "
             "GROUP BY p.id ORDER BY p.driver = ?2 DESC, p.id DESC",
    [MOST_TESTED] = "SELECT problem, COUNT(*), MIN(objective / CASE WHEN scale > 0 THEN scale ELSE 1 END) FROM test "
                    "WHERE outcome = 0 AND problem IN (SELECT id FROM problem WHERE family = ?1) GROUP BY problem "
                    "ORDER BY COUNT(*) DESC LIMIT 1",
    [COUNT_WELL] = "SELECT COUNT(*) FROM test WHERE problem = ?1 AND outcome = 0 AND "
                   "objective / CASE WHEN scale > 0 THEN scale ELSE 1 END <= ?2",
};

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS problem(id INTEGER PRIMARY KEY, device TEXT NOT NULL, driver TEXT NOT NULL, "
    "family TEXT NOT NULL, source TEXT NOT NULL, class TEXT NOT NULL, "
    "UNIQUE(device, driver, family, source, class));"
    "CREATE TABLE IF NOT EXISTS test(id INTEGER PRIMARY KEY, problem INTEGER NOT NULL REFERENCES problem(id), "
    "configuration TEXT NOT NULL, outcome INTEGER NOT NULL, objective REAL, spread REAL, build_seconds REAL, "
    "run_seconds REAL, scale REAL, process TEXT, start TEXT, seconds REAL, joules REAL, "
    "made TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, UNIQUE(problem, configuration));"
    "PRAGMA user_version = 2;";

/* Version 1 knew nothing of energy. */
static const char to_version_2[] =
    "ALTER TABLE test ADD COLUMN seconds REAL; ALTER TABLE test ADD COLUMN joules REAL; PRAGMA user_version = 2;";

struct qn_tune_store {
    char *path;
    sqlite3 *database;
    sqlite3_stmt *statements[STATEMENTS];
    pthread_mutex_t mutex;
    char process[96]; /* "host:number" of this process */
    char start[32];   /* when it began, in the system's ticks: process numbers come again */
};

/* Start time of a process from /proc, "" when there is no such process or no /proc. */
static void process_start(long number, char start[32])
{
    char path[64], line[1024];
    start[0] = '\0';
    snprintf(path, sizeof path, "/proc/%ld/stat", number);
    FILE *file = fopen(path, "r");
    if (!file) return;
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = '\0';
    char *at = strrchr(line, ')'); /* the name before it may hold anything; field 22 is the 20th after it */
    for (int field = 0; at && field < 20; field++) at = strchr(at + 1, ' ');
    if (at) snprintf(start, 32, "%.*s", (int)strcspn(at + 1, " "), at + 1);
}

/* Whether the process that started a row still runs. Of another machine's nothing is known: it counts as running. */
static bool is_alive(const qn_tune_store *store, const char *process, const char *start)
{
    const char *colon = process ? strrchr(process, ':') : NULL, *own = strrchr(store->process, ':');
    char now[32];
    if (!colon || !start) return false;
    if (colon - process != own - store->process ||
        strncmp(process, store->process, (size_t)(own - store->process)) != 0)
        return true;
    process_start(strtol(colon + 1, NULL, 10), now);
    return now[0] && strcmp(now, start) == 0;
}

static bool is_corrupt(int code)
{
    return (code & 0xFF) == SQLITE_CORRUPT || (code & 0xFF) == SQLITE_NOTADB;
}

static qn_status failed(const qn_tune_store *store, const char *doing)
{
    int code = sqlite3_extended_errcode(store->database);
    QN_FAIL(is_corrupt(code) ? QN_BAD_FORMAT : QN_IO_ERROR, "%s: %s failed: %s (SQLite error %d)", store->path, doing,
            sqlite3_errmsg(store->database), code);
}

static qn_status execute(qn_tune_store *store, const char *text)
{
    if (sqlite3_exec(store->database, text, NULL, NULL, NULL) != SQLITE_OK) return failed(store, "a change");
    return QN_OK;
}

static void close_database(qn_tune_store *store)
{
    for (int i = 0; i < STATEMENTS; i++) {
        sqlite3_finalize(store->statements[i]);
        store->statements[i] = NULL;
    }
    sqlite3_close(store->database);
    store->database = NULL;
}

/* What quick_check finds, or the version of another program's file, makes it useless as a store. */
static qn_status check_content(qn_tune_store *store)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(store->database, "PRAGMA quick_check(1)", -1, &statement, NULL) != SQLITE_OK)
        return failed(store, "reading it");
    int code = sqlite3_step(statement);
    bool good = code == SQLITE_ROW && strcmp((const char *)sqlite3_column_text(statement, 0), "ok") == 0;
    sqlite3_finalize(statement);
    if (code != SQLITE_ROW) return failed(store, "reading it");
    if (!good) QN_FAIL(QN_BAD_FORMAT, "%s: the tuning store is damaged", store->path);
    return QN_OK;
}

static qn_status read_version(qn_tune_store *store, int *version)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->database, "PRAGMA user_version", -1, &statement, NULL);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    *version = code == SQLITE_ROW ? sqlite3_column_int(statement, 0) : 0;
    sqlite3_finalize(statement);
    return code == SQLITE_ROW ? QN_OK : failed(store, "reading it");
}

/* In one transaction, as another process may be doing the same. */
static qn_status bring_up_to_date(qn_tune_store *store)
{
    int version;
    qn_error_trail trail;
    QN_TRY(read_version(store, &version));
    if (version > VERSION)
        QN_FAIL(QN_UNSUPPORTED, "%s: the tuning store is of version %d; expected at most %d", store->path, version,
                VERSION);
    if (version == VERSION) return QN_OK;
    QN_TRY(execute(store, "BEGIN IMMEDIATE"));
    qn_status status = read_version(store, &version);
    if (status == QN_OK && version < VERSION) status = execute(store, version == 1 ? to_version_2 : schema);
    if (status == QN_OK) status = execute(store, "COMMIT");
    qn_error_save(status, &trail);
    if (status != QN_OK) (void)sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
    return qn_error_restore(&trail);
}

static qn_status set_up(qn_tune_store *store)
{
    QN_TRY(check_content(store));
    QN_TRY(execute(store, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"));
    return bring_up_to_date(store);
}

static qn_status open_database(qn_tune_store *store)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
    if (sqlite3_open_v2(store->path, &store->database, flags, NULL) != SQLITE_OK) return failed(store, "opening");
    sqlite3_busy_timeout(store->database, BUSY_MS);
    /* Where two processes begin a store at once SQLite gives up rather than waits, lest both wait forever. */
    const struct timespec pause = {.tv_nsec = 1000000L * PAUSE_MS};
    qn_status status = set_up(store);
    for (int waited_ms = 0; status != QN_OK && waited_ms < BUSY_MS; waited_ms += PAUSE_MS) {
        if ((sqlite3_errcode(store->database) & 0xFF) != SQLITE_BUSY) break;
        qn_error_clear();
        nanosleep(&pause, NULL);
        status = set_up(store);
    }
    if (status != QN_OK) return status;
    for (int i = 0; i < STATEMENTS; i++)
        if (sqlite3_prepare_v2(store->database, texts[i], -1, &store->statements[i], NULL) != SQLITE_OK)
            return failed(store, "preparing");
    return QN_OK;
}

/* Rename the file and its companions to the first free "…corrupt-N". */
static qn_status set_aside(qn_tune_store *store)
{
    static const char *const endings[] = {"", "-wal", "-shm"};
    char from[4096], to[4096 + 32], first[4096 + 32] = "";
    int number = 1;
    for (; number < MOST_SET_ASIDE; number++) {
        snprintf(first, sizeof first, "%s.corrupt-%d", store->path, number);
        if (!qn_file_exists(first)) break;
    }
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(from, sizeof from, "%s%s", store->path, endings[i]);
        snprintf(to, sizeof to, "%s%s", first, endings[i]);
        if (rename(from, to) != 0 && i == 0)
            QN_FAIL(QN_IO_ERROR, "%s: the tuning store is damaged and cannot be set aside: %s", store->path,
                    strerror(errno));
    }
    qn_log(QN_LOG_WARNING, "%s: the tuning store is damaged; it was set aside as %s and a new one begun", store->path,
           first);
    return QN_OK;
}

/* $QUERN_TUNING_STORE, $XDG_DATA_HOME/quern/tuning.db or ~/.local/share/quern/tuning.db; NULL: none is wanted or
 * possible. */
static qn_status default_path(char **path)
{
    const char *chosen = getenv("QUERN_TUNING_STORE"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    qn_text text = {0};
    *path = NULL;
    if (chosen && *chosen) return strcmp(chosen, "off") == 0 ? QN_OK : qn_text_copy(chosen, path);
    if ((!data || !*data) && (!home || !*home)) return QN_OK;
    qn_status status =
        data && *data ? qn_text_append(&text, "%s/quern", data) : qn_text_append(&text, "%s/.local/share/quern", home);
    if (status == QN_OK) status = qn_folder_create(text.data);
    if (status == QN_OK) status = qn_path_join(text.data, "tuning.db", path);
    qn_text_clear(&text);
    return status;
}

static qn_status open_store(const char *path, qn_tune_store **out)
{
    char *place = NULL, machine[64] = "?";
    void *memory;
    *out = NULL;
    QN_TRY(path ? qn_text_copy(path, &place) : default_path(&place));
    if (!place) return QN_OK;
    qn_status status = qn_allocate(1, sizeof(qn_tune_store), &memory);
    if (status != QN_OK) {
        qn_release(&place);
        return status;
    }
    qn_tune_store *store = memory;
    store->path = place;
    pthread_mutex_init(&store->mutex, NULL);
    gethostname(machine, sizeof machine - 1);
    snprintf(store->process, sizeof store->process, "%s:%ld", machine, (long)getpid());
    process_start(getpid(), store->start);
    status = open_database(store);
    if (status == QN_BAD_FORMAT) {
        close_database(store);
        status = set_aside(store);
        if (status == QN_OK) status = open_database(store);
    }
    if (status != QN_OK) {
        qn_tune_store_close(&store);
        return status;
    }
    *out = store;
    return QN_OK;
}

qn_status qn_tune_store_open(qn_context *context, const char *path, qn_tune_store **out)
{
    const qn_log_scope outer = qn_context_enter_log(context);
    const qn_status status = open_store(path, out);
    qn_log_return(outer);
    return status;
}

void qn_tune_store_close(qn_tune_store **store)
{
    if (!store || !*store) return;
    close_database(*store);
    pthread_mutex_destroy(&(*store)->mutex);
    qn_release(&(*store)->path);
    qn_release(store);
}

static void bind_key(sqlite3_stmt *statement, const qn_tune_key *key)
{
    sqlite3_bind_text(statement, 1, key->device, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(statement, 2, key->driver, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(statement, 3, key->family, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(statement, 4, key->source, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(statement, 5, key->problem_class, -1, SQLITE_TRANSIENT);
}

/* Run a statement to its end; *value (may be NULL) gets the first column of its first row, *rows how many there are. */
static qn_status run(qn_tune_store *store, int number, int64_t *value, int *rows)
{
    sqlite3_stmt *statement = store->statements[number];
    int code, count = 0;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        if (count++ == 0 && value) *value = sqlite3_column_int64(statement, 0);
    qn_status status = code == SQLITE_DONE ? QN_OK : failed(store, "a look-up or change");
    sqlite3_reset(statement);
    if (rows) *rows = count;
    return status;
}

qn_status qn_tune_store_problem(qn_tune_store *store, const qn_tune_key *key, int64_t *problem)
{
    int rows = 0;
    pthread_mutex_lock(&store->mutex);
    bind_key(store->statements[FIND_PROBLEM], key);
    qn_status status = run(store, FIND_PROBLEM, problem, &rows);
    if (status == QN_OK && rows == 0) {
        bind_key(store->statements[ADD_PROBLEM], key);
        status = run(store, ADD_PROBLEM, NULL, NULL);
        if (status == QN_OK) status = run(store, FIND_PROBLEM, problem, &rows);
    }
    pthread_mutex_unlock(&store->mutex);
    return status;
}

/* The columns that every listing begins with. SQLite keeps no infinity: a failed test has no objective. */
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
}

static qn_status abandon(qn_tune_store *store, int64_t problem, const char *configuration)
{
    sqlite3_stmt *statement = store->statements[ABANDON];
    sqlite3_bind_int64(statement, 1, problem);
    sqlite3_bind_text(statement, 2, configuration, -1, SQLITE_TRANSIENT);
    return run(store, ABANDON, NULL, NULL);
}

static qn_status list_tests(qn_tune_store *store, int64_t problem, qn_tune_row **rows, size_t *count)
{
    sqlite3_stmt *statement = store->statements[LIST_TESTS];
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
        if (!row->running) continue;
        row->running = is_alive(store, (const char *)sqlite3_column_text(statement, 7),
                                (const char *)sqlite3_column_text(statement, 8));
        row->deaths += !row->running;
    }
    if (status == QN_OK && code != SQLITE_DONE) status = failed(store, "listing tests");
    sqlite3_reset(statement);
    *rows = memory;
    return status;
}

/* Write down the deaths of processes that are gone, and drop the rows of what is free to be tried again. */
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

/* In one transaction: another process may find the same row, and start it again before this one has written. */
qn_status qn_tune_store_tests(qn_tune_store *store, int64_t problem, qn_tune_row **rows, size_t *count)
{
    qn_error_trail trail;
    *rows = NULL;
    *count = 0;
    pthread_mutex_lock(&store->mutex);
    qn_status status = execute(store, "BEGIN IMMEDIATE");
    if (status == QN_OK) {
        status = list_tests(store, problem, rows, count);
        if (status == QN_OK) status = bury(store, problem, *rows, count);
        if (status == QN_OK) status = execute(store, "COMMIT");
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
    sqlite3_stmt *statement = store->statements[START];
    pthread_mutex_lock(&store->mutex);
    sqlite3_bind_int64(statement, 1, problem);
    sqlite3_bind_text(statement, 2, configuration, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(statement, 3, store->process, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(statement, 4, store->start, -1, SQLITE_TRANSIENT);
    qn_status status = run(store, START, NULL, NULL);
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
    sqlite3_stmt *statement = store->statements[FINISH];
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
    qn_status status = run(store, FINISH, NULL, NULL);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

qn_status qn_tune_store_cancel(qn_tune_store *store, int64_t problem, const char *configuration)
{
    static const int numbers[] = {CANCEL, CANCEL_AGAIN};
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

qn_status qn_tune_store_forget(qn_tune_store *store, int64_t problem)
{
    pthread_mutex_lock(&store->mutex);
    sqlite3_bind_int64(store->statements[FORGET], 1, problem);
    qn_status status = run(store, FORGET, NULL, NULL);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

static void copy_column(sqlite3_stmt *statement, int column, char *text, size_t capacity)
{
    snprintf(text, capacity, "%s", (const char *)sqlite3_column_text(statement, column));
}

static qn_status list_best(qn_tune_store *store, const qn_tune_key *key, qn_tune_best **best, size_t *count)
{
    sqlite3_stmt *statement = store->statements[BEST];
    size_t capacity = 0;
    void *memory = NULL;
    int code = SQLITE_DONE;
    qn_status status = QN_OK;
    bind_key(statement, key);
    while (status == QN_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        status = qn_grow(&memory, &capacity, *count + 1, sizeof **best);
        if (status != QN_OK) break;
        qn_tune_best *row = (qn_tune_best *)memory + (*count)++;
        read_row(statement, &row->row);
        copy_column(statement, 7, row->driver, sizeof row->driver);
        copy_column(statement, 8, row->source, sizeof row->source);
        copy_column(statement, 9, row->problem_class, sizeof row->problem_class);
        row->tests = (uint64_t)sqlite3_column_int64(statement, 10);
        row->time = sqlite3_column_int64(statement, 11);
    }
    if (status == QN_OK && code != SQLITE_DONE) status = failed(store, "looking for the best");
    sqlite3_reset(statement);
    *best = memory;
    return status;
}

qn_status qn_tune_store_best(qn_tune_store *store, const qn_tune_key *key, qn_tune_best **best, size_t *count)
{
    *best = NULL;
    *count = 0;
    pthread_mutex_lock(&store->mutex);
    qn_status status = list_best(store, key, best, count);
    pthread_mutex_unlock(&store->mutex);
    if (status != QN_OK) {
        qn_release(best);
        *count = 0;
    }
    return status;
}

qn_status qn_tune_store_well_share(qn_tune_store *store, const char *family, double factor, double *share)
{
    enum { LEAST = 20 };
    sqlite3_stmt *statement = store->statements[MOST_TESTED];
    int64_t well = 0;
    *share = 0;
    pthread_mutex_lock(&store->mutex);
    sqlite3_bind_text(statement, 1, family, -1, SQLITE_TRANSIENT);
    int code = sqlite3_step(statement);
    int64_t problem = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    int64_t count = code == SQLITE_ROW ? sqlite3_column_int64(statement, 1) : 0;
    double best = code == SQLITE_ROW ? sqlite3_column_double(statement, 2) : 0;
    qn_status status = code == SQLITE_ROW || code == SQLITE_DONE ? QN_OK : failed(store, "counting tests");
    sqlite3_reset(statement);
    if (status == QN_OK && count >= LEAST) {
        sqlite3_bind_int64(store->statements[COUNT_WELL], 1, problem);
        sqlite3_bind_double(store->statements[COUNT_WELL], 2, best * factor);
        status = run(store, COUNT_WELL, &well, NULL);
        *share = (double)well / (double)count;
    }
    pthread_mutex_unlock(&store->mutex);
    return status;
}

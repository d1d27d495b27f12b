#define _POSIX_C_SOURCE 200809L
/* Opening the store: place of its file, its tables and their versions, damaged files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/text.h"
#include "runtime/context.h"
#include "tune/store_database.h"

enum { BUSY_MS = 10000, PAUSE_MS = 20, SET_ASIDE_MAX = 1000, VERSION = 4 };

static const char *const texts[QN_STORE_STATEMENTS] = {
    [QN_STORE_ADD_PROBLEM] = "INSERT OR IGNORE INTO problem(device, driver, family, source, class, hardware) "
                             "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    [QN_STORE_FIND_PROBLEM] =
        "SELECT id FROM problem WHERE device = ?1 AND driver = ?2 AND family = ?3 AND source = ?4 AND "
        "class = ?5",
    [QN_STORE_LIST_TESTS] =
        "SELECT configuration, outcome, objective, spread, build_seconds, run_seconds, scale, process, start, "
        "seconds, joules, load FROM test WHERE problem = ?1 ORDER BY id",
    [QN_STORE_START] = "INSERT INTO test(problem, configuration, outcome, process, start) VALUES (?1, ?2, -1, ?3, ?4) "
                       "ON CONFLICT(problem, configuration) DO UPDATE SET "
                       "outcome = CASE WHEN outcome IN (-2, -3) THEN -3 ELSE -1 END, process = ?3, start = ?4",
    [QN_STORE_FINISH] =
        "INSERT INTO test(problem, configuration, outcome, objective, spread, build_seconds, run_seconds, scale, "
        "seconds, joules, load) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) "
        "ON CONFLICT(problem, configuration) DO "
        "UPDATE SET "
        "outcome = ?3, objective = ?4, spread = ?5, build_seconds = ?6, run_seconds = ?7, scale = ?8, "
        /* a run that measures only the time keeps the energy if that is of the same work */
        "seconds = ?9, joules = CASE WHEN scale IS ?8 THEN COALESCE(?10, joules) ELSE ?10 END, "
        "load = ?11, process = NULL, start = NULL "
        /* a result under load does not replace one without */
        "WHERE NOT (?3 = 0 AND outcome >= 0 AND COALESCE(load, 1) <= ?12 AND COALESCE(?11, 0) > ?12)",
    [QN_STORE_CANCEL] =
        "DELETE FROM test WHERE problem = ?1 AND (?2 IS NULL OR configuration = ?2) AND outcome = -1 AND "
        "process = ?3 AND start = ?4",
    [QN_STORE_CANCEL_AGAIN] = "UPDATE test SET outcome = -2, process = NULL, start = NULL WHERE problem = ?1 AND "
                              "(?2 IS NULL OR configuration = ?2) AND outcome = -3 AND process = ?3 AND start = ?4",
    [QN_STORE_FORGET] = "DELETE FROM test WHERE problem = ?1",
    [QN_STORE_ABANDON] =
        "UPDATE test SET outcome = CASE outcome WHEN -3 THEN 6 ELSE -2 END, process = NULL, start = NULL "
        "WHERE problem = ?1 AND configuration = ?2 AND outcome IN (-1, -3)",
    /* with a single MIN, SQLite takes the other columns from the row that has it */
    [QN_STORE_BEST] =
        "SELECT t.configuration, t.outcome, t.objective, t.spread, t.build_seconds, t.run_seconds, t.scale, "
        "p.driver, p.source, p.class, (SELECT COUNT(*) FROM test WHERE problem = p.id AND outcome >= 0), "
        "CAST(strftime('%s', t.made) AS INTEGER), "
        "MIN(t.objective / CASE WHEN t.scale > 0 THEN t.scale ELSE 1 END), p.device = ?1, p.hardware "
        "FROM problem p JOIN test t ON t.problem = p.id WHERE p.family = ?3 AND t.outcome = 0 AND "
        "(p.device = ?1 OR p.hardware IS NOT NULL) "
        "GROUP BY p.id ORDER BY p.driver = ?2 DESC, p.id DESC",
    [QN_STORE_TESTED_MAX] =
        "SELECT problem, COUNT(*), MIN(objective / CASE WHEN scale > 0 THEN scale ELSE 1 END) FROM test "
        "WHERE outcome = 0 AND problem IN (SELECT id FROM problem WHERE family = ?1) GROUP BY problem "
        "ORDER BY COUNT(*) DESC LIMIT 1",
    [QN_STORE_COUNT_WELL] = "SELECT COUNT(*) FROM test WHERE problem = ?1 AND outcome = 0 AND "
                            "objective / CASE WHEN scale > 0 THEN scale ELSE 1 END <= ?2",
    [QN_STORE_ACCOUNT] = "SELECT credit, finished FROM problem WHERE id = ?1",
    [QN_STORE_SETTLE] = "UPDATE problem SET credit = credit + ?2 WHERE id = ?1",
    [QN_STORE_SET_FINISHED] = "UPDATE problem SET finished = ?2 WHERE id = ?1",
};

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS problem(id INTEGER PRIMARY KEY, device TEXT NOT NULL, driver TEXT NOT NULL, "
    "family TEXT NOT NULL, source TEXT NOT NULL, class TEXT NOT NULL, hardware TEXT, credit REAL NOT NULL DEFAULT 0, "
    "finished INTEGER NOT NULL DEFAULT 0, "
    "UNIQUE(device, driver, family, source, class));"
    "CREATE TABLE IF NOT EXISTS test(id INTEGER PRIMARY KEY, problem INTEGER NOT NULL REFERENCES problem(id), "
    "configuration TEXT NOT NULL, outcome INTEGER NOT NULL, objective REAL, spread REAL, build_seconds REAL, "
    "run_seconds REAL, scale REAL, process TEXT, start TEXT, seconds REAL, joules REAL, "
    "made TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, load REAL, UNIQUE(problem, configuration));"
    "PRAGMA user_version = 4;";

/* Version 1 had no energies. */
static const char to_version_2[] =
    "ALTER TABLE test ADD COLUMN seconds REAL; ALTER TABLE test ADD COLUMN joules REAL; PRAGMA user_version = 2;";

/* Version 2 had no architectures. The architecture of a host is the end of its driver's version. Results of OpenCL
 * CPUs, whose architecture is not stored, are not used any more. */
static const char to_version_3[] =
    "ALTER TABLE problem ADD COLUMN hardware TEXT; ALTER TABLE problem ADD COLUMN credit REAL NOT NULL DEFAULT 0; "
    "ALTER TABLE problem ADD COLUMN finished INTEGER NOT NULL DEFAULT 0; "
    "UPDATE OR IGNORE problem SET device = substr(device, 1, instr(device, ', ') - 1) || ', ' || "
    "substr(driver, instr(driver, 'x86-64-v')) || substr(device, instr(device, ', ')) "
    "WHERE instr(device, ', ') > 0 AND instr(driver, 'x86-64-v') > 0; PRAGMA user_version = 3;";

/* Version 3 had no loads. */
static const char to_version_4[] = "ALTER TABLE test ADD COLUMN load REAL; PRAGMA user_version = 4;";

static bool is_corrupt(int code)
{
    return (code & 0xFF) == SQLITE_CORRUPT || (code & 0xFF) == SQLITE_NOTADB;
}

qn_status qn_store_failed(const qn_tune_store *store, const char *doing)
{
    int code = sqlite3_extended_errcode(store->database);
    return QN_FAIL(is_corrupt(code) ? QN_BAD_FORMAT : QN_IO_ERROR, "%s: %s failed: %s (SQLite error %d)", store->path,
                   doing, sqlite3_errmsg(store->database), code);
}

qn_status qn_store_execute(qn_tune_store *store, const char *text)
{
    if (sqlite3_exec(store->database, text, NULL, NULL, NULL) != SQLITE_OK) return qn_store_failed(store, "a change");
    return QN_OK;
}

static void close_database(qn_tune_store *store)
{
    for (int i = 0; i < QN_STORE_STATEMENTS; i++) {
        sqlite3_finalize(store->statements[i]);
        store->statements[i] = NULL;
    }
    sqlite3_close(store->database);
    store->database = NULL;
}

/* Check that the file is an intact database, by quick_check. */
static qn_status check_content(qn_tune_store *store)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(store->database, "PRAGMA quick_check(1)", -1, &statement, NULL) != SQLITE_OK)
        return qn_store_failed(store, "reading it");
    int code = sqlite3_step(statement);
    bool good = code == SQLITE_ROW && strcmp((const char *)sqlite3_column_text(statement, 0), "ok") == 0;
    sqlite3_finalize(statement);
    if (code != SQLITE_ROW) return qn_store_failed(store, "reading it");
    if (!good) return QN_FAIL(QN_BAD_FORMAT, "%s: the tuning store is damaged", store->path);
    return QN_OK;
}

static qn_status read_version(qn_tune_store *store, int *version)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->database, "PRAGMA user_version", -1, &statement, NULL);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    *version = code == SQLITE_ROW ? sqlite3_column_int(statement, 0) : 0;
    sqlite3_finalize(statement);
    return code == SQLITE_ROW ? QN_OK : qn_store_failed(store, "reading it");
}

/* Upgrade the tables in one transaction, because another process may do the same. */
static qn_status bring_up_to_date(qn_tune_store *store)
{
    int version;
    qn_error_trail trail;
    QN_TRY(read_version(store, &version));
    if (version > VERSION)
        return QN_FAIL(QN_UNSUPPORTED, "%s: the tuning store is of version %d; expected at most %d", store->path,
                       version, VERSION);
    if (version == VERSION) return QN_OK;
    QN_TRY(qn_store_execute(store, "BEGIN IMMEDIATE"));
    qn_status status = read_version(store, &version);
    if (status == QN_OK && version == 0) status = qn_store_execute(store, schema);
    if (status == QN_OK && version == 1) status = qn_store_execute(store, to_version_2);
    if (status == QN_OK && (version == 1 || version == 2)) status = qn_store_execute(store, to_version_3);
    if (status == QN_OK && version >= 1 && version <= 3) status = qn_store_execute(store, to_version_4);
    if (status == QN_OK) status = qn_store_execute(store, "COMMIT");
    qn_error_save(status, &trail);
    if (status != QN_OK) (void)sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
    return qn_error_restore(&trail);
}

static qn_status set_up(qn_tune_store *store)
{
    QN_TRY(check_content(store));
    QN_TRY(qn_store_execute(store, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"));
    return bring_up_to_date(store);
}

static qn_status open_database(qn_tune_store *store)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
    if (sqlite3_open_v2(store->path, &store->database, flags, NULL) != SQLITE_OK)
        return qn_store_failed(store, "opening");
    sqlite3_busy_timeout(store->database, BUSY_MS);
    /* If two processes create a store at the same time, SQLite returns BUSY at once, to avoid a deadlock. */
    const struct timespec pause = {.tv_nsec = 1000000L * PAUSE_MS};
    qn_status status = set_up(store);
    for (int waited_ms = 0; status != QN_OK && waited_ms < BUSY_MS; waited_ms += PAUSE_MS) {
        if ((sqlite3_errcode(store->database) & 0xFF) != SQLITE_BUSY) break;
        qn_error_clear();
        nanosleep(&pause, NULL);
        status = set_up(store);
    }
    if (status != QN_OK) return status;
    for (int i = 0; i < QN_STORE_STATEMENTS; i++)
        if (sqlite3_prepare_v2(store->database, texts[i], -1, &store->statements[i], NULL) != SQLITE_OK)
            return qn_store_failed(store, "preparing");
    return QN_OK;
}

/* Whether the file begins as a database of SQLite does, or as one that was cut: only such a file can be a damaged
 * store. */
static bool is_database(const char *path)
{
    static const char magic[16] = "SQLite format 3";
    char start[sizeof magic];
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    const size_t got = fread(start, 1, sizeof start, file);
    fclose(file);
    return memcmp(start, magic, got) == 0;
}

/* Rename the file and its companions to the first free "…corrupt-N". */
static qn_status set_aside(qn_tune_store *store)
{
    static const char *const endings[] = {"", "-wal", "-shm"};
    char from[4096], to[4096 + 32], first[4096 + 32] = "";
    int number = 1;
    for (; number < SET_ASIDE_MAX; number++) {
        snprintf(first, sizeof first, "%s.corrupt-%d", store->path, number);
        if (!qn_file_exists(first)) break;
    }
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(from, sizeof from, "%s%s", store->path, endings[i]);
        snprintf(to, sizeof to, "%s%s", first, endings[i]);
        if (rename(from, to) != 0 && i == 0)
            return QN_FAIL(QN_IO_ERROR, "%s: the tuning store is damaged and cannot be set aside: %s", store->path,
                           strerror(errno));
    }
    qn_log(QN_LOG_WARNING, "%s: the tuning store is damaged; it was set aside as %s and a new one begun", store->path,
           first);
    return QN_OK;
}

/* $QUERN_TUNING_STORE, $XDG_DATA_HOME/quern/tuning.db or ~/.local/share/quern/tuning.db; NULL: no store, because it is
 * off or there is no folder. */
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
    qn_process_start(getpid(), store->start);
    status = open_database(store);
    if (status == QN_BAD_FORMAT) {
        close_database(store);
        status = is_database(store->path)
                     ? set_aside(store)
                     : QN_FAIL(QN_BAD_FORMAT, "%s: is not a tuning store; expected one, or a name that is not taken",
                               store->path);
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

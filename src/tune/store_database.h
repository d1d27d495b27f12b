/* The SQLite file of a store, for the two files that use it: store_file.c opens, upgrades and closes it,
 * store.c reads and writes rows. */
#ifndef QN_TUNE_STORE_DATABASE_H
#define QN_TUNE_STORE_DATABASE_H

#include <pthread.h>
#include <sqlite3.h>

#include "tune/store.h"

/* Prepared statements; store_file.c has their texts. */
typedef enum qn_store_statement {
    QN_STORE_ADD_PROBLEM,
    QN_STORE_FIND_PROBLEM,
    QN_STORE_LIST_TESTS,
    QN_STORE_START,
    QN_STORE_FINISH,
    QN_STORE_CANCEL,
    QN_STORE_CANCEL_AGAIN,
    QN_STORE_FORGET,
    QN_STORE_ABANDON,
    QN_STORE_BEST,
    QN_STORE_TESTED_MAX,
    QN_STORE_COUNT_WELL,
    QN_STORE_ACCOUNT,
    QN_STORE_SETTLE,
    QN_STORE_SET_FINISHED,
    QN_STORE_STATEMENTS
} qn_store_statement;

struct qn_tune_store {
    char *path;
    sqlite3 *database;
    sqlite3_stmt *statements[QN_STORE_STATEMENTS];
    pthread_mutex_t mutex;
    char process[96]; /* "host:number" of this process */
    char start[32];   /* when it started (base/process.h), because process numbers are reused */
};

/* Fail with the database's own message; `doing` names the operation that failed. QN_BAD_FORMAT for a damaged file, else
 * QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_store_failed(const qn_tune_store *store, const char *doing);

/* Run SQL text that returns no rows. */
QN_MUST_CHECK qn_status qn_store_execute(qn_tune_store *store, const char *text);

#endif

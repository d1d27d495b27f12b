/* A journal: a file with a record for each finished piece of work, from which a later run resumes.
 *
 * The file begins with a key, which names everything that the pieces depend on (inputs, options, device). Records
 * follow, each with its length and a checksum. A record is flushed when it is appended. A record that was cut short
 * because the process was killed is ignored and overwritten. Each rank has a file of its own, "journal.<rank>". A later
 * run reads the files of all ranks, whatever its own number of ranks is.
 *
 * Life cycle: open → append → close. Thread rule: one thread at a time.
 */
#ifndef QN_JOB_JOURNAL_H
#define QN_JOB_JOURNAL_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/thread_pool.h"

typedef struct qn_journal qn_journal;

/* Callback for a record: the number of the piece and its bytes, which are valid until the callback returns. */
typedef qn_status (*qn_journal_record)(uint64_t piece, const void *data, size_t size, void *user);

/* Open the journal `path` for writing. `key` has lines "name=value". With `resume`, `record` is called for each
 * complete record of an existing file. Without `resume`, or if there is no file, an empty journal is made.
 * QN_ALREADY_EXISTS if the file has another key; the message names the first line that differs. QN_ALREADY_EXISTS if
 * another process has the file open. */
QN_MUST_CHECK qn_status qn_journal_open(const char *path, const char *key, bool resume, qn_journal_record record,
                                        void *user, qn_journal **journal);

/* Call `record` for each complete record of a file that no process writes. Errors as above. */
QN_MUST_CHECK qn_status qn_journal_read(const char *path, const char *key, qn_journal_record record, void *user);

QN_MUST_CHECK qn_status qn_journal_append(qn_journal *journal, uint64_t piece, const void *data, size_t size);

/* Bytes of a record, one part after the other. */
typedef struct qn_journal_part {
    const void *data;
    size_t size;
} qn_journal_part;

/* The same with the parts of a record and its checksum, which any thread may find before, on a pool or NULL. */
uint32_t qn_journal_checksum(uint64_t piece, const qn_journal_part *parts, int count, qn_pool *pool);
QN_MUST_CHECK qn_status qn_journal_append_checked(qn_journal *journal, uint64_t piece, const qn_journal_part *parts,
                                                  int count, uint32_t checksum);

/* Copy the value of line "name=value" of a journal's key into `value`; "" when there is no journal or no such line. */
QN_MUST_CHECK qn_status qn_journal_value(const char *path, const char *name, char *value, size_t capacity);

/* Compare the key of a file with `key`. QN_ALREADY_EXISTS names the first line that differs. */
QN_MUST_CHECK qn_status qn_journal_check_key(const char *path, const char *key);

/* Whether another process, or another run of this process, has the file open for writing. */
QN_MUST_CHECK qn_status qn_journal_is_busy(const char *path, bool *busy);

/* Whether a run of `program` made the file: its key begins with the line "program=NAME", or with the part of this line
 * that was written before the process was killed. */
QN_MUST_CHECK qn_status qn_journal_belongs(const char *path, const char *program, bool *belongs);

/* Compare two keys: QN_ALREADY_EXISTS, naming `path` and the first line that differs. */
QN_MUST_CHECK qn_status qn_key_compare(const char *path, const char *theirs, const char *ours);

/* Close the journal and delete its file. */
void qn_journal_remove(qn_journal **journal);
void qn_journal_close(qn_journal **journal);

#endif

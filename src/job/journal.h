/* What a killed run leaves behind: a file of records, one for each finished piece of work, so that the next run goes on
 * where it stopped.
 *
 * The file starts with a key that names everything the pieces depend on (inputs, options, device); records follow, each
 * with its length and a checksum. Records are appended and flushed; one that a kill cut short is ignored and
 * overwritten. With several ranks each has its own file, "journal.<rank>", and a later run reads them all, whatever
 * their number.
 *
 * Life cycle: open → append → close. Thread rule: one thread at a time.
 */
#ifndef QN_JOB_JOURNAL_H
#define QN_JOB_JOURNAL_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qn_journal qn_journal;

/* One record: a piece's number and its bytes, which live until the callback returns. */
typedef qn_status (*qn_journal_record)(uint64_t piece, const void *data, size_t size, void *user);

/* Open `path` under `key` (lines "name=value"). With `resume` an existing file's whole records go through `record`;
 * without it, or when there is none, a new one is begun. QN_INVALID_ARGUMENT, naming the line that differs, when the
 * file belongs to another run; QN_ALREADY_EXISTS when another process has it open. */
QN_MUST_CHECK qn_status qn_journal_open(const char *path, const char *key, bool resume, qn_journal_record record,
                                        void *user, qn_journal **journal);

/* Only read: the whole records of a file that nobody writes. */
QN_MUST_CHECK qn_status qn_journal_read(const char *path, const char *key, qn_journal_record record, void *user);

QN_MUST_CHECK qn_status qn_journal_append(qn_journal *journal, uint64_t piece, const void *data, size_t size);

/* Copy the value of line "name=value" of a journal's key into `value`; "" when there is no journal or no such line. */
QN_MUST_CHECK qn_status qn_journal_value(const char *path, const char *name, char *value, size_t capacity);

/* QN_INVALID_ARGUMENT, naming the line that differs, when the file belongs to another run. */
QN_MUST_CHECK qn_status qn_journal_check_key(const char *path, const char *key);

/* Whether another process, or another run of this one, writes the file. */
QN_MUST_CHECK qn_status qn_journal_is_busy(const char *path, bool *busy);

/* Whether a run of `program` began the file: its key has "program=NAME" as first line. A kill may have cut it short. */
QN_MUST_CHECK qn_status qn_journal_belongs(const char *path, const char *program, bool *belongs);

/* Compare two keys: QN_INVALID_ARGUMENT, naming `path` and the first line that differs. */
QN_MUST_CHECK qn_status qn_key_compare(const char *path, const char *theirs, const char *ours);

/* Close it, and delete its file. */
void qn_journal_remove(qn_journal **journal);
void qn_journal_close(qn_journal **journal);

#endif

#include "dock/journal.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "job/journal.h"
#include "job/pieces.h"

/* A piece is a batch of rotations, named by its first; its bytes are their hits. */
struct qn_dock_journal {
    int per_rotation;
    qn_journal *journal;
};

/* A journal that is being read. */
typedef struct journal_reading {
    const char *path;
    const qn_dock_known *known;
} journal_reading;

static qn_status keep_record(uint64_t first, const void *data, size_t size, void *user)
{
    const journal_reading *reading = user;
    const qn_dock_known *known = reading->known;
    const size_t each = (size_t)known->per_rotation * sizeof *known->hits, count = size / each;
    if (count == 0 || size % each != 0 || first >= (uint64_t)known->rotation_count ||
        count > (uint64_t)known->rotation_count - first)
        QN_FAIL(QN_BAD_FORMAT, "%s: a record of %zu bytes for rotation %llu; expected one of %d rotations of %zu bytes",
                reading->path, size, (unsigned long long)first, known->rotation_count, each);
    if (known->hits) memcpy(known->hits + (size_t)first * (size_t)known->per_rotation, data, size);
    memset(known->done + first, 1, count);
    return QN_OK;
}

qn_status qn_dock_journal_open(const char *folder, int rank, const char *key, bool resume, const qn_dock_known *known,
                               qn_dock_journal **out)
{
    journal_reading reading = {.known = known};
    char *path;
    void *memory;
    *out = NULL;
    QN_TRY(qn_rank_journal_path(folder, rank, &path));
    qn_status status = qn_allocate(1, sizeof(qn_dock_journal), &memory);
    if (status == QN_OK) {
        qn_dock_journal *journal = memory;
        reading.path = path;
        journal->per_rotation = known->per_rotation;
        status = qn_journal_open(path, key, resume, keep_record, &reading, &journal->journal);
        if (status == QN_OK)
            *out = journal;
        else
            qn_dock_journal_close(&journal);
    }
    qn_release(&path);
    return status;
}

/* What is done with each journal of a folder; *last: the others need not be looked at. */
typedef qn_status (*journal_visitor)(const char *path, void *user, bool *last);

static qn_status visit_journals(const char *folder, journal_visitor visit, void *user)
{
    int *ranks;
    size_t count;
    bool last = false;
    QN_TRY(qn_rank_journal_list(folder, &ranks, &count));
    qn_status status = QN_OK;
    for (size_t i = 0; i < count && status == QN_OK && !last; i++) {
        char *path = NULL;
        status = qn_rank_journal_path(folder, ranks[i], &path);
        if (status == QN_OK) status = visit(path, user, &last);
        qn_release(&path);
    }
    qn_release(&ranks);
    return status;
}

typedef struct journals_reading {
    const char *key;
    const qn_dock_known *known;
} journals_reading;

static qn_status read_journal(const char *path, void *user, bool *last)
{
    const journals_reading *all = user;
    journal_reading reading = {path, all->known};
    (void)last;
    return qn_journal_read(path, all->key, keep_record, &reading);
}

qn_status qn_dock_journals_read(const char *folder, const char *key, const qn_dock_known *known)
{
    journals_reading all = {key, known};
    return visit_journals(folder, read_journal, &all);
}

typedef struct wanted_value {
    const char *name;
    char *value;
    size_t capacity;
} wanted_value;

static qn_status look_for_value(const char *path, void *user, bool *last)
{
    const wanted_value *wanted = user;
    QN_TRY(qn_journal_value(path, wanted->name, wanted->value, wanted->capacity));
    *last = wanted->value[0] != '\0';
    return QN_OK;
}

qn_status qn_dock_journals_value(const char *folder, const char *name, char *value, size_t capacity)
{
    wanted_value wanted = {name, value, capacity};
    value[0] = '\0';
    return visit_journals(folder, look_for_value, &wanted);
}

qn_status qn_dock_journal_append(qn_dock_journal *journal, int first, int count, const qn_dock_hit *hits)
{
    return qn_journal_append(journal->journal, (uint64_t)first, hits,
                             (size_t)count * (size_t)journal->per_rotation * sizeof *hits);
}

void qn_dock_journal_close(qn_dock_journal **pointer)
{
    if (!*pointer) return;
    qn_journal_close(&(*pointer)->journal);
    qn_release(pointer);
}

int qn_dock_known_count(const qn_dock_known *known)
{
    int count = 0;
    for (int i = 0; i < known->rotation_count; i++) count += known->done[i];
    return count;
}

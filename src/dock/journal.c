#include "dock/journal.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "job/journal.h"

/* A piece is a batch of rotations, named by its first; its bytes are their hits. */
struct qn_dock_journal {
    int per_rotation;
    qn_journal *journal;
};

/* Where the hits of a journal that is being read go. */
typedef struct kept_hits {
    const char *path;
    int rotation_count, per_rotation;
    qn_dock_hit *hits;
    unsigned char *done;
} kept_hits;

static qn_status keep_record(uint64_t first, const void *data, size_t size, void *user)
{
    kept_hits *kept = user;
    const size_t each = (size_t)kept->per_rotation * sizeof *kept->hits, count = size / each;
    if (count == 0 || size % each != 0 || first >= (uint64_t)kept->rotation_count ||
        count > (uint64_t)kept->rotation_count - first)
        QN_FAIL(QN_BAD_FORMAT, "%s: a record of %zu bytes for rotation %llu; expected one of %d rotations of %zu bytes",
                kept->path, size, (unsigned long long)first, kept->rotation_count, each);
    memcpy(kept->hits + (size_t)first * (size_t)kept->per_rotation, data, size);
    memset(kept->done + first, 1, count);
    return QN_OK;
}

qn_status qn_dock_journal_open(const char *path, const char *key, int rotation_count, int per_rotation, bool resume,
                               qn_dock_hit *hits, unsigned char *done, qn_dock_journal **out)
{
    kept_hits kept = {path, rotation_count, per_rotation, hits, done};
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(qn_dock_journal), &memory));
    qn_dock_journal *journal = memory;
    journal->per_rotation = per_rotation;
    qn_status status = qn_journal_open(path, key, resume, keep_record, &kept, &journal->journal);
    if (status != QN_OK)
        qn_dock_journal_close(&journal);
    else
        *out = journal;
    return status;
}

qn_status qn_dock_journal_value(const char *path, const char *name, char *value, size_t capacity)
{
    return qn_journal_value(path, name, value, capacity);
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

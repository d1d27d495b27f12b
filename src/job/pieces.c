#define _POSIX_C_SOURCE 200809L
#include "job/pieces.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

bool qn_piece_set_has(const qn_piece_set *set, uint64_t piece)
{
    return piece / 8 < set->capacity && (set->bits[piece / 8] >> piece % 8 & 1);
}

qn_status qn_piece_set_add(qn_piece_set *set, uint64_t piece)
{
    const size_t before = set->capacity;
    void *memory = set->bits;
    QN_TRY(qn_grow(&memory, &set->capacity, (size_t)(piece / 8) + 1, 1));
    set->bits = memory;
    memset(set->bits + before, 0, set->capacity - before);
    if (!qn_piece_set_has(set, piece)) set->count++;
    set->bits[piece / 8] |= (unsigned char)(1 << piece % 8);
    return QN_OK;
}

qn_status qn_rank_journal_path(const char *folder, int rank, char **path)
{
    char name[32];
    snprintf(name, sizeof name, "journal.%d", rank);
    return qn_path_join(folder, name, path);
}

static int compare_ranks(const void *a, const void *b)
{
    const int first = *(const int *)a, second = *(const int *)b;
    return (first > second) - (first < second);
}

int qn_rank_of_journal(const char *name)
{
    char again[32];
    int rank;
    if (sscanf(name, "journal.%d", &rank) != 1 || rank < 0) return -1;
    snprintf(again, sizeof again, "journal.%d", rank);
    return strcmp(name, again) == 0 ? rank : -1;
}

qn_status qn_rank_journal_list(const char *folder_path, int **list, size_t *count)
{
    void *memory = NULL;
    size_t capacity = 0;
    qn_status status = QN_OK;
    DIR *folder = opendir(folder_path);
    *list = NULL;
    *count = 0;
    if (!folder) return QN_FAIL(QN_IO_ERROR, "%s: cannot open the folder: %s", folder_path, strerror(errno));
    for (struct dirent *entry; status == QN_OK && (entry = readdir(folder));) {
        int rank = qn_rank_of_journal(entry->d_name);
        if (rank < 0) continue;
        status = qn_grow(&memory, &capacity, *count + 1, sizeof(int));
        if (status == QN_OK) ((int *)memory)[(*count)++] = rank;
    }
    closedir(folder);
    if (status != QN_OK) {
        qn_release(&memory);
        *count = 0;
    } else if (*count > 0) {
        qsort(memory, *count, sizeof(int), compare_ranks);
    }
    *list = memory;
    return status;
}

static bool is_device(const char *line)
{
    return strncmp(line, "device=", 7) == 0;
}

/* Find the first line in which two keys differ. */
static qn_status compare_keys(const char *first, const char *ours, const char *device_advice)
{
    for (;;) {
        const int first_length = (int)strcspn(first, "\n"), our_length = (int)strcspn(ours, "\n");
        if (first_length != our_length || strncmp(first, ours, (size_t)our_length) != 0)
            return QN_FAIL(
                QN_INVALID_ARGUMENT,
                "processes of this run differ: the first has \"%.*s\", this one \"%.*s\"; expected the same of all%s",
                first_length, first, our_length, ours,
                device_advice && (is_device(first) || is_device(ours)) ? device_advice : "");
        if (first[first_length] == '\0' && ours[our_length] == '\0') return QN_OK;
        first += first_length + (first[first_length] == '\n');
        ours += our_length + (ours[our_length] == '\n');
    }
}

qn_status qn_ranks_same_key(qn_ranks *ranks, const char *key, const char *device_advice)
{
    uint64_t size = strlen(key) + 1;
    void *first;
    QN_TRY(qn_ranks_broadcast(ranks, &size, sizeof size));
    QN_TRY(qn_allocate((size_t)size, 1, &first));
    if (qn_ranks_rank(ranks) == 0) memcpy(first, key, (size_t)size);
    qn_status status = qn_ranks_broadcast(ranks, first, (size_t)size);
    if (status == QN_OK) status = compare_keys(first, key, device_advice);
    qn_release(&first);
    return status;
}

/* The second half map of a first one, and both of a folder, by the names that programs give them. */
#include <dirent.h>
#include <quern/file.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "fsc/run.h"

/* Words of the names of two halves: of Quern, RELION and relion_postprocess; of EMDB; of CryoSPARC. */
static const char *const words[][2] = {{"half1", "half2"}, {"half_map_1", "half_map_2"}, {"half_A", "half_B"}};
enum { WORDS = sizeof words / sizeof *words };

static bool is_folder(const char *path)
{
    struct stat information;
    return stat(path, &information) == 0 && S_ISDIR(information.st_mode);
}

/* The last place of a word in the last part of a path; NULL: it has none. */
static const char *find_word(const char *path, const char *word)
{
    const char *slash = strrchr(path, '/'), *last = NULL;
    for (const char *at = slash ? slash : path; (at = strstr(at, word)); at++) last = at;
    return last;
}

/* Put one word in the place of the other, if the path has it; *other is NULL if not. */
static qn_status exchange(const char *path, const char *from, const char *to, char **other)
{
    qn_text text = {0};
    const char *at = find_word(path, from);
    *other = NULL;
    if (!at) return QN_OK;
    qn_status status = qn_text_append(&text, "%.*s%s%s", (int)(at - path), path, to, at + strlen(from));
    if (status == QN_OK) status = qn_text_copy(text.data, other);
    qn_text_clear(&text);
    return status;
}

static qn_status find_other(const char *path, char *found[2])
{
    for (int i = 0; i < WORDS; i++)
        for (int k = 0; k < 2; k++) {
            char *other;
            QN_TRY(exchange(path, words[i][k], words[i][1 - k], &other));
            if (!other) continue;
            found[1 - k] = other;
            return qn_text_copy(path, &found[k]);
        }
    return QN_FAIL(QN_INVALID_ARGUMENT,
                   "HALF2 is missing, and the name %s has none of half1, half_map_1 and half_A, from which it would "
                   "follow; expected two half maps",
                   path);
}

/* ---- folders ---- */

static bool is_map(const char *name)
{
    return qn_text_ends_in(name, ".mrc") || qn_text_ends_in(name, ".map") || qn_text_ends_in(name, ".mrc.gz") ||
           qn_text_ends_in(name, ".map.gz");
}

/* How much a name is preferred to others: RELION's maps of the last iteration have no number of it, and unfiltered ones
 * are those to correlate. */
static int preference(const char *name)
{
    return (strstr(name, "_unfil.") ? 2 : 0) + (strncmp(name, "run_half", 8) == 0 ? 1 : 0);
}

/* Look at one file of the folder: if it is a first half whose second is there, it may be the best pair so far. */
static qn_status consider(const char *folder, const char *name, qn_text *best, int *equals)
{
    for (int i = 0; i < WORDS && is_map(name); i++) {
        char *other, *path = NULL;
        QN_TRY(exchange(name, words[i][0], words[i][1], &other));
        if (!other) continue;
        const qn_status status = qn_path_join(folder, other, &path);
        const bool is_there = status == QN_OK && qn_file_exists(path);
        qn_release(&other);
        qn_release(&path);
        QN_TRY(status);
        if (!is_there) continue;
        const int gain = best->data ? preference(name) - preference(best->data) : 1;
        if (gain < 0) return QN_OK;
        *equals = gain > 0 ? 1 : *equals + 1;
        if (gain == 0) return QN_OK;
        qn_text_clear(best);
        return qn_text_append(best, "%s", name);
    }
    return QN_OK;
}

static qn_status find_in_folder(const char *folder, char *found[2])
{
    qn_text best = {0};
    int equals = 0;
    char *path = NULL;
    qn_status status = QN_OK;
    DIR *entries = opendir(folder);
    if (!entries) return QN_FAIL(QN_IO_ERROR, "%s: cannot be listed", folder);
    for (struct dirent *entry; status == QN_OK && (entry = readdir(entries));)
        status = consider(folder, entry->d_name, &best, &equals);
    closedir(entries);
    if (status == QN_OK && equals != 1)
        status = QN_FAIL(QN_INVALID_ARGUMENT,
                         "%s: has %s half maps of one structure, such as half1.mrc and half2.mrc or "
                         "run_half1_class001_unfil.mrc; expected the names of two files",
                         folder, equals ? "more than two" : "no");
    if (status == QN_OK) status = qn_path_join(folder, best.data, &path);
    if (status == QN_OK) status = find_other(path, found);
    qn_release(&path);
    qn_text_clear(&best);
    return status;
}

qn_status qn_fsc_find_halves(const char *half_1, char *found[2])
{
    return is_folder(half_1) ? find_in_folder(half_1, found) : find_other(half_1, found);
}

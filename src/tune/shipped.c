#include "tune/shipped.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"

enum { FIELDS = 5, LINE_BYTES = 2048 };

typedef struct found {
    const qn_tune_key *key;
    qn_hardware hardware; /* of the lines that are being read */
    qn_tune_nearness nearness;
    void *results;
    size_t count, capacity;
    bool strict; /* a line that cannot be read is an error, not a warning */
} found;

/* Split at tabs; false when there are not FIELDS fields. */
static bool split(char *line, char *fields[FIELDS])
{
    int count = 0;
    for (char *at = line; at; count++) {
        char *tab = strchr(at, '\t');
        if (count < FIELDS) fields[count] = at;
        if (tab) *tab++ = '\0';
        at = tab;
    }
    return count == FIELDS;
}

static qn_status read_line(found *to, char *line, bool *understood)
{
    char *fields[FIELDS], *end;
    *understood = split(line, fields);
    if (!*understood) return QN_OK;
    double seconds = strtod(fields[4], &end);
    *understood = *end == '\0' && end > fields[4] && strlen(fields[1]) == QN_TUNE_SOURCE_DIGITS;
    if (!*understood || strcmp(fields[0], to->key->family) != 0) return QN_OK;
    QN_TRY(qn_grow(&to->results, &to->capacity, to->count + 1, sizeof(qn_shipped_result)));
    qn_shipped_result *result = (qn_shipped_result *)to->results + to->count++;
    result->hardware = to->hardware;
    result->nearness = to->nearness;
    snprintf(result->source, sizeof result->source, "%s", fields[1]);
    snprintf(result->problem_class, sizeof result->problem_class, "%s", strcmp(fields[2], "-") == 0 ? "" : fields[2]);
    snprintf(result->configuration, sizeof result->configuration, "%s", fields[3]);
    result->seconds = seconds;
    return QN_OK;
}

/* Refuse a line: an error if the caller asked for this file, else a warning. */
static qn_status refuse(const found *to, const char *name, size_t number, const char *expected)
{
    if (to->strict) return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: not a tuning result; expected %s", name, number, expected);
    qn_log(QN_LOG_WARNING, "%s:%zu: not a tuning result; expected %s", name, number, expected);
    return QN_OK;
}

/* Read the lines of a file. Each result belongs to the last device line before it. */
static qn_status read_text(found *to, const char *name, const char *text)
{
    static const char device[] = "device ";
    char line[LINE_BYTES];
    bool understood = true;
    size_t number = 1;
    to->nearness = QN_TUNE_UNRELATED;
    for (const char *at = text; *at; number++) {
        size_t length = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line - 1), at);
        at += length + (at[length] == '\n');
        if (line[0] == '#' || line[0] == '\0') continue;
        if (strncmp(line, device, sizeof device - 1) == 0) {
            understood = qn_hardware_read(line + sizeof device - 1, &to->hardware);
            to->nearness = understood ? qn_hardware_nearness(&to->key->hardware, &to->hardware) : QN_TUNE_UNRELATED;
            if (!understood)
                QN_TRY(
                    refuse(to, name, number,
                           "after \"device\" driver, name, architecture, vendor, units or threads, and GiB separated "
                           "by tabs"));
            continue;
        }
        if (to->nearness == QN_TUNE_UNRELATED) continue;
        QN_TRY(read_line(to, line, &understood));
        if (!understood)
            QN_TRY(refuse(to, name, number, "family, hash, class, configuration and seconds separated by tabs"));
    }
    return QN_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void read_file(found *to, const char *folder, const char *name)
{
    char path[4096], *text;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    qn_status status = qn_file_read(path, &text, &size);
    if (status == QN_OK) {
        status = read_text(to, path, text);
        qn_release(&text);
    }
    if (status == QN_OK) return;
    qn_log(QN_LOG_WARNING, "%s", qn_error_message()); /* runs do not need tuning results */
    qn_error_clear();
}

static qn_status read_folder(found *to, const char *path)
{
    DIR *folder = opendir(path);
    void *memory = NULL;
    size_t count = 0, capacity = 0;
    qn_status status = QN_OK;
    if (!folder) {
        qn_log(QN_LOG_WARNING, "%s: the folder of QUERN_TUNED_DIR cannot be read", path);
        return QN_OK;
    }
    for (const struct dirent *entry; status == QN_OK && (entry = readdir(folder));) {
        size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 4, ".txt") != 0) continue;
        status = qn_grow(&memory, &capacity, count + 1, sizeof(char *));
        if (status == QN_OK) status = qn_text_copy(entry->d_name, (char **)memory + count);
        count += status == QN_OK;
    }
    closedir(folder);
    char **names = memory;
    if (count > 1) qsort(names, count, sizeof *names, by_name); /* the same order on every file system */
    for (size_t i = 0; i < count; i++) {
        if (status == QN_OK) read_file(to, path, names[i]);
        qn_release(&names[i]);
    }
    qn_release(&memory);
    return status;
}

qn_status qn_shipped_find(const qn_tune_key *key, qn_shipped_result **results, size_t *count)
{
    found to = {.key = key};
    const char *folder = getenv("QUERN_TUNED_DIR");
    qn_status status = folder && *folder ? read_folder(&to, folder) : QN_OK;
    for (size_t i = 0; status == QN_OK && qn_tuned_texts[i]; i++)
        status = read_text(&to, "shipped tuning results", qn_tuned_texts[i]);
    if (status != QN_OK) {
        qn_release(&to.results);
        to.count = 0;
    }
    *results = to.results;
    *count = to.count;
    return status;
}

qn_status qn_shipped_read(const qn_tune_key *key, const char *name, const char *text, qn_shipped_result **results,
                          size_t *count)
{
    found to = {.key = key, .strict = true};
    qn_status status = read_text(&to, name, text);
    if (status != QN_OK) {
        qn_release(&to.results);
        to.count = 0;
    }
    *results = to.results;
    *count = to.count;
    return status;
}

qn_status qn_shipped_append_device(const qn_tune_key *key, qn_text *text)
{
    char line[QN_HARDWARE_LINE];
    qn_hardware_line(&key->hardware, line);
    return qn_text_append(text, "device %s\n", line);
}

qn_status qn_shipped_append(const qn_tune_key *key, const char *configuration, double seconds, qn_text *text)
{
    return qn_text_append(text, "%s\t%s\t%s\t%s\t%.6g\n", key->family, key->source,
                          key->problem_class[0] ? key->problem_class : "-", configuration, seconds);
}

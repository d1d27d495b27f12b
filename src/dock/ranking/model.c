#include "dock/ranking/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

enum { FIELDS_MAX = 3, FIELD_LENGTH = 40 };

typedef struct entry {
    const char *file;
    size_t line, count;
    char fields[FIELDS_MAX][FIELD_LENGTH];
} entry;

/* Cut the line at `text` into fields. *valid is false if they are too many or too long for any entry. */
static const char *cut_line(const char *text, entry *into, bool *valid)
{
    const char *at = text, *end = text + strcspn(text, "\n");
    into->count = 0;
    *valid = true;
    while (at < end && *at != '#') {
        const size_t length = strcspn(at, " \t\r\n#");
        if (length == 0) {
            at++;
            continue;
        }
        if (into->count == FIELDS_MAX || length >= FIELD_LENGTH) {
            *valid = false;
            return end;
        }
        memcpy(into->fields[into->count], at, length);
        into->fields[into->count++][length] = '\0';
        at += length;
    }
    return end;
}

static qn_status read_number(const entry *at, size_t field, double least, double most, double *value)
{
    char *end;
    *value = strtod(at->fields[field], &end);
    if (*end || end == at->fields[field] || !(*value >= least && *value <= most))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\"; expected a number from %g to %g", at->file, at->line,
                       at->fields[field], least, most);
    return QN_OK;
}

static qn_status read_feature(const entry *at, double *weights)
{
    for (size_t i = 0; i < QN_POSE_FEATURES; i++)
        if (strcmp(at->fields[1], qn_pose_feature_names[i]) == 0) return read_number(at, 2, -1e6, 1e6, &weights[i]);
    return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\" is no feature; expected one such as \"%s\"", at->file, at->line,
                   at->fields[1], qn_pose_feature_names[0]);
}

static qn_status read_count(const entry *at, int *count)
{
    double value;
    QN_TRY(read_number(at, 1, 1, 20000, &value));
    *count = (int)value;
    return QN_OK;
}

static qn_status read_entry(const entry *at, qn_ranking_model *model)
{
    const char *kind = at->fields[0];
    if (strcmp(kind, "feature") == 0 && at->count == 3) return read_feature(at, model->weights);
    if (strcmp(kind, "poses") == 0 && at->count == 2) return read_count(at, &model->poses);
    if (strcmp(kind, "candidates") == 0 && at->count == 2) return read_count(at, &model->candidates);
    if (strcmp(kind, "spread") == 0 && at->count == 2) return read_number(at, 1, 0.1, 100, &model->spread_angstrom);
    return QN_FAIL(QN_BAD_FORMAT,
                   "%s:%zu: \"%s\" with %zu %s; expected feature with a name and a weight, or poses, candidates or "
                   "spread with a number",
                   at->file, at->line, kind, at->count, qn_plural(at->count, "field", "fields"));
}

qn_status qn_ranking_model_parse(const char *text, const char *name, qn_ranking_model *model)
{
    entry at = {.file = name};
    *model = (qn_ranking_model){.poses = 0};
    for (const char *line = text; *line;) {
        bool valid;
        at.line++;
        line = cut_line(line, &at, &valid);
        line += *line == '\n';
        if (!valid)
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the line has too many or too long fields; expected at most %d", name,
                           at.line, FIELDS_MAX);
        if (at.count) QN_TRY(read_entry(&at, model));
    }
    if (!model->poses || !model->candidates || !(model->spread_angstrom > 0))
        return QN_FAIL(QN_BAD_FORMAT, "%s: poses, candidates or spread is missing; expected one line with each", name);
    return QN_OK;
}

qn_status qn_ranking_model_read(const char *path, qn_ranking_model *model)
{
    char *data;
    size_t size;
    if (!path) return qn_ranking_model_parse(qn_ranking_model_text, "the shipped ranking model", model);
    QN_TRY(qn_file_read(path, &data, &size));
    const qn_status status = strlen(data) == size
                                 ? qn_ranking_model_parse(data, path, model)
                                 : QN_FAIL(QN_BAD_FORMAT, "%s: it holds a zero byte; expected a text", path);
    qn_release(&data);
    return status;
}

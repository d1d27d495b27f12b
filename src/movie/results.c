#define _POSIX_C_SOURCE 200809L
#include "movie/results.h"

#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

qn_status qn_movie_results_keep(qn_movie_results *results, qn_movie_facts *facts)
{
    uint32_t index;
    void *memory = results->facts;
    const char *name = facts->texts[QN_MOVIE_NAME];
    if (!results->names) QN_TRY(qn_stack_names_create("", &results->names));
    QN_TRY(qn_stack_names_find(results->names, name, strlen(name), &index));
    if (index < results->count) {
        qn_movie_facts *known = &results->facts[index];
        if (known->numbers.finished_us > facts->numbers.finished_us) return QN_OK;
        const qn_movie_facts older = *known;
        *known = *facts;
        *facts = older;
        return QN_OK;
    }
    qn_status status = qn_grow(&memory, &results->capacity, results->count + 1, sizeof *facts);
    results->facts = memory;
    QN_TRY(status);
    results->facts[results->count++] = *facts;
    *facts = (qn_movie_facts){.numbers = {0}};
    return QN_OK;
}

static qn_status scan_record(uint64_t piece, const void *data, size_t size, void *user)
{
    qn_movie_facts facts;
    (void)piece;
    QN_TRY(qn_movie_facts_load(data, size, true, &facts));
    qn_status status = qn_movie_results_keep(user, &facts);
    qn_movie_facts_clear(&facts);
    return status;
}

qn_status qn_movie_results_scan(qn_job *job, qn_movie_results *results)
{
    qn_movie_results_clear(results);
    return qn_job_scan(job, scan_record, results);
}

void qn_movie_results_clear(qn_movie_results *results)
{
    for (size_t i = 0; i < results->count; i++) qn_movie_facts_clear(&results->facts[i]);
    qn_release(&results->facts);
    qn_stack_names_destroy(&results->names);
    *results = (qn_movie_results){.count = 0};
}

/* A name that is not known gets an index beyond the facts. */
qn_status qn_movie_results_find(qn_movie_results *results, const char *name, qn_movie_facts **facts)
{
    uint32_t index;
    *facts = NULL;
    if (results->count == 0) return QN_OK;
    QN_TRY(qn_stack_names_find(results->names, name, strlen(name), &index));
    if (index < results->count) *facts = &results->facts[index];
    return QN_OK;
}

bool qn_movie_file_look(const char *path, uint64_t *bytes, int64_t *modified_s)
{
    struct stat information;
    if (stat(path, &information) != 0) return false;
    *bytes = (uint64_t)information.st_size;
    *modified_s = (int64_t)information.st_mtime;
    return true;
}

qn_status qn_movie_file_name(const char *name, qn_movie_output output, char **file)
{
    static const char *const endings[QN_MOVIE_OUTPUTS] = {".mrc",     "_noDW.mrc", "_EVN.mrc",
                                                          "_ODD.mrc", "_PS.mrc",   ".star"};
    qn_text text = {0};
    QN_TRY(qn_text_append(&text, "%s%s", name, endings[output]));
    *file = text.data;
    return QN_OK;
}

static bool has_size(const char *folder, const char *name, qn_movie_output output, uint64_t expected)
{
    char *file, *path = NULL;
    uint64_t bytes = 0;
    int64_t modified_s;
    qn_status status = qn_movie_file_name(name, output, &file);
    if (status != QN_OK) return false;
    status = qn_path_join(folder, file, &path);
    const bool same = status == QN_OK && qn_movie_file_look(path, &bytes, &modified_s) && bytes == expected;
    qn_release(&file);
    qn_release(&path);
    return same;
}

bool qn_movie_is_whole(const qn_movie_facts *facts, const char *path, const char *folder)
{
    const qn_movie_numbers *numbers = &facts->numbers;
    uint64_t bytes;
    int64_t modified_s;
    if (numbers->failed || !qn_movie_file_look(path, &bytes, &modified_s) || bytes != numbers->movie_bytes ||
        modified_s != numbers->movie_modified_s)
        return false;
    for (int i = 0; i < QN_MOVIE_OUTPUTS; i++)
        if (numbers->file_bytes[i] > 0 &&
            !has_size(folder, facts->texts[QN_MOVIE_NAME], (qn_movie_output)i, numbers->file_bytes[i]))
            return false;
    return true;
}

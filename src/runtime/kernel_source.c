#include "runtime/kernel_source.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

extern const char qn_runtime_prelude_opencl_source[], qn_runtime_prelude_cuda_source[];

static qn_status append_definitions(const char *definitions, qn_text *text)
{
    while (*(definitions += strspn(definitions, " "))) {
        size_t length = strcspn(definitions, " "), name = strcspn(definitions, "= ");
        const char *value = name < length ? definitions + name + 1 : "1";
        size_t value_length = name < length ? length - name - 1 : 1;
        QN_TRY(qn_text_append(text, "#define %.*s %.*s\n", (int)name, definitions, (int)value_length, value));
        definitions += length;
    }
    return QN_OK;
}

/* Append a file of the source tree, with each #include "…" line replaced by the file it names, unless `seen` lists it
 * already. */
static qn_status append_file(const char *folder, const char *name, qn_text *seen, qn_text *text, int depth)
{
    enum { DEEPEST = 16 };
    char *path, *content, included[256];
    size_t size;
    if (depth > DEEPEST) return QN_FAIL(QN_BAD_FORMAT, "%s/%s: includes nest deeper than %d", folder, name, DEEPEST);
    snprintf(included, sizeof included, "<%s>", name);
    if (seen->data && strstr(seen->data, included)) return QN_OK;
    QN_TRY(qn_text_append(seen, "%s", included));
    QN_TRY(qn_path_join(folder, name, &path));
    qn_status status = qn_file_read(path, &content, &size);
    qn_release(&path);
    QN_TRY(status);
    int number = 1;
    status = qn_text_append(text, "#line 1 \"%s\"\n", name);
    for (char *line = content, *next; line && *line && status == QN_OK; line = next, number++) {
        next = strchr(line, '\n');
        if (next) *next++ = '\0';
        if (sscanf(line, "#include \"%255[^\"]\"", included) == 1) {
            status = append_file(folder, included, seen, text, depth + 1);
            if (status == QN_OK) status = qn_text_append(text, "#line %d \"%s\"\n", number + 1, name);
        } else {
            status = qn_text_append(text, "%s\n", line);
        }
    }
    qn_release(&content);
    return status;
}

qn_status qn_kernel_source_make(const char *folder, const char *driver, const qn_family *family,
                                const qn_configuration *configuration, const char *definitions, qn_text *text)
{
    bool prelude = !family->without_prelude;
    if (prelude && strcmp(driver, "opencl") == 0) QN_TRY(qn_text_append(text, "%s", qn_runtime_prelude_opencl_source));
    if (prelude && strcmp(driver, "cuda") == 0) QN_TRY(qn_text_append(text, "%s", qn_runtime_prelude_cuda_source));
    for (int i = 0; i < family->tunable_count; i++)
        QN_TRY(qn_text_append(text, "#define %s %d\n", family->tunables[i].name, configuration->value[i]));
    QN_TRY(append_definitions(definitions, text));
    if (!folder || !family->source_path) return qn_text_append(text, "%s", family->source ? family->source : "");
    qn_text seen = {0};
    qn_status status = append_file(folder, family->source_path, &seen, text, 0);
    qn_text_clear(&seen);
    return status;
}

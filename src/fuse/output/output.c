#include "fuse/output/output.h"

#include <ctype.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "fuse/output/code.h"

static qn_text *add_file(qn_code_files *files, const qn_graph *graph, const char *extension)
{
    qn_code_file *file = &files->files[files->count++];
    snprintf(file->name, sizeof file->name, "%.80s%s", graph->name, extension);
    return &file->text;
}

static qn_status make(qn_code *code, qn_code_files *files)
{
    if (code->target->is_family && code->plan->kernel_count > QN_KERNEL_MAX)
        return QN_FAIL(QN_UNSUPPORTED, "%s: has %d kernels; expected at most %d, as a kernel family has",
                       code->graph->name, code->plan->kernel_count, QN_KERNEL_MAX);
    QN_TRY(qn_code_write_kernels(code));
    QN_TRY(qn_code_find_memory(code));
    QN_TRY(qn_code_write_header(code, add_file(files, code->graph, ".h")));
    QN_TRY(qn_code_write_launcher(code, add_file(files, code->graph, ".c")));
    if (code->target->is_family) QN_TRY(qn_code_write_host(code, add_file(files, code->graph, "_host.c")));
    if (!code->target->extension) return QN_OK;
    return qn_text_append(add_file(files, code->graph, code->target->extension), "%s", code->kernel_text.data);
}

qn_status qn_code_make(const qn_plan *plan, const qn_shape *shape, qn_code_language language, qn_code_files *files)
{
    qn_code *code;
    *files = (qn_code_files){.count = 0};
    QN_TRY(qn_allocate(1, sizeof *code, (void **)&code));
    code->plan = plan, code->graph = plan->graph, code->shape = shape;
    code->target = &qn_code_targets[language];
    snprintf(code->upper, sizeof code->upper, "%.80s", plan->graph->name);
    for (char *letter = code->upper; *letter; letter++) *letter = (char)toupper((unsigned char)*letter);
    const qn_status status = make(code, files);
    qn_text_clear(&code->kernel_text), qn_text_clear(&code->host_text);
    qn_release(&code);
    return status;
}

void qn_code_clear(qn_code_files *files)
{
    for (int i = 0; i < files->count; i++) qn_text_clear(&files->files[i].text);
    files->count = 0;
}

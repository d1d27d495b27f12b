/* The kernels' text in the words of a language: of the prelude only what they use. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "fuse/output/code.h"
#include "fuse/output/words.h"

static qn_status write_tunables(const qn_graph *graph, const qn_shape *shape, qn_text *text)
{
    qn_tunable tunables[QN_SHAPE_TUNABLES];
    qn_body_tunable bodies[QN_BODY_TUNABLES_MAX];
    const int count = qn_body_tunables(graph, bodies);
    qn_shape_tunables(shape, tunables);
    for (int i = 0; i < QN_SHAPE_TUNABLES; i++)
        if (i != QN_SHAPE_PARTS && qn_code_has_tunable(graph, i))
            QN_TRY(qn_text_append(text, "#define %s %d /* %s */\n", tunables[i].name, tunables[i].fallback,
                                  tunables[i].meaning));
    for (int i = 0; i < count; i++) QN_TRY(qn_text_append(text, "#define %s %d\n", bodies[i].name, bodies[i].choice));
    return QN_OK;
}

static qn_status emit(qn_code *code, qn_emit_form form, qn_text *kernels, qn_text *header)
{
    for (int kernel = 0; kernel < code->plan->kernel_count; kernel++)
        QN_TRY(qn_emit_kernel(code->plan, kernel, form, kernels, &code->kernels[kernel]));
    QN_TRY(qn_code_leave_out_unused(kernels));
    return qn_emit_header(code->graph, form, header);
}

/* Put the parts together, the last first, because each says which words the one before it must have. */
static qn_status join(const qn_code *code, const qn_code_target *target, const qn_shape *shape, const qn_text *kernels,
                      const qn_text *header, qn_text *text)
{
    qn_text functions = {0}, user = {0}, words = {0};
    qn_status status = qn_words_take(header->data, kernels->data, &functions);
    if (status == QN_OK) status = qn_text_append(&user, "%s%s", functions.data ? functions.data : "", kernels->data);
    if (status == QN_OK) status = qn_words_take(target->prelude, user.data, &words);
    if (status == QN_OK && target->further_words) status = qn_words_take(target->further_words, user.data, &words);
    if (status == QN_OK) status = qn_text_append(text, "%s\n", words.data ? words.data : "");
    if (status == QN_OK) status = write_tunables(code->graph, shape, text);
    if (status == QN_OK) status = qn_text_append(text, "%s", user.data);
    qn_text_clear(&functions), qn_text_clear(&user), qn_text_clear(&words);
    return status;
}

/* Numbers of a work-item that are left in the text. */
static qn_status write_item_numbers(const char *loops, qn_text *text)
{
    static const char *const names[] = {"x", "y", "item"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (qn_words_occur(loops, strlen(loops), names[i], strlen(names[i])))
            QN_TRY(qn_text_append(text, "enum { %s }; /* a group is one work-item, number 0 */\n", names[i]));
    return QN_OK;
}

static qn_status write_for_c(const qn_code *code, const qn_shape *shape, const qn_text *kernels, const qn_text *header,
                             qn_text *text)
{
    qn_text loops = {0}, functions = {0};
    qn_status status = qn_code_make_loops(code, kernels->data, &loops);
    if (status == QN_OK) status = qn_code_make_loops(code, header->data, &functions);
    if (status == QN_OK) status = write_item_numbers(loops.data, text);
    if (status == QN_OK) status = join(code, &qn_code_targets[QN_CODE_C], shape, &loops, &functions, text);
    qn_text_clear(&loops), qn_text_clear(&functions);
    return status;
}

/* The text of a family is in the kernel language itself. A work-item of the host takes as many elements as a group of
 * another device, so that the launches' groups are the same. */
static qn_status write_for_family(qn_code *code, const qn_text *kernels, const qn_text *header)
{
    qn_shape shape = *code->shape;
    qn_text loops = {0}, loop_header = {0};
    shape.elements *= shape.group_x * shape.group_y;
    shape.strip *= shape.group_x * shape.group_y;
    shape.group_x = shape.group_y = 1;
    QN_TRY(qn_text_append(&code->kernel_text, "%s%s", header->data, kernels->data));
    qn_status status = emit(code, QN_EMIT_LOOPS, &loops, &loop_header);
    if (status == QN_OK) status = write_for_c(code, &shape, &loops, &loop_header, &code->host_text);
    qn_text_clear(&loops), qn_text_clear(&loop_header);
    return status;
}

static qn_status write(qn_code *code, const qn_text *kernels, const qn_text *header)
{
    const qn_code_target *target = code->target;
    if (target->is_family) return write_for_family(code, kernels, header);
    QN_TRY(qn_text_append(&code->kernel_text, "/* The kernels of %s, as quern fuse made them. */\n%s",
                          code->graph->name, target->before_kernels));
    return target->extension ? join(code, target, code->shape, kernels, header, &code->kernel_text)
                             : write_for_c(code, code->shape, kernels, header, &code->kernel_text);
}

qn_status qn_code_write_kernels(qn_code *code)
{
    qn_text kernels = {0}, header = {0};
    qn_status status = emit(code, qn_code_form(code), &kernels, &header);
    if (status == QN_OK) status = write(code, &kernels, &header);
    qn_text_clear(&kernels), qn_text_clear(&header);
    return status;
}

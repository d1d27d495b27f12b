/* A kernel family for libquern: its declaration, and its kernels for the host. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "fuse/output/code.h"

/* ---- the declaration ---- */

static const char *access_name(qn_access access)
{
    static const char *const names[] = {
        [QN_VALUE] = "QN_VALUE", [QN_IN] = "QN_IN", [QN_OUT] = "QN_OUT", [QN_INOUT] = "QN_INOUT"};
    return names[access];
}

static const char *element_name(qn_emitted_kind kind)
{
    switch (kind) {
    case QN_EMITTED_STEP: return "QN_INT64";
    case QN_EMITTED_STARTS:
    case QN_EMITTED_COLUMNS:
    case QN_EMITTED_PARTS:
    case QN_EMITTED_SIZE: return "QN_INT32";
    default: return "QN_FLOAT32";
    }
}

static qn_status write_kernels(const qn_code *code, qn_text *text)
{
    for (int kernel = 0; kernel < code->plan->kernel_count; kernel++) {
        const qn_emitted_kernel *of = &code->kernels[kernel];
        QN_TRY(qn_text_append(text, "qn_status %s_host(const qn_host_launch *launch); /* %s_host.c */\n", of->name,
                              code->graph->name));
        QN_TRY(qn_text_append(text, "static const qn_argument_declaration arguments_%d[] = {\n", kernel + 1));
        for (int i = 0; i < of->argument_count; i++)
            QN_TRY(qn_text_append(text, "    {\"%s\", %s, %s, 0},\n", of->arguments[i].name,
                                  access_name(of->arguments[i].access), element_name(of->arguments[i].kind)));
        QN_TRY(qn_text_append(text, "};\n"));
    }
    QN_TRY(qn_text_append(text, "static const qn_kernel_declaration kernels[] = {\n"));
    for (int kernel = 0; kernel < code->plan->kernel_count; kernel++)
        QN_TRY(qn_text_append(text, "    {\"%s\", arguments_%d, %d, geometry, %s_host, work},\n",
                              code->kernels[kernel].name, kernel + 1, code->kernels[kernel].argument_count,
                              code->kernels[kernel].name));
    return qn_text_append(text, "};\n\n");
}

qn_status qn_code_write_family(const qn_code *code, qn_text *text)
{
    qn_tunable tunables[QN_SHAPE_TUNABLES];
    qn_body_tunable bodies[QN_BODY_TUNABLES_MAX];
    const int count = qn_body_tunables(code->graph, bodies);
    const char *name = code->graph->name;
    qn_shape_tunables(code->shape, tunables);
    QN_TRY(write_kernels(code, text));
    QN_TRY(qn_text_append(text, "static const qn_tunable tunables[] = {\n"));
    for (int i = 0; i < QN_SHAPE_TUNABLES; i++)
        if (i != QN_SHAPE_PARTS && qn_code_has_tunable(code->graph, i))
            QN_TRY(qn_text_append(text, "    {\"%s\", {%s}, 1, %s, \"%s\"},\n", tunables[i].name, tunables[i].name,
                                  tunables[i].name, tunables[i].meaning));
    for (int i = 0; i < count; i++)
        QN_TRY(qn_text_append(text, "    {\"%s\", {%d}, 1, %d, \"of an implementation\"},\n", bodies[i].name,
                              bodies[i].choice, bodies[i].choice));
    QN_TRY(qn_text_append(text, "};\n\n/* %s.cl. */\nstatic const char source[] =\n", name));
    QN_TRY(qn_code_write_lines(code, "", text));
    return qn_text_append(text,
                          "    ;\n\n"
                          "static const qn_family %s_family = {\n"
                          "    .name = \"fuse/%s\",\n"
                          "    .source = source,\n"
                          "    .kernels = kernels,\n"
                          "    .kernel_count = KERNELS,\n"
                          "    .tunables = tunables,\n"
                          "    .tunable_count = sizeof tunables / sizeof *tunables,\n"
                          "};\n",
                          name, name);
}

/* ---- the host ---- */

static qn_status write_entry(const qn_code *code, int kernel, qn_text *text)
{
    const qn_emitted_kernel *of = &code->kernels[kernel];
    const bool counts = qn_code_counts_groups(code->host_text.data, of->name);
    QN_TRY(qn_text_append(text,
                          "\nstatic qn_status %s_group(size_t group, int worker, void *user)\n{\n"
                          "    const qn_host_launch *launch = user;\n"
                          "    void *const *at = launch->arguments;\n"
                          "    (void)worker;\n"
                          "    %s((int)group%s",
                          of->name, of->name, counts ? ", groups_of(launch)" : ""));
    for (int i = 0; i < of->argument_count; i++) {
        const qn_emitted_kind kind = of->arguments[i].kind;
        QN_TRY(qn_text_append(text,
                              kind == QN_EMITTED_STEP                               ? ", *(const int64_t *)at[%d]"
                              : kind == QN_EMITTED_SIZE || kind == QN_EMITTED_PARTS ? ", *(const int32_t *)at[%d]"
                                                                                    : ", at[%d]",
                              i));
    }
    return qn_text_append(
        text,
        ");\n    return QN_OK;\n}\n\n"
        "qn_status %s_host(const qn_host_launch *launch);\n"
        "qn_status %s_host(const qn_host_launch *launch)\n{\n"
        "    return qn_host_parallel(launch, (size_t)groups_of(launch), %s_group, (void *)launch);\n}\n",
        of->name, of->name, of->name);
}

qn_status qn_code_write_host(const qn_code *code, qn_text *text)
{
    QN_TRY(qn_text_append(text,
                          "/* The kernels of %s on the host, as quern fuse made them. A group is one work-item, which "
                          "does the work of a\n * whole group of other devices. */\n"
                          "#include <math.h>\n#include <quern/family.h>\n\n"
                          "#ifdef __GNUC__\n#pragma GCC diagnostic ignored \"-Wunknown-pragmas\"\n#endif\n\n%s\n"
                          "static int groups_of(const qn_host_launch *launch)\n{\n"
                          "    return (int)(launch->geometry.items[0] / launch->geometry.group[0]);\n}\n",
                          code->graph->name, code->host_text.data));
    for (int kernel = 0; kernel < code->plan->kernel_count; kernel++) QN_TRY(write_entry(code, kernel, text));
    return QN_OK;
}

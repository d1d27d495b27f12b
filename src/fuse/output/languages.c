/* Differences between languages. */
#include "base/error.h"
#include "fuse/output/code.h"

extern const char qn_runtime_prelude_host_source[], qn_runtime_prelude_opencl_source[],
    qn_runtime_prelude_cuda_source[];
extern const char qn_fuse_backend_c_source[], qn_fuse_backend_opencl_source[], qn_fuse_backend_cuda_source[],
    qn_fuse_backend_quern_source[];

/* ---- the kernels as a constant ---- */

/* A line as a literal of C. */
static qn_status write_literal(const char *line, size_t length, qn_text *text)
{
    QN_TRY(qn_text_append(text, "        \""));
    for (size_t i = 0; i < length; i++)
        QN_TRY(qn_text_append(text, line[i] == '"' || line[i] == '\\' ? "\\%c" : "%c", line[i]));
    return qn_text_append(text, "\\n\"");
}

qn_status qn_code_write_lines(const qn_code *code, const char *between, qn_text *text)
{
    for (const char *line = code->kernel_text.data; *line;) {
        size_t length = 0;
        while (line[length] && line[length] != '\n') length++;
        QN_TRY(write_literal(line, length, text));
        line += length + (line[length] == '\n');
        QN_TRY(qn_text_append(text, "%s\n", *line ? between : ""));
    }
    return QN_OK;
}

static qn_status write_array(const qn_code *code, qn_text *text)
{
    QN_TRY(qn_text_append(text,
                          "\n/* %s.cl, line by line. */\n"
                          "static const char **kernel_lines(cl_uint *count)\n{\n"
                          "    static const char *lines[] = {\n",
                          code->graph->name));
    QN_TRY(qn_code_write_lines(code, ",", text));
    return qn_text_append(text, "    };\n    *count = sizeof lines / sizeof *lines;\n    return lines;\n}\n");
}

static qn_status write_string(const qn_code *code, qn_text *text)
{
    QN_TRY(qn_text_append(text, "\n/* %s.cu. */\nstatic const char *kernel_text(void)\n{\n    return\n",
                          code->graph->name));
    QN_TRY(qn_code_write_lines(code, "", text));
    return qn_text_append(text, "        ;\n}\n");
}

/* ---- the table ---- */

/* A group is one work-item, so barriers have nothing to wait for and local memory is the group's own. */
static const char words_of_c[] = "#define KERNEL static\n"
                                 "#define GROUP_LIMIT(x, y, z)\n"
                                 "#define LOCAL\n"
                                 "#define GROUP_ID(d) group\n"
                                 "#define GROUP_COUNT(d) groups\n";

static const char *const pointers_of_c[] = {"const float *", "float *", "const int32_t *"};
static const char *const pointers_of_quern[] = {"qn_buffer *", "qn_buffer *", "qn_buffer *"};
static const char *const pointers_of_opencl[] = {"cl_mem ", "cl_mem ", "cl_mem "};
static const char *const pointers_of_cuda[] = {"CUdeviceptr ", "CUdeviceptr ", "CUdeviceptr "};

const qn_code_target qn_code_targets[] = {
    [QN_CODE_C] = {.title = "C17",
                   .prelude = qn_runtime_prelude_host_source,
                   .further_words = words_of_c,
                   .before_kernels = "\n",
                   .backend = qn_fuse_backend_c_source,
                   .header_includes = "",
                   .launcher_includes =
                       "#include <math.h>\n#include <time.h>\n#ifdef _OPENMP\n#include <omp.h>\n#endif",
                   .types = "typedef void *memory;",
                   .members = "    int threads;\n    double started;",
                   .queue = "int threads",
                   .queue_meaning =
                       "`threads` work on it, where the compiler has OpenMP (-fopenmp); 0: as OpenMP says.",
                   .scalars = "A scalar is a pointer to one number.",
                   .waits = "",
                   .pointers = pointers_of_c,
                   .memory_argument = "at[AT_%]",
                   .step_argument = "plan->%",
                   .size_argument = "plan->%"},
    [QN_CODE_OPENCL] = {.title = "OpenCL 1.2",
                        .prelude = qn_runtime_prelude_opencl_source,
                        .before_kernels = "#pragma OPENCL FP_CONTRACT OFF /* a * b + c is rounded twice, as on all "
                                          "devices */\n\n",
                        .extension = ".cl",
                        .backend = qn_fuse_backend_opencl_source,
                        .header_includes = "#ifndef CL_TARGET_OPENCL_VERSION\n#define CL_TARGET_OPENCL_VERSION 120\n"
                                           "#endif\n#include <CL/cl.h>",
                        .launcher_includes = "#include <math.h>\n#include <time.h>",
                        .types = "typedef cl_mem memory;",
                        .members = "    cl_command_queue queue;\n    cl_context context;\n    cl_program program;\n"
                                   "    cl_kernel kernels[KERNELS];\n    bool is_open;\n    double started;",
                        .queue = "cl_command_queue queue",
                        .queue_meaning = "It keeps the queue, which must run its commands in order.",
                        .scalars = "A scalar is a buffer of one number.",
                        .waits = "; without it, the queue may\n * still be at work afterwards",
                        .pointers = pointers_of_opencl,
                        .arguments_begin = "const argument arguments[] = {",
                        .memory_argument = "{&plan->at[AT_%], sizeof(memory)}",
                        .step_argument = "{&plan->%, sizeof plan->%}",
                        .size_argument = "{&plan->%, sizeof plan->%}",
                        .arguments_end = "arguments, sizeof arguments / sizeof *arguments",
                        .write_text = write_array},
    [QN_CODE_CUDA] = {.title = "CUDA",
                      .prelude = qn_runtime_prelude_cuda_source,
                      .before_kernels = "\n",
                      .extension = ".cu",
                      .backend = qn_fuse_backend_cuda_source,
                      .header_includes = "#include <cuda.h>",
                      .launcher_includes = "#include <math.h>\n#include <nvrtc.h>\n#include <stdio.h>",
                      .types = "typedef CUdeviceptr memory;",
                      .members = "    CUstream queue;\n    CUmodule module;\n    CUfunction kernels[KERNELS];\n"
                                 "    CUevent started, stopped;",
                      .queue = "CUstream queue",
                      .queue_meaning = "The queue's context must be the thread's present one, here and in a run.",
                      .scalars = "A scalar is the address of one number on the device.",
                      .waits = "; without it, the queue may\n * still be at work afterwards",
                      .pointers = pointers_of_cuda,
                      .arguments_begin = "void *arguments[] = {",
                      .memory_argument = "&plan->at[AT_%]",
                      .step_argument = "&plan->%",
                      .size_argument = "&plan->%",
                      .arguments_end = "arguments",
                      .write_text = write_string},
    [QN_CODE_QUERN] = {.title = "libquern",
                       .extension = ".cl",
                       .backend = qn_fuse_backend_quern_source,
                       .header_includes = "#include <quern/family.h>",
                       .launcher_includes = "#include <math.h>\n#include <time.h>",
                       .types = "typedef qn_buffer *memory;",
                       .members = "    qn_queue *queue;\n    double started;",
                       .queue = "qn_queue *queue",
                       .queue_meaning = "The queue must live as long.",
                       .scalars = "A scalar is a buffer of one number.",
                       .waits = "; without it, the queue may\n * still be at work afterwards",
                       .pointers = pointers_of_quern,
                       .arguments_begin = "const qn_argument arguments[] = {",
                       .memory_argument = "qn_argument_range(plan->at[AT_%], 0, plan->bytes[AT_%])",
                       .step_argument = "qn_argument_int64(plan->%)",
                       .size_argument = "qn_argument_int32(plan->%)",
                       .arguments_end = "arguments, sizeof arguments / sizeof *arguments, &least",
                       .is_family = true},
};

/* labels: unsanitized */
/* The kernels that quern fuse writes for CUDA compile without a warning: all examples, with NVRTC, which needs no GPU.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "fuse/graph/tests/graph_of.h"
#include "fuse/output/output.h"
#include "runtime/cuda/cuda_compile.h"

static qn_arena arena;
static qn_graph graph;
static qn_plan plan;
static qn_code_files files;

static qn_status make(const char *text)
{
    qn_sizes sizes;
    double stored[QN_GRAPH_VALUES_MAX] = {0};
    QN_TRY(graph_of(text, &arena, &graph));
    for (int i = 0; i < QN_GRAPH_EXTENTS_MAX; i++) sizes.of[i] = 1000;
    const qn_plan_options options = {.launch_s = 4e-6, .bytes_per_s = 2e12, .sizes = &sizes, .stored = stored};
    QN_TRY(qn_plan_make(&graph, &options, &plan));
    const qn_shape shape = {32, 8, 4, 8, 64, 512, 4, 2, 4, 5};
    return qn_code_make(&plan, &shape, QN_CODE_CUDA, &files);
}

static const char *file(const char *ending)
{
    for (int i = 0; i < files.count; i++)
        if (strcmp(strchr(files.files[i].name, '.'), ending) == 0) return files.files[i].text.data;
    return "";
}

static void kernels_compile_for_cuda(void)
{
    static const char *const names[] = {"atax",  "axpydot",  "bicgk", "bicgstab", "cg",   "gemver",
                                        "gemvt", "gesummv",  "image", "jacobi",   "madd", "mvt",
                                        "power", "two_sums", "vadd",  "waxpby"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1024];
        char *text;
        size_t size;
        qn_cuda_code code = {0};
        snprintf(path, sizeof path, "%s/../../examples/fuse/%s.qf", QN_TEST_DATA_FOLDER, names[i]);
        if (!CHECK_OK(qn_file_read(path, &text, &size))) return;
        if (CHECK_OK(make(text))) {
            const qn_status status = qn_cuda_compile_only(names[i], file(".cu"), 90, "", &code);
            if (status != QN_OK && status != QN_BUILD_FAILED) {
                printf("not compiled: %s\n", qn_error_message());
                qn_error_clear();
                i = sizeof names;
            } else if (!CHECK_OK(status) || !CHECK(code.bytes > 0 && !strstr(code.log, "warning"))) {
                printf("%s:\n%s\n%s\n", names[i], code.log ? code.log : "", file(".cu"));
            }
        }
        qn_cuda_code_clear(&code);
        qn_code_clear(&files);
        qn_release(&text);
    }
}

int main(void)
{
    RUN(kernels_compile_for_cuda);
    qn_arena_clear(&arena);
    return check_finish();
}

/* Compilation of CUDA kernel text to machine code with NVRTC; needs no GPU. */
#ifndef QN_RUNTIME_CUDA_COMPILE_H
#define QN_RUNTIME_CUDA_COMPILE_H

#include <quern/status.h>
#include <stddef.h>

#include "runtime/cuda/cuda_api.h"

/* Result of a compilation; released with qn_cuda_code_clear. */
typedef struct qn_cuda_code {
    char *image; /* cubin, or PTX with its final zero byte if this NVRTC does not know the GPU */
    size_t bytes;
    char *log; /* the compiler's messages; "": none; also set after a failed compilation */
} qn_cuda_code;

/* Compile `text` for compute capability `capability` (90 is 9.0). Messages contain `name`; `options` are additional
 * compiler options, separated by blanks; "": none. Errors: QN_BUILD_FAILED with the first messages. */
QN_MUST_CHECK qn_status qn_cuda_compile(const qn_nvrtc_api *api, const char *name, const char *text, int capability,
                                        const char *options, qn_cuda_code *code);

/* The same with the newest NVRTC that is installed, for checks on machines without a GPU. QN_NO_DEVICE if there is
 * none, QN_UNSUPPORTED if it does not know `capability`. */
QN_MUST_CHECK qn_status qn_cuda_compile_only(const char *name, const char *text, int capability, const char *options,
                                             qn_cuda_code *code);

void qn_cuda_code_clear(qn_cuda_code *code);

#endif

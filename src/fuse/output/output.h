/* A plan as files of another language: kernels, a header, and a launcher in C that users compile with their program.
 *
 * `opencl`, `cuda` and `c` need nothing of Quern; `quern` is a kernel family for libquern. */
#ifndef QN_FUSE_OUTPUT_OUTPUT_H
#define QN_FUSE_OUTPUT_OUTPUT_H

#include "fuse/program/program.h"

typedef enum qn_code_language { QN_CODE_C, QN_CODE_OPENCL, QN_CODE_CUDA, QN_CODE_QUERN } qn_code_language;

enum { QN_CODE_FILES_MAX = 4 };

typedef struct qn_code_file {
    char name[96];
    qn_text text;
} qn_code_file;

typedef struct qn_code_files {
    qn_code_file files[QN_CODE_FILES_MAX];
    int count;
} qn_code_files;

/* Write the files of a plan; `shape` has the values of the kernels' tunables. Release with qn_code_clear, also after a
 * failure. Errors: QN_UNSUPPORTED (names that meet in C, more kernels than a
 * family may have), QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_code_make(const qn_plan *plan, const qn_shape *shape, qn_code_language language,
                                     qn_code_files *files);
void qn_code_clear(qn_code_files *files);

#endif

/* The part of cuBLAS, cuSPARSE and CUDA graphs that comparisons use, by our own declarations; the libraries are loaded
 * at run time. */
#ifndef QN_FUSE_BLAS_CUBLAS_API_H
#define QN_FUSE_BLAS_CUBLAS_API_H

#include "fuse/blas/library.h"

/* Constants of cublas_api.h, cusparse.h, library_types.h and cuda.h. */
enum {
    CUBLAS_AS_IT_IS = 0,
    CUBLAS_TRANSPOSED = 1,
    CUBLAS_POINTERS_OF_HOST = 0,
    CUBLAS_POINTERS_OF_DEVICE = 1,
    CUSPARSE_AS_IT_IS = 0,
    CUSPARSE_INDEX_32 = 2,
    CUSPARSE_BASE_0 = 0,
    CUSPARSE_ANY_ALGORITHM = 0,
    CUDA_FLOAT = 0,
    CUDA_CAPTURE_RELAXED = 2
};

/* Addresses on the device are pointers here. */
typedef struct qn_cublas_api {
    void *library;
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*set_stream)(void *handle, void *stream);
    int (*set_pointers)(void *handle, int mode);
    int (*set_workspace)(void *handle, void *memory, size_t bytes);
    int (*copy)(void *handle, int n, const float *x, int x_step, float *y, int y_step);
    int (*scal)(void *handle, int n, const float *alpha, float *x, int x_step);
    int (*axpy)(void *handle, int n, const float *alpha, const float *x, int x_step, float *y, int y_step);
    int (*dot)(void *handle, int n, const float *x, int x_step, const float *y, int y_step, float *result);
    int (*asum)(void *handle, int n, const float *x, int x_step, float *result);
    int (*gemv)(void *handle, int transposed, int m, int n, const float *alpha, const float *a, int line,
                const float *x, int x_step, const float *beta, float *y, int y_step);
    int (*ger)(void *handle, int m, int n, const float *alpha, const float *x, int x_step, const float *y, int y_step,
               float *a, int line);
    int (*geam)(void *handle, int a_transposed, int b_transposed, int m, int n, const float *alpha, const float *a,
                int a_line, const float *beta, const float *b, int b_line, float *c, int c_line);
    int (*gemm)(void *handle, int a_transposed, int b_transposed, int m, int n, int k, const float *alpha,
                const float *a, int a_line, const float *b, int b_line, const float *beta, float *c, int c_line);
} qn_cublas_api;

typedef struct qn_cusparse_api {
    void *library;
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*set_stream)(void *handle, void *stream);
    int (*create_csr)(void **matrix, int64_t rows, int64_t columns, int64_t stored, void *starts, void *columns_of,
                      void *values, int starts_type, int columns_type, int base, int value_type);
    int (*create_vector)(void **vector, int64_t size, void *values, int value_type);
    int (*set_values)(void *vector, void *values);
    int (*destroy_matrix)(void *matrix);
    int (*destroy_vector)(void *vector);
    int (*product_bytes)(void *handle, int operation, const void *alpha, void *matrix, void *x, const void *beta,
                         void *y, int compute_type, int algorithm, size_t *bytes);
    int (*product)(void *handle, int operation, const void *alpha, void *matrix, void *x, const void *beta, void *y,
                   int compute_type, int algorithm, void *memory);
} qn_cusparse_api;

/* Of libcuda. */
typedef struct qn_cuda_graph_api {
    int (*set_current)(void *context);
    int (*begin_capture)(void *stream, int mode);
    int (*end_capture)(void *stream, void **graph);
    int (*instantiate)(void **executable, void *graph, unsigned long long flags);
    int (*launch)(void *executable, void *stream);
    int (*destroy_executable)(void *executable);
    int (*destroy_graph)(void *graph);
} qn_cuda_graph_api;

/* Places of cuBLAS, ended by NULL; load the first that is there. */
extern const char *const qn_cublas_paths[];
QN_MUST_CHECK qn_status qn_cublas_load(const char *const *paths, qn_cublas_api *api);
QN_MUST_CHECK qn_status qn_cusparse_load(qn_cusparse_api *api);
QN_MUST_CHECK qn_status qn_cuda_graph_load(void *driver, qn_cuda_graph_api *api);

#endif

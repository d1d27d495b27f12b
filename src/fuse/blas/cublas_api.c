#include "fuse/blas/cublas_api.h"

#define COUNT(symbols) sizeof symbols / sizeof *symbols

const char *const qn_cublas_paths[] = {"libcublas.so.13",
                                       "libcublas.so.12",
                                       "libcublas.so.11",
                                       "/usr/local/cuda/lib64/libcublas.so",
                                       "/usr/local/cuda/lib/libcublas.so",
                                       NULL};

qn_status qn_cublas_load(const char *const *paths, qn_cublas_api *api)
{
    const qn_blas_symbol symbols[] = {{"cublasCreate_v2", &api->create},
                                      {"cublasDestroy_v2", &api->destroy},
                                      {"cublasSetStream_v2", &api->set_stream},
                                      {"cublasSetPointerMode_v2", &api->set_pointers},
                                      {"cublasSetWorkspace_v2", &api->set_workspace},
                                      {"cublasScopy_v2", &api->copy},
                                      {"cublasSscal_v2", &api->scal},
                                      {"cublasSaxpy_v2", &api->axpy},
                                      {"cublasSdot_v2", &api->dot},
                                      {"cublasSasum_v2", &api->asum},
                                      {"cublasSgemv_v2", &api->gemv},
                                      {"cublasSger_v2", &api->ger},
                                      {"cublasSgeam", &api->geam},
                                      {"cublasSgemm_v2", &api->gemm}};
    QN_TRY(qn_blas_load("cuBLAS", paths, &api->library));
    return qn_blas_find(api->library, "cuBLAS", symbols, COUNT(symbols));
}

qn_status qn_cusparse_load(qn_cusparse_api *api)
{
    static const char *const paths[] = {"libcusparse.so.12", "libcusparse.so.11",
                                        "/usr/local/cuda/lib64/libcusparse.so", "/usr/local/cuda/lib/libcusparse.so",
                                        NULL};
    const qn_blas_symbol symbols[] = {{"cusparseCreate", &api->create},
                                      {"cusparseDestroy", &api->destroy},
                                      {"cusparseSetStream", &api->set_stream},
                                      {"cusparseCreateCsr", &api->create_csr},
                                      {"cusparseCreateDnVec", &api->create_vector},
                                      {"cusparseDnVecSetValues", &api->set_values},
                                      {"cusparseDestroySpMat", &api->destroy_matrix},
                                      {"cusparseDestroyDnVec", &api->destroy_vector},
                                      {"cusparseSpMV_bufferSize", &api->product_bytes},
                                      {"cusparseSpMV", &api->product}};
    QN_TRY(qn_blas_load("cuSPARSE", paths, &api->library));
    return qn_blas_find(api->library, "cuSPARSE", symbols, COUNT(symbols));
}

qn_status qn_cuda_graph_load(void *driver, qn_cuda_graph_api *api)
{
    const qn_blas_symbol symbols[] = {
        {"cuCtxSetCurrent", &api->set_current},    {"cuStreamBeginCapture_v2", &api->begin_capture},
        {"cuStreamEndCapture", &api->end_capture}, {"cuGraphInstantiateWithFlags", &api->instantiate},
        {"cuGraphLaunch", &api->launch},           {"cuGraphExecDestroy", &api->destroy_executable},
        {"cuGraphDestroy", &api->destroy_graph}};
    return qn_blas_find(driver, "the CUDA driver", symbols, COUNT(symbols));
}

/* cuBLAS on CUDA devices, with cuSPARSE for csr matrices and CUDA graphs for whole sequences. cuBLAS takes matrices by
 * columns, so a matrix by rows is its transpose there. */
#include <dlfcn.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "fuse/blas/cublas_api.h"

enum { SPARSE_MAX = 8, WORKSPACE_BYTES = 32 << 20 };

/* A csr matrix that cuSPARSE knows. */
typedef struct sparse {
    qn_buffer *values;
    void *matrix, *x, *y;
    qn_buffer *memory; /* what the product needs besides */
} sparse;

typedef struct cublas_state {
    qn_cublas_api blas;
    qn_cusparse_api of_sparse;
    qn_cuda_graph_api cuda;
    qn_device *device;
    qn_queue *queue;
    void *context, *stream, *handle, *sparse_handle;
    qn_buffer *number, *workspace;
    qn_buffer *pairs; /* the vectors of two outer products, as two matrices */
    size_t pairs_count;
    sparse matrices[SPARSE_MAX];
    int matrix_count;
    bool records;
    void *graph, *executable;
} cublas_state;

static float *address(qn_buffer *buffer)
{
    return buffer ? (float *)qn_buffer_native(buffer) : NULL;
}

/* The libraries work in the context of the calling thread. */
static qn_status enter(const cublas_state *state)
{
    if (state->cuda.set_current(state->context) == 0) return QN_OK;
    return QN_FAIL(QN_DEVICE_LOST, "the CUDA context cannot be made current for cuBLAS");
}

static qn_status check(int code, const char *library)
{
    return code == 0 ? QN_OK : QN_FAIL(QN_UNSUPPORTED, "a call of %s ended with its error %d", library, code);
}

static void forget_graph(cublas_state *state)
{
    if (state->executable) state->cuda.destroy_executable(state->executable);
    if (state->graph) state->cuda.destroy_graph(state->graph);
    state->executable = state->graph = NULL;
}

static void cublas_close(void **pointer)
{
    cublas_state *state = *pointer;
    if (!state) return;
    if (state->cuda.set_current) (void)state->cuda.set_current(state->context);
    forget_graph(state);
    for (int i = 0; i < state->matrix_count; i++) {
        sparse *own = &state->matrices[i];
        if (own->matrix) state->of_sparse.destroy_matrix(own->matrix);
        if (own->x) state->of_sparse.destroy_vector(own->x);
        if (own->y) state->of_sparse.destroy_vector(own->y);
        qn_buffer_release(&own->memory);
    }
    if (state->sparse_handle) state->of_sparse.destroy(state->sparse_handle);
    if (state->handle) state->blas.destroy(state->handle);
    qn_buffer_release(&state->number);
    qn_buffer_release(&state->workspace);
    qn_buffer_release(&state->pairs);
    if (state->of_sparse.library) dlclose(state->of_sparse.library);
    if (state->blas.library) dlclose(state->blas.library);
    qn_release(pointer);
}

/* Open the first cuBLAS that works: a library newer than the GPU's driver loads but cannot run. */
static qn_status find_library(cublas_state *state)
{
    qn_error_trail best = {0};
    for (int i = 0; qn_cublas_paths[i]; i++) {
        const char *const paths[] = {qn_cublas_paths[i], NULL};
        qn_status status = qn_cublas_load(paths, &state->blas);
        if (status == QN_OK) status = check(state->blas.create(&state->handle), "cuBLAS");
        if (status == QN_OK) return QN_OK;
        if (state->blas.library || best.status == QN_OK) qn_error_save(status, &best);
        if (state->blas.library) dlclose(state->blas.library);
        state->blas.library = state->handle = NULL;
    }
    return qn_error_restore(&best);
}

static qn_status prepare(cublas_state *state)
{
    QN_TRY(qn_cuda_graph_load(qn_device_native(state->device, QN_NATIVE_LIBRARY), &state->cuda));
    QN_TRY(enter(state));
    QN_TRY(find_library(state));
    QN_TRY(check(state->blas.set_stream(state->handle, state->stream), "cuBLAS"));
    QN_TRY(qn_buffer_create(state->device, sizeof(float), &state->number));
    QN_TRY(qn_buffer_create(state->device, WORKSPACE_BYTES, &state->workspace));
    /* its own workspace cannot grow while commands are recorded */
    return check(state->blas.set_workspace(state->handle, address(state->workspace), WORKSPACE_BYTES), "cuBLAS");
}

static qn_status cublas_open(qn_device *device, qn_queue *queue, void **pointer)
{
    QN_TRY(qn_allocate(1, sizeof(cublas_state), pointer));
    cublas_state *state = *pointer;
    state->device = device;
    state->queue = queue;
    state->context = qn_device_native(device, QN_NATIVE_CONTEXT);
    state->stream = qn_queue_native(queue);
    const qn_status status = prepare(state);
    if (status != QN_OK) cublas_close(pointer);
    return status;
}

/* ---- csr matrices ---- */

static qn_status describe(cublas_state *state, const qn_blas_command *command, sparse *own)
{
    const qn_cusparse_api *api = &state->of_sparse;
    const float one = 1;
    size_t bytes = 0;
    own->values = command->matrix;
    QN_TRY(check(api->create_csr(&own->matrix, command->rows, command->columns, command->stored,
                                 address(command->starts), address(command->columns_of), address(command->matrix),
                                 CUSPARSE_INDEX_32, CUSPARSE_INDEX_32, CUSPARSE_BASE_0, CUDA_FLOAT),
                 "cuSPARSE"));
    QN_TRY(check(api->create_vector(&own->x, command->columns, address(command->x), CUDA_FLOAT), "cuSPARSE"));
    QN_TRY(check(api->create_vector(&own->y, command->rows, address(command->into), CUDA_FLOAT), "cuSPARSE"));
    QN_TRY(check(api->product_bytes(state->sparse_handle, CUSPARSE_AS_IT_IS, &one, own->matrix, own->x, &one, own->y,
                                    CUDA_FLOAT, CUSPARSE_ANY_ALGORITHM, &bytes),
                 "cuSPARSE"));
    return qn_buffer_create(state->device, bytes > 0 ? bytes : 4, &own->memory);
}

static qn_status find_sparse(cublas_state *state, const qn_blas_command *command, sparse **found)
{
    for (int i = 0; i < state->matrix_count; i++)
        if (state->matrices[i].values == command->matrix) {
            *found = &state->matrices[i];
            return QN_OK;
        }
    if (state->matrix_count == SPARSE_MAX)
        return QN_FAIL(QN_UNSUPPORTED, "more than %d csr matrices are not compared", SPARSE_MAX);
    if (!state->of_sparse.library) QN_TRY(qn_cusparse_load(&state->of_sparse));
    if (!state->sparse_handle) {
        QN_TRY(check(state->of_sparse.create(&state->sparse_handle), "cuSPARSE"));
        QN_TRY(check(state->of_sparse.set_stream(state->sparse_handle, state->stream), "cuSPARSE"));
    }
    *found = &state->matrices[state->matrix_count++];
    return describe(state, command, *found);
}

static qn_status run_sparse(cublas_state *state, const qn_blas_command *command)
{
    const qn_cusparse_api *api = &state->of_sparse;
    sparse *own = NULL;
    QN_TRY(find_sparse(state, command, &own));
    QN_TRY(check(api->set_values(own->x, address(command->x)), "cuSPARSE"));
    QN_TRY(check(api->set_values(own->y, address(command->into)), "cuSPARSE"));
    return check(api->product(state->sparse_handle, CUSPARSE_AS_IT_IS, &command->alpha, own->matrix, own->x,
                              &command->beta, own->y, CUDA_FLOAT, CUSPARSE_ANY_ALGORITHM, address(own->memory)),
                 "cuSPARSE");
}

/* ---- commands ---- */

/* The largest power of two that divides a length, at most 16,384. */
static int columns_of(int length)
{
    int columns = 1;
    while (columns < 1 << 14 && length % (2 * columns) == 0) columns *= 2;
    return columns;
}

static int run_vectors(const cublas_state *state, const qn_blas_command *command, int64_t first, int n)
{
    const qn_cublas_api *api = &state->blas;
    float *x = address(command->x), *y = address(command->y), *into = address(command->into);
    const float zero = 0;
    switch (command->kind) {
    case QN_BLAS_COPY: return api->copy(state->handle, n, x + first, 1, into + first, 1);
    case QN_BLAS_SCAL: return api->scal(state->handle, n, &command->alpha, into + first, 1);
    case QN_BLAS_AXPY: return api->axpy(state->handle, n, &command->alpha, x + first, 1, into + first, 1);
    case QN_BLAS_GEAM: { /* as a matrix with many columns: cuBLAS is slow for a single one */
        const int columns = columns_of(n), rows = n / columns;
        return api->geam(state->handle, CUBLAS_AS_IT_IS, CUBLAS_AS_IT_IS, rows, columns, &command->alpha, x + first,
                         rows, y ? &command->beta : &zero, (y ? y : x) + first, rows, into + first, rows);
    }
    default: return 0;
    }
}

static int run_matrix(const cublas_state *state, const qn_blas_command *command)
{
    const qn_cublas_api *api = &state->blas;
    const int rows = (int)command->rows, columns = (int)command->columns;
    float *x = address(command->x), *y = address(command->y), *into = address(command->into);
    if (command->kind == QN_BLAS_GER)
        return api->ger(state->handle, columns, rows, &command->alpha, y, 1, x, 1, into, columns);
    return api->gemv(state->handle, command->transposed ? CUBLAS_AS_IT_IS : CUBLAS_TRANSPOSED, columns, rows,
                     &command->alpha, address(command->matrix), columns, x, 1, &command->beta, into, 1);
}

/* The vectors become the columns of two matrices, with the factors. */
static qn_status run_two_outer_products(cublas_state *state, const qn_blas_command *command)
{
    const qn_cublas_api *api = &state->blas;
    const int rows = (int)command->rows, columns = (int)command->columns;
    const size_t needed = 2 * ((size_t)rows + (size_t)columns);
    const float one = 1;
    if (needed > state->pairs_count) {
        qn_buffer_release(&state->pairs);
        state->pairs_count = 0;
        QN_TRY(qn_buffer_create(state->device, needed * sizeof(float), &state->pairs));
        state->pairs_count = needed;
    }
    float *x = address(state->pairs), *y = x + 2 * (size_t)rows;
    QN_TRY(check(api->copy(state->handle, rows, address(command->x), 1, x, 1), "cuBLAS"));
    QN_TRY(check(api->copy(state->handle, rows, address(command->x2), 1, x + rows, 1), "cuBLAS"));
    QN_TRY(check(api->copy(state->handle, columns, address(command->y), 1, y, 1), "cuBLAS"));
    QN_TRY(check(api->copy(state->handle, columns, address(command->y2), 1, y + columns, 1), "cuBLAS"));
    if (command->alpha != 1) QN_TRY(check(api->scal(state->handle, rows, &command->alpha, x, 1), "cuBLAS"));
    if (command->beta != 1) QN_TRY(check(api->scal(state->handle, rows, &command->beta, x + rows, 1), "cuBLAS"));
    return check(api->gemm(state->handle, CUBLAS_AS_IT_IS, CUBLAS_TRANSPOSED, columns, rows, 2, &one, y, columns, x,
                           rows, &one, address(command->into), columns),
                 "cuBLAS");
}

/* A scalar goes to the host, which waits for it; a recorded one stays on the device. */
static int run_scalar(const cublas_state *state, const qn_blas_command *command, float *result)
{
    const qn_cublas_api *api = &state->blas;
    const int n = (int)command->count;
    float *x = address(command->x), *y = address(command->y);
    float *into = state->records ? address(state->number) : result;
    if (state->records) (void)api->set_pointers(state->handle, CUBLAS_POINTERS_OF_DEVICE);
    const int code = command->kind == QN_BLAS_DOT ? api->dot(state->handle, n, x, 1, y, 1, into)
                                                  : api->asum(state->handle, n, x, 1, into);
    if (state->records) (void)api->set_pointers(state->handle, CUBLAS_POINTERS_OF_HOST);
    return code;
}

static qn_status cublas_run(void *pointer, const qn_blas_command *command, float *result)
{
    cublas_state *state = pointer;
    QN_TRY(enter(state));
    if (command->kind == QN_BLAS_SPMV) return run_sparse(state, command);
    if (command->kind == QN_BLAS_GER2) return run_two_outer_products(state, command);
    if (command->kind == QN_BLAS_GEMV || command->kind == QN_BLAS_GER)
        return check(run_matrix(state, command), "cuBLAS");
    if (command->kind == QN_BLAS_DOT || command->kind == QN_BLAS_ASUM) {
        if (command->count > INT32_MAX)
            return QN_FAIL(QN_UNSUPPORTED, "cuBLAS adds up at most 2147483647 numbers in a call");
        return check(run_scalar(state, command, result), "cuBLAS");
    }
    for (int64_t first = 0; first < command->count; first += QN_BLAS_PIECE) {
        const int64_t left = command->count - first;
        QN_TRY(check(run_vectors(state, command, first, left < QN_BLAS_PIECE ? (int)left : QN_BLAS_PIECE), "cuBLAS"));
    }
    return QN_OK;
}

static qn_status cublas_finish(void *pointer)
{
    const cublas_state *state = pointer;
    return qn_queue_finish(state->queue);
}

static qn_status cublas_record(void *pointer, bool begins)
{
    cublas_state *state = pointer;
    QN_TRY(enter(state));
    state->records = begins;
    if (begins) {
        forget_graph(state);
        return check(state->cuda.begin_capture(state->stream, CUDA_CAPTURE_RELAXED), "CUDA");
    }
    QN_TRY(check(state->cuda.end_capture(state->stream, &state->graph), "CUDA"));
    return check(state->cuda.instantiate(&state->executable, state->graph, 0), "CUDA");
}

static qn_status cublas_replay(void *pointer)
{
    cublas_state *state = pointer;
    QN_TRY(enter(state));
    return check(state->cuda.launch(state->executable, state->stream), "CUDA");
}

const qn_blas_library qn_blas_cublas = {.name = "cuBLAS",
                                        .best = "geam, gemm",
                                        .legacy = QN_BLAS_LEGACY | QN_BLAS_HAS(SPMV),
                                        .more = QN_BLAS_HAS(GEAM) | QN_BLAS_HAS(GER2),
                                        .open = cublas_open,
                                        .close = cublas_close,
                                        .run = cublas_run,
                                        .finish = cublas_finish,
                                        .record = cublas_record,
                                        .replay = cublas_replay};

/* OpenBLAS, or another library with the C interface of BLAS, on the host. */
#include <dlfcn.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "fuse/blas/library.h"

/* Constants of cblas.h. */
enum { ROW_MAJOR = 101, AS_IT_IS = 111, TRANSPOSED = 112 };

typedef struct openblas_state {
    void *library;
    void (*copy)(int n, const float *x, int x_step, float *y, int y_step);
    void (*scal)(int n, float alpha, float *x, int x_step);
    void (*axpy)(int n, float alpha, const float *x, int x_step, float *y, int y_step);
    float (*dot)(int n, const float *x, int x_step, const float *y, int y_step);
    float (*asum)(int n, const float *x, int x_step);
    void (*gemv)(int order, int transposed, int m, int n, float alpha, const float *a, int line, const float *x,
                 int x_step, float beta, float *y, int y_step);
    void (*ger)(int order, int m, int n, float alpha, const float *x, int x_step, const float *y, int y_step, float *a,
                int line);
    void (*gemm)(int order, int a_transposed, int b_transposed, int m, int n, int k, float alpha, const float *a,
                 int a_line, const float *b, int b_line, float beta, float *c, int c_line);
    float *pairs; /* the vectors of two outer products, as two matrices */
    size_t pairs_capacity;
} openblas_state;

static void openblas_close(void **pointer)
{
    openblas_state *state = *pointer;
    if (!state) return;
    if (state->library) dlclose(state->library);
    qn_release(&state->pairs);
    qn_release(pointer);
}

static qn_status load(openblas_state *state)
{
    static const char *const paths[] = {"libopenblas.so.0", "libopenblas.so", "libblas.so.3", NULL};
    const qn_blas_symbol symbols[] = {{"cblas_scopy", &state->copy}, {"cblas_sscal", &state->scal},
                                      {"cblas_saxpy", &state->axpy}, {"cblas_sdot", &state->dot},
                                      {"cblas_sasum", &state->asum}, {"cblas_sgemv", &state->gemv},
                                      {"cblas_sger", &state->ger},   {"cblas_sgemm", &state->gemm}};
    QN_TRY(qn_blas_load("OpenBLAS", paths, &state->library));
    return qn_blas_find(state->library, "OpenBLAS", symbols, sizeof symbols / sizeof *symbols);
}

/* It gets as many threads as the context has. */
static void set_threads(const openblas_state *state, const qn_device *device)
{
    void (*set)(int threads) = NULL;
    *(void **)&set = dlsym(state->library, "openblas_set_num_threads");
    if (set) set(qn_device_get_info(device)->compute_units);
}

static qn_status openblas_open(qn_device *device, qn_queue *queue, void **state)
{
    (void)queue;
    QN_TRY(qn_allocate(1, sizeof(openblas_state), state));
    const qn_status status = load(*state);
    if (status == QN_OK)
        set_threads(*state, device);
    else
        openblas_close(state);
    return status;
}

static void run_product(const openblas_state *state, const qn_blas_command *command)
{
    state->gemv(ROW_MAJOR, command->transposed ? TRANSPOSED : AS_IT_IS, (int)command->rows, (int)command->columns,
                command->alpha, qn_buffer_native(command->matrix), (int)command->columns, qn_buffer_native(command->x),
                1, command->beta, qn_buffer_native(command->into), 1);
}

/* The vectors become the lines of two matrices. */
static qn_status run_two_outer_products(openblas_state *state, const qn_blas_command *command)
{
    const int rows = (int)command->rows, columns = (int)command->columns;
    const size_t needed = 2 * ((size_t)rows + (size_t)columns);
    QN_TRY(qn_grow((void **)&state->pairs, &state->pairs_capacity, needed, sizeof *state->pairs));
    float *x = state->pairs, *y = x + 2 * (size_t)rows;
    state->copy(rows, qn_buffer_native(command->x), 1, x, 1);
    state->copy(rows, qn_buffer_native(command->x2), 1, x + rows, 1);
    state->copy(columns, qn_buffer_native(command->y), 1, y, 1);
    state->copy(columns, qn_buffer_native(command->y2), 1, y + columns, 1);
    if (command->alpha != 1) state->scal(rows, command->alpha, x, 1);
    if (command->beta != 1) state->scal(rows, command->beta, x + rows, 1);
    state->gemm(ROW_MAJOR, TRANSPOSED, AS_IT_IS, rows, columns, 2, 1, x, rows, y, columns, 1,
                qn_buffer_native(command->into), columns);
    return QN_OK;
}

static qn_status openblas_run(void *pointer, const qn_blas_command *command, float *result)
{
    openblas_state *state = pointer;
    const float *x = command->x ? qn_buffer_native(command->x) : NULL;
    const float *y = command->y ? qn_buffer_native(command->y) : NULL;
    float *into = command->into ? qn_buffer_native(command->into) : NULL;
    double sum = 0;
    if (command->kind == QN_BLAS_GEMV) run_product(state, command);
    if (command->kind == QN_BLAS_GER2) QN_TRY(run_two_outer_products(state, command));
    if (command->kind == QN_BLAS_GER)
        state->ger(ROW_MAJOR, (int)command->rows, (int)command->columns, command->alpha, x, 1, y, 1, into,
                   (int)command->columns);
    for (int64_t first = 0; first < command->count; first += QN_BLAS_PIECE) {
        const int64_t left = command->count - first;
        const int n = left < QN_BLAS_PIECE ? (int)left : QN_BLAS_PIECE;
        switch (command->kind) {
        case QN_BLAS_COPY: state->copy(n, x + first, 1, into + first, 1); break;
        case QN_BLAS_SCAL: state->scal(n, command->alpha, into + first, 1); break;
        case QN_BLAS_AXPY: state->axpy(n, command->alpha, x + first, 1, into + first, 1); break;
        case QN_BLAS_DOT: sum += (double)state->dot(n, x + first, 1, y + first, 1); break;
        case QN_BLAS_ASUM: sum += (double)state->asum(n, x + first, 1); break;
        default: break;
        }
    }
    if (result) *result = (float)sum;
    return QN_OK;
}

static qn_status openblas_finish(void *state)
{
    (void)state;
    return QN_OK;
}

const qn_blas_library qn_blas_openblas = {.name = "OpenBLAS",
                                          .settle_s = 0.15, /* 2^28 cycles */
                                          .best = "gemm",
                                          .legacy = QN_BLAS_LEGACY,
                                          .more = QN_BLAS_HAS(GER2),
                                          .open = openblas_open,
                                          .close = openblas_close,
                                          .run = openblas_run,
                                          .finish = openblas_finish};

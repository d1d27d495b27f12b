/* CLBlast on OpenCL devices. */
#include <dlfcn.h>

#include "base/error.h"
#include "base/memory.h"
#include "fuse/blas/library.h"

/* Constants of clblast_c.h. */
enum { ROW_MAJOR = 101, AS_IT_IS = 111, TRANSPOSED = 112 };

typedef struct clblast_state {
    void *library;
    qn_queue *queue;
    void *native;      /* cl_command_queue */
    qn_buffer *number; /* of one scalar */
    int (*copy)(size_t n, void *x, size_t x_first, size_t x_step, void *y, size_t y_first, size_t y_step, void **queue,
                void **event);
    int (*scal)(size_t n, float alpha, void *x, size_t x_first, size_t x_step, void **queue, void **event);
    int (*axpy)(size_t n, float alpha, void *x, size_t x_first, size_t x_step, void *y, size_t y_first, size_t y_step,
                void **queue, void **event);
    int (*dot)(size_t n, void *into, size_t into_first, void *x, size_t x_first, size_t x_step, void *y, size_t y_first,
               size_t y_step, void **queue, void **event);
    int (*asum)(size_t n, void *into, size_t into_first, void *x, size_t x_first, size_t x_step, void **queue,
                void **event);
    int (*gemv)(int layout, int transposed, size_t m, size_t n, float alpha, void *a, size_t a_first, size_t line,
                void *x, size_t x_first, size_t x_step, float beta, void *y, size_t y_first, size_t y_step,
                void **queue, void **event);
    int (*ger)(int layout, size_t m, size_t n, float alpha, void *x, size_t x_first, size_t x_step, void *y,
               size_t y_first, size_t y_step, void *a, size_t a_first, size_t line, void **queue, void **event);
} clblast_state;

static void clblast_close(void **pointer)
{
    clblast_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->number);
    if (state->library) dlclose(state->library);
    qn_release(pointer);
}

static qn_status load(clblast_state *state)
{
    static const char *const paths[] = {"libclblast.so.1", "libclblast.so", NULL};
    const qn_blas_symbol symbols[] = {{"CLBlastScopy", &state->copy}, {"CLBlastSscal", &state->scal},
                                      {"CLBlastSaxpy", &state->axpy}, {"CLBlastSdot", &state->dot},
                                      {"CLBlastSasum", &state->asum}, {"CLBlastSgemv", &state->gemv},
                                      {"CLBlastSger", &state->ger}};
    QN_TRY(qn_blas_load("CLBlast", paths, &state->library));
    return qn_blas_find(state->library, "CLBlast", symbols, sizeof symbols / sizeof *symbols);
}

static qn_status clblast_open(qn_device *device, qn_queue *queue, void **pointer)
{
    QN_TRY(qn_allocate(1, sizeof(clblast_state), pointer));
    clblast_state *state = *pointer;
    state->queue = queue;
    state->native = qn_queue_native(queue);
    qn_status status = load(state);
    if (status == QN_OK) status = qn_buffer_create(device, sizeof(float), &state->number);
    if (status != QN_OK) clblast_close(pointer);
    return status;
}

static void *native(qn_buffer *buffer)
{
    return buffer ? qn_buffer_native(buffer) : NULL;
}

static qn_status clblast_run(void *pointer, const qn_blas_command *command, float *result)
{
    clblast_state *state = pointer;
    const size_t n = (size_t)command->count, rows = (size_t)command->rows, columns = (size_t)command->columns;
    void *x = native(command->x), *y = native(command->y), *into = native(command->into);
    void **queue = &state->native, *number = native(state->number);
    int code = 0;
    switch (command->kind) {
    case QN_BLAS_COPY: code = state->copy(n, x, 0, 1, into, 0, 1, queue, NULL); break;
    case QN_BLAS_SCAL: code = state->scal(n, command->alpha, into, 0, 1, queue, NULL); break;
    case QN_BLAS_AXPY: code = state->axpy(n, command->alpha, x, 0, 1, into, 0, 1, queue, NULL); break;
    case QN_BLAS_DOT: code = state->dot(n, number, 0, x, 0, 1, y, 0, 1, queue, NULL); break;
    case QN_BLAS_ASUM: code = state->asum(n, number, 0, x, 0, 1, queue, NULL); break;
    case QN_BLAS_GEMV:
        code = state->gemv(ROW_MAJOR, command->transposed ? TRANSPOSED : AS_IT_IS, rows, columns, command->alpha,
                           native(command->matrix), 0, columns, x, 0, 1, command->beta, into, 0, 1, queue, NULL);
        break;
    case QN_BLAS_GER:
        code = state->ger(ROW_MAJOR, rows, columns, command->alpha, x, 0, 1, y, 0, 1, into, 0, columns, queue, NULL);
        break;
    default: break;
    }
    if (code != 0) return QN_FAIL(QN_UNSUPPORTED, "a call of CLBlast ended with its error %d", code);
    if (!result) return QN_OK;
    QN_TRY(qn_queue_read(state->queue, state->number, 0, result, sizeof *result, NULL));
    return qn_queue_finish(state->queue);
}

static qn_status clblast_finish(void *pointer)
{
    const clblast_state *state = pointer;
    return qn_queue_finish(state->queue);
}

const qn_blas_library qn_blas_clblast = {.name = "CLBlast",
                                         .legacy = QN_BLAS_LEGACY,
                                         .open = clblast_open,
                                         .close = clblast_close,
                                         .run = clblast_run,
                                         .finish = clblast_finish};

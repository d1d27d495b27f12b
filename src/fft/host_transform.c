#include "fft/host_transform.h"

#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"
#include "fft/lines.h"

/* Largest plane buffer: it must stay in a core's part of the caches. */
enum { PLANE_BUFFER_BYTES_MAX = 2 << 20 };

/* Tiles of columns in one piece of work: neighbours share memory pages and cache lines. */
enum { TILES_PER_PIECE = 16, Y_TILES_PER_PIECE = 8 };

typedef enum step_kind { STEP_ROWS, STEP_Y, STEP_Z, STEP_PLANES } step_kind;

struct qn_host_transform {
    const qn_line_functions *lines;
    qn_row_plan x;
    qn_line_plan y, z;
    qn_fft_kind kind;
    int size[3]; /* an axis y of length 1 is removed */
    int filled[3];
    int width;        /* complex numbers in a row of the complex side */
    int output_width; /* floats */
    int input_width;
    step_kind steps[3]; /* in order of execution */
    int step_count;
    size_t line_floats; /* scratch: this, then the plane buffer */
    int plane_width;    /* floats from row to row in the plane buffer */
    size_t plane_floats;
};

static int round_up(int number, int multiple)
{
    return (number + multiple - 1) / multiple * multiple;
}

static void choose_steps(qn_host_transform *t)
{
    const bool backwards = t->kind == QN_FFT_REAL_INVERSE;
    t->plane_width = qn_line_plane_step(t->width);
    const size_t plane_floats = (size_t)t->plane_width * (size_t)t->size[1];
    const bool fused = t->size[1] > 1 && t->size[2] > 1 && plane_floats * sizeof(float) <= PLANE_BUFFER_BYTES_MAX;
    step_kind *next = t->steps;
    if (backwards && t->size[2] > 1) *next++ = STEP_Z;
    if (fused) {
        *next++ = STEP_PLANES;
        t->plane_floats = plane_floats;
    } else {
        if (backwards && t->size[1] > 1) *next++ = STEP_Y;
        *next++ = STEP_ROWS;
        if (!backwards && t->size[1] > 1) *next++ = STEP_Y;
    }
    if (!backwards && t->size[2] > 1) *next++ = STEP_Z;
    t->step_count = (int)(next - t->steps);
}

static qn_status plan_lines(qn_host_transform *t)
{
    const bool inverse = t->kind == QN_FFT_COMPLEX_INVERSE || t->kind == QN_FFT_REAL_INVERSE;
    const qn_row_kind rows = t->kind == QN_FFT_REAL_FORWARD   ? QN_ROW_REAL_TO_HALF
                             : t->kind == QN_FFT_REAL_INVERSE ? QN_ROW_HALF_TO_REAL
                                                              : QN_ROW_COMPLEX;
    QN_TRY(qn_row_plan_create(rows, t->size[0], inverse, t->filled[0], &t->x));
    QN_TRY(qn_line_plan_create(t->size[1], inverse, &t->y));
    QN_TRY(qn_line_plan_create(t->size[2], inverse, &t->z));
    const qn_line_plan *plans[] = {&t->x.line, &t->y, &t->z};
    for (int axis = 0; axis < 3; axis++) {
        size_t floats = qn_line_scratch_floats(plans[axis], t->lines->lanes);
        if (floats > t->line_floats) t->line_floats = floats;
    }
    return QN_OK;
}

qn_status qn_host_transform_create(const int size[3], const int filled[3], qn_fft_kind kind, qn_host_transform **out)
{
    *out = NULL;
    for (int axis = 0; axis < 3; axis++)
        if (size[axis] < 1)
            return QN_FAIL(QN_INVALID_ARGUMENT, "size %d of the transform along %c is less than 1", size[axis],
                           "xyz"[axis]);
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(qn_host_transform), &memory));
    qn_host_transform *t = memory;
    t->kind = kind;
    t->lines = QN_HOST_SELECT(qn_fft_lines_host);
    const bool forward = kind == QN_FFT_COMPLEX_FORWARD || kind == QN_FFT_REAL_FORWARD;
    for (int axis = 0; axis < 3; axis++) {
        const bool partly = forward && filled && filled[axis] > 0 && filled[axis] < size[axis];
        t->size[axis] = size[axis];
        t->filled[axis] = partly ? filled[axis] : size[axis];
    }
    if (t->size[1] == 1) {
        t->size[1] = t->size[2];
        t->filled[1] = t->filled[2];
        t->size[2] = t->filled[2] = 1;
    }
    const bool real = kind == QN_FFT_REAL_FORWARD || kind == QN_FFT_REAL_INVERSE;
    t->width = real ? t->size[0] / 2 + 1 : t->size[0];
    t->input_width = kind == QN_FFT_REAL_FORWARD ? t->size[0] : 2 * t->width;
    t->output_width = kind == QN_FFT_REAL_INVERSE ? t->size[0] : 2 * t->width;
    choose_steps(t);
    qn_status status = plan_lines(t);
    if (status != QN_OK) {
        qn_host_transform_destroy(&t);
        return status;
    }
    *out = t;
    return QN_OK;
}

void qn_host_transform_destroy(qn_host_transform **transform)
{
    if (!*transform) return;
    qn_row_plan_clear(&(*transform)->x);
    qn_line_plan_clear(&(*transform)->y);
    qn_line_plan_clear(&(*transform)->z);
    qn_release(transform);
}

size_t qn_host_transform_scratch_bytes(const qn_host_transform *t)
{
    return (t->line_floats + t->plane_floats) * sizeof(float);
}

static size_t rows_of(const qn_host_transform *t)
{
    return (size_t)t->size[1] * (size_t)t->size[2];
}

size_t qn_host_transform_input_floats(const qn_host_transform *t)
{
    return rows_of(t) * (size_t)t->input_width;
}

size_t qn_host_transform_output_floats(const qn_host_transform *t)
{
    return rows_of(t) * (size_t)t->output_width;
}

/* Transform of one element, which the pieces of a step share; a 1-D batch is one element of `elements` rows. */
typedef struct transform_work {
    const qn_host_transform *transform;
    float *input, *output;
    int elements;
    step_kind step;
    char *scratch;
} transform_work;

static float *worker_scratch(const transform_work *work, int worker)
{
    return (float *)(void *)(work->scratch + (size_t)worker * qn_host_transform_scratch_bytes(work->transform));
}

static void row_tiles(const qn_host_transform *t, const float *in, ptrdiff_t in_step, float *out, ptrdiff_t out_step,
                      int rows, float *scratch)
{
    const int lanes = t->lines->lanes;
    for (int y = 0; y < rows; y += lanes)
        t->lines->rows(&t->x, in + y * in_step, in_step, out + y * out_step, out_step,
                       rows - y < lanes ? rows - y : lanes, scratch);
}

/* Transform rows and columns of plane z in the worker's plane buffer. */
static void transform_plane(const transform_work *work, size_t z, float *scratch)
{
    const qn_host_transform *t = work->transform;
    float *plane = scratch + t->line_floats;
    const float *in = work->input + z * (size_t)t->size[1] * (size_t)t->input_width;
    float *out = work->output + z * (size_t)t->size[1] * (size_t)t->output_width;
    const ptrdiff_t step = 2 * t->width, plane_step = t->plane_width;
    const int end = round_up(t->width, t->lines->lanes);
    if (t->kind == QN_FFT_REAL_INVERSE) {
        qn_line_columns(t->lines, &t->y, in, step, t->size[1], plane, plane_step, 0, end, t->width, scratch);
        row_tiles(t, plane, plane_step, out, t->output_width, t->size[1], scratch);
    } else {
        row_tiles(t, in, t->input_width, plane, plane_step, t->filled[1], scratch);
        qn_line_columns(t->lines, &t->y, plane, plane_step, t->filled[1], out, step, 0, end, t->width, scratch);
    }
}

/* Transform a tile of rows of one plane; `piece` counts the tiles of all planes. */
static void transform_rows(const transform_work *work, size_t piece, float *scratch)
{
    const qn_host_transform *t = work->transform;
    const int lanes = t->lines->lanes;
    const int rows = t->step_count == 1 ? work->elements : t->filled[1];
    const int tiles = round_up(rows, lanes) / lanes;
    const size_t z = piece / (size_t)tiles;
    const int y = (int)(piece % (size_t)tiles) * lanes;
    const size_t row = z * (size_t)t->size[1] + (size_t)y;
    row_tiles(t, work->input + row * (size_t)t->input_width, t->input_width,
              work->output + row * (size_t)t->output_width, t->output_width, rows - y < lanes ? rows - y : lanes,
              scratch);
}

/* The complex side of the grid, where columns are transformed in place. */
static float *complex_side(const transform_work *work)
{
    return work->transform->kind == QN_FFT_REAL_INVERSE ? work->input : work->output;
}

static int y_pieces(const qn_host_transform *t)
{
    const int columns = Y_TILES_PER_PIECE * t->lines->lanes;
    return round_up(t->width, columns) / columns;
}

/* Transform some columns of one plane; `piece` counts the pieces of all planes. */
static void transform_y(const transform_work *work, size_t piece, float *scratch)
{
    const qn_host_transform *t = work->transform;
    const ptrdiff_t step = 2 * t->width;
    const size_t pieces = (size_t)y_pieces(t), z = piece / pieces;
    const int columns = Y_TILES_PER_PIECE * t->lines->lanes, first = (int)(piece % pieces) * columns;
    const int end = first + columns < t->width ? first + columns : round_up(t->width, t->lines->lanes);
    float *plane = complex_side(work) + z * (size_t)t->size[1] * (size_t)step;
    qn_line_columns(t->lines, &t->y, plane, step, t->filled[1], plane, step, first, end, t->width, scratch);
}

static void transform_z(const transform_work *work, size_t piece, float *scratch)
{
    const qn_host_transform *t = work->transform;
    const int lanes = t->lines->lanes;
    const int width = t->width * t->size[1]; /* neighbouring columns of a whole plane */
    const int first = (int)piece * TILES_PER_PIECE * lanes;
    const int end = first + TILES_PER_PIECE * lanes < width ? first + TILES_PER_PIECE * lanes : width;
    float *grid = complex_side(work);
    qn_line_columns(t->lines, &t->z, grid, 2 * (ptrdiff_t)width, t->filled[2], grid, 2 * (ptrdiff_t)width, first, end,
                    width, scratch);
}

static size_t pieces_of(const transform_work *work)
{
    const qn_host_transform *t = work->transform;
    const int lanes = t->lines->lanes;
    const int rows = t->step_count == 1 ? work->elements : t->filled[1];
    const int columns_per_piece = TILES_PER_PIECE * lanes;
    switch (work->step) {
    case STEP_ROWS: return (size_t)t->filled[2] * (size_t)(round_up(rows, lanes) / lanes);
    case STEP_Z: return (size_t)(round_up(t->width * t->size[1], columns_per_piece) / columns_per_piece);
    case STEP_Y: return (size_t)t->filled[2] * (size_t)y_pieces(t);
    case STEP_PLANES: break;
    }
    return (size_t)t->filled[2];
}

static qn_status transform_piece(size_t piece, int worker, void *user)
{
    const transform_work *work = user;
    float *scratch = worker_scratch(work, worker);
    switch (work->step) {
    case STEP_ROWS: transform_rows(work, piece, scratch); break;
    case STEP_Y: transform_y(work, piece, scratch); break;
    case STEP_Z: transform_z(work, piece, scratch); break;
    case STEP_PLANES: transform_plane(work, piece, scratch); break;
    }
    return QN_OK;
}

/* Run all steps of one element. The threads of `pool` share the pieces of a step. */
static qn_status transform_element(transform_work *work, qn_pool *pool)
{
    for (int i = 0; i < work->transform->step_count; i++) {
        work->step = work->transform->steps[i];
        QN_TRY(qn_pool_run(pool, pieces_of(work), transform_piece, work));
    }
    return QN_OK;
}

void qn_host_transform_execute(const qn_host_transform *transform, float *input, float *output, void *scratch)
{
    transform_work work = {.transform = transform, .input = input, .output = output, .elements = 1, .scratch = scratch};
    for (int i = 0; i < transform->step_count; i++) {
        work.step = transform->steps[i];
        const size_t pieces = pieces_of(&work);
        for (size_t piece = 0; piece < pieces; piece++) (void)transform_piece(piece, 0, &work);
    }
}

static qn_status transform_batch_element(size_t element, int worker, void *user)
{
    const transform_work *batch = user;
    const qn_host_transform *t = batch->transform;
    qn_host_transform_execute(t, batch->input + element * qn_host_transform_input_floats(t),
                              batch->output + element * qn_host_transform_output_floats(t),
                              worker_scratch(batch, worker));
    return QN_OK;
}

qn_status qn_host_transform_run(const qn_host_transform *t, qn_pool *pool, int batch, float *input, float *output,
                                void *scratch)
{
    transform_work work = {.transform = t, .input = input, .output = output, .elements = 1, .scratch = scratch};
    if (t->step_count == 1 && t->steps[0] == STEP_ROWS) {
        work.elements = batch;
        return transform_element(&work, pool);
    }
    if (batch >= qn_pool_threads(pool)) return qn_pool_run(pool, (size_t)batch, transform_batch_element, &work);
    for (int element = 0; element < batch; element++) {
        work.input = input + (size_t)element * qn_host_transform_input_floats(t);
        work.output = output + (size_t)element * qn_host_transform_output_floats(t);
        QN_TRY(transform_element(&work, pool));
    }
    return QN_OK;
}

#include "reconstruct/map_transform.h"

#include <math.h>
#include <quern/fft.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Number of complex numbers in a batch of lines or planes, about as many as a cache holds. A batch has at least one row
 * of lines or one plane, even if these are larger. */
enum { BATCH_NUMBERS = 1 << 19 };

/* Number of lines that are transposed together: one cache line holds as many complex numbers. */
enum { TILE = 8 };

/* Buffers for one batch of lines or planes at a time. */
typedef struct passage {
    qn_queue *queue;
    qn_fft_plan *plan;
    qn_buffer *input, *output;
    float *staging;
    size_t input_floats, output_floats; /* floats of a whole batch */
} passage;

typedef struct job {
    const qn_map_transform *transform;
    int columns;
    float *staging;
    float *map;
    int first, count;   /* first row y or plane of the map of this batch, and their number */
    size_t *first_line; /* [P + 1]: for each row y, the number of lines within the limit in the rows before y */
} job;

static int batch_lines(int side)
{
    const int lines = BATCH_NUMBERS / side, row = side / 2 + 1;
    return lines > row ? lines : row;
}

static int batch_planes(int side)
{
    const int planes = BATCH_NUMBERS / (side * (side / 2 + 1));
    return planes > 1 ? planes : 1;
}

size_t qn_map_transform_factors(int map_side)
{
    const size_t half = (size_t)map_side / 2;
    return 3 * half * half + 1;
}

static size_t largest(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t passage_floats(int side)
{
    const size_t p = (size_t)side, lines = 2 * p * (size_t)batch_lines(side);
    return largest(lines, 2 * p * (p / 2 + 1) * (size_t)batch_planes(side));
}

uint64_t qn_map_transform_bytes(int side)
{
    return 3 * sizeof(float) * (uint64_t)passage_floats(side) + (uint64_t)(side + 1) * sizeof(size_t);
}

static void passage_close(passage *way)
{
    qn_fft_plan_destroy(&way->plan);
    qn_queue_destroy(&way->queue);
    qn_buffer_release(&way->input);
    qn_buffer_release(&way->output);
    qn_release(&way->staging);
}

static qn_status passage_open(qn_device *device, const qn_fft_options *options, size_t input_floats,
                              size_t output_floats, passage *way)
{
    void *memory = NULL;
    *way = (passage){.input_floats = input_floats, .output_floats = output_floats};
    qn_status status = qn_allocate(largest(input_floats, output_floats), sizeof(float), &memory);
    way->staging = memory;
    if (status == QN_OK) status = qn_fft_plan_create(device, options, &way->plan);
    if (status == QN_OK) status = qn_queue_create(device, &way->queue);
    if (status == QN_OK) status = qn_buffer_create(device, input_floats * sizeof(float), &way->input);
    if (status == QN_OK) status = qn_buffer_create(device, output_floats * sizeof(float), &way->output);
    if (status != QN_OK) passage_close(way);
    return status;
}

static qn_status passage_go(passage *way)
{
    QN_TRY(qn_queue_write(way->queue, way->input, 0, way->staging, way->input_floats * sizeof(float), NULL));
    QN_TRY(qn_fft_execute(way->plan, way->queue, way->input, way->output, NULL));
    QN_TRY(qn_queue_read(way->queue, way->output, 0, way->staging, way->output_floats * sizeof(float), NULL));
    return qn_queue_finish(way->queue);
}

/* Convert an index that counts from −⌊P/2⌋ into one of a transform, which counts from 0, or back. */
static int rolled(int index, int side)
{
    return (index + side - side / 2) % side;
}

/* Number of columns of row y within the limit: x = 0 … count − 1 with x² + y² < limit². */
static int row_columns(const qn_map_transform *transform, int row)
{
    const double y = row - transform->side / 2, left = transform->limit * transform->limit - y * y;
    if (left <= 0) return 0;
    const int count = (int)ceil(sqrt(left)), columns = transform->side / 2 + 1;
    return count < columns ? count : columns;
}

/* Copy the lines along z of row first + index to [x][z], with z in the order of the transform. */
static qn_status gather_lines(size_t index, int worker, void *user)
{
    (void)worker;
    const job *of = user;
    const int side = of->transform->side, row = of->first + (int)index;
    const int count = (int)(of->first_line[row + 1] - of->first_line[row]);
    const size_t row_floats = 2 * (size_t)of->columns, plane_floats = row_floats * (size_t)side;
    const float *from = of->transform->spectrum + (size_t)row * row_floats;
    float *to = of->staging + 2 * (size_t)side * (of->first_line[row] - of->first_line[of->first]);
    for (int x = 0; x < count; x += TILE) {
        const int width = count - x < TILE ? count - x : TILE;
        for (int z = 0; z < side; z++) {
            const float *numbers = from + (size_t)z * plane_floats + 2 * x;
            float *column = to + 2 * ((size_t)x * (size_t)side + (size_t)rolled(z, side));
            for (int i = 0; i < width; i++) memcpy(column + 2 * i * side, numbers + 2 * i, 2 * sizeof(float));
        }
    }
    return QN_OK;
}

/* Copy the transformed lines back, but only the planes of the map: plane j of the map becomes plane j of the spectrum.
 */
static qn_status scatter_lines(size_t index, int worker, void *user)
{
    (void)worker;
    const job *of = user;
    const int side = of->transform->side, map_side = of->transform->map_side, row = of->first + (int)index;
    const int count = (int)(of->first_line[row + 1] - of->first_line[row]);
    const size_t row_floats = 2 * (size_t)of->columns, plane_floats = row_floats * (size_t)side;
    float *to = of->transform->spectrum + (size_t)row * row_floats;
    const float *from = of->staging + 2 * (size_t)side * (of->first_line[row] - of->first_line[of->first]);
    for (int x = 0; x < count; x += TILE) {
        const int width = count - x < TILE ? count - x : TILE;
        for (int j = 0; j < map_side; j++) {
            const int z = (j - map_side / 2 + side) % side;
            const float *column = from + 2 * ((size_t)x * (size_t)side + (size_t)z);
            float *numbers = to + (size_t)j * plane_floats + 2 * x;
            for (int i = 0; i < width; i++) memcpy(numbers + 2 * i, column + 2 * i * side, 2 * sizeof(float));
        }
    }
    return QN_OK;
}

static qn_status transform_lines(job *of, qn_pool *pool, passage *way)
{
    const int side = of->transform->side;
    const size_t most = (size_t)batch_lines(side);
    for (of->first = 0; of->first < side; of->first += of->count) {
        of->count = 1;
        while (of->first + of->count < side &&
               of->first_line[of->first + of->count + 1] - of->first_line[of->first] <= most)
            of->count++;
        if (of->first_line[of->first + of->count] == of->first_line[of->first]) continue;
        QN_TRY(qn_pool_run(pool, (size_t)of->count, gather_lines, of));
        QN_TRY(passage_go(way));
        QN_TRY(qn_pool_run(pool, (size_t)of->count, scatter_lines, of));
    }
    return QN_OK;
}

static qn_status lay_out_plane(size_t index, int worker, void *user)
{
    (void)worker;
    const job *of = user;
    const int side = of->transform->side;
    const size_t row_floats = 2 * (size_t)of->columns, plane_floats = row_floats * (size_t)side;
    const float *from = of->transform->spectrum + ((size_t)of->first + index) * plane_floats;
    float *to = of->staging + index * plane_floats;
    for (int row = 0; row < side; row++) {
        const size_t kept = 2 * (of->first_line[row + 1] - of->first_line[row]);
        float *rolled_row = to + (size_t)rolled(row, side) * row_floats;
        memcpy(rolled_row, from + (size_t)row * row_floats, kept * sizeof(float));
        memset(rolled_row + kept, 0, (row_floats - kept) * sizeof(float));
    }
    return QN_OK;
}

static qn_status crop_plane(size_t index, int worker, void *user)
{
    (void)worker;
    const job *of = user;
    const int side = of->transform->side, map_side = of->transform->map_side, half = map_side / 2;
    const size_t plane = (size_t)of->first + index, width = (size_t)map_side;
    const float *from = of->staging + index * (size_t)side * (size_t)side, *factor = of->transform->factor;
    const int z = (int)plane - half;
    for (int j = 0; j < map_side; j++) {
        const int y = j - half, squared = y * y + z * z;
        const float *row = from + (size_t)((y + side) % side) * (size_t)side;
        float *to = of->map + (plane * width + (size_t)j) * width;
        for (int x = -half; x < 0; x++) to[x + half] = row[x + side] * factor[squared + x * x];
        for (int x = 0; x < map_side - half; x++) to[x + half] = row[x] * factor[squared + x * x];
    }
    return QN_OK;
}

static qn_status transform_planes(job *of, qn_pool *pool, passage *way)
{
    const int map_side = of->transform->map_side, most = batch_planes(of->transform->side);
    for (of->first = 0; of->first < map_side; of->first += of->count) {
        of->count = map_side - of->first < most ? map_side - of->first : most;
        QN_TRY(qn_pool_run(pool, (size_t)of->count, lay_out_plane, of));
        QN_TRY(passage_go(way));
        QN_TRY(qn_pool_run(pool, (size_t)of->count, crop_plane, of));
    }
    return QN_OK;
}

static qn_status run_lines(job *of, qn_device *device, qn_pool *pool)
{
    const int side = of->transform->side, batch = batch_lines(side);
    const size_t floats = 2 * (size_t)side * (size_t)batch;
    const qn_fft_options options = {.size_bytes = sizeof options,
                                    .size = {side},
                                    .batch = batch,
                                    .kind = QN_FFT_COMPLEX_INVERSE,
                                    .engine = of->transform->engine};
    passage way;
    QN_TRY(passage_open(device, &options, floats, floats, &way));
    of->staging = way.staging;
    const qn_status status = transform_lines(of, pool, &way);
    passage_close(&way);
    return status;
}

static qn_status run_planes(job *of, qn_device *device, qn_pool *pool)
{
    const int side = of->transform->side, batch = batch_planes(side);
    const size_t rows = (size_t)side * (size_t)batch;
    const qn_fft_options options = {.size_bytes = sizeof options,
                                    .size = {side, side},
                                    .batch = batch,
                                    .kind = QN_FFT_REAL_INVERSE,
                                    .engine = of->transform->engine};
    passage way;
    QN_TRY(passage_open(device, &options, 2 * rows * (size_t)of->columns, rows * (size_t)side, &way));
    of->staging = way.staging;
    const qn_status status = transform_planes(of, pool, &way);
    passage_close(&way);
    return status;
}

qn_status qn_map_transform_run(const qn_map_transform *transform, qn_device *device, qn_volume *map)
{
    qn_pool *pool = qn_context_pool(qn_device_context(device));
    job of = {.transform = transform, .columns = transform->side / 2 + 1, .map = map->values};
    void *memory = NULL;
    QN_TRY(qn_allocate((size_t)transform->side + 1, sizeof(size_t), &memory));
    of.first_line = memory;
    for (int row = 0; row < transform->side; row++)
        of.first_line[row + 1] = of.first_line[row] + (size_t)row_columns(transform, row);
    qn_status status = run_lines(&of, device, pool);
    if (status == QN_OK) status = run_planes(&of, device, pool);
    qn_release(&of.first_line);
    return status;
}

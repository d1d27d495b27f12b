#include "project/fourier_map.h"

#include <quern/fft.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static size_t grid_bytes(const qn_slices_problem *problem)
{
    const size_t side = (size_t)problem->side;
    return 4 * side * side * side;
}

static size_t spectrum_bytes(const qn_slices_problem *problem)
{
    const size_t side = (size_t)problem->side;
    return 8 * side * side * (side / 2 + 1);
}

static size_t volume_bytes(const qn_slices_problem *problem)
{
    int columns, rows;
    qn_slices_volume_size(problem, &columns, &rows);
    return 8 * (size_t)columns * (size_t)rows * (size_t)rows;
}

uint64_t qn_fourier_map_bytes(const qn_slices_problem *problem)
{
    const uint64_t laid_out = spectrum_bytes(problem) + volume_bytes(problem);
    const uint64_t transformed = 2 * (uint64_t)grid_bytes(problem) +
                                 spectrum_bytes(problem); /* the second grid stands for the plan's workspace */
    return laid_out > transformed ? laid_out : transformed;
}

/* Copy a plane of the map into the grid whose index 0 is the map's centre, divided by the window's transform. */
static void fill_plane(const qn_volume *map, int z, int side, const double *inverse, float *plane)
{
    const int n = map->counts[0], centre = n / 2;
    memset(plane, 0, (size_t)side * (size_t)side * sizeof *plane);
    for (int y = 0; y < n; y++) {
        const float *from = map->values + ((size_t)z * (size_t)n + (size_t)y) * (size_t)n;
        float *to = plane + (size_t)((y - centre + side) % side) * (size_t)side;
        for (int x = 0; x < n; x++)
            to[(x - centre + side) % side] = (float)((double)from[x] * inverse[x] * inverse[y] * inverse[z]);
    }
}

static qn_status write_grid(qn_queue *queue, const qn_volume *map, int side, const qn_window *window, qn_buffer *grid)
{
    void *numbers, *plane;
    const int n = map->counts[0];
    const size_t bytes = 4 * (size_t)side * (size_t)side;
    QN_TRY(qn_queue_fill(queue, grid, 0, bytes * (size_t)side, 0, NULL));
    QN_TRY(qn_allocate((size_t)n, sizeof(double), &numbers));
    double *inverse = numbers;
    for (int i = 0; i < n; i++) inverse[i] = 1 / qn_window_transform(window, (double)(i - n / 2) / side);
    qn_status status = qn_allocate(1, bytes, &plane);
    for (int z = 0; z < n && status == QN_OK; z++) {
        fill_plane(map, z, side, inverse, plane);
        status = qn_queue_write(queue, grid, bytes * (size_t)((z - n / 2 + side) % side), plane, bytes, NULL);
        if (status == QN_OK)
            status = qn_queue_finish(queue); /* the copy must be complete before the plane is filled again */
    }
    qn_release(&plane);
    qn_release(&numbers);
    return status;
}

static qn_status transform(qn_queue *queue, const qn_volume *map, const qn_slices_problem *problem,
                           const qn_window *window, qn_buffer *spectrum)
{
    const int side = problem->side;
    const qn_fft_options options = {.size_bytes = sizeof options,
                                    .size = {side, side, side},
                                    .kind = QN_FFT_REAL_FORWARD,
                                    .engine = qn_fft_engine_of(qn_queue_device(queue))};
    qn_fft_plan *plan = NULL;
    qn_buffer *grid = NULL;
    qn_status status = qn_buffer_create(qn_queue_device(queue), grid_bytes(problem), &grid);
    if (status == QN_OK) status = qn_fft_plan_create(qn_queue_device(queue), &options, &plan);
    if (status == QN_OK) status = write_grid(queue, map, side, window, grid);
    if (status == QN_OK) status = qn_fft_execute(plan, queue, grid, spectrum, NULL);
    if (status == QN_OK) status = qn_queue_finish(queue);
    qn_fft_plan_destroy(&plan);
    qn_buffer_release(&grid);
    return status;
}

qn_status qn_fourier_map_create(qn_queue *queue, const qn_volume *map, const qn_slices_problem *problem,
                                const qn_window *window, qn_buffer **volume)
{
    qn_buffer *spectrum = NULL;
    const float scale = 1 / ((float)problem->image_side * (float)problem->image_side);
    *volume = NULL;
    qn_status status = qn_buffer_create(qn_queue_device(queue), spectrum_bytes(problem), &spectrum);
    if (status == QN_OK) status = transform(queue, map, problem, window, spectrum);
    if (status == QN_OK) status = qn_buffer_create(qn_queue_device(queue), volume_bytes(problem), volume);
    if (status == QN_OK) status = qn_slices_lay_out(queue, problem, scale, spectrum, *volume, NULL);
    if (status == QN_OK) status = qn_queue_finish(queue);
    qn_buffer_release(&spectrum);
    if (status == QN_OK) return QN_OK;
    qn_buffer_release(volume);
    return qn_error_add_context(status, "the transform of the map, padded to %d samples a side", problem->side);
}

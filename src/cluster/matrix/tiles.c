#define _POSIX_C_SOURCE 200809L
#include "cluster/matrix/tiles.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cluster/method/distance_matrix.h"
#include "format/npy.h"

enum { LARGEST_STEP = 65535, ROWS_OF_A_TASK = 32 };

/* Tiles are small enough that several devices get some, and that a killed run loses little; a kernel works on panels of
 * this many structures. */
enum { TILES_ACROSS = 8, SIDE_STEP = 128 };

struct qn_tile_store {
    qn_tile_plan plan;
    qn_tile_format format;
    size_t value_bytes;
    unsigned char *memory; /* NULL: there is a file */
    char *path;
    int descriptor; /* −1: there is no file */
    bool is_new;    /* the file was empty before */
    void *mapped;
    size_t mapped_bytes;
};

/* ---- plan ---- */

static size_t side_count(size_t count, size_t side)
{
    return (count + side - 1) / side;
}

qn_tile_plan qn_tile_plan_make(size_t count, size_t reference_count, size_t largest_side)
{
    const size_t longer = count > reference_count ? count : reference_count;
    const size_t fair = side_count(side_count(longer, TILES_ACROSS), SIDE_STEP) * SIDE_STEP;
    const size_t side = fair < largest_side ? fair : largest_side, rows = side_count(count, side);
    qn_tile_plan plan = {.count = count, .reference_count = reference_count, .side = side};
    plan.tile_count =
        reference_count ? (uint64_t)rows * side_count(reference_count, side) : (uint64_t)rows * (rows + 1) / 2;
    plan.value_count = reference_count ? (uint64_t)count * reference_count : (uint64_t)count * (count - 1) / 2;
    return plan;
}

static qn_measure_range range_of(size_t index, size_t side, size_t count)
{
    const size_t first = index * side;
    return (qn_measure_range){first, count - first < side ? count - first : side};
}

/* Tiles are numbered row of tiles by row of tiles; a row of the triangle begins with the tile on the diagonal. */
void qn_tile_plan_ranges(const qn_tile_plan *plan, uint64_t number, qn_measure_range *rows, qn_measure_range *columns)
{
    const size_t across = side_count(plan->reference_count ? plan->reference_count : plan->count, plan->side);
    size_t row = 0, column;
    if (plan->reference_count) {
        row = (size_t)(number / across);
        column = (size_t)(number % across);
        *columns = range_of(column, plan->side, plan->reference_count);
        columns->first += plan->count;
    } else {
        for (; number >= across - row; row++) number -= across - row;
        column = row + (size_t)number;
        *columns = range_of(column, plan->side, plan->count);
    }
    *rows = range_of(row, plan->side, plan->count);
}

uint64_t qn_tile_plan_pairs(const qn_tile_plan *plan, uint64_t number)
{
    qn_measure_range rows, columns;
    qn_tile_plan_ranges(plan, number, &rows, &columns);
    if (rows.first == columns.first) return (uint64_t)rows.count * (rows.count - 1) / 2;
    return (uint64_t)rows.count * columns.count;
}

/* ---- creation ---- */

static qn_status make_store(const qn_tile_plan *plan, const qn_tile_format *format, qn_tile_store **store)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof **store, &memory));
    *store = memory;
    **store = (qn_tile_store){.plan = *plan,
                              .format = *format,
                              .value_bytes = format->sixteen_bits ? sizeof(uint16_t) : sizeof(float),
                              .descriptor = -1};
    return QN_OK;
}

qn_status qn_tile_store_create(const qn_tile_plan *plan, const qn_tile_format *format, qn_tile_store **store)
{
    void *memory;
    *store = NULL;
    QN_TRY(make_store(plan, format, store));
    const qn_status status = qn_allocate((size_t)plan->value_count, (*store)->value_bytes, &memory);
    if (status == QN_OK) (*store)->memory = memory;
    if (status != QN_OK) qn_tile_store_destroy(store);
    return status;
}

static qn_status refuse_file(const qn_tile_store *store, const char *what)
{
    return QN_FAIL(QN_IO_ERROR, "%s: cannot be %s: %s", store->path, what, strerror(errno));
}

static qn_status write_at(const qn_tile_store *store, const void *data, size_t size, uint64_t offset)
{
    for (const char *next = data; size > 0;) {
        const ssize_t written = pwrite(store->descriptor, next, size, (off_t)offset);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return refuse_file(store, "written");
        next += written;
        size -= (size_t)written;
        offset += (uint64_t)written;
    }
    return QN_OK;
}

static qn_status open_file(qn_tile_store *store, const char *path)
{
    const uint64_t bytes = QN_NPY_HEADER_BYTES + store->plan.value_count * store->value_bytes;
    char header[QN_NPY_HEADER_BYTES];
    struct stat information;
    QN_TRY(qn_text_copy(path, &store->path));
    store->descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (store->descriptor < 0) return refuse_file(store, "opened");
    if (fstat(store->descriptor, &information) != 0) return refuse_file(store, "examined");
    store->is_new = information.st_size == 0;
    if ((uint64_t)information.st_size != bytes && ftruncate(store->descriptor, (off_t)bytes) != 0)
        return refuse_file(store, "given its size");
    qn_npy_header(store->format.sixteen_bits ? QN_NPY_UINT16 : QN_NPY_FLOAT32,
                  store->plan.reference_count ? store->plan.count : store->plan.value_count,
                  store->plan.reference_count, header);
    return write_at(store, header, sizeof header, 0);
}

qn_status qn_tile_store_open(const qn_tile_plan *plan, const qn_tile_format *format, const char *path,
                             qn_tile_store **store)
{
    *store = NULL;
    QN_TRY(make_store(plan, format, store));
    const qn_status status = open_file(*store, path);
    if (status != QN_OK && (*store)->is_new) qn_tile_store_discard(*store);
    if (status != QN_OK) qn_tile_store_destroy(store);
    return status;
}

void qn_tile_store_destroy(qn_tile_store **pointer)
{
    qn_tile_store *store = *pointer;
    if (!store) return;
    if (store->mapped) munmap(store->mapped, store->mapped_bytes);
    if (store->descriptor >= 0) close(store->descriptor);
    qn_release(&store->memory);
    qn_release(&store->path);
    qn_release(pointer);
}

bool qn_tile_store_is_new(const qn_tile_store *store)
{
    return store->is_new;
}

/* ---- rows of tiles ---- */

/* Part of a matrix row that a tile has. */
typedef struct run_of_values {
    size_t skipped; /* values of the tile's row that are not stored */
    size_t count;
    uint64_t place; /* of its first value in the matrix */
} run_of_values;

typedef struct tile_access {
    qn_tile_store *store;
    qn_measure_range rows, columns;
    const float *values; /* NULL: the stored tile is read */
    uint32_t *checksums; /* of the rows */
    unsigned char *room; /* a row for each worker */
} tile_access;

static run_of_values run_of(const tile_access *access, size_t index)
{
    const qn_tile_plan *plan = &access->store->plan;
    const size_t row = access->rows.first + index;
    run_of_values run = {.count = access->columns.count};
    if (plan->reference_count) {
        run.place = (uint64_t)row * plan->reference_count + (access->columns.first - plan->count);
        return run;
    }
    if (access->rows.first == access->columns.first) run.skipped = index + 1;
    run.count -= run.skipped;
    if (run.count > 0) run.place = qn_distance_place(plan->count, row, access->columns.first + run.skipped);
    return run;
}

static qn_status refuse_value(const tile_access *access, size_t row, size_t column, float value)
{
    if (isfinite(value))
        return QN_FAIL(QN_BAD_FORMAT,
                       "structures %zu and %zu (from 0) are at %g, more than 16 bits hold, %g; expected --matrix "
                       "float32",
                       access->rows.first + row, access->columns.first + column, (double)value,
                       (double)access->store->format.step * LARGEST_STEP);
    return QN_FAIL(QN_BAD_FORMAT,
                   "structures %zu and %zu (from 0) have no distance: it is %g; expected coordinates "
                   "of less than 1e15 Å",
                   access->rows.first + row, access->columns.first + column, (double)value);
}

/* Bring the values of a row into the form in which they are stored. */
static qn_status convert(const tile_access *access, size_t index, const run_of_values *run, void *stored)
{
    const qn_tile_format *format = &access->store->format;
    const float *values = access->values + index * access->columns.count + run->skipped;
    float *floats = stored;
    uint16_t *steps = stored;
    for (size_t k = 0; k < run->count; k++) {
        const float value = format->inverted ? 1 - values[k] : values[k];
        const float step = format->sixteen_bits ? rintf(value / format->step) : 0;
        if (!isfinite(value) || step > LARGEST_STEP) return refuse_value(access, index, run->skipped + k, value);
        if (format->sixteen_bits)
            steps[k] = (uint16_t)(step > 0 ? step : 0);
        else
            floats[k] = value;
    }
    return QN_OK;
}

static qn_status read_at(const qn_tile_store *store, void *data, size_t size, uint64_t offset)
{
    for (char *next = data; size > 0;) {
        const ssize_t got = pread(store->descriptor, next, size, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return refuse_file(store, "read");
        next += got;
        size -= (size_t)got;
        offset += (uint64_t)got;
    }
    return QN_OK;
}

static qn_status access_row(const tile_access *access, size_t index, unsigned char *room)
{
    qn_tile_store *store = access->store;
    const run_of_values run = run_of(access, index);
    const size_t bytes = run.count * store->value_bytes;
    const uint64_t offset = QN_NPY_HEADER_BYTES + run.place * store->value_bytes;
    if (bytes == 0) return QN_OK;
    void *data = store->memory ? store->memory + run.place * store->value_bytes : room;
    if (access->values) QN_TRY(convert(access, index, &run, data));
    if (store->memory) return QN_OK; /* a checksum is of use in a file only */
    QN_TRY(access->values ? write_at(store, data, bytes, offset) : read_at(store, data, bytes, offset));
    access->checksums[index] = (uint32_t)crc32_z(crc32_z(0, NULL, 0), data, bytes);
    return QN_OK;
}

static qn_status access_rows(size_t task, int worker, void *user)
{
    const tile_access *access = user;
    const size_t first = task * ROWS_OF_A_TASK, end = first + ROWS_OF_A_TASK;
    unsigned char *room = access->room + (size_t)worker * access->store->plan.side * sizeof(float);
    for (size_t i = first; i < end && i < access->rows.count; i++) QN_TRY(access_row(access, i, room));
    return QN_OK;
}

static qn_status access_tile(qn_tile_store *store, uint64_t number, const float *values, qn_pool *pool,
                             uint32_t *checksum)
{
    tile_access access = {.store = store, .values = values};
    void *checksums, *room = NULL;
    qn_tile_plan_ranges(&store->plan, number, &access.rows, &access.columns);
    QN_TRY(qn_allocate(access.rows.count, sizeof *access.checksums, &checksums));
    access.checksums = checksums;
    qn_status status = qn_allocate((size_t)qn_pool_threads(pool), store->plan.side * sizeof(float), &room);
    access.room = room;
    if (status == QN_OK)
        status = qn_pool_run(pool, (access.rows.count + ROWS_OF_A_TASK - 1) / ROWS_OF_A_TASK, access_rows, &access);
    *checksum = (uint32_t)crc32_z(crc32_z(0, NULL, 0), checksums, access.rows.count * sizeof *access.checksums);
    qn_release(&checksums);
    qn_release(&room);
    return status;
}

qn_status qn_tile_store_put(qn_tile_store *store, uint64_t number, const float *values, qn_pool *pool,
                            uint32_t *checksum)
{
    return access_tile(store, number, values, pool, checksum);
}

qn_status qn_tile_store_check(qn_tile_store *store, uint64_t number, qn_pool *pool, uint32_t *checksum)
{
    return access_tile(store, number, NULL, pool, checksum);
}

/* ---- the whole matrix ---- */

qn_status qn_tile_store_view(qn_tile_store *store, const void **values)
{
    *values = store->memory;
    if (store->memory) return QN_OK;
    if (!store->mapped) {
        store->mapped_bytes = QN_NPY_HEADER_BYTES + (size_t)store->plan.value_count * store->value_bytes;
        void *mapped = mmap(NULL, store->mapped_bytes, PROT_READ, MAP_SHARED, store->descriptor, 0);
        if (mapped == MAP_FAILED) return refuse_file(store, "mapped");
        store->mapped = mapped;
    }
    *values = (const char *)store->mapped + QN_NPY_HEADER_BYTES;
    return QN_OK;
}

qn_status qn_tile_store_take(qn_tile_store *store, void **values)
{
    const void *stored;
    *values = store->memory;
    store->memory = NULL;
    if (*values || store->plan.value_count == 0) return QN_OK;
    QN_TRY(qn_tile_store_view(store, &stored));
    QN_TRY(qn_allocate((size_t)store->plan.value_count, store->value_bytes, values));
    memcpy(*values, stored, (size_t)store->plan.value_count * store->value_bytes);
    return QN_OK;
}

qn_status qn_tile_store_finish(qn_tile_store *store, const char *path)
{
    if (fsync(store->descriptor) != 0) return refuse_file(store, "written");
    if (rename(store->path, path) == 0) return QN_OK;
    return QN_FAIL(QN_IO_ERROR, "%s: cannot be renamed to %s: %s", store->path, path, strerror(errno));
}

void qn_tile_store_discard(qn_tile_store *store)
{
    if (store->path) unlink(store->path);
}

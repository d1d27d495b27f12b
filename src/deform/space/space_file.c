#define _POSIX_C_SOURCE 200809L
#include "deform/space/space_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/written_file.h"

enum { HEAD_BYTES = 128, ALIGNMENT = 64, INDEX_MAX = 100000 };
static const uint64_t KEY_MAX = 1 << 20;
static const char magic[4] = {'Q', 'C', 'S', '1'};

_Static_assert(sizeof(qn_space_facts) == 160, "facts have a fixed size in files");

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static uint32_t checksum_of(const void *data, size_t size)
{
    return (uint32_t)crc32_z(crc32_z(0, NULL, 0), data, size);
}

/* Where the parts of a file begin. */
typedef struct layout {
    uint64_t facts, arrays, stride, bytes;
} layout;

static layout lay_out(uint64_t key_length, uint64_t state_count, uint64_t freedom_count)
{
    layout made = {.facts = aligned(HEAD_BYTES + key_length), .stride = aligned(4 * sizeof(float) * freedom_count)};
    made.arrays = aligned(made.facts + state_count * sizeof(qn_space_facts));
    made.bytes = made.arrays + state_count * made.stride;
    return made;
}

uint64_t qn_space_file_bytes(const qn_space_header *header)
{
    return lay_out(strlen(header->key), qn_grid_point_count(&header->grid), header->freedom_count).bytes;
}

/* ---- facts ---- */

static uint32_t checksum_of_arrays(const qn_grid_state *state, size_t freedom_count)
{
    const uLong of_x = crc32_z(crc32_z(0, NULL, 0), (const Bytef *)state->x, freedom_count * sizeof(float));
    return (uint32_t)crc32_z(of_x, (const Bytef *)state->change, 3 * freedom_count * sizeof(float));
}

static void make_facts(const qn_grid_state *state, uint32_t array_checksum, qn_space_facts *facts)
{
    memset(facts, 0, sizeof *facts);
    memcpy(facts->index, state->index, sizeof facts->index);
    facts->flags = state->flags;
    memcpy(facts->force, state->force, sizeof facts->force);
    memcpy(facts->stiffness, state->stiffness, sizeof facts->stiffness);
    facts->energy = state->energy;
    facts->residual = state->residual;
    facts->least_volume = state->least_volume;
    facts->least_stretch = state->least_stretch;
    facts->newton_steps = state->newton_steps;
    facts->load_steps = state->load_steps;
    facts->array_checksum = array_checksum;
    facts->checksum = checksum_of(facts, offsetof(qn_space_facts, checksum));
}

void qn_space_facts_make(const qn_grid_state *state, size_t freedom_count, qn_space_facts *facts)
{
    make_facts(state, checksum_of_arrays(state, freedom_count), facts);
}

bool qn_space_facts_read(const qn_space_facts *facts, float *x, float *change, qn_grid_state *state)
{
    *state = (qn_grid_state){.flags = facts->flags,
                             .energy = facts->energy,
                             .residual = facts->residual,
                             .least_volume = facts->least_volume,
                             .least_stretch = facts->least_stretch,
                             .newton_steps = facts->newton_steps,
                             .load_steps = facts->load_steps,
                             .x = x,
                             .change = change};
    memcpy(state->index, facts->index, sizeof state->index);
    memcpy(state->force, facts->force, sizeof state->force);
    memcpy(state->stiffness, facts->stiffness, sizeof state->stiffness);
    return facts->checksum == checksum_of(facts, offsetof(qn_space_facts, checksum));
}

/* ---- writing ---- */

struct qn_space_writer {
    qn_written_file file;
    qn_grid grid;
    size_t freedom_count;
    layout layout;
    bool *has_arrays;      /* of each state: they are written */
    qn_space_facts *facts; /* of each state; of one that is not added yet, only the checksum of its arrays */
    atomic_size_t written; /* bytes of arrays */
};

/* So many bytes are brought to the disk at once. */
static const size_t PUSHED_BYTES = 32 << 20;

static void put(unsigned char *head, size_t offset, const void *value, size_t size)
{
    memcpy(head + offset, value, size);
}

static qn_status write_head(qn_space_writer *writer, const qn_space_header *header)
{
    unsigned char head[HEAD_BYTES] = {0};
    const uint64_t key_length = strlen(header->key), state_count = qn_grid_point_count(&header->grid),
                   freedom_count = header->freedom_count;
    put(head, 0, magic, sizeof magic);
    put(head, 8, &key_length, 8);
    put(head, 16, &state_count, 8);
    put(head, 24, &freedom_count, 8);
    put(head, 32, &header->grid.step, 8);
    put(head, 40, header->grid.least, 12);
    put(head, 52, header->grid.most, 12);
    put(head, 64, header->mesh_digest, 64);
    uLong sum = crc32_z(crc32_z(0, NULL, 0), head + 8, HEAD_BYTES - 8);
    const uint32_t checksum = (uint32_t)crc32_z(sum, (const Bytef *)header->key, key_length);
    put(head, 4, &checksum, 4);
    QN_TRY(qn_written_file_write(&writer->file, head, sizeof head));
    return qn_written_file_write(&writer->file, header->key, key_length);
}

qn_status qn_space_writer_open(const char *path, const qn_space_header *header, qn_space_writer **writer)
{
    QN_TRY(qn_allocate(1, sizeof **writer, (void **)writer));
    qn_space_writer *own = *writer;
    own->grid = header->grid;
    own->freedom_count = header->freedom_count;
    own->layout = lay_out(strlen(header->key), qn_grid_point_count(&header->grid), header->freedom_count);
    own->file.descriptor = own->file.target = -1;
    const size_t count = qn_grid_point_count(&header->grid);
    qn_status status = qn_allocate(count, sizeof *own->has_arrays, (void **)&own->has_arrays);
    if (status == QN_OK) status = qn_allocate(count, sizeof *own->facts, (void **)&own->facts);
    if (status == QN_OK) status = qn_written_file_open(path, true, &own->file);
    if (status == QN_OK) status = write_head(own, header);
    if (status != QN_OK) qn_space_writer_destroy(writer);
    return status;
}

qn_status qn_space_writer_add_arrays(qn_space_writer *writer, const qn_grid_state *state, uint32_t array_checksum)
{
    static const char zeros[ALIGNMENT];
    const uint64_t number = qn_grid_number(&writer->grid, state->index);
    const uint64_t begin = writer->layout.arrays + number * writer->layout.stride;
    const size_t bytes = 4 * writer->freedom_count * sizeof(float);
    QN_TRY(qn_written_file_write_at(&writer->file, begin, state->x, bytes));
    QN_TRY(qn_written_file_write_at(&writer->file, begin + bytes, zeros, (size_t)writer->layout.stride - bytes));
    writer->facts[number].array_checksum = array_checksum;
    writer->has_arrays[number] = true;
    const size_t before = atomic_fetch_add(&writer->written, bytes);
    if (before / PUSHED_BYTES != (before + bytes) / PUSHED_BYTES) qn_written_file_push(&writer->file);
    return QN_OK;
}

qn_status qn_space_writer_add(qn_space_writer *writer, const qn_grid_state *state)
{
    const uint64_t number = qn_grid_number(&writer->grid, state->index);
    if (!writer->has_arrays[number])
        QN_TRY(qn_space_writer_add_arrays(writer, state, checksum_of_arrays(state, writer->freedom_count)));
    make_facts(state, writer->facts[number].array_checksum, &writer->facts[number]);
    return QN_OK;
}

qn_status qn_space_writer_finish(qn_space_writer *writer)
{
    const size_t bytes = qn_grid_point_count(&writer->grid) * sizeof *writer->facts;
    QN_TRY(qn_written_file_write_at(&writer->file, writer->layout.facts, writer->facts, bytes));
    return qn_written_file_finish(&writer->file);
}

void qn_space_writer_destroy(qn_space_writer **writer)
{
    if (!*writer) return;
    qn_written_file_discard(&(*writer)->file);
    qn_release(&(*writer)->has_arrays);
    qn_release(&(*writer)->facts);
    qn_release(writer);
}

/* ---- reading ---- */

static qn_status map_file(const char *path, qn_space_file *file)
{
    struct stat about;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return QN_FAIL(errno == ENOENT ? QN_NOT_FOUND : QN_IO_ERROR, "%s: cannot be opened: %s", path, strerror(errno));
    if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode)) {
        close(descriptor);
        return QN_FAIL(QN_IO_ERROR, "%s: is no regular file; expected a configuration space (.qcs)", path);
    }
    file->mapped_bytes = (size_t)about.st_size;
    if (file->mapped_bytes >= HEAD_BYTES)
        file->mapped = mmap(NULL, file->mapped_bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    const int error = errno;
    close(descriptor);
    if (file->mapped_bytes < HEAD_BYTES)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has %zu bytes; expected at least %d of a configuration space (.qcs)", path,
                       file->mapped_bytes, HEAD_BYTES);
    if (file->mapped != MAP_FAILED) return QN_OK;
    file->mapped = NULL;
    return QN_FAIL(QN_IO_ERROR, "%s: cannot be mapped into memory: %s", path, strerror(error));
}

static qn_status check_grid(const char *path, const qn_grid *grid, uint64_t state_count)
{
    if (!(grid->step > 0) || !isfinite(grid->step))
        return QN_FAIL(QN_BAD_FORMAT, "%s: the step at byte 32 is %g m; expected more than 0", path, grid->step);
    for (int axis = 0; axis < 3; axis++)
        if (grid->least[axis] > 0 || grid->most[axis] < 0 || grid->least[axis] < -INDEX_MAX ||
            grid->most[axis] > INDEX_MAX)
            return QN_FAIL(QN_BAD_FORMAT,
                           "%s: the grid at byte 40 goes from %" PRId32 " to %" PRId32
                           " along %c; expected a range with 0",
                           path, grid->least[axis], grid->most[axis], "xyz"[axis]);
    if (qn_grid_point_count(grid) != state_count)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has %" PRIu64 " states at byte 16; expected %zu, the points of the grid",
                       path, state_count, qn_grid_point_count(grid));
    return QN_OK;
}

static qn_status read_head(const char *path, qn_space_file *file, layout *found)
{
    const unsigned char *head = file->mapped;
    qn_space_header *header = &file->header;
    uint64_t key_length, state_count, freedom_count;
    uint32_t checksum;
    if (memcmp(head, magic, sizeof magic) != 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: does not begin with QCS1; expected a configuration space (.qcs)", path);
    memcpy(&checksum, head + 4, 4);
    memcpy(&key_length, head + 8, 8);
    memcpy(&state_count, head + 16, 8);
    memcpy(&freedom_count, head + 24, 8);
    if (key_length > KEY_MAX || HEAD_BYTES + key_length > file->mapped_bytes)
        return QN_FAIL(QN_BAD_FORMAT, "%s: the key has %" PRIu64 " bytes at byte 8; expected fewer", path, key_length);
    if (checksum != checksum_of(head + 8, (size_t)(HEAD_BYTES - 8 + key_length)))
        return QN_FAIL(QN_BAD_FORMAT, "%s: the checksum of the header at byte 4 is wrong; expected an undamaged file",
                       path);
    memcpy(&header->grid.step, head + 32, 8);
    memcpy(header->grid.least, head + 40, 12);
    memcpy(header->grid.most, head + 52, 12);
    memcpy(header->mesh_digest, head + 64, 64);
    QN_TRY(check_grid(path, &header->grid, state_count));
    if (freedom_count == 0 || freedom_count > UINT32_MAX)
        return QN_FAIL(QN_BAD_FORMAT, "%s: a state has %" PRIu64 " unknowns at byte 24; expected 1 to 2^32", path,
                       freedom_count);
    *found = lay_out(key_length, state_count, freedom_count);
    if (found->bytes != file->mapped_bytes)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has %zu bytes; expected %" PRIu64 " for %" PRIu64 " states", path,
                       file->mapped_bytes, found->bytes, state_count);
    header->freedom_count = (size_t)freedom_count;
    file->state_count = (size_t)state_count;
    QN_TRY(qn_allocate((size_t)key_length + 1, 1, (void **)&file->key));
    memcpy(file->key, head + HEAD_BYTES, (size_t)key_length);
    header->key = file->key;
    return QN_OK;
}

static qn_status read_states(const char *path, qn_space_file *file, const layout *found)
{
    unsigned char *bytes = file->mapped;
    const size_t freedom_count = file->header.freedom_count;
    QN_TRY(qn_allocate(file->state_count, sizeof *file->states, (void **)&file->states));
    for (size_t i = 0; i < file->state_count; i++) {
        const qn_space_facts *facts = (const qn_space_facts *)(const void *)(bytes + found->facts) + i;
        float *x = (float *)(void *)(bytes + found->arrays + i * found->stride);
        int32_t index[3];
        qn_grid_index(&file->header.grid, i, index);
        if (!qn_space_facts_read(facts, x, x + freedom_count, &file->states[i]) ||
            memcmp(index, facts->index, sizeof index) != 0)
            return QN_FAIL(QN_BAD_FORMAT,
                           "%s: the checksum of state %zu at byte %" PRIu64 " is wrong; expected an undamaged file",
                           path, i, found->facts + i * sizeof *facts);
    }
    return QN_OK;
}

qn_status qn_space_file_open(const char *path, qn_space_file **file)
{
    layout found = {0};
    QN_TRY(qn_allocate(1, sizeof **file, (void **)file));
    qn_status status = qn_text_copy(path, &(*file)->name);
    if (status == QN_OK) status = map_file(path, *file);
    if (status == QN_OK) status = read_head(path, *file, &found);
    if (status == QN_OK) status = read_states(path, *file, &found);
    if (status != QN_OK) qn_space_file_close(file);
    return status;
}

qn_status qn_space_file_check(const qn_space_file *file, size_t number)
{
    const qn_grid_state *state = &file->states[number];
    const layout found = lay_out(strlen(file->key), file->state_count, file->header.freedom_count);
    const qn_space_facts *facts =
        (const qn_space_facts *)(const void *)((const unsigned char *)file->mapped + found.facts) + number;
    if (facts->array_checksum == checksum_of(state->x, 4 * file->header.freedom_count * sizeof(float))) return QN_OK;
    return QN_FAIL(QN_BAD_FORMAT,
                   "%s: the checksum of the arrays of state %zu, at byte %" PRIu64
                   " with the shape at point (%d, %d, %d), is wrong; expected an undamaged file",
                   file->name, number, found.arrays + number * found.stride, (int)state->index[0], (int)state->index[1],
                   (int)state->index[2]);
}

void qn_space_file_close(qn_space_file **file)
{
    if (!*file) return;
    if ((*file)->mapped) munmap((*file)->mapped, (*file)->mapped_bytes);
    qn_release(&(*file)->states);
    qn_release(&(*file)->name);
    qn_release(&(*file)->key);
    qn_release(file);
}

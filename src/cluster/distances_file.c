#define _DEFAULT_SOURCE /* mmap, madvise */
#include "cluster/distances_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "cluster/method/distance_rows.h"

typedef enum value_type { FLOAT32, FLOAT64, UINT16, TYPES } value_type;

static const size_t type_bytes[TYPES] = {4, 8, 2};

/* The header of the array. */
typedef struct array_header {
    value_type type;
    uint64_t values;
    size_t bytes; /* of the header */
} array_header;

/* ---- bytes ---- */

static qn_status map_file(const char *path, qn_distances_file *file)
{
    struct stat facts;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return QN_FAIL(errno == ENOENT ? QN_NOT_FOUND : QN_IO_ERROR, "%s: cannot be opened: %s", path, strerror(errno));
    qn_status status = QN_OK;
    if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode))
        status = QN_FAIL(QN_BAD_FORMAT, "%s: not a regular file; expected an array of NumPy", path);
    else if (facts.st_size < 16)
        status =
            QN_FAIL(QN_BAD_FORMAT, "%s: has %lld bytes; expected an array of NumPy", path, (long long)facts.st_size);
    if (status == QN_OK) {
        void *mapped = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_SHARED, descriptor, 0);
        if (mapped == MAP_FAILED)
            status = QN_FAIL(QN_IO_ERROR, "%s: cannot be mapped: %s", path, strerror(errno));
        else
            file->mapped = mapped, file->mapped_bytes = (size_t)facts.st_size;
    }
    close(descriptor);
    return status;
}

/* Read the dictionary of the header, such as {'descr': '<f4', 'fortran_order': False, 'shape': (15,), }. */
static qn_status read_dictionary(const char *path, const char *text, array_header *header)
{
    static const char *const names[TYPES] = {"'<f4'", "'<f8'", "'<u2'"};
    const char *type = strstr(text, "'descr':"), *shape = strstr(text, "'shape':");
    char after = '\0';
    if (type) type += strlen("'descr':") + strspn(type + strlen("'descr':"), " ");
    header->type = TYPES;
    for (int t = 0; type && t < TYPES; t++)
        if (strncmp(type, names[t], strlen(names[t])) == 0) header->type = (value_type)t;
    if (header->type == TYPES)
        return QN_FAIL(QN_BAD_FORMAT, "%s: its values are %.*s; expected '<f4', '<f8' or '<u2'", path,
                       type ? (int)strcspn(type, ",") : 0, type ? type : "");
    if (!shape || sscanf(shape, "'shape': (%" SCNu64 " ,%c", &header->values, &after) != 2 || after != ')')
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: its shape is %.*s; expected one dimension, with a value for each pair of items", path,
                       shape ? (int)strcspn(shape, ")") : 0, shape ? shape : "");
    return QN_OK;
}

static qn_status read_header(const char *path, const qn_distances_file *file, array_header *header)
{
    const unsigned char *bytes = file->mapped;
    qn_text dictionary = {0};
    if (memcmp(bytes, "\x93NUMPY", 6) != 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: is no array of NumPy; expected a file that begins with \\x93NUMPY", path);
    const bool is_first = bytes[6] == 1; /* version 1 has a length of two bytes, later ones of four */
    const size_t at = is_first ? 10 : 12;
    size_t length = bytes[8] | (size_t)bytes[9] << 8;
    if (!is_first) length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    header->bytes = at + length;
    if (header->bytes > file->mapped_bytes) return QN_FAIL(QN_BAD_FORMAT, "%s: its header is cut short", path);
    QN_TRY(qn_text_append_bytes(&dictionary, bytes + at, length));
    const qn_status status = read_dictionary(path, dictionary.data ? dictionary.data : "", header);
    qn_text_clear(&dictionary);
    return status;
}

/* n(n − 1)/2 values belong to n items. */
static qn_status count_items(const char *path, const array_header *header, qn_distances_file *file)
{
    const uint64_t values = header->values;
    uint64_t count = (uint64_t)((1 + sqrt(1 + 8 * (double)values)) / 2);
    while (count > 1 && count * (count - 1) / 2 > values) count--;
    while (count * (count + 1) / 2 <= values) count++;
    if (count < 2 || count * (count - 1) / 2 != values)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has %" PRIu64 " values; expected n(n − 1)/2 for the pairs of n items", path,
                       values);
    if (file->mapped_bytes - header->bytes != values * type_bytes[header->type])
        return QN_FAIL(QN_BAD_FORMAT, "%s: has %zu bytes of values; expected %" PRIu64 " of %" PRIu64 " values", path,
                       file->mapped_bytes - header->bytes, values * type_bytes[header->type], values);
    file->matrix.count = (size_t)count;
    return QN_OK;
}

/* ---- measure ---- */

static const qn_measure *measure_of(const char *name)
{
    for (size_t i = 0; name && qn_measures[i]; i++)
        if (strcmp(qn_measures[i]->name, name) == 0) return qn_measures[i];
    return NULL;
}

/* Take the measure from the options in the run.json `name`, if `program` wrote it. */
static void read_measure(const char *name, const char *program, qn_distances_file *file)
{
    json_t *run = json_load_file(name, 0, NULL);
    const char *writer = json_string_value(json_object_get(run, "program"));
    const json_t *options = json_object_get(run, "options");
    const qn_measure *found = measure_of(json_string_value(json_object_get(options, "measure")));
    if (writer && strcmp(writer, program) == 0 && found) {
        file->measure = found;
        file->is_described = true;
    }
    json_decref(run);
}

/* Beside "x.npy" of quern distance lies "x_run.json", and beside "matrix.npy" of quern cluster "run.json". */
static qn_status find_measure(const char *path, qn_distances_file *file)
{
    const size_t length = strlen(path), name = (size_t)(qn_path_name(path) - path);
    const size_t stem = length > 4 && strcmp(path + length - 4, ".npy") == 0 ? length - 4 : length;
    qn_text run = {0};
    QN_TRY(qn_text_append(&run, "%.*s_run.json", (int)stem, path));
    read_measure(run.data, "distance", file);
    qn_text_clear(&run);
    if (file->is_described || strcmp(path + name, "matrix.npy") != 0) return QN_OK;
    QN_TRY(qn_text_append(&run, "%.*srun.json", (int)name, path));
    read_measure(run.data, "cluster", file);
    file->holds_distances = file->is_described;
    qn_text_clear(&run);
    return QN_OK;
}

/* ---- values ---- */

static double value_at(const void *values, value_type type, float step, size_t place)
{
    if (type == FLOAT32) return (double)((const float *)values)[place];
    if (type == FLOAT64) return ((const double *)values)[place];
    return (double)((float)((const uint16_t *)values)[place] * step);
}

/* Use the values as they are, or make distances of them. */
static qn_status take_values(const array_header *header, qn_distances_file *file)
{
    const void *values = (const char *)file->mapped + header->bytes;
    const bool is_likeness = file->measure->is_similarity && !file->holds_distances,
               is_aligned = header->bytes % 8 == 0;
    file->matrix.step = file->measure->step;
    if (!is_likeness && is_aligned && header->type == FLOAT32) file->matrix.values = values;
    if (!is_likeness && is_aligned && header->type == UINT16) file->matrix.steps = values;
    if (file->matrix.values || file->matrix.steps) return QN_OK;
    void *memory = NULL, *aligned = NULL;
    QN_TRY(qn_allocate((size_t)header->values, sizeof(float), &memory));
    file->own = memory;
    if (!is_aligned) {
        QN_TRY(qn_allocate((size_t)header->values, type_bytes[header->type], &aligned));
        memcpy(aligned, values, (size_t)header->values * type_bytes[header->type]);
        values = aligned;
    }
    for (size_t p = 0; p < header->values; p++) {
        const double value = value_at(values, header->type, file->measure->step, p);
        file->own[p] = (float)(is_likeness ? 1 - value : value);
    }
    qn_release(&aligned);
    file->matrix.values = file->own;
    return QN_OK;
}

static qn_status open_file(const char *path, qn_pool *pool, qn_distances_file *file)
{
    array_header header = {0};
    QN_TRY(map_file(path, file));
    QN_TRY(read_header(path, file, &header));
    QN_TRY(count_items(path, &header, file));
    QN_TRY(find_measure(path, file));
    QN_TRY(take_values(&header, file));
    const qn_status status = qn_distance_matrix_check(&file->matrix, pool);
    return status == QN_OK ? QN_OK : qn_error_add_context(QN_FAIL(QN_BAD_FORMAT, "%s", qn_error_message()), "%s", path);
}

qn_status qn_distances_file_open(const char *path, const qn_measure *measure, qn_pool *pool, qn_distances_file **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    *out = memory;
    (*out)->measure = measure;
    const qn_status status = open_file(path, pool, *out);
    if (status != QN_OK) qn_distances_file_close(out);
    return status;
}

void qn_distances_file_close(qn_distances_file **pointer)
{
    qn_distances_file *file = *pointer;
    if (!file) return;
    if (file->mapped) munmap(file->mapped, file->mapped_bytes);
    qn_release(&file->own);
    qn_release(pointer);
}

#include "fuse/arrays.h"

#include <quern/file.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/nearest_word.h"
#include "base/written_file.h"

enum { NAMES_MAX = 3 * QN_GRAPH_VALUES_MAX };

/* ---- names ---- */

/* Split "NAME=file". */
static qn_status split(const char *option, const char *text, char name[64], const char **path)
{
    const char *sign = strchr(text, '=');
    if (!sign || sign == text || !sign[1] || sign - text >= 64)
        return QN_FAIL(QN_INVALID_ARGUMENT, "--%s is \"%s\"; expected NAME=FILE.npy", option, text);
    snprintf(name, 64, "%.*s", (int)(sign - text), text);
    *path = sign + 1;
    return QN_OK;
}

static qn_status find_given(const qn_graph *graph, const char *name, qn_array_file *file)
{
    static const char *const suffixes[] = {"", "_starts", "_columns"};
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (int value = 0; value < graph->value_count; value++) {
        const qn_value *of = &graph->values[value];
        if (!of->is_given) continue;
        names[count++] = of->name;
        for (int part = 0; part <= (of->kind == QN_CSR ? QN_ARRAY_COLUMNS : QN_ARRAY_NUMBERS); part++) {
            char whole[160];
            snprintf(whole, sizeof whole, "%.120s%s", of->name, suffixes[part]);
            if (strcmp(whole, name) != 0) continue;
            file->value = value;
            file->part = (qn_array_part)part;
            return QN_OK;
        }
    }
    return QN_FAIL(QN_INVALID_ARGUMENT, "--input names \"%s\", which %s is not given; %s", name, graph->name,
                   qn_expect_words(name, names, count).text);
}

static qn_status find_result(const qn_graph *graph, const char *name, int *value)
{
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (*value = 0; *value < graph->value_count; ++*value) {
        if (!graph->values[*value].is_result) continue;
        names[count++] = graph->values[*value].name;
        if (strcmp(names[count - 1], name) == 0) return QN_OK;
    }
    return QN_FAIL(QN_INVALID_ARGUMENT, "--output names \"%s\", which is no result of %s; %s", name, graph->name,
                   qn_expect_words(name, names, count).text);
}

/* ---- shapes ---- */

static qn_status set_size(const qn_array_file *file, uint64_t size, int extent, qn_sequence *sequence)
{
    const qn_graph *graph = &sequence->graph;
    if (size < 1 || size > INT32_MAX)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has a size of %llu; expected 1 to 2147483647", file->path,
                       (unsigned long long)size);
    if (sequence->has_size[extent] && sequence->sizes.of[extent] != (int64_t)size)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has a size of %llu for %s; expected %lld", file->path,
                       (unsigned long long)size, graph->extents[extent].name, (long long)sequence->sizes.of[extent]);
    sequence->sizes.of[extent] = (int64_t)size;
    sequence->has_size[extent] = true;
    return QN_OK;
}

/* The sizes of a value that the array has. A scalar may be an array of one number. */
static qn_status check_shape(const qn_array_file *file, qn_sequence *sequence)
{
    const qn_graph *graph = &sequence->graph;
    const qn_value *value = &graph->values[file->value];
    const qn_npy_array *array = &file->array;
    const int dimensions = value->kind == QN_SCALAR ? 0 : value->kind == QN_MATRIX ? 2 : 1;
    const bool is_index = file->part != QN_ARRAY_NUMBERS;
    if (is_index != (array->type != 'f'))
        return QN_FAIL(QN_BAD_FORMAT, "%s: has %s; expected %s for %s", file->path,
                       is_index ? "floating-point numbers" : "integers",
                       is_index ? "integers" : "floating-point numbers", value->name);
    if (dimensions == 0 && array->count == 1) return QN_OK;
    if (array->dimensions != dimensions)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has %d dimensions; expected %d for %s, a %s", file->path, array->dimensions,
                       dimensions, value->name, qn_value_shape(graph, value).text);
    if (value->kind != QN_CSR) {
        for (int i = 0; i < dimensions; i++) QN_TRY(set_size(file, array->shape[i], value->extents[i], sequence));
        return QN_OK;
    }
    if (file->part == QN_ARRAY_STARTS)
        return set_size(file, array->shape[0] > 0 ? array->shape[0] - 1 : 0, value->extents[0], sequence);
    if (file->part == QN_ARRAY_NUMBERS) sequence->stored[file->value] = (double)array->count;
    return QN_OK;
}

static qn_status open_one(const char *text, qn_sequence *sequence, qn_array_file *file)
{
    char name[64];
    size_t size;
    QN_TRY(split("input", text, name, &file->path));
    QN_TRY(find_given(&sequence->graph, name, file));
    QN_TRY(qn_file_read(file->path, &file->data, &size));
    QN_TRY(qn_npy_parse(file->path, file->data, size, &file->array));
    return check_shape(file, sequence);
}

static const qn_array_file *find_part(const qn_array_files *files, int value, qn_array_part part)
{
    for (size_t i = 0; i < files->count; i++)
        if (files->files[i].value == value && files->files[i].part == part) return &files->files[i];
    return NULL;
}

/* A csr matrix has three arrays. */
static qn_status check_csr(const qn_sequence *sequence, const qn_array_files *files, int value)
{
    const qn_array_file *numbers = find_part(files, value, QN_ARRAY_NUMBERS),
                        *starts = find_part(files, value, QN_ARRAY_STARTS),
                        *columns = find_part(files, value, QN_ARRAY_COLUMNS);
    const qn_value *of = &sequence->graph.values[value];
    if (!numbers && !starts && !columns) return QN_OK;
    if (!numbers || !starts || !columns)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--input has a part of the csr matrix %s; expected %s, %s_starts and "
                       "%s_columns",
                       of->name, of->name, of->name, of->name);
    const double stored = (double)numbers->array.count, n = (double)sequence->sizes.of[of->extents[1]];
    double last = 0;
    for (uint64_t i = 0; i < starts->array.count; i++) {
        const double start = qn_npy_value(&starts->array, i);
        if (i == 0 ? start != 0 : start < last || start > stored)
            return QN_FAIL(QN_BAD_FORMAT, "%s: start %llu is %.0f; expected 0 to %.0f, in rising order", starts->path,
                           (unsigned long long)i, start, stored);
        last = start;
    }
    if (last != stored || columns->array.count != numbers->array.count)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: the last start is %.0f, and there are %llu columns; expected %.0f, as %s has "
                       "numbers",
                       starts->path, last, (unsigned long long)columns->array.count, stored, numbers->path);
    for (uint64_t i = 0; i < columns->array.count; i++) {
        const double column = qn_npy_value(&columns->array, i);
        if (column < 0 || column >= n)
            return QN_FAIL(QN_BAD_FORMAT, "%s: column %llu is %.0f; expected 0 to %.0f", columns->path,
                           (unsigned long long)i, column, n - 1);
    }
    return QN_OK;
}

qn_status qn_arrays_open(const char *const *texts, size_t count, qn_sequence *sequence, qn_array_files *files)
{
    *files = (qn_array_files){.count = 0};
    if (count == 0) return QN_OK;
    QN_TRY(qn_allocate(count, sizeof *files->files, (void **)&files->files));
    for (size_t i = 0; i < count; i++) {
        qn_array_file *file = &files->files[i];
        file->value = -1;
        files->count++;
        QN_TRY(open_one(texts[i], sequence, file));
        for (size_t k = 0; k < i; k++)
            if (files->files[k].value == file->value && files->files[k].part == file->part)
                return QN_FAIL(QN_INVALID_ARGUMENT, "--input gives %s twice, by %s and %s",
                               sequence->graph.values[file->value].name, files->files[k].path, file->path);
    }
    for (int value = 0; value < sequence->graph.value_count; value++)
        if (sequence->graph.values[value].kind == QN_CSR) QN_TRY(check_csr(sequence, files, value));
    return QN_OK;
}

void qn_arrays_close(qn_array_files *files)
{
    for (size_t i = 0; i < files->count; i++) qn_release(&files->files[i].data);
    qn_release(&files->files);
    files->count = 0;
}

/* ---- values ---- */

/* The place in the array of a number of a value, which may be stored the other way round. */
static uint64_t place_of(const qn_npy_array *array, bool column, uint64_t index)
{
    if (array->dimensions < 2 || array->by_columns == column) return index;
    const uint64_t rows = array->shape[0], columns = array->shape[1];
    return column ? index % rows * columns + index / rows : index % columns * rows + index / columns;
}

static qn_status give_numbers(const qn_array_file *file, bool column, qn_inputs *inputs)
{
    const uint64_t count = file->array.count;
    qn_numbers *numbers = &inputs->numbers[file->value];
    qn_release(&inputs->floats[file->value]);
    QN_TRY(qn_allocate(count, sizeof(float), (void **)&inputs->floats[file->value]));
    for (uint64_t k = 0; k < count; k++)
        inputs->floats[file->value][k] = (float)qn_npy_value(&file->array, place_of(&file->array, column, k));
    if (numbers->values) {
        qn_release(&numbers->values);
        QN_TRY(qn_allocate(count, sizeof(double), (void **)&numbers->values));
        for (uint64_t k = 0; k < count; k++) numbers->values[k] = inputs->floats[file->value][k];
    }
    numbers->count = count;
    return QN_OK;
}

static qn_status give_indices(const qn_array_file *file, int32_t **indices)
{
    qn_release(indices);
    QN_TRY(qn_allocate(file->array.count, sizeof **indices, (void **)indices));
    for (uint64_t k = 0; k < file->array.count; k++) (*indices)[k] = (int32_t)qn_npy_value(&file->array, k);
    return QN_OK;
}

qn_status qn_arrays_give(const qn_array_files *files, const qn_sequence *sequence, qn_inputs *inputs)
{
    for (size_t i = 0; i < files->count; i++) {
        const qn_array_file *file = &files->files[i];
        const int value = file->value;
        if (file->part == QN_ARRAY_NUMBERS)
            QN_TRY(give_numbers(file, sequence->graph.values[value].column, inputs));
        else
            QN_TRY(
                give_indices(file, file->part == QN_ARRAY_STARTS ? &inputs->starts[value] : &inputs->columns[value]));
        inputs->numbers[value].starts = inputs->starts[value];
        inputs->numbers[value].columns = inputs->columns[value];
    }
    return QN_OK;
}

/* ---- results ---- */

/* Write a result by rows, as most programs expect arrays. */
static qn_status write_array(const char *path, const qn_sequence *sequence, int value, const float *numbers)
{
    const qn_value *of = &sequence->graph.values[value];
    const uint64_t rows = of->kind == QN_SCALAR ? 1 : (uint64_t)sequence->sizes.of[of->extents[0]];
    const uint64_t columns = of->kind == QN_MATRIX ? (uint64_t)sequence->sizes.of[of->extents[1]] : 0;
    char header[QN_NPY_HEADER_BYTES];
    qn_written_file file;
    qn_npy_header(QN_NPY_FLOAT32, rows, columns, header);
    QN_TRY(qn_written_file_open(path, false, &file));
    qn_status status = qn_written_file_write(&file, header, sizeof header);
    if (!of->column && status == QN_OK)
        status = qn_written_file_write(&file, numbers, rows * (columns > 0 ? columns : 1) * sizeof *numbers);
    for (uint64_t i = 0; of->column && i < rows; i++)
        for (uint64_t j = 0; j < columns && status == QN_OK; j++)
            status = qn_written_file_write(&file, &numbers[j * rows + i], sizeof *numbers);
    if (status == QN_OK) status = qn_written_file_finish(&file);
    qn_written_file_discard(&file);
    return status;
}

/* No file is read and written, or written twice. */
static qn_status check_path(const qn_fuse_options *options, size_t index, const qn_array_files *files)
{
    char name[64];
    const char *path, *other;
    QN_TRY(split("output", options->outputs[index], name, &path));
    for (size_t i = 0; i < files->count; i++)
        if (qn_file_is_same(files->files[i].path, path))
            return QN_FAIL(QN_INVALID_ARGUMENT, "--output writes %s to %s, which is an input; expected another file",
                           name, path);
    for (size_t i = 0; i < index; i++) {
        QN_TRY(split("output", options->outputs[i], name, &other));
        if (strcmp(other, path) == 0 || qn_file_is_same(other, path))
            return QN_FAIL(QN_INVALID_ARGUMENT, "--output names %s twice; expected a file for each result", path);
    }
    if (options->report && (strcmp(options->report, path) == 0 || qn_file_is_same(options->report, path)))
        return QN_FAIL(QN_INVALID_ARGUMENT, "--output and --report name %s; expected a file for each", path);
    if (options->run.overwrite || !qn_file_exists(path)) return QN_OK;
    return QN_FAIL(QN_INVALID_ARGUMENT, "%s exists; --overwrite replaces it", path);
}

qn_status qn_arrays_check_outputs(const qn_fuse_options *options, const qn_sequence *sequence,
                                  const qn_array_files *files)
{
    for (size_t i = 0; i < options->output_count; i++) {
        char name[64];
        const char *path;
        int value;
        QN_TRY(split("output", options->outputs[i], name, &path));
        QN_TRY(find_result(&sequence->graph, name, &value));
        QN_TRY(check_path(options, i, files));
    }
    return QN_OK;
}

qn_status qn_arrays_write(const char *const *texts, size_t count, const qn_sequence *sequence, qn_program *program)
{
    for (size_t i = 0; i < count; i++) {
        char name[64];
        const char *path;
        int value;
        float *numbers;
        QN_TRY(split("output", texts[i], name, &path));
        QN_TRY(find_result(&sequence->graph, name, &value));
        const size_t elements = qn_value_elements(&sequence->graph, value, &sequence->sizes, 0);
        QN_TRY(qn_allocate(elements, sizeof *numbers, (void **)&numbers));
        qn_status status = qn_program_read(program, value, numbers);
        if (status == QN_OK) status = write_array(path, sequence, value, numbers);
        qn_release(&numbers);
        QN_TRY(status);
    }
    return QN_OK;
}

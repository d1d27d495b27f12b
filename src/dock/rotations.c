#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "dock/run.h"
#include "math/rotation.h"

/* Read the nine numbers of a line. */
static qn_status parse_matrix(const char *path, size_t line_number, const char *line, double matrix[9])
{
    const double tolerance = 1e-4; /* numbers in files may have few digits */
    const char *at = line;
    for (int i = 0; i < 9; i++) {
        char *end;
        matrix[i] = strtod(at, &end);
        if (end == at || !isfinite(matrix[i]))
            return QN_FAIL(QN_BAD_FORMAT,
                           "%s:%zu: number %d of the matrix is missing or not a number; expected nine numbers, "
                           "row by row",
                           path, line_number, i + 1);
        at = end;
    }
    at += strspn(at, " \t\r");
    if (*at != '\0' && *at != '#')
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s:%zu: \"%.20s\" follows the nine numbers of the matrix; expected the end of the line", path,
                       line_number, at);
    double error = qn_rotation_error(matrix);
    if (error > tolerance)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the matrix is not a rotation (%s); expected an orthonormal one", path,
                       line_number, error == 2 ? "it mirrors" : "its rows are not orthonormal");
    return QN_OK;
}

static qn_status parse_rotations(const char *path, char *text, double **matrices, size_t *count)
{
    void *memory = NULL;
    size_t capacity = 0, line_number = 0;
    qn_status status = QN_OK;
    *count = 0;
    for (char *line = text, *next; line && status == QN_OK; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = '\0';
        line_number++;
        line += strspn(line, " \t\r");
        if (*line == '\0' || *line == '#') continue;
        status = qn_grow(&memory, &capacity, *count + 1, 9 * sizeof(double));
        if (status == QN_OK) status = parse_matrix(path, line_number, line, (double *)memory + 9 * *count);
        (*count)++;
    }
    if (status == QN_OK && *count == 0)
        status =
            qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__, "%s: holds no matrix; expected nine numbers a line", path);
    if (status != QN_OK) qn_release(&memory);
    *matrices = memory;
    return status;
}

static qn_status read_rotations(const char *path, double **matrices, size_t *count)
{
    char *text;
    size_t size;
    QN_TRY(qn_file_read(path, &text, &size));
    qn_status status = parse_rotations(path, text, matrices, count);
    qn_release(&text);
    return status;
}

static qn_status sample_rotations(size_t count, double **matrices)
{
    void *memory;
    QN_TRY(qn_allocate(count * 9, sizeof(double), &memory));
    *matrices = memory;
    for (size_t i = 0; i < count; i++) qn_rotation_super_fibonacci(i, count, *matrices + 9 * i);
    return QN_OK;
}

qn_status qn_dock_make_rotations(qn_dock_state *run)
{
    enum { MAX = 10000000 };
    size_t count = (size_t)run->options->rotations;
    double seed_rotation[9];
    void *memory;
    if (run->options->rotations_file)
        QN_TRY(read_rotations(run->options->rotations_file, &run->matrices, &count));
    else
        QN_TRY(sample_rotations(count, &run->matrices));
    if (count > MAX) return QN_FAIL(QN_INVALID_ARGUMENT, "%zu rotations are more than %d", count, MAX);
    run->rotation_count = (int)count;
    qn_rotation_from_seed(run->options->run.seed, seed_rotation);
    QN_TRY(qn_allocate(count * 9, sizeof(int32_t), &memory));
    run->rotations = memory;
    for (size_t i = 0; i < count; i++) {
        qn_rotation_multiply(seed_rotation, run->matrices + 9 * i, run->matrices + 9 * i);
        qn_dock_rotation_to_integers(run->matrices + 9 * i, run->rotations + 9 * i);
    }
    run->neighbour_degrees = qn_rotation_mean_neighbour_degrees(run->matrices, count, run->job->pool);
    qn_log(QN_LOG_NOTE, "rotations: %zu, %.1f degrees between neighbours", count, run->neighbour_degrees);
    return QN_OK;
}

#include "collective/references.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "collective/loops.h"

enum { COUNT_MAX = 1000000 };

void qn_collective_references_destroy(qn_collective_references **pointer)
{
    qn_collective_references *references = *pointer;
    if (!references) return;
    qn_release(&references->positions);
    qn_release(&references->weights);
    qn_release(&references->deviation_weights);
    qn_release(&references->deviation_means);
    qn_release(&references->sizes);
    qn_release(&references->distances);
    qn_release(&references->pair_sizes);
    qn_release(pointer);
}

static qn_status refuse_position(const double *positions, size_t atom_count, const char *name)
{
    size_t i = 0;
    while (i < 3 * atom_count - 1 && isfinite(positions[i])) i++;
    return QN_FAIL(QN_INVALID_ARGUMENT, "%s: %c of atom %zu of %zu is %g; expected finite positions of moderate size",
                   name, "xyz"[i % 3], i / 3 + 1, atom_count, positions[i]);
}

qn_status qn_collective_centre(const double *positions, const double *weights, double weight_sum, size_t atom_count,
                               size_t stride, const char *name, double *rows)
{
    double centre[3] = {0}, squares = 0;
    for (size_t i = 0; i < atom_count; i++)
        for (size_t k = 0; k < 3; k++) centre[k] += weights[i] * positions[3 * i + k];
    for (size_t k = 0; k < 3; k++) centre[k] /= weight_sum;
    for (size_t k = 0; k < 3; k++) {
        double *row = rows + k * stride;
        for (size_t i = 0; i < atom_count; i++) {
            row[i] = positions[3 * i + k] - centre[k];
            squares += row[i] * row[i];
        }
    }
    return isfinite(squares) ? QN_OK : refuse_position(positions, atom_count, name);
}

/* Copy weights into a row. `kind` names them in messages: "" or "deviation ". */
static qn_status copy_weights(const double *weights, const char *kind, size_t atom_count, double *row, double *sum)
{
    for (size_t i = 0; i < atom_count; i++) {
        row[i] = weights ? weights[i] : 1;
        *sum += row[i];
        if (!(row[i] >= 0) || !isfinite(row[i]))
            return QN_FAIL(QN_INVALID_ARGUMENT, "%sweight of atom %zu is %g; expected a number of at least 0", kind,
                           i + 1, row[i]);
    }
    if (!(*sum > 0) || !isfinite(*sum))
        return QN_FAIL(QN_INVALID_ARGUMENT, "the %sweights of %zu atoms add up to %g; expected more than 0", kind,
                       atom_count, *sum);
    return QN_OK;
}

static qn_status copy_all_weights(const qn_collective_options *options, qn_collective_references *references)
{
    const double *deviation = options->deviation_weights;
    const size_t atoms = references->atom_count;
    void *memory;
    QN_TRY(qn_allocate(references->stride, sizeof(double), &memory));
    references->weights = memory;
    QN_TRY(qn_allocate(references->stride, sizeof(double), &memory));
    references->deviation_weights = memory;
    QN_TRY(copy_weights(options->weights, "", atoms, references->weights, &references->weight_sum));
    QN_TRY(copy_weights(deviation ? deviation : options->weights, deviation ? "deviation " : "", atoms,
                        references->deviation_weights, &references->deviation_sum));
    QN_TRY(qn_allocate(deviation ? references->count : 0, 3 * sizeof(double), &memory));
    references->deviation_means = memory;
    return QN_OK;
}

static qn_status copy_positions(const double *positions, qn_collective_references *references)
{
    const size_t atoms = references->atom_count, stride = references->stride;
    void *memory;
    QN_TRY(qn_allocate(references->count, sizeof(double), &memory));
    references->sizes = memory;
    QN_TRY(qn_allocate(references->count * 3 * stride + QN_COLLECTIVE_LANES, sizeof(double), &memory));
    references->positions = memory;
    for (size_t n = 0; n < references->count; n++) {
        char name[48];
        double *rows = references->positions + n * 3 * stride, squares = 0;
        snprintf(name, sizeof name, "reference %zu", n + 1);
        QN_TRY(qn_collective_centre(positions + n * 3 * atoms, references->weights, references->weight_sum, atoms,
                                    stride, name, rows));
        for (size_t k = 0; k < 3; k++)
            for (size_t i = 0; i < atoms; i++)
                squares += references->weights[i] * rows[k * stride + i] * rows[k * stride + i];
        references->sizes[n] = sqrt(squares / references->weight_sum);
        for (size_t k = 0; references->deviation_means && k < 3; k++)
            for (size_t i = 0; i < atoms; i++)
                references->deviation_means[3 * n + k] += references->deviation_weights[i] * rows[k * stride + i];
    }
    return QN_OK;
}

/* Measure the distances of atoms, and keep them or only their sizes. */
static qn_status measure_distances(bool keep, qn_collective_references *references)
{
    const qn_collective_loops *loops = QN_HOST_SELECT(qn_collective_loops_host);
    const size_t places = references->pair_places, kept = keep ? references->count : 0;
    void *memory;
    QN_TRY(qn_allocate(references->count, sizeof(double), &memory));
    references->pair_sizes = memory;
    if (places > SIZE_MAX / references->count)
        return QN_FAIL(QN_OUT_OF_MEMORY, "dRMSD of %zu references of %zu atoms needs more memory than can be addressed",
                       references->count, references->atom_count);
    QN_TRY(qn_allocate(kept * places, sizeof(double), &memory));
    references->distances = memory;
    QN_TRY(qn_allocate(2 * places, sizeof(double), &memory));
    double *scratch = memory;
    for (size_t n = 0; n < references->count; n++) {
        double *distances = keep ? references->distances + n * places : scratch + places, squares = 0;
        loops->measure_pairs(references->positions + n * 3 * references->stride, references->stride,
                             references->atom_count, &(qn_collective_pairs){distances, scratch});
        for (size_t i = 0; i < places; i++) squares += distances[i] * distances[i];
        references->pair_sizes[n] = sqrt(references->pair_inverse * squares);
    }
    qn_release(&memory);
    return QN_OK;
}

static qn_status check(const qn_collective_options *options)
{
    if (options->reference_count < 1 || options->reference_count > COUNT_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%zu references; expected 1 to %d", options->reference_count, COUNT_MAX);
    if (options->atom_count < 3 || options->atom_count > COUNT_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "references of %zu atoms; expected 3 to %d", options->atom_count,
                       COUNT_MAX);
    if (!options->references) return QN_FAIL(QN_INVALID_ARGUMENT, "references is NULL; expected positions");
    return QN_OK;
}

qn_status qn_collective_references_create(const qn_collective_options *options, bool drmsd,
                                          qn_collective_references **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(check(options));
    QN_TRY(qn_allocate(1, sizeof(qn_collective_references), &memory));
    qn_collective_references *references = memory;
    const double atoms = (double)options->atom_count;
    references->count = options->reference_count;
    references->atom_count = options->atom_count;
    references->stride = qn_collective_pair_row(options->atom_count);
    references->pair_inverse = 2 / (atoms * (atoms - 1));
    qn_status status = copy_all_weights(options, references);
    if (status == QN_OK) status = copy_positions(options->references, references);
    if (drmsd) references->pair_places = qn_collective_pair_places(options->atom_count);
    if (status == QN_OK && drmsd) status = measure_distances(!options->device, references);
    *out = references;
    if (status != QN_OK) qn_collective_references_destroy(out);
    return status;
}

#include "cluster/matrix/weights.h"

#include <math.h>
#include <quern/molecule.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"

/* ---- of the topology, or of the first file ---- */

static const char *first_path(const qn_structure_input *input, const qn_models *models)
{
    if (input->file_count > 0) return input->files[0];
    return models->path_count > 0 ? models->paths[0] : NULL;
}

static void take_masses(const qn_topology *topology, qn_models *models)
{
    for (size_t i = 0; i < models->structures.atom_count; i++)
        models->weights[i] = (float)topology->atoms[models->atoms[i]].mass_u;
}

/* Occupancies or B factors, which only structure files have. */
static qn_status take_column(const char *weights, const char *path, const qn_topology *topology, qn_models *models)
{
    qn_molecule_options options = qn_molecule_default_options();
    qn_molecule *molecule = NULL;
    options.keep_alternates = true;
    qn_status status = path ? qn_molecule_read(NULL, path, &options, &molecule) : QN_UNSUPPORTED;
    if (status == QN_NOT_FOUND || status == QN_IO_ERROR || status == QN_OUT_OF_MEMORY) return status;
    if (status == QN_OK && molecule->atom_count != topology->atom_count) status = QN_UNSUPPORTED;
    if (status != QN_OK) {
        qn_molecule_destroy(&molecule);
        qn_error_clear();
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--weights is \"%s\", but %s has no such column; expected a PDB or mmCIF file first, or a file "
                       "of weights",
                       weights, topology->name);
    }
    for (size_t i = 0; i < models->structures.atom_count; i++) {
        const qn_atom *atom = &molecule->atoms[models->atoms[i]];
        models->weights[i] = weights[0] == 'o' ? atom->occupancy : atom->b_factor_angstrom2;
    }
    qn_molecule_destroy(&molecule);
    return QN_OK;
}

/* ---- of a text file ---- */

/* Read a line's number into *weight. *is_number is false for blank lines, those that begin with #, and a heading. */
static qn_status read_line(const char *path, size_t number, char *line, bool *is_number, float *weight)
{
    char *end, *last = line + strlen(line);
    while (last > line && strchr(" \t\r,", last[-1])) *--last = '\0';
    while (*line == ' ' || *line == '\t') line++;
    *is_number = *line != '\0' && *line != '#' && !(number == 1 && strcmp(line, "weight") == 0);
    if (!*is_number) return QN_OK;
    *weight = strtof(line, &end);
    if (*end != '\0' || !isfinite(*weight))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%.40s\"; expected one number, a weight of 0 or more", path, number,
                       line);
    return QN_OK;
}

static qn_status read_lines(const char *path, char *text, qn_models *models)
{
    const size_t atoms = models->structures.atom_count;
    size_t number = 0, count = 0;
    for (char *line = text, *next; line; line = next) {
        float weight = 0;
        bool is_number;
        next = strchr(line, '\n');
        if (next) *next++ = '\0';
        QN_TRY(read_line(path, ++number, line, &is_number, &weight));
        if (is_number && count < atoms) models->weights[count] = weight;
        count += is_number;
    }
    if (count != atoms)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has %s; expected %zu, one for each selected atom", path,
                       qn_count_of(count, "weight").text, atoms);
    return QN_OK;
}

static qn_status read_file(qn_job *job, const char *path, qn_models *models)
{
    char *text;
    size_t size;
    const qn_status status = qn_file_read(path, &text, &size);
    if (status == QN_NOT_FOUND)
        return QN_FAIL(QN_NOT_FOUND,
                       "--weights is \"%s\", which is no file; expected none, mass, occupancy, b-factor, or a text "
                       "file with a number in each line",
                       path);
    QN_TRY(status);
    const qn_status parsed = read_lines(path, text, models);
    qn_release(&text);
    QN_TRY(parsed);
    return qn_job_input_add(job, "weights", path, QN_JOB_LIST_ONLY);
}

/* ---- all ---- */

static qn_status check_weights(const char *weights, const qn_models *models)
{
    double sum = 0;
    for (size_t i = 0; i < models->structures.atom_count; i++) {
        const double weight = (double)models->weights[i];
        if (!(weight >= 0) || !isfinite(weight))
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "--weights is \"%s\", and the weight of selected atom %zu is %g; expected 0 or more",
                           weights, i + 1, weight);
        sum += weight;
    }
    if (!(sum > 0))
        return QN_FAIL(QN_INVALID_ARGUMENT, "--weights is \"%s\", and all weights are 0; expected some above 0",
                       weights);
    return QN_OK;
}

static qn_status key_weights(qn_job *job, const qn_models *models)
{
    char digest[65];
    qn_hash hash;
    qn_hash_start(&hash);
    qn_hash_add(&hash, models->weights, models->structures.atom_count * sizeof *models->weights);
    qn_hash_finish(&hash, digest);
    return qn_job_key(job, "weights=%s\n", digest);
}

qn_status qn_models_weigh(qn_job *job, const qn_structure_input *input, const char *weights, qn_models *models)
{
    const qn_topology *topology = models->topology ? models->topology : input->topology;
    void *memory;
    if (!weights || strcmp(weights, "none") == 0) return QN_OK;
    QN_TRY(qn_allocate(models->structures.atom_count, sizeof *models->weights, &memory));
    models->weights = memory;
    if (strcmp(weights, "mass") == 0)
        take_masses(topology, models);
    else if (strcmp(weights, "occupancy") == 0 || strcmp(weights, "b-factor") == 0)
        QN_TRY(take_column(weights, first_path(input, models), topology, models));
    else
        QN_TRY(read_file(job, weights, models));
    QN_TRY(check_weights(weights, models));
    models->structures.weights = models->weights;
    return key_weights(job, models);
}

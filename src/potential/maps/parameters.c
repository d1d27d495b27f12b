#include "potential/maps/parameters.h"

#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "format/record_lines.h"

/* Values of Huey et al. 2007 and its supplement; depths are unweighted. */
static const qn_potential_type built_in[] = {
    {"H", 2.00, 0.020, 0.0000, 0.00051, 0.0, 0.0, 0},    {"HD", 2.00, 0.020, 0.0000, 0.00051, 0.0, 0.0, 2},
    {"HS", 2.00, 0.020, 0.0000, 0.00051, 0.0, 0.0, 1},   {"C", 4.00, 0.150, 33.5103, -0.00143, 0.0, 0.0, 0},
    {"A", 4.00, 0.150, 33.5103, -0.00052, 0.0, 0.0, 0},  {"N", 3.50, 0.160, 22.4493, -0.00162, 0.0, 0.0, 0},
    {"NA", 3.50, 0.160, 22.4493, -0.00162, 1.9, 5.0, 4}, {"NS", 3.50, 0.160, 22.4493, -0.00162, 1.9, 5.0, 3},
    {"OA", 3.20, 0.200, 17.1573, -0.00251, 1.9, 5.0, 5}, {"OS", 3.20, 0.200, 17.1573, -0.00251, 1.9, 5.0, 3},
    {"F", 3.09, 0.080, 15.4480, -0.00110, 0.0, 0.0, 0},  {"Mg", 1.30, 0.875, 1.5600, -0.00110, 0.0, 0.0, 0},
    {"MG", 1.30, 0.875, 1.5600, -0.00110, 0.0, 0.0, 0},  {"P", 4.20, 0.200, 38.7924, -0.00110, 0.0, 0.0, 0},
    {"SA", 4.00, 0.200, 33.5103, -0.00214, 2.5, 1.0, 5}, {"S", 4.00, 0.200, 33.5103, -0.00214, 0.0, 0.0, 0},
    {"Cl", 4.09, 0.276, 35.8235, -0.00110, 0.0, 0.0, 0}, {"CL", 4.09, 0.276, 35.8235, -0.00110, 0.0, 0.0, 0},
    {"Ca", 1.98, 0.550, 2.7700, -0.00110, 0.0, 0.0, 0},  {"CA", 1.98, 0.550, 2.7700, -0.00110, 0.0, 0.0, 0},
    {"Mn", 1.30, 0.875, 2.1400, -0.00110, 0.0, 0.0, 0},  {"MN", 1.30, 0.875, 2.1400, -0.00110, 0.0, 0.0, 0},
    {"Fe", 1.30, 0.010, 1.8400, -0.00110, 0.0, 0.0, 0},  {"FE", 1.30, 0.010, 1.8400, -0.00110, 0.0, 0.0, 0},
    {"Zn", 1.48, 0.550, 1.7000, -0.00110, 0.0, 0.0, 0},  {"ZN", 1.48, 0.550, 1.7000, -0.00110, 0.0, 0.0, 0},
    {"Br", 4.33, 0.389, 42.5661, -0.00110, 0.0, 0.0, 0}, {"BR", 4.33, 0.389, 42.5661, -0.00110, 0.0, 0.0, 0},
    {"I", 4.72, 0.550, 55.0585, -0.00110, 0.0, 0.0, 0},  {"Z", 4.00, 0.150, 33.5103, -0.00143, 0.0, 0.0, 0},
    {"G", 4.00, 0.150, 33.5103, -0.00143, 0.0, 0.0, 0},  {"GA", 4.00, 0.150, 33.5103, -0.00052, 0.0, 0.0, 0},
    {"J", 4.00, 0.150, 33.5103, -0.00143, 0.0, 0.0, 0},  {"Q", 4.00, 0.150, 33.5103, -0.00143, 0.0, 0.0, 0},
};

/* Add a type with unweighted depths. */
static qn_status add(qn_potential_type type, qn_potential_parameters *parameters)
{
    const int known = qn_potential_type_find(parameters, type.name, strlen(type.name));
    type.depth *= parameters->van_der_waals_weight;
    type.bond_depth *= parameters->bond_weight;
    if (known >= 0) {
        parameters->types[known] = type;
        return QN_OK;
    }
    QN_TRY(qn_grow((void **)&parameters->types, &parameters->capacity, parameters->type_count + 1,
                   sizeof *parameters->types));
    parameters->types[parameters->type_count++] = type;
    return QN_OK;
}

qn_status qn_potential_parameters_start(qn_potential_parameters *parameters)
{
    parameters->van_der_waals_weight = 0.1662;
    parameters->bond_weight = 0.1209;
    parameters->electrostatic_weight = 0.1406;
    parameters->desolvation_weight = 0.1322;
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++) QN_TRY(add(built_in[i], parameters));
    return QN_OK;
}

void qn_potential_parameters_clear(qn_potential_parameters *parameters)
{
    qn_release(&parameters->types);
    *parameters = (qn_potential_parameters){0};
}

int qn_potential_type_find(const qn_potential_parameters *parameters, const char *name, size_t length)
{
    for (size_t i = 0; i < parameters->type_count; i++)
        if (strlen(parameters->types[i].name) == length && memcmp(parameters->types[i].name, name, length) == 0)
            return (int)i;
    return -1;
}

/* ---- parameter files ---- */

static qn_status read_number(const qn_record_lines *lines, size_t *at, const char *meaning, double *value)
{
    const qn_word word = qn_record_word(lines, at);
    if (!qn_number_parse(word.text, word.length, value))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %s is \"%s\"; expected a number", lines->path, lines->number, meaning,
                       qn_quote(word.text, word.length).text);
    return QN_OK;
}

static qn_status read_whole(const qn_record_lines *lines, size_t *at, const char *meaning, int most, int *value)
{
    const qn_word word = qn_record_word(lines, at);
    if (!qn_number_parse_whole(word.text, word.length, value) || *value > most)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %s is \"%s\"; expected a whole number up to %d", lines->path,
                       lines->number, meaning, qn_quote(word.text, word.length).text, most);
    return QN_OK;
}

/* A line "atom_par name diameter depth volume solvation bond-length bond-depth role rec_index map_index element". */
static qn_status read_type(const qn_record_lines *lines, size_t at, qn_potential_parameters *parameters)
{
    qn_potential_type type = {0};
    int role, unused;
    const qn_word name = qn_record_word(lines, &at);
    if (name.length == 0 || name.length >= sizeof type.name)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the atom type is \"%s\"; expected a name of 1 to %zu characters",
                       lines->path, lines->number, qn_quote(name.text, name.length).text, sizeof type.name - 1);
    memcpy(type.name, name.text, name.length);
    QN_TRY(read_number(lines, &at, "the van der Waals diameter Rii", &type.diameter_angstrom));
    QN_TRY(read_number(lines, &at, "the well depth epsii", &type.depth));
    QN_TRY(read_number(lines, &at, "the volume", &type.volume_angstrom3));
    QN_TRY(read_number(lines, &at, "the solvation parameter", &type.solvation));
    QN_TRY(read_number(lines, &at, "the hydrogen bond length Rij_hb", &type.bond_length_angstrom));
    QN_TRY(read_number(lines, &at, "the hydrogen bond depth epsij_hb", &type.bond_depth));
    QN_TRY(read_whole(lines, &at, "the role in hydrogen bonds", QN_POTENTIAL_ACCEPTOR_TWO, &role));
    QN_TRY(read_whole(lines, &at, "rec_index", 999999, &unused));
    QN_TRY(read_whole(lines, &at, "map_index", 999999, &unused));
    QN_TRY(read_whole(lines, &at, "bond_index", 999999, &unused)); /* of AutoDock; AutoGrid does not use it */
    type.role = (qn_potential_role)(role < 0 ? 0 : role);
    if (!(type.diameter_angstrom > 0) || type.depth < 0 || type.bond_length_angstrom < 0 || type.bond_depth < 0)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s:%zu: type %s has diameter %g, depth %g, bond length %g, bond depth %g; expected a diameter "
                       "above 0 and nothing below 0",
                       lines->path, lines->number, type.name, type.diameter_angstrom, type.depth,
                       type.bond_length_angstrom, type.bond_depth);
    return add(type, parameters);
}

/* *known counts the lines that are not empty or comments. */
static qn_status read_line(const qn_record_lines *lines, qn_potential_parameters *parameters, int *known)
{
    double unused;
    const struct {
        const char *word;
        double *value;
    } weights[] = {{"FE_coeff_vdW", &parameters->van_der_waals_weight},
                   {"FE_coeff_hbond", &parameters->bond_weight},
                   {"FE_coeff_estat", &parameters->electrostatic_weight},
                   {"FE_coeff_desolv", &parameters->desolvation_weight},
                   {"FE_coeff_tors", &unused}};
    size_t at = 0;
    const qn_word word = qn_record_word(lines, &at);
    if (word.length == 0 || word.text[0] == '#') return QN_OK;
    ++*known;
    if (qn_word_is(word, "atom_par")) return read_type(lines, at, parameters);
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        if (qn_word_is(word, weights[i].word)) return read_number(lines, &at, weights[i].word, weights[i].value);
    if (qn_word_is(word, "FE_unbound_model")) return QN_OK; /* of ligands only */
    return QN_FAIL(QN_BAD_FORMAT,
                   "%s:%zu: \"%s\"; expected atom_par, FE_coeff_vdW, FE_coeff_hbond, FE_coeff_estat, "
                   "FE_coeff_desolv, FE_coeff_tors, FE_unbound_model or a comment",
                   lines->path, lines->number, qn_quote(word.text, word.length).text);
}

qn_status qn_potential_parameters_read(const char *path, qn_potential_parameters *parameters)
{
    char *data;
    size_t size;
    qn_status status = QN_OK;
    int known = 0;
    QN_TRY(qn_file_read(path, &data, &size));
    qn_record_lines lines = {.path = path, .step = 1, .next = data, .end = data + size};
    while (status == QN_OK && qn_record_lines_next(&lines)) status = read_line(&lines, parameters, &known);
    if (status == QN_OK && known == 0)
        status =
            QN_FAIL(QN_BAD_FORMAT, "%s: holds no parameters; expected lines such as atom_par or FE_coeff_vdW", path);
    qn_release(&data);
    return status;
}
